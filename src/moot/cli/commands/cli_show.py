"""``moot show``. This file owns how a record is played in the terminal: at once, in its own time, or as it grows."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click
import rich_click

from moot.cli.options import complete_debate, finish, open_desk, store_option

if TYPE_CHECKING:
    from moot.app.run.workspace import Desk
    from moot.core.event import Entry

LONGEST = 20.0
"""Seconds of silence in a record that are played at most, before the speed is taken off."""


class ShowOptions(TypedDict):
    """The options as they were typed."""

    speed: str
    follow: bool
    numbers: bool
    mode: str | None
    store: Path | str | None


@rich_click.command()
@click.argument("debate", shell_complete=complete_debate)
@click.option(
    "--speed",
    type=click.Choice(["1", "4", "16", "max"]),
    default="max",
    help="Play in the record's own time, so many times faster.",
)
@click.option("--follow", is_flag=True, help="Go on as long as the debate runs.")
@click.option("--numbers", is_flag=True, help="With each turn its mark and its entry, for moot fork.")
@click.option("--json", "mode", flag_value="json", help="The entries of the record as JSON lines.")
@click.option("--plain", "mode", flag_value="plain", help="Plain lines, as where the output is no terminal.")
@store_option
def show(debate: str, **given: Unpack[ShowOptions]) -> int:
    """Show a debate from its record.

    DEBATE is its id, the beginning of it, or "last".
    """
    return finish(_show(debate, given))


async def _show(name: str, given: ShowOptions) -> int:
    from moot.app.export.reports import recount
    from moot.app.run.meanwhile import Meanwhile
    from moot.app.run.outcome import opening, outcome
    from moot.app.run.question import open_asks
    from moot.cli.display.output import Face
    from moot.cli.terminal import watch
    from moot.core.transcript import fold

    async with open_desk(given["store"], reading=True) as desk:
        debate = await desk.find(name)
        entries = await desk.entries(debate)
        in_time = given["speed"] != "max"
        still, planned = not (in_time or given["follow"]), await desk.count_asks(debate)
        face = Face(given["mode"] or "", still=still, planned=planned, numbers=given["numbers"])
        face.announce(debate, opening(debate, entries))
        with face:
            if in_time:
                async for entry, line in _paced(desk, debate, entries, float(given["speed"])):
                    face.viewer.take(entry, line)
                    face.viewer.tick()
            after = len(entries) if in_time else 0
            if given["follow"] or not in_time:
                await watch(desk, debate, face.viewer, after=after, live=given["follow"])
        found = await recount(desk, debate)
        outside = await (await Meanwhile.of(desk, debate)).more()
        face.conclude(found.report, outcome(debate, fold(found.entries)), {}, await open_asks(desk, debate), outside)
        return 0


async def _paced(
    desk: "Desk", debate: str, entries: "tuple[Entry, ...]", speed: float
) -> "AsyncIterator[tuple[Entry, str]]":
    """The entries with their lines, with the record's own pauses between them."""
    import asyncio

    before = entries[0].at
    for entry, line in zip(entries, await desk.lines(debate), strict=False):
        await asyncio.sleep(max(0.0, min(entry.at - before, LONGEST)) / speed)
        before = entry.at
        yield entry, line
