"""``folkmoot worker``: run the debates of a queue; submit debates, look at the queue, cancel and retry."""

import json
import logging
import re
import secrets
import socket
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Unpack

import click

from folkmoot.cli.options import (
    DONE,
    ERROR,
    INTERRUPTED,
    BriefOptions,
    FloatRange,
    IntRange,
    LimitOptions,
    Store,
    brief_options,
    brief_overrides,
    debate_argument,
    echo_json,
    group,
    json_option,
    limit_options,
    note,
    open_queue,
    option,
    read_input,
    run_command,
    store_option,
)
from folkmoot.core.brief import BATCHED, GRACE, QUEUE_DELAY, QUEUE_PRIORITY
from folkmoot.core.text import clean, counted, hide

if TYPE_CHECKING:
    from rich.table import Table

    from folkmoot.app.run.dispatcher import Job, QueueStatus, State
    from folkmoot.app.run.prepare import PreparedDebate
    from folkmoot.app.run.workspace import Workspace
    from folkmoot.workers.worker import Worker

LONGEST_NAME = 40

WIDTH, REASON = 160, 60
"""Columns of the queue where the output has no width, and columns of a reason."""

STATES = ("queued", "running", "waiting", "parked", "done", "cancelled")
"""The states of a job; repeated here as texts, so that help imports nothing heavy."""


class SubmitOptions(LimitOptions, BriefOptions):
    """The settings and limits of ``folkmoot worker submit``."""


@group(invoke_without_command=True)
@option("--parallel", type=IntRange(*BATCHED), default=8, show_default=True, metavar="N", help="Debates in parallel.")
@option("--name", metavar="NAME", help="Default: the machine's name. A random suffix is added.")
@option(
    "--grace",
    type=FloatRange(*GRACE),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="For the answers in progress at the end.",
)
@option("--log-json", is_flag=True, help="Log every event as JSON lines.")
@store_option
@click.pass_context
def worker(ctx: click.Context, parallel: int, name: str | None, grace: float, log_json: bool, store: Store) -> int:
    """Run the debates of a queue, until the worker is asked to end.

    Start workers on as many machines as you like. After Ctrl-C or SIGTERM a worker takes no new debates, hands its
    debates on to other workers after the answers in progress, and ends. After the second signal it ends at once, and
    others take over its debates a little later. The log goes to standard error.
    """
    if ctx.invoked_subcommand is not None:
        return DONE
    usual = re.sub(r"[^A-Za-z0-9.-]+", "-", socket.gethostname()).strip("-")[:LONGEST_NAME]
    name = usual if name is None else name
    if not re.fullmatch(rf"[A-Za-z0-9_.-]{{1,{LONGEST_NAME}}}", name):
        raise click.UsageError(f"A worker's name must have 1 to {LONGEST_NAME} letters, digits, dots, - and _.")
    # Two that were given the same name are not taken for one.
    return run_command(_work(f"{name}-{secrets.token_hex(3)}", parallel, grace, store, log_json=log_json))


async def _work(name: str, most: int, grace: float, store: Store, *, log_json: bool) -> int:
    from folkmoot.app.plan.settings import load_config

    async with open_queue(store) as (workspace, _):
        from folkmoot.workers.worker import Worker
        from folkmoot.workers.worker_notes import note as log

        workspace.config = load_config()
        with logging_to(WorkerLog(partial(click.echo, err=True), name, as_json=log_json)):
            log("started", f"{name} runs up to {counted(most, 'debate')} in parallel from {workspace.place}")
            new_worker = Worker(workspace, name, most=most, grace=grace)
            _listen(new_worker)
            await new_worker.run()
            log("stopped", f"{name} has ended; all its debates are handed on or finished")
    return DONE


def _listen(running: "Worker") -> None:
    """The first signal drains the worker. The second ends it at once; others take over then."""
    import asyncio
    import os
    import signal

    from folkmoot.app.serve.hang_up import leave_terminals, open_terminals, stop_signals
    from folkmoot.workers.worker_notes import note as log

    def press() -> None:
        if running.leaving:
            os._exit(INTERRUPTED)
        log("draining", f"{running.name} takes no new debates; press again to end at once")
        running.drain()

    terminals = open_terminals()

    def hang_up() -> None:
        leave_terminals(terminals)
        press()

    for number in stop_signals():
        closed = number not in (signal.SIGINT, signal.SIGTERM)
        asyncio.get_running_loop().add_signal_handler(number, hang_up if closed else press)


class WorkerLog(logging.Handler):
    """Writes the lines of one worker: for a person, or as JSON, each with its time and level.

    Args:
        write: takes a line.
        worker: the worker's name.
        as_json: whether lines are JSON.
    """

    def __init__(self, write: Callable[[str], None], worker: str, *, as_json: bool) -> None:
        super().__init__()
        self._write, self._worker, self._as_json = write, worker, as_json

    def emit(self, record: logging.LogRecord) -> None:
        """See ``logging.Handler``."""
        debate, text = getattr(record, "debate", ""), " ".join(hide(clean(record.getMessage())).split())
        if self._as_json:
            event = getattr(record, "event", record.name.partition(".")[0])
            known = {"at": round(record.created, 3), "level": record.levelname, "event": event, "worker": self._worker}
            about = {"debate": debate, "state": getattr(record, "state", "")}
            known.update((name, value) for name, value in about.items() if value)
            line = json.dumps({**known, "text": text}, ensure_ascii=False)
        else:
            at = datetime.fromtimestamp(record.created, UTC)
            line = f"{at:%Y-%m-%dT%H:%M:%SZ} {record.levelname:7} {debate and f'{debate}: '}{text}"
        with suppress(OSError):  # the log is no longer read
            self._write(line)


@contextmanager
def logging_to(handler: logging.Handler) -> Generator[None]:
    """Send there what this worker and Temporal's SDK log, and nowhere else."""
    from folkmoot.workers.worker_notes import LIBRARY, LOG

    LOG.setLevel(logging.INFO)
    for logger in (LOG, LIBRARY):
        logger.addHandler(handler)
        logger.propagate = False
    try:
        yield
    finally:
        for logger in (LOG, LIBRARY):
            logger.removeHandler(handler)
            logger.propagate = True


@worker.command()
@store_option
def reconcile(store: Store) -> int:
    """Tell Temporal again what the database wants, after it has lost its state or you have moved to another one.

    Workers do so by themselves within a minute, unless Temporal has another address than before. Stop all workers
    before you move.
    """

    async def work() -> int:
        async with open_queue(store) as (_, dispatcher):
            click.echo(f"{counted(await dispatcher.reconcile(move=True), 'debate')} queued again")
        return DONE

    return run_command(work())


# ---- the queue -----------------------------------------------------------------------------------------------------


@worker.command()
@click.argument("briefs", nargs=-1, required=True, metavar="BRIEF...")
@option("--priority", type=IntRange(*QUEUE_PRIORITY), default=5, show_default=True, metavar="N", help="1 is first.")
@option("--owner", default="", metavar="NAME", help="The owner. Debates of different owners take turns.")
@option(
    "--after", type=FloatRange(*QUEUE_DELAY), default=0.0, metavar="SECONDS", help="Seconds to wait before it starts."
)
@brief_options
@limit_options
@store_option
def submit(
    briefs: tuple[str, ...], priority: int, owner: str, after: float, store: Store, **options: Unpack[SubmitOptions]
) -> int:
    """Put debates into the queue, so that workers run them.

    BRIEF is a file, a question in quotes, or - for standard input. If participants must be generated, that is done
    here, with one call of the model. The ids are printed, one on each line.
    """

    async def work() -> int:
        from folkmoot.app.plan.settings import load_config
        from folkmoot.app.run.prepare import prepare

        async with open_queue(store) as (workspace, queue):
            overrides, config = brief_overrides(options, options), load_config()
            parsed = [read_input(words, options["settings"], options["preset"]) for words in briefs]
            # All are checked before one is submitted.
            for start in [await prepare(workspace, brief, overrides, config) for brief in parsed]:
                debate = await _put_on_record(workspace, start)
                await queue.submit(debate, owner=owner, priority=priority, after=after)
                click.echo(debate)
            if not (await queue.status()).workers:
                note("no worker is running; start one with: folkmoot worker")
        return DONE

    return run_command(work())


async def _put_on_record(workspace: "Workspace", request: "PreparedDebate") -> str:
    """Store one debate; returns its id."""
    from folkmoot.app.run.outcome import Outcome
    from folkmoot.app.run.start import generate_participants, put_on_record
    from folkmoot.core.errors import FolkmootError

    debate = workspace.new_id(request.plan)
    if generator := request.generator:
        note(f"asking {generator} for participants; for built-in ones: --participants builtin")
    ready = await generate_participants(workspace, request, debate)
    if isinstance(ready, Outcome):
        problem = "no participants were generated, so the debate was not submitted"
        raise FolkmootError(f"{problem}: {ready.reason} ({ready.debate}). Submit it again")
    await put_on_record(workspace, ready, debate)
    return debate


@worker.command()
@option("--state", type=click.Choice(STATES), help="Show only debates in this state.")
@option("--owner", metavar="NAME", help="Show only debates of this owner.")
@option("-n", "--limit", type=IntRange(1, 10_000), default=30, show_default=True, metavar="N", help="At most so many.")
@json_option
@store_option
def queue(state: "State | None", owner: str | None, limit: int, as_json: bool, store: Store) -> int:
    """Show the workers, the number of debates in each state, and the submitted debates, the newest first."""

    async def read() -> "tuple[QueueStatus, tuple[Job, ...]]":
        async with open_queue(store) as (_, dispatcher):
            return await dispatcher.status(), await dispatcher.jobs(state=state, owner=owner, limit=limit)

    status, jobs = run_command(read())
    if as_json:
        echo_json({"status": asdict(status), "debates": [asdict(job) for job in jobs]})
        return DONE
    click.echo("\n".join(status_lines(status, time.time())))
    if jobs:
        from folkmoot.cli.display.text_layout import console_for

        click.echo()
        console_for(width=WIDTH).print(queue_table(jobs))
        if len(jobs) == limit:
            note(f"these are the newest {len(jobs)}; -n shows more, --state and --owner show fewer")
    return DONE


def status_lines(status: "QueueStatus", now: float) -> list[str]:
    """The workers, how many debates are in each state, and since when the oldest waits; ``now`` is seconds since 1970."""
    from folkmoot.cli.display.text_layout import local_time

    workers = f"{counted(status.workers, 'worker')} with {counted(status.places, 'place')}"
    lines = [workers if status.workers else "No worker is running. Start one with: folkmoot worker"]
    counts = ", ".join(f"{number} {state}" for state in STATES if (number := status.counts.get(state)))
    lines.append(f"debates: {counts}" if counts else "The queue is empty. Start with: folkmoot worker submit BRIEF")
    if status.oldest is not None:
        minutes = max(0, int((now - status.oldest) // 60))
        lines.append(f"the oldest waits since {local_time(status.oldest)} ({counted(minutes, 'minute')})")
    return lines


def queue_table(jobs: "Sequence[Job]") -> "Table":
    """Debates of a queue."""
    from rich.table import Table
    from rich.text import Text

    from folkmoot.cli.display.text_layout import BAD, FAINT, GOOD, WARN, line, local_time, short

    styles: Mapping[str, str] = {"done": GOOD, "parked": BAD, "waiting": WARN, "stopping": WARN, "cancelled": FAINT}
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style=FAINT)
    for name in ("state", "debate", "owner", "priority", "worker", "attempts", "since"):
        table.add_column(name, no_wrap=True)
    table.add_column("reason", overflow="fold")
    for job in jobs:
        state = "stopping" if job.stopping else job.state
        begins = f"begins {local_time(job.begins)}" if job.begins > job.since + 1 else ""
        reason = "; ".join(filter(None, (begins, short(job.reason, REASON))))
        facts = (job.debate, line(job.owner), str(job.priority), job.worker, str(job.tries))
        last = (Text(local_time(job.since), style=FAINT), Text(reason, style=FAINT))
        table.add_row(Text(state, style=styles.get(state, "")), *map(Text, facts), *last)
    return table


@worker.command()
@debate_argument
@option("--now", is_flag=True, help="Stop at once; answers in progress are lost.")
@store_option
def cancel(debate: str, now: bool, store: Store) -> int:
    """Remove a debate from the queue, or stop it after the answers in progress if it runs."""

    async def work() -> int:
        async with open_queue(store) as (workspace, dispatcher):
            name = await workspace.find(debate)
            status = await dispatcher.cancel(name, now=now)
        if not status:
            note(f"{name} is not queued, running or waiting")
            return ERROR
        stopping = f"stopping {'at once' if now else 'after the answers in progress'}; then it is cancelled"
        click.echo(f"{name}: {status if status == 'cancelled' else stopping}")
        return DONE

    return run_command(work())


@worker.command()
@debate_argument
@store_option
def retry(debate: str, store: Store) -> int:
    """Queue a debate that is parked, cancelled or was never submitted.

    It continues where it stopped.
    """

    async def work() -> int:
        async with open_queue(store) as (workspace, dispatcher):
            name = await workspace.find(debate)
            known = await dispatcher.job(name)
            job = await dispatcher.submit(name, owner=known.owner, priority=known.priority) if known else None
            job = job or await dispatcher.submit(name)
        click.echo(f"{name}: {job.state}")
        return DONE

    return run_command(work())
