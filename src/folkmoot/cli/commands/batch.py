"""``folkmoot batch``: run many debates in parallel."""

import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack, cast

import click
import rich_click

from folkmoot.cli.options import (
    DONE,
    ERROR,
    INTERRUPTED,
    LIMIT,
    MEANINGS,
    UNREACHABLE,
    USAGE,
    WAITING,
    FloatRange,
    HalfPriceOptions,
    LimitOptions,
    NotEmpty,
    OverrideOptions,
    code_of,
    half_price_options,
    open_for_running,
    open_queue,
    override_options,
    run_command,
    set_option,
    store_option,
)
from folkmoot.core.brief import BATCHED, COST, REPEATS
from folkmoot.core.text import counted

if TYPE_CHECKING:
    from folkmoot.app.batch.batch_plan import Batch
    from folkmoot.app.batch.run_batch import BatchRun
    from folkmoot.app.batch.summary import BatchOutcome
    from folkmoot.app.run.dispatcher import Dispatcher
    from folkmoot.app.run.workspace import Workspace
    from folkmoot.cli.display.progress import Progress
    from folkmoot.cli.terminal import Interrupt


class _OwnOptions(TypedDict):
    times: int
    settings: tuple[str, ...]
    jsonl: Path | None
    parallel: int | None
    queue: bool
    budget: float | None
    name: str | None
    dry_run: bool
    as_json: bool
    jobs: bool
    cancel: tuple[str, ...]
    out: Path | None
    store: Path | str | None


class BatchOptions(_OwnOptions, HalfPriceOptions, OverrideOptions):
    """All options of ``folkmoot batch``, as they were typed."""


_LINES = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
_FOLDER = click.Path(file_okay=False, path_type=Path)


@rich_click.command(epilog=MEANINGS)
@click.argument("briefs", nargs=-1, metavar="[BRIEF]...")
@click.option(
    "--repeat", "times", type=click.IntRange(*REPEATS), default=1, metavar="N", help="Repeat each debate N times."
)
@click.option(
    "--jsonl", type=_LINES, metavar="FILE", help="More briefs, one JSON object on each line; - is standard input."
)
@click.option(
    "--parallel",
    type=click.IntRange(*BATCHED),
    metavar="N",
    help="Number of debates to run in parallel. Default: 8, or 100 with --queue.",
)
@click.option(
    "--queue", is_flag=True, help="Let workers run the debates (folkmoot worker). Needs --store postgresql://…."
)
@click.option("--budget", type=FloatRange(*COST), metavar="USD", help="US dollars for the whole batch.")
@click.option(
    "--name", type=NotEmpty(), metavar="NAME", help="The name of the batch. Default: derived from the briefs."
)
@click.option("--dry-run", is_flag=True, help="Check and estimate everything; send nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON line for each debate when it ends.")
@click.option("-o", "--out", type=_FOLDER, help="Save the table into this folder: batch.json, batch.csv and batch.md.")
@half_price_options
@click.option("--jobs", is_flag=True, help="List the batches that --batch has sent to providers. Run nothing.")
@click.option("--cancel", multiple=True, metavar="JOB", help="Cancel a batch at its provider, or all; run nothing.")
@override_options
@set_option
@store_option
def batch(briefs: tuple[str, ...], **options: Unpack[BatchOptions]) -> int:
    """Run many debates in parallel.

    BRIEF is a file, or a question in quotes. To resume a batch, repeat the same command: finished debates are not run
    again.

    With --batch, models of OpenAI and Anthropic are asked through the providers' batch interfaces: all that debates ask
    in a round goes out as one batch for each model. Ctrl-C ends the command, and the batches go on at the providers.
    """
    from folkmoot.app.batch.batch_plan import FaultyBatch

    if options["jobs"] or options["cancel"]:
        return run_command(_jobs(options))
    if options["half_price"] and options["queue"]:
        raise click.UsageError("--batch and --queue cannot be given together: workers ask models live.")
    try:
        return run_command(_batch(briefs, options))
    except FaultyBatch as error:
        from folkmoot.cli.display.text_layout import line

        for fault in error.faults[:MOST_FAULTS]:
            click.echo(f"folkmoot: {line(fault)}", err=True)
        if (more := len(error.faults) - MOST_FAULTS) > 0:
            click.echo(f"folkmoot: and {counted(more, 'more mistake', 'more mistakes')}", err=True)
        return USAGE


async def _jobs(options: BatchOptions) -> int:
    """List the batches that providers have, or cancel some of them."""
    from folkmoot.app.batch.provider_jobs import cancel_jobs, job_lines

    async with open_for_running(options["store"]) as workspace:
        if options["cancel"]:
            handles = await cancel_jobs(workspace, options["cancel"])
            if not handles:
                click.echo("folkmoot: no batch is under way", err=True)
            for handle in handles:
                click.echo(f"{handle}: cancelled. What is answered already goes on record when its debate is resumed.")
            return DONE
        lines = await job_lines(workspace)
        if not lines:
            click.echo("folkmoot: no batch has been sent to a provider from this store", err=True)
        for line in lines:
            click.echo(line)
        return DONE


MOST_QUEUED = 100
"""The default for the number of debates that workers run in parallel."""

MOST_FAULTS = 50
"""The most mistakes that are shown at once."""


def read_batch(briefs: Sequence[str], options: BatchOptions) -> "Batch":
    """Read the batch that was typed.

    Raises:
        FaultyBatch: some briefs have mistakes.
        BriefError: nothing can be used.
    """
    from folkmoot.app.batch.batch_plan import FaultyBatch, Wanted, make_batch, read_briefs, read_lines, read_stream
    from folkmoot.app.plan.settings import load_config
    from folkmoot.cli.options import overrides_of, settings_of

    if not briefs and options["jsonl"] is None:
        raise click.UsageError("Give at least one brief, or --jsonl FILE.")
    nothing: LimitOptions = {
        "budget": None,
        "max_tokens": None,
        "max_questions": None,
        "turn_seconds": None,
        "total_seconds": None,
    }
    settings = settings_of(options["settings"], options["preset"])
    presets = load_config().presets
    wanted = Wanted(overrides=overrides_of(options, nothing), settings=settings, presets=presets)
    faults: list[str] = []
    items = read_briefs(briefs, wanted, faults)
    if (path := options["jsonl"]) is not None:
        items += read_stream(sys.stdin.buffer, wanted, faults) if str(path) == "-" else read_lines(path, wanted, faults)
    if faults:
        raise FaultyBatch(faults)
    return make_batch(items, times=options["times"], name=options["name"] or "")


async def _batch(briefs: Sequence[str], batch_options: BatchOptions) -> int:
    from folkmoot.app.batch.run_batch import PARALLEL, BatchRun
    from folkmoot.app.plan.settings import load_config
    from folkmoot.cli.display.progress import Progress
    from folkmoot.cli.terminal import Interrupt

    wanted = read_batch(briefs, batch_options)
    async with _open(batch_options) as (workspace, queue):
        config = workspace.config = load_config()
        workspace.tray.or_live = batch_options["or_live"]
        parallel = batch_options["parallel"] or (MOST_QUEUED if queue else PARALLEL)
        work = BatchRun(
            workspace=workspace,
            batch=wanted,
            config=config,
            parallel=parallel,
            budget=batch_options["budget"],
            queue=queue,
            half_price=batch_options["half_price"],
            wait=batch_options["wait"],
        )
        foreseen = await work.estimate()
        progress = Progress(work, as_json=batch_options["as_json"])
        progress.introduce(foreseen, dry=batch_options["dry_run"])
        if batch_options["dry_run"]:
            return DONE
        interrupt = Interrupt(say=progress.remark, stop=work.stop)
        work.tell, workspace.tray.tell = progress.tell, progress.remark
        with progress:
            await _conduct(work, progress, interrupt)
        look_around = await work.outcomes()
        progress.conclude(look_around)
        if batch_options["out"]:
            _save(batch_options["out"], wanted, look_around, progress)
        return exit_code(look_around, stopped=bool(work.stop.reason))


@asynccontextmanager
async def _open(batch_options: BatchOptions) -> "AsyncGenerator[tuple[Workspace, Dispatcher | None]]":
    """Open the workspace, and the queue where workers run the debates."""
    if batch_options["queue"]:
        async with open_queue(batch_options["store"]) as (workspace, queue):
            yield workspace, queue
    else:
        async with open_for_running(batch_options["store"]) as workspace:
            yield workspace, None


async def _conduct(work: "BatchRun", progress: "Progress", interrupt: "Interrupt") -> None:
    """Run the batch. Ctrl-C pauses it after the answers in progress, a second Ctrl-C at once."""
    import asyncio

    from folkmoot.cli.terminal import TICK, listening

    async def tick() -> None:
        while True:
            await asyncio.sleep(TICK)
            progress.tick()

    with listening(interrupt):
        try:
            async with asyncio.TaskGroup() as group:
                ticks = group.create_task(tick())
                interrupt.task = task = group.create_task(work.run())
                task.add_done_callback(lambda _: ticks.cancel())
        except BaseExceptionGroup as errors:
            # Such as an output that nobody reads. The debates were stopped for it and can be resumed.
            raise first_of(errors) from errors


def first_of(error: BaseException) -> BaseException:
    """The first error in a group, however deeply it is nested."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error


def _save(folder: Path, batch: "Batch", outcomes: "Sequence[BatchOutcome]", progress: "Progress") -> None:
    from folkmoot.app.batch.summary import batch_csv, batch_data, batch_page
    from folkmoot.app.export.reports import save

    try:
        folder.mkdir(parents=True, exist_ok=True)
        save(folder / "batch.json", batch_data(batch, outcomes))
        save(folder / "batch.csv", batch_csv(outcomes))
        save(folder / "batch.md", batch_page(batch, outcomes))
    except OSError as error:
        progress.remark(f"the table was not saved: {error.strerror or error}: {folder}")


def exit_code(outcomes: "Sequence[BatchOutcome]", *, stopped: bool) -> int:
    """The exit code of a batch: debates that can be resumed count before debates that failed.

    Args:
        outcomes: the results of its debates.
        stopped: whether the user has stopped the batch.
    """
    if stopped:
        return INTERRUPTED
    codes = {code_of(item.status, item.kind) for item in outcomes if item.status != "unbegun"}
    if any(item.status == "unbegun" for item in outcomes):
        codes.add(LIMIT)  # only the budget keeps a debate from being started
    return next((item for item in (LIMIT, UNREACHABLE, WAITING, INTERRUPTED, ERROR) if item in codes), DONE)
