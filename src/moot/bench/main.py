"""The command ``moot-bench``. This file owns its commands and their exit codes: 0 reached, 1 not, 2 nothing to do."""

from pathlib import Path

import click

from moot.core.errors import MootError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Measure Moot against what others recorded."""


@main.command()
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    envvar="MOOT_DATA",
    help="The folder with the recorded sets; else the one that MOOT_DATA names.",
)
@click.pass_context
def recorded(ctx: click.Context, data: Path | None) -> None:
    """Count recorded votes, games, verdicts and confidences, and show our figures beside the reference.

    Ends with 1 where a figure is out of reach, with 2 where there is no data.
    """
    from moot.bench.command import SETS, compare, find_data, head, table  # here for start-up time

    try:
        folder = find_data(data)
    except MootError as error:
        click.echo(f"moot-bench: {error}", err=True)
        ctx.exit(2)
    missed, total, seen = 0, 0, set[str]()
    try:
        for name, figures in compare(folder):
            click.echo(head(name))
            for line in table(figures):
                click.echo(line)
            seen.add(name)
            total += len(figures)
            missed += sum(not figure.reached for figure in figures)
    except MootError as error:
        click.echo(f"moot-bench: {error}", err=True)
        ctx.exit(1)
    if left := [name for name in SETS if name not in seen]:
        click.echo(f"not there, left out: {', '.join(left)}")
    click.echo(f"{total - missed} of {total} figures reached")
    ctx.exit(1 if missed else 0)
