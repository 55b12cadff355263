"""``moot analyse``. This file owns how analyses are asked for from a terminal."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import rich_click

from moot.cli.codes import DONE, ERROR
from moot.cli.options import complete_debate, finish, open_desk, store_option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from moot.analysis.analysis import Analysis


@rich_click.command()
@click.argument("debates", nargs=-1, required=True, shell_complete=complete_debate)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option("--formal", is_flag=True, help="Check the claims that are stated formally: proved, refuted, unknown.")
@click.option(
    "--plots", type=click.Path(file_okay=False, path_type=Path), metavar="DIR", help="A folder for plots and a page."
)
@click.option("--png", is_flag=True, help="Plots as PNG; else as SVG.")
@store_option
def analyse(
    debates: tuple[str, ...], as_json: bool, formal: bool, plots: Path | None, png: bool, store: Path | str | None
) -> int:
    """Analyse debates: agreement, changed answers, what the decision rests on.

    DEBATES are ids, beginnings of ids, or "last". Everything is read from the records: who held what when, which turn
    changed whose answer, what stands behind each claim of the decision, on which claims it turns, who sides with whom.
    """
    from moot.app.export.analyses import analyse_debates, save_analysis, write_analysis, write_data

    async def read() -> "tuple[tuple[Analysis, ...], Mapping[str, str]]":
        async with open_desk(store, reading=True) as desk:
            return await analyse_debates(desk, [await desk.find(each) for each in debates], formal=formal)

    found, damaged = finish(read())
    written = save_analysis(found, plots, "png" if png else "svg") if plots else ()
    sys.stdout.write(write_data(found, damaged) if as_json else "" if plots else write_analysis(found))
    for path in written:
        click.echo(f"{path}", err=as_json)
    for debate, reason in damaged.items():
        click.echo(f"moot: {debate} is damaged: {reason}", err=True)
    return ERROR if damaged else DONE
