"""``folkmoot eval show``, ``export`` and ``past``: read results of evaluations, write files, and judge past debates."""

from pathlib import Path
from typing import TYPE_CHECKING

import click
import rich_click

from folkmoot.cli.options import DONE, complete_debate, open_workspace, run_command, store_option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from folkmoot.app.evaluation.scores import EvalResult

FORMS = ("html", "csv", "parquet", "json", "huggingface", "inspect")
"""``folkmoot.app.results.score_files`` has them, and is loaded when it is needed."""

INSPECT = "inspect"

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@rich_click.command()
@click.argument("folder", type=_FOLDER, metavar="FOLDER")
@click.option("--all", "everything", is_flag=True, help="Show all tables, also the long ones.")
@click.option("--tag", default="", metavar="TAG", help="Only questions with this tag; exploratory, without a verdict.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(folder: Path, everything: bool, tag: str, as_json: bool) -> int:
    """Show the scoreboard of an evaluation: FOLDER is where its run has saved the scores.

    The first lines are the verdicts. Then come the arms, the differences from rivals of equal cost, what changed
    between first and last answers, and what each participant adds. It can be read while the run goes on: then the
    verdict waits for the next look of the plan.
    """
    from folkmoot.app.evaluation.eval_files import read_result
    from folkmoot.app.results.score_rows import only_tagged

    result = read_result(folder)
    _show(only_tagged(result, tag) if tag else result, everything=everything, as_json=as_json)
    return DONE


def _show(result: "EvalResult", *, everything: bool, as_json: bool) -> None:
    from folkmoot.app.results.score_files import summary
    from folkmoot.app.results.score_tables import screen
    from folkmoot.app.results.scoring import measure

    board = measure(result)
    if as_json:
        click.echo(summary(board), nl=False)
        return
    for line in screen(board, everything=everything):
        click.echo(line)


@rich_click.command()
@click.argument("folder", type=_FOLDER, metavar="FOLDER")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMS),
    default="html",
    show_default=True,
    help="html: one page with plots; csv and parquet: a file for each table; json: all data; huggingface: JSON lines "
    "with a card, the right answers in a file of their own; inspect: a log of Inspect for each arm.",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder for the files. Default: FOLDER, and for several files a folder in it.",
)
@click.option(
    "--server",
    default="",
    metavar="URL",
    help="Link logs of Inspect to the debates on a `folkmoot serve` at this address.",
)
@store_option
def export(folder: Path, form: str, out: Path | None, server: str, store: Path | str | None) -> int:
    """Write the scoreboard of an evaluation to files, and print their names.

    Logs of Inspect have the right answers as targets. What each participant used is read from the debates in the store.
    """
    from folkmoot.app.results.score_files import export as write
    from folkmoot.app.results.score_files import write_files

    if form == INSPECT:
        paths = write_files(out or folder / INSPECT, run_command(_logs(folder, server, store)))
    else:
        paths = write(folder, form, out)
    for path in paths:
        click.echo(path)
    return DONE


async def _logs(folder: Path, server: str, store: Path | str | None) -> "Mapping[str, str]":
    from folkmoot.app.evaluation.eval_files import read_result
    from folkmoot.app.results.inspect_logs import logs_of, read_records

    result = read_result(folder)
    async with open_workspace(store, reading=True) as workspace:
        return logs_of(result, folder, await read_records(workspace, result), server)


@rich_click.command()
@click.argument("debates", nargs=-1, metavar="[DEBATE]...", shell_complete=complete_debate)
@click.option(
    "-o",
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Save the scores into this folder, for `folkmoot eval show` and `export`.",
)
@click.option("--all", "everything", is_flag=True, help="Show all tables, also the long ones.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@store_option
def past(debates: tuple[str, ...], out: Path | None, everything: bool, as_json: bool, store: Path | str | None) -> int:
    """Show what past debates were worth: the named ones, or all whose right answer is known (`folkmoot resolve`).

    What would one model have said, sampling of the first answers, their vote, or a debate only where first answers
    differ, and at which cost? Nothing is asked again. The costs are not equal, so there is no verdict.
    """
    return run_command(_past_debates(debates, out, everything=everything, as_json=as_json, store=store))


async def _past_debates(
    debates: tuple[str, ...], out: Path | None, *, everything: bool, as_json: bool, store: Path | str | None
) -> int:
    from folkmoot.app.evaluation.eval_files import note_folder, save_result
    from folkmoot.app.plan.settings import lock_place
    from folkmoot.app.results.past_debates import read_past

    async with open_workspace(store, reading=True) as workspace:
        result = await read_past(workspace, debates)
        if out:
            save_result(out, result)
            note_folder(lock_place(workspace.store), out)
    _show(result, everything=everything, as_json=as_json)
    return DONE
