"""How much is tried: some of many cases in `make test`, all of them in `make test-all`, which sets FOLKMOOT_MORE."""

import ast
import functools
import os
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

MORE = bool(os.environ.get("FOLKMOOT_MORE"))

STEP = 1 if MORE else 7
"""Of so many places at which a debate can be cut, one is tried."""


def some(cases: Iterable[T], step: int) -> list[T]:
    """One of so many cases in `make test`, all in `make test-all`."""
    return list(cases)[:: 1 if MORE else step]


_SOURCES = frozenset({"MORE", "STEP", "some", "resume_everywhere"})
"""Names whose users try more under FOLKMOOT_MORE."""


@functools.cache
def with_many_cases(path: Path) -> AbstractSet[str]:
    """What a file defines that uses one of ``_SOURCES``, by itself or by something else that the file defines."""
    text = path.read_text("utf-8")
    if "tests.kits" not in text or not any(name in text for name in _SOURCES):
        return frozenset()
    body = ast.parse(text).body
    uses = {name: used for part in body if (used := _used(part)) for name in _defined(part)}
    names = {alias.name for part in body if isinstance(part, ast.ImportFrom) for alias in part.names} & _SOURCES
    while users := {name for name, used in uses.items() if used & names} - names:
        names |= users
    return names


def _used(part: ast.stmt) -> set[str]:
    if isinstance(part, ast.Import | ast.ImportFrom):
        return set()
    return {node.id for node in ast.walk(part) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def _defined(part: ast.stmt) -> set[str]:
    if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {part.name}
    return {node.id for node in ast.walk(part) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
