"""``moot submit``, ``moot worker`` and ``moot queue``: queue debates, run them on workers, and manage the queue."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click
import rich_click

from moot.cli.options import (
    DONE,
    ERROR,
    INTERRUPTED,
    CapOptions,
    WishOptions,
    complete_debate,
    finish,
    limit_options,
    open_for_running,
    open_queue,
    read_input,
    store_option,
    store_path,
    wish_options,
    wishes_of,
)

if TYPE_CHECKING:
    from moot.app.run.dispatcher import Job, State
    from moot.app.run.start import Start
    from moot.app.run.workspace import Workspace
    from moot.workers.worker import Worker

LONGEST_NAME = 40


class WorkerOptions(TypedDict):
    """The options of ``moot worker`` as the user typed them."""

    most: int
    name: str | None
    lease: float
    grace: float
    store: Path | str | None


class SubmitOptions(CapOptions, WishOptions):
    """All options of ``moot submit``."""

    priority: int
    owner: str
    after: float
    store: Path | str | None


@rich_click.command()
@click.option(
    "--most", type=click.IntRange(1, 1000), default=8, show_default=True, help="Number of debates to run in parallel."
)
@click.option(
    "--name", metavar="NAME", help="The worker's name. Default: the machine's name. A random suffix is added."
)
@click.option(
    "--lease",
    type=click.FloatRange(1, 600),
    default=15.0,
    show_default=True,
    metavar="S",
    help="Seconds without a sign of life after which other workers take over its debates.",
)
@click.option(
    "--grace",
    type=click.FloatRange(0, 3600),
    default=30.0,
    show_default=True,
    metavar="S",
    help="Seconds for the answers in progress when the worker is asked to end.",
)
@store_option
def worker(**given: Unpack[WorkerOptions]) -> int:
    """Run the debates of a queue, until the worker is asked to end.

    Start workers on as many machines as you like. After Ctrl-C or SIGTERM a worker takes no new debates, returns its
    debates to the queue after the answers in progress, and ends. After the second signal it ends at once, and others
    take over its debates when its leases expire.
    """
    return finish(_work(given))


async def _work(worker_options: WorkerOptions) -> int:
    from moot.app.plan.settings import load_config
    from moot.workers.job_queue import check_queue

    address = str(store_path(worker_options["store"]))
    check_queue(address)
    from moot.core.text import counted
    from moot.workers.lease_runs import Wanted
    from moot.workers.worker import Worker

    async with open_for_running(worker_options["store"]) as workspace:
        workspace.config = load_config()
        wanted = Wanted(
            address=address,
            name=_name(worker_options["name"]),
            most=worker_options["most"],
            lease=worker_options["lease"],
            grace=worker_options["grace"],
            say=click.echo,
        )
        click.echo(f"{wanted.name}: runs up to {counted(wanted.most, 'debate')} in parallel from {workspace.place}")
        found = Worker(workspace, wanted)
        _listen(found)
        await found.run()
        click.echo(f"{wanted.name}: ended; all its debates are back in the queue or finished")
    return DONE


def _name(typed: str | None) -> str:
    """A name that no other worker has, also where two were given the same name."""
    import re
    import secrets
    import socket

    name = (
        typed if typed is not None else re.sub(r"[^A-Za-z0-9.-]+", "-", socket.gethostname()).strip("-")[:LONGEST_NAME]
    )
    if not re.fullmatch(rf"[A-Za-z0-9_.-]{{1,{LONGEST_NAME}}}", name):
        raise click.UsageError(f"A worker's name must have 1 to {LONGEST_NAME} letters, digits, dots, - and _.")
    return f"{name}-{secrets.token_hex(3)}"


def _listen(found: "Worker") -> None:
    """The first signal drains the worker. The second ends it at once; its leases then expire."""
    import asyncio
    import os
    import signal

    def press() -> None:
        if found.leaving:
            os._exit(INTERRUPTED)
        click.echo(f"{found.wanted.name}: takes no new debates; press again to end at once")
        found.drain()

    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, press)


@rich_click.command()
@click.argument("briefs", nargs=-1, required=True, metavar="BRIEF...")
@click.option("--priority", type=click.IntRange(1, 10), default=5, show_default=True, help="1 is first, 10 is last.")
@click.option("--owner", default="", metavar="NAME", help="The owner. Debates of different owners take turns.")
@click.option(
    "--after",
    type=click.FloatRange(0, 31_622_400),
    default=0.0,
    metavar="S",
    help="Seconds to wait before the debate starts.",
)
@wish_options
@limit_options
@store_option
def submit(briefs: tuple[str, ...], **given: Unpack[SubmitOptions]) -> int:
    """Put debates into the queue, so that workers run them.

    BRIEF is a file, a question in quotes, or - for standard input. If participants must be generated, that is done
    here, with one call of the model. The ids are printed, one on each line.
    """
    return finish(_submit(briefs, given))


async def _submit(briefs: tuple[str, ...], submit_options: SubmitOptions) -> int:
    async with open_queue(submit_options["store"]) as (workspace, queue):
        starts = [
            await _start(workspace, words, submit_options) for words in briefs
        ]  # all are checked before one is submitted
        for start in starts:
            debate = await _lay_down(workspace, start)
            await queue.submit(
                debate,
                owner=submit_options["owner"],
                priority=submit_options["priority"],
                after=submit_options["after"],
            )
            click.echo(debate)
    return DONE


async def _start(workspace: "Workspace", words: str, submit_options: SubmitOptions) -> "Start":
    from moot.app.plan.settings import load_config
    from moot.app.run.start import make_start

    return await make_start(workspace, read_input(words), wishes_of(submit_options, submit_options), load_config())


async def _lay_down(workspace: "Workspace", start: "Start") -> str:
    """Store one debate; returns its id."""
    from moot.app.run.outcome import Outcome
    from moot.app.run.start import HostHooks, generate_participants, put_on_record
    from moot.app.run.workspace import StopRequest
    from moot.core.errors import MootError

    debate = workspace.new_id(start.ready.plan)
    if start.ready.caster:
        click.echo(
            f"moot: asking {start.ready.caster} to generate participants; for built-in ones use --cast builtin",
            err=True,
        )
    peopled = await generate_participants(workspace, start, debate, HostHooks(stop=StopRequest()))
    if isinstance(peopled, Outcome):
        why = f"{peopled.reason} ({peopled.debate})"
        raise MootError(f"no participants were generated, so the debate was not submitted: {why}. Submit it again")
    await put_on_record(workspace, peopled, debate)
    return debate


STATES = ("queued", "running", "waiting", "parked", "done", "cancelled")
"""The states of a job; repeated here as texts, so that help imports nothing heavy."""

WIDTH, REASON = 160, 60
"""Columns of the table where the output has no width, and columns of a reason."""


@rich_click.group(invoke_without_command=True)
@click.option("--state", type=click.Choice(STATES), help="Show only debates in this state.")
@click.option(
    "-n", "--most", type=click.IntRange(1, 10_000), default=100, show_default=True, help="Maximum number of debates."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@store_option
@click.pass_context
def queue(context: click.Context, state: "State | None", most: int, as_json: bool, store: Path | str | None) -> int:
    """Show the submitted debates and their states, the newest first."""
    if context.invoked_subcommand is not None:
        return DONE
    jobs = finish(_look(store, state, most))
    if as_json:
        click.echo(json.dumps([asdict(job) for job in jobs], ensure_ascii=False, indent=2))
    elif jobs:
        _table(jobs)
    else:
        click.echo("The queue is empty. Start with: moot submit BRIEF")
    return DONE


async def _look(store: Path | str | None, state: "State | None", most: int) -> "tuple[Job, ...]":
    async with open_queue(store) as (_, dispatcher):
        return await dispatcher.jobs(state=state, limit=most)


def _table(jobs: "Sequence[Job]") -> None:
    from rich.table import Table
    from rich.text import Text

    from moot.cli.display.output import console_for
    from moot.cli.display.text_layout import BAD, FAINT, GOOD, WARN, line, moment, short

    styles = {"done": GOOD, "parked": BAD, "waiting": WARN, "cancelled": FAINT}
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style=FAINT)
    for name in ("state", "debate", "owner", "worker", "attempts", "since"):
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
@click.option("--now", is_flag=True, help="Stop at once; answers in progress are lost.")
@store_option
def cancel(debate: str, now: bool, store: Path | str | None) -> int:
    """Remove a debate from the queue, or stop it after the answers in progress if it runs."""

    async def stop() -> int:
        async with open_queue(_above(store)) as (workspace, dispatcher):
            name = await workspace.find(debate)
            if await dispatcher.cancel(name, now=now):
                click.echo(f"{name}: is being cancelled")
                return DONE
            click.echo(f"moot: {name} is not queued, running or waiting", err=True)
            return ERROR

    return finish(stop())


@queue.command()
@click.argument("debate", shell_complete=complete_debate)
@store_option
def retry(debate: str, store: Path | str | None) -> int:
    """Queue a debate that is parked, cancelled or was never submitted.

    It continues where it stopped.
    """

    async def again() -> int:
        async with open_queue(_above(store)) as (workspace, dispatcher):
            name = await workspace.find(debate)
            known = await dispatcher.job(name)
            job = await dispatcher.submit(name, owner=known.owner, priority=known.priority) if known else None
            job = job or await dispatcher.submit(name)
            click.echo(f"{name}: {job.state}")
            return DONE

    return finish(again())


def _above(store: Path | str | None) -> Path | str | None:
    """The store of the command, else that of the group above it."""
    context = click.get_current_context()
    return store or (context.parent.params.get("store") if context.parent else None)
