"""Words that must not be in the repository, and docstrings that must be there."""

import ast
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.house.source import ROOT, Breach, Source

UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|NotImplementedError)\b")
SHUNNED = re.compile(r"(Manager|Handler|Utils|Helper)$|^Base[A-Z]|^I[A-Z][a-z]")

# Each is put together from two halves, so that this file may be read by its own check.
FOREIGN: Mapping[str, re.Pattern[str]] = {
    "a path of one machine": re.compile(
        r"(?<![\w.])/(" + "|".join(["wo" + "rk/", "ro" + "ot/", "ho" + r"me/\w"]) + ")"
    ),
    "a download address": re.compile(
        "|".join(["index" + "-url", "find" + "-links", "files" + r"\.pythonhosted", r"pypi\.org" + "/simple"])
        + "|registry"
        + r"\.npm|\"resolved\": *\"http"
    ),
    "a word from elsewhere": re.compile(
        "|".join([r"\bwork" + "place", r"\bC" + r"EO\b", r"\bsub" + "agent", "before" + "-stop"]), re.IGNORECASE
    ),
}


def check_unfinished(source: Source) -> Iterator[Breach]:
    """Nothing is left for later."""
    if source.module:
        for number, line in enumerate(source.lines, 1):
            if found := UNFINISHED.search(line):
                yield source.breach(number, f"{found[0]}: finish it or delete it")


def check_docstring(source: Source) -> Iterator[Breach]:
    """Every module says what it is for, without a formula; an empty file needs no words."""
    words = ast.get_docstring(source.tree) or ""
    if source.text.strip() and not words:
        yield source.breach(1, "no docstring: say what this file is for")
    if ("This file " + "owns") in words:
        yield source.breach(1, "a formula: say what this file is for")


def check_names(source: Source) -> Iterator[Breach]:
    """Types have the names of things, not of patterns."""
    for node in ast.walk(source.tree):
        if source.module and isinstance(node, ast.ClassDef) and SHUNNED.search(node.name):
            yield source.breach(node.lineno, f"{node.name}: name the thing, not the pattern")


def check_foreign(path: str, text: str) -> Iterator[Breach]:
    """No path of one machine, no download address, no word from elsewhere."""
    for number, line in enumerate(text.splitlines(), 1):
        for what, pattern in FOREIGN.items():
            if found := pattern.search(line):
                yield Breach(path=path, line=number, text=f"{what}: {found[0]}")


def read_tracked(root: Path = ROOT) -> Iterator[tuple[str, str]]:
    """Path and text of every file under version control that is text."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        path = root / name
        if path.is_file() and b"\0" not in (raw := path.read_bytes())[:8192]:
            yield name, raw.decode("utf-8", "replace")
