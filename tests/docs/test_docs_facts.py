"""What the pages state about commands, options, names, keys and kinds is what the code has."""

import importlib.util
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import folkmoot
from folkmoot.app.brief.types import HEADER, LIMITS, PARTICIPANT, Key
from folkmoot.cli import options
from folkmoot.cli.main import main
from folkmoot.core.extensions import KINDS as EXTENSIONS
from folkmoot.record.store import KINDS
from tests.docs.test_docs import DOCUMENTS, FENCE, ROOT

TEXTS = {path: path.read_text("utf-8") for path in DOCUMENTS}
KEYS = {name.removeprefix("limits."): key for key in HEADER + LIMITS + PARTICIPANT for name in (key.name, *key.aliases)}


def written(text: str) -> Iterator[str]:
    """The commands of Folkmoot in a page, in its blocks and within its sentences."""
    for block in FENCE.finditer(text):
        yield from re.findall(r"^\$ (folkmoot .*)$", block["body"], re.MULTILINE)
    yield from (words for words in re.findall(r"`(folkmoot [^`\n]+)`", FENCE.sub("", text)))


def options_of(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that is written, and the words after it."""
    command: click.Command = main
    context = click.Context(main, info_name="folkmoot")
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        if command.name == "eval" and "." in words[0]:  # `run` may be left out before a file
            words = ["run", *words]
        inner = command.get_command(context, words[0])
        assert inner is not None, f"there is no command {words[0]}"
        command, words = inner, words[1:]
    return command, words


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_command_and_option_of_a_page_is_there(path: Path) -> None:
    for line in written(TEXTS[path]):
        try:
            words = shlex.split(line, comments=True)[1:]
        except ValueError:  # a sentence that begins like a command
            continue
        words = words[: next((n for n, word in enumerate(words) if word in ("|", "||", "&&", ">", "…")), None)]
        command, rest = options_of([word for word in words if word != "…"])
        known = {name for param in command.params for name in (*param.opts, *param.secondary_opts)} | {"--help", "-h"}
        above = {name for param in main.params for name in param.opts}
        used = {word.partition("=")[0] for word in rest if re.match(r"--?[a-z]", word)}
        assert used <= known | above, (line, sorted(used - known))


GROUPS = {kind.group for kind in EXTENSIONS}

ATTRIBUTES = ROOT / "docs/how-to/run-a-server.md"
"""A page of names that are no names of Python."""


@pytest.mark.parametrize("path", [path for path in DOCUMENTS if path != ATTRIBUTES], ids=lambda path: path.stem)
def test_every_public_name_of_a_page_is_there(path: Path) -> None:
    for name in set(re.findall(r"`folkmoot\.([A-Za-z_]+)(?:\([^`]*\))?`", TEXTS[path])):
        if name in ("toml", "sqlite") or f"folkmoot.{name}" in GROUPS:  # files, and groups of entry points
            continue
        assert hasattr(folkmoot, name) or importlib.util.find_spec(f"folkmoot.{name}") is not None, f"folkmoot.{name}"


def test_the_table_of_entries_has_every_kind() -> None:
    page = TEXTS[ROOT / "docs/how-to/read-the-record.md"]
    rows = re.findall(
        r"^\| ((?:`[a-z]+`(?:, )?)+) \|", page.partition("| kind |")[2].partition("\n\n")[0], re.MULTILINE
    )
    assert {kind for row in rows for kind in re.findall(r"`([a-z]+)`", row)} == set(KINDS)


def test_the_bounds_in_tables_of_keys_are_those_of_the_keys() -> None:
    checked = 0
    for text in TEXTS.values():
        for name, rest in re.findall(r"^\| `([a-z_]+)`[^|]*\|(.*)$", text, re.MULTILINE):
            bounds = re.search(r"from ([\d.,]*\d) to ([\d.,]*\d)", rest)
            key = KEYS.get(name)
            if bounds and isinstance(key, Key) and key.type in (int, float):
                low, high = (float(number.replace(",", "")) for number in bounds.groups())
                assert (name, low, high) == (name, key.low, key.high)
                checked += 1
    assert checked > 20


def test_an_error_that_a_page_quotes_has_the_bounds_of_its_key() -> None:
    checked = 0
    for path, text in TEXTS.items():
        for name, low, high in re.findall(r"\b([a-z_]+) must be from ([\d.]+) to ([\d.]*\d)", text):
            key = KEYS[name]
            assert (path.name, name, float(low), float(high)) == (path.name, name, key.low, key.high)
            checked += 1
    assert checked


def test_a_sentence_that_states_the_bounds_of_a_key_has_those_of_the_program() -> None:
    checked = 0
    for path, text in TEXTS.items():
        if path.stem == "features":  # a row may name a part of the bounds
            continue
        running = re.sub(r"\n(?![\n|])", " ", text)
        for name, low, high in re.findall(
            r"`([a-z_]+)`[^`.|]{0,40}?(?<![\d.])(\d[\d,]*(?:\.\d+)?) to (\d[\d,]*(?:\.\d+)?)", running
        ):
            key = KEYS.get(name)
            if isinstance(key, Key) and key.type in (int, float):
                bounds = [float(number.replace(",", "")) for number in (low, high)]
                assert (path.name, name, *bounds) == (path.name, name, key.low, key.high)
                checked += 1
    assert checked >= 2


def test_an_option_takes_no_more_than_its_key() -> None:
    command, _ = options_of(["run"])
    for param in command.params:
        key = KEYS.get({"max_questions": "asks", "max_tokens": "tokens"}.get(param.name or "", param.name or ""))
        if key and key.type is int and isinstance(param.type, click.IntRange):
            assert param.type.max in (None, key.high)


def test_every_kind_of_value_has_words() -> None:
    page = TEXTS.get(ROOT / "docs/reference/brief-keys.md") or (ROOT / "docs/reference/brief-keys.md").read_text(
        "utf-8"
    )
    assert not re.findall(r"\| an? (?:models|texts|paths|tools|people)\b[^|]*", page)
    for row in re.findall(r"^\| `[^|]+\| ([^|]+) \|", page, re.MULTILINE):
        if row.startswith(("a list", "`provider:name`, or a list")):
            assert "characters" not in row, row


def test_the_exit_codes_of_the_first_page_are_those_of_the_command() -> None:
    table = TEXTS[ROOT / "README.md"].partition("## Exit codes")[2].partition("\n## ")[0]
    codes = {int(code): words for code, words in re.findall(r"^\| (\d+) \| (.*) \|$", table, re.MULTILINE)}
    defined = {value for name, value in vars(options).items() if name.isupper() and isinstance(value, int)}
    assert set(codes) == defined
    assert "limit" in codes[options.LIMIT]
    assert "provider" in codes[options.UNREACHABLE]
    assert "person" in codes[options.WAITING]
