"""Where a record states a formal claim, and which scripts in SMT-LIB state one."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.analysis.claim_arithmetic import read_script
from folkmoot.analysis.claim_language import NotFormal
from folkmoot.analysis.formal_claims import LABEL, formal_claims, stated
from folkmoot.core.ask import Field, Fields, Form, Layout
from folkmoot.core.brief import Brief, Source
from folkmoot.core.event import Entered, Interjected, Opened
from tests.report.reports import Diary, ask, opened, person

ONE = f"{LABEL} 1 = 1"
BLOCK = "```smt2\n(assert (! true :named claim))\n```"


def words(text: str) -> list[str]:
    return [word for _, word, _ in stated(text)]


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (ONE, ["1 = 1"]),
        (f"So:\n  {ONE}.\nIndeed.", ["1 = 1"]),
        (f"- {ONE}\n2. {LABEL} 2 = 2", ["1 = 1", "2 = 2"]),
        (f"**{LABEL}** `x ** 2 >= 0`.", ["x ** 2 >= 0"]),
        (f"{LABEL} `", ["`"]),
        (f"{LABEL} ", [""]),
        (BLOCK, ["(assert (! true :named claim))"]),
        ("~~~~ SMTLIB\n(x)\n~~~\n~~~~", ["(x)\n~~~"]),
        ("- ```smt-lib2\n  (x)\n  ```\n" + ONE, ["  (x)", "1 = 1"]),
        ('He said "no".\n' + ONE, ["1 = 1"]),
        (f'He said "no\n\n{ONE}', ["1 = 1"]),
    ],
)
def test_what_states_a_claim(text: str, claims: list[str]) -> None:
    assert words(text) == claims


@pytest.mark.parametrize(
    "text",
    [
        f"> {ONE}",
        f"> {BLOCK}".replace("\n", "\n> "),
        f"> - {ONE}",
        f'"{ONE}"',
        f'Ben said: "I say\n{ONE}\nand mean it."',
        f"Ben said: “I say\n{ONE}”",
        f"Ben says {ONE}",
        f"I do not say {ONE}",
        f"T3: {ONE}",
        f"    {ONE}",
        f"`{ONE}`",
        f"```\n{ONE}\n```",
        f"```text\n{BLOCK.replace('`', '~')}\n```",
        f"~~~\n{BLOCK}\n~~~",
        f"```python\n{ONE}",
        f"<think>\n{ONE}\n{BLOCK}</think>",
        f"Well. <thinking>\n{ONE}",
        "CLAIM: 1 = 1",
        "Formal claim: 1 = 1",
        f"{LABEL}1 = 1",
        f"{LABEL}",
        "``` smt2 `` x\n(x)",
    ],
)
def test_what_states_nothing(text: str) -> None:
    assert words(text) == []


def test_a_block_that_does_not_end_is_known() -> None:
    assert list(stated("```smt2\n(assert")) == [("smtlib", "(assert", False)]


@given(st.text() | st.lists(st.sampled_from([ONE, "```", "```smt2", "> ", '"', "<think>", "\n", " "])).map("\n".join))
def test_any_text_is_read(text: str) -> None:
    for kind, word, complete in stated(text):
        assert complete or kind == "smtlib"
        assert kind == "smtlib" or "\n" not in word


# ---- in a record -----------------------------------------------------------------------------------------------------


def test_who_states_what_and_where() -> None:
    brief = Brief(
        topic=f"Is it so?\n{ONE}",
        background=(Source(name="plan.md", text=f"{BLOCK}\n{ONE}\n{ONE}"),),
        participants=(person("Ann"), person("Ben")),
        rules=ONE,
    )
    diary = Diary().add(Opened(brief=brief, protocol={}, name="panel"), Entered(path="/debate"))
    diary.say(ask("/debate/argue#1", "Ann", "argue"), f"{LABEL} 2 = 2\n{LABEL} 2 = 2\n{LABEL} 3 = 3")
    diary.add(Interjected(by="Dana", text=f"{LABEL} 4 = 4")).add(Interjected(by="Dana", text="No."))
    diary.say(ask("/debate/argue#2", "Ben", "argue"), "I agree.")
    for n, act in enumerate(("recall", "translate", "summarize")):
        diary.say(ask(f"/debate/{act}#{n}", "Ben", act), ONE)
    rows = [
        (formal_claim.by, formal_claim.seq, formal_claim.mark, formal_claim.source, formal_claim.text)
        for formal_claim in formal_claims(diary.entries)
    ]
    assert rows == [
        ("", 1, "", "topic", "1 = 1"),
        ("", 1, "", "plan.md", "(assert (! true :named claim))"),
        ("", 1, "", "plan.md", "1 = 1"),
        ("Ann", 4, "T1", "", "2 = 2"),
        ("Ann", 4, "T1", "", "3 = 3"),
        ("Dana", 5, "T2", "", "4 = 4"),
    ]
    assert formal_claims(diary.entries[1:])[0].by == "Ann"
    assert formal_claims(()) == ()


TEXT = f"QUOTE: So\n{LABEL} 1 = 2\nARGUMENT: {LABEL} 3 = 3\n{LABEL} 4 = 4"


@pytest.mark.parametrize(
    ("layout", "text", "fields", "claims"),
    [
        ("sections", TEXT, {"ARGUMENT": f"{LABEL} 3 = 3\n{LABEL} 4 = 4"}, ["1 = 2", "4 = 4", "3 = 3"]),
        ("sections", TEXT, {"QUOTE": f"So\n{LABEL} 1 = 2", "ARGUMENT": f"{LABEL} 3 = 3"}, ["4 = 4", "3 = 3"]),
        ("sections", ONE, {"Quote": "", "NOTES": (ONE, f"{LABEL} 5 = 5"), "SURE": 0.5}, ["1 = 1", "5 = 5"]),
        (
            "sections",
            f"ACCEPTS:\n- {LABEL} 1 = 2\nREJECTS: no\nSo {LABEL}\n{LABEL} 1 = 3",
            {"ACCEPTS": (f"{LABEL} 1 = 2",), "REJECTS": ("no", "")},
            ["1 = 3"],
        ),
        ("tags", f"\n{LABEL} 1 &lt; 2", {"Content": f"{LABEL} 1 < 2"}, ["1 < 2"]),
        ("json", ONE, {}, ["1 = 1"]),
    ],
)
def test_words_of_fields_are_read_and_quotations_are_not(
    layout: Layout, text: str, fields: Fields, claims: list[str]
) -> None:
    form = Form(name="f", fields=(Field(name="ARGUMENT"),), layout=layout)
    diary = opened(person("Ann")).say(ask("/debate/argue#1", "Ann", "argue", form=form), text, fields)
    assert [formal_claim.text for formal_claim in formal_claims(diary.entries)] == claims


# ---- SMT-LIB ---------------------------------------------------------------------------------------------------------


def test_a_script_is_written_anew() -> None:
    script = read_script(
        """; a comment with ) and (include "x")
        (set-logic QF_LRA) (set-info :status unsat)
        (declare-const x Real)
        (define-fun |a b| ((y Int)) String "say ""no"" ;)")
        (assert (! (> x #x0f) :named big :weight 2))
        (assert (or (! (= x 1.5) :named claim) (= ((_ f 1) x) #b01)))
        (assert (! (=> (> x 1) (>= x 0)) :named |claim|))
        (check-sat) (get-model) (exit)"""
    )
    assert script.declarations == '(declare-const x Real)\n(define-fun |a b| ((y Int)) String "say ""no"" ;)")'
    assert script.premises == ("(> x #x0f)", "(or (! (= x 1.5) :named claim) (= ((_ f 1) x) #b01))")
    assert script.claim == "(=> (> x 1) (>= x 0))"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('(include "/etc/passwd")', "include is not an allowed command; allowed are"),
        ("(set-option :produce-models true)", "set-option is not an allowed command"),
        ("(push 1)", "push is not an allowed command"),
        ("(eval x)", "eval is not an allowed command"),
        ("((assert) x)", "(assert) is not an allowed command"),
        ("()", "() is not an allowed command"),
        ("assert", "assert is not an allowed command"),
        (f"({'x' * 80})", f"{'x' * 39}… is not an allowed command"),
        ("(assert)", "needs one term"),
        ("(assert true", "a bracket is not closed"),
        (")", "the bracket at character 1 closes nothing"),
        ("(assert |a\\| |)", "'|' at character 9 is not SMT-LIB"),
        ('(assert "a\\"")', "is not SMT-LIB that is allowed here"),
        ("(assert #| comment |# true)", "'#' at character 9 is not SMT-LIB"),
        ('(assert "open)', "is not SMT-LIB"),
        ("(assert é)", "'é' at character 9"),
        ("(" * 101, "nested deeper than 100 at character 101"),
        ("(" * 20_001, "it has 20001 characters; 20000 are allowed"),
        ("", "no assertion has the name claim"),
        ("(assert (! true :named goal))(check-sat)", "no assertion has the name claim"),
        ("(assert (! true))(assert (! true :named (a)))(assert (! true :named))", "no assertion has the name"),
        ("(assert (! true :named claim))(assert (! false :named claim))", "2 assertions have the name claim"),
    ],
)
def test_scripts_that_state_no_claim(text: str, wrong: str) -> None:
    with pytest.raises(NotFormal) as caught:
        read_script(text)
    assert wrong in str(caught.value)


@given(st.text(max_size=60) | st.text('()|";# !:assertnamedclm\\\n', max_size=90))
def test_any_script_is_read_or_refused(text: str) -> None:
    with suppress(NotFormal):
        script = read_script(text)
        again = "\n".join(f"(assert {premise})" for premise in script.premises)
        read = read_script(f"{script.declarations}\n{again}\n(assert (! {script.claim} :named claim))")
        assert (read.claim, read.declarations) == (script.claim, script.declarations)


def test_nothing_behind_the_end_of_a_script_counts() -> None:
    script = read_script("(assert (! (not (= 1 1)) :named claim)) (exit) (assert false)")
    assert script.premises == ()
