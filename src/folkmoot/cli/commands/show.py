"""``folkmoot show``, ``recount``, ``report`` and ``diff``: look at a debate, count it again, write it down, compare two."""

import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click
import rich_click

from folkmoot.app.export.report_formats import FORMATS, read_report_options, report_format
from folkmoot.cli.options import (
    DONE,
    complete_debate,
    open_workspace,
    run_command,
    store_option,
    warn_of_changes,
)
from folkmoot.core.errors import BriefError
from folkmoot.core.text import counted

if TYPE_CHECKING:
    from rich.console import RenderableType

    from folkmoot.app.export.recount import Recount, RuleResult
    from folkmoot.app.export.report_formats import ReportFormat
    from folkmoot.app.export.reports import ReadRecord
    from folkmoot.app.run.workspace import Workspace
    from folkmoot.core.event import Entry
    from folkmoot.report.compare import Comparison

LONGEST = 20.0
"""The longest pause in seconds that a replay keeps, before it is divided by the speed."""


class ShowOptions(TypedDict):
    """The options of ``folkmoot show`` as the user typed them."""

    speed: str
    follow: bool
    numbers: bool
    mode: str | None
    store: Path | str | None


@rich_click.command()
@click.argument("debate", shell_complete=complete_debate)
@click.option(
    "--speed",
    type=click.Choice(["1", "4", "16", "max"]),
    default="max",
    help="Replay with the original pauses, this many times faster.",
)
@click.option("--follow", is_flag=True, help="Continue as long as the debate runs.")
@click.option("--numbers", is_flag=True, help="Show the number and the entry of each turn, for folkmoot fork.")
@click.option("--json", "mode", flag_value="json", help="Print the entries of the record as JSON lines.")
@click.option("--plain", "mode", flag_value="plain", help="Plain lines, as when the output is not a terminal.")
@store_option
def show(debate: str, **options: Unpack[ShowOptions]) -> int:
    """Show a debate from its record.

    DEBATE is an id, a short id, or "last".
    """
    return run_command(_show(debate, options))


async def _show(name: str, show_options: ShowOptions) -> int:
    from folkmoot.app.export.reports import read_record
    from folkmoot.app.plan.next_steps import next_steps
    from folkmoot.app.run.outcome import opening, outcome
    from folkmoot.app.run.people import OutsideMessages
    from folkmoot.app.run.record_reader import open_asks
    from folkmoot.cli.display.output import FollowUps, Output
    from folkmoot.cli.terminal import watch
    from folkmoot.core.transcript import fold

    async with open_workspace(show_options["store"], reading=True) as workspace:
        debate = await workspace.find(name)
        entries = await workspace.entries(debate)
        in_time = show_options["speed"] != "max"
        still, planned = not (in_time or show_options["follow"]), await workspace.count_asks(debate)
        output = Output(show_options["mode"] or "", still=still, planned=planned, numbers=show_options["numbers"])
        output.announce(debate, opening(debate, entries))
        with output:
            if in_time:
                async for entry, line in _with_pauses(workspace, debate, entries, float(show_options["speed"])):
                    output.viewer.take(entry, line)
                    output.viewer.tick()
            after = len(entries) if in_time else 0
            if show_options["follow"] or not in_time:
                await watch(workspace, debate, output.viewer, after=after, live=show_options["follow"])
        record = await read_record(workspace, debate)
        ended = outcome(debate, fold(record.entries))
        follow_ups = FollowUps(
            asks=await open_asks(workspace, debate),
            outside=await (await OutsideMessages.of(workspace, debate)).more(),
            steps=tuple(next_steps(opening(debate, record.entries), debate, ended.transcript)),
        )
        output.conclude(record.report, ended, {}, follow_ups)
        await warn_of_changes(debate, record.entries)
        return 0


async def _with_pauses(
    workspace: "Workspace", debate: str, entries: "tuple[Entry, ...]", speed: float
) -> "AsyncIterator[tuple[Entry, str]]":
    """The entries with their lines, with the original pauses between them."""
    import asyncio

    before = entries[0].at
    for entry, line in zip(entries, await workspace.lines(debate), strict=False):
        await asyncio.sleep(max(0.0, min(entry.at - before, LONGEST)) / speed)
        before = entry.at
        yield entry, line


@rich_click.command()
@click.argument("debate", shell_complete=complete_debate)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@store_option
def recount(debate: str, as_json: bool, store: Path | str | None) -> int:
    """Count the ballots of a debate under every rule.

    DEBATE is an id, a short id, or "last". For each rule you see who wins, by how much, and the
    smallest change of ballots that would give another result: one candidate moved to the first place, the winner to
    the last. The record is not changed.
    """
    from folkmoot.app.export.recount import recount_debate, write_recount
    from folkmoot.cli.display.text_layout import console_for

    async def read() -> "Recount":
        async with open_workspace(store, reading=True) as workspace:
            return await recount_debate(workspace, await workspace.find(debate))

    recounted = run_command(read())
    if as_json:
        sys.stdout.write(write_recount(recounted))
        return DONE
    console = console_for()
    for problem in recounted.problems:
        click.echo(f"folkmoot: {problem}", err=True)
    for renderable in _recount_view(recounted):
        console.print(renderable)
    return DONE


def _recount_view(recounted: "Recount") -> "list[RenderableType]":
    from rich.text import Text

    from folkmoot.cli.display.text_layout import FAINT, Indented, line

    cast = sum(ballot.state == "cast" for ballot in recounted.ballots)
    kind = "rankings" if recounted.ranked else "votes"
    ballots = counted(len(recounted.ballots), "ballot")
    parts: list[RenderableType] = [
        Text(line(recounted.topic), style="bold"),
        Text(f"{cast} of {ballots} counted ({kind}), for: {line(', '.join(recounted.candidates))}"),
        Text(f"Counted in the debate by {recounted.recorded}: {line(recounted.result)}"),
    ]
    if recounted.ranked:
        winner = recounted.condorcet
        duels = f"{line(winner)} wins against every other candidate." if winner else "No candidate beats all others."
        parts.append(Text(duels))
    if text := quorum_in_words(recounted):
        parts.append(Text(text))
    for count in recounted.counts:
        parts.append(Text.assemble("\n", (count.rule, "bold"), "  ", result_in_words(count)))
        parts.append(Indented(Text(line(count.how), style=FAINT)))
        parts.append(Indented(Text(flip_in_words(count), style=FAINT)))
    return parts


def quorum_in_words(result: "Recount") -> str:
    """A line that says that there is no quorum; "" where there is one."""
    if result.quorum:
        return ""
    return "At least half of the voters did not vote, so there is no quorum. The counts below ignore that."


def result_in_words(result: "RuleResult") -> str:
    """A line that says who wins, and by how much."""
    from folkmoot.cli.display.text_layout import line
    from folkmoot.core.labels import status_in_words

    if result.status != "decided":
        return status_in_words(result.status)
    lead = f", {result.margin:g} ahead of {line(result.next)}" if result.next else ""
    return f"{line(result.winner)}{lead} ({result.strength})"


def flip_in_words(result: "RuleResult") -> str:
    """A line that says which ballots would give another result, if they put one candidate first and the winner last."""
    from folkmoot.cli.display.text_layout import line
    from folkmoot.core.text import listed

    if result.flip is None:
        changed = "any one ballot puts" if result.tried == 1 else f"up to {result.tried} ballots put"
        last = " and the winner last" if result.status == "decided" else ""
        return f"The result stays the same if {changed} another candidate first{last}."
    whose = listed([line(name) for name in result.flip.voters])
    ballots = "a changed ballot" if len(result.flip.voters) == 1 else "changed ballots"
    last = " and the winner last" if result.status == "decided" else ""
    change = f"{line(result.flip.to)} first{last}"
    return f"Another result with {ballots} of {whose} ({change}): {line(result.flip.then)}"


# ---- reports and comparisons -----------------------------------------------------------------------------------------


ENDINGS: Mapping[str, str] = {
    **{f".{form.ending or name}": name for name, form in FORMATS.items()},
    **dict.fromkeys(("", ".md", ".markdown", ".txt"), "md"),
    **dict.fromkeys((".html", ".htm"), "html"),
}
"""The format that the ending of a file's name asks for; others are refused."""


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


@rich_click.command()
@click.argument("debate", shell_complete=complete_debate)
@click.option(
    "--format",
    "form",
    type=FormatName(),
    help="Default: by the ending of the file (.pdf, .html …); md without one. "
    f"{'; '.join(f'{name}: {form.help}' for name, form in FORMATS.items())}; or a format of another package.",
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
def report(
    debate: str, form: str | None, out: Path | None, options: tuple[str, ...], plots: bool, store: Path | str | None
) -> int:
    """Write the report of a debate.

    DEBATE is an id, a short id, or "last". The argument map (--format visual_tree) consists of a page and
    data: with -o both files are written; without it only the page is printed.
    """
    from folkmoot.app.export.reports import read_record, with_notes

    form = form or (_format_of(out) if out else "md")
    chosen = report_format(form, read_report_options(form, options, "--set"))
    if out is None and chosen.binary:
        raise click.UsageError(f"The format {form} needs a file: name it with -o.")
    if plots:
        if form != "md" or out is None or str(out) == "-":
            raise click.UsageError("--plots needs the report as Markdown in a file: give -o FILE.md.")
        return run_command(_illustrate(debate, out, store))

    async def read() -> "ReadRecord":
        async with open_workspace(store, reading=True) as workspace:
            record = await read_record(workspace, debate_id := await workspace.find(debate))
        return with_notes(record, await warn_of_changes(debate_id, record.entries))

    written = _contents(run_command(read()), chosen)
    if out is None or str(out) == "-":
        _print(next(iter(written.values())))
        return DONE
    for path, content in _paths(out, written):
        _write(path, content)
        click.echo(f"{path}")
    return DONE


def _format_of(out: Path) -> str:
    """The format that the ending of a file's name means."""
    ending = out.suffix.lower()
    if ending not in ENDINGS:
        from folkmoot.app.export.reports import check_target

        check_target(out)
        raise click.UsageError(f"No format has files that end in {ending[:40]}; name the format with --format.")
    return ENDINGS[ending]


def _contents(read_record: "ReadRecord", form: "ReportFormat") -> "Mapping[str, str | bytes]":
    """The contents to write, by the ending of each file's name."""
    return form.files(read_record) if form.files else {"": form.make(read_record)}


def _print(content: str | bytes) -> None:
    if isinstance(content, bytes):
        sys.stdout.buffer.write(content)
    else:
        sys.stdout.write(content)


async def _illustrate(debate: str, out: Path, store: Path | str | None) -> int:
    from folkmoot.app.export.analyses import save_illustrated
    from folkmoot.app.export.reports import read_record

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
    from folkmoot.app.export.reports import check_target, save

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
    from folkmoot.app.export.reports import compare, parent, write_comparison
    from folkmoot.cli.display.side_by_side import comparison_view
    from folkmoot.cli.display.text_layout import console_for

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
