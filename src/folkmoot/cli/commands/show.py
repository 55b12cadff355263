"""``folkmoot show``, ``report`` and ``diff``: look at a debate, count it again, analyse it, write it down, compare two."""

import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from folkmoot.app.export.report_formats import FORMATS, read_report_options, report_format
from folkmoot.cli.commands.verify import key_options, read_signing_key
from folkmoot.cli.options import (
    DONE,
    ERROR,
    FOLDER,
    Store,
    command,
    complete_debate,
    debate_argument,
    json_option,
    note,
    open_workspace,
    option,
    rare,
    run_command,
    store_option,
    warn_of_changes,
    write_file,
)
from folkmoot.core.errors import BriefError
from folkmoot.core.text import counted, listed

if TYPE_CHECKING:
    from rich.console import RenderableType

    from folkmoot.analysis.analysis import Analysis
    from folkmoot.app.export.recount import Recount, RuleResult
    from folkmoot.app.export.reports import ReadRecord
    from folkmoot.app.run.workspace import Workspace
    from folkmoot.core.event import Entry
    from folkmoot.report.compare import Comparison

LONGEST = 20.0
"""The longest pause in seconds that a replay keeps, before it is divided by the speed."""


@command()
@click.argument("debates", nargs=-1, metavar="DEBATE...", shell_complete=complete_debate)
@option("--example", is_flag=True, help="Open a recorded debate of a small real model in the browser.")
@option("--short", is_flag=True, help="Show only the outcome.")
@option("--numbers", is_flag=True, help="Show the number and the entry of each turn, for folkmoot fork.")
@option("--follow", is_flag=True, help="Continue as long as the debate runs.")
@option("--recount", is_flag=True, help="Count the ballots under every rule: who wins, and which ballots decide.")
@option("--analysis", is_flag=True, help="Analyse one or more: changed answers, agreement, grounds of the decision.")
@option("--json", "mode", flag_value="json", help="Print JSON: of the record, one entry on each line.")
@rare("--plain", "mode", flag_value="plain", help="Plain lines, as when the output is not a terminal.")
@rare("--speed", type=click.Choice(["1", "4", "16", "max"]), default="max", help="Replay with pauses, so much faster.")
@rare("--formal", is_flag=True, help="With --analysis: check claims that are stated in SMT-LIB.")
@rare("--plots", type=FOLDER, metavar="DIR", help="With --analysis: save plots and a page into this folder.")
@rare("--png", is_flag=True, help="With --plots: save PNG. Default: SVG.")
@store_option
def show(
    debates: tuple[str, ...],
    example: bool,
    short: bool,
    numbers: bool,
    follow: bool,
    recount: bool,
    analysis: bool,
    mode: str | None,
    speed: str,
    formal: bool,
    plots: Path | None,
    png: bool,
    store: Store,
) -> int:
    """Show a debate from its record, every answer in full.

    DEBATE is an id, a short id, or "last". The record is not changed.
    """
    if bool(debates) == example:
        raise click.UsageError("Name a debate, or ask for the example: folkmoot show --example")
    if example:
        return _open_example()
    if analysis or formal or plots:
        return _analyse(debates, store, as_json=mode == "json", formal=formal, plots=plots, png=png)
    debate, *others = debates
    if others:
        raise click.UsageError("Name one debate; --analysis takes several.")
    if recount:
        return _recount(debate, store, as_json=mode == "json")
    mode = "quiet" if short else mode or ""
    return run_command(_show(debate, store, mode=mode, numbers=numbers, follow=follow, speed=speed))


def _open_example() -> int:
    import tempfile
    import webbrowser

    from folkmoot.app.export.paper import replay, stored_example

    debate, entries, how = stored_example()
    try:
        page = replay(debate, entries, {"note": how})
    except BriefError as error:
        note(str(error))
        return ERROR
    # A new name each time: in a folder for everybody, another user may have made a file of a name that is known.
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".html", prefix="folkmoot-", delete=False) as file:
        file.write(page)
    note(how)
    click.echo(file.name)
    webbrowser.open(Path(file.name).as_uri())
    return DONE


async def _show(name: str, store: Store, *, mode: str, numbers: bool, follow: bool, speed: str) -> int:
    from folkmoot.app.export.reports import read_record
    from folkmoot.app.plan.next_steps import next_steps
    from folkmoot.app.run.outcome import opening, outcome
    from folkmoot.app.run.people import OutsideMessages
    from folkmoot.app.run.record_reader import open_asks
    from folkmoot.cli.display.output import Output
    from folkmoot.cli.terminal import watch
    from folkmoot.core.transcript import fold

    async with open_workspace(store, reading=True) as workspace:
        debate = await workspace.find(name)
        entries = await workspace.entries(debate)
        in_time = speed != "max"
        still, planned = not (in_time or follow), await workspace.count_asks(debate)
        output = Output(mode, full=True, still=still, planned=planned, numbers=numbers)
        output.announce(debate, opening(debate, entries))
        with output:
            if in_time:
                async for entry, line in _with_pauses(workspace, debate, entries, float(speed)):
                    output.viewer.take(entry, line)
                    output.viewer.tick()
            if follow or not in_time:
                await watch(workspace, debate, output.viewer, after=len(entries) if in_time else 0, live=follow)
        record = await read_record(workspace, debate)
        ended = outcome(debate, fold(record.entries))
        output.conclude(
            record,
            ended,
            {},
            asks=await open_asks(workspace, debate),
            outside=await (await OutsideMessages.of(workspace, debate)).more(),
            steps=tuple(next_steps(opening(debate, record.entries), debate, ended.transcript)),
        )
        await warn_of_changes(debate, record.entries)
        return DONE


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


def _analyse(
    debates: tuple[str, ...], store: Store, *, as_json: bool, formal: bool, plots: Path | None, png: bool
) -> int:
    from folkmoot.app.export.analyses import analyse_debates, save_analysis, write_analysis, write_data

    async def read() -> "tuple[tuple[Analysis, ...], Mapping[str, str]]":
        async with open_workspace(store, reading=True) as workspace:
            return await analyse_debates(workspace, [await workspace.find(debate) for debate in debates], formal=formal)

    analyses, damaged = run_command(read())
    written = save_analysis(analyses, plots, "png" if png else "svg") if plots else ()
    sys.stdout.write(write_data(analyses, damaged) if as_json else "" if plots else write_analysis(analyses))
    for path in written:
        click.echo(f"{path}", err=as_json)
    for debate, reason in damaged.items():
        note(f"{debate} is damaged: {reason}")
    return ERROR if damaged else DONE


# ---- recount -------------------------------------------------------------------------------------------------------


def _recount(debate: str, store: Store, *, as_json: bool) -> int:
    from folkmoot.app.export.recount import recount_debate, write_recount
    from folkmoot.cli.display.text_layout import print_all

    async def read() -> "Recount":
        async with open_workspace(store, reading=True) as workspace:
            return await recount_debate(workspace, await workspace.find(debate))

    recounted = run_command(read())
    if as_json:
        sys.stdout.write(write_recount(recounted))
        return DONE
    for problem in recounted.problems:
        note(problem)
    print_all(recount_lines(recounted))
    return DONE


def recount_lines(recounted: "Recount") -> "Iterator[RenderableType]":
    """Who wins under each rule, by how much, and which ballots would give another result."""
    from rich.text import Text

    from folkmoot.cli.display.text_layout import FAINT, Indented, line
    from folkmoot.core.labels import status_in_words

    cast = sum(ballot.state == "cast" for ballot in recounted.ballots)
    kind, ballots = "rankings" if recounted.ranked else "votes", counted(len(recounted.ballots), "ballot")
    yield Text(line(recounted.topic), style="bold")
    yield Text(f"{cast} of {ballots} counted ({kind}), for: {line(', '.join(recounted.candidates))}")
    yield from (Text(line(sentence)) for sentence in recounted.uncounted)
    yield Text(f"Counted in the debate by {recounted.recorded}: {line(recounted.result)}")
    if recounted.ranked:
        winner = line(recounted.condorcet)
        yield Text(f"{winner} wins against every other candidate." if winner else "No candidate beats all others.")
    if not recounted.quorum:
        yield Text("At least half of the voters did not vote, so there is no quorum. The counts below ignore that.")
    for count in recounted.counts:
        won = status_in_words(count.status)
        if count.status == "decided":
            lead = f", {count.margin:g} ahead of {line(count.next)}" if count.next else ""
            won = f"{line(count.winner)}{lead} ({count.strength})"
        yield Text.assemble("\n", (count.rule, "bold"), "  ", won)
        yield Indented(Text(line(count.how), style=FAINT))
        yield Indented(Text(flip_in_words(count), style=FAINT))


def flip_in_words(result: "RuleResult") -> str:
    """Which ballots would give another result, if they put one candidate first and the winner last."""
    from folkmoot.cli.display.text_layout import line

    last = " and the winner last" if result.status == "decided" else ""
    if result.flip is None:
        changed = "any one ballot puts" if result.tried == 1 else f"up to {result.tried} ballots put"
        return f"The result stays the same if {changed} another candidate first{last}."
    whose = listed([line(name) for name in result.flip.voters])
    ballots = "a changed ballot" if len(result.flip.voters) == 1 else "changed ballots"
    change = f"{line(result.flip.to)} first{last}"
    return f"Another result with {ballots} of {whose} ({change}): {line(result.flip.then)}"


# ---- reports and comparisons ---------------------------------------------------------------------------------------

ENDINGS: Mapping[str, str] = {
    **{f".{form.ending or name}": name for name, form in FORMATS.items()},
    **dict.fromkeys(("", ".md", ".markdown", ".txt"), "md"),
    **dict.fromkeys((".html", ".htm"), "html"),
}
"""The format that the ending of a file's name asks for; others are refused."""


class FormatName(click.ParamType[str]):
    """The name of a format of reports, built in or of another package."""

    name = "format"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name, if there is such a format."""
        try:
            report_format(value)
        except BriefError as error:
            self.fail(f"{error}.", param, ctx)
        return value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Offer the built-in formats."""
        return click.Choice(list(FORMATS)).shell_complete(ctx, param, incomplete)


@command(epilog="Formats: " + "; ".join(f"{name}: {form.help}" for name, form in FORMATS.items()) + ".")
@debate_argument
@option("--format", "form", type=FormatName(), metavar="FORMAT", help="Default: by the file's name, or md.")
@option(
    "-o",
    "--out",
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    metavar="FILE",
    help="The file to write, such as .md, .html or .pdf. Default: the screen.",
)
@option("--plots", is_flag=True, help="Add plots as the last chapter. Their files are saved beside the report.")
@option("--receipt", is_flag=True, help="Write a signed receipt of the decision instead: JSON, or .md around it.")
@key_options
@rare("--set", "options", multiple=True, metavar="NAME=VALUE", help="An option of a format from another package.")
@store_option
def report(
    debate: str,
    form: str | None,
    out: Path | None,
    plots: bool,
    receipt: bool,
    key: Path | None,
    hmac_key_env: str | None,
    options: tuple[str, ...],
    store: Store,
) -> int:
    """Write the report of a debate.

    DEBATE is an id, a short id, or "last". A receipt states what was decided, by whom, on which grounds, who was
    against it, what it cost, and the hash of the record; folkmoot verify --receipt checks it with the key.
    """
    out = None if out and str(out) == "-" else out
    if receipt:
        if plots or options or form not in (None, "md", "json"):
            raise click.UsageError("--receipt is JSON, or Markdown that contains it.")
        markdown = form == "md" or (form is None and out is not None and out.suffix == ".md")
        return run_command(_write_receipt(debate, out, key, hmac_key_env, store, markdown=markdown))
    if key or hmac_key_env:
        raise click.UsageError("A key signs a receipt: give --receipt.")
    form = form or _format_of(out)
    chosen = report_format(form, read_report_options(form, options, "--set"))
    if out is None and chosen.binary:
        raise click.UsageError(f"The format {form} needs a file: name it with -o.")
    if plots and (form != "md" or out is None):
        raise click.UsageError("--plots needs the report as Markdown in a file: give -o FILE.md.")

    async def read() -> "ReadRecord":
        from folkmoot.app.export.reports import read_record, with_notes

        async with open_workspace(store, reading=True) as workspace:
            record = await read_record(workspace, found := await workspace.find(debate))
        return with_notes(record, await warn_of_changes(found, record.entries))

    record = run_command(read())
    if plots and out:
        from folkmoot.app.export.analyses import save_illustrated

        for path in save_illustrated(record.report, record.entries, out):
            click.echo(f"{path}")
        return DONE
    contents: Mapping[str, str | bytes] = chosen.files(record) if chosen.files else {"": chosen.make(record)}
    if out is None:
        click.echo(next(iter(contents.values())), nl=False)
        return DONE
    for ending, content in contents.items():
        # A single file has the name that was given; several share it with their own endings.
        path = out if len(contents) == 1 else out.with_suffix(Path(ending).suffix)
        write_file(path, content)
        click.echo(f"{path}")
    return DONE


def _format_of(out: Path | None) -> str:
    """The format that the ending of a file's name means."""
    ending = out.suffix.lower() if out else ""
    if out and ending not in ENDINGS:
        from folkmoot.app.export.reports import check_target

        check_target(out)
        raise click.UsageError(f"No format has files that end in {ending[:40]}; name the format with --format.")
    return ENDINGS[ending]


async def _write_receipt(
    debate: str, out: Path | None, key: Path | None, variable: str | None, store: Store, *, markdown: bool
) -> int:
    from folkmoot.app.export.signed_receipts import make_receipt, save_receipt, write_receipt

    signing_key = read_signing_key(key, variable)
    async with open_workspace(store, reading=True) as workspace:
        content = await make_receipt(workspace, await workspace.find(debate))
    text = write_receipt(content, signing_key, "md" if markdown else "json")
    if out is None:
        sys.stdout.write(text)
    else:
        save_receipt(out, text)
        click.echo(f"{out}{'' if signing_key else ' is not signed: give --key or --hmac-key-env'}")
    return DONE


@command()
@click.argument("debate", metavar="A", shell_complete=complete_debate)
@click.argument("other", metavar="[B]", required=False, shell_complete=complete_debate)
@json_option
@store_option
def diff(debate: str, other: str | None, as_json: bool, store: Store) -> int:
    """Show where two debates diverge, and how their outcomes differ.

    A and B are ids, short ids, or "last". They need not be forks of each other. A single fork is
    compared with the debate that it was forked from.
    """
    from folkmoot.app.export.reports import compare, parent, write_comparison
    from folkmoot.cli.display.side_by_side import comparison_view
    from folkmoot.cli.display.text_layout import print_all

    async def read() -> "Comparison":
        async with open_workspace(store, reading=True) as workspace:
            first, second = await workspace.find(debate), await workspace.find(other) if other else ""
            if second:
                return await compare(workspace, first, second)
            return await compare(workspace, await parent(workspace, first), first)

    comparison = run_command(read())
    if as_json:
        sys.stdout.write(write_comparison(comparison))
    else:
        print_all(comparison_view(comparison))
    return DONE
