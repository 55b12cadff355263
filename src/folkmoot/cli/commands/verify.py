"""``folkmoot verify``: whether a record, the documents of a debate, or a receipt is still the same."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from folkmoot.cli.options import (
    DONE,
    ERROR,
    FILE,
    STALE,
    Store,
    command,
    debates_argument,
    note,
    open_records,
    open_workspace,
    option,
    run_command,
    stacked,
    store_option,
    store_path,
    warn_of_changes,
)
from folkmoot.core.errors import RecordError
from folkmoot.core.text import counted

if TYPE_CHECKING:
    from folkmoot.app.export.signed_receipts import Key
    from folkmoot.core.brief import Brief

key_options = stacked(
    option("--key", type=FILE, metavar="FILE", help="The Ed25519 key of a receipt: see folkmoot config key."),
    option("--hmac-key-env", metavar="NAME", help="The variable with the secret of a receipt, of 16 bytes or more."),
)


def read_signing_key(path: Path | None, variable: str | None) -> "Key | None":
    """The key that was named, if any."""
    from folkmoot.app.export.signed_receipts import read_key, secret_key

    if path and variable:
        raise click.UsageError("--key and --hmac-key-env cannot be given together.")
    if path:
        return read_key(path)
    if variable and not os.environ.get(variable):
        raise click.UsageError(f"The environment variable {variable} is not set or empty.")
    return secret_key(os.environ[variable]) if variable else None


@command()
@debates_argument
@option("--head", metavar="HASH", help="The hash that the last entry must have; at least its first 8 digits.")
@option("--documents", is_flag=True, help="Compare documents with the record instead. Without DEBATE: of all debates.")
@option(
    "--in",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    metavar="FOLDER",
    help="With --documents: where they are. Default: this folder.",
)
@option("--receipt", type=FILE, metavar="FILE", help="Check this receipt, and the record if it is here.")
@key_options
@store_option
def verify(
    debates: tuple[str, ...],
    head: str | None,
    documents: bool,
    folder: Path,
    receipt: Path | None,
    key: Path | None,
    hmac_key_env: str | None,
    store: Store,
) -> int:
    """Check that records, documents or receipts are what they were.

    Of a record, every hash is checked, and that replaying it gives the same debate. Keep the hash that is printed: with --head it proves later that the record
    has not changed. A store in a file is also checked for damage elsewhere in it.

    Exit codes: 0 intact, 1 damaged or changed, 9 a document has changed since, is missing or cannot be read.
    """
    if receipt and not debates:
        signing_key = read_signing_key(key, hmac_key_env)
        if signing_key is None:
            raise click.UsageError("--receipt needs --key or --hmac-key-env.")
        return _check_receipt(receipt, signing_key, store)
    if documents:
        return run_command(_documents(debates, folder, store) if debates else _all_documents(folder, store))
    if not debates or receipt:
        raise click.UsageError("Give a DEBATE, --documents, or --receipt FILE.")
    if head is not None and (len(head) < 8 or len(debates) > 1):
        raise click.UsageError("--head needs one debate, and at least 8 digits of the hash.")
    return max(run_command(_check(debate, head, store)) for debate in debates)


async def _check(debate: str, head: str | None, store: Store) -> int:
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
    if head is not None and not last.startswith(head.lower()):
        note(f"{name}: the last entry has the hash {last}, not {head}")
        return ERROR
    click.echo(f"{name}: {counted(entries, 'entry', 'entries')}, intact")
    click.echo(f"head {last}")
    for change in changes:
        note(change)
    if head is None:
        click.echo("Keep this hash: folkmoot verify --head HASH proves that nothing was changed or cut off at the end.")
    return DONE


# ---- documents -----------------------------------------------------------------------------------------------------


async def _documents(names: tuple[str, ...], folder: Path, store: Store) -> int:
    from folkmoot.app.run.outcome import opening
    from folkmoot.app.run.record_reader import place_of

    code = DONE
    async with open_workspace(store, reading=True) as workspace:
        for name in names:
            debate = await workspace.find(name)
            opened = opening(debate, await workspace.entries(debate))
            if opened.place and opened.place != place_of(folder):
                note(f"{debate} was about documents of another folder, or the folder was moved")
            code = max(code, _compare(debate, opened.brief, folder, quiet=False))
    return code


async def _all_documents(folder: Path, store: Store) -> int:
    """List the debates about documents of a folder that are no longer the same."""
    from folkmoot.app.run.record_reader import place_of

    place, codes = place_of(folder), list[int]()
    async with open_records(store) as reader:
        for debate in await reader.names():
            try:
                opened = await reader.opening(debate)
            except RecordError as error:
                note(f"{debate} is left out: {error}")
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


# ---- receipts ------------------------------------------------------------------------------------------------------


def _check_receipt(path: Path, key: "Key", store: Store) -> int:
    from folkmoot.app.export.signed_receipts import check_receipt, check_record
    from folkmoot.app.plan.settings import is_there, show_where

    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise click.ClickException(f"{path} is not a text in UTF-8, so it is not a receipt") from error
    except OSError as error:
        raise click.ClickException(f"{path} cannot be read: {error.strerror or error}") from error
    checked = check_receipt(text, key)
    click.echo(f"{checked.debate}: the signature is valid; the receipt has not been changed")

    async def look() -> int:
        async with open_workspace(store, reading=True) as workspace:
            if stored := await check_record(workspace, checked):
                await warn_of_changes(checked.debate, await workspace.entries(checked.debate))
            return stored

    location = store_path(store)
    entries, where = counted(checked.entries, "entry", "entries"), show_where(location)
    stored = run_command(look()) if is_there(location) else 0
    if not stored:
        click.echo(f"the record ({entries}) is not in {where}; it was not checked")
        return DONE
    later = stored - checked.entries
    more = f"; {counted(later, 'later entry is', 'later entries are')} intact too" if later > 0 else ""
    click.echo(
        f"the record ({entries}) is intact in {where}: each entry has the hash of the one before, and the last has the "
        f"hash in the receipt{more}; it says the same about the question, the votes and the decision"
    )
    return DONE
