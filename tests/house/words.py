"""Words that must not be in the repository, and docstrings that must be there."""

import ast
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.house.source import ROOT, Breach, Source, nodes

UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|NotImplementedError)\b")
SHUNNED = re.compile(r"(Manager|Handler|Utils|Helper)$|^Base[A-Z]|^I[A-Z][a-z]")

RIDDLES = frozenset(
    {"each", "found", "given", "held", "told", "said", "made", "kept", "taken", "asked", "heard", "seen"}
)
"""Names that do not say what a variable holds. Fields and methods may have them: records keep theirs for ever."""

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
            if match_ := UNFINISHED.search(line):
                yield source.breach(number, f"{match_[0]}: finish it or delete it")


def check_docstring(source: Source) -> Iterator[Breach]:
    """Every module says what it is for, without a formula; an empty file needs no words."""
    words = ast.get_docstring(source.tree) or ""
    if source.text.strip() and not words:
        yield source.breach(1, "no docstring: say what this file is for")
    if ("This file " + "owns") in words:
        yield source.breach(1, "a formula: say what this file is for")


def check_names(source: Source) -> Iterator[Breach]:
    """Types have the names of things, not of patterns."""
    for node in nodes(source.tree):
        if source.module and isinstance(node, ast.ClassDef) and SHUNNED.search(node.name):
            yield source.breach(node.lineno, f"{node.name}: name the thing, not the pattern")


def check_variables(source: Source) -> Iterator[Breach]:
    """Variables, parameters and functions are named by what they hold or do."""
    fields = {id(part) for node in nodes(source.tree) if isinstance(node, ast.ClassDef) for part in _own(node)}
    for node in nodes(source.tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                pass
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                pass
            case ast.MatchAs(name=name) | ast.ExceptHandler(name=name):
                pass
            case _:
                continue
        if name in RIDDLES and id(node) not in fields:
            yield source.breach(node.lineno, f"{name}: say what it holds")


def _own(node: ast.ClassDef) -> Iterator[ast.AST]:
    """The fields and methods of a class."""
    for statement in node.body:
        yield statement
        match statement:
            case ast.AnnAssign(target=target):
                yield target
            case ast.Assign(targets=targets):
                yield from targets
            case _:
                pass


def check_foreign(path: str, text: str) -> Iterator[Breach]:
    """No path of one machine, no download address, no word from elsewhere."""
    for number, line in enumerate(text.splitlines(), 1):
        for word, pattern in FOREIGN.items():
            if match_ := pattern.search(line):
                yield Breach(path=path, line=number, text=f"{word}: {match_[0]}")


def read_tracked(root: Path = ROOT) -> Iterator[tuple[str, str]]:
    """Path and text of every file under version control that is text."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        path = root / name
        if path.is_file() and b"\0" not in (raw := path.read_bytes())[:8192]:
            yield name, raw.decode("utf-8", "replace")
