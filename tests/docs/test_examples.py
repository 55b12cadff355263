"""The briefs of examples/: each is held without a model and ends well; the demonstration holds them all."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from folkmoot.cli.options import WAITING
from tests.cli.commands import EXAMPLES, QUOTES, folkmoot
from tests.kits.thoroughness import some

ROOT = EXAMPLES.parent
BRIEFS = sorted(path.name for path in EXAMPLES.iterdir() if path.is_file() and path.name != "README.md")
BY_HAND = {
    "playground.md": ("-f", "SUMMARY=All is said.", "-f", "STATUS=SETTLED", "-f", "DECISION=The town builds the hall."),
}
"""What a person answers in whose hands it lies."""
BARE = "question.txt"
"""It has no background, so the built-in debater has nothing to quote."""


def required(ask: dict[str, Any]) -> set[str]:
    """The names of the fields that an answer to this question must have."""
    form = ask["form"]
    return {field["name"] for field in form["fields"] if field["required"]} if form else set()


@pytest.mark.parametrize("name", some(BRIEFS, 3))
def test_an_example_is_held_and_ends_well(name: str, tmp_path: Path) -> None:
    ran = folkmoot(tmp_path, "run", str(EXAMPLES / name), *QUOTES, "--json", "--no-report")
    if name in BY_HAND:
        assert ran.exit_code == WAITING, ran.output
        ran = folkmoot(tmp_path, "answer", "last", *BY_HAND[name], "--quiet", "--no-report")
    assert ran.exit_code == 0, ran.output
    entries = [json.loads(line) for line in folkmoot(tmp_path, "show", "last", "--json").stdout.splitlines()]
    kinds = [entry["kind"] for entry in entries]
    assert kinds[-1] == "closed"
    assert "failed" not in kinds
    asks = {entry["body"]["ask"]["key"]: entry["body"]["ask"] for entry in entries if entry["kind"] == "asked"}
    replies = {entry["body"]["key"]: entry["body"]["reply"] for entry in entries if entry["kind"] == "replied"}
    assert replies.keys() == asks.keys()
    assert all(reply["text"] for reply in replies.values())
    if name != BARE:
        assert [key for key, ask in asks.items() if required(ask) - replies[key]["fields"].keys()] == []


@pytest.mark.parametrize("name", BRIEFS)
def test_an_example_is_planned_without_complaint(name: str, tmp_path: Path) -> None:
    ran = folkmoot(tmp_path, "check", str(EXAMPLES / name), *QUOTES, "--json")
    assert ran.exit_code == 0, ran.output
    assert json.loads(ran.stdout)["calls"]["most"] == 0


@pytest.mark.parametrize("name", BRIEFS)
def test_the_table_of_examples_names_it(name: str) -> None:
    assert f"[{name}]({name})" in (EXAMPLES / "README.md").read_text("utf-8")


def test_the_demonstration_holds_every_example() -> None:
    ran = subprocess.run(
        ["make", "--no-print-directory", "--dry-run", "demo-all"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    match_ = re.search(r"for brief in (.*?);", ran.stdout)
    assert match_ is not None
    assert sorted(match_[1].split()) == [f"examples/{name}" for name in BRIEFS]
    assert "demo-all" in subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_the_demonstration_ends_with_the_first_example_that_fails(tmp_path: Path) -> None:
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "question.txt").write_text("?", "utf-8")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "folkmoot").write_text('#!/bin/sh\necho "$2"; test "$2" != examples/b.md\n', "utf-8")
    (tmp_path / ".venv" / "bin" / "folkmoot").chmod(0o755)
    for name in ("a", "b", "c"):
        (tmp_path / "examples" / f"{name}.md").write_text("?", "utf-8")
    # The set-up counts as done: nothing is installed here.
    words = ["make", "-f", str(ROOT / "Makefile"), "-o", ".venv/run.stamp", "demo-all"]
    ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode != 0
    assert re.findall(r"^examples/.*", ran.stdout, re.MULTILINE) == ["examples/a.md", "examples/b.md"]
