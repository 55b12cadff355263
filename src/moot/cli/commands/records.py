"""``moot list``, ``report``, ``diff``, ``verify``, ``store`` and ``delete``: read, check, copy and delete records."""

import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click
import rich_click

from moot.app.export.report_formats import FORMATS, read_report_options, report_format
from moot.cli.options import (
    DONE,
    EARLIER_REPORT_OPTIONS,
    ERROR,
    Place,
    accept_earlier,
    complete_debate,
    open_records,
    open_workspace,
    run_command,
    store_option,
    store_path,
)
from moot.core.brief import LISTED
from moot.core.errors import BriefError
from moot.core.text import counted

LIST_WIDTH, ROOMY, REASON = 160, 120, 40
"""Columns of a list where the output has no width, the least columns for a table, and columns of a reason."""

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.console import Console
    from rich.text import Text

    from moot.app.export.report_formats import ReportFormat
    from moot.app.export.reports import ReadRecord
    from moot.app.run.outcome import Listed
    from moot.app.run.record_reader import OpenQuestion
    from moot.report.compare import Comparison


class FormatName(click.ParamType[str]):
    """The name of a format of reports, built in or of another package."""

    name = "format"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """The names that are built in."""
        return f"[{'|'.join(FORMATS)}|…]"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name, if there is such a format."""
        try:
            report_format(value)
        except BriefError as error:
            self.fail(f"{error}.", param, ctx)
        return value


class Filters(TypedDict):
    """Which debates a list shows, as the user typed it."""

    limit: int | None
    status: str | None
    search: str | None
    helpers: bool


@rich_click.command(name="list")
@click.option("-n", "--limit", type=click.IntRange(*LISTED), metavar="N", help="Maximum number of debates to show.")
@click.option("--status", metavar="STATUS", help="Show only debates with this status: decided, tie, paused, open …")
@click.option("--search", metavar="WORDS", help="Show only debates whose id, topic or protocol contains these words.")
@click.option("--all", "helpers", is_flag=True, help="Also show the debates in which participants were generated.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@store_option
def list_(as_json: bool, store: Path | str | None, **filters: Unpack[Filters]) -> int:
    """List debates, the newest first.

    The short id is enough for every command: moot show 7f3. "last" is the newest debate, "last~1" the one before it.
    The list reads the summary that was stored with each debate. "moot verify" reads all entries.
    """
    shown = run_command(_look(store, filters))
    if as_json:
        data = [_as_data(item, shown.asks.get(item.debate, ()), shown.short) for item in shown.debates]
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
    elif not shown.debates:
        _say_none(store, shown)
    else:
        _table(shown)
        if hidden := shown.stored - len(shown.debates):
            click.echo(f"{counted(hidden, 'more debate')} not shown", err=True)
    return DONE


def _say_none(store: Path | str | None, shown: "Shown") -> None:
    from moot.app.plan.settings import is_there, show_where

    place = store_path(store)
    if shown.stored:
        click.echo(f"None of {counted(shown.stored, 'debate')} in {show_where(place)} fits; moot list --all shows all.")
        return
    lacking = "" if is_there(place) else "; the file does not exist"
    click.echo(f"There are no debates yet in {show_where(place)}{lacking}.")
    click.echo('Start with: moot run "Should we build or buy?"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The debates that a list shows.

    Attributes:
        debates: the debates, the newest first.
        asks: the open questions to people in those that have not ended.
        short: their short ids.
        stored: how many debates there are.
    """

    debates: "Sequence[Listed]"
    asks: "Mapping[str, Sequence[OpenQuestion]]"
    short: "Mapping[str, str]"
    stored: int


async def _look(store: Path | str | None, filters: Filters) -> Shown:
    """The debates that a list shows, with the open questions to people."""
    from moot.app.run.record_reader import list_open_asks, list_query, short_ids

    query = list_query(
        status=filters["status"] or "",
        search=filters["search"] or "",
        limit=filters["limit"],
        helpers=filters["helpers"],
    )
    async with open_records(store) as reader:
        stored = await reader.names()
        debates, asks = await list_open_asks(reader, await reader.list(query))
    short = short_ids([item.debate for item in debates], stored)
    return Shown(debates=debates, asks=asks, short=short, stored=len(stored))


def _as_data(listed: "Listed", asks: "Sequence[OpenQuestion]", short: "Mapping[str, str]") -> dict[str, object]:
    return {
        "debate": listed.debate,
        "short": short[listed.debate],
        "topic": listed.topic,
        "protocol": listed.protocol,
        "status": listed.status,
        "at": listed.at,
        "reason": listed.reason,
        "entries": listed.entries,
        "forked": listed.forked,
        "waits_for": [{"name": ask.turn.by, "act": ask.turn.act, "since": ask.since, "left": ask.left} for ask in asks],
    }


def _table(shown: Shown) -> None:
    """A table where there is room for one, else two lines for each debate."""
    from rich.table import Table
    from rich.text import Text

    from moot.cli.display.text_layout import FAINT, console_for, joined, line, local_time
    from moot.core.labels import fork_origin

    console = console_for(width=LIST_WIDTH)
    if console.width < ROOMY:
        _lines(shown, console)
        return
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style=FAINT, expand=True)
    for name in ("short", "id", "when", "protocol", "outcome"):
        table.add_column(name, no_wrap=True)
    table.add_column("topic", no_wrap=True, overflow="ellipsis", ratio=1)
    for item in shown.debates:
        table.add_row(
            Text(shown.short[item.debate], style="bold"),
            Text(item.debate),
            Text(local_time(item.at), style=FAINT),
            Text(line(item.protocol)),
            _outcome(item, shown.asks.get(item.debate, ()), REASON),
            joined(fork_origin(item.forked), Text(line(item.topic))),
        )
    console.print(table)


def _lines(shown: Shown, console: "Console") -> None:
    """Two lines for each debate."""
    from rich.text import Text

    from moot.cli.display.text_layout import Indented, joined, line, local_time
    from moot.core.labels import fork_origin

    for item in shown.debates:
        outcome = _outcome(item, shown.asks.get(item.debate, ()), 0)
        console.print(Text.assemble((shown.short[item.debate], "bold"), "  ", item.debate, "  ", outcome))
        topic = Text(line(item.topic))
        console.print(Indented(joined(local_time(item.at), line(item.protocol), fork_origin(item.forked), topic)))


def _outcome(summary: "Listed", asks: "Sequence[OpenQuestion]", most: int) -> "Text":
    from rich.text import Text

    from moot.cli.display.text_layout import BAD, FAINT, GOOD, WARN, line, local_time, short
    from moot.core.labels import WAITS_FOR_BATCH, status_in_words
    from moot.core.text import listed

    if asks:
        names = listed(list(dict.fromkeys(line(ask.turn.by) for ask in asks)))
        since = local_time(min(ask.since for ask in asks))
        return Text.assemble((f"waits for {names}", WARN), (f" · since {since}", FAINT))
    if summary.reason.startswith(WAITS_FOR_BATCH):
        since = line(summary.reason).removeprefix(WAITS_FOR_BATCH).partition(" (")[0].strip()
        return Text.assemble((WAITS_FOR_BATCH, WARN), (f" · {since}", FAINT))
    style = {"decided": GOOD, "failed": BAD, "damaged": BAD}.get(summary.status, WARN)
    status = status_in_words(summary.status)
    reason = short(line(summary.reason).removeprefix(f"{status}: "), most) if most else ""
    return Text.assemble((status, style), (f" · {reason}" if reason else "", FAINT))


@rich_click.command(context_settings=accept_earlier(EARLIER_REPORT_OPTIONS))
@click.argument("debate", shell_complete=complete_debate)
@click.option(
    "--format",
    "form",
    type=FormatName(),
    default="md",
    help=f"{'; '.join(f'{name}: {form.help}' for name, form in FORMATS.items())}; or a format of another package.",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    help="The file to write. Default: the screen.",
)
@click.option(
    "--set",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of a format from another package, in place of report_options in the brief. It may be repeated.",
)
@click.option("--plots", is_flag=True, help="Add plots as the last chapter. Their files are saved beside the report.")
@store_option
def report(  # house: wide because they are the options of the command
    debate: str, form: str, out: Path | None, options: tuple[str, ...], plots: bool, store: Path | str | None
) -> int:
    """Write the report of a debate.

    DEBATE is an id, a short id, or "last". The argument map (--format visual_tree) consists of a page, a
    picture and data: with -o all three files are written; without it only the page is printed.
    """
    from moot.app.export.reports import read_record

    chosen = report_format(form, read_report_options(form, options))
    if out is None and chosen.binary:
        raise click.UsageError(f"A {form.upper()} needs a file: name it with -o.")
    if plots:
        if form != "md" or out is None or str(out) == "-":
            raise click.UsageError("--plots needs the report as Markdown in a file: give -o FILE.md.")
        return run_command(_illustrate(debate, out, store))

    async def read() -> "ReadRecord":
        async with open_workspace(store, reading=True) as workspace:
            return await read_record(workspace, await workspace.find(debate))

    written = _contents(run_command(read()), chosen)
    if out is None or str(out) == "-":
        _print(next(iter(written.values())))
        return DONE
    for path, content in _paths(out, written):
        _write(path, content)
        click.echo(f"{path}")
    return DONE


def _contents(read_record: "ReadRecord", form: "ReportFormat") -> "Mapping[str, str | bytes]":
    """The contents to write, by the ending of each file's name."""
    return form.files(read_record) if form.files else {"": form.make(read_record)}


def _print(content: str | bytes) -> None:
    if isinstance(content, bytes):
        sys.stdout.buffer.write(content)
    else:
        sys.stdout.write(content)


async def _illustrate(debate: str, out: Path, store: Path | str | None) -> int:
    from moot.app.export.analyses import save_illustrated
    from moot.app.export.reports import read_record

    async with open_workspace(store, reading=True) as workspace:
        record = await read_record(workspace, await workspace.find(debate))
    for path in save_illustrated(record.report, record.entries, out):
        click.echo(f"{path}")
    return DONE


def _paths(out: Path, texts: "Mapping[str, str | bytes]") -> "Iterator[tuple[Path, str | bytes]]":
    """The path of each text: a single one is the named file; several share its name with their own endings."""
    for ending, text in texts.items():
        yield out if len(texts) == 1 else out.with_suffix(Path(ending).suffix), text


def _write(path: Path, content: str | bytes) -> None:
    from moot.app.export.reports import check_target, save

    check_target(path)
    try:
        save(path, content)
    except OSError as error:
        raise click.ClickException(f"{path} cannot be written: {error.strerror or error}") from error


@rich_click.command()
@click.argument("debate", metavar="A", shell_complete=complete_debate)
@click.argument("other", metavar="[B]", required=False, shell_complete=complete_debate)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@store_option
def diff(debate: str, other: str | None, as_json: bool, store: Path | str | None) -> int:
    """Show where two debates diverge, and how their outcomes differ.

    A and B are ids, short ids, or "last". They need not be forks of each other. A single fork is
    compared with the debate that it was forked from.
    """
    from moot.app.export.reports import compare, parent, write_comparison
    from moot.cli.display.side_by_side import comparison_view
    from moot.cli.display.text_layout import console_for

    async def read() -> "Comparison":
        async with open_workspace(store, reading=True) as workspace:
            first, second = await workspace.find(debate), await workspace.find(other) if other else ""
            if second:
                return await compare(workspace, first, second)
            return await compare(workspace, await parent(workspace, first), first)

    comparison = run_command(read())
    if as_json:
        sys.stdout.write(write_comparison(comparison))
        return DONE
    console = console_for()
    for renderable in comparison_view(comparison):
        console.print(renderable)
    return DONE


@rich_click.command()
@click.argument("debate", shell_complete=complete_debate)
@click.option("--head", metavar="HASH", help="The hash that the last entry must have; at least its first 8 digits.")
@store_option
def verify(debate: str, head: str | None, store: Path | str | None) -> int:
    """Check that a record is intact: every hash, and that replaying it gives the same debate.

    DEBATE is an id, a short id, or "last". Keep the hash that is printed. With --head it proves later
    that the record has not changed.
    """

    async def check() -> tuple[str, int, str, list[str]]:
        from moot.app.plan.toolbox import changed_packages
        from moot.app.run.outcome import opening

        async with open_workspace(store, reading=True) as workspace:
            name = await workspace.find(debate)
            changes = changed_packages(opening(name, await workspace.entries(name)).packages)
            return (name, *await workspace.verify(name), changes)

    if head is not None and len(head) < 8:
        raise click.UsageError("--head needs at least 8 digits of the hash.")
    name, entries, last, changes = run_command(check())
    if head is not None and not last.startswith(head.lower()):
        click.echo(f"moot: {name}: the last entry has the hash {last}, not {head}", err=True)
        return ERROR
    click.echo(f"{name}: {counted(entries, 'entry', 'entries')}, intact")
    click.echo(f"head {last}")
    for change in changes:
        click.echo(f"moot: {change}", err=True)
    if head is None:
        click.echo(
            "Keep this hash: moot verify --head HASH then proves that no entry was changed or removed at the end."
        )
    return DONE


@rich_click.command()
@click.argument("names", metavar="DEBATE...", nargs=-1, required=True, shell_complete=complete_debate)
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.option("--force", is_flag=True, help="Also delete a debate that another machine may be running.")
@store_option
def delete(names: tuple[str, ...], yes: bool, force: bool, store: Path | str | None) -> int:
    """Delete debates permanently, with everything that belongs to them.

    DEBATE is an id, a short id, or "last". This deletes the record, the messages and answers sent to it, its links,
    its place in the queue, and what was learned from it. It does not delete forks, reports in files, or the debate
    that generated the participants.
    """
    return run_command(_delete(names, yes, force, store))


async def _delete(names: tuple[str, ...], yes: bool, force: bool, store: Path | str | None) -> int:
    from moot.app.plan.settings import is_there
    from moot.app.run.removal import remove

    if not is_there(place := store_path(store)):
        raise click.ClickException(f"there are no records at {place}")
    async with open_workspace(store) as workspace:
        debates = list(dict.fromkeys([await workspace.find(name) for name in names]))
        if not yes:
            click.confirm(f"Delete {', '.join(debates)}? This cannot be undone.", abort=True, err=True)
        for debate in debates:
            removed = await remove(workspace, debate, force=force)
            beside = f", {counted(removed.messages, 'message')}" if removed.messages else ""
            learned = ", and what was learned from it" if removed.learned else ""
            click.echo(f"{debate}: deleted {counted(removed.entries, 'entry')}{beside}{learned}")
            if removed.forks:
                click.echo(f"moot: its forks stay: {', '.join(removed.forks)}", err=True)
    return DONE


@rich_click.group()
def store() -> None:
    """Copy debates between stores: files and databases."""


@store.command()
@click.argument("source", type=Place(), metavar="FROM")
@click.argument("target", type=Place(), metavar="TO")
@click.argument("debates", nargs=-1, metavar="[DEBATE]...")
def copy(source: Path | str, target: Path | str, debates: tuple[str, ...]) -> int:
    """Copy the named debates, or all, with all messages and answers of people.

    FROM and TO are files or addresses postgresql://…. DEBATE is an id, a short id, or "last". Hashes
    are checked before and after. What exists already is not changed, so an interrupted copy can simply be repeated.
    """
    if isinstance(source, Path) and not source.exists():
        raise click.UsageError(f"There is no file {source}.")
    return run_command(_copy(source, target, debates))


async def _copy(source: Path | str, target: Path | str, names: tuple[str, ...]) -> int:
    from contextlib import AsyncExitStack

    from moot.app.export.copy_debates import copy_debates
    from moot.app.run.workspace import Workspace

    counts: Counter[str] = Counter()
    lines = 0
    async with AsyncExitStack() as opened:
        here = Workspace.at(source, reading=True)
        opened.push_async_callback(here.close)
        there = Workspace.at(target)
        opened.push_async_callback(there.close)
        wanted = [await here.find(name) for name in names]
        async for copied in copy_debates(here.store, there.store, wanted):
            lines += copied.new
            if copied.fault:
                click.echo(f"moot: {copied.debate}: {copied.fault}", err=True)
            counts["refused" if copied.fault else "there" if not copied.new else "more" if copied.there else "new"] += 1
    results = [f"{counts['new']} copied", f"{counts['more']} extended", f"{counts['there']} already there"]
    click.echo(
        f"{', '.join(results)}, {counts['refused']} refused; "
        f"{counted(lines, 'entry', 'entries')} written to {there.place}"
    )
    return ERROR if counts["refused"] else DONE
