"""Where a record states a formal claim, and which scripts in SMT-LIB state one."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.analysis.formal_claims import NotFormal, formal_claims, read_script, stated
from folkmoot.core.ask import Field, Fields, Form, Layout
from folkmoot.core.brief import Brief, Source
from folkmoot.core.event import Entered, Interjected, Opened
from tests.report.reports import Diary, ask, opened, person


def block(n: int) -> str:
    return f"```smt2\n(assert (! (= {n} {n}) :named claim))\n```"


def script(n: int) -> str:
    return f"(assert (! (= {n} {n}) :named claim))"


ONE = block(1)


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (ONE, [script(1)]),
        (f"So:\n{ONE}\nIndeed.\n{block(2)}", [script(1), script(2)]),
        ("~~~~ SMTLIB\n(x)\n~~~\n~~~~", ["(x)\n~~~"]),
        ("- ```smt-lib2\n  (x)\n  ```\n" + ONE, ["  (x)", script(1)]),
    ],
)
def test_what_states_a_claim(text: str, claims: list[str]) -> None:
    assert list(stated(text)) == [(claim, True) for claim in claims]


@pytest.mark.parametrize(
    "text",
    [
        f"> {ONE}".replace("\n", "\n> "),
        f"~~~\n{ONE}\n~~~",
        f"```text\n{ONE.replace('`', '~')}\n```",
        f"<think>\n{ONE}</think>",
        f"Well. <thinking>\n{ONE}",
        "``` smt2 `` x\n(x)",
        script(1),
    ],
)
def test_what_states_nothing(text: str) -> None:
    assert list(stated(text)) == []


def test_a_block_that_does_not_end_is_known() -> None:
    assert list(stated("```smt2\n(assert")) == [("(assert", False)]


# ---- in a record -----------------------------------------------------------------------------------------------------


def test_who_states_what_and_where() -> None:
    brief = Brief(
        topic=f"Is it so?\n{ONE}",
        background=(Source(name="plan.md", text=f"{ONE}\n{block(2)}\n{ONE}"),),
        participants=(person("Ann"), person("Ben")),
        rules=ONE,
    )
    diary = Diary().add(Opened(brief=brief, protocol={}, name="panel"), Entered(path="/debate"))
    diary.say(ask("/debate/argue#1", "Ann", "argue"), f"{block(2)}\n{block(2)}\n{block(3)}")
    diary.add(Interjected(by="Dana", text=block(4))).add(Interjected(by="Dana", text="No."))
    diary.say(ask("/debate/argue#2", "Ben", "argue"), "I agree.")
    for n, act in enumerate(("recall", "translate", "summarize")):
        diary.say(ask(f"/debate/{act}#{n}", "Ben", act), ONE)
    rows = [(claim.by, claim.seq, claim.mark, claim.source, claim.text) for claim in formal_claims(diary.entries)]
    assert rows == [
        ("", 1, "", "topic", script(1)),
        ("", 1, "", "plan.md", script(1)),
        ("", 1, "", "plan.md", script(2)),
        ("Ann", 4, "T1", "", script(2)),
        ("Ann", 4, "T1", "", script(3)),
        ("Dana", 5, "T2", "", script(4)),
    ]
    assert formal_claims(diary.entries[1:])[0].by == "Ann"
    assert formal_claims(()) == ()


@pytest.mark.parametrize(
    ("layout", "text", "fields", "claims"),
    [
        (
            "sections",
            f"QUOTE: So\n{block(1)}\nARGUMENT: I say\n{block(3)}",
            {"QUOTE": f"So\n{block(1)}", "ARGUMENT": f"I say\n{block(3)}"},
            [script(3)],
        ),
        ("sections", ONE, {"Quote": "", "NOTES": (ONE, block(5)), "SURE": 0.5}, [script(1), script(5)]),
        ("sections", f"ACCEPTS:\n{block(2)}\nREJECTS: no", {"ACCEPTS": (block(2),), "REJECTS": ("no", "")}, []),
        ("tags", block(1).replace("=", "&lt;"), {"Content": block(2)}, [script(2)]),
        ("json", ONE, {}, [script(1)]),
    ],
)
def test_words_of_fields_are_read_and_quotations_are_not(
    layout: Layout, text: str, fields: Fields, claims: list[str]
) -> None:
    form = Form(name="f", fields=(Field(name="ARGUMENT"),), layout=layout)
    diary = opened(person("Ann")).say(ask("/debate/argue#1", "Ann", "argue", form=form), text, fields)
    assert [claim.text for claim in formal_claims(diary.entries)] == claims


# ---- SMT-LIB ---------------------------------------------------------------------------------------------------------


def test_a_script_is_written_anew() -> None:
    read = read_script(
        """; a comment with ) and (include "x")
        (set-logic QF_LRA) (set-info :status unsat)
        (declare-const x Real)
        (define-fun |a b| ((y Int)) String "say ""no"" ;)")
        (assert (! (> x #x0f) :named big :weight 2))
        (assert (or (! (= x 1.5) :named claim) (= ((_ f 1) x) #b01)))
        (assert (! (=> (> x 1) (>= x 0)) :named |claim|))
        (check-sat) (get-model) (exit)"""
    )
    assert read.declarations == '(declare-const x Real)\n(define-fun |a b| ((y Int)) String "say ""no"" ;)")'
    assert read.premises == ("(> x #x0f)", "(or (! (= x 1.5) :named claim) (= ((_ f 1) x) #b01))")
    assert read.claim == "(=> (> x 1) (>= x 0))"


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
        first = read_script(text)
        again = "\n".join(f"(assert {premise})" for premise in first.premises)
        assert read_script(f"{first.declarations}\n{again}\n(assert (! {first.claim} :named claim))") == first


def test_nothing_behind_the_end_of_a_script_counts() -> None:
    read = read_script("(assert (! (not (= 1 1)) :named claim)) (exit) (assert false)")
    assert read.premises == ()
