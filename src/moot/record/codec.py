"""Record format: entries to lines of JSON and back. Kinds and field names never change.

One line is one JSON object: format version ``v``, ``seq``, ``at``, ``prev`` (SHA-256 of the line before, so that an
edited or damaged record is detected), ``kind`` and ``body``. Lines are stored and hashed as they are, byte for byte.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json

from moot.core.ask import Usage, amount
from moot.core.errors import RecordError, Unstorable
from moot.core.event import EVENTS, Called, Entry, Event, Replied, kind
from moot.core.text import named, texts

VERSION = 1
"""The format that is written. Lines of older formats are upcast on reading; there is none older than 1."""

LATEST = 253_402_214_400.0
"""Seconds since 1970 of the last day that a calendar knows in all time zones: 30 December 9999."""

KINDS: Mapping[str, type[Event]] = {item.__name__.lower(): item for item in EVENTS}

_PLACE = re.compile(r"field_name='(\w+)'")
"""Where pydantic says in which field it has met something that it cannot write."""


@cache
def _adapter(event: type[Event]) -> TypeAdapter[Event]:
    return TypeAdapter(event)


def encode(entry: Entry) -> str:
    """An entry as a line, without a line end. Every line is read back before it is given out.

    Raises:
        Unstorable: the line would not be read back as the same entry: a number that is not finite, half a character,
            a value of a wrong type.
    """
    event = entry.event
    try:
        body = _adapter(type(event)).dump_json(event, warnings="error").decode()
        head = f'{{"v":{VERSION},"seq":{entry.seq},"at":{entry.at:.6f},"prev":"{entry.prev}"'
        line = f'{head},"kind":"{kind(event)}","body":{body}}}'
        found = decode(line)
        if (found.seq, found.prev, found.event) == (entry.seq, entry.prev, event):
            return line
        why = "it is not read back as it was"
    except (RecordError, ValueError, TypeError, RecursionError) as error:
        places = ", ".join(dict.fromkeys(_PLACE.findall(str(error))))
        why = f"{type(error.__cause__ or error).__name__}{places and f' in {places}'}"
        raise Unstorable(f"an entry {kind(event)!r} cannot be stored: {why}") from error
    raise Unstorable(f"an entry {kind(event)!r} cannot be stored: {why}")


def decode(line: str) -> Entry:
    """The entry that a line holds.

    Raises:
        RecordError: the line is damaged, or of a newer format.
    """
    try:
        data = from_json(line, allow_inf_nan=False)  # half as long as json.loads takes
        version, seq, at, prev = data["v"], data["seq"], data["at"], data["prev"]
        if type(version) is int and version > VERSION:
            raise RecordError(f"entry {seq}: format {version} is newer than this Moot reads ({VERSION})")
        if type(version) is not int or version < 1:
            raise ValueError(f"there is no format {version!r}")
        if type(seq) is not int or not isinstance(prev, str) or amount(at, LATEST) is None:
            raise ValueError("seq is a whole number, prev a text, at a time")
        return Entry(seq=seq, at=float(at), event=_event(KINDS[data["kind"]], data["body"]), prev=prev)
    except (ValueError, KeyError, TypeError, ValidationError, RecursionError, OverflowError) as error:
        raise RecordError(f"a line of the record is damaged ({type(error).__name__}): {line[:80]!r}") from error


def _event(wanted: type[Event], body: object) -> Event:
    adapter = _adapter(wanted)
    try:
        return adapter.validate_python(body)
    except ValidationError:
        if wanted not in (Called, Replied):
            raise
        return adapter.validate_python(_mended(body))


def _mended(body: object) -> object:
    """The body of an answer as it is written today; once, what a provider said of its answer was written unchecked."""
    data = dict(cast("Mapping[str, object]", body))
    if "reply" in data:
        return {**data, "reply": _mended(data["reply"])}
    data |= {name: named(data[name]) for name in ("model", "asked", "served", "finish") if name in data}
    if "seconds" in data:
        data["seconds"] = amount(data["seconds"]) or 0.0
    if "usage" in data:
        data["usage"] = Usage(**cast("dict[str, Any]", data["usage"])).mended()
    if "sources" in data:
        data["sources"] = texts(cast("Sequence[object]", data["sources"]))
    return data


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
            raise RecordError(f"entry {n} is missing: the record continues with entry {entry.seq}")
        if entry.prev != prev:
            raise RecordError(f"entry {n - 1} has been changed: entry {n} carries another hash of it")
        entries.append(entry)
        prev = digest(line)
    return tuple(entries)
