"""Entries to lines and back. This file owns the format of a record; kinds and field names are for ever.

One line is one JSON object: format version ``v``, ``seq``, ``at``, ``prev`` (SHA-256 of the line before, so that an
edited or damaged record is found), ``kind`` and ``body``. Lines are stored and hashed as they are, byte for byte.
"""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache

from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json

from moot.core.errors import RecordError
from moot.core.event import EVENTS, Entry, Event, kind

VERSION = 1
"""The format that is written. Lines of older formats are upcast on reading; there is none older than 1."""

KINDS: Mapping[str, type[Event]] = {each.__name__.lower(): each for each in EVENTS}


@cache
def _adapter(event: type[Event]) -> TypeAdapter[Event]:
    return TypeAdapter(event)


def encode(entry: Entry) -> str:
    """An entry as a line, without a line end.

    Raises:
        RecordError: the event holds something that cannot be stored, such as half a character.
    """
    try:
        body = _adapter(type(entry.event)).dump_json(entry.event).decode()
    except (ValueError, UnicodeError) as error:
        raise RecordError(f"{kind(entry.event)} cannot be stored: {type(error).__name__}") from error
    head = f'{{"v":{VERSION},"seq":{entry.seq},"at":{entry.at:.6f},"prev":"{entry.prev}"'
    return f'{head},"kind":"{kind(entry.event)}","body":{body}}}'


def decode(line: str) -> Entry:
    """The entry that a line holds.

    Raises:
        RecordError: the line is damaged, or of a newer format.
    """
    try:
        data = from_json(line)  # half as long as json.loads takes
        version, seq = data["v"], data["seq"]
        if not isinstance(version, int) or version > VERSION:
            raise RecordError(f"entry {seq}: format {version} is newer than this Moot reads ({VERSION})")
        event = _adapter(KINDS[data["kind"]]).validate_python(data["body"])
        return Entry(seq=int(seq), at=float(data["at"]), event=event, prev=str(data["prev"]))
    except (ValueError, KeyError, TypeError, ValidationError, RecursionError, OverflowError) as error:
        raise RecordError(f"a line of the record is damaged ({type(error).__name__}): {line[:80]!r}") from error


def digest(line: str) -> str:
    """The hash of a line that the next one carries."""
    return hashlib.sha256(line.encode()).hexdigest()


def read(lines: Sequence[str], *, after: int = 0, prev: str = "") -> tuple[Entry, ...]:
    """All entries of a record, from its first line on or from behind one that was read before.

    Args:
        lines: the lines, without a gap.
        after: the number of the entry before the first of them.
        prev: that entry's hash.

    Raises:
        RecordError: a line is damaged, missing, out of place or has been changed; the message names the entry.
    """
    entries: list[Entry] = []
    for n, line in enumerate(lines, start=after + 1):
        entry = decode(line)
        if entry.seq != n:
            raise RecordError(f"entry {n} is missing: the record goes on with entry {entry.seq}")
        if entry.prev != prev:
            raise RecordError(f"entry {n - 1} has been changed: entry {n} carries another hash of it")
        entries.append(entry)
        prev = digest(line)
    return tuple(entries)
