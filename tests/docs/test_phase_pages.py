"""The pages on the eight phases say what is there: keys, commands, kinds of entries, functions; and are all alike."""

import re
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec

import click
import pytest

import doc_phases
from folkmoot.app.brief import types
from folkmoot.core.event import EVENTS
from tests.paths import ROOT
from tests.report.charts import check_chart

DOCS = ROOT / "docs"
FOLDER = DOCS / "phases"
PAGES = {path.name: path.read_text("utf-8") for path in sorted(FOLDER.glob("*.md"))}
BARE = {name: re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL) for name, text in PAGES.items()}
"""The pages without what stands in fences."""

PHASES = [name for name in PAGES if name != "index.md"]
CHAPTERS = [
    "What happens",
    "The diagram",
    "Commands and keys",
    "States and the record",
    "Formulas",
    "Try it",
    "What the evidence says",
]
KINDS = {event.__name__.lower() for event in EVENTS}
KEYS = {name for key in (*types.HEADER, *types.LIMITS, *types.PARTICIPANT) for name in (key.name, *key.aliases)}


def chapter(name: str, title: str) -> str:
    return re.split(r"^## ", BARE[name], flags=re.MULTILINE)[CHAPTERS.index(title) + 1]


def cells(name: str, title: str) -> Iterator[list[str]]:
    """The rows of the table of a chapter, without its head."""
    rows = [line for line in chapter(name, title).splitlines() if line.startswith("| ")]
    assert len(rows) > 2
    for row in rows[2:]:
        yield [cell.strip() for cell in row.strip("|").split("|")]


def code(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_there_is_a_page_for_each_phase() -> None:
    assert [name[0] for name in PHASES] == list("01234567")
    for name in PHASES:
        title = name[2:-3].capitalize()
        assert PAGES[name].startswith(f"# Phase {name[0]}: {title}\n")
        assert f"[{name[0]} {title}]({name})" in PAGES["index.md"]
    assert "(phases/index.md)" in (DOCS / "index.md").read_text("utf-8")


@pytest.mark.parametrize("name", PHASES)
def test_all_pages_have_the_same_chapters(name: str) -> None:
    assert re.findall(r"^## (.*)$", BARE[name], re.MULTILINE) == CHAPTERS
    assert "\nLimits: " in chapter(name, "What the evidence says")


@pytest.mark.parametrize("name", PAGES)
def test_the_diagram_is_that_of_the_code(name: str) -> None:
    (drawn,) = doc_phases.MARKED.findall(PAGES[name])
    assert drawn == ("whole" if name == "index.md" else name[2:-3])
    assert doc_phases.block(drawn) in PAGES[name]
    assert len(check_chart(doc_phases.DIAGRAMS[drawn]())) > 2


def test_a_page_without_marks_stays_as_it_is() -> None:
    assert doc_phases.renew("Words.\n") == "Words.\n"


@pytest.mark.parametrize("name", PHASES)
def test_keys_and_commands_are_there(name: str) -> None:
    for first, *_ in cells(name, "Commands and keys"):
        assert code(first), first
        for text in code(first):
            words = text.split()
            assert check_command(words[1:]) if words[0] == "folkmoot" else text in KEYS, text


def check_command(words: list[str]) -> bool:
    """Whether there is a command of that name with these options."""
    command = import_module("folkmoot.cli.main").main
    context = click.Context(command, info_name="folkmoot")
    for word in words:
        if word.startswith("--"):
            return any(word in param.opts for param in command.get_params(context))
        command = command.get_command(context, word)
        if command is None:
            return False
        context = click.Context(command, info_name=word, parent=context)
    return True


@pytest.mark.parametrize(("words", "there"), [(["run"], True), (["walk"], False), (["verify", "--tail"], False)])
def test_commands_that_are_not_there_are_found(words: list[str], there: bool) -> None:
    assert check_command(words) is there


@pytest.mark.parametrize("name", PHASES)
def test_states_are_kinds_of_entries(name: str) -> None:
    for _, record in cells(name, "States and the record"):
        kinds = {text for text in code(record) if text.isalpha() and text.islower() and text not in ("rank", "count")}
        assert kinds <= KINDS | {"open"}, record


@pytest.mark.parametrize("name", PHASES)
def test_formulas_have_a_source_and_live_where_it_is_said(name: str) -> None:
    for text, formula, source, where in cells(name, "Formulas"):
        assert text, formula
        assert source, text
        assert code(where), text
        for path in code(where):
            assert lives(path), path


def lives(name: str) -> bool:
    """Whether there is a module of ours of that name, or something of that name in one."""
    place, _, text = name.rpartition(".")
    module = import_module(f"folkmoot.{place}")
    return hasattr(module, text) or (hasattr(module, "__path__") and find_spec(f"folkmoot.{name}") is not None)


@pytest.mark.parametrize("name", PHASES)
def test_evidence_is_marked_by_what_it_rests_on(name: str) -> None:
    bullets = re.findall(r"^- (.*)$", chapter(name, "What the evidence says"), re.MULTILINE)
    assert bullets
    for bullet in bullets:
        assert re.match(r"\*\*(Counted|Reported|Not known):\*\*", bullet), bullet
