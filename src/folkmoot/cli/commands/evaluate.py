"""``folkmoot eval``: does a debate pay? Plan, run, show and export an evaluation; begin one from nothing; judge the past.

The evaluation itself is imported where a command needs it: the help does not.
"""

import csv
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from folkmoot.cli.options import (
    DONE,
    ERROR,
    INTERRUPTED,
    LIMIT,
    USAGE,
    FloatRange,
    Function,
    Group,
    HalfPriceOptions,
    IntRange,
    complete_debate,
    half_price_options,
    open_for_running,
    open_workspace,
    run_command,
    store_option,
)
from folkmoot.core.brief import BATCHED, COST, SEED
from folkmoot.core.text import about, counted, slug

if TYPE_CHECKING:
    from folkmoot.app.evaluation.inspect_bridge import Mark
    from folkmoot.app.evaluation.plan import PreparedEvaluation
    from folkmoot.app.evaluation.questions import DataSet
    from folkmoot.app.evaluation.responses import Charge
    from folkmoot.app.evaluation.run import EvalRun, Progress
    from folkmoot.app.evaluation.scores import EvalResult
    from folkmoot.app.evaluation.setup import Setup

FORMS = ("html", "json", "csv", "latex", "paper")
"""``folkmoot.app.evaluation.output`` has them, and is loaded when it is needed."""

INSPECT = "inspect"

MOST_FAULTS = 50
"""The most faulty lines that are shown at once."""

QUESTIONS, DOLLARS = 30, 2.0
"""How many questions and US dollars a first evaluation takes: some ten minutes of one's time."""

HEADS = ("input", "options", "truth")

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


class FileFirst(Group):
    """A group whose command ``run`` may be left out before a file."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; a file in the place of a command is one to run."""
        if args and args[0] not in self.commands and (Path(args[0]).suffix or Path(args[0]).exists()):
            args = ["run", *args]
        return super().parse_args(ctx, args)


@click.group(name="eval", cls=FileFirst)
def evaluate() -> None:
    """Measure whether a debate pays: at equal cost, with intervals."""


# ---- new -------------------------------------------------------------------------------------------------------------


@evaluate.command()
@click.argument("decided", required=False, metavar="[DECIDED]")
@click.option("--questions", type=click.Path(path_type=Path), metavar="FILE", help="Questions with known answers.")
@click.option("-m", "--model", multiple=True, metavar="MODEL", help="The model that answers. Can be repeated.")
@click.option("--budget", type=FloatRange(*COST), metavar="USD", help="US dollars for all of it; 0 for no limit.")
@click.option("-n", "--most", type=IntRange(2), default=QUESTIONS, show_default=True, help="Questions to put.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask before calls that cost money.")
@store_option
def new(
    decided: str | None,
    questions: Path | None,
    model: tuple[str, ...],
    budget: float | None,
    most: int,
    yes: bool,
    store: Path | str | None,
) -> int:
    """Ask what an evaluation needs, say what it costs, run it, and write one page to forward.

    DECIDED is what you decide, such as "Which supplier?". What is not given as an option is asked for. To resume, repeat
    the command with the same answers: what is on record is not asked again.
    """
    name = slug(decided or click.prompt("What is decided? A few words"), 40)
    if questions is None:
        ask = "A file of questions with known answers; empty to type them"
        typed = click.prompt(ask, default="", show_default=False)
        questions = Path(typed) if typed else _type_questions(Path(f"{name}.csv"), most)
    data = _read(questions)
    if data is None:
        return USAGE
    ask = "Who answers? Models, parted by blanks; three different ones are best"
    models = model or tuple(click.prompt(ask).split())
    ask = "At most how many US dollars? 0 for no limit"
    dollars = click.prompt(ask, DOLLARS, type=float) if budget is None else budget

    async def run() -> int:
        from folkmoot.app.evaluation.blocks import shuffled
        from folkmoot.app.evaluation.folder import SCORES_FILE, read_result
        from folkmoot.app.evaluation.output import write_file
        from folkmoot.app.evaluation.scoreboard import measure
        from folkmoot.app.evaluation.setup import plain_setup

        some = data.only(question.id for question in shuffled(data.questions, 0)[:most])
        if len(some.questions) < (many := len(data.questions)):
            click.echo(f"{counted(len(some.questions), 'question')} drawn of {many}; --most {many} takes all")
        setup, folder = plain_setup(Path(name), models, name=name), Path(f"{name}-eval")
        # forced: what so few questions can show stands in the plan, and on the page
        options = RunOptions(store=store, yes=yes, force=True, half_price=False, or_live=False, wait=True)
        code = await _run(replace(setup, budget=dollars or None), some, folder, options)
        if not (folder / SCORES_FILE).exists():
            return code
        board = measure(read_result(folder))
        for line in board.verdicts:
            click.echo(line.verdict.sentence)
        click.echo(f"one page to forward: {write_file(board, 'html', folder)}")
        return code

    return run_command(run())


def _type_questions(path: Path, most: int) -> Path:
    """Ask for questions, and write each into a table as soon as it is complete; one that is there is continued."""
    with path.open("a+", encoding="utf-8", newline="") as file:
        file.seek(0)
        rows = sum(1 for _ in csv.reader(file))
        table = csv.writer(file)
        if not rows:
            table.writerow(HEADS)
        for number in range(max(rows, 1), most + 1):
            text = click.prompt(f"Question {number} of {most}; empty to end", default="", show_default=False)
            if not text:
                break
            options = click.prompt("  Its options, parted by |; empty for none", default="", show_default=False)
            allowed = [option.strip() for option in options.split("|") if option.strip()]
            truth = click.prompt("  The right answer", type=click.Choice(allowed) if allowed else None)
            table.writerow((text, options, truth))
            file.flush()
    click.echo(f"questions: {path}")
    return path


def _read(questions: Path) -> "DataSet | None":
    """The questions of a file; None, and what is wrong, where there are none."""
    from folkmoot.app.evaluation.questions import FaultyData, read_data_set

    try:
        return read_data_set(questions)
    except FaultyData as error:
        _say_faults(error.faults)
        return None


def _say_faults(faults: Sequence[str]) -> None:
    for fault in faults[:MOST_FAULTS]:
        click.echo(f"folkmoot: {fault}", err=True)
    if len(faults) > MOST_FAULTS:
        click.echo(f"folkmoot: and {counted(len(faults) - MOST_FAULTS, 'more fault')}", err=True)


@evaluate.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
def check(file: Path) -> int:
    """Check questions with known answers, and say what is in them.

    FILE is .jsonl, .csv, or a folder of briefs with answer: in the header. Each faulty line is one error with its
    number.
    """
    data = _read(file)
    if data is None:
        return USAGE
    groups = {question.group or question.id for question in data.questions}
    click.echo(f"{counted(len(data.questions), 'question')} in {counted(len(groups), 'group')}")
    for kind, count in sorted(Counter(question.kind for question in data.questions).items()):
        click.echo(f"  {kind}: {count}")
    return DONE


# ---- plan and run ----------------------------------------------------------------------------------------------------


class RunOptions(HalfPriceOptions, total=False):
    """The options of a run, as they were typed."""

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


def _options(command: Function) -> Function:
    """The arguments of both commands."""
    out = click.Path(file_okay=False, path_type=Path)
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
                help="Another protocol to compare it with at equal cost: the cheaper one runs more often.",
            ),
            click.option("--name", metavar="NAME", help="The name of the evaluation. Default: that of the file."),
            click.option(
                "--seed", type=IntRange(*SEED), metavar="N", help="The random seed. Default: the file's, or 0."
            ),
            click.option("-o", "--out", type=out, help="The folder of its plan and scores. Default: NAME-eval."),
            click.option("--budget", type=FloatRange(*COST), metavar="USD", help="US dollars for all of it."),
            click.option("--parallel", type=IntRange(*BATCHED), metavar="N", help="Questions in parallel. Default: 8."),
            click.option("--tag", default="", metavar="TAG", help="Put only questions with this tag."),
            click.option("--force", is_flag=True, help="Run even if the questions are too few to show the margin."),
            click.option("-y", "--yes", is_flag=True, help="Do not ask before calls that cost money."),
            store_option,
        )
    ):
        command = add(command)
    return half_price_options(command)


@evaluate.command(name="plan")
@_options
def plan_evaluation(file: Path, **options: Unpack[EvalOptions]) -> int:
    """Plan an evaluation and estimate its cost, as folkmoot eval run --dry-run does. Nothing is sent to any model."""
    return run_command(_evaluate(file, {**options, "dry_run": True}))


@evaluate.command(name="run")
@click.option("--dry-run", is_flag=True, help="Plan and price it; send nothing.")
@_options
def run_evaluation(file: Path, **options: Unpack[EvalOptions]) -> int:
    """Put every question to all arms at equal cost, and save the scores.

    FILE is a check.toml, or together with -m questions with known answers (see folkmoot eval check) or a task of Inspect
    (FILE.py@TASK). To resume an evaluation, repeat the same command: what is on record is not asked again.
    """
    return run_command(_evaluate(file, options))


async def _evaluate(file: Path, options: EvalOptions) -> int:
    from folkmoot.app.evaluation.inspect_bridge import read_questions
    from folkmoot.app.evaluation.questions import FaultyData, tagged
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
    setup = replace(setup, name=name, seed=seed, budget=budget, tag=options["tag"] or setup.tag)
    try:
        data, mark = read_questions(setup.questions)
    except FaultyData as error:
        _say_faults(error.faults)
        return USAGE
    if setup.tag:
        data = data.only(tagged({question.id: question.tags for question in data.questions}, setup.tag))
    return await _run(setup, data, options["out"] or Path(f"{setup.name}-eval"), options, mark)


async def _run(setup: "Setup", data: "DataSet", folder: Path, options: RunOptions, mark: "Mark | None" = None) -> int:
    """Plan an evaluation, ask before it costs money, and run it; returns the exit code."""
    from folkmoot.app.evaluation.plan import prepare_evaluation
    from folkmoot.app.evaluation.run import PARALLEL, EvalRun
    from folkmoot.app.plan.settings import load_config

    async with open_for_running(options.get("store")) as workspace:
        workspace.config = load_config()
        workspace.tray.on, workspace.tray.or_live = options["half_price"], options["or_live"]
        workspace.tray.tell = lambda sentence: click.echo(f"folkmoot: {sentence}", err=True)
        prepared = await prepare_evaluation(workspace, setup, data)
        click.echo("\n".join(plan_lines(prepared)))
        if options.get("dry_run"):
            return DONE
        if prepared.smallest > prepared.plan.margin and not options.get("force"):
            click.echo(
                f"folkmoot: {counted(prepared.plan.planned, 'question')} cannot answer whether a debate is better by "
                f"{prepared.plan.margin:g}; that needs about {prepared.needed}. Run it with --force",
                err=True,
            )
            return USAGE
        if not (options.get("yes") or prepared.total.usd == 0 or not sys.stdin.isatty() or click.confirm("Begin?")):
            return USAGE
        run = EvalRun(
            workspace=workspace,
            prepared=prepared,
            folder=folder,
            parallel=options.get("parallel") or PARALLEL,
            wait=options["wait"],
            mark=mark,
        )
        await run.begin()
        click.echo("\n".join(result_lines(run, await _conduct(run))))
        if run.stop.reason:
            return INTERRUPTED
        return DONE if not run.paused else LIMIT if run.at_limit else ERROR


async def _conduct(run: "EvalRun") -> "EvalResult":
    """Run the blocks and grade them. Ctrl-C pauses after the answers in progress, a second Ctrl-C at once."""
    import asyncio

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
        if screen and (run.paused or run.at_limit):
            click.echo(err=True)
        return await run.result()

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
    from folkmoot.app.evaluation.plan import ALIKE
    from folkmoot.evaluation.verdicts import LEAST_GROUPS

    def price(charge: "Charge") -> str:
        usd = "unknown" if charge.usd is None else f"${charge.usd:.2f}"
        return f"{charge.calls:,.0f} calls, {charge.tokens:,.0f} tokens, cost {usd}"

    plan, groups = prepared.plan, len(set(prepared.groups))
    times = f", {plan.epochs} times each" if plan.epochs > 1 else ""
    yield f"{plan.name}: {counted(plan.planned, 'question')} in {counted(groups, 'group')}{times}"
    wide = max(len(arm.name) for arm in plan.arm)
    for arm in plan.arm:
        title = "the debate" if arm.title == arm.name else arm.title
        yield f"  {arm.name:<{wide}}  {title}{' (own drafts)' if arm.own_drafts else ''}"
    yield f"expected: {price(prepared.total)}; equal cost in {plan.currency}"
    yield f"usually below: {price(prepared.usual)}"
    if prepared.plan.budget is not None:
        yield f"budget: ${prepared.plan.budget:g}"
    alike = f" (within a group, differences count as correlated by {ALIKE:g})" if groups < plan.planned else ""
    yield (
        f"smallest difference that is found in 4 of 5 runs: {prepared.smallest:.3f}; margin {plan.margin:g} "
        f"needs about {counted(prepared.needed, 'question')}{alike}"
    )
    if groups < LEAST_GROUPS:
        yield f"fewer than {LEAST_GROUPS} groups of questions: there will be no verdict"
    yield f"plan {plan.hash[:16]}"


def result_lines(run: "EvalRun", result: "EvalResult") -> Iterator[str]:
    """How far the run came, what was paid, and where the scores are."""
    complete = sum(block.whole for block in run.blocks)
    usd = "unknown" if result.run.paid_usd is None else about(f"${result.run.paid_usd:.4f}", result.run.paid_estimated)
    answered = f"{complete} of {_work(run, len(run.blocks))} answered by all arms"
    yield f"{answered}; paid {usd}, {about(f'{result.run.paid_tokens:,} tokens', result.run.paid_estimated)}"
    if result.run.plan_changed:
        yield (
            "the plan was changed after the first call: everything is exploratory; to test the new plan, give it a "
            "name of its own with --name: it gets its own hash, folder and answers"
        )
    if run.paused:
        yield f"paused: {run.paused}; repeat the command to resume"
    yield f"scores: {run.folder}; show them with: folkmoot eval show {run.folder}"


def _work(run: "EvalRun", n: int) -> str:
    """So many questions; where each is put several times, so many repeats of them."""
    return (
        counted(n, "question") if run.plan.epochs == 1 else counted(n, "repeat of a question", "repeats of questions")
    )


# ---- show and export -------------------------------------------------------------------------------------------------


@evaluate.command()
@click.argument("folder", type=_FOLDER, metavar="FOLDER")
@click.option("--all", "everything", is_flag=True, help="Show a line for each question, too.")
@click.option("--tag", default="", metavar="TAG", help="Only questions with this tag; exploratory, without a verdict.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(folder: Path, everything: bool, tag: str, as_json: bool) -> int:
    """Show the scoreboard of an evaluation: FOLDER is where its run has saved the scores.

    The first lines are the verdicts. Then come the arms, the differences from rivals of equal cost, and what changed
    between first and last answers. It can be read while the run goes on: then the verdict waits for the next look of
    the plan.
    """
    from folkmoot.app.evaluation.folder import read_result
    from folkmoot.app.evaluation.scoreboard import only_tagged

    result = read_result(folder)
    return _show(only_tagged(result, tag) if tag else result, everything=everything, as_json=as_json)


def _show(result: "EvalResult", *, everything: bool, as_json: bool) -> int:
    from folkmoot.app.evaluation.output import screen, summary
    from folkmoot.app.evaluation.scoreboard import measure

    board = measure(result)
    click.echo(summary(board) if as_json else "\n".join(screen(board, everything=everything)), nl=not as_json)
    return DONE


@evaluate.command()
@click.argument("folder", type=_FOLDER, metavar="FOLDER")
@click.option(
    "--format",
    "form",
    type=click.Choice((*FORMS, INSPECT)),
    default="html",
    show_default=True,
    help="html: one page to forward; json: all data; csv and latex: a table of the planned differences; paper: each of "
    "them as a sentence; inspect: a log of Inspect for each arm.",
)
@click.option("-o", "--out", type=click.Path(file_okay=False, path_type=Path), help="Where to. Default: FOLDER.")
@store_option
def export(folder: Path, form: str, out: Path | None, store: Path | str | None) -> int:
    """Write the scoreboard of an evaluation to a file, and print its name.

    Logs of Inspect have the right answers as targets. The turns in them are read from the debates in the store.
    """
    from folkmoot.app.evaluation.folder import read_result
    from folkmoot.app.evaluation.inspect_bridge import read_records, write_logs
    from folkmoot.app.evaluation.output import write_file
    from folkmoot.app.evaluation.scoreboard import measure

    result = read_result(folder)

    async def logs() -> list[Path]:
        async with open_workspace(store, reading=True) as workspace:
            records = await read_records(workspace, result)
            return write_logs(result, folder, records, out or folder / INSPECT)

    paths = run_command(logs()) if form == INSPECT else [write_file(measure(result), form, out or folder)]
    for path in paths:
        click.echo(path)
    return DONE


@evaluate.command()
@click.argument("debates", nargs=-1, metavar="[DEBATE]...", shell_complete=complete_debate)
@click.option(
    "-o",
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Save the scores into this folder, for `folkmoot eval show` and `export`.",
)
@click.option("--all", "everything", is_flag=True, help="Show a line for each debate, too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@store_option
def past(debates: tuple[str, ...], out: Path | None, everything: bool, as_json: bool, store: Path | str | None) -> int:
    """Show what past debates were worth: the named ones, or all whose right answer is known (`folkmoot learn resolve`).

    What would one model have said, the vote over the first answers, or a debate only where first answers differ, and at
    which cost? Nothing is asked again. The costs are not equal, so there is no verdict.
    """

    async def read() -> "EvalResult":
        from folkmoot.app.evaluation.folder import note_folder, save_result
        from folkmoot.app.evaluation.past import read_past
        from folkmoot.app.plan.settings import lock_place

        async with open_workspace(store, reading=True) as workspace:
            result = await read_past(workspace, debates)
            if out:
                save_result(out, result)
                note_folder(lock_place(workspace.store), out)
        return result

    return _show(run_command(read()), everything=everything, as_json=as_json)
