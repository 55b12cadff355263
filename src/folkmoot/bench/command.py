"""The command ``folkmoot-bench``: count recorded data, and read texts, with Folkmoot and compare.

Exit codes: 0 all figures reached and nothing harmful booked, 1 otherwise, 2 no data.
"""

from pathlib import Path

import click

from folkmoot.app.replays.replays import REPLAYS, compare, find_sets, table
from folkmoot.bench.text_cases import check, read_cases, report
from folkmoot.core.errors import FolkmootError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Measure Folkmoot against what others recorded."""


@main.command()
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    envvar="FOLKMOOT_DATA",
    help="The folder with the recorded data sets. Default: the environment variable FOLKMOOT_DATA.",
)
@click.pass_context
def recorded(ctx: click.Context, data: Path | None) -> None:
    """Count recorded votes, games, verdicts and confidences, and compare our figures with the published ones.

    Exit codes: 0 all figures are within reach, 1 one is not or a set cannot be read, 2 there is no data.
    """

    try:
        folder, names = find_sets(data)
    except FolkmootError as error:
        click.echo(f"folkmoot-bench: {error}", err=True)
        ctx.exit(2)
    reached = total = unreadable = 0
    for name in names:
        try:
            checks = compare(name, folder / name)
        except FolkmootError as error:
            click.echo(f"folkmoot-bench: {error}", err=True)
            unreadable += 1
            continue
        click.echo("\n".join(table(name, checks)))
        total += len(checks)
        reached += sum(check.reached for check in checks)
    if left := [name for name in REPLAYS if name not in names]:
        click.echo(f"not found, skipped: {', '.join(left)}")
    click.echo(f"{reached} of {total} figures reached")
    ctx.exit(1 if reached < total or unreadable else 0)


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
    except FolkmootError as error:
        click.echo(f"folkmoot-bench: {error}", err=True)
        ctx.exit(2)
    verdicts = [check(case) for case in cases]
    for line in report(verdicts):
        click.echo(line)
    ctx.exit(1 if any(verdict.harmful for verdict in verdicts) else 0)
