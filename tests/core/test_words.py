"""A number with its noun, in singular or plural, as sentences need it; shares and lengths of time."""

import json

import pytest

from folkmoot.core.labels import duration
from folkmoot.core.text import counted, percent
from tests.paths import ROOT

DURATIONS = json.loads((ROOT / "frontend/tests/durations.json").read_text())


@pytest.mark.parametrize(
    ("n", "noun", "plural", "words"),
    [
        (1, "debater", "", "1 debater"),
        (2, "debater", "", "2 debaters"),
        (0, "entry", "", "0 entries"),
        (1200, "key", "", "1,200 keys"),
        (1.0, "second", "", "1 second"),
        (0.5, "second", "", "0.5 seconds"),
        (2, "try", "attempts", "2 attempts"),
        (3, "match", "", "3 matches"),
    ],
)
def test_a_number_goes_with_its_noun(n: float, noun: str, plural: str, words: str) -> None:
    assert counted(n, noun, plural) == words


@pytest.mark.parametrize(("share", "words"), [(0.625, "63%"), (0.375, "38%"), (2 / 3, "67%"), (0, "0%"), (1, "100%")])
def test_a_share_is_rounded_as_on_the_page(share: float, words: str) -> None:
    assert percent(share) == words


@pytest.mark.parametrize(("seconds", "words"), DURATIONS)
def test_a_length_of_time_is_said_as_on_the_page(seconds: float, words: str) -> None:
    assert duration(seconds) == words
