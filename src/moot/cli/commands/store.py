"""``moot store``. This file owns how debates are copied between records."""

from collections import Counter
from pathlib import Path

import click
import rich_click

from moot.cli.codes import DONE, ERROR
from moot.cli.options import Place, finish


@rich_click.group()
def store() -> None:
    """Copy debates between records: files and databases."""


@store.command()
@click.argument("source", type=Place(), metavar="FROM")
@click.argument("target", type=Place(), metavar="TO")
@click.argument("debates", nargs=-1, metavar="[DEBATE]...")
def copy(source: Path | str, target: Path | str, debates: tuple[str, ...]) -> int:
    """Copy debates, those named or all, with everything that people wrote to them.

    FROM and TO are files or addresses postgresql://…; DEBATE is an id, the beginning of one, or "last". Hashes are
    checked before and after. What is there already is left as it is, so a copy that was cut off is just made again.
    """
    if isinstance(source, Path) and not source.exists():
        raise click.UsageError(f"There is no record {source}.")
    return finish(_copy(source, target, debates))


async def _copy(source: Path | str, target: Path | str, names: tuple[str, ...]) -> int:
    from contextlib import AsyncExitStack

    from moot.app.export.copy_debates import copy_debates
    from moot.app.run.workspace import Desk

    counts: Counter[str] = Counter()
    lines = 0
    async with AsyncExitStack() as opened:
        here = Desk.at(source, reading=True)
        opened.push_async_callback(here.close)
        there = Desk.at(target)
        opened.push_async_callback(there.close)
        wanted = [await here.find(name) for name in names]
        async for each in copy_debates(here.store, there.store, wanted):
            lines += each.new
            if each.fault:
                click.echo(f"moot: {each.debate}: {each.fault}", err=True)
            counts["refused" if each.fault else "there" if not each.new else "more" if each.there else "new"] += 1
    told = [f"{counts['new']} copied", f"{counts['more']} gone on with", f"{counts['there']} there already"]
    click.echo(f"{', '.join(told)}, {counts['refused']} refused; {lines} entries written to {there.place}")
    return ERROR if counts["refused"] else DONE
