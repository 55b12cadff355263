"""``moot show``. This file owns how a record is played in the terminal: at once, in its own time, or as it grows.

``moot recount``. This file owns how a recount is shown.
"""

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click
import rich_click

from moot.cli.options import DONE, complete_debate, finish, open_workspace, store_option

if TYPE_CHECKING:
    from rich.console import RenderableType

    from moot.app.export.recount import Counted, Recounted
    from moot.app.run.workspace import Workspace
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
    from moot.app.export.reports import read_record
    from moot.app.run.outcome import opening, outcome
    from moot.app.run.people import Meanwhile, open_asks
    from moot.cli.display.output import Face
    from moot.cli.terminal import watch
    from moot.core.transcript import fold

    async with open_workspace(given["store"], reading=True) as workspace:
        debate = await workspace.find(name)
        entries = await workspace.entries(debate)
        in_time = given["speed"] != "max"
        still, planned = not (in_time or given["follow"]), await workspace.count_asks(debate)
        face = Face(given["mode"] or "", still=still, planned=planned, numbers=given["numbers"])
        face.announce(debate, opening(debate, entries))
        with face:
            if in_time:
                async for entry, line in _paced(workspace, debate, entries, float(given["speed"])):
                    face.viewer.take(entry, line)
                    face.viewer.tick()
            after = len(entries) if in_time else 0
            if given["follow"] or not in_time:
                await watch(workspace, debate, face.viewer, after=after, live=given["follow"])
        found = await read_record(workspace, debate)
        outside = await (await Meanwhile.of(workspace, debate)).more()
        face.conclude(
            found.report, outcome(debate, fold(found.entries)), {}, await open_asks(workspace, debate), outside
        )
        return 0


async def _paced(
    workspace: "Workspace", debate: str, entries: "tuple[Entry, ...]", speed: float
) -> "AsyncIterator[tuple[Entry, str]]":
    """The entries with their lines, with the record's own pauses between them."""
    import asyncio

    before = entries[0].at
    for entry, line in zip(entries, await workspace.lines(debate), strict=False):
        await asyncio.sleep(max(0.0, min(entry.at - before, LONGEST)) / speed)
        before = entry.at
        yield entry, line


@rich_click.command()
@click.argument("debate", shell_complete=complete_debate)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@store_option
def recount(debate: str, as_json: bool, store: Path | str | None) -> int:
    """Count the ballots of a debate under every rule.

    DEBATE is its id, the beginning of it, or "last". For each rule: who wins, by how much, and the fewest ballots that
    would give another result by moving one candidate first and the winner last. Nothing in the record is changed.
    """
    from moot.app.export.recount import count_again, write_recount
    from moot.cli.display.output import console_for

    async def read() -> "Recounted":
        async with open_workspace(store, reading=True) as workspace:
            return await count_again(workspace, await workspace.find(debate))

    found = finish(read())
    if as_json:
        sys.stdout.write(write_recount(found))
        return DONE
    console = console_for()
    for each in _shown(found):
        console.print(each)
    return DONE


def _shown(found: "Recounted") -> "list[RenderableType]":
    from rich.text import Text

    from moot.cli.display.text_layout import FAINT, Inset, line

    cast = sum(each.state == "cast" for each in found.ballots)
    kind = "rankings" if found.ranked else "votes"
    parts: list[RenderableType] = [
        Text(line(found.topic), style="bold"),
        Text(f"{cast} of {len(found.ballots)} ballots are {kind} for: {line(', '.join(found.candidates))}"),
        Text(f"Decided by {found.recorded}: {line(found.result)}"),
    ]
    if found.ranked:
        winner = found.condorcet
        parts.append(Text(f"{line(winner)} wins every duel." if winner else "Nobody wins every duel."))
    if told := quorum_in_words(found):
        parts.append(Text(told))
    for each in found.counts:
        parts.append(Text.assemble("\n", (each.rule, "bold"), "  ", result_in_words(each)))
        parts.append(Inset(Text(line(each.how), style=FAINT)))
        parts.append(Inset(Text(flip_in_words(each), style=FAINT)))
    return parts


def quorum_in_words(found: "Recounted") -> str:
    """That there is no quorum, in a line; "" where there is one."""
    if found.quorum:
        return ""
    return "Half of the voters or more were not heard: with a quorum nothing is decided. These counts ask for none."


def result_in_words(each: "Counted") -> str:
    """Who wins, by how much, in a line."""
    from moot.cli.display.text_layout import line

    if each.status != "decided":
        return each.status.replace("_", " ")
    ahead = f", {each.margin:g} ahead of {line(each.next)}" if each.next else ""
    return f"{line(each.winner)}{ahead} ({each.strength})"


def flip_in_words(each: "Counted") -> str:
    """What would flip a result by moving one candidate first and the winner last, in a line."""
    from moot.cli.display.text_layout import line
    from moot.core.text import listed

    if each.flip is None:
        ballots = f"{each.tried} ballot{'' if each.tried == 1 else 's'} or fewer"
        return f"No other result by moving one candidate first and the winner last on {ballots}."
    whose = listed([line(name) for name in each.flip.voters])
    verb = "ballot" if len(each.flip.voters) == 1 else "ballots"
    return f"Flips with the {verb} of {whose}, {line(each.flip.to)} first and the winner last: {line(each.flip.then)}"
