"""Sentences in the place of a decision that say nothing of the matter: none is booked, and short decisions are."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from folkmoot.reading import Ruling, read_ruling

DATA = tomllib.loads((Path(__file__).parent / "data" / "undecided.toml").read_text("utf-8"))
UNDECIDED: Mapping[str, Sequence[str]] = DATA["undecided"]


def ruled(words: str) -> Ruling:
    """The ruling of a moderator who writes these words under DECISION."""
    return read_ruling(f"SUMMARY: Both spoke.\nSTATUS: SETTLED\nDECISION: {words}")


@pytest.mark.parametrize("language", UNDECIDED)
def test_nothing_is_booked_where_nothing_is_decided(language: str) -> None:
    assert [words for words in UNDECIDED[language] if ruled(words).decision is not None] == []


@pytest.mark.parametrize("words", DATA["decided"]["all"])
def test_a_decision_of_few_words_is_one(words: str) -> None:
    ruling = ruled(words)
    assert (ruling.status, (ruling.decision or "").rstrip(".。।")) == ("SETTLED", words.rstrip(".。।"))
