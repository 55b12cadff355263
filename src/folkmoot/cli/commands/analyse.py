"""``folkmoot analyse`` and ``folkmoot receipt``: analyse debates; write, sign and check receipts of decisions."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
import rich_click

from folkmoot.cli.options import (
    DONE,
    ERROR,
    complete_debate,
    open_workspace,
    run_command,
    store_option,
    store_path,
    warn_of_changes,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from folkmoot.analysis.analysis import Analysis
    from folkmoot.app.export.signed_receipts import Key


@rich_click.command()
@click.argument("debates", nargs=-1, required=True, shell_complete=complete_debate)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--formal", is_flag=True, help="Check claims that are stated in SMT-LIB: proved, refuted or unknown.")
@click.option(
    "--plots",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Save plots and a page into this folder.",
)
@click.option("--png", is_flag=True, help="Save plots as PNG. Default: SVG.")
@store_option
def analyse(
    debates: tuple[str, ...],
    as_json: bool,
    formal: bool,
    plots: Path | None,
    png: bool,
    store: Path | str | None,
) -> int:
    """Analyse debates: agreement, changed answers, and the grounds of the decision.

    DEBATES are ids, short ids, or "last". Everything is read from the records: each participant's answer
    over time, which turn changed whose answer, what supports each claim of the decision, which claims the decision
    depends on, and who agrees with whom.
    """
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
        click.echo(f"folkmoot: {debate} is damaged: {reason}", err=True)
    return ERROR if damaged else DONE


_FILE = click.Path(dir_okay=False, path_type=Path)


@rich_click.command()
@click.argument("debate", required=False, shell_complete=complete_debate)
@click.option("--key", type=_FILE, help="A file with an Ed25519 key: the private key signs, the public key checks.")
@click.option("--hmac-key-env", metavar="NAME", help="The environment variable that has a secret of at least 16 bytes.")
@click.option(
    "--format", "form", type=click.Choice(["json", "md"]), default="json", help="JSON, or Markdown that contains it."
)
@click.option(
    "-o",
    "--out",
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    help="The file to write. Default: the screen.",
)
@click.option("--check", type=_FILE, help="Check this receipt (JSON or Markdown) instead of writing one.")
@click.option("--new-key", type=_FILE, help="Create an Ed25519 key in this file, and its public key in FILE.pub.")
@store_option
def receipt(
    debate: str | None,
    key: Path | None,
    hmac_key_env: str | None,
    form: Literal["json", "md"],
    out: Path | None,
    check: Path | None,
    new_key: Path | None,
    store: Path | str | None,
) -> int:
    """Write a signed receipt of a decision, or check one.

    DEBATE is an id, a short id, or "last". The receipt states what was decided, by whom, on which
    grounds, who was against it, what it cost, and the hash of the record. With the key anybody can check that the
    receipt has not been changed.
    """
    if sum(item is not None for item in (debate, check, new_key)) != 1:
        raise click.UsageError("Give exactly one of these: a debate, --check FILE, or --new-key FILE.")
    if key and hmac_key_env:
        raise click.UsageError("--key and --hmac-key-env cannot be given together.")
    if new_key:
        return _make(new_key)
    signing_key = _key(key, hmac_key_env)
    if check:
        if signing_key is None:
            raise click.UsageError("--check needs --key or --hmac-key-env.")
        return _check(check, signing_key, store)
    return _write(debate or "", signing_key, form, out, store)


def _make(path: Path) -> int:
    from folkmoot.app.export.signed_receipts import new_key

    public = new_key(path)
    click.echo(f"{path} is the private key: it signs receipts; keep it secret")
    click.echo(f"{public} is the public key: it checks receipts; you can give it to anybody")
    return DONE


def _key(path: Path | None, variable: str | None) -> "Key | None":
    from folkmoot.app.export.signed_receipts import read_key, secret_key

    if path:
        return read_key(path)
    if not variable:
        return None
    if not (secret := os.environ.get(variable)):
        raise click.UsageError(f"The environment variable {variable} is not set or empty.")
    return secret_key(secret)


def _write(
    debate: str, key: "Key | None", form: Literal["json", "md"], out: Path | None, store: Path | str | None
) -> int:
    from folkmoot.app.export.signed_receipts import make_receipt, save_receipt, write_receipt

    async def read() -> str:
        async with open_workspace(store, reading=True) as workspace:
            return write_receipt(await make_receipt(workspace, await workspace.find(debate)), key, form)

    text = run_command(read())
    if out is None or str(out) == "-":
        sys.stdout.write(text)
    else:
        save_receipt(out, text)
        click.echo(f"{out}{'' if key else ' is not signed: give --key or --hmac-key-env'}")
    return DONE


def _check(path: Path, key: "Key", store: Path | str | None) -> int:
    from folkmoot.app.export.signed_receipts import check_receipt, check_record
    from folkmoot.app.plan.settings import show_where
    from folkmoot.core.text import counted

    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise click.ClickException(f"{path} is not a text in UTF-8, so it is not a receipt") from error
    except OSError as error:
        raise click.ClickException(f"{path} cannot be read: {error.strerror or error}") from error
    checked = check_receipt(text, key)
    location = store_path(store)

    async def look() -> int:
        async with open_workspace(store, reading=True) as workspace:
            if entries_here := await check_record(workspace, checked):
                await warn_of_changes(checked.debate, await workspace.entries(checked.debate))
            return entries_here

    click.echo(f"{checked.debate}: the signature is valid; the receipt has not been changed")
    entries = counted(checked.entries, "entry", "entries")
    stored = run_command(look()) if isinstance(location, str) or location.exists() else 0
    if not stored:
        click.echo(f"the record ({entries}) is not in {show_where(location)}; it was not checked")
        return DONE
    more = (
        f"; {counted(stored - checked.entries, 'later entry is', 'later entries are')} intact too"
        if stored > checked.entries
        else ""
    )
    click.echo(
        f"the record ({entries}) is intact in {show_where(location)}: each entry has the hash of the one before, "
        f"and the last has the hash in the receipt{more}; it says the same about the question, the votes and the "
        "decision"
    )
    return DONE
