"""What stands behind a vote, in fourteen languages: what speaks against it is heard, remarks leave it alone."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from folkmoot.reading import read_vote

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


@pytest.mark.parametrize(
    ("candidates", "text", "choice"),
    [
        (("Library", "Swimming pool"), "I vote for the swimming pool.", "Swimming pool"),
        (("Library", "Skate park"), "The skate park has my vote: it is the cheapest to build.", "Skate park"),
        (("Bahn", "Straßenbahn"), "Ich stimme für die Straßenbahn, weil sie die meisten befördert.", "Straßenbahn"),
        (("Library", "Skate park"), "I vote for the skate park critics.", None),
        (CANDIDATES, "I vote for: Osprey 🐘 because Heron lacks a plan.", "Osprey"),
        (CANDIDATES, "I vote for: Osprey 🐘 because I was told to, unless Heron wins.", None),
        (CANDIDATES, "1. Osprey\n2. Heron\n\nSo my first choice, and my vote, is Osprey.", "Osprey"),
        (CANDIDATES, "Mein Votum lautet: Osprey.", "Osprey"),
        (CANDIDATES, "Casting my ballot for Osprey. Heron would have been my second choice.", "Osprey"),
        (CANDIDATES, "Do il mio voto a Osprey, ma solo se i tempi sono lunghi.", None),
    ],
)
def test_articles_pictures_and_second_choices_are_known(
    candidates: Sequence[str], text: str, choice: str | None
) -> None:
    assert read_vote(text, candidates).choice == choice


@pytest.mark.parametrize(
    "text",
    [
        "Beim letzten Mal stimmte ich für Heron. Heute enthalte ich mich.",
        "En la ronda anterior voté por Heron; ahora me abstengo.",
        "В прошлый раз я голосовал за Heron, теперь воздерживаюсь.",
        "No vote from me: I abstain.",
    ],
)
def test_an_abstention_now_stands_behind_a_vote_of_an_earlier_round(text: str) -> None:
    assert read_vote(text, CANDIDATES).abstained
