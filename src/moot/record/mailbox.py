"""The mailbox of a debate: messages from people and programs outside the process that runs it.

A debate has one writer, the process that runs it. Everybody else queues a message: an entry in a separate stream beside
the record, with the same hash chain. The running process reads the mailbox and uses each interjection once.
"""

from collections.abc import Callable
from dataclasses import replace

from moot.core.ask import Reply
from moot.core.errors import RecordConflict
from moot.core.event import Entry, Event, Interjected, Replied
from moot.core.text import clean
from moot.record.store import Store, StreamInfo, digest, encode, read

TRIES = 100
"""How often a message is appended again after another writer was faster."""

_STREAM = "/letters"


class Mailbox:
    """The messages to one debate.

    Args:
        store: the store with the debate's record.
        debate: the debate's id.
        clock: seconds since 1970, for the labels of entries.
    """

    def __init__(self, store: Store, debate: str, *, clock: Callable[[], float]) -> None:
        self.stream = f"{debate}{_STREAM}"
        self._store, self._clock = store, clock
        self._known: list[Entry] = []
        self._head = ""

    async def post(self, event: Interjected | Replied) -> int:
        """Queue a message; it is durable when this returns.

        Returns:
            Its number, from 1.

        Raises:
            RecordError: the store cannot be written, or the messages are damaged.
        """
        for _ in range(TRIES):
            last = len(await self.read())
            line = encode(Entry(seq=last + 1, at=self._clock(), event=event, prev=self._head))
            try:
                await self._store.append(self.stream, [line], after=last)
            except RecordConflict:
                continue
            return last + 1
        raise RecordConflict(f"{TRIES} other messages were queued before this one; try again")

    async def read(self, after: int = 0) -> tuple[Entry, ...]:
        """The messages after that number, in order; messages read before are not read again from the store.

        Raises:
            RecordError: the store cannot be read, or the messages are damaged.
        """
        had = len(self._known)
        lines = await self._store.read(self.stream, after=had)
        # Another task may have read on meanwhile.
        new = lines[len(self._known) - had :]
        if new:
            self._known += read(new, after=len(self._known), prev=self._head)
            self._head = digest(new[-1])
        return tuple(self._known[after:])

    async def reply(self, key: str) -> Reply | None:
        """The first answer to that ask; None if there is none."""
        for entry in await self.read():
            if isinstance(entry.event, Replied) and entry.event.key == key:
                return entry.event.reply
        return None


async def debates(store: Store) -> tuple[StreamInfo, ...]:
    """All debates of a store, newest first, without their mailboxes.

    Raises:
        RecordError: the store cannot be read.
    """
    return tuple(info for info in await store.debates() if not info.debate.endswith(_STREAM))


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
