"""How long a reading takes: every text at the limit, in every form, with and without a vote before it."""

from itertools import product

import pytest

from folkmoot.answers.layout import read
from folkmoot.answers.plain_text import LIMIT, LONGEST
from folkmoot.core.ask import Form
from tests.answers.answer_forms import ballot, draft, marks, scaffold, settlement
from tests.kits.clock import within
from tests.kits.thoroughness import some

NAMES = tuple(f"Agent{number}" for number in range(1, 30))
FORMS: tuple[Form | None, ...] = (
    ballot(NAMES),
    ballot(("Proposal A", "Proposal B", "Proposal C"), strict=True),
    scaffold(),
    settlement(),
    marks(),
    draft(),
    None,
)
UNITS = (
    *("\n", " \n", "\r", "\r\n", "\t", " ", "```\n", "~~~\n", "| a | b |\n", "> \n", "\u3000\n", ". \n", ".\n\n"),
    *("I vote for: Agent1\n", "I vote for: ", "my ballot: ", "에게 투표합니다", "Agent1に投票します。", "I abstain. "),
    *("B ", "B, ", "or B. ", "Rather B.\n", "make it ", "if ", "is void ", "my vote ", "withdraw ", "wait "),
    *(
        '{"scores":{"Agent1":1}}',
        '{"scores":{"Agent1":1,"Agent2":2}}\n',
        '{"a":',
        "Example:\n",
        "    STATUS: SETTLED\n",
    ),
    *("STATUS: SETTLED\n", "CONFIDENCE: 0.5\n", "[Bear]:\n", "0.9 (no: 0.1)\n", "<Verdict>", "<think>", "²", "e\u0301"),
)


BEGINNINGS = ("", "I vote for: Agent1\n", "I vote for: Proposal A", "SUMMARY: x\nSTATUS: SETTLED\nDECISION: Buy.\n")


@pytest.mark.parametrize(("unit", "before"), some(list(product(UNITS, BEGINNINGS))[::8], 4))
def test_every_text_at_the_limit_is_read_in_half_a_second(unit: str, before: str):
    behind = "\nSTATUS: SETTLED"
    text = before + (unit * LIMIT)[: LIMIT - len(before) - len(behind)] + behind
    for form in FORMS:
        with within(0.5):
            read(form, text, speaker="Agent3")


@pytest.mark.parametrize("unit", ["<think>", "</think>", "<think>a</think>", "\r", "x", "<|channel|>a<|message|>"])
def test_every_text_with_long_thoughts_is_read_in_half_a_second(unit: str):
    text = (unit * LONGEST)[:LONGEST]
    for form in FORMS:
        with within(0.5):
            read(form, text, speaker="Agent3")


@pytest.mark.parametrize("unit", ["x ", "I was ", "whatever you say "])
def test_a_sentence_without_end_behind_a_message_is_read_in_half_a_second(unit: str):
    message = "<Message><Verdict>HIRE</Verdict><Content>Yes.</Content></Message>\n"
    with within(0.5):
        reading = read(scaffold(), message + (unit * LIMIT)[: LIMIT - len(message)])
    assert reading.fields["Content"] == "Yes."


@pytest.mark.parametrize("unit", ["---\n", "status ", "status ---\n", "_ "])
def test_a_ruling_of_nothing_but_marks_is_read_in_half_a_second(unit: str):
    with within(0.5):
        read(settlement(), (unit * LIMIT)[:LIMIT])


def test_thoughts_do_not_count_to_the_length():
    reading = read(ballot(), f"<think>{'x' * LIMIT}</think>I vote for: Agent1")
    assert reading.fields == {"I vote for": "Agent1"}


@pytest.mark.parametrize("size", [LIMIT, LONGEST])
def test_a_longer_text_is_not_read_in_a_form(size: int):
    reading = read(ballot(), "I vote for: Agent1\n" + "x" * size)
    assert (reading.fields, reading.unread) == ({}, ("I vote for: too_large",))
    assert read(None, "x" * (size + 1)).unread == ()
