"""Rulings that are put off, in fourteen languages: none is booked, and decisions about time are."""

import random
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from folkmoot.reading import read_ruling, read_vote
from tests.answers.ruling_grammar import DECISIONS, LAYOUTS, SUMMARIES, laid_out
from tests.kits.thoroughness import MORE

DATA = tomllib.loads((Path(__file__).parent / "data" / "postponement.toml").read_text("utf-8"))
OFF: Mapping[str, Sequence[str]] = DATA["off"]
OFF_ALONE: Mapping[str, Sequence[str]] = DATA["off_alone"]
LEADS: Mapping[str, Sequence[str]] = DATA["leads"]
NUMBER = 6_000 if MORE else 1_000
ENDED = [layout for layout in LAYOUTS if layout != "one line"]
"""The layouts in which a summary without an end is told from the label behind it."""


def generated(seed: int, number: int) -> Iterator[str]:
    """Texts of moderators that put their ruling off."""
    chance = random.Random(seed)
    for _ in range(number):
        language = chance.choice(list(OFF))
        words = chance.choice([*OFF[language], *OFF_ALONE[language]])
        if chance.random() < 0.4:
            as_is = words.startswith(("I ", "I'", "Bull")) or not words[0].isascii()
            words = chance.choice(LEADS[language]) + (words if as_is else words[0].lower() + words[1:])
        yield laid_out(chance.choice(ENDED), chance.choice(SUMMARIES), "SETTLED", words)


def test_a_ruling_that_is_put_off_is_not_booked() -> None:
    wrong = [text for text in generated(4 if MORE else 3, NUMBER) if read_ruling(text).decision is not None]
    assert wrong == []


@pytest.mark.parametrize("language", OFF)
def test_every_wording_is_known_with_and_without_a_lead(language: str) -> None:
    for words in (*OFF[language], *OFF_ALONE[language]):
        for lead in ("", LEADS[language][0]):
            ruling = read_ruling(laid_out("plain", SUMMARIES[0], "SETTLED", lead + words))
            assert ruling.decision is None, lead + words


@pytest.mark.parametrize("language", OFF)
def test_what_is_put_off_below_a_decision_is_none(language: str) -> None:
    texts = [f"Run the pilot.{mark}{words}" for words in OFF[language] for mark in (" ", "\n", "\n\n")]
    rulings = [read_ruling(laid_out("plain", SUMMARIES[0], "SETTLED", text)) for text in texts]
    assert [text for text, ruling in zip(texts, rulings, strict=True) if ruling.decision is not None] == []


@pytest.mark.parametrize("words", [*DATA["decisions"]["all"], *DECISIONS])
def test_a_decision_about_time_is_a_decision(words: str) -> None:
    for layout in ("plain", "bold"):
        ruling = read_ruling(laid_out(layout, SUMMARIES[0], "SETTLED", words))
        assert (ruling.status, (ruling.decision or "").rstrip(".。")) == ("SETTLED", words.rstrip(".。"))


VOTES: Mapping[str, str] = {
    "en": "I vote for: Agent2",
    "de": "Ich stimme für: Agent2",
    "fr": "Je vote pour : Agent2",
    "es": "Voto por: Agent2",
    "pt": "Voto em: Agent2",
    "it": "Voto per: Agent2",
    "ru": "Я голосую за: Agent2",
    "pl": "Głosuję na: Agent2",
    "zh": "我投票给：Agent2",
    "ja": "Agent2に投票します",
    "ko": "Agent2에게 투표합니다",
    "ar": "أصوت لـ Agent2",
    "hi": "मैं Agent2 को वोट देता हूँ",
    "tr": "Oyum: Agent2",
}


@pytest.mark.parametrize("language", OFF)
def test_a_vote_that_is_put_off_below_is_not_booked(language: str) -> None:
    assert read_vote(VOTES[language], ["Agent1", "Agent2"]).choice == "Agent2"
    texts = [f"{VOTES[language]}{mark}{words}" for words in OFF[language] for mark in ("\n", "\n\n", ". ")]
    assert [text for text in texts if read_vote(text, ["Agent1", "Agent2"]).choice] == []
