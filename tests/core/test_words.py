"""A number with its noun, in singular or plural, as sentences need it."""

import pytest

from moot.core.text import counted


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
