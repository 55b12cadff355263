"""The Store port: what every store of records must guarantee, and a queue of appends for writers in another thread.

A store keeps lines of text in order and knows nothing of events.

Record format: entries to lines of JSON and back. Kinds and field names never change from the first release on.

One line is one JSON object: format version ``v``, ``seq``, ``at``, ``prev`` (SHA-256 of the line before, so that an
edited or damaged record is detected), ``kind`` and ``body``. Lines are stored and hashed as they are, byte for byte.
"""

import asyncio
import hashlib
import os
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Protocol, TypeVar, runtime_checkable
from weakref import WeakValueDictionary

from msgspec import Raw, Struct
from msgspec.json import Decoder
from msgspec.json import encode as to_json

from folkmoot.core.ask import amount
from folkmoot.core.errors import BriefError, RecordError, Unstorable
from folkmoot.core.event import (
    KIND,
    SIDE_KIND,
    Entry,
    Event,
    SideEntry,
    SideEvent,
)

T = TypeVar("T")
AnyEntry = TypeVar("AnyEntry", Entry, SideEntry)

LONGEST_LINE = 2**26
"""The most characters of a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamInfo:
    """The facts on one debate that a store knows without reading its lines.

    Attributes:
        debate: its id.
        entries: how many lines are stored.
        first: the first stored line.
        last: the last stored line.
    """

    debate: str
    entries: int
    first: str
    last: str


class Store(Protocol):
    """Keeps the lines of debates; the lines of each debate are numbered 1, 2, 3 … without a gap."""

    async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
        """Add lines to a debate as ``after + 1``, ``after + 2`` …: all of them or none.

        They are durable when this returns, and nobody can read them before they are. Appends to one debate are
        taken in the order of the calls, so the next may be begun before the last has returned. A cancelled append
        may still become durable, so may one whose error came from the disk: read again before you append again.
        A read waits for it.

        Args:
            debate: the debate's id; a new id begins a new debate.
            lines: what to store; see ``check_lines``. With no lines at all nothing is stored.
            after: the number of the debate's last stored line, 0 for a new debate.

        Raises:
            RecordConflict: the debate's last line has another number; nothing was stored.
            RecordError: the lines cannot be kept as they are, or the store cannot be written.
        """
        ...

    async def read(self, debate: str, *, after: int = 0, limit: int | None = None) -> tuple[str, ...]:
        """The lines behind number ``after``, in order, at most ``limit`` of them; () for an unknown debate.

        It waits for the appends to the debate that this process has begun, through whichever of its stores over the
        same place, also where their callers were cancelled: what comes behind a read was begun after it, or elsewhere.

        Raises:
            RecordError: the store cannot be read.
        """
        ...

    async def debates(self) -> tuple[StreamInfo, ...]:
        """All debates, the one that began last first.

        Raises:
            RecordError: the store cannot be read.
        """
        ...

    async def close(self) -> None:
        """Finish pending writes and close everything; closing twice does no harm.

        Every later call raises RecordError.
        """
        ...


@runtime_checkable
class Counting(Protocol):
    """A store that says how many lines a debate has without reading them."""

    async def count(self, debate: str) -> int:
        """How many lines a debate has; 0 for an unknown one. It waits as ``Store.read`` does.

        Raises:
            RecordError: the store cannot be read.
        """
        ...


async def count(store: Store, debate: str) -> int:
    """How many lines a debate has in any store; see ``Counting.count``."""
    if isinstance(store, Counting):
        return await store.count(debate)
    return len(await store.read(debate))


@runtime_checkable
class Notifying(Protocol):
    """A store that notifies at once when a debate gets lines, also from other processes and machines."""

    def tell(self, notify: Callable[[str], None]) -> None:
        """Call a function at each notification, until the store is closed.

        While it cannot be known what others write nobody is told, so look again now and then all the same.

        Args:
            notify: takes the debate's id, or "" where any debate may have got lines. It is called in another thread,
                must not wait, and may be told of lines that it has read.

        Raises:
            RecordError: the store has been closed.
        """
        ...


@runtime_checkable
class Removing(Protocol):
    """A store from which debates can be deleted."""

    async def remove(self, debates: Sequence[str]) -> None:
        """Delete all lines of these debates in one transaction; unknown ids do no harm.

        Whoever writes one of them meanwhile is refused at the next append.

        Raises:
            RecordError: the store cannot be written.
        """
        ...


def check_lines(debate: str, lines: Sequence[str]) -> None:
    """Refuse lines that some store could not keep exactly; every store calls this first.

    An id or line must be valid Unicode without line breaks and without NUL, and not longer than ``LONGEST_LINE``.

    Raises:
        RecordError: with what is wrong and where.
    """
    _check_text("The id of a debate", debate)
    what_it_is = f"A line of debate {debate}"
    for line in lines:
        _check_text(what_it_is, line)


def _check_text(what_it_is: str, text: str) -> None:
    if len(text) > LONGEST_LINE:
        raise RecordError(f"{what_it_is} has {len(text)} characters; at most {LONGEST_LINE} can be stored.")
    for character, name in (("\n", "a line break"), ("\r", "a carriage return"), ("\0", "a NUL character")):
        if character in text:
            raise RecordError(f"{what_it_is} contains {name}, which cannot be stored.")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise RecordError(
                f"{what_it_is} contains half a character (a lone surrogate), which cannot be stored."
            ) from error


@dataclass(frozen=True, slots=True, eq=False)
class Append:
    """One append.

    Attributes:
        debate: the debate's id.
        lines: what to store.
        after: the number of the debate's last line, as the caller knows it.
        loop: where the caller waits.
        outcome: what it waits for: None once the lines are stored.
        landed: done once it is stored or refused, whether or not its caller still waits; it cannot be cancelled.
    """

    debate: str
    lines: tuple[str, ...]
    after: int
    loop: asyncio.AbstractEventLoop
    outcome: asyncio.Future[RecordError | None]
    landed: Future[None] = field(default_factory=Future[None])


class PendingAppends:
    """The appends that have begun and not ended; for any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._appends: dict[str, list[Append]] = {}

    def add(self, append: Append) -> None:
        """Add an append; it is removed when it ends."""
        append.landed.set_running_or_notify_cancel()  # from now on nobody who waits can cancel it
        with self._lock:
            self._appends.setdefault(append.debate, []).append(append)
        append.landed.add_done_callback(partial(self._drop, append))

    def of(self, debate: str) -> tuple[Append, ...]:
        """Those of one debate."""
        with self._lock:
            return tuple(self._appends.get(debate, ()))

    def any(self) -> bool:
        """Whether one of them has not ended."""
        with self._lock:
            return bool(self._appends)

    def wait(self) -> None:
        """Block until all appends that have begun so far have ended."""
        with self._lock:
            landing = [append.landed for appends in self._appends.values() for append in appends]
        wait(landing)

    def _drop(self, append: Append, landed: Future[None]) -> None:
        with self._lock:
            appends = self._appends[append.debate]
            appends.remove(append)
            if not appends:
                del self._appends[append.debate]


_LOCK = threading.Lock()  # house: state because it guards the next line
# Stores over one place share it.
_BEGUN: WeakValueDictionary[str, PendingAppends] = WeakValueDictionary()  # house: state because of that


def pending_at(place: str) -> PendingAppends:
    """The pending appends of a place, shared by all stores of this process; kept while one of them exists."""
    with _LOCK:
        begun = _BEGUN.get(place)
        if begun is None:
            begun = _BEGUN[place] = PendingAppends()
        return begun


async def wait_for(appends: Sequence[Append]) -> None:
    """Wait until these appends have ended, stored or refused."""
    for append in appends:
        await asyncio.wrap_future(append.landed)


def new_append(debate: str, lines: Sequence[str], after: int) -> Append:
    """An append of the running coroutine."""
    loop = asyncio.get_running_loop()
    return Append(debate, tuple(lines), after, loop, loop.create_future())


def notify_callers(outcomes: Sequence[tuple[Append, RecordError | None]]) -> None:
    """Tell all callers, from any thread: one wake-up for each event loop."""
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[Append, RecordError | None]]] = {}
    for append, outcome in outcomes:
        by_loop.setdefault(append.loop, []).append((append, outcome))
        append.landed.set_result(None)  # before anybody is told, who may read at once
    for loop, pairs in by_loop.items():
        with suppress(RuntimeError):  # the loop is closed, and its callers are gone with it
            loop.call_soon_threadsafe(_tell, pairs)


def _tell(pairs: list[tuple[Append, RecordError | None]]) -> None:
    for append, outcome in pairs:
        if not append.outcome.done():  # done: its caller was cancelled
            append.outcome.set_result(outcome)


# ---- record format --------------------------------------------------------------------------------------------------

SCHEMES = ("postgresql://", "postgres://")
"""How the address of a database begins, in the place of the path of a file."""

VERSION = 2
"""The format of records, and of what stands beside them; no other is read."""

LATEST = 253_402_214_400.0
"""Seconds since 1970 of the last day that a calendar knows in all time zones: 30 December 9999."""

KINDS: Mapping[str, type[Event]] = {name: item for item, name in KIND.items()}
SIDE_KINDS: Mapping[str, type[SideEvent]] = {name: item for item, name in SIDE_KIND.items()}

_FIELD = re.compile(r"`\$\.([\w.\[\]]+)`")
"""Where msgspec says which field of an event it has met something else in."""


class _Line(Struct):
    """A line of a record, with its event still in JSON."""

    seq: int
    at: float
    prev: str
    kind: str
    body: Raw


class _Version(Struct):
    """The format of a line, whatever else it has."""

    v: int
    seq: object = None


_LINE, _HEAD = Decoder(_Line), Decoder(_Version)


@cache
def _decoder(event: type[Any]) -> Decoder[Any]:
    return Decoder(event)


def encode(entry: Entry | SideEntry) -> str:
    """An entry as a line, without a line end. Every line is read back before it is given out.

    Raises:
        Unstorable: the line would not be read back as the same entry: a number that is not finite, half a character,
            a value of a wrong type.
    """
    event = entry.event
    name = KIND[type(entry.event)] if isinstance(entry, Entry) else SIDE_KIND[type(entry.event)]
    try:
        head = f'{{"v":{VERSION},"seq":{entry.seq},"at":{entry.at:.6f},"prev":"{entry.prev}","kind":"{name}","body":'
        body = to_json(event)
        # Read back by its parts, which takes half as long as by ``decode``.
        whole = type(entry.seq) is int and entry.at <= LATEST and _WRITTEN.fullmatch(head)
        if whole and _decoder(type(event)).decode(body) == event:
            return f"{head}{body.decode()}}}"
        reason = "it is not read back as it was"
    except (BriefError, ValueError, TypeError, RecursionError) as error:
        places = ", ".join(dict.fromkeys(_FIELD.findall(str(error))))
        reason = f"{type(error).__name__}{places and f' in {places}'}"
        raise Unstorable(f"an entry {name!r} cannot be stored: {reason}") from error
    raise Unstorable(f"an entry {name!r} cannot be stored: {reason}")


def decode(line: str) -> Entry:
    """The entry of a line of a record.

    Raises:
        RecordError: the line is damaged, or of another format.
    """
    return _decode(line, KINDS, Entry)


def decode_side(line: str) -> SideEntry:
    """The side event of a line beside a record.

    Raises:
        RecordError: the line is damaged, or of another format.
    """
    return _decode(line, SIDE_KINDS, SideEntry)


_WRITTEN = re.compile(
    rf'\{{"v":{VERSION},"seq":([0-9]{{1,15}}),"at":([0-9]{{1,12}}\.[0-9]{{6}}),"prev":"([0-9a-f]*)","kind":"([a-z]+)","body":'
)
"""The beginning of a line of ``encode``."""


def _decode(line: str, kinds: Mapping[str, type[Any]], entry: Callable[..., T]) -> T:
    try:
        # A line as ``encode`` writes it is taken apart by its beginning, in half of the time.
        head = _WRITTEN.match(line) if line.endswith("}") else None
        seq: Any
        if head:
            seq, at, prev, kind = head.groups()
            seq, at, body = int(seq), float(at), line[head.end() : -1]
        else:
            version = _HEAD.decode(line)
            if version.v < 1:
                raise ValueError(f"there is no format {version.v}")
            if version.v != VERSION:
                raise RecordError(
                    f"entry {version.seq} cannot be read: {other_format('its format', version.v, VERSION)}"
                )
            whole = _LINE.decode(line)
            seq, at, prev, kind, body = whole.seq, whole.at, whole.prev, whole.kind, whole.body
        if amount(at, LATEST) is None:
            raise ValueError("no calendar has that time")
        return entry(seq=seq, at=at, event=_decoder(kinds[kind]).decode(body), prev=prev)
    except (BriefError, ValueError, KeyError, RecursionError) as error:
        raise RecordError(f"a line of the record is damaged ({type(error).__name__}): {line[:80]!r}") from error


def other_format(what: str, version: int, mine: int) -> str:
    """The reason why something of another format is refused, and what to do next.

    Args:
        what: what has that format, such as "its format".
        version: the format that was met.
        mine: the one that this program reads.
    """
    if version > mine:
        return f"{what} is {version}, newer than the {mine} that this Folkmoot reads; update Folkmoot"
    return (
        f"{what} is {version}, of a Folkmoot from before the first release, and this one reads {mine}; "
        "begin with a new store, or use the program that wrote it"
    )


def place_of(folder: Path) -> str:
    """Four digits that tell a folder from others, without its path: so few that nobody can find it out by guessing."""
    return hashlib.sha256(b"folder " + os.fsencode(os.path.realpath(folder))).hexdigest()[:4]


def digest(line: str) -> str:
    """The hash of a line that the next one carries."""
    return hashlib.sha256(line.encode()).hexdigest()


def chain_lines(entries: Sequence[Entry]) -> list[str]:
    """The entries as lines with a new chain of hashes. Each entry keeps its time."""
    lines: list[str] = []
    for seq, entry in enumerate(entries, start=1):
        lines.append(encode(replace(entry, seq=seq, prev=digest(lines[-1]) if lines else "")))
    return lines


def read(lines: Sequence[str], *, after: int = 0, prev: str = "") -> tuple[Entry, ...]:
    """All entries of a record, from its first line on or from behind one that was read before.

    Args:
        lines: the lines, without a gap.
        after: the number of the entry before the first of them.
        prev: that entry's hash.

    Raises:
        RecordError: a line is damaged, missing, out of place or has been changed; the message names the entry.
    """
    return _read(decode, lines, after, prev)


def read_side(lines: Sequence[str], *, after: int = 0, prev: str = "") -> tuple[SideEntry, ...]:
    """The same of a stream beside a record."""
    return _read(decode_side, lines, after, prev)


def _read(decode: Callable[[str], AnyEntry], lines: Sequence[str], after: int, prev: str) -> tuple[AnyEntry, ...]:
    entries: list[AnyEntry] = []
    for n, line in enumerate(lines, start=after + 1):
        entry = decode(line)
        if entry.seq != n:
            raise RecordError(f"entry {n} is missing: the record continues with entry {entry.seq}")
        if entry.prev != prev:
            raise RecordError(f"entry {n - 1} has been changed: entry {n} carries another hash of it")
        entries.append(entry)
        prev = digest(line)
    return tuple(entries)
