"""``folkmoot eval``: does a debate pay? Replays of recorded data, and what a number of questions can show."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click
import rich_click

from folkmoot.cli.commands.eval_results import export, past, show
from folkmoot.cli.commands.measure import plan_evaluation, run_evaluation, say_faults
from folkmoot.cli.options import DONE, EARLIER_OPTIONS, ERROR, USAGE, Command, FloatRange, accept_earlier
from folkmoot.core.brief import ROUNDS, SEED
from folkmoot.core.errors import FolkmootError
from folkmoot.core.text import counted, percent, unknown_word

if TYPE_CHECKING:
    from folkmoot.evaluation.worlds import Talk, Voters

PROMISES = ("coverage", "null", "power", "looks", "gate")
"""What ``folkmoot eval simulate`` can check."""

ALL = "all"
"""The word for all data sets that stand in a folder."""

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


class FileFirst(rich_click.RichGroup):
    """A group whose command ``run`` may be left out before a file."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; a file in the place of a command is one to run."""
        if args and args[0] not in self.commands and (Path(args[0]).suffix or Path(args[0]).exists()):
            args = ["run", *args]
        return super().parse_args(ctx, args)


@rich_click.group(name="eval", cls=FileFirst, context_settings=accept_earlier(EARLIER_OPTIONS))
def evaluate() -> None:
    """Measure whether a debate pays: at equal cost, with intervals."""


for command in (plan_evaluation, run_evaluation, show, export, past):
    evaluate.add_command(command)


@evaluate.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
def check(file: Path) -> int:
    """Check questions with known answers, and say what is in them.

    FILE is .jsonl, .csv, .parquet, a log of Inspect (.eval, .json), a folder of briefs with answer: in the header, or
    a folder of Hugging Face. Each faulty line is one error with its number.
    """
    from folkmoot.app.questions.data_sets import FaultyData
    from folkmoot.app.questions.question_files import read_data_set

    try:
        data = read_data_set(file)
    except FaultyData as error:
        say_faults(error.faults)
        return USAGE
    kinds = Counter(question.kind for question in data.questions)
    groups = {question.group or question.id for question in data.questions}
    click.echo(f"{counted(len(data.questions), 'question')} in {counted(len(groups), 'group')}")
    for kind, count in sorted(kinds.items()):
        click.echo(f"  {kind}: {count}")
    return DONE


@evaluate.command()
@click.argument("name", required=False, metavar="[NAME]")
@click.option(
    "--data",
    type=_FOLDER,
    envvar="FOLKMOOT_DATA",
    help="The folder of the data set, or its parent folder. Default: the environment variable FOLKMOOT_DATA.",
)
def replay(name: str | None, data: Path | None) -> int:
    """Evaluate answers that others recorded, without a model, and compare with the reference.

    Without NAME, list the data sets; with "all", replay those that stand in the folder. The reference.txt of a data set
    has figures that somebody else computed from the same data. The exit code is 1 if one of them does not come out, or
    a data set cannot be read.
    """
    from folkmoot.app.replays import replays

    if name is None:
        wide = max(map(len, replays.REPLAYS))
        click.echo("\n".join(f"{known:<{wide}}  {entry.about}" for known, entry in replays.REPLAYS.items()))
        return DONE
    if name not in (*replays.REPLAYS, ALL):
        raise click.UsageError(f"There is no data set {name[:60]!r}; {unknown_word(name, (*replays.REPLAYS, ALL))}")
    if name != ALL and data:
        return _replay(name, data)
    folder, names = replays.find_sets(data)
    codes = [_replay_or_say(known, folder) for known in names]
    return max(codes)


def _replay_or_say(name: str, data: Path) -> int:
    """The exit code of a replay; a data set that cannot be read is said, and the others follow."""
    click.echo(f"== {name}")
    try:
        code = _replay(name, data)
    except FolkmootError as error:
        click.echo(f"folkmoot: {error}", err=True)
        code = ERROR
    click.echo()
    return code


def _replay(name: str, data: Path) -> int:
    from folkmoot.app.replays.replays import replay, table

    result = replay(name, data)
    for line in result.lines:
        click.echo(line)
    if result.checks is None:
        return DONE
    if result.lines:
        click.echo()
    for line in table(name, result.checks):
        click.echo(line)
    click.echo(result.sentence)
    return DONE if result.reached else ERROR


@evaluate.command()
@click.argument("learn", type=_FOLDER, metavar="LEARN")
@click.argument("judge", type=_FOLDER, required=False, metavar="[JUDGE]")
@click.option("--arm", default="", metavar="NAME", help="The debate of an evaluation. Default: its only one.")
def gate(learn: Path, judge: Path | None, arm: str) -> int:
    """Learn on one folder when to debate, and judge that gate on another one. No model is called.

    LEARN and JUDGE are folders of evaluations (folkmoot eval), of past debates (folkmoot eval past -o), or of recorded
    forecasts (questions.csv, forecasts.csv, condition_pairs.csv). The gate debates where first answers differ by more
    than a threshold. Its rivals are independent answers at the same cost. No question may be in both folders.

    Without JUDGE, learn on those questions of an evaluation whose data says "split: learn", and judge on the others.
    """
    from folkmoot.app.replays.gate_folders import gate_lines, read_resolved, split_resolved

    both = (read_resolved(learn, arm), read_resolved(judge, arm)) if judge else split_resolved(learn, arm)
    for line in gate_lines(*both):
        click.echo(line)
    return DONE


class Setup(TypedDict):
    """The options of ``simulate``: what to check, the questions, the margin, how many answers differ, runs and seed."""

    promise: str | None
    questions: int
    margin: float
    differ: float
    runs: int
    seed: int


@evaluate.command()
@click.argument("promise", type=click.Choice(PROMISES), required=False, metavar="[coverage|null|power|looks|gate]")
@click.option(
    "-n",
    "--questions",
    type=click.IntRange(2, 100_000),
    metavar="N",
    default=80,
    show_default=True,
    help="How many questions.",
)
@click.option(
    "--margin",
    type=FloatRange(0, 0.5, min_open=True),
    metavar="X",
    default=0.05,
    show_default=True,
    help="The smallest difference that matters: 0.05 is 5 more right answers of 100.",
)
@click.option(
    "--differ",
    type=FloatRange(0, 1, min_open=True),
    metavar="X",
    default=0.15,
    show_default=True,
    help="The share of questions on which only one of the two is right.",
)
@click.option(
    "--runs",
    type=click.IntRange(1, 100_000),
    metavar="N",
    default=2_000,
    show_default=True,
    help="How many evaluations to simulate.",
)
@click.option("--seed", type=click.IntRange(*SEED), metavar="N", default=0, show_default=True, help="The random seed.")
def simulate(**setup: Unpack[Setup]) -> int:
    """Simulate evaluations: what can N questions show? No model is called.

    With a word, check what the statistics promise: coverage (intervals hold the truth), null (false verdicts are rare),
    power (real differences are found), looks (looking early does no harm), gate (a learned gate is rarely said to help
    where debates add nothing). The exit code is 1 if a promise is not kept.
    """
    if setup["promise"]:
        return _check_promise(setup["promise"], setup["runs"], setup["seed"])
    if setup["margin"] > setup["differ"]:
        raise click.UsageError(
            "--margin cannot be larger than --differ: no difference can be larger than what differs."
        )
    for line in _expectations(setup):
        click.echo(line)
    return DONE


def _check_promise(promise: str, runs: int, seed: int) -> int:
    from folkmoot.evaluation import simulations

    checks = {
        "coverage": simulations.check_coverage,
        "null": simulations.check_null,
        "power": simulations.check_power,
        "looks": simulations.check_looks,
        "gate": simulations.check_gate,
    }[promise](runs=runs, seed=seed)
    wide = max(len(check.name) for check in checks)
    click.echo(f"{promise}: {counted(runs, 'run')}, seed {seed}")
    for check in checks:
        verdict = "ok" if check.ok else "NOT KEPT"
        click.echo(
            f"  {check.name:<{wide}}  {check.value:.3f}  promised {check.low:.3f} to {check.high:.3f}  {verdict}"
        )
    return DONE if all(check.ok for check in checks) else ERROR


def _expectations(setup: Setup) -> Iterator[str]:
    from folkmoot.evaluation.power import questions_needed_if_differ, smallest_difference, spread_of_share
    from folkmoot.evaluation.simulations import expect_words

    n, margin, differ = setup["questions"], setup["margin"], setup["differ"]
    least = smallest_difference(spread_of_share(differ), n)
    yield f"{n} questions, of which {percent(differ)} differ between the debate and a rival:"
    yield f"  the smallest difference that is found in 4 of 5 runs: {100 * least:.1f} points"
    yield f"  questions needed to find {100 * margin:g} points: {questions_needed_if_differ(differ, margin)}"
    simulated = counted(setup["runs"], "simulated evaluation")
    yield f"how often the verdict is each word, in {simulated} against two rivals:"
    yield f"  {'true difference':<16}{'helped':>8}{'hurt':>8}{'no difference':>15}{'not known':>11}"
    for effect in dict.fromkeys((0.0, margin, min(2 * margin, differ))):
        words = expect_words(n, margin=margin, share=differ, effect=effect, runs=setup["runs"], seed=setup["seed"])
        shares = (
            f"{words['helped']:>8.1%}{words['hurt']:>8.1%}{words['no difference']:>15.1%}{words['not known']:>11.1%}"
        )
        yield f"  {f'{100 * effect:g} points':<16}{shares}"


class VoterSetup(TypedDict):
    """The options of ``voters``."""

    voters: int
    accuracy: float
    shared: float
    rounds: int
    conform: float
    learn: float
    misled: float
    liars: int
    persuade: float
    table: bool
    seed: int


def _chance(name: str, default: float, meaning: str) -> Callable[[Command], Command]:
    return click.option(name, type=FloatRange(0, 1), metavar="X", default=default, show_default=True, help=meaning)


@evaluate.command()
@click.option(
    "--voters", type=click.IntRange(1, 100), metavar="N", default=5, show_default=True, help="How many voters."
)
@click.option(
    "--accuracy",
    type=FloatRange(0, 1, min_open=True, max_open=True),
    metavar="X",
    default=0.7,
    show_default=True,
    help="Accuracy of each voter alone.",
)
@click.option(
    "--shared",
    type=FloatRange(0, 0.8),
    metavar="X",
    default=0.3,
    show_default=True,
    help="Correlation of their errors.",
)
@click.option(
    "--rounds", type=click.IntRange(*ROUNDS), metavar="N", default=3, show_default=True, help="Rounds of debate."
)
@_chance("--conform", 0.1, "The chance that a voter takes over the answer of another one, right or wrong.")
@_chance("--learn", 0.2, "The chance that a wrong voter takes over a right answer.")
@_chance("--misled", 0.05, "The chance that a right voter takes over a wrong answer.")
@click.option(
    "--liars", type=click.IntRange(0, 100), metavar="N", default=1, show_default=True, help="How many voters lie."
)
@_chance("--persuade", 0.2, "The chance that a liar turns a voter in a round.")
@click.option("--table", is_flag=True, help="All protocols and rules that vote, with 0, 1 and 2 liars, as Markdown.")
@click.option("--seed", type=click.IntRange(*SEED), metavar="N", default=0, show_default=True, help="The random seed.")
def voters(**setup: Unpack[VoterSetup]) -> int:
    """Simulate voters who debate: what do rounds of talk, and liars, do to their vote? No model is called.

    A liar always gives the most tempting wrong answer. 20,000 questions are simulated.
    """
    from folkmoot.evaluation.worlds import Talk, Voters, accuracy_of_votes

    if setup["liars"] > setup["voters"]:
        raise click.UsageError("--liars cannot be larger than --voters.")
    panel = Voters(accuracies=(setup["accuracy"],) * setup["voters"], shared=setup["shared"])
    talk = Talk(conform=setup["conform"], learn=setup["learn"], misled=setup["misled"])
    if setup["table"]:
        return _voter_table(panel, talk, setup)
    lies = replace(talk, liars=setup["liars"], persuade=setup["persuade"])
    honest, lied_to = (
        accuracy_of_votes(panel, way, rounds=setup["rounds"], seed=setup["seed"]) for way in (talk, lies)
    )
    click.echo(f"{'':<10}{'one voter':>11}{'their vote':>12}{'vote with liars':>17}")
    for name, (single, vote) in honest.items():
        click.echo(f"{name:<10}{single:>11.1%}{vote:>12.1%}{lied_to[name][1]:>17.1%}")
    return DONE


def _voter_table(panel: "Voters", talk: "Talk", setup: VoterSetup) -> int:
    from folkmoot.app.evaluation.voter_table import LEAST, table, table_lines

    if setup["voters"] < LEAST:
        raise click.UsageError(f"--table needs at least {LEAST} voters, so that two can lie.")
    rows = list(table(panel, replace(talk, persuade=setup["persuade"]), seed=setup["seed"]))
    click.echo("\n".join(table_lines(rows)))
    return DONE
