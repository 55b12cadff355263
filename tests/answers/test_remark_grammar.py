"""Remarks on the debate under DECISION, generated in fourteen languages: none is booked, and decisions are."""

from collections.abc import Sequence

import pytest

from folkmoot.answers.layout import read
from folkmoot.phases.speak import SETTLEMENT
from folkmoot.reading import read_ruling
from tests.answers.remark_grammar import Sample, samples
from tests.kits.thoroughness import MORE

NUMBER = 6_000 if MORE else 1_000


@pytest.fixture(scope="module")
def read_samples() -> Sequence[tuple[Sample, bool]]:
    """Rulings, each with whether a decision was booked of it."""
    return [(sample, read_ruling(sample.text).decision is not None) for sample in samples(16 if MORE else 15, NUMBER)]


def test_no_remark_is_booked_as_a_decision(read_samples: Sequence[tuple[Sample, bool]]) -> None:
    assert [sample.words for sample, booked in read_samples if booked and not sample.decides] == []


def test_few_decisions_need_a_question(read_samples: Sequence[tuple[Sample, bool]]) -> None:
    decisions = [(sample.words, booked) for sample, booked in read_samples if sample.decides]
    needless = [words for words, booked in decisions if not booked]
    assert len(needless) <= 0.05 * len(decisions), needless[:20]


def _decision(words: str, topic: str) -> object:
    text = f"SUMMARY: Both spoke.\nSTATUS: SETTLED\nDECISION: {words}"
    return read(SETTLEMENT, text, debate=(topic,)).fields.get("DECISION")


@pytest.mark.parametrize(
    ("words", "topic"),
    [
        ("Keep the lunch break.", "Shall the lunch break be shorter?"),
        ("Close the room at night.", "Who may use the room in the evening?"),
        ("We moved the concert to the library.", "Where shall the concert take place?"),
    ],
)
def test_words_of_the_question_speak_of_the_matter(words: str, topic: str) -> None:
    assert _decision(words, topic) == words


@pytest.mark.parametrize("words", ["오늘 날씨가 참 춥네요.", "今日は本当に寒いですね。"])
def test_who_shares_an_impression_decides_nothing(words: str) -> None:
    assert _decision(words, "Shall the pool close?") is None


def test_a_sentence_of_more_than_forty_words_is_no_remark() -> None:
    words = f"The room was warm and the chairs were soft {'and the coffee was hot ' * 8}and the light was good."
    assert _decision(words, "Shall the pool close?") == words


def test_a_long_text_of_remarks_is_no_decision() -> None:
    words = "Both speakers were eloquent. " * 12
    assert read_ruling(f"SUMMARY: x\nSTATUS: SETTLED\nDECISION: {words}").decision is None


@pytest.mark.parametrize(
    "words",
    [
        "The landlord said that the fence is his, so he pays.",
        "They agreed to sell the boat.",
        "The speakers pay 12 euros.",
        "The topic must be dropped from the syllabus.",
        "You should listen to the tenants and keep the chestnut trees.",
    ],
)
def test_what_concludes_or_settles_is_a_decision(words: str) -> None:
    assert read_ruling(f"SUMMARY: x\nSTATUS: SETTLED\nDECISION: {words}").decision == words
