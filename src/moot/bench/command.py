"""The command ``moot-bench``: count recorded data, and read texts, with Moot and compare.

Exit codes: 0 all figures reached and nothing harmful booked, 1 otherwise, 2 no data.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

import click

from moot.app.replays.contests import debate_judgments, elimination_votes, ranked_ballots
from moot.app.replays.figures import Figure
from moot.app.replays.judge_data import judge_pairs, persuasion_shift, strategyqa_debates
from moot.app.replays.panel_data import panel_answers
from moot.app.replays.preference_data import pairwise_preferences
from moot.app.replays.solver_data import solver_judge_debates
from moot.bench.text_cases import check, read_cases, report
from moot.core.errors import MootError

SETS: Final[Mapping[str, Callable[[Path], Iterator[Figure]]]] = MappingProxyType(
    {
        "elimination_votes": elimination_votes,
        "debate_judgments": debate_judgments,
        "ranked_ballots": ranked_ballots,
        "panel_answers": panel_answers,
        "judge_pairs": judge_pairs,
        "strategyqa_debates": strategyqa_debates,
        "persuasion_shift": persuasion_shift,
        "solver_judge_debates": solver_judge_debates,
        "pairwise_preferences": pairwise_preferences,
    }
)
"""The sets by the names of their folders."""


UNREADABLE = (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RuntimeError)
"""What data raise that are not as they should be: a missing file or column, a null, a word for a number."""


def find_data(path: Path | None) -> Path:
    """The folder with the recorded sets.

    Raises:
        MootError: none is given, or it holds none of the sets.
    """
    if path and any((path / name).is_dir() for name in SETS):
        return path
    problem = (
        "no folder is named" if path is None else f"{path} {'holds none of them' if path.is_dir() else 'is no folder'}"
    )
    raise MootError(f"{problem}; give the folder of {', '.join(SETS)} with --data or in MOOT_DATA")


def compare(folder: Path) -> Iterator[tuple[str, tuple[Figure, ...]]]:
    """Each set that is there with its figures, one after the other.

    Raises:
        MootError: a set is there but cannot be read.
    """
    for name, figures in SETS.items():
        if not (folder / name).is_dir():
            continue
        try:
            found_figures = tuple(figures(folder / name))
        except UNREADABLE as error:
            raise MootError(f"{folder / name} cannot be read: {type(error).__name__}: {error}") from error
        if not found_figures:
            raise MootError(f"{folder / name} cannot be read: reference.txt has none of the figures")
        yield name, found_figures


def table(figures: Iterable[Figure]) -> Iterator[str]:
    """The lines of a set's table: the figure, ours, what is asked for, the reference, and whether it is reached."""
    for figure in figures:
        reference = figure.reference or "none"
        verdict = "ok" if figure.reached else "OUT OF REACH"
        yield f"  {figure.name:<68} {figure.shown:>8} {figure.asked:>6} {reference:>8}  {verdict}"


def head(name: str) -> str:
    """The line above a set's table."""
    return f"{name:<70} {'ours':>8} {'':>6} {'theirs':>8}"


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Measure Moot against what others recorded."""


@main.command()
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    envvar="MOOT_DATA",
    help="The folder with the recorded data sets. Default: the environment variable MOOT_DATA.",
)
@click.pass_context
def recorded(ctx: click.Context, data: Path | None) -> None:
    """Count recorded votes, games, verdicts and confidences, and compare our figures with the published ones.

    Exit codes: 0 all figures are within reach, 1 one is not or a set cannot be read, 2 there is no data.
    """

    try:
        folder = find_data(data)
    except MootError as error:
        click.echo(f"moot-bench: {error}", err=True)
        ctx.exit(2)
    missed, total, names = 0, 0, set[str]()
    try:
        for name, figures in compare(folder):
            click.echo(head(name))
            for line in table(figures):
                click.echo(line)
            names.add(name)
            total += len(figures)
            missed += sum(not figure.reached for figure in figures)
    except MootError as error:
        click.echo(f"moot-bench: {error}", err=True)
        ctx.exit(1)
    if left := [name for name in SETS if name not in names]:
        click.echo(f"not found, skipped: {', '.join(left)}")
    click.echo(f"{total - missed} of {total} figures reached")
    ctx.exit(1 if missed else 0)


@main.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.jsonl")
@click.pass_context
def texts(ctx: click.Context, file: Path) -> None:
    """Read texts as a debate does, and compare the result with that of a careful human reader.

    Each line of the file is one case: a JSON object with id, kind, candidates, text, expected, why and perhaps context.
    Exit codes: 0 nothing harmful was booked, 1 something was, 2 the file cannot be read.
    """
    try:
        cases = read_cases(file)
    except MootError as error:
        click.echo(f"moot-bench: {error}", err=True)
        ctx.exit(2)
    verdicts = [check(case) for case in cases]
    for line in report(verdicts):
        click.echo(line)
    ctx.exit(1 if any(verdict.harmful for verdict in verdicts) else 0)
