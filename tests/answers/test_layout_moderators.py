"""Moderators' rulings: which status a careful reader books."""

from folkmoot.answers.layout import read
from tests.answers.answer_forms import settlement
from tests.kits.tables import each_row, table

BOOKED = table(__file__, "layout_moderators_booked.jsonl")

NOTHING = table(__file__, "layout_moderators_nothing.jsonl")


@each_row(BOOKED)
def test_a_plain_status_is_booked(text: str, status: str):
    assert read(settlement(), text).fields.get("STATUS") == status


@each_row(NOTHING)
def test_everything_else_books_no_status(text: str):
    assert "STATUS" not in read(settlement(), text).fields
