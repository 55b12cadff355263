"""Decision receipts at the desk: written, signed and checked. This file owns the format.

A receipt is one JSON object. Its signature covers all its other fields in their canonical form: keys sorted, no blanks,
ASCII. In Markdown a page for people stands before the object, which holds the hash of that page, so that no letter of
it can change either.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from moot.app.export.files import save
from moot.app.export.signing import Key
from moot.app.run.workspace import Desk
from moot.core.errors import BriefError, RecordError
from moot.record.codec import digest, read
from moot.report.certificate import certificate
from moot.report.receipt import Receipt, receipt
from moot.report.report import as_data

VERSION = 1
"""The format that is written; it stands in the field ``moot_receipt``."""

PROOF = "\n## Proof\n\n```json\n"
_END = "\n```\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A receipt whose signature holds: the debate, how many entries its record had, and the hash of the last one."""

    debate: str
    entries: int
    head: str


async def make_receipt(desk: Desk, debate: str) -> Receipt:
    """The receipt of a debate, as its record stands.

    Raises:
        RecordError: there is no such debate, or its record is damaged.
    """
    entries = await desk.entries(debate)
    return receipt(entries, debate=debate, head=digest((await desk.lines(debate))[len(entries) - 1]))


def write_receipt(made: Receipt, key: Key | None, form: Literal["md", "json"] = "json") -> str:
    """A receipt as text; signed where there is a key.

    Raises:
        BriefError: the key can only check.
    """
    data: dict[str, object] = {"moot_receipt": VERSION, **as_data(made)}
    page = certificate(made)
    if form == "md":
        data["page"] = hashlib.sha256(page.encode()).hexdigest()
    if key:
        if key.sign is None:
            raise BriefError("this is a public key: it checks receipts, and signs none", code="out_of_range")
        data["signed"] = {"algorithm": key.algorithm, "key": key.name}
        data["signature"] = key.sign(canonical(data)).hex()
    text = json.dumps(data, ensure_ascii=False, indent=2)
    return f"{page}{PROOF}{text}{_END}" if form == "md" else f"{text}\n"


def check_receipt(text: str, key: Key) -> Checked:
    """Check the signature of a receipt.

    Raises:
        RecordError: the text is no receipt, is not signed or with another key, or something in it was changed.
    """
    page, proof, rest = text.rpartition(PROOF)
    if proof and not rest.endswith(_END):
        raise RecordError("the receipt was changed: something stands behind its end")
    data = _parse(rest.removesuffix(_END) if proof else text)
    signed, mark = data.get("signed"), data.pop("signature", None)
    if mark is None and signed is None:
        raise RecordError("the receipt is not signed")
    if not isinstance(signed, dict) or not isinstance(mark, str):
        raise _changed()
    if signed != {"algorithm": key.algorithm, "key": key.name}:
        raise RecordError("the receipt was signed with another key, or it was changed")
    if not key.holds(canonical(data), _bytes(mark)):
        raise RecordError("the signature does not hold: the receipt was changed, or signed with another key")
    if proof and data.get("page") != hashlib.sha256(page.encode()).hexdigest():
        raise RecordError("the receipt was changed: its page is not the one that was signed")
    return Checked(debate=str(data["debate"]), entries=cast(int, data["entries"]), head=str(data["head"]))


async def check_record(desk: Desk, checked: Checked) -> int:
    """Check the record that a receipt is about: the whole chain of its entries, also of those that came since.

    Returns:
        How many entries it has here; 0 where it is not here.

    Raises:
        RecordError: an entry is damaged, missing or has been changed, which the message names; or the record is
            another one.
    """
    lines: Sequence[str] = await desk.lines(checked.debate)
    if not lines:
        return 0
    read(lines)
    if len(lines) < checked.entries or digest(lines[checked.entries - 1]) != checked.head:
        raise RecordError(f"the receipt holds, but the record of {checked.debate} here is not the one that it is about")
    return len(lines)


def save_receipt(path: Path, text: str) -> None:
    """Write a receipt into a file, wholly or not at all.

    Raises:
        BriefError: the file cannot be written.
    """
    try:
        save(path, text)
    except OSError as error:
        raise BriefError(f"the receipt cannot be written: {error.strerror or error}", where=str(path)) from error


def canonical(data: object) -> bytes:
    """The one form of data that is signed."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def _parse(text: str) -> dict[str, object]:
    """A JSON object; without keys that stand twice and numbers that are none, which programs read differently."""
    try:
        data: object = json.loads(text, object_pairs_hook=_once)
        canonical(data)
    except (ValueError, TypeError, RecursionError) as error:
        raise RecordError("this is no receipt, or it was changed: it cannot be read") from error
    if not isinstance(data, dict) or "moot_receipt" not in data:
        raise RecordError("this is no receipt")
    return cast("dict[str, object]", data)


def _once(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _bytes(mark: str) -> bytes:
    """A signature out of its digits; only those that are written count."""
    try:
        found = bytes.fromhex(mark)
    except ValueError as error:
        raise _changed() from error
    if found.hex() != mark:
        raise _changed()
    return found


def _changed() -> RecordError:
    return RecordError("the receipt was changed: its signature cannot be read")
