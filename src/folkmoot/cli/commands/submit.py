"""``folkmoot submit``, ``folkmoot worker`` and ``folkmoot queue``: queue debates, run them on workers, and manage the queue."""

import json
import time
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click
import rich_click

from folkmoot.cli.options import (
    DONE,
    ERROR,
    INTERRUPTED,
    FloatRange,
    LimitOptions,
    OverrideOptions,
    complete_debate,
    limit_options,
    open_queue,
    override_options,
    overrides_of,
    read_input,
    run_command,
    set_option,
    store_option,
)
from folkmoot.core.brief import BATCHED, GRACE, QUEUE_DELAY, QUEUE_PRIORITY

if TYPE_CHECKING:
    from folkmoot.app.run.dispatcher import Job, QueueStatus, State
    from folkmoot.app.run.start import StartRequest
    from folkmoot.app.run.workspace import Workspace
    from folkmoot.workers.worker import Worker

LONGEST_NAME = 40


class WorkerOptions(TypedDict):
    """The options of ``folkmoot worker`` as the user typed them."""

    parallel: int
    name: str | None
    grace: float
    log_json: bool
    store: Path | str | None


class SubmitOptions(LimitOptions, OverrideOptions):
    """All options of ``folkmoot submit``."""

    settings: tuple[str, ...]
    priority: int
    owner: str
    after: float
    store: Path | str | None


@rich_click.group(invoke_without_command=True)
@click.option(
    "--parallel",
    type=click.IntRange(*BATCHED),
    default=8,
    show_default=True,
    metavar="N",
    help="Number of debates to run in parallel.",
)
@click.option(
    "--name", metavar="NAME", help="The worker's name. Default: the machine's name. A random suffix is added."
)
@click.option(
    "--grace",
    type=FloatRange(*GRACE),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="Seconds for the answers in progress when the worker is asked to end.",
)
@click.option("--log-json", is_flag=True, help="Log every event as JSON lines.")
@store_option
@click.pass_context
def worker(context: click.Context, **options: Unpack[WorkerOptions]) -> int:
    """Run the debates of a queue, until the worker is asked to end.

    Start workers on as many machines as you like. After Ctrl-C or SIGTERM a worker takes no new debates, hands its
    debates on to other workers after the answers in progress, and ends. After the second signal it ends at once, and
    others take over its debates a little later. The log goes to standard error.
    """
    if context.invoked_subcommand is not None:
        return DONE
    return run_command(_run_worker(options))


async def _run_worker(worker_options: WorkerOptions) -> int:
    from folkmoot.app.plan.settings import load_config
    from folkmoot.core.text import counted

    async with open_queue(worker_options["store"]) as (workspace, _):
        from folkmoot.cli.display.worker_log import WorkerLog, logging_to
        from folkmoot.workers.worker import Worker
        from folkmoot.workers.worker_notes import note

        workspace.config = load_config()
        name = _name(worker_options["name"])
        most = worker_options["parallel"]
        log = WorkerLog(partial(click.echo, err=True), name, as_json=worker_options["log_json"])
        with logging_to(log):
            note("started", f"{name} runs up to {counted(most, 'debate')} in parallel from {workspace.place}")
            new_worker = Worker(workspace, name, most=most, grace=worker_options["grace"])
            _listen(new_worker)
            await new_worker.run()
            note("stopped", f"{name} has ended; all its debates are handed on or finished")
    return DONE


@worker.command("reconcile")
@store_option
def reconcile_(store: Path | str | None) -> int:
    """Tell Temporal again what the database wants, after it has lost its state or you have moved to another one.

    Workers do so by themselves within a minute, unless Temporal has another address than before. Stop all workers
    before you move.
    """

    async def tell() -> int:
        from folkmoot.app.plan.settings import load_config
        from folkmoot.core.text import counted

        async with open_queue(_group_store(store)) as (workspace, _):
            from folkmoot.workers.worker import move_here

            click.echo(f"{counted(await move_here(workspace, load_config()), 'debate')} queued again")
        return DONE

    return run_command(tell())


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


def _listen(running_worker: "Worker") -> None:
    """The first signal drains the worker. The second ends it at once; others take over then."""
    import asyncio
    import os
    import signal

    from folkmoot.app.serve.hang_up import leave_terminals, open_terminals, stop_signals
    from folkmoot.workers.worker_notes import note

    def press() -> None:
        if running_worker.leaving:
            os._exit(INTERRUPTED)
        note("draining", f"{running_worker.name} takes no new debates; press again to end at once")
        running_worker.drain()

    terminals = open_terminals()

    def hang_up() -> None:
        leave_terminals(terminals)
        press()

    for number in stop_signals():
        closed = number not in (signal.SIGINT, signal.SIGTERM)
        asyncio.get_running_loop().add_signal_handler(number, hang_up if closed else press)


@rich_click.command()
@click.argument("briefs", nargs=-1, required=True, metavar="BRIEF...")
@click.option(
    "--priority",
    type=click.IntRange(*QUEUE_PRIORITY),
    default=5,
    show_default=True,
    metavar="N",
    help="1 is first, 10 is last.",
)
@click.option("--owner", default="", metavar="NAME", help="The owner. Debates of different owners take turns.")
@click.option(
    "--after",
    type=FloatRange(*QUEUE_DELAY),
    default=0.0,
    metavar="SECONDS",
    help="Seconds to wait before the debate starts.",
)
@set_option
@override_options
@limit_options
@store_option
def submit(briefs: tuple[str, ...], **options: Unpack[SubmitOptions]) -> int:
    """Put debates into the queue, so that workers run them.

    BRIEF is a file, a question in quotes, or - for standard input. If participants must be generated, that is done
    here, with one call of the model. The ids are printed, one on each line.
    """
    return run_command(_submit(briefs, options))


async def _submit(briefs: tuple[str, ...], submit_options: SubmitOptions) -> int:
    async with open_queue(submit_options["store"]) as (workspace, queue):
        starts = [
            await _start(workspace, words, submit_options) for words in briefs
        ]  # all are checked before one is submitted
        for start in starts:
            debate = await _store_debate(workspace, start)
            await queue.submit(
                debate,
                owner=submit_options["owner"],
                priority=submit_options["priority"],
                after=submit_options["after"],
            )
            click.echo(debate)
        if not (await queue.status()).workers:
            click.echo("folkmoot: no worker is running; start one with: folkmoot worker", err=True)
    return DONE


async def _start(workspace: "Workspace", words: str, submit_options: SubmitOptions) -> "StartRequest":
    from folkmoot.app.plan.settings import load_config
    from folkmoot.app.run.start import prepare_start

    parsed = read_input(words, submit_options["settings"], submit_options["preset"])
    return await prepare_start(workspace, parsed, overrides_of(submit_options, submit_options), load_config())


async def _store_debate(workspace: "Workspace", request: "StartRequest") -> str:
    """Store one debate; returns its id."""
    from folkmoot.app.run.outcome import Outcome
    from folkmoot.app.run.start import HostHooks, generate_participants, put_on_record
    from folkmoot.app.run.workspace import StopRequest
    from folkmoot.core.errors import FolkmootError

    debate = workspace.new_id(request.prepared.plan)
    if request.prepared.generator:
        click.echo(
            f"folkmoot: asking {request.prepared.generator} for participants; for built-in ones: --participants builtin",
            err=True,
        )
    peopled = await generate_participants(workspace, request, debate, HostHooks(stop=StopRequest()))
    if isinstance(peopled, Outcome):
        reason = f"{peopled.reason} ({peopled.debate})"
        raise FolkmootError(
            f"no participants were generated, so the debate was not submitted: {reason}. Submit it again"
        )
    await put_on_record(workspace, peopled, debate)
    return debate


STATES = ("queued", "running", "waiting", "parked", "done", "cancelled")
"""The states of a job; repeated here as texts, so that help imports nothing heavy."""


class QueueOptions(TypedDict):
    """The options of ``folkmoot queue`` as the user typed them."""

    state: "State | None"
    owner: str | None
    limit: int
    as_json: bool
    store: Path | str | None


@rich_click.group(invoke_without_command=True)
@click.option("--state", type=click.Choice(STATES), help="Show only debates in this state.")
@click.option("--owner", metavar="NAME", help="Show only debates of this owner.")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 10_000),
    default=100,
    show_default=True,
    metavar="N",
    help="Maximum number of debates to show.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the debates as JSON.")
@store_option
@click.pass_context
def queue(context: click.Context, **queue_options: Unpack[QueueOptions]) -> int:
    """Show the workers, the number of debates in each state, and the submitted debates, the newest first."""
    if context.invoked_subcommand is not None:
        return DONE
    from folkmoot.cli.display.queue_table import queue_table, status_lines

    status, jobs = run_command(_look(queue_options))
    if queue_options["as_json"]:
        click.echo(json.dumps([asdict(job) for job in jobs], ensure_ascii=False, indent=2))
        return DONE
    click.echo("\n".join(status_lines(status, time.time())))
    if jobs:
        click.echo()
        queue_table(jobs)
        if len(jobs) == queue_options["limit"]:
            click.echo(f"These are the newest {len(jobs)}; -n shows more, --state and --owner show fewer.")
    return DONE


async def _look(queue_options: QueueOptions) -> "tuple[QueueStatus, tuple[Job, ...]]":
    async with open_queue(queue_options["store"]) as (_, dispatcher):
        state, owner = queue_options["state"], queue_options["owner"]
        jobs = await dispatcher.jobs(state=state, owner=owner, limit=queue_options["limit"])
        return await dispatcher.status(), jobs


@queue.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@store_option
def status(as_json: bool, store: Path | str | None) -> int:
    """Show how many workers are alive, how many debates are in each state, and since when the oldest one waits."""
    from folkmoot.cli.display.queue_table import status_lines

    async def look() -> "QueueStatus":
        async with open_queue(_group_store(store)) as (_, dispatcher):
            return await dispatcher.status()

    queue_status = run_command(look())
    click.echo(
        json.dumps(asdict(queue_status), indent=2) if as_json else "\n".join(status_lines(queue_status, time.time()))
    )
    return DONE


@queue.command()
@click.argument("debate", shell_complete=complete_debate)
@click.option("--now", is_flag=True, help="Stop at once; answers in progress are lost.")
@store_option
def cancel(debate: str, now: bool, store: Path | str | None) -> int:
    """Remove a debate from the queue, or stop it after the answers in progress if it runs."""

    async def stop() -> int:
        async with open_queue(_group_store(store)) as (workspace, dispatcher):
            name = await workspace.find(debate)
            if status := await dispatcher.cancel(name, now=now):
                stopping = f"stopping {'at once' if now else 'after the answers in progress'}; then it is cancelled"
                click.echo(f"{name}: {status if status == 'cancelled' else stopping}")
                return DONE
            click.echo(f"folkmoot: {name} is not queued, running or waiting", err=True)
            return ERROR

    return run_command(stop())


@queue.command()
@click.argument("debate", shell_complete=complete_debate)
@store_option
def retry(debate: str, store: Path | str | None) -> int:
    """Queue a debate that is parked, cancelled or was never submitted.

    It continues where it stopped.
    """

    async def again() -> int:
        async with open_queue(_group_store(store)) as (workspace, dispatcher):
            name = await workspace.find(debate)
            known = await dispatcher.job(name)
            job = await dispatcher.submit(name, owner=known.owner, priority=known.priority) if known else None
            job = job or await dispatcher.submit(name)
            click.echo(f"{name}: {job.state}")
            return DONE

    return run_command(again())


def _group_store(store: Path | str | None) -> Path | str | None:
    """The store of the command, else that of the group above it."""
    context = click.get_current_context()
    return store or (context.parent.params.get("store") if context.parent else None)
