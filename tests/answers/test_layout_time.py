"""How long an answer may be; that each is read in linear time is tested in ``tests/test_linear.py``."""

import pytest

from folkmoot.answers.layout import read
from folkmoot.answers.plain_text import LIMIT, LONGEST
from tests.answers.answer_forms import ballot


def test_thoughts_do_not_count_to_the_length():
    reading = read(ballot(), f"<think>{'x' * LIMIT}</think>I vote for: Agent1")
    assert reading.fields == {"I vote for": "Agent1"}


@pytest.mark.parametrize("size", [LIMIT, LONGEST])
def test_a_longer_text_is_not_read_in_a_form(size: int):
    reading = read(ballot(), "I vote for: Agent1\n" + "x" * size)
    assert (reading.fields, reading.unread) == ({}, ("I vote for: too_large",))
    assert read(None, "x" * (size + 1)).unread == ()
