"""A receipt beside the record that it is about: every entry of it is checked, and the command says so."""

import asyncio
import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result

from folkmoot.app.export.signed_receipts import canonical, secret_key
from folkmoot.app.run.workspace import Workspace
from folkmoot.record.store import decode, digest, encode
from tests.cli.commands import folkmoot
from tests.paths import RECORDS

LINES = (RECORDS / "v2-panel.jsonl").read_text("utf-8").splitlines()
SECRET = "correct horse battery"


def lay(folder: Path, lines: Sequence[str], *, after: int = 0) -> None:
    """Put lines into a store."""

    async def append() -> None:
        workspace = Workspace.at(folder / "folkmoot.sqlite")
        await workspace.store.append("panel", lines, after=after)
        await workspace.close()

    asyncio.run(append())


def sign(folder: Path) -> None:
    """Lay a record, and write a receipt of it."""
    lay(folder, LINES)
    (folder / "r").write_text(
        folkmoot(folder, "report", "--receipt", "last", "--hmac-key-env", "KEY", KEY=SECRET).stdout
    )


def check(folder: Path) -> Result:
    return folkmoot(folder, "verify", "--receipt", "r", "--hmac-key-env", "KEY", KEY=SECRET)


def test_an_edited_record_is_not_the_one_of_a_receipt(tmp_path: Path) -> None:
    sign(tmp_path)
    whole = check(tmp_path)
    assert "each entry has the hash of the one before" in " ".join(whole.output.split())
    with closing(sqlite3.connect(tmp_path / "folkmoot.sqlite")) as base, base:
        changed = base.execute(
            "update folkmoot_line set text = replace(text, '\"body\":', '\"body\": ') where seq = 8"
        ).rowcount
    assert changed == 1
    edited = check(tmp_path)
    assert edited.exit_code == 1
    assert "entry 8 has been changed" in edited.output
    assert "is intact" not in edited.output


@pytest.mark.parametrize(
    ("field", "value"),
    [("winner", "Nobody"), ("decision", "Sell."), ("status", "tie"), ("tally", {}), ("ballots", []), ("question", "?")],
)
def test_a_receipt_that_was_signed_anew_and_says_something_else_than_the_record(
    tmp_path: Path, field: str, value: object
) -> None:
    sign(tmp_path)
    assert "says the same about the question, the votes and the decision" in " ".join(check(tmp_path).output.split())
    data = json.loads((tmp_path / "r").read_text())
    del data["signature"]
    signing = secret_key(SECRET).sign
    assert signing
    forged = {**data, field: value}
    forged["signature"] = signing(canonical(forged)).hex()
    (tmp_path / "r").write_text(json.dumps(forged))
    refused = check(tmp_path)
    assert refused.exit_code == 1
    assert f"the receipt says something else than the record of panel here: {field}" in " ".join(refused.output.split())
    assert "intact" not in refused.output


def test_a_record_that_has_grown_is_checked_to_its_end(tmp_path: Path) -> None:
    sign(tmp_path)
    entry = decode(LINES[-1])
    more = encode(replace(entry, seq=entry.seq + 1, prev=digest(LINES[-1])))

    lay(tmp_path, [more], after=len(LINES))
    grown = check(tmp_path)
    assert (grown.exit_code, "1 later entry is intact too" in " ".join(grown.output.split())) == (0, True)
    lay(tmp_path, [encode(replace(entry, seq=entry.seq + 2, prev="00" * 32))], after=len(LINES) + 1)
    broken = check(tmp_path)
    assert (broken.exit_code, f"entry {len(LINES) + 1} has been changed" in broken.output) == (1, True)
