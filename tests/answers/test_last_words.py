"""The author's last word: long texts, what stands in another field, and what is said of another candidate."""

import pytest

from folkmoot.answers.layout import read
from folkmoot.answers.plain_text import LIMIT, LONGEST
from folkmoot.core.ask import ABSTAIN, Field, Form
from folkmoot.reading import read_ruling
from tests.answers.answer_forms import ballot

LONG = "Agent1 made a fair point about cost, and Agent3 about risk.\n\n" * (LIMIT // 50)
DRAFT = Form(
    name="draft", fields=(Field(name="ANSWER", kind="choice", choices=("Build", "Buy")), Field(name="ARGUMENT"))
)


def vote(text: str) -> object:
    """What is booked from a ballot."""
    return read(ballot(), text).fields.get("I vote for")


def test_a_long_text_is_read_from_its_end():
    assert vote(f"I vote for: Agent1\n\n{LONG}I vote for: Agent2") == "Agent2"
    assert vote(f"{LONG}I vote for: Agent2\n\nI take that back.") is None
    assert read(ballot(), f"{LONG}I vote for: Agent1, if it is cheap.").unread == ("I vote for: conditional",)
    assert read(ballot(), LONG).unread == ("I vote for: too_large",)
    assert read(ballot(), LONG * (LONGEST // len(LONG) + 1)).unread == ("I vote for: too_large",)


@pytest.mark.parametrize("head", ["```\n", "<quote>", "<!-- "])
def test_what_began_before_the_end_of_a_long_text_may_go_on_there(head: str):
    assert vote(f"{head}{LONG}I vote for: Agent2") is None


def test_a_long_reason_without_the_formulas_colon_is_prose():
    reason = (
        "because they showed a more consistent and balanced play throughout, with both strategy and real friendships"
    )
    assert vote(f"I vote for Agent1 {reason}.") is None
    assert vote(f"I vote for: Agent1 {reason}.") == "Agent1"


BEHIND = [
    ("It is tested.\n\nOn second thought, Buy.", None),
    ("It is tested. Oops, wrong one!", None),
    ("I have changed my mind.", None),
    ("It is tested.\n\nI will decide later.", None),
    (
        "It is tested. The team that runs it has done so for years and nobody there has ever asked for another one.",
        "Build",
    ),
    ("It is tested. Buying would cost more.", "Build"),
]


@pytest.mark.parametrize(("argument", "answer"), BEHIND)
def test_the_argument_below_an_answer_may_take_it_back(argument: str, answer: str | None):
    assert read(DRAFT, f"ANSWER: Build\nARGUMENT: {argument}").fields.get("ANSWER") == answer


OTHERS = [
    ("I vote for: Agent1 — Agent2 never answered the question of cost.", "Agent1"),
    ("I vote for: Agent1 — Agent2 deserves it more.", None),
    ("I vote for: Agent1 (not Agent2, not Agent3).", "Agent1"),
    ("I vote for: Agent1 because it is cheap, but only if it ships.", None),
    ("I vote for: Agent1\n\nI change my vote to Agent2 - I misread the table.", "Agent2"),
    ("I abstain.\n\nPlease forget this.", None),
    ("Agent2 has my vote.", "Agent2"),
    ("I vote for: 🤖 Agent2 🤖", "Agent2"),
    ("I vote for: Agent2 🚫", None),
    ("I vote for: Agent2\n\nPlease ask me again next week.", None),
    ("I abstain.\n\nThank you all.", ABSTAIN),
]


@pytest.mark.parametrize(("text", "choice"), OTHERS)
def test_what_is_said_of_others_and_of_the_vote(text: str, choice: str | None):
    assert vote(text) == choice


@pytest.mark.parametrize(
    "words",
    [
        "So I would rather decide on numbers than on hopes.",
        "What would change my mind: a signed offer below 40k.",
        "We would have preferred a longer trial.",
        "I'd do so again.",
    ],
)
def test_how_somebody_decides_takes_nothing_back(words: str):
    assert read(DRAFT, f"ANSWER: Build\nARGUMENT: It is tested. {words}").fields.get("ANSWER") == "Build"
    assert vote(f"I vote for: Agent1. {words}") == "Agent1"
    ruling = read_ruling(f"SUMMARY: Both agree.\nSTATUS: SETTLED\nDECISION: Sell in June. {words}")
    assert ruling.decision == f"Sell in June. {words}"


@pytest.mark.parametrize(
    "words",
    [
        "I would rather buy than build.",
        "I would rather wait for numbers than decide on hopes.",
        "I would prefer to decide with more data than I have.",
        "I would rather decide on the final figures than on these.",
        "I would rather decide on numbers than on hopes, so ask me again tomorrow.",
        "Actually, I would rather decide on numbers than on hopes.",
        "I would have preferred another choice.",
    ],
)
def test_what_looks_like_it_may_still_take_an_answer_back(words: str):
    assert read(DRAFT, f"ANSWER: Build\nARGUMENT: It is tested. {words}").fields.get("ANSWER") is None


@pytest.mark.parametrize(
    "words",
    [
        *("Leaning towards a sale, but let us hear the Auditor first.", "We are inclined to sell.", "Ich neige dazu."),
        *("Sell in June, but the last word is not spoken.", "Verkauf, aber hören wir erst den Prüfer."),
        *("Je penche pour la vente.", "Vender, pero oigamos primero al auditor.", "Inclino-me para a venda."),
        *("Propendo per la vendita.", "Склоняюсь к продаже.", "Sprzedać, ale najpierw wysłuchajmy audytora."),
        *("出售，但先听听审计员的意见。", "売却に傾いています。", "매각 쪽으로 기울고 있습니다.", "أميل إلى البيع."),
        *("मेरा झुकाव बिक्री की ओर है।", "Satış, ama önce denetçiyi dinleyelim."),
    ],
)
def test_a_leaning_or_a_wish_to_hear_somebody_first_is_no_decision(words: str):
    assert read_ruling(f"SUMMARY: Both agree.\nSTATUS: SETTLED\nDECISION: {words}").decision is None


@pytest.mark.parametrize("words", ["First hear the residents, then build.", "Lean on the old team first."])
def test_a_plan_with_steps_is_a_decision(words: str):
    assert read_ruling(f"SUMMARY: Both agree.\nSTATUS: SETTLED\nDECISION: {words}").decision == words
