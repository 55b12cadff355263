"""``folkmoot eval``: does a debate pay? Results are read, written to files, and made of past debates."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click
import rich_click

from folkmoot.cli.commands.eval_new import new
from folkmoot.cli.commands.measure import plan_evaluation, run_evaluation, say_faults
from folkmoot.cli.options import DONE, USAGE, complete_debate, open_workspace, run_command, store_option
from folkmoot.core.text import counted

if TYPE_CHECKING:
    from folkmoot.app.evaluation.scores import EvalResult

FORMS = ("html", "json", "csv", "latex", "paper")
"""``folkmoot.app.results.files`` has them, and is loaded when it is needed."""

INSPECT = "inspect"

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


class FileFirst(rich_click.RichGroup):
    """A group whose command ``run`` may be left out before a file."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; a file in the place of a command is one to run."""
        if args and args[0] not in self.commands and (Path(args[0]).suffix or Path(args[0]).exists()):
            args = ["run", *args]
        return super().parse_args(ctx, args)


@rich_click.group(name="eval", cls=FileFirst)
def evaluate() -> None:
    """Measure whether a debate pays: at equal cost, with intervals."""


@evaluate.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
def check(file: Path) -> int:
    """Check questions with known answers, and say what is in them.

    FILE is .jsonl, .csv, or a folder of briefs with answer: in the header. Each faulty line is one error with its
    number.
    """
    from folkmoot.app.questions.data_sets import FaultyData, read_data_set

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
    from folkmoot.app.results.scoreboard import only_tagged

    result = read_result(folder)
    _show(only_tagged(result, tag) if tag else result, everything=everything, as_json=as_json)
    return DONE


def _show(result: "EvalResult", *, everything: bool, as_json: bool) -> None:
    from folkmoot.app.results.files import summary
    from folkmoot.app.results.scoreboard import measure
    from folkmoot.app.results.tables import screen

    board = measure(result)
    click.echo(summary(board) if as_json else "\n".join(screen(board, everything=everything)), nl=not as_json)


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
    from folkmoot.app.results.files import write_file
    from folkmoot.app.results.scoreboard import measure

    if form == INSPECT:
        for path in run_command(_logs(folder, out or folder / INSPECT, store)):
            click.echo(path)
        return DONE
    click.echo(write_file(measure(read_result(folder)), form, out or folder))
    return DONE


async def _logs(folder: Path, place: Path, store: Path | str | None) -> list[Path]:
    from folkmoot.app.evaluation.folder import read_result
    from folkmoot.app.results.inspect_logs import read_records, write_logs

    result = read_result(folder)
    async with open_workspace(store, reading=True) as workspace:
        return write_logs(result, folder, await read_records(workspace, result), place)


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
    """Show what past debates were worth: the named ones, or all whose right answer is known (`folkmoot resolve`).

    What would one model have said, the vote over the first answers, or a debate only where first answers differ, and at
    which cost? Nothing is asked again. The costs are not equal, so there is no verdict.
    """
    return run_command(_past_debates(debates, out, everything=everything, as_json=as_json, store=store))


async def _past_debates(
    debates: tuple[str, ...], out: Path | None, *, everything: bool, as_json: bool, store: Path | str | None
) -> int:
    from folkmoot.app.evaluation.folder import note_folder, save_result
    from folkmoot.app.plan.settings import lock_place
    from folkmoot.app.results.past import read_past

    async with open_workspace(store, reading=True) as workspace:
        result = await read_past(workspace, debates)
        if out:
            save_result(out, result)
            note_folder(lock_place(workspace.store), out)
    _show(result, everything=everything, as_json=as_json)
    return DONE


for command in (new, plan_evaluation, run_evaluation):
    evaluate.add_command(command)
