"""Ballots that a careful reader does not book: unknown names, conditions, quotations, second thoughts."""

from folkmoot.answers.layout import read
from tests.answers.answer_forms import ballot
from tests.kits.tables import each_row, table

CASES = table(__file__, "layout_votes_refused_cases.jsonl")


@each_row(CASES)
def test_what_the_voter_does_not_say_plainly_is_not_booked(choices: tuple[str, ...], text: str):
    reading = read(ballot(choices), text, speaker="Agent3")
    assert reading.fields == {}
    assert len(reading.unread) == 1
