"""``moot personas`` and ``moot relations``. This file owns how sums over all debates are shown."""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import click
import rich_click

from moot.cli.codes import DONE
from moot.cli.options import finish, open_memory, store_option

if TYPE_CHECKING:
    from moot.app.export.personas import Met, People
    from moot.app.run.workspace import Desk
    from moot.learn.acquaintance import Pair
    from moot.learn.personas import Persona, Share

F = TypeVar("F", "People", "Met")

Table: TypeAlias = Sequence[Sequence[str]]
"""The rows of a table; the first is its head."""

NOTHING = "Nothing was learned yet: moot learn"

NAME = 40
"""Columns of a name; what is longer is cut."""

as_json = click.option("--json", "as_json", is_flag=True, help="As JSON.")


@rich_click.command()
@as_json
@store_option
def personas(as_json: bool, store: Path | str | None) -> int:
    """Show how participants and models did over all debates.

    Participants are told apart by name and role. Of the debates that were decided, in how many the answer was chosen;
    of those whose truth is known (moot resolve), in how many it was right, with 95 % intervals.
    """
    from moot.app.export.personas import personas as read_all

    def tables(found: "People") -> "Sequence[Table]":
        return _table("participant", found.participants), _table("model", found.models)

    return _tell(read_all, tables, as_json=as_json, store=store)


def _table(title: str, found: "Sequence[Persona]") -> "Table":
    from moot.cli.display.text import short

    names = [short(each.name + (f", {each.role}" if each.role else ""), NAME) for each in found]
    head = ("debates", "answers", "missing", "changed", "won", "right")
    rows = [
        (
            f"{each.debates}",
            f"{each.answers}",
            f"{each.missing}",
            f"{each.changed}",
            _share(each.won),
            _share(each.right),
        )
        for each in found
    ]
    return [(title, *head), *((name, *row) for name, row in zip(names, rows, strict=True))]


@rich_click.command()
@as_json
@store_option
def relations(as_json: bool, store: Path | str | None) -> int:
    """Show who agreed with whom over all debates, and who changed whose answer.

    Two agreed where they ended a debate with the same answer. One moved another where that one changed its answer and
    pointed at a turn of the first, took up its critique, or took its answer over.
    """
    from moot.app.export.personas import relations as read_all

    def tables(found: "Met") -> "Sequence[Table]":
        return _pairs("participants", found.participants), _pairs("models", found.models)

    return _tell(read_all, tables, as_json=as_json, store=store)


def _tell(
    read_all: "Callable[[Desk], Awaitable[F]]",
    tables: "Callable[[F], Sequence[Table]]",
    *,
    as_json: bool,
    store: Path | str | None,
) -> int:
    """Show sums, as JSON or as tables."""

    async def read() -> F:
        async with open_memory(store) as desk:
            return await read_all(desk)

    found = finish(read())
    if as_json:
        click.echo(json.dumps(asdict(found), ensure_ascii=False, indent=2))
        return DONE
    if not found.participants:
        click.echo(NOTHING)
    for n, each in enumerate(each for each in tables(found) if len(each) > 1):
        if n:
            click.echo()
        _print(each)
    return DONE


def _pairs(title: str, found: "Sequence[Pair]") -> "Table":
    from moot.cli.display.text import short

    rows = [
        (
            f"{short(each.one, NAME)} and {short(each.other, NAME)}",
            f"{each.debates}",
            _share(each.agreed),
            f"{each.moved_other}",
            f"{each.moved_one}",
        )
        for each in found
    ]
    return [(title, "debates", "agreed", "first moved second", "second moved first"), *rows]


def _share(share: "Share") -> str:
    """``3 of 4 (30 to 95 %)``; a dash where there is nothing to count."""
    if not share.of:
        return "–"
    return f"{share.some} of {share.of} ({100 * share.low:.0f} to {100 * share.high:.0f} %)"


def _print(table: "Table") -> None:
    """A table with its names to the left and its figures to the right."""
    wide = [max(map(len, column)) for column in zip(*table, strict=True)]
    for name, *cells in table:
        figures = "  ".join(f"{cell:>{width}}" for cell, width in zip(cells, wide[1:], strict=True))
        click.echo(f"{name:<{wide[0]}}  {figures}")
