"""The mailbox of a debate: messages from people and programs outside the process that runs it.

A debate has one writer, the process that runs it. Everybody else queues a message: an entry in a separate stream beside
the record, with the same hash chain. The running process reads the mailbox and uses each interjection once.

Data about a debate that is no part of it is stored beside the record in the same way: owner, links, reservations and
the owner's notes.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Generic, Literal, Protocol, TypeAlias, TypeVar, get_args

from folkmoot.core.ask import Reply
from folkmoot.core.errors import RecordConflict
from folkmoot.core.event import Entry, Event, Interjected, Replied, SideEntry, SideEvent
from folkmoot.core.text import clean
from folkmoot.record.store import AnyEntry, Store, digest, encode, read, read_side

TRIES = 100
"""How often a message is appended again after another writer was faster."""

_STREAM = "/letters"

_Read = TypeVar("_Read", Entry, SideEntry, covariant=True)


class _Reader(Protocol[_Read]):
    """Lines to entries."""

    def __call__(self, lines: Sequence[str], *, after: int = 0, prev: str = "") -> tuple[_Read, ...]:
        """See ``store.read``."""
        ...


class _EventStream(Generic[AnyEntry]):
    """A stream of entries with a hash chain, beside the records; every process may append to it.

    Args:
        store: the store with the records.
        stream: its id in the store.
        clock: seconds since 1970, for the labels of entries.
        read: lines to entries; see ``store.read``.
    """

    def __init__(self, store: Store, stream: str, clock: Callable[[], float], read: _Reader[AnyEntry]) -> None:
        self.stream = stream
        self._store, self._clock, self._read = store, clock, read
        self._known: list[AnyEntry] = []
        self._head = ""

    async def _append(self, entry: Callable[[int, float, str], AnyEntry]) -> int:
        """Append an entry, made of its number, its time and the hash before it; its number."""
        for _ in range(TRIES):
            last = len(await self.read())
            line = encode(entry(last + 1, self._clock(), self._head))
            try:
                await self._store.append(self.stream, [line], after=last)
            except RecordConflict:
                continue
            return last + 1
        raise RecordConflict(f"{TRIES} other messages were queued before this one; try again")

    async def read(self, after: int = 0) -> tuple[AnyEntry, ...]:
        """The entries after that number, in order; entries are read from the store only once.

        Raises:
            RecordError: the store cannot be read, or the entries are damaged.
        """
        had = len(self._known)
        lines = await self._store.read(self.stream, after=had)
        # Another task may have read on meanwhile.
        new = lines[len(self._known) - had :]
        if new:
            self._known += self._read(new, after=len(self._known), prev=self._head)
            self._head = digest(new[-1])
        return tuple(self._known[after:])


class Mailbox(_EventStream[Entry]):
    """The messages to one debate.

    Args:
        store: the store with the debate's record.
        debate: the debate's id.
        clock: seconds since 1970, for the labels of entries.
    """

    def __init__(self, store: Store, debate: str, *, clock: Callable[[], float]) -> None:
        super().__init__(store, f"{debate}{_STREAM}", clock, read)

    async def post(self, event: Interjected | Replied) -> int:
        """Queue a message; it is durable when this returns.

        Returns:
            Its number, from 1.

        Raises:
            RecordError: the store cannot be written, or the messages are damaged.
        """
        return await self._append(lambda seq, at, prev: Entry(seq=seq, at=at, event=event, prev=prev))

    async def reply(self, key: str) -> Reply | None:
        """The first answer to that ask; None if there is none."""
        for entry in await self.read():
            if isinstance(entry.event, Replied) and entry.event.key == key:
                return entry.event.reply
        return None


Side: TypeAlias = Literal["access", "asked", "jobs", "memory", "said", "till"]
"""What stands beside records, by its name in the store: whose a debate is with its limits and links; the request of a
program that began it; what its owner notes of it; the idempotency keys of remarks; beside an owner (``@ann``) what is
reserved for its debates; and beside nobody (``@``) the batches at providers."""

_SIDES = tuple(f"/{side}{_STREAM}" for side in get_args(Side))


class SideStream(_EventStream[SideEntry]):
    """A stream of events beside the record of a debate, or of an owner.

    Args:
        store: the store with the records.
        whose: the debate's id; of an owner the name after an ``@``.
        side: which of its streams.
        clock: seconds since 1970, for the labels of entries.
    """

    def __init__(self, store: Store, whose: str, side: Side, *, clock: Callable[[], float]) -> None:
        super().__init__(store, f"{whose}/{side}{_STREAM}", clock, read_side)

    async def post(self, event: SideEvent) -> int:
        """Add an event; it is durable when this returns.

        Returns:
            Its number, from 1.

        Raises:
            RecordError: the store cannot be written, or the stream is damaged.
        """
        return await self._append(lambda seq, at, prev: SideEntry(seq=seq, at=at, event=event, prev=prev))


def streams_beside(debate: str) -> tuple[str, ...]:
    """The names of all streams that a debate can have beside its record."""
    return (f"{debate}{_STREAM}", *(f"{debate}{side}" for side in _SIDES))


def check(stream: str, lines: Sequence[str]) -> None:
    """Check all lines of a record, or of a stream beside one.

    Raises:
        RecordError: a line is damaged, missing, out of place or has been changed; the message names the entry.
    """
    (read_side if stream.endswith(_SIDES) else read)(lines)


EVERY = 0.25
"""The least seconds between two checks of a mailbox."""


class Inbox:
    """Takes interjections from the mailbox for the record.

    Args:
        mailbox: the mailbox of the debate; None if it has none.

    Attributes:
        taken: the number of the newest message that the record has.
    """

    def __init__(self, mailbox: Mailbox | None) -> None:
        self._mailbox = mailbox
        self._next = 0.0
        self.taken = 0

    def apply(self, event: Event) -> None:
        """Apply one event of the record."""
        if isinstance(event, Interjected):
            self.taken = max(self.taken, event.letter)

    def due(self, now: float) -> bool:
        """Whether it is time to check; ``now`` is in seconds of the event loop."""
        return self._mailbox is not None and now >= self._next

    async def fetch(self, now: float) -> list[Interjected]:
        """The interjections that the record does not have yet, in order.

        Raises:
            RecordError: the messages are damaged or not readable.
        """
        self._next = now + EVERY
        entries = await self._mailbox.read(self.taken) if self._mailbox else ()
        return [
            replace(entry.event, by=clean(entry.event.by), text=clean(entry.event.text), letter=entry.seq)
            for entry in entries
            if isinstance(entry.event, Interjected)
        ]
