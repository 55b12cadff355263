"""``folkmoot list`` and ``folkmoot store``: the debates of a store; copy, import, rename and delete them."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from folkmoot.cli.options import (
    DONE,
    ERROR,
    IntRange,
    Place,
    Store,
    command,
    complete_debate,
    debate_argument,
    echo_json,
    group,
    json_option,
    note,
    open_records,
    open_workspace,
    option,
    run_command,
    store_option,
    store_path,
    yes_option,
)
from folkmoot.core.brief import LISTED
from folkmoot.core.errors import BriefError
from folkmoot.core.text import counted

if TYPE_CHECKING:
    from folkmoot.cli.display.debate_table import ShownDebates

SHORT = 30
"""How many debates a list shows unless more are asked for."""


@command(name="list")
@option("-n", "--limit", type=IntRange(*LISTED), default=SHORT, show_default=True, metavar="N", help="At most so many.")
@option("--status", metavar="STATUS", help="Only debates with this status: decided, tie, paused, open …")
@option("--search", metavar="WORDS", help="Only debates whose id, topic or protocol contains these words.")
@option("--all", "helpers", is_flag=True, help="Also those of evaluations, and those that generated participants.")
@json_option
@store_option
def list_(limit: int, status: str | None, search: str | None, helpers: bool, as_json: bool, store: Store) -> int:
    """List debates, the newest first.

    The short id is enough for every command: folkmoot show 7f3. "last" is the newest debate, "last~1" the one before it.
    "stale" means that a document in this folder has changed since; "folkmoot verify --documents" names such documents.
    """
    from folkmoot.cli.display.debate_table import as_data, print_debates

    shown = run_command(_look(store, limit, status or "", search or "", helpers=helpers, fold=not (as_json or helpers)))
    if as_json:
        echo_json([as_data(item, shown) for item in shown.debates])
    elif not shown.debates:
        _say_none(store, shown.stored)
    else:
        print_debates(shown)
        if shown.stale:
            note("stale: a document has changed since; folkmoot verify --documents says which")
    if shown.debates and (hidden := shown.stored - len(shown.debates)):
        note(f"{counted(hidden, 'more debate')} not shown; folkmoot list -n {shown.stored} shows all")
    return DONE


def _say_none(store: Store, stored: int) -> None:
    from folkmoot.app.plan.settings import is_there, show_where

    location = store_path(store)
    if stored:
        click.echo(
            f"None of {counted(stored, 'debate')} in {show_where(location)} fits; folkmoot list --all shows all."
        )
        return
    lacking = "; the file is empty" if Path(location).exists() else "; the file does not exist"
    click.echo(f"There are no debates yet in {show_where(location)}{'' if is_there(location) else lacking}.")
    click.echo('Start with: folkmoot run "Should we build or buy?"')


async def _look(store: Store, limit: int, status: str, search: str, *, helpers: bool, fold: bool) -> "ShownDebates":
    """The debates that a list shows, with the open questions to people.

    Args:
        store: the store.
        limit: the most debates.
        status: the status of the debates; "" for all.
        search: words in their id, topic or protocol.
        helpers: whether those are listed in which participants were generated.
        fold: whether an evaluation, which has hundreds of debates, is one row.
    """
    from folkmoot.app.run.outcome import list_one
    from folkmoot.app.run.record_reader import list_open_asks, list_query, short_ids
    from folkmoot.cli.display.debate_table import ShownDebates, fold_groups

    query = list_query(status=status, search=search, limit=None if fold else limit, helpers=helpers)
    async with open_records(store) as reader:
        stored = await reader.names()
        page = (await reader.page(query)).debates
        rows = [list_one(summary) for summary in page]
        folded = fold_groups(rows) if fold else rows
        within = len(rows) - len(folded)  # these have no row of their own, but one that speaks for them
        debates, asks = await list_open_asks(reader, folded[:limit])
        names = {item.debate for item in debates}
        stale = await reader.stale_among([summary for summary in page if summary.debate in names])
    return ShownDebates(
        debates=debates,
        asks=asks,
        short=short_ids([item.debate for item in debates], stored),
        stale=stale,
        stored=len(stored) - within,
        running=reader.running_among(debates),
    )


@group()
def store() -> None:
    """Copy, import, rename and delete debates."""


@store.command()
@click.argument("source", type=Place(), metavar="FROM")
@click.argument("target", type=Place(), metavar="TO")
@click.argument("debates", nargs=-1, metavar="[DEBATE]...")
def copy(source: Path | str, target: Path | str, debates: tuple[str, ...]) -> int:
    """Copy the named debates, or all, with all messages and answers of people.

    FROM and TO are files or addresses postgresql://…. DEBATE is an id, a short id, or "last". Hashes
    are checked before and after. What exists already is not changed, so an interrupted copy can simply be repeated.
    """
    from folkmoot.app.export.copy_debates import copy_debates

    if isinstance(source, Path) and not source.exists():
        raise click.UsageError(f"There is no file {source}.")

    async def work() -> int:
        counts: Counter[str] = Counter()
        lines = 0
        async with open_workspace(source, reading=True) as old, open_workspace(target) as new:
            wanted = [await old.find(name) for name in debates]
            async for copied in copy_debates(old.store, new.store, wanted):
                lines += copied.new
                if copied.fault:
                    note(f"{copied.debate}: {copied.fault}")
                done = "already there" if not copied.new else "extended" if copied.there else "copied"
                counts["refused" if copied.fault else done] += 1
            results = [f"{counts[done]} {done}" for done in ("copied", "extended", "already there", "refused")]
            click.echo(f"{', '.join(results)}; {counted(lines, 'entry', 'entries')} written to {new.place}")
        return ERROR if counts["refused"] else DONE

    return run_command(work())


@store.command("import")
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@option("--names", metavar="NAME,…", default="", help="Who speaks in a transcript. Default: found in the text.")
@option("--dry-run", is_flag=True, help="Print what would be imported, and store nothing.")
@store_option
def import_(files: tuple[Path, ...], names: str, dry_run: bool, store: Store) -> int:
    """Import conversations of other programs as records.

    FILE holds chat messages as JSON (OpenAI), an export of ChatGPT, Claude or Open WebUI, or a transcript in Markdown
    or plain text whose turns begin with names. A record can then be shown, mapped and forked like any other. No model
    is called.

    Exit codes: 0 all files imported, 1 one of them cannot be read; the others are imported.
    """
    speakers = tuple(name.strip() for name in names.split(",") if name.strip())
    return run_command(_import(files, speakers, dry_run, store))


async def _import(files: tuple[Path, ...], names: tuple[str, ...], dry_run: bool, store: Store) -> int:
    from folkmoot.app.imports.imported_record import import_conversation, read_conversations

    code, last = DONE, ""
    for file in files:
        try:
            data = file.read_bytes()
            every = read_conversations(data, file.name, names)
        except (BriefError, OSError) as error:
            note(str(error))
            code = ERROR
            continue
        if empty := sum(not conversation.turns for conversation in every):
            note(f"{file.name}: {counted(empty, 'conversation')} without words left out")
        for conversation in every:
            if not conversation.turns:
                continue
            if not dry_run:
                async with open_workspace(store) as workspace:
                    last = await import_conversation(workspace, conversation, file.name, data)
            turns = Counter(said.by for turn in conversation.turns for said in turn)
            speakers = ", ".join(f"{name} {counted(number, 'turn')}" for name, number in turns.items())
            words = f"{conversation.topic} ({conversation.program}: {speakers})"
            click.echo(words if dry_run else f"{last}: {words}")
    if last:
        note(f"next: folkmoot show {last} · folkmoot fork {last} --at ENTRY -m PROVIDER:NAME")
    return code


@store.command()
@debate_argument
@click.argument("name")
@store_option
def rename(debate: str, name: str, store: Store) -> int:
    """Give a debate another name for lists and pages.

    DEBATE is an id, a short id, or "last". Its id and its record stay as they are, with the question in it. An empty
    NAME ("") shows the question again.
    """
    from folkmoot.app.run.access import rename as rename_debate

    async def work() -> int:
        async with open_workspace(store, must_exist=True) as workspace:
            found = await workspace.find(debate)
            stored = await rename_debate(workspace, found, name)
        click.echo(f"{found}: {f'named {stored}' if stored else 'has its question as its name again'}")
        return DONE

    return run_command(work())


@store.command()
@click.argument("names", metavar="DEBATE...", nargs=-1, required=True, shell_complete=complete_debate)
@yes_option
@option("--force", is_flag=True, help="Also delete a debate that another machine may be running.")
@store_option
def delete(names: tuple[str, ...], yes: bool, force: bool, store: Store) -> int:
    """Delete debates permanently, with everything that belongs to them.

    DEBATE is an id, a short id, or "last". This deletes the record, the messages and answers sent to it, its links,
    its place in the queue, and what was learned from it. It does not delete forks, reports in files, or the debate
    that generated the participants.
    """
    from folkmoot.app.run.removal import remove

    async def work() -> int:
        async with open_workspace(store, must_exist=True) as workspace:
            debates = list(dict.fromkeys([await workspace.find(name) for name in names]))
            if not yes:
                click.confirm(f"Delete {', '.join(debates)}? This cannot be undone.", abort=True, err=True)
            for debate in debates:
                removed = await remove(workspace, debate, force=force)
                beside = f", {counted(removed.messages, 'message')}" if removed.messages else ""
                learned = ", and what was learned from it" if removed.learned else ""
                click.echo(f"{debate}: deleted {counted(removed.entries, 'entry', 'entries')}{beside}{learned}")
                if removed.forks:
                    note(f"its forks stay: {', '.join(removed.forks)}")
        return DONE

    return run_command(work())
