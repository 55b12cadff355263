"""Heads of patterns: a cue is found where it stands, although few of them are compiled for a text."""

import re
import sys
import tomllib
from importlib.resources import files
from pathlib import Path
from types import FrameType

import pytest

from folkmoot.answers.plain_text import fold
from folkmoot.answers.words import cues
from folkmoot.answers.words.heads import END, LETTER, alternatives, heads_of
from folkmoot.reading import read_ruling

TABLES: dict[str, dict[str, str]] = tomllib.loads(
    files("folkmoot.answers.words").joinpath("cues.toml").read_text(encoding="utf-8")
)
SPACED = ("en", "de", "fr", "es", "pt", "it", "pl", "tr", "ru", "ar", "hi")
TEXTS = [
    fold(text)
    for path in sorted(Path(__file__).with_name("idioms").glob("*.toml"))
    for texts in tomllib.loads(path.read_text(encoding="utf-8")).values()
    for text in [*texts][::7]
]


@pytest.mark.parametrize(
    ("pattern", "heads"),
    [
        ("later", {"later"}),
        ("no way", {"no" + END}),
        ("entscheid~", {"entsc"}),
        ("n't", {"n" + END}),
        ("(?:i|we)(?:'ve|'ll)? (?:have )?voted", {"i" + END, "we" + END}),
        ("(?:so |but )*dec(?:id|lar)e", {"so" + END, "but" + END, "decid", "decla"}),
        ("(?<!no )(?!doubtless)doubt(?:s|ful)?", {"doubt"}),
        ("^a(?:b|(?:c)?)d?", {"ab" + END, "abd" + END, "ac" + END, "acd" + END, "a" + END, "ad" + END}),
        ("some ?day", {"some" + END, "somed"}),
        ("ha+h", {"ha"}),
        ("h(?:a)*h", {"ha", "hh" + END}),
        ("ab{2}c", {"ab"}),
        ("ab{0,2}c", {"ab", "ac" + END}),
        (r"a\w+", {"a"}),
        (r"[ab]c", {""}),
        (r"\w+n't", {""}),
        ("(?:so )?.{0,30} wait", {"so" + END, ""}),
        ("यह मज़ाक", {"यह" + END}),
    ],
)
def test_heads_are_what_a_pattern_can_begin_with(pattern: str, heads: set[str]) -> None:
    assert heads_of(pattern) == heads


def test_alternatives_are_parted_outside_of_groups() -> None:
    assert alternatives(r"a(?:b|c)|[|)]d|\||e(?=f|$)") == ["a(?:b|c)", "[|)]d", r"\|", "e(?=f|$)"]


@pytest.mark.parametrize("table", TABLES)
def test_a_row_finds_what_its_whole_pattern_finds(table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cues, "OFTEN", 1_000_000)
    for language in ("ru", "ar", "hi", ""):
        rows = [row for name, row in TABLES[table].items() if (name == language if language else name in SPACED[:8])]
        bare = re.sub(r"\s+\|\s+", "|", "|".join(" ".join(row.split()) for row in rows))
        if not bare:
            continue
        clitic = "(?:و|ف)?" if language == "ar" else ""
        whole = re.compile(rf"(?<!{LETTER}){clitic}(?:{bare.replace('~', LETTER + '*')})(?!{LETTER})")
        row = cues.Row([bare], language)
        wrong = [
            text
            for text in TEXTS
            for a, b in ((row.search(text), whole.search(text)), (row.match(text), whole.match(text)))
            if (a and a.start()) != (b and b.start()) or bool(row.fullmatch(text)) != bool(whole.fullmatch(text))
        ]
        assert wrong == []


def test_a_text_of_nothing_but_cues_is_gone_through_once() -> None:
    row = cues.Row([r"many thanks|thanks|bye|\w+n't"])
    assert row.sub("-", "so thanks, many thanks don't won't bye thanksgiving") == "so -, - - - - thanksgiving"

    assert cues.Row([r"many thanks|\w+nks"]).sub("-", "many thanks, thanks") == "-, -"
    assert [row.sub("-", "a thanks") for _ in range(cues.OFTEN + 5)] == ["a -"] * (cues.OFTEN + 5)
    row = cues.Row([r"thanks|bye|\w+n't"])

    def count(size: int) -> int:
        calls = 0

        def tell(frame: FrameType, event: str, _arg: object) -> None:
            nonlocal calls
            calls += event in ("call", "c_call") and frame.f_code.co_filename == cues.__file__

        text = "thanks bye can't " * size
        sys.setprofile(tell)
        try:
            assert row.sub("", text).split() == []
        finally:
            sys.setprofile(None)
        return calls

    assert count(800) < 5 * count(200)


@pytest.mark.parametrize("unit", ["생각", "isto논의", "plutôt", "thanks "])
def test_a_decision_without_end_is_read_in_one_pass(unit: str) -> None:  # minutes, where it is not
    decision = unit * (60_000 // len(unit.encode()))
    reading = read_ruling(f"SUMMARY: All was weighed.\nSTATUS: SETTLED\nDECISION: {decision}")
    assert reading.summary == "All was weighed."
