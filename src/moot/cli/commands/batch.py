"""``moot batch``. This file owns how many debates are held beside each other from the command line."""

import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack, cast

import click
import rich_click

from moot.cli.options import (
    DONE,
    ERROR,
    INTERRUPTED,
    LIMIT,
    MEANINGS,
    UNREACHABLE,
    USAGE,
    WAITING,
    CapOptions,
    WishOptions,
    code_of,
    finish,
    open_stage,
    queue_at,
    store_option,
    wish_options,
)

if TYPE_CHECKING:
    from moot.app.batch.batch_plan import Batch
    from moot.app.batch.run_batch import Batching
    from moot.app.batch.summary import Came
    from moot.app.run.dispatcher import Dispatcher
    from moot.app.run.workspace import Workspace
    from moot.cli.display.progress import Progress
    from moot.cli.terminal import Interrupt


class _OwnOptions(TypedDict):
    times: int
    jsonl: Path | None
    parallel: int | None
    queue: bool
    budget: float | None
    name: str | None
    dry_run: bool
    as_json: bool
    out: Path | None
    store: Path | str | None


class BatchOptions(_OwnOptions, WishOptions):
    """All options of ``moot batch``, as they were typed."""


_LINES = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
_FOLDER = click.Path(file_okay=False, path_type=Path)


@rich_click.command(epilog=MEANINGS)
@click.argument("briefs", nargs=-1, metavar="[BRIEF]...")
@click.option("--repeat", "times", type=click.IntRange(1, 1000), default=1, metavar="N", help="Hold each so often.")
@click.option(
    "--jsonl", type=_LINES, metavar="FILE", help="Further briefs, one JSON object a line; - is standard input."
)
@click.option(
    "--parallel", type=click.IntRange(1, 1000), metavar="N", help="So many at once; else 8, or 100 with --queue."
)
@click.option("--queue", is_flag=True, help="Have workers hold them (moot worker); needs --store postgresql://….")
@click.option("--budget", type=click.FloatRange(min=0), metavar="USD", help="US dollars of the whole batch.")
@click.option("--name", metavar="NAME", help="The batch's name; else it follows from the briefs.")
@click.option("--dry-run", is_flag=True, help="Check all and estimate; send nothing.")
@click.option("--json", "as_json", is_flag=True, help="A JSON line for each debate as it ends.")
@click.option("-o", "--out", type=_FOLDER, help="Write the table into this folder: batch.json and batch.md.")
@wish_options
@store_option
def batch(briefs: tuple[str, ...], **given: Unpack[BatchOptions]) -> int:
    """Hold many debates beside each other.

    BRIEF is a file, or a question in quotes. The same command goes on where it stopped: what is over is only read.
    """
    from moot.app.batch.batch_plan import FaultyBatch

    try:
        return finish(_batch(briefs, given))
    except FaultyBatch as error:
        from moot.cli.display.text_layout import line

        for fault in error.faults[:MOST_FAULTS]:
            click.echo(f"moot: {line(fault)}", err=True)
        if (more := len(error.faults) - MOST_FAULTS) > 0:
            click.echo(f"moot: and {more} more mistakes", err=True)
        return USAGE


MOST_QUEUED = 100
"""The most debates in the hands of workers at once, where nobody says otherwise."""

MOST_FAULTS = 50
"""So many mistakes are told; who mends them sees the others."""


def read_batch(briefs: Sequence[str], given: BatchOptions) -> "Batch":
    """What was typed, as a batch.

    Raises:
        FaultyBatch: some of it cannot be used.
        BriefError: none of it can.
    """
    from moot.app.batch.batch_plan import FaultyBatch, make_batch, read_briefs, read_lines, read_stream
    from moot.cli.options import wishes_of

    if not briefs and given["jsonl"] is None:
        raise click.UsageError("Give briefs, or --jsonl FILE.")
    nothing: CapOptions = {
        "budget": None,
        "max_tokens": None,
        "max_asks": None,
        "turn_seconds": None,
        "total_seconds": None,
    }
    wishes = wishes_of(given, nothing)
    faults: list[str] = []
    items = read_briefs(briefs, wishes, faults)
    if (path := given["jsonl"]) is not None:
        items += read_stream(sys.stdin.buffer, wishes, faults) if str(path) == "-" else read_lines(path, wishes, faults)
    if faults:
        raise FaultyBatch(faults)
    return make_batch(items, times=given["times"], name=given["name"] or "")


async def _batch(briefs: Sequence[str], given: BatchOptions) -> int:
    from moot.app.batch.run_batch import PARALLEL, Batching
    from moot.app.plan.settings import load_config
    from moot.cli.display.progress import Progress
    from moot.cli.terminal import Interrupt

    wanted = read_batch(briefs, given)
    async with _stage(given) as (workspace, queue):
        config = workspace.config = load_config()
        parallel = given["parallel"] or (MOST_QUEUED if queue else PARALLEL)
        work = Batching(
            workspace=workspace, batch=wanted, config=config, parallel=parallel, budget=given["budget"], queue=queue
        )
        foreseen = await work.foresee()
        progress = Progress(work, as_json=given["as_json"])
        progress.introduce(foreseen, dry=given["dry_run"])
        if given["dry_run"]:
            return DONE
        interrupt = Interrupt(say=progress.remark, stop=work.stop)
        work.tell = progress.tell
        with progress:
            await _conduct(work, progress, interrupt)
        came = await work.look_around()
        progress.conclude(came)
        if given["out"]:
            _save(given["out"], wanted, came, progress)
        return exit_code(came, stopped=bool(work.stop.reason))


@asynccontextmanager
async def _stage(given: BatchOptions) -> "AsyncGenerator[tuple[Workspace, Dispatcher | None]]":
    """The desk, and the queue where workers are to hold the debates."""
    if given["queue"]:
        async with queue_at(given["store"]) as (workspace, queue):
            yield workspace, queue
    else:
        async with open_stage(given["store"]) as workspace:
            yield workspace, None


async def _conduct(work: "Batching", progress: "Progress", interrupt: "Interrupt") -> None:
    """Hold the batch; Ctrl-C pauses all of it after the answers in hand, a second one at once."""
    import asyncio

    from moot.cli.terminal import TICK, listening

    async def tick() -> None:
        while True:
            await asyncio.sleep(TICK)
            progress.tick()

    with listening(interrupt):
        try:
            async with asyncio.TaskGroup() as group:
                ticks = group.create_task(tick())
                interrupt.task = held = group.create_task(work.run())
                held.add_done_callback(lambda _: ticks.cancel())
        except BaseExceptionGroup as errors:
            # Such as an output that nobody reads; the debates were stopped for it and can be gone on with.
            raise first_of(errors) from errors


def first_of(error: BaseException) -> BaseException:
    """The first error in a group, however deep it stands."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error


def _save(folder: Path, batch: "Batch", came: "Sequence[Came]", progress: "Progress") -> None:
    from moot.app.batch.summary import data_of, page_of
    from moot.app.export.reports import save

    try:
        folder.mkdir(parents=True, exist_ok=True)
        save(folder / "batch.json", data_of(batch, came))
        save(folder / "batch.md", page_of(batch, came))
    except OSError as error:
        progress.remark(f"the table was not saved: {error.strerror or error}: {folder}")


def exit_code(came: "Sequence[Came]", *, stopped: bool) -> int:
    """The exit code of a batch: what can be gone on with goes before what has failed.

    Args:
        came: what came of its debates.
        stopped: whether its owner has stopped it.
    """
    if stopped:
        return INTERRUPTED
    codes = {code_of(each.status, each.kind) for each in came if each.status != "unbegun"}
    if any(each.status == "unbegun" for each in came):
        codes.add(LIMIT)  # nothing but the budget keeps a debate from being begun
    return next((each for each in (LIMIT, UNREACHABLE, WAITING, INTERRUPTED, ERROR) if each in codes), DONE)
