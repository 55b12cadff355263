"""A provider that does not count its tokens: whatever is shown of tokens and cost then is marked as an estimate."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.core.text import about
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Call
from tests.cli.commands import folkmoot, served, speak
from tests.models.models_kit import environment

WORDS = ("Own or rent?", "--participants", "builtin", "-m", "openai:gpt-4o-mini", "--rounds", "1")
AMOUNT = re.compile(r"(?:(about) )?(?:<?\$(?=[\d.]*[1-9])[\d.]+|\b(?=[\d.,k]*[1-9])[\d.,]+k?(?= tokens| in[, ]))")
"""Costs and tokens that are not 0, and whether they are marked."""


def silent(call: Call) -> Plan:
    return replace(speak(call), usage=None)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a debate whose tokens were counted, and then one whose tokens were not."""
    folder = tmp_path_factory.mktemp("estimated")
    for script in (speak, silent):
        with served(script) as wires:
            ran = folkmoot(folder, "run", *WORDS, **environment(wires.url))
        assert ran.exit_code == 0, ran.output
        (folder / f"{script.__name__}.txt").write_text(ran.stdout, "utf-8")
    return folder


def marks(text: str) -> Iterator[str]:
    for match in AMOUNT.finditer(text):
        yield match[1]


SHOWN = [
    ("show", "{}"),
    ("report", "{}"),
    ("report", "{}", "--format", "memo"),
    ("report", "--receipt", "{}", "--format", "md"),
    ("show", "--analysis", "{}"),
]


@pytest.mark.parametrize("words", SHOWN, ids=" ".join)
def test_amounts_that_nobody_counted_are_marked(place: Path, words: tuple[str, ...]) -> None:
    for debate, mark in (("last", "about"), ("last~1", None)):
        text = folkmoot(place, *(word.format(debate) for word in words)).stdout.split("folkmoot_receipt")[0]
        assert set(marks(text)) == {mark}, text


def test_the_box_marks_them_as_it_is_first_shown(place: Path) -> None:
    for name, mark in (("silent", "about"), ("speak", None)):
        (used,) = re.findall("used .*", (place / f"{name}.txt").read_text("utf-8"))
        assert list(marks(used)) == [mark, mark], used


def test_two_debates_side_by_side_mark_each_its_own(place: Path) -> None:
    text = folkmoot(place, "diff", "last", "last~1", COLUMNS="200").stdout
    assert set(marks(text)) == {"about", None}


def test_data_says_what_is_estimated(place: Path) -> None:
    listed = json.loads(folkmoot(place, "list", "--json").stdout)
    assert [row["estimated"] for row in listed] == [True, False]
    for debate, estimated in (("last", True), ("last~1", False)):
        receipt = json.loads(folkmoot(place, "report", "--receipt", debate, "--format", "json").stdout)
        assert (receipt["paid"]["estimated"] > 0) is estimated
        log = json.loads(folkmoot(place, "report", debate, "--format", "json_log").stdout)
        assert (log["totals"]["estimated"] > 0) is estimated


def test_a_batch_marks_them_too(place: Path) -> None:
    (place / "own.md").write_text("# Own or rent?\n", "utf-8")
    with served(silent) as wires:
        ran = folkmoot(place, "batch", "own.md", *WORDS[1:5], "-o", "out", **environment(wires.url), COLUMNS="200")
    assert ran.exit_code == 0, ran.output
    assert set(marks((place / "out" / "batch.md").read_text("utf-8"))) == {"about"}
    assert "about" in ran.stdout
    data = json.loads((place / "out" / "batch.json").read_text("utf-8"))
    assert (data["total"]["estimated"], data["debates"][0]["estimated"]) == (True, True)


def test_only_an_estimate_is_marked() -> None:
    assert (about("5", 0), about("5", 1)) == ("5", "about 5")
