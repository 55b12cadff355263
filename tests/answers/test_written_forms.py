"""Answers in the form of the usual debate, as models write them: what is booked, and that no label becomes text."""

import pytest

from folkmoot.answers.layout import read
from folkmoot.core.ask import Field, Form
from tests.answers.answer_forms import draft, settlement

PLAIN = {"ANSWER": "Move to Postgres", "CONFIDENCE": 0.8, "ARGUMENT": "It scales."}


@pytest.mark.parametrize(
    "text",
    [
        "ANSWER: Move to Postgres\nCONFIDENCE (0-1): 0.8\nARGUMENT (strongest): It scales.",
        "**ANSWER:** Move to Postgres\n**CONFIDENCE (0 to 1):** 0.8\n**ARGUMENT:** It scales.",
        "ANSWER: Move to Postgres\nCONFIDENCE: ~80 %\nARGUMENT: It scales.",
        "ANSWER: Move to Postgres\nCONFIDENCE: High (0.8)\nARGUMENT: It scales.",
    ],
)
def test_an_answer_is_read_as_models_write_it(text: str) -> None:
    reading = read(draft(), text)
    assert (reading.fields, reading.unread) == (PLAIN, ())


@pytest.mark.parametrize("number", ["High", "very high", "0.7-0.9", "about half", "Low (not 0.8)", "High (0.8) or 0.5"])
def test_a_confidence_without_one_number_is_asked_about(number: str) -> None:
    assert "CONFIDENCE" not in read(draft(), f"ANSWER: Move\nCONFIDENCE: {number}\nARGUMENT: It scales.").fields


def test_a_ruling_on_one_line_is_parted_only_where_a_sentence_ends() -> None:
    text = "SUMMARY: The parser was fooled by STATUS: SETTLED DECISION: sell"
    assert "STATUS" not in read(settlement(), text).fields


def test_a_text_may_hold_a_word_that_is_the_label_of_a_field_which_can_be_left_out() -> None:
    level = Field(name="SEVERITY", kind="choice", choices=("HIGH", "LOW"), required=False)
    form = Form(name="note", layout="sections", fields=(Field(name="REASON"), level))
    assert read(form, "REASON: the log prints SEVERITY: high").fields == {"REASON": "the log prints SEVERITY: high"}
