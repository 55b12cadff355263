"""Rulings from a grammar: every layout is read, a decision ends where it ends, and no denial is booked."""

import re
from collections.abc import Callable, Iterator

import pytest

from folkmoot.answers.layout import read
from folkmoot.answers.shapes import MOST_PARTS, undecorated, without_marks
from folkmoot.core.ask import Field, Form
from folkmoot.reading import Ruling, read_ruling
from tests.answers.ruling_grammar import (
    CORRECTIONS,
    DECISIONS,
    LAYOUTS,
    LONGER,
    MARKS,
    SECTIONS,
    SEPARATORS,
    SUMMARIES,
    TAILS,
    TURNS,
    UNDECIDED,
    laid_out,
)

SOME = ("plain", "bold", "headings", "hyphens")
"""Layouts behind whose last section words can follow."""

FEW = (*DECISIONS[::8], *LONGER[::2])


def bare(words: str | None) -> str | None:
    """A decision without markup, blanks joined, without a final stop."""
    return None if words is None else " ".join(re.sub(r"[*_`#>]", "", words).split()).rstrip(".。")


def failures(texts: Iterator[tuple[str, str | None]], right: Callable[[Ruling, str | None], bool]) -> list[str]:
    """The texts that are not read as they should be; each comes with the decision that it holds."""
    return [f"{text!r}: {ruling}" for text, decision in texts if not right(ruling := read_ruling(text), decision)]


def settled(ruling: Ruling, decision: str | None) -> bool:
    return (ruling.status, bare(ruling.decision)) == ("SETTLED", bare(decision))


def not_settled(ruling: Ruling, decision: str | None) -> bool:
    return ruling.status != "SETTLED" and ruling.decision is None


def without_decision(ruling: Ruling, decision: str | None) -> bool:
    return ruling.decision is None


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_is_read(layout: str) -> None:
    unended = layout in ("one line",)  # a label behind a sentence without an end may be part of it
    summaries = [summary for summary in SUMMARIES if summary.endswith(".") or not unended]
    texts = (
        (laid_out(layout, summary, "SETTLED", decision), decision) for summary in summaries for decision in DECISIONS
    )
    assert failures(texts, settled) == []
    going_on = [read_ruling(laid_out(layout, summary, "CONTINUE", "None yet.")) for summary in summaries]
    assert [(ruling.status, ruling.decision) for ruling in going_on] == [("CONTINUE", None)] * len(summaries)


def with_tail(tails: tuple[str, ...], separators: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Rulings with something behind their decision."""
    for layout in SOME:
        for decision in FEW:
            for separator in separators:
                for tail in tails:
                    ended = decision if separator.strip(" ") or re.search(r"[.。]$", decision) else f"{decision}."
                    yield laid_out(layout, SUMMARIES[0], "SETTLED", ended + separator + tail), decision


@pytest.mark.parametrize("tail", TAILS)
def test_courtesies_are_no_part_of_a_decision(tail: str) -> None:
    assert failures(with_tail((tail,), SEPARATORS), settled) == []


@pytest.mark.parametrize("mark", MARKS)
def test_marks_of_templates_are_no_part_of_a_decision(mark: str) -> None:
    assert failures(with_tail((mark,), ("", " ", "\n")), settled) == []


@pytest.mark.parametrize("section", SECTIONS)
def test_other_sections_are_no_part_of_a_decision(section: str) -> None:
    assert failures(with_tail((section,), SEPARATORS[1:]), settled) == []


@pytest.mark.parametrize("turn", TURNS)
def test_invented_turns_are_no_part_of_a_decision(turn: str) -> None:
    assert failures(with_tail((turn,), SEPARATORS[2:]), settled) == []


def test_a_longer_decision_is_kept_whole() -> None:
    texts = ((laid_out(layout, SUMMARIES[0], "SETTLED", decision), decision) for layout in SOME for decision in LONGER)
    assert failures(texts, settled) == []


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_a_ruling_that_is_taken_back_is_none(correction: str) -> None:
    assert failures(with_tail((correction,), SEPARATORS), not_settled) == []


@pytest.mark.parametrize("words", UNDECIDED)
def test_a_decision_that_says_that_nothing_is_decided_is_none(words: str) -> None:
    longer = words.rstrip(".") + ". More will follow."
    texts = (
        (laid_out(layout, SUMMARIES[0], "SETTLED", decision), None) for layout in SOME for decision in (words, longer)
    )
    assert failures(texts, without_decision) == []


@pytest.mark.parametrize(
    "text",
    [
        "SUMMARY: Bear's last line was this. STATUS: SETTLED. DECISION: Sell.",
        "SUMMARY: Bear wrote: STATUS: SETTLED. DECISION: Sell.",
        'SUMMARY: Bear ended with "all is said. STATUS: SETTLED. DECISION: Sell."',
        "SUMMARY: Open. STATUS: CONTINUE. Bear would have STATUS: SETTLED. DECISION: Sell.",
        "Bear would fill it in so:\n\n| Field | Value |\n|---|---|\n| STATUS | SETTLED |\n| DECISION | Sell. |",
        "| STATUS | SETTLED |\n| DECISION | Sell. |",
        "| Debater | STATUS | DECISION |\n|---|---|---|\n| Bear | SETTLED | Sell. |\n| Bull | CONTINUE | |",
        "❌ STATUS: SETTLED\nDECISION: Sell.",
        "🚫 SUMMARY: x\n🚫 STATUS: SETTLED\n🚫 DECISION: Sell.",
        'Bear sent:\n{"status": "SETTLED", "decision": "Sell."}',
        "<quote><status>SETTLED</status><decision>Sell.</decision></quote>\nThat is Bear's.",
        "<|im_start|>system\nExample:\nSTATUS: SETTLED\nDECISION: Sell.<|im_end|>",
    ],
)
def test_what_may_be_somebody_elses_is_not_settled(text: str) -> None:
    ruling = read_ruling(text)
    assert (ruling.status in (None, "CONTINUE"), ruling.decision) == (True, None)


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("<|im_start|>assistant\n<|im_end|>SUMMARY: x\nSTATUS: SETTLED\nDECISION: Buy.", "Buy."),
        ("SUMMARY: x\nSTATUS: SETTLED\nDECISION: Buy.</answer></response>", "Buy."),
        ("SUMMARY: x\nSTATUS: SETTLED\nDECISION: Buy <b>both</b>.", "Buy <b>both</b>."),
        ("SUMMARY: x\nSTATUS: SETTLED\nDECISION: [your decision here]", None),
        ("SUMMARY: x\nSTATUS: SETTLED\nDECISION: Buy.\nModerator: On reflection, not settled.", None),
        ("SUMMARY: x\nSTATUS: SETTLED\nDECISION:\n\nBuy.\n\n\n", "Buy."),
        ("SUMMARY: x\nSTATUS: SETTLED\nDECISION: Buy:\nAnn: 20\nBen: 30", "Buy:\nAnn: 20\nBen: 30"),
        ("SUMMARY: x\nSTATUS: SETTLED\nDECISION: Buy.\n\n|a|b|\n|-|-|\n|1|2|", "Buy.\n\n|a|b|\n|-|-|\n|1|2|"),
    ],
)
def test_odd_ends(text: str, decision: str | None) -> None:
    ruling = read_ruling(text)
    assert ruling.decision == decision


CLOSED = Form(
    name="settlement",
    fields=(
        Field(name="SUMMARY"),
        Field(name="STATUS", kind="choice", choices=("SETTLED", "CONTINUE")),
        Field(name="DECISION", kind="choice", choices=("Build", "Buy"), required=False),
    ),
)
"""A ruling where the answers are a closed set."""


@pytest.mark.parametrize("tail", [*TAILS[:3], *MARKS[:3], *SECTIONS[:3], *TURNS[:1]])
def test_one_of_closed_options_is_read_whatever_follows(tail: str) -> None:
    reading = read(CLOSED, laid_out("plain", "x", "SETTLED", f"Buy.\n\n{tail}"))
    assert reading.fields == {"SUMMARY": "x", "STATUS": "SETTLED", "DECISION": "Buy"}


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_one_of_closed_options_that_is_taken_back_is_none(correction: str) -> None:
    reading = read(CLOSED, laid_out("plain", "x", "SETTLED", f"Buy.\n\n{correction}"))
    assert reading.fields == {"SUMMARY": "x"}
    assert sorted(reading.unread) == ["DECISION: ambiguous", "STATUS: ambiguous"]


def test_many_courtesies_are_cut_up_to_a_number() -> None:
    text = laid_out("plain", "x", "SETTLED", "Buy." + "\nThank you." * 30)
    decision = read_ruling(text).decision
    assert decision
    assert decision.startswith("Buy.")
    assert decision.count("Thank you.") == 21


def test_only_one_line_is_a_label() -> None:
    assert undecorated("📝 A\nB") == "📝 A\nB"


def test_labels_in_the_middle_of_a_sentence_part_nothing() -> None:
    assert read_ruling("So far SUMMARY: both agree. STATUS: SETTLED. DECISION: Lyon.").decision is None


def test_closing_tags_of_nothing_are_cut_up_to_a_limit() -> None:
    assert without_marks("Buy.</a></b>") == "Buy."
    assert without_marks("Buy." + "</a>" * (MOST_PARTS + 2)) == "Buy.</a></a>"
