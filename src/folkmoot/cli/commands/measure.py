"""``folkmoot eval run`` and ``folkmoot eval plan``: measure on your own questions whether a debate pays."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click
import rich_click

from folkmoot.cli.options import (
    DONE,
    ERROR,
    INTERRUPTED,
    LIMIT,
    USAGE,
    Command,
    FloatRange,
    HalfPriceOptions,
    half_price_options,
    open_for_running,
    run_command,
    store_option,
)
from folkmoot.core.brief import BATCHED, COST, SEED
from folkmoot.core.text import about, counted, slug

if TYPE_CHECKING:
    from folkmoot.app.evaluation.inspect_tasks import Mark
    from folkmoot.app.evaluation.plan import PreparedEvaluation
    from folkmoot.app.evaluation.responses import Charge
    from folkmoot.app.evaluation.run import EvalRun, Progress
    from folkmoot.app.evaluation.scores import EvalResult
    from folkmoot.app.evaluation.setup import Setup
    from folkmoot.app.questions.data_sets import DataSet

MOST_FAULTS = 50
"""The most faulty lines that are shown at once."""


class RunOptions(HalfPriceOptions):
    """How an evaluation is run, whatever it is."""

    parallel: int | None
    force: bool
    yes: bool
    dry_run: bool
    store: Path | str | None


class EvalOptions(RunOptions):
    """The options of an evaluation, as they were typed."""

    model: tuple[str, ...]
    protocol: str | None
    against: str | None
    name: str | None
    seed: int | None
    out: Path | None
    budget: float | None
    tag: str


def _options(command: Command) -> Command:
    """The arguments of both commands."""
    for add in reversed(
        (
            click.argument("file", type=click.Path(path_type=Path), metavar="FILE"),
            click.option(
                "-m", "--model", multiple=True, metavar="MODEL", help="The model that answers. Can be repeated."
            ),
            click.option("--protocol", metavar="NAME", help="The debate that is judged. Default: panel."),
            click.option(
                "--against",
                metavar="NAME",
                help="Another protocol to compare it with at equal cost: the cheaper one is held more often.",
            ),
            click.option("--name", metavar="NAME", help="The name of the evaluation. Default: that of the file."),
            click.option(
                "--seed", type=click.IntRange(*SEED), metavar="N", help="The random seed. Default: the file's, or 0."
            ),
            click.option(
                "-o",
                "--out",
                type=click.Path(file_okay=False, path_type=Path),
                help="The folder of its plan and scores. Default: NAME-eval.",
            ),
            click.option("--budget", type=FloatRange(*COST), metavar="USD", help="US dollars for all of it."),
            click.option(
                "--parallel", type=click.IntRange(*BATCHED), metavar="N", help="Questions in parallel. Default: 8."
            ),
            click.option("--tag", default="", metavar="TAG", help="Put only questions with this tag."),
            click.option("--force", is_flag=True, help="Run even if the questions are too few to show the margin."),
            click.option("-y", "--yes", is_flag=True, help="Do not ask before calls that cost money."),
            store_option,
        )
    ):
        command = add(command)
    return half_price_options(command)


@rich_click.command(name="run")
@click.option("--dry-run", is_flag=True, help="Plan and price it; send nothing.")
@_options
def run_evaluation(file: Path, **options: Unpack[EvalOptions]) -> int:
    """Put every question to all arms at equal cost, and save the scores.

    FILE is a check.toml, or together with -m questions with known answers (see folkmoot eval check) or a task of Inspect
    (FILE.py@TASK). To resume an evaluation, repeat the same command: what is on record is not asked again.
    """
    return run_command(_evaluate(file, options))


@rich_click.command(name="plan")
@_options
def plan_evaluation(file: Path, **options: Unpack[EvalOptions]) -> int:
    """Plan an evaluation and estimate its cost, as folkmoot eval run --dry-run does. Nothing is sent to any model."""
    options["dry_run"] = True
    return run_command(_evaluate(file, options))


def say_faults(faults: Sequence[str]) -> None:
    """Print what is wrong with lines of a data set: the first ones, and how many more there are."""
    for fault in faults[:MOST_FAULTS]:
        click.echo(f"folkmoot: {fault}", err=True)
    if len(faults) > MOST_FAULTS:
        click.echo(f"folkmoot: and {counted(len(faults) - MOST_FAULTS, 'more fault')}", err=True)


async def _evaluate(file: Path, options: EvalOptions) -> int:
    from folkmoot.app.evaluation.inspect_tasks import read_questions
    from folkmoot.app.questions.data_sets import FaultyData, tagged

    setup = _setup(file, options)
    try:
        data, mark = read_questions(setup.questions)
    except FaultyData as error:
        say_faults(error.faults)
        return USAGE
    if setup.tag:
        data = data.only(tagged({question.id: question.tags for question in data.questions}, setup.tag))
    return await run_setup(setup, data, options["out"] or Path(f"{setup.name}-eval"), options, mark)


async def run_setup(
    setup: "Setup", data: "DataSet", folder: Path, options: RunOptions, mark: "Mark | None" = None
) -> int:
    """Plan an evaluation, ask before it costs money, and run it; returns the exit code."""
    from folkmoot.app.evaluation.plan import prepare_evaluation
    from folkmoot.app.evaluation.run import PARALLEL, EvalRun
    from folkmoot.app.plan.settings import load_config

    async with open_for_running(options["store"]) as workspace:
        workspace.config = load_config()
        workspace.tray.on, workspace.tray.or_live = options["half_price"], options["or_live"]
        workspace.tray.tell = lambda sentence: click.echo(f"folkmoot: {sentence}", err=True)
        prepared = await prepare_evaluation(workspace, setup, data)
        click.echo("\n".join(plan_lines(prepared)))
        if options["dry_run"]:
            return DONE
        if not _may_begin(prepared, options):
            return USAGE
        run = EvalRun(
            workspace=workspace,
            prepared=prepared,
            folder=folder,
            parallel=options["parallel"] or PARALLEL,
            wait=options["wait"],
            mark=mark,
        )
        await run.begin()
        click.echo("\n".join(result_lines(run, await _conduct(run))))
        return _exit_code(run)


def _setup(file: Path, options: EvalOptions) -> "Setup":
    """The evaluation that was typed; options replace what the file says."""
    from folkmoot.app.evaluation.setup import NAMED_SO, is_file_name, plain_setup, read_setup

    if file.suffix == ".toml":
        if typed := next((name for name in ("model", "protocol", "against") if options[name]), ""):
            raise click.UsageError(f"{file.name} says who answers and how; leave out --{typed}.")
        setup = read_setup(file)
    elif not options["model"]:
        raise click.UsageError("Name who answers with -m, once or several times.")
    else:
        protocol, against = options["protocol"] or "", options["against"] or ""
        setup = plain_setup(file, options["model"], protocol=protocol, against=against)
    seed = setup.seed if options["seed"] is None else options["seed"]
    budget = setup.budget if options["budget"] is None else options["budget"]
    name = options["name"] or (f"{setup.name}-{slug(options['tag'], 40)}" if options["tag"] else setup.name)
    if not is_file_name(name):
        raise click.UsageError(f"{name[:60]!r}: the {NAMED_SO}.")
    return replace(setup, name=name, seed=seed, budget=budget, tag=options["tag"] or setup.tag)


def _may_begin(prepared: "PreparedEvaluation", options: RunOptions) -> bool:
    """Whether the evaluation may begin: it can answer, or it is wanted anyway; and who pays agrees."""
    if prepared.smallest > prepared.plan.margin and not options["force"]:
        click.echo(
            f"folkmoot: {counted(prepared.plan.planned, 'question')} cannot answer whether a debate is better by "
            f"{prepared.plan.margin:g}; that needs about {prepared.needed}. Run it with --force",
            err=True,
        )
        return False
    if options["yes"] or prepared.total.usd == 0 or not sys.stdin.isatty():
        return True
    return click.confirm("Begin?")


async def _conduct(run: "EvalRun") -> "EvalResult":
    """Run the blocks and grade them. Ctrl-C pauses after the answers in progress, a second Ctrl-C at once."""
    from folkmoot.cli.commands.batch import first_of
    from folkmoot.cli.terminal import Interrupt, listening

    screen = sys.stderr.isatty()

    def tell(progress: "Progress") -> None:
        done, total = progress.done, progress.total
        if screen:
            click.echo(f"\r\x1b[2K{progress_line(run, progress)}", err=True, nl=done == total)
        elif 10 * done // total > 10 * (done - 1) // total:
            click.echo(progress_line(run, progress), err=True)

    async def work() -> "EvalResult":
        run.tell = tell
        click.echo("begun; Ctrl-C pauses, and the same command resumes: what is on record is not asked again", err=True)
        await run.run()
        if screen and run.paused:
            click.echo(err=True)
        return await run.result()

    import asyncio  # the help needs none of it

    interrupt = Interrupt(say=lambda words: click.echo(words, err=True), stop=run.stop)
    with listening(interrupt):
        try:
            async with asyncio.TaskGroup() as group:
                interrupt.task = task = group.create_task(work())
        except BaseExceptionGroup as errors:
            raise first_of(errors) from errors
    return task.result()


def progress_line(run: "EvalRun", progress: "Progress") -> str:
    """How far a run is, and what the rest will cost and take; answers for the rivals come on top."""
    line = f"{progress.done} of {_work(run, progress.total)}"
    if progress.paid:
        line += f", paid ${progress.paid:.2f}"
    if progress.done == progress.total:
        return f"{line}; now what the rivals lack"
    minutes = progress.seconds / 60
    left = f"about {minutes:.0f} min" if minutes >= 1 else f"about {progress.seconds:.0f} s"
    cost = f"about ${progress.left:.2f} and " if progress.left else ""
    return f"{line}; {cost}{left} to go, without the rivals' own answers"


def plan_lines(prepared: "PreparedEvaluation") -> Iterator[str]:
    """What is planned, what it is expected to cost, and what it could show."""
    plan = prepared.plan
    times = f", {plan.epochs} times each" if plan.epochs > 1 else ""
    yield f"{plan.name}: {counted(plan.planned, 'question')} in {counted(len(set(prepared.groups)), 'group')}{times}"
    wide = max(len(arm.name) for arm in plan.arms)
    for arm in plan.arms:
        title = "the debate" if arm.title == arm.name else arm.title
        yield f"  {arm.name:<{wide}}  {title}{' (own drafts)' if arm.own_drafts else ''}"
    yield f"expected: {price_words(prepared.total)}; equal cost in {plan.currency}"
    yield f"usually below: {price_words(prepared.usual)}"
    if prepared.setup.budget is not None:
        yield f"budget: ${prepared.setup.budget:g}"
    yield from _power_lines(prepared)
    yield f"plan {plan.hash[:16]}"


def _power_lines(prepared: "PreparedEvaluation") -> Iterator[str]:
    """What the questions could show, with allowance for their groups."""
    from folkmoot.app.evaluation.plan import ALIKE
    from folkmoot.evaluation.verdicts import LEAST_GROUPS

    plan = prepared.plan
    groups = len(set(prepared.groups))
    alike = f" (within a group, differences count as correlated by {ALIKE:g})" if groups < plan.planned else ""
    yield (
        f"smallest difference that is found in 4 of 5 runs: {prepared.smallest:.3f}; margin {plan.margin:g} "
        f"needs about {counted(prepared.needed, 'question')}{alike}"
    )
    if groups < LEAST_GROUPS:
        yield f"fewer than {LEAST_GROUPS} groups of questions: there will be no verdict"


def price_words(price: "Charge") -> str:
    """Calls, tokens and US dollars."""
    usd = "unknown" if price.usd is None else f"${price.usd:.2f}"
    return f"{price.calls:,.0f} calls, {price.tokens:,.0f} tokens, cost {usd}"


def result_lines(run: "EvalRun", result: "EvalResult") -> Iterator[str]:
    """How far the run came, what was paid, and where the scores are."""
    complete = sum(block.whole for block in run.blocks)
    usd = "unknown" if result.paid_usd is None else about(f"${result.paid_usd:.4f}", result.paid_estimated)
    answered = f"{complete} of {_work(run, len(run.blocks))} answered by all arms"
    yield f"{answered}; paid {usd}, {about(f'{result.paid_tokens:,} tokens', result.paid_estimated)}"
    if result.plan_changed:
        yield (
            "the plan was changed after the first call: everything is exploratory; to test the new plan, give it a "
            "name of its own with --name: it gets its own hash, folder and answers"
        )
    if run.paused:
        yield f"paused: {run.paused}; repeat the command to resume"
    yield f"scores: {run.folder}; show them with: folkmoot eval show {run.folder}"


def _work(run: "EvalRun", n: int) -> str:
    """So many questions; where each is put several times, so many repeats of them."""
    if run.plan.epochs == 1:
        return counted(n, "question")
    return counted(n, "repeat of a question", "repeats of questions")


def _exit_code(run: "EvalRun") -> int:
    if run.stop.reason:
        return INTERRUPTED
    if not run.paused:
        return DONE
    return LIMIT if run.at_limit else ERROR
