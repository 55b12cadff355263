"""The argument map: which turns are claims, what they do to each other, which of them stand."""

from collections.abc import Mapping
from typing import TypeAlias

import pytest

from folkmoot.arguments.argument_map import LONGEST, ArgumentMap, argument_map, judge
from folkmoot.arguments.argument_map import SPOKEN as CARRY
from folkmoot.core.ask import Ask, Field, Form, Value
from folkmoot.core.event import Asked, Entry, Failed
from folkmoot.core.transcript import fold
from folkmoot.phases.speak import ISSUES, SPOKEN, draft, speech
from tests.report.reports import Diary, opened, person

SPEECH, DRAFT = speech(()), draft(())
REVISION = Form(name="revision", fields=(Field(name="REPLACES", kind="choice", choices=("T1",)), *SPEECH.fields))

Said: TypeAlias = tuple[str, str, Form | None, Mapping[str, Value] | str | None, tuple[int, ...]]
"""A turn: speaker, act, form, its fields or words (None: missing), the numbers of the turns laid before the speaker."""


def statement(by: str, claim: str = "", target: str = "", relation: str = "", **more: str) -> Said:
    """A turn of the form speech."""
    fields = {"CLAIM": claim, "TARGET": target, "RELATION": relation, **more}
    return by, "argue", SPEECH, {name: value for name, value in fields.items() if value}, ()


def turn(by: str, act: str, form: Form | None, values: Mapping[str, Value] | str | None, *about: int) -> Said:
    return by, act, form, values, about


def key(n: int) -> str:
    return f"/debate/rounds/round-{(n + 1) // 2}/floor#{n}"


def debate(*turns: Said) -> list[Entry]:
    diary: Diary = opened(person("Ann"), person("Ben"), person("Cid"))
    for n, (by, act, form, values, about) in enumerate(turns, start=1):
        ask = Ask(key=key(n), to=by, act=act, task="…", form=form, about=tuple(map(key, about)))
        if values is None:
            diary.add(Asked(ask=ask), Failed(key=ask.key, kind="timeout", reason="late"))
        else:
            text = values if isinstance(values, str) else " ".join(str(value) for value in values.values())
            diary.say(ask, text, {} if isinstance(values, str) else values)
    return diary.entries


def drawn(*turns: Said) -> ArgumentMap:
    return argument_map(debate(*turns))


def edges(arguments: ArgumentMap) -> list[str]:
    return [f"{edge.source} {edge.relation} {edge.target}" for edge in arguments.edges]


def claims(arguments: ArgumentMap) -> dict[str, str]:
    return {node.mark: node.claim for node in arguments.nodes}


def test_every_act_that_can_be_answered_is_on_the_map() -> None:
    assert CARRY == SPOKEN


def test_claims_and_what_they_do_to_each_other() -> None:
    arguments = drawn(
        statement("Ann", "Tea is warm.", ANSWER="tea"),
        statement("Ben", "Coffee wakes.", "T1", "ATTACK", ANSWER="coffee"),
        statement("Ann", "So does tea.", "T2", "REBUT"),
        statement("Ben", "Warmth matters.", "T1", "SUPPORT"),
        statement("Ann", "How much?", "T2", "QUESTION"),
        statement("Ben", "A cup.", "T5"),
    )
    assert claims(arguments) == {
        "T1": "Tea is warm.",
        "T2": "Coffee wakes.",
        "T3": "So does tea.",
        "T4": "Warmth matters.",
        "T5": "How much?",
        "T6": "A cup.",
    }
    assert edges(arguments) == ["T2 ATTACK T1", "T3 REBUT T2", "T4 SUPPORT T1", "T5 QUESTION T2", "T6 ANSWER T5"]
    node = arguments.node("T1")
    assert (node.by, node.stances, node.made[0].act, node.made[0].round) == (("Ann",), ("tea",), "argue", 1)
    with pytest.raises(KeyError):
        arguments.node("T9")


def test_a_transcript_is_read_like_its_entries() -> None:
    entries = debate(statement("Ann", "Tea."), statement("Ben", "Coffee.", "T1", "ATTACK"))
    assert argument_map(fold(entries)) == argument_map(entries)
    assert argument_map(()) == ArgumentMap()


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("The **cheaper** place.", "The cheaper place."),
        ("**All of it** is *calm*, see `main.py`.", "All of it is calm, see main.py."),
        ("2 * 3 * 4 is 24, and 2*3*4 too.", "2 * 3 * 4 is 24, and 2*3*4 too."),
        ("snake_case_names and ** stay.", "snake_case_names and ** stay."),
    ],
)
def test_a_claim_stands_on_the_map_without_the_marks_of_markdown(written: str, shown: str) -> None:
    assert claims(drawn(statement("Ann", written))) == {"T1": shown}


def test_the_same_claim_is_one_node_with_several_makers() -> None:
    arguments = drawn(
        statement("Ann", "Tea is warm.", ANSWER="tea"),
        statement("Ben", "“tea is WARM”", "T1", "SUPPORT", ANSWER="coffee"),
        statement("Ben", "It is not.", "T2", "ATTACK"),
        statement("Ann", "it is not", "T1", "ATTACK"),
    )
    assert claims(arguments) == {"T1": "Tea is warm.", "T3": "It is not."}
    assert arguments.node("T1").by == ("Ann", "Ben")
    assert arguments.node("T1").stances == ("tea", "coffee")
    assert edges(arguments) == ["T3 ATTACK T1"], "nobody attacks or supports the claim that he makes"
    assert arguments.edges[0].turns == ("T3", "T4")


NOTHING: list[tuple[str, Said]] = [
    ("it adds nothing", statement("Ben", "NONE", "T1", "ATTACK")),
    ("it is missing", turn("Ben", "argue", SPEECH, None)),
    ("it is another act", turn("Ben", "guide", None, "Stay on topic.")),
    ("it closes without a claim", turn("Ben", "close", DRAFT, {"ANSWER": "coffee"})),
    ("it is empty", turn("Ben", "argue", None, " ")),
]


@pytest.mark.parametrize("other", [case[1] for case in NOTHING], ids=[case[0] for case in NOTHING])
def test_what_is_no_claim_is_no_node(other: Said) -> None:
    arguments = drawn(statement("Ann", "Tea."), other, statement("Ann", "And scones.", "T2", "REBUT"))
    assert list(claims(arguments)) == ["T1", "T3"]
    assert edges(arguments) == []


@pytest.mark.parametrize(
    ("form", "answer", "claim"),
    [
        (None, "All my\nwords.", "All my words."),
        (None, "long " * 100, ("long " * 100)[: LONGEST - 1].rstrip() + "…"),
        (SPEECH, {"ARGUMENT": "The claim was not read."}, "The claim was not read."),
        (DRAFT, {"ANSWER": "tea", "ARGUMENT": "It is warm."}, "tea"),
        (ISSUES, {"ISSUE": "It is dear.", "SEVERITY": 4.0}, "It is dear."),
        (None, "!!!", "!!!"),
    ],
)
def test_what_a_turn_without_a_claim_says(form: Form | None, answer: Mapping[str, Value] | str, claim: str) -> None:
    arguments = drawn(turn("Ann", "propose", form, answer))
    assert claims(arguments) == {"T1": claim}
    assert arguments.node("T1").stances == ()


@pytest.mark.parametrize(
    ("act", "about", "edge"),
    [
        ("critique", (1,), ["T3 ATTACK T1"]),
        ("question", (2,), ["T3 QUESTION T2"]),
        ("answer", (1,), ["T3 ANSWER T1"]),
        ("interrupt", (2,), ["T3 ANSWER T2"]),
        ("critique", (1, 2), []),
        ("answer", (), []),
        ("argue", (1,), []),
    ],
)
def test_what_was_laid_before_the_speaker_is_answered(act: str, about: tuple[int, ...], edge: list[str]) -> None:
    arguments = drawn(statement("Ann", "Tea."), statement("Ben", "Coffee."), turn("Ann", act, None, "Hm.", *about))
    assert edges(arguments) == edge


def test_a_turn_that_nobody_made_is_no_target() -> None:
    assert edges(drawn(statement("Ann", "Tea.", "T9", "ATTACK"), statement("Ben", "Coffee.", "t1", "ATTACK"))) == []


# ---- revisions -----------------------------------------------------------------------------------------------------


def test_a_revision_stands_in_the_place_of_the_turn_that_it_names() -> None:
    arguments = drawn(
        statement("Ann", "Tea is warm."),
        statement("Ben", "It cools.", "T1", "ATTACK"),
        turn("Ann", "revise", REVISION, {"CLAIM": "Tea is warm at first."}),
    )
    assert [node.replaced for node in arguments.nodes] == ["T3", "", ""]
    judged = judge(arguments)
    assert judged.standing == {"T1": "replaced", "T2": "in", "T3": "in"}
    assert list(judged.strength) == ["T2", "T3"]
    assert judged.unanswered == (), "what was replaced needs no defence"


def test_a_claim_that_somebody_still_holds_is_not_replaced() -> None:
    both = statement("Ann", "Tea is warm."), statement("Ben", "Tea is warm.")
    arguments = drawn(*both, turn("Ann", "revise", REVISION, {"CLAIM": "Tea is hot."}))
    assert arguments.node("T1").replaced == ""


LATER = Form(name="revision", fields=(Field(name="REPLACES", kind="choice", choices=("T3",)), *SPEECH.fields))
NO_REVISIONS: list[tuple[str, Said]] = [
    ("another's turn", turn("Ben", "revise", REVISION, {"CLAIM": "Coffee."})),
    ("the same claim", turn("Ann", "revise", REVISION, {"CLAIM": "tea"})),
    ("nothing to say", turn("Ann", "revise", REVISION, {"CLAIM": "NONE"})),
    ("a turn to come", turn("Ann", "revise", LATER, {"CLAIM": "Coffee."})),
    ("words that nobody asked for", statement("Ann", "Coffee.", REPLACES="T1")),
    ("a turn that is no revision", turn("Ann", "argue", REVISION, {"CLAIM": "Coffee."})),
]


@pytest.mark.parametrize("other", [case[1] for case in NO_REVISIONS], ids=[case[0] for case in NO_REVISIONS])
def test_what_replaces_nothing(other: Said) -> None:
    arguments = drawn(statement("Ann", "Tea."), other, statement("Ann", "Scones."))
    assert [node.replaced for node in arguments.nodes] == [""] * len(arguments.nodes)


def test_a_revised_proposal_replaces_its_authors_newest_one() -> None:
    arguments = drawn(
        turn("Ann", "propose", DRAFT, {"ANSWER": "tea"}),
        turn("Ben", "propose", DRAFT, {"ANSWER": "coffee"}),
        turn("Ann", "revise", DRAFT, {"ANSWER": "water"}),
        turn("Ann", "revise", DRAFT, {"ANSWER": "tea"}),
        turn("Cid", "revise", DRAFT, {"ANSWER": "milk"}),
    )
    assert {node.claim: node.replaced for node in arguments.nodes} == {
        "tea": "",
        "coffee": "",
        "water": "T1",
        "milk": "",
    }


# ---- what stands ---------------------------------------------------------------------------------------------------


def test_which_claims_stand_and_what_was_not_answered() -> None:
    arguments = drawn(
        statement("Ann", "Tea is warm."),
        statement("Ben", "It cools.", "T1", "ATTACK"),
        statement("Ann", "Not in a flask.", "T2", "REBUT"),
        turn("Ben", "question", None, "Who has a flask?", 3),
        statement("Ann", "Warm drinks soothe.", "T1", "SUPPORT"),
    )
    judged = judge(arguments)
    assert judged.standing == {"T1": "in", "T2": "out", "T3": "in", "T4": "question", "T5": "in"}
    assert judged.strength["T2"] < 0.5 < judged.strength["T1"]
    assert "T4" not in judged.strength
    assert judged.settled
    assert [(edge.source, edge.relation) for edge in judged.unanswered] == [("T3", "REBUT"), ("T4", "QUESTION")]


def test_a_question_that_was_answered_is_not_open() -> None:
    arguments = drawn(
        statement("Ann", "Tea."), turn("Ben", "question", None, "Why?", 1), turn("Ann", "answer", None, "So.", 2)
    )
    assert judge(arguments).unanswered == ()


def test_opponents_who_only_attack_each_other_leave_it_undecided() -> None:
    arguments = drawn(
        statement("Ann", "Tea."), statement("Ben", "Coffee.", "T1", "ATTACK"), statement("Ann", "Tea!", "T2", "ATTACK")
    )
    assert judge(arguments).standing == {"T1": "undecided", "T2": "undecided"}
