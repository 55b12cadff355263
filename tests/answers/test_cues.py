"""The file of cues: a bar that stands wrongly would make a cue that is found everywhere, or never."""

import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from itertools import pairwise

import pytest

from folkmoot.answers.words import cues

TABLES: dict[str, dict[str, str]] = tomllib.loads(
    files("folkmoot.answers.words").joinpath("cues.toml").read_text(encoding="utf-8")
)
ROWS = [(table, language, row) for table, rows in TABLES.items() for language, row in rows.items()]
_PIECES = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?(?:<?[=!]|:)|[()|]|[^\\\[()|]+")


def faults(row: str) -> Iterator[str]:
    """What is wrong with the bars of a row: nothing beside one, or a blank on one side only where that is an accident.

    Within a group a blank may belong to its word: "(?:nur |bloß )". Beside a line's end, or outside of groups, it
    cannot.
    """
    if re.search(r"\n\s*\|\S|\S\|\s*\n", row):
        yield "a bar at a line's end or start without a blank"
    joined = " ".join(row.split())
    pieces = ["|", *_PIECES.findall(joined), "|"]
    depth = 0
    for before, piece, after in zip(pieces, pieces[1:-1], pieces[2:], strict=False):
        depth += piece.startswith("(") - (piece == ")")
        if piece == "|" and depth == 0 and before[-1:].isspace() != after[:1].isspace():
            yield f"a blank on one side of the bar between {before[-20:]!r} and {after[:20]!r}"
    for before, after in pairwise(["|", *_PIECES.findall(re.sub(r"\s+\|\s+", "|", joined)), "|"]):
        if (before == "|" or before.startswith("(")) and after in ("|", ")"):
            yield f"nothing between {before} and {after}"


@pytest.mark.parametrize("table", TABLES)
def test_each_cue_has_words_and_each_bar_parts_two(table: str) -> None:
    assert {language: wrong for language, row in TABLES[table].items() if (wrong := [*faults(row)])} == {}


@pytest.mark.parametrize("table", TABLES)
def test_no_cue_is_found_in_no_words(table: str) -> None:
    patterns = cues.patterns_of(table, tuple(cues.SCRIPTS))
    assert [match for text in ("", " ", ".") for pattern in patterns if (match := pattern.search(text))] == []


def test_no_cue_of_a_script_of_its_own_is_in_ascii() -> None:
    """A text that is all in ASCII is not searched for it."""
    rows = [(place, row) for *place, row in ROWS if place[1] in ("ru", "zh", "ja", "ko", "ar", "hi")]
    cues_of = ((place, re.split(r"\s+\|\s+", " ".join(row.split()))) for place, row in rows)
    assert len(rows) > 200
    assert [(place, cue) for place, row in cues_of for cue in row if cue.isascii() and "\\u" not in cue] == []


@pytest.mark.parametrize(("text", "number"), [("Wait.", 1), ("Warte… nein", 1), ("Постой", 2), ("等等, постой", 3)])
def test_a_text_is_searched_for_the_cues_of_its_letters(text: str, number: int) -> None:
    assert len(cues.patterns_of("BACK", cues.scripts_in(text))) == number
    assert len(cues.patterns_of("BACK", tuple(cues.SCRIPTS))) == 7


@pytest.mark.parametrize(
    "row", ["| a", "a |", "a | | b", "a |\n| b", "a\n|b", "a| b", "a (?:b | | c)", "a (?: | b)", "a (?:b |) c", "(|a)"]
)
def test_a_bar_that_stands_wrongly_is_found(row: str) -> None:
    assert [*faults(row)]


@pytest.mark.parametrize(
    "row", ["a", "a | b", "a\n| b", "(?:a | b) c | d", "(?:a|b)", r"[|] x", r"a \| b", "(?<!x )y | z"]
)
def test_a_bar_that_stands_rightly_is_let_be(row: str) -> None:
    assert not [*faults(row)]
