"""The author's last word: long texts, what stands in another field, and what is said of another candidate."""

import pytest

from moot.answers.layout import read
from moot.answers.plain_text import LIMIT, LONGEST
from moot.core.ask import ABSTAIN, Field, Form
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
