"""``moot recount``. This file owns how a recount is shown."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import rich_click

from moot.cli.codes import DONE
from moot.cli.options import complete_debate, finish, open_desk, store_option

if TYPE_CHECKING:
    from rich.console import RenderableType

    from moot.app.export.recount import Counted, Recounted


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
        async with open_desk(store, reading=True) as desk:
            return await count_again(desk, await desk.find(debate))

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

    from moot.cli.display.text import line
    from moot.cli.display.text_layout import FAINT, Inset

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
    from moot.cli.display.text import line

    if each.status != "decided":
        return each.status.replace("_", " ")
    ahead = f", {each.margin:g} ahead of {line(each.next)}" if each.next else ""
    return f"{line(each.winner)}{ahead} ({each.strength})"


def flip_in_words(each: "Counted") -> str:
    """What would flip a result by moving one candidate first and the winner last, in a line."""
    from moot.cli.display.text import line
    from moot.core.text import listed

    if each.flip is None:
        ballots = f"{each.tried} ballot{'' if each.tried == 1 else 's'} or fewer"
        return f"No other result by moving one candidate first and the winner last on {ballots}."
    whose = listed([line(name) for name in each.flip.voters])
    verb = "ballot" if len(each.flip.voters) == 1 else "ballots"
    return f"Flips with the {verb} of {whose}, {line(each.flip.to)} first and the winner last: {line(each.flip.then)}"
