"""What stands behind a vote, in fourteen languages: what speaks against it is heard, remarks leave it alone."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from moot.reading import read_vote

DATA = tomllib.loads((Path(__file__).parent / "data" / "behind_votes.toml").read_text("utf-8"))
VOTE: Mapping[str, str] = DATA["vote"]
CANDIDATES = ("Kestrel", "Osprey", "Heron")


def choices(language: str, sentences: Sequence[str]) -> list[tuple[str, str | None]]:
    """What is booked of a vote with each of these sentences behind it, on its line and below it."""
    return [
        (sentence, read_vote(VOTE[language] + gap + sentence, CANDIDATES).choice)
        for sentence in sentences
        for gap in (" ", "\n\n")
    ]


@pytest.mark.parametrize("language", VOTE)
def test_what_speaks_against_a_vote_leaves_it_unbooked(language: str) -> None:
    assert [read for read in choices(language, DATA["against"][language]) if read[1] == "Osprey"] == []


@pytest.mark.parametrize("language", VOTE)
def test_a_remark_leaves_the_vote_as_it_is(language: str) -> None:
    assert [read for read in choices(language, DATA["harmless"][language]) if read[1] != "Osprey"] == []
