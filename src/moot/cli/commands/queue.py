"""``moot queue``. This file owns how the queue is shown, and what can be done with a debate in it."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click
import rich_click

from moot.cli.codes import DONE, ERROR
from moot.cli.options import complete_debate, finish, queue_at, store_option

if TYPE_CHECKING:
    from moot.app.run.dispatcher import Job, State

STATES = ("queued", "running", "waiting", "parked", "done", "cancelled")
"""The states of a job; here in words, because help needs no desk."""

WIDTH, REASON = 160, 60
"""Columns of the table where nobody says how wide the output is, and those of a reason."""


@rich_click.group(invoke_without_command=True)
@click.option("--state", type=click.Choice(STATES), help="Only those.")
@click.option("-n", "--most", type=click.IntRange(1, 10_000), default=100, show_default=True, help="How many at most.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@store_option
@click.pass_context
def queue(context: click.Context, state: "State | None", most: int, as_json: bool, store: Path | str | None) -> int:
    """Show what was submitted and where it stands, the newest first."""
    if context.invoked_subcommand is not None:
        return DONE
    jobs = finish(_look(store, state, most))
    if as_json:
        click.echo(json.dumps([asdict(job) for job in jobs], ensure_ascii=False, indent=2))
    elif jobs:
        _table(jobs)
    else:
        click.echo("There is nothing in the queue. Begin with: moot submit BRIEF")
    return DONE


async def _look(store: Path | str | None, state: "State | None", most: int) -> "tuple[Job, ...]":
    async with queue_at(store) as (_, found):
        return await found.jobs(state=state, limit=most)


def _table(jobs: "Sequence[Job]") -> None:
    from rich.table import Table
    from rich.text import Text

    from moot.cli.display.output import console_for
    from moot.cli.display.text import line, moment, short
    from moot.cli.display.text_layout import BAD, FAINT, GOOD, WARN

    styles = {"done": GOOD, "parked": BAD, "waiting": WARN, "cancelled": FAINT}
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style=FAINT)
    for name in ("state", "debate", "owner", "worker", "tries", "since"):
        table.add_column(name, no_wrap=True)
    table.add_column("reason", overflow="fold")
    for job in jobs:
        table.add_row(
            Text(job.state, style=styles.get(job.state, "")),
            Text(job.debate),
            Text(line(job.owner)),
            Text(job.worker),
            Text(str(job.tries)),
            Text(moment(job.since), style=FAINT),
            Text(short(job.reason, REASON), style=FAINT),
        )
    console_for(width=WIDTH).print(table)


@queue.command()
@click.argument("debate", shell_complete=complete_debate)
@click.option("--now", is_flag=True, help="At once, answers in hand are lost.")
@store_option
def cancel(debate: str, now: bool, store: Path | str | None) -> int:
    """Take a debate out of the queue, or have its worker stop it after the answers in hand."""

    async def stop() -> int:
        async with queue_at(_above(store)) as (desk, found):
            name = await desk.find(debate)
            if await found.cancel(name, now=now):
                click.echo(f"{name}: is being stopped")
                return DONE
            click.echo(f"moot: {name} is neither queued nor held nor waiting", err=True)
            return ERROR

    return finish(stop())


@queue.command()
@click.argument("debate", shell_complete=complete_debate)
@store_option
def retry(debate: str, store: Path | str | None) -> int:
    """Have a debate held from where its record ends: one that was parked, cancelled, or never submitted."""

    async def again() -> int:
        async with queue_at(_above(store)) as (desk, found):
            name = await desk.find(debate)
            known = await found.job(name)
            job = await found.submit(name, owner=known.owner, priority=known.priority) if known else None
            job = job or await found.submit(name)
            click.echo(f"{name}: {job.state}")
            return DONE

    return finish(again())


def _above(store: Path | str | None) -> Path | str | None:
    """The store of the command, else that of the group above it."""
    context = click.get_current_context()
    return store or (context.parent.params.get("store") if context.parent else None)
