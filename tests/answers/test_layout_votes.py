"""Ballots in running text: what a careful human reader books, and above all what he does not."""

from folkmoot.answers.layout import read
from tests.answers.answer_forms import ballot
from tests.kits.tables import each_row, table

BOOKED = table(__file__, "layout_votes_booked.jsonl")

NOTHING = table(__file__, "layout_votes_nothing.jsonl")


@each_row(BOOKED)
def test_a_plain_vote_is_booked(text: str, vote: str):
    assert read(ballot(), text, speaker="Agent3").fields == {"I vote for": vote}


@each_row(NOTHING)
def test_everything_else_books_nothing_and_says_why(text: str):
    reading = read(ballot(), text, speaker="Agent3")
    assert reading.fields == {}
    assert len(reading.unread) == 1
    assert reading.unread[0].startswith("I vote for: ")
