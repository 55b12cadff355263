"""Weight: a sentence behind a vote or a decision that speaks too little of the matter is asked about."""

import tomllib
from importlib.resources import files

import pytest

from folkmoot.answers.words.weight import KINDS, weighed
from folkmoot.reading import read_ruling, read_vote

LANGUAGES = ("en", "de", "fr", "es", "pt", "it", "ru", "pl", "tr", "zh", "ja", "ko", "ar", "hi")


def booked(behind: str) -> str | None:
    """What is booked of a vote with these words behind it."""
    return read_vote(f"I vote for: Ann{behind}", ["Ann", "Ben"]).choice


@pytest.mark.parametrize(
    "behind",
    [
        ". The ink dries on Thursday.",
        "\n\nKeep the slip in the drawer till our lawyer has phoned.",
        ". Pigs will be flying.",
        " — my deputy may overrule me.",
        "\n\nWhoever tallies this may look away.",
        "。球在邻居那边。",
        "\n\nالورقة في الدرج.",
        "\n\n아내에게 물어보세요.",
    ],
)
def test_what_speaks_of_no_matter_leaves_a_vote_unbooked(behind: str) -> None:
    assert booked(behind) is None


@pytest.mark.parametrize(
    "behind",
    [
        ". The figures add up.",
        "\n\nI live beside such a road, and only this plan speaks of the noise at night.",
        " — Kosten und Risiken sind geprüft.",
        ". Elle a donné des chiffres.",
        "\n\nلأن الخطة أرخص.",
        "。她给出了数据。",
        ". Zij heeft gelijk.",
        "\n\nBEGIN\nEND BALLOT",
    ],
)
def test_a_reason_leaves_a_vote_as_it_is(behind: str) -> None:
    assert booked(behind) == "Ann"


@pytest.mark.parametrize(
    ("decision", "status"),
    [
        ("The treasurer has the pen.", "SETTLED"),
        ("I find myself on both sides of this one.", "SETTLED"),
        ("Die Katze schleicht um den Brei.", "SETTLED"),
        ("Build the bridge.\n\nThose lines belong in the bin.", None),
        ("Build the bridge. My co-chair has a say.", None),
    ],
)
def test_a_ruling_of_no_matter_is_asked_about(decision: str, status: str | None) -> None:
    ruling = read_ruling(f"SUMMARY: Both spoke.\nSTATUS: SETTLED\nDECISION: {decision}")
    assert (ruling.status, ruling.decision) == (status, None)


@pytest.mark.parametrize(("sentence", "word"), [("let the zither be it", "zither"), ("还是琵琶吧", "琵琶")])
def test_words_of_the_question_are_words_of_the_matter(sentence: str, word: str) -> None:
    def is_matter(other: str) -> bool:
        return word in other

    assert weighed(sentence).matter == 0
    assert weighed(sentence, is_matter).matter == 1


def test_the_language_that_knows_most_words_counts() -> None:
    assert weighed("die kosten sind geprüft").matter == 2
    assert weighed("the bill of 40 euros").matter == 2
    assert weighed("and the plan").matter == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_kind_of_word_once(language: str) -> None:
    table = tomllib.loads(files("folkmoot.answers.words").joinpath("matter.toml").read_text("utf-8"))[language]
    for kind in (*KINDS, "turn"):
        words = table[kind].split()
        assert len(words) >= 5
        assert len(words) == len(set(words)), kind
