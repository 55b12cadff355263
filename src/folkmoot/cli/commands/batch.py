"""``folkmoot batch``: run many debates in parallel."""

import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack, cast

import click

from folkmoot.cli.options import (
    DONE,
    ERROR,
    EXIT_CODES,
    FOLDER,
    INTERRUPTED,
    LIMIT,
    UNREACHABLE,
    USAGE,
    WAITING,
    BriefOptions,
    FloatRange,
    HalfPriceOptions,
    IntRange,
    NotEmpty,
    Store,
    brief_options,
    brief_overrides,
    code_of,
    command,
    half_price_options,
    note,
    open_for_running,
    open_queue,
    option,
    rare,
    run_command,
    settings_of,
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

MOST_QUEUED = 100
"""The default for the number of debates that workers run in parallel."""

MOST_FAULTS = 50
"""The most mistakes that are shown at once."""


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
    store: Store


class BatchOptions(_OwnOptions, HalfPriceOptions, BriefOptions):
    """The options of ``folkmoot batch``, as they were typed."""


@command(epilog=EXIT_CODES)
@click.argument("briefs", nargs=-1, metavar="[BRIEF]...")
@option("--repeat", "times", type=IntRange(*REPEATS), default=1, metavar="N", help="Repeat each debate N times.")
@option(
    "--jsonl",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path),
    metavar="FILE",
    help="More briefs, one JSON object on each line; - is standard input.",
)
@option("--dry-run", is_flag=True, help="Check and estimate everything; send nothing.")
@option("--budget", type=FloatRange(*COST), metavar="USD", help="US dollars for the whole batch.")
@option("--parallel", type=IntRange(*BATCHED), metavar="N", help="Debates in parallel. Default: 8, with --queue 100.")
@brief_options
@half_price_options
@option("--json", "as_json", is_flag=True, help="Print a JSON line for each debate when it ends.")
@option("-o", "--out", type=FOLDER, help="Save the table into this folder, as .json, .csv and .md.")
@rare("--name", type=NotEmpty(), metavar="NAME", help="The name of the batch. Default: derived from the briefs.")
@rare("--queue", is_flag=True, help="Let workers run the debates. Needs --store postgresql://….")
@rare("--jobs", is_flag=True, help="List the batches that --batch has sent to providers. Run nothing.")
@rare("--cancel", multiple=True, metavar="JOB", help="Cancel a batch at its provider, or all. Run nothing.")
@store_option
def batch(briefs: tuple[str, ...], jobs: bool, cancel: tuple[str, ...], **options: Unpack[BatchOptions]) -> int:
    """Run many debates in parallel.

    BRIEF is a file, or a question in quotes. To resume a batch, repeat the same command: finished debates are not run
    again. With --batch, all that debates ask in a round goes out as one batch for each model of OpenAI and Anthropic.
    Ctrl-C ends the command, and the batches go on at the providers.
    """
    from folkmoot.app.batch.batch_plan import FaultyBatch

    if jobs or cancel:
        return run_command(_jobs(cancel, options["store"]))
    if options["half_price"] and options["queue"]:
        raise click.UsageError("--batch and --queue cannot be given together: workers ask models live.")
    try:
        return run_command(_batch(briefs, options))
    except FaultyBatch as error:
        for fault in error.faults[:MOST_FAULTS]:
            note(fault)
        if (more := len(error.faults) - MOST_FAULTS) > 0:
            note(f"and {counted(more, 'more mistake', 'more mistakes')}")
        return USAGE


async def _jobs(cancel: tuple[str, ...], store: Store) -> int:
    """List the batches that providers have, or cancel some of them."""
    from folkmoot.app.batch.provider_jobs import cancel_jobs, job_lines

    async with open_for_running(store) as workspace:
        if cancel:
            answered = "cancelled. What is answered already goes on record when its debate is resumed."
            lines = [f"{handle}: {answered}" for handle in await cancel_jobs(workspace, cancel)]
        else:
            lines = await job_lines(workspace)
    if not lines:
        note("no batch is under way" if cancel else "no batch has been sent to a provider from this store")
    for line in lines:
        click.echo(line)
    return DONE


def read_batch(briefs: Sequence[str], options: BatchOptions) -> "Batch":
    """Read the batch that was typed.

    Raises:
        FaultyBatch: some briefs have mistakes.
        BriefError: nothing can be used.
    """
    from folkmoot.app.batch.batch_plan import FaultyBatch, Wanted, make_batch, read_briefs, read_lines, read_stream
    from folkmoot.app.plan.settings import load_config

    path = options["jsonl"]
    if not briefs and path is None:
        raise click.UsageError("Give at least one brief, or --jsonl FILE.")
    settings = settings_of(options["settings"], options["preset"])
    wanted = Wanted(overrides=brief_overrides(options), settings=settings, presets=load_config().presets)
    faults: list[str] = []
    items = read_briefs(briefs, wanted, faults)
    if path is not None:
        items += read_stream(sys.stdin.buffer, wanted, faults) if str(path) == "-" else read_lines(path, wanted, faults)
    if faults:
        raise FaultyBatch(faults)
    return make_batch(items, times=options["times"], name=options["name"] or "")


async def _batch(briefs: Sequence[str], options: BatchOptions) -> int:
    from folkmoot.app.batch.run_batch import PARALLEL, BatchRun
    from folkmoot.app.plan.settings import load_config
    from folkmoot.cli.display.progress import Progress
    from folkmoot.cli.terminal import Interrupt

    wanted = read_batch(briefs, options)
    async with _open(options) as (workspace, queue):
        workspace.config = load_config()
        workspace.tray.or_live = options["or_live"]
        work = BatchRun(
            workspace=workspace,
            batch=wanted,
            config=workspace.config,
            parallel=options["parallel"] or (MOST_QUEUED if queue else PARALLEL),
            budget=options["budget"],
            queue=queue,
            half_price=options["half_price"],
            wait=options["wait"],
        )
        foreseen = await work.estimate()
        progress = Progress(work, as_json=options["as_json"])
        progress.introduce(foreseen, dry=options["dry_run"])
        if options["dry_run"]:
            return DONE
        interrupt = Interrupt(say=progress.remark, stop=work.stop)
        work.tell, workspace.tray.tell = progress.tell, progress.remark
        with progress:
            await _conduct(work, progress, interrupt)
        outcomes = await work.outcomes()
        progress.conclude(outcomes)
        if options["out"]:
            _save(options["out"], wanted, outcomes, progress)
        return exit_code(outcomes, stopped=bool(work.stop.reason))


@asynccontextmanager
async def _open(options: BatchOptions) -> "AsyncGenerator[tuple[Workspace, Dispatcher | None]]":
    """Open the workspace, and the queue where workers run the debates."""
    if options["queue"]:
        async with open_queue(options["store"]) as (workspace, queue):
            yield workspace, queue
    else:
        async with open_for_running(options["store"]) as workspace:
            yield workspace, None


async def _conduct(work: "BatchRun", progress: "Progress", interrupt: "Interrupt") -> None:
    """Run the batch. Ctrl-C pauses it after the answers in progress, a second Ctrl-C at once."""
    import asyncio

    from folkmoot.cli.terminal import listening, refresh

    with listening(interrupt):
        try:
            async with asyncio.TaskGroup() as group:
                ticks = group.create_task(refresh(progress.tick))
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
