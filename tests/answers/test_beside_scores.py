"""What stands beside scores in fourteen languages: lines that make them none, and what people write every day."""

import tomllib
from pathlib import Path

import pytest

from folkmoot.reading import read_scores

TABLES: dict[str, dict[str, list[str]]] = tomllib.loads(
    Path(__file__).with_name("data").joinpath("scores.toml").read_text("utf-8")
)
SCORES = '{"scores": {"Nora": 7, "Otis": 5}}'
MOST_ASKED = 0.05


def is_read(kind: str, words: str) -> bool:
    row = words.replace("{n}", "Nora").replace("{r}", "Otis")
    return bool(
        read_scores(f"{row}\n{SCORES}" if kind.endswith("above") else f"{SCORES}\n\n{row}", ["Nora", "Otis"]).scores
    )


@pytest.mark.parametrize("language", TABLES)
def test_what_makes_scores_none_leaves_nothing_to_book(language: str) -> None:
    rows = [(kind, row) for kind in ("none_above", "none_behind") for row in TABLES[language][kind]]
    assert [row for kind, row in rows if is_read(kind, row)] == []


def test_everyday_words_cost_few_questions() -> None:
    rows = [(kind, row) for table in TABLES.values() for kind in ("fine_above", "fine_behind") for row in table[kind]]
    assert len([row for kind, row in rows if not is_read(kind, row)]) <= MOST_ASKED * len(rows)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        (f"Nora and Otis, both with dummy values as an example only:\n{SCORES}", False),
        (f"{SCORES}\nAdd two points to Nora.", False),
        (f"On a scale of 0 to 10:\n{SCORES}", True),
        (f"I ignored style.\n\nScores in JSON:\n{SCORES}\nThe scores reflect the evidence.", True),
    ],
)
def test_rows_beside_scores(text: str, right: bool) -> None:
    assert bool(read_scores(text, ["Nora", "Otis"]).scores) == right
