"""Ballots that a careful reader books: names of many kinds, many languages, corrections, reasons."""

import pytest

from folkmoot.answers.layout import read
from folkmoot.core.ask import Field, Form
from tests.answers.answer_forms import AGENTS, ballot
from tests.kits.tables import each_row, table

CASES = table(__file__, "layout_votes_booked_cases.jsonl")


@each_row(CASES)
def test_what_the_voter_says_plainly_is_booked(choices: tuple[str, ...], text: str, vote: str):
    assert read(ballot(choices), text, speaker="Agent3").fields == {"I vote for": vote}


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("I pick: Agent2", "Agent2"),
        ("I select Agent2's proposal because it has tests.", "Agent2"),
        ("I select Agent2 because it has tests.", "Agent2"),
        ("After all that, I choose Agent2.", "Agent2"),
        ("I will therefore select Agent2.", "Agent2"),
        ("I vote for: Agent2", "Agent2"),
        ("**Agent2**", "Agent2"),
        ("I pick nobody", None),
        ("I will not pick Agent2.", None),
        ("If I must, I select Agent2.", None),
    ],
)
def test_whoever_decides_alone_picks_in_several_ways(text: str, choice: str | None):
    form = Form(name="pick", layout="line", fields=(Field(name="I pick", kind="choice", choices=AGENTS),))
    assert read(form, text).fields == ({"I pick": choice} if choice else {})


def test_a_name_alone_is_a_ballot_where_the_formula_is_not_asked_for_to_the_letter():
    assert read(ballot(), "Agent2.").fields == {"I vote for": "Agent2"}
    assert read(ballot(strict=True), "Agent2.").fields == {}
