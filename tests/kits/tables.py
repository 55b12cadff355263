"""Long tables of cases as one test each: they are collected at once, and every case that fails is told."""

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import cast

import pytest

Row = tuple[object, ...]


def table(module: str, name: str) -> Sequence[Row]:
    """The cases in a file of JSON lines, each an array, beside the test module ``module``; arrays become tuples.

    A line that begins with # says what the cases after it have in common.
    """
    text = Path(module).with_name(name).read_text("utf-8")
    return [cast("Row", _frozen(json.loads(line))) for line in text.split("\n") if line and line[0] != "#"]


def _frozen(value: object) -> object:
    return tuple(map(_frozen, cast("list[object]", value))) if isinstance(value, list) else value


def each_row(rows: Iterable[object]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Make one test of a check of one case: it is called for each row, and all the rows that fail are told.

    A row that is no tuple is the only argument.
    """
    cases = [cast("Row", row) if isinstance(row, tuple) else (row,) for row in rows]

    def decorate(check: Callable[..., None]) -> Callable[[], None]:
        def test() -> None:
            assert cases
            if failures := [line for number, row in enumerate(cases, 1) if (line := _failure(check, number, row))]:
                pytest.fail(f"{len(failures)} of {len(cases)} cases\n" + "\n".join(failures), pytrace=False)

        test.__name__, test.__qualname__, test.__doc__ = check.__name__, check.__qualname__, check.__doc__
        test.__module__ = check.__module__
        return test

    return decorate


def _failure(check: Callable[..., None], number: int, row: Row) -> str:
    try:
        check(*row)
    except Exception as error:  # noqa: BLE001
        return f"case {number}, {row!r}: {type(error).__name__}: {error}"
    return ""
