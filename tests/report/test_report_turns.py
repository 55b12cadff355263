"""What was said, as a report shows it: places, subjects, hidden authors, fields, turns without an answer."""

import re
from dataclasses import replace

import pytest

from folkmoot.core.ask import ABSTAIN, Field, Fields, Form
from folkmoot.core.decision import Decision, Minority
from folkmoot.core.event import Asked, Entered, Failed, Halted, Interjected, Ruled
from folkmoot.report.markdown import markdown
from folkmoot.report.report import report
from tests.report.reports import Diary, ask, opened, person

ANN, BEN, CHAIR = person("Ann"), person("Ben"), person("Chair", duty="moderator")


def page(diary: Diary) -> str:
    return markdown(report(diary.entries, debate="d1"))


def test_closing_statements_and_what_follows_are_final() -> None:
    diary = opened(ANN, CHAIR)
    diary.say(ask("/debate/open#1", "Ann", "open"), "Yes.")
    diary.say(ask("/debate/close#1", "Ann", "close"), "Still yes.")
    diary.say(ask("/debate/moderate#1", "Chair", "moderate"), "So be it.\n\n# Yes")
    text = page(diary)
    assert (
        "## The debate\n\n### Opening statements\n\n#### Ann: opening statement\n\nYes.\n\n## Final statements" in text
    )
    assert "## Final statements\n\n### Closing statements\n\n#### Ann: closing statement\n\nStill yes." in text
    assert "### Moderator\n\n#### Chair: review\n\n> So be it.\n>\n> ##### Yes\n" in text
    assert text.count("## Final statements") == 1


def test_turns_stand_in_the_order_of_asking_and_steps_within_a_phase_have_no_heading() -> None:
    floor = "/debate/rounds/round-1/floor"
    diary = opened(ANN, BEN)
    for n in (1, 2):
        diary.say(ask(f"{floor}#{n}", "Ann", "argue"), f"turn {n}")
        diary.say(ask(f"{floor}/interruption-{n}#1", "Ben", "bid"), f"bid {n}")
        diary.say(ask(f"{floor}/interruption-{n}#2", "Ben", "interrupt"), f"breach {n}")
        diary.say(ask(f"{floor}/score-{n}#1", "Ben", "score"), f"score {n}")
    diary.say(ask("/debate/rounds/round-1/guide#1", "Ann", "guide"), "hint")
    diary.say(ask("/debate/rounds/round-2/floor#1", "Ann", "argue"), "turn 3")
    diary.add(Halted(path="/debate/rounds", reason="enough"))
    report_data = report(diary.entries, debate="d1")
    assert [part.title for part in report_data.parts] == [
        "Round 1: the floor",
        "Round 1: the moderator's note",
        "Round 2: the floor",
    ]
    keys = [entry.event.ask.key for entry in diary.entries if isinstance(entry.event, Asked)]
    assert [turn.key for part in report_data.parts for turn in part.turns] == keys
    assert [end.path for end in report_data.parts[-1].ends] == ["/debate/rounds"]
    matches = re.findall("turn .|bid .|breach .|score .|hint", markdown(report_data).split("## The debate")[1])
    expected = [f"{word} {n}" for n in (1, 2) for word in ("turn", "bid", "breach", "score")]
    assert matches == [*expected, "hint", "turn 3"]


@pytest.mark.parametrize(
    ("act", "private"),
    [
        *((act, True) for act in ("bid", "score", "gauge", "strategy", "consent", "translate")),
        *((act, False) for act in ("vote", "summarize", "moderate", "guide", "inform", "evaluate", "reflect")),
    ],
)
def test_what_only_serves_the_debate_is_told_in_one_line(act: str, private: bool) -> None:
    question = replace(ask("/debate/step#1", "Chair", act), audience=("Chair",))
    (part,) = report(opened(ANN, CHAIR).say(question, "So.").entries, debate="d1").parts
    assert part.turns[0].private is private
    (part,) = report(opened(ANN, CHAIR).say(replace(question, audience=()), "So.").entries, debate="d1").parts
    assert not part.turns[0].private


def test_missing_open_and_empty_turns_stand_in_their_place() -> None:
    diary = opened(ANN, person("Zoe"))
    diary.add(
        Asked(ask=ask("/debate/argue#1", "Ann", "argue")), Failed(key="/debate/argue#1", kind="refused", reason="")
    )
    diary.say(ask("/debate/argue#2", "Ann", "argue"), " \n")
    diary.add(Asked(ask=ask("/debate/argue#3", "Zoe", "argue")))
    text = page(diary)
    assert "#### Ann: argument\n\n*no answer: refused*\n\n#### Ann: argument\n\n*(an empty answer)*" in text
    assert "#### Zoe: argument\n\n*no answer yet*" in text


def test_an_interjection_and_an_end_before_the_first_turn() -> None:
    diary = opened(ANN).add(
        Entered(path="/debate/rounds"),
        Interjected(by="Ann", text="Mind the budget."),
        Halted(path="/debate/rounds", reason="all 2 give the same answer"),
        Halted(path="/debate", reason="enough"),
    )
    text = page(diary)
    assert "### The debate\n\n#### Ann, from outside the debate\n\nMind the budget.\n\n" in text
    assert "*The rounds ended early: all 2 give the same answer.*\n\n*The debate ended early: enough.*" in text


def laid(act: str, text: str, fields: Fields, *about: str, anonymous: bool) -> str:
    """What the page shows under a last turn of Cid's that has been shown these turns."""
    diary = opened(ANN, BEN, person("Cid"))
    diary.say(ask("/debate/propose#1", "Ann", "propose"), "I")
    diary.say(ask("/debate/propose#2", "Ben", "propose"), "II")
    diary.say(ask("/debate/critique#1", "Ann", "critique", "/debate/propose#2"), "III")
    form = Form(name="ballot", fields=(Field(name="I vote for"),))
    last = ask(f"/debate/{act}#9", "Cid", act, *about, form=form if fields else None, anonymous=anonymous)
    return re.split(r"#### (?:T\d+ )?Cid", page(diary.say(last, text, fields)))[1].split("\n\n## ")[0]


P1, P2, C1 = "/debate/propose#1", "/debate/propose#2", "/debate/critique#1"


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        (laid("critique", "x", {}, P1, anonymous=False), ": critique on Ann's proposal\n\nx"),
        (laid("revise", "x", {}, P1, P2, C1, anonymous=False), "*On the proposals of Ann and Ben and Ann's critique.*"),
        (laid("revise", "x", {}, P1, P2, anonymous=True), "*On the proposals of Ann and Ben, shown without names.*"),
        (
            laid("revise", "B errs", {}, P1, P2, anonymous=True),
            "Proposal A is Ann's proposal and Proposal B is Ben's proposal.*\n\nB errs",
        ),
        (
            laid("revise", "Critique A is right", {}, P1, C1, anonymous=True),
            "*Shown without names: Proposal A is Ann's proposal and Critique A is Ann's critique.*",
        ),
        (laid("revise", "A day", {}, P1, P2, anonymous=True), "Ben, shown without names.*\n\nA day"),
        (laid("vote", "x", {}, P1, P2, anonymous=False), ": vote\n\nx"),
        (laid("vote", "I vote for: Ben", {"I vote for": "Ben"}, P1, P2, anonymous=False), ": vote\n\n- **Vote:** Ben"),
        (
            laid("vote", "**I vote for: Proposal A**", {"I vote for": "Proposal A"}, P2, P1, anonymous=True),
            ": vote\n\n- **Vote:** Ben's proposal (shown as Proposal A)",
        ),
        (
            laid(
                "vote",
                "Proposal A pays.\nI vote for: Proposal A.",
                {"I vote for": "Proposal A"},
                P2,
                P1,
                anonymous=True,
            ),
            "*Shown without names: Proposal A is Ben's proposal and Proposal B is Ann's proposal.*\n\n"
            "- **Vote:** Ben's proposal (shown as Proposal A)\n\nProposal A pays.",
        ),
        (
            laid("vote", "I ABSTAIN here", {"I vote for": ABSTAIN}, P1, P2, anonymous=True),
            "- **Vote:** abstains\n\nI ABSTAIN here",
        ),
        (laid("vote", "Z!!", {"I vote for": "Proposal Z"}, P1, P2, anonymous=True), "- **Vote:** Proposal Z"),
        (laid("vote", "Z so", {"Choice": "Z"}, P1, P2, anonymous=False), "- **Choice:** Z\n\nZ so"),
    ],
)
def test_turns_name_what_they_are_about(page: str, shown: str) -> None:
    assert shown in page


@pytest.mark.parametrize(
    ("text", "fields", "shown"),
    [
        ("ANSWER: a b\nSURE: yes", {"ANSWER": "a b", "SURE": True}, "- **Answer:** a b\n- **Sure:** yes"),
        ("<Verdict>go</Verdict>", {"Verdict": "go"}, "- **Verdict:** go"),
        (
            '{"out": {"points": ["a", "b"], "n": 3.50}}',
            {"points": ("a", "b"), "n": 3.5},
            "- **Points:** a; b\n- **N:** 3.5",
        ),
        ("ANSWER: a\nBut wait.", {"ANSWER": "a"}, "\n\nANSWER: a  \nBut wait."),
        ("SURE: yes, surely", {"SURE": True}, "\n\nSURE: yes, surely"),
        ("N: 3\nOne", {"N": 3}, "\n\nN: 3  \nOne"),
        (
            "A: x\nPRO_CON: y\n\nz\nC: q\nD: r",
            {"A": "x", "PRO_CON": "y\n\nz", "C": "q", "D": "r"},
            "- **A:** x\n\n**Pro con:**\n\ny\n\nz\n\n- **C:** q\n- **D:** r",
        ),
    ],
)
def test_fields_stand_for_the_text_where_they_hold_all_its_words(text: str, fields: Fields, shown: str) -> None:
    form = Form(name="f", fields=(), under="out")
    words = page(opened(ANN).say(ask("/debate/argue#1", "Ann", "argue", form=form), text, fields))
    assert f"#### Ann: argument\n\n{shown.lstrip()}\n\n## Problems" in words


def test_a_moderator_speaks_in_one_quotation() -> None:
    fields: Fields = {"SUMMARY": "Two\nlines", "STATUS": "CONTINUE"}
    diary = opened(ANN, CHAIR).say(
        ask("/debate/moderate#1", "Chair", "moderate"), "SUMMARY: Two\nlines\nSTATUS: CONTINUE", fields
    )
    assert "\n\n> **Summary:**\n>\n> Two  \n> lines\n>\n> - **Status:** CONTINUE\n\n## Problems" in page(diary)


def test_a_long_role_is_cut_over_turns_only() -> None:
    role = "Head of engineering, judges data pipelines and reliability"
    text = page(opened(replace(ANN, role=role)).say(ask("/debate/argue#1", "Ann", "argue"), "x"))
    assert "#### Ann (Head of engineering): argument\n" in text
    assert f"- **Ann:** {role}, debater\n" in text


@pytest.mark.parametrize(
    ("shares", "shown"),
    [((0.25, 0.0), ["a"]), ((0.0, 0.0), ["a", "b"])],
)
def test_answers_without_a_vote_are_told_where_no_answer_has_one(shares: tuple[float, float], shown: list[str]) -> None:
    minority = tuple(Minority(answer=name, share=share) for name, share in zip("ab", shares, strict=True))
    text = page(opened(ANN).add(Ruled(decision=Decision(status="decided", minority=minority))))
    assert [name for name in "ab" if f"**Minority answer:** {name} (nobody at the end" in text] == shown


@pytest.mark.parametrize(("length", "cut"), [(600, False), (606, True)])
def test_a_long_argument_of_a_minority_is_cut(length: int, cut: bool) -> None:
    minority = (Minority(answer="a", by=("Ann",), share=0.5, argument="words " * (length // 6)),)
    text = page(opened(ANN).add(Ruled(decision=Decision(status="decided", minority=minority))))
    assert ("words…\n" in text) is cut
