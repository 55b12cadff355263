"""``folkmoot list``, ``verify``, ``stale``, ``store``, ``import``, ``rename`` and ``delete``: the records of a store."""

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click
import rich_click

from folkmoot.cli.options import (
    DONE,
    ERROR,
    STALE,
    Place,
    complete_debate,
    open_records,
    open_workspace,
    run_command,
    store_option,
    store_path,
)
from folkmoot.core.brief import LISTED
from folkmoot.core.errors import BriefError, RecordError
from folkmoot.core.text import counted

if TYPE_CHECKING:
    from folkmoot.app.imports.conversations import Conversation
    from folkmoot.cli.display.debate_table import ShownDebates
    from folkmoot.core.brief import Brief


SHORT = 30
"""How many debates a list shows unless more are asked for."""


class Filters(TypedDict):
    """Which debates a list shows, as the user typed it."""

    limit: int | None
    status: str | None
    search: str | None
    helpers: bool


@rich_click.command(name="list")
@click.option("-n", "--limit", type=click.IntRange(*LISTED), metavar="N", help="Maximum number of debates to show; 30.")
@click.option("--status", metavar="STATUS", help="Show only debates with this status: decided, tie, paused, open …")
@click.option("--search", metavar="WORDS", help="Show only debates whose id, topic or protocol contains these words.")
@click.option("--all", "helpers", is_flag=True, help="Also show the debates in which participants were generated.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@store_option
def list_(as_json: bool, store: Path | str | None, **filters: Unpack[Filters]) -> int:
    """List debates, the newest first.

    The short id is enough for every command: folkmoot show 7f3. "last" is the newest debate, "last~1" the one before it.
    The list reads the summary that was stored with each debate. "folkmoot verify" reads all entries.
    "stale" stands where a document in this folder has changed since; "folkmoot stale" names such documents.
    """
    from folkmoot.cli.display.debate_table import as_data, print_debates

    shown = run_command(_look(store, filters, fold=not (as_json or filters["helpers"])))
    if as_json:
        data = [as_data(item, shown) for item in shown.debates]
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
    elif not shown.debates:
        _say_none(store, shown)
    else:
        print_debates(shown)
        if hidden := shown.stored - len(shown.debates):
            click.echo(
                f"{counted(hidden, 'more debate')} not shown; folkmoot list -n {shown.stored} shows all", err=True
            )
        if shown.stale:
            click.echo("stale: a document has changed since; folkmoot stale says which", err=True)
    return DONE


def _say_none(store: Path | str | None, shown: "ShownDebates") -> None:
    from folkmoot.app.plan.settings import is_there, show_where

    location = store_path(store)
    if shown.stored:
        click.echo(
            f"None of {counted(shown.stored, 'debate')} in {show_where(location)} fits; folkmoot list --all shows all."
        )
        return
    lacking = "; the file is empty" if Path(location).exists() else "; the file does not exist"
    lacking = "" if is_there(location) else lacking
    click.echo(f"There are no debates yet in {show_where(location)}{lacking}.")
    click.echo('Start with: folkmoot run "Should we build or buy?"')


async def _look(store: Path | str | None, filters: Filters, *, fold: bool) -> "ShownDebates":
    """The debates that a list shows, with the open questions to people.

    Args:
        store: the store.
        filters: which debates.
        fold: whether an evaluation, which has hundreds of debates, is one row.
    """
    from folkmoot.app.run.outcome import list_one
    from folkmoot.app.run.record_reader import list_open_asks, list_query, short_ids
    from folkmoot.cli.display.debate_table import ShownDebates, fold_evaluations

    query = list_query(
        status=filters["status"] or "",
        search=filters["search"] or "",
        limit=None if fold else filters["limit"],
        helpers=filters["helpers"],
    )
    async with open_records(store) as reader:
        stored = await reader.names()
        page = (await reader.page(query)).debates
        rows = [list_one(summary) for summary in page]
        folded = fold_evaluations(rows) if fold else rows
        within = len(rows) - len(folded)  # these have no row of their own, but one that speaks for them
        rows = folded[: filters["limit"] or (SHORT if fold else None)]
        debates, asks = await list_open_asks(reader, rows)
        shown = {item.debate for item in debates}
        stale = await reader.stale_among([summary for summary in page if summary.debate in shown])
    short = short_ids([item.debate for item in debates], stored)
    running = reader.running_among(debates)
    return ShownDebates(
        debates=debates,
        asks=asks,
        short=short,
        stale=stale,
        stored=len(stored) - within,
        running=running,
    )


@rich_click.command()
@click.argument("debate", shell_complete=complete_debate)
@click.option("--head", metavar="HASH", help="The hash that the last entry must have; at least its first 8 digits.")
@store_option
def verify(debate: str, head: str | None, store: Path | str | None) -> int:
    """Check that a record is intact: every hash, and that replaying it gives the same debate.

    DEBATE is an id, a short id, or "last". Keep the hash that is printed. With --head it proves later
    that the record has not changed. A store in a file is also checked for damage elsewhere in it.
    """

    async def check() -> tuple[str, int, str, list[str]]:
        from folkmoot.app.plan.toolbox import changed_packages
        from folkmoot.app.run.outcome import opening

        async with open_workspace(store, reading=True) as workspace:
            name = await workspace.find(debate)
            changes = changed_packages(opening(name, await workspace.entries(name)).packages)
            entries, last = await workspace.verify(name)
            try:
                await workspace.check_store()
            except RecordError as error:
                sound = f"{name}: {counted(entries, 'entry', 'entries')}, every hash is right, head {last}"
                copy = "Copy to a new store what can be read: folkmoot store copy"
                raise RecordError(f"{sound}; but its store is damaged. {error} {copy}") from error
            return name, entries, last, changes

    if head is not None and len(head) < 8:
        raise click.UsageError("--head needs at least 8 digits of the hash.")
    name, entries, last, changes = run_command(check())
    if head is not None and not last.startswith(head.lower()):
        click.echo(f"folkmoot: {name}: the last entry has the hash {last}, not {head}", err=True)
        return ERROR
    click.echo(f"{name}: {counted(entries, 'entry', 'entries')}, intact")
    click.echo(f"head {last}")
    for change in changes:
        click.echo(f"folkmoot: {change}", err=True)
    if head is None:
        click.echo(
            "Keep this hash: folkmoot verify --head HASH then proves that no entry was changed or removed at the end."
        )
    return DONE


@rich_click.command()
@click.argument("names", metavar="[DEBATE...]", nargs=-1, shell_complete=complete_debate)
@click.option(
    "--in",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    metavar="FOLDER",
    help="Where the documents are: the folder of the brief, or of the repository. Default: this one.",
)
@store_option
def stale(names: tuple[str, ...], folder: Path, store: Path | str | None) -> int:
    """Check whether what a debate was about has changed since: its documents, or the files of a review.

    DEBATE is an id, a short id, or "last". Without one, all debates about documents of the folder are checked, and
    those are listed whose documents are no longer the same. The files are compared with what is on record.

    Exit codes: 0 all are the same, 9 one has changed, is missing or cannot be read.
    """
    return run_command(_stale(names, folder, store) if names else _all_stale(folder, store))


async def _stale(names: tuple[str, ...], folder: Path, store: Path | str | None) -> int:
    from folkmoot.app.run.outcome import opening
    from folkmoot.app.run.record_reader import place_of

    code = DONE
    async with open_workspace(store, reading=True) as workspace:
        for name in names:
            debate = await workspace.find(name)
            opened = opening(debate, await workspace.entries(debate))
            if opened.place and opened.place != place_of(folder):
                click.echo(
                    f"folkmoot: {debate} was about documents of another folder, or the folder was moved", err=True
                )
            code = max(code, _compare(debate, opened.brief, folder, quiet=False))
    return code


async def _all_stale(folder: Path, store: Path | str | None) -> int:
    """List the debates about documents of a folder that are no longer the same."""
    from folkmoot.app.run.record_reader import place_of

    place, codes = place_of(folder), list[int]()
    async with open_records(store) as reader:
        for debate in await reader.names():
            try:
                opened = await reader.opening(debate)
            except RecordError as error:
                click.echo(f"folkmoot: {debate} is left out: {error}", err=True)
                continue
            if opened.place == place:
                codes.append(_compare(debate, opened.brief, folder, quiet=True))
    if STALE not in codes:
        click.echo(f"{counted(len(codes), 'debate')} about documents of this folder; none of these has changed")
    return max(codes, default=DONE)


def _compare(debate: str, brief: "Brief", folder: Path, *, quiet: bool) -> int:
    """Say which documents of a debate are no longer the same; ``quiet``: nothing where all are."""
    from folkmoot.app.brief.document_states import document_states

    states = document_states(brief, folder)
    different = [document for document in states if document.state != "same"]
    for document in different:
        words = {"changed": "has changed", "missing": "is missing"}.get(document.state)
        click.echo(f"{debate}: {document.name} {words or f'cannot be compared: {document.why}'}")
    if not different and not quiet:
        click.echo(f"{debate}: {counted(len(states), 'document')}, none has changed")
    return STALE if different else DONE


@rich_click.command()
@click.argument("debate", shell_complete=complete_debate)
@click.argument("name")
@store_option
def rename(debate: str, name: str, store: Path | str | None) -> int:
    """Give a debate another name for lists and pages.

    DEBATE is an id, a short id, or "last". Its id and its record stay as they are, with the question in it. An empty
    NAME ("") shows the question again.
    """
    return run_command(_rename(debate, name, store))


async def _rename(debate: str, name: str, store: Path | str | None) -> int:
    from folkmoot.app.plan.settings import is_there
    from folkmoot.app.run.access import rename

    if not is_there(location := store_path(store)):
        raise click.ClickException(f"there are no records at {location}")
    async with open_workspace(store) as workspace:
        found_debate = await workspace.find(debate)
        stored = await rename(workspace, found_debate, name)
        click.echo(f"{found_debate}: {f'named {stored}' if stored else 'has its question as its name again'}")
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
    from folkmoot.app.plan.settings import is_there
    from folkmoot.app.run.removal import remove

    if not is_there(location := store_path(store)):
        raise click.ClickException(f"there are no records at {location}")
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
                click.echo(f"folkmoot: its forks stay: {', '.join(removed.forks)}", err=True)
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

    from folkmoot.app.export.copy_debates import copy_debates
    from folkmoot.app.run.workspace import Workspace

    counts: Counter[str] = Counter()
    lines = 0
    async with AsyncExitStack() as opened:
        source_workspace = Workspace.at(source, reading=True)
        opened.push_async_callback(source_workspace.close)
        target_workspace = Workspace.at(target)
        opened.push_async_callback(target_workspace.close)
        wanted = [await source_workspace.find(name) for name in names]
        async for copied in copy_debates(source_workspace.store, target_workspace.store, wanted):
            lines += copied.new
            if copied.fault:
                click.echo(f"folkmoot: {copied.debate}: {copied.fault}", err=True)
            counts["refused" if copied.fault else "there" if not copied.new else "more" if copied.there else "new"] += 1
    results = [f"{counts['new']} copied", f"{counts['more']} extended", f"{counts['there']} already there"]
    click.echo(
        f"{', '.join(results)}, {counts['refused']} refused; "
        f"{counted(lines, 'entry', 'entries')} written to {target_workspace.place}"
    )
    return ERROR if counts["refused"] else DONE


@rich_click.command("import")
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--names", metavar="NAME,…", default="", help="Who speaks in a transcript. Default: found in the text.")
@click.option("--dry-run", is_flag=True, help="Print what would be imported, and store nothing.")
@store_option
def import_(files: tuple[Path, ...], names: str, dry_run: bool, store: Path | str | None) -> int:
    """Import conversations of other programs as records.

    FILE holds chat messages as JSON (OpenAI), an export of ChatGPT, Claude or Open WebUI, or a transcript in Markdown
    or plain text whose turns begin with names. A record can then be shown, mapped and forked like any other. No model
    is called.

    Exit codes: 0 all files imported, 1 one of them cannot be read; the others are imported.
    """
    speakers = tuple(name.strip() for name in names.split(",") if name.strip())
    return run_command(_import(files, speakers, dry_run, store))


async def _import(files: tuple[Path, ...], names: tuple[str, ...], dry_run: bool, store: Path | str | None) -> int:
    from folkmoot.app.imports.imported_record import import_conversation, read_conversations

    code, last = DONE, ""
    for file in files:
        try:
            data = file.read_bytes()
            every = read_conversations(data, file.name, names)
        except (BriefError, OSError) as error:
            click.echo(f"folkmoot: {error}", err=True)
            code = ERROR
            continue
        conversations = [conversation for conversation in every if conversation.turns]
        if empty := len(every) - len(conversations):
            click.echo(f"folkmoot: {file.name}: {counted(empty, 'conversation')} without words left out", err=True)
        if dry_run:
            for conversation in conversations:
                click.echo(_summary(conversation))
            continue
        async with open_workspace(store) as workspace:
            for conversation in conversations:
                last = await import_conversation(workspace, conversation, file.name, data)
                click.echo(f"{last}: {_summary(conversation)}")
    if last:
        click.echo(f"folkmoot: next: folkmoot show {last} · folkmoot fork {last} --at ENTRY -m PROVIDER:NAME", err=True)
    return code


def _summary(conversation: "Conversation") -> str:
    """The topic, the kind of file, and how often each speaks."""
    turns = Counter(said.by for turn in conversation.turns for said in turn)
    speakers = ", ".join(f"{name} {counted(number, 'turn')}" for name, number in turns.items())
    return f"{conversation.topic} ({conversation.program}: {speakers})"
