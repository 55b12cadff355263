"""``python -m benchmarks.replays``: count recorded data with Folkmoot, and compare with the figures of others.

Exit codes: 0 all of the reference comes out, 1 something does not or a data set cannot be read, 2 wrong arguments.
"""

import sys
from pathlib import Path

import click

from benchmarks.replays.data_sets import REPLAYS, Replay, find_sets, replay, table
from folkmoot.core.errors import FolkmootError
from folkmoot.core.text import unknown_word

ALL = "all"


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("name", required=False, metavar="[NAME]")
@click.argument("folder", required=False, type=click.Path(file_okay=False, path_type=Path), metavar="[DATA]")
def main(name: str | None, folder: Path | None) -> None:
    """Count again what others recorded, without a model, and compare with the figures that they have published.

    NAME is a data set; DATA is its folder, or the one in which its folder stands. "all" replays all that stand in DATA.
    Without NAME the data sets are listed.
    """
    known = (*REPLAYS, ALL)
    if name is None:
        wide = max(map(len, REPLAYS))
        click.echo("\n".join(f"{known:<{wide}}  {entry.about}" for known, entry in REPLAYS.items()))
        return
    if name not in known:
        raise click.UsageError(f"There is no data set {name[:60]!r}; {unknown_word(name, known)}")
    if folder is None:
        raise click.UsageError(f"Give DATA: python -m benchmarks.replays {name} DATA")
    try:
        sys.exit(_all(folder) if name == ALL else _one(name, folder))
    except FolkmootError as error:
        click.echo(f"benchmarks.replays: {error}", err=True)
        sys.exit(1)


def _one(name: str, data: Path) -> int:
    return 0 if _print(name, replay(name, data)).reached else 1


def _print(name: str, replayed: Replay) -> Replay:
    for line in replayed.lines:
        click.echo(line)
    if replayed.checks is not None:
        if replayed.lines:
            click.echo()
        click.echo("\n".join([*table(name, replayed.checks), replayed.sentence]))
    return replayed


def _all(data: Path) -> int:
    """Replay what stands in a folder; a set that cannot be read is named, and the others follow."""
    names, unreadable, reached, total = find_sets(data), 0, 0, 0
    for name in names:
        click.echo(f"== {name}")
        try:
            checks = _print(name, replay(name, data)).checks or ()
            total += len(checks)
            reached += sum(check.reached for check in checks)
        except FolkmootError as error:
            click.echo(f"benchmarks.replays: {error}", err=True)
            unreadable += 1
        click.echo()
    if left := [name for name in REPLAYS if name not in names]:
        click.echo(f"not in {data}: {', '.join(left)}")
    click.echo(f"{reached} of {total} figures and lines reached")
    return 1 if unreadable or reached < total else 0


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.replays")
