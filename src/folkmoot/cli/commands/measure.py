"""``folkmoot eval run`` and ``folkmoot eval plan``: measure on your own questions whether a debate pays."""

import sys
from collections.abc import Iterator, Mapping, Sequence
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
from folkmoot.core.brief import BATCHED, COST, PARTICIPANTS, SEED
from folkmoot.core.text import about, counted, slug

if TYPE_CHECKING:
    from folkmoot.app.evaluation.eval_plan import ArmPrice, PreparedEvaluation
    from folkmoot.app.evaluation.eval_run import EvalRun
    from folkmoot.app.evaluation.eval_setup import Setup
    from folkmoot.app.evaluation.scores import EvalPlan, EvalResult
    from folkmoot.app.questions.data_sets import StoredData
    from folkmoot.evaluation.power import Pilot

MOST_FAULTS = 50
"""The most faulty lines that are shown at once."""


class EvalOptions(HalfPriceOptions):
    """The options of an evaluation, as they were typed."""

    model: tuple[str, ...]
    name: str | None
    seed: int | None
    out: Path | None
    budget: float | None
    parallel: int | None
    liar: tuple[int, ...]
    liar_model: str
    rubric_judge: str
    labels: Path | None
    tag: str
    cutoff: tuple[str, ...]
    order_probe: bool
    force: bool
    yes: bool
    dry_run: bool
    pilot: bool
    store: Path | str | None


def _liars_and_judges(command: Command) -> Command:
    """The options about models that do not just answer."""
    for add in reversed(
        (
            click.option(
                "--liar",
                type=click.IntRange(1, PARTICIPANTS.high - 1),
                multiple=True,
                metavar="K",
                help="Also run each debate with K participants told to mislead the others. Can be repeated.",
            ),
            click.option(
                "--liar-model",
                metavar="MODEL",
                default="",
                help="The model of the liars. Default: the participant's own model.",
            ),
            click.option(
                "--rubric-judge",
                metavar="MODEL",
                default="",
                help="Who judges answers to questions of the kind rubric; of another family than all who answer.",
            ),
            click.option(
                "--labels",
                type=click.Path(exists=True, dir_okay=False, path_type=Path),
                metavar="FILE",
                help="Answers that people have judged (input, rubric, answer, label), to check that judge.",
            ),
        )
    ):
        command = add(command)
    return command


def _parts_of_questions(command: Command) -> Command:
    """The options about what the data says of questions."""
    cutoff = click.option(
        "--cutoff",
        multiple=True,
        metavar="MODEL=DATE",
        help="Up to which date a model may know what was public. Can be repeated.",
    )
    probe = click.option(
        "--order-probe",
        is_flag=True,
        help="Also ask each model alone with the options in the order of the data: has it seen them?",
    )
    tag = click.option("--tag", default="", metavar="TAG", help="Put only questions with this tag.")
    return tag(cutoff(probe(command)))


def _options(command: Command) -> Command:
    """The arguments of both commands."""
    for add in reversed(
        (
            click.argument("file", type=click.Path(exists=True, path_type=Path), metavar="FILE"),
            click.option(
                "-m", "--model", multiple=True, metavar="MODEL", help="The model that answers. Can be repeated."
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
            _liars_and_judges,
            _parts_of_questions,
            click.option("--force", is_flag=True, help="Run even if the questions are too few to show the margin."),
            click.option(
                "--pilot",
                is_flag=True,
                help="Stop after the first 30 questions, which tell what all cost and can show.",
            ),
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

    FILE is a check.toml, or questions with known answers (see folkmoot eval check) together with -m. To resume an
    evaluation, repeat the same command: what is on record is not asked again.
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
    from folkmoot.app.questions.data_sets import FaultyData, tagged, to_store
    from folkmoot.app.questions.question_files import read_data_set

    setup = _setup(file, options)
    try:
        data = read_data_set(setup.questions)
    except FaultyData as error:
        say_faults(error.faults)
        return USAGE
    data = tagged(data, setup.tag) if setup.tag else data
    folder = options["out"] or Path(f"{setup.name}-eval")
    return await _run(setup, to_store(data, folder), folder, options)


async def _run(setup: "Setup", data: "StoredData", folder: Path, options: EvalOptions) -> int:
    from folkmoot.app.evaluation.eval_plan import prepare_evaluation
    from folkmoot.app.evaluation.eval_run import PARALLEL, PILOT, EvalRun
    from folkmoot.app.plan.settings import load_config

    async with open_for_running(options["store"]) as workspace:
        config = workspace.config = load_config()
        workspace.tray.on, workspace.tray.or_live = options["half_price"], options["or_live"]
        workspace.tray.tell = lambda sentence: click.echo(f"folkmoot: {sentence}", err=True)
        prepared = await prepare_evaluation(workspace, setup, data, config)
        if options["pilot"] and len(data.questions) <= PILOT:
            raise click.UsageError(f"--pilot needs more than {PILOT} questions.")
        for line in plan_lines(prepared, pilot=options["pilot"]):
            click.echo(line)
        if options["dry_run"]:
            return DONE
        if not _may_begin(prepared, options):
            return USAGE
        run = EvalRun(
            workspace=workspace,
            prepared=prepared,
            config=config,
            folder=folder,
            parallel=options["parallel"] or PARALLEL,
            budget=setup.budget,
            wait=options["wait"],
            only_pilot=options["pilot"],
            tell_pilot=lambda pilot: click.echo("\n".join(pilot_lines(pilot, prepared.plan))),
        )
        await run.begin()
        for line in result_lines(run, await _conduct(run)):
            click.echo(line)
        return _exit_code(run)


def _setup(file: Path, options: EvalOptions) -> "Setup":
    """The evaluation that was typed; options replace what the file says."""
    from dataclasses import replace

    from folkmoot.app.evaluation.eval_setup import NAMED_SO, is_file_name, plain_setup, read_setup

    if file.suffix == ".toml":
        if options["model"]:
            raise click.UsageError(f"The models stand in {file.name}; leave out -m.")
        setup = read_setup(file)
    elif not options["model"]:
        raise click.UsageError("Name who answers with -m, once or several times.")
    else:
        setup = plain_setup(file, options["model"])
    if options["seed"] is not None:
        setup = replace(setup, panel=replace(setup.panel, seed=options["seed"]))
    liars = options["liar"] or setup.liars
    setup = replace(setup, liars=liars, liar_model=options["liar_model"] or setup.liar_model)
    if setup.liar_model and not liars:
        raise click.UsageError("A model for liars needs their number: --liar 1.")
    judge, labels = options["rubric_judge"] or setup.rubric_judge, options["labels"] or setup.labels
    probe = options["order_probe"] or setup.order_probe
    setup = replace(setup, rubric_judge=judge, labels=labels, order_probe=probe)
    budget = setup.budget if options["budget"] is None else options["budget"]
    name = options["name"] or (f"{setup.name}-{slug(options['tag'], 40)}" if options["tag"] else setup.name)
    setup = replace(setup, tag=options["tag"] or setup.tag, cutoffs=_cutoffs(setup, options["cutoff"]))
    if not is_file_name(name):
        raise click.UsageError(f"{name[:60]!r}: the {NAMED_SO}.")
    return replace(setup, name=name, budget=budget)


def _cutoffs(setup: "Setup", typed: Sequence[str]) -> "Mapping[str, str]":
    """The cut-offs of the file, and those that were typed: the date follows the last equals sign."""
    from folkmoot.app.evaluation.eval_setup import cutoffs_of

    if wrong := next((pair for pair in typed if not all(pair.rpartition("=")[::2])), ""):
        raise click.UsageError(f"--cutoff {wrong[:60]!r}: write MODEL=DATE, such as openai:gpt-5=2024-09-30.")
    models = (*setup.panel.models, *(model for arm in setup.arms for model in arm.models))
    pairs = ((model, day) for model, _, day in (pair.rpartition("=") for pair in typed))
    return {**setup.cutoffs, **cutoffs_of(pairs, models)}


def _may_begin(prepared: "PreparedEvaluation", options: EvalOptions) -> bool:
    """Whether the evaluation may begin: it can answer, or it is wanted anyway; and who pays agrees."""
    if prepared.smallest > prepared.plan.margin and not (options["force"] or options["pilot"]):
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
    import asyncio

    from folkmoot.cli.commands.batch import first_of
    from folkmoot.cli.terminal import Interrupt, listening

    def tell(done: int, total: int) -> None:
        if 10 * done // total > 10 * (done - 1) // total:
            click.echo(f"{done} of {_work(run, total)}", err=True)

    async def work() -> "EvalResult":
        run.tell = tell
        await run.run()
        run.tell = lambda done, total: None
        return await run.result()

    interrupt = Interrupt(say=lambda words: click.echo(words, err=True), stop=run.stop)
    with listening(interrupt):
        try:
            async with asyncio.TaskGroup() as group:
                interrupt.task = task = group.create_task(work())
        except BaseExceptionGroup as errors:
            raise first_of(errors) from errors
    return task.result()


def plan_lines(prepared: "PreparedEvaluation", *, pilot: bool = False) -> Iterator[str]:
    """What is planned, what it is expected to cost, and what it could show.

    Args:
        prepared: the evaluation.
        pilot: whether only its first questions are to be put.
    """
    from folkmoot.app.evaluation.blocks import repeats_of_pilot
    from folkmoot.app.evaluation.eval_files import facts_of
    from folkmoot.app.evaluation.eval_run import PILOT
    from folkmoot.app.results.scoring import contamination_notes

    plan, total = prepared.plan, prepared.total
    times = f", {plan.epochs} times each" if plan.epochs > 1 else ""
    learned = len(prepared.data.questions) - plan.planned
    others = f"; {counted(learned, 'other')} to learn on (split: learn)" if learned else ""
    yield f"{plan.name}: {counted(plan.planned, 'question')} in {counted(prepared.groups, 'group')}{times}{others}"
    wide = max(len(arm.name) for arm in plan.arms)
    for arm in plan.arms:
        yield f"  {arm.name:<{wide}}  {arm.title}{' (own drafts)' if arm.own_drafts else ''}"
    yield f"expected: {price_words(total)}; equal cost in {plan.currency}"
    yield f"usually below: {price_words(prepared.usual(prepared.blocks))}"
    if pilot:
        repeats = repeats_of_pilot(plan.epochs, prepared.data.questions)
        yield (
            f"pilot: {PILOT} questions, each put {repeats} times: {price_words(prepared.expected(PILOT * repeats))}; "
            f"usually below {price_words(prepared.usual(PILOT * repeats))}"
        )
    if judge := prepared.setup.rubric_judge:
        checked = f"checked by {counted(len(prepared.labels), 'label')} of people"
        yield f"{judge} judges each answer by its rubric, {checked}: {_judging_words(prepared)}"
    yield from contamination_notes(facts_of(prepared.judged), plan.cutoffs)
    if prepared.setup.budget is not None:
        yield f"budget: ${prepared.setup.budget:g}"
    yield from _power_lines(prepared)
    if len(prepared.data.questions) > PILOT:
        yield f"the first {PILOT} questions tell what all cost, with an 80% interval, and what they can show: --pilot"
    yield f"plan {plan.hash[:16]}"


def _power_lines(prepared: "PreparedEvaluation") -> Iterator[str]:
    """What the questions could show, with allowance for their groups."""
    from folkmoot.app.evaluation.eval_plan import ALIKE
    from folkmoot.evaluation.verdicts import LEAST_GROUPS

    plan = prepared.plan
    grouped = prepared.groups < plan.planned
    alike = f" (within a group, differences count as correlated by {ALIKE:g})" if grouped else ""
    yield (
        f"smallest difference that is found in 4 of 5 runs: {prepared.smallest:.3f}; margin {plan.margin:g} "
        f"needs about {counted(prepared.needed, 'question')}{alike}"
    )
    if prepared.groups < LEAST_GROUPS:
        yield f"fewer than {LEAST_GROUPS} groups of questions: there will be no verdict"


def price_words(price: "ArmPrice") -> str:
    """Calls, tokens and US dollars."""
    usd = "unknown" if price.usd is None else f"${price.usd:.2f}"
    return f"{price.calls:,.0f} calls, {price.tokens:,.0f} tokens, cost {usd}"


def pilot_lines(pilot: "Pilot", plan: "EvalPlan") -> Iterator[str]:
    """What the first questions tell about all of them, and whether to add questions or repeats."""
    cost = f"{pilot.tokens[0]:,.0f} to {pilot.tokens[1]:,.0f} tokens (one of an answer counts as 5)"
    if pilot.usd and pilot.usd[1]:
        cost = f"${pilot.usd[0]:.2f} to ${pilot.usd[1]:.2f}"
    can = "" if pilot.smallest <= plan.margin else f": these {plan.planned} cannot show it"
    yield (
        f"after {pilot.questions} questions: all cost {cost} (80% interval); smallest difference that is found in 4 "
        f"of 5 runs: {pilot.smallest:.3f}; margin {plan.margin:g} needs about {counted(pilot.needed, 'question')}{can}"
    )
    if pilot.repeated is not None:
        cheaper = "more questions are cheaper" if pilot.doubled < 0.99 * pilot.repeated else "both cost the same"
        yield (
            f"for twice the money it falls to {pilot.doubled:.3f} with twice as many questions, and to "
            f"{pilot.repeated:.3f} with each put twice as often: {cheaper}"
        )


def _judging_words(prepared: "PreparedEvaluation") -> str:
    """What the judge is expected to cost; it is part of what the evaluation costs in all."""
    price = prepared.judging
    if price is None:
        return ""
    return f"at most {price_words(price).replace('calls', 'of these calls')}"


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
        option = " without --pilot" if run.only_pilot else ""
        yield f"paused: {run.paused}; repeat the command{option} to resume"
    yield f"scores: {run.folder}; show them with: folkmoot eval show {run.folder}"


def _work(run: "EvalRun", n: int) -> str:
    """So many questions; where each is put several times, so many repeats of them."""
    return (
        counted(n, "question") if run.plan.epochs == 1 else counted(n, "repeat of a question", "repeats of questions")
    )


def _exit_code(run: "EvalRun") -> int:
    from folkmoot.app.evaluation.eval_run import PILOT_OVER

    if run.stop.reason:
        return INTERRUPTED
    if not run.paused or run.paused == PILOT_OVER:
        return DONE
    return LIMIT if "budget" in run.paused else ERROR
