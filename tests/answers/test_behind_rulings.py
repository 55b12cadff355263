"""What stands below a moderator's decision, in fourteen languages: taken back, politeness, or a part of it."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from folkmoot.reading import Ruling, read_ruling

LANGUAGES: Mapping[str, Mapping[str, list[str]]] = tomllib.loads(
    (Path(__file__).parent / "data" / "behind_rulings.toml").read_text("utf-8")
)
GAPS = ("\n\n", "\n", " ")
RULED = "\n\n---\n"


def _ruling(decision: object, gap: str, below: str) -> Ruling:
    return read_ruling(f"SUMMARY: Both spoke.\nSTATUS: SETTLED\nDECISION: {decision}{gap}{below}")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_ruling_that_is_taken_back_below_is_none(language: str) -> None:
    words = LANGUAGES[language]
    rulings = {
        (below, gap): _ruling(words["decision"], gap, below) for below in words["taken_back"] for gap in (*GAPS, RULED)
    }
    assert len(rulings) >= 24
    assert [key for key, ruling in rulings.items() if (ruling.status, ruling.decision) != (None, None)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_politeness_below_a_decision_is_no_part_of_it(language: str) -> None:
    words = LANGUAGES[language]
    decisions = {below: _ruling(words["decision"], "\n\n", below).decision for below in words["courtesies"]}
    assert decisions == dict.fromkeys(words["courtesies"], words["decision"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_belongs_to_a_decision_stays_with_it(language: str) -> None:
    words = LANGUAGES[language]
    whole = [f"{words['decision']}{gap}{below}" for below in words["kept"] for gap in GAPS]
    assert [text for text in whole if _ruling(text, "", "").decision != text] == []
