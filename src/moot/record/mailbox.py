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
from moot.record.codec import digest, encode, read
from moot.record.store import Store, StreamInfo

TRIES = 100
"""How often a letter is put behind another one that came in at the same time."""

_STREAM = "/letters"


class Mailbox:
    """The letters to one debate.

    Args:
        store: where the debate's record is kept.
        debate: the debate's id.
        clock: seconds since 1970, for the labels of entries.
    """

    def __init__(self, store: Store, debate: str, *, clock: Callable[[], float]) -> None:
        self.stream = f"{debate}{_STREAM}"
        self._store, self._clock = store, clock
        self._known: list[Entry] = []
        self._head = ""

    async def post(self, event: Interjected | Replied) -> int:
        """Put a letter in; it is durable when this returns.

        Returns:
            Its number, from 1.

        Raises:
            RecordError: the store cannot be written, or the letters are damaged.
        """
        for _ in range(TRIES):
            last = len(await self.read())
            line = encode(Entry(seq=last + 1, at=self._clock(), event=event, prev=self._head))
            try:
                await self._store.append(self.stream, [line], after=last)
            except RecordConflict:
                continue
            return last + 1
        raise RecordConflict(f"{TRIES} letters came in before this one; try again")

    async def read(self, after: int = 0) -> tuple[Entry, ...]:
        """The letters behind that number, in order; those that were read before are not read again.

        Raises:
            RecordError: the store cannot be read, or the letters are damaged.
        """
        had = len(self._known)
        lines = await self._store.read(self.stream, after=had)
        # Somebody else may have read on meanwhile.
        new = lines[len(self._known) - had :]
        if new:
            self._known += read(new, after=len(self._known), prev=self._head)
            self._head = digest(new[-1])
        return tuple(self._known[after:])

    async def reply(self, key: str) -> Reply | None:
        """The first answer to that ask; None where there is none."""
        for entry in await self.read():
            if isinstance(entry.event, Replied) and entry.event.key == key:
                return entry.event.reply
        return None


async def debates(store: Store) -> tuple[StreamInfo, ...]:
    """All debates of a store, the one that began last first; letters are none.

    Raises:
        RecordError: the store cannot be read.
    """
    return tuple(info for info in await store.debates() if not info.debate.endswith(_STREAM))


EVERY = 0.25
"""The least seconds between two looks."""


class Inbox:
    """What people say from elsewhere, on its way into the record.

    Args:
        letters: the letters to the debate; None where nobody can write any.

    Attributes:
        taken: the number of the newest letter that the record holds.
    """

    def __init__(self, letters: Mailbox | None) -> None:
        self._letters = letters
        self._next = 0.0
        self.taken = 0

    def apply(self, event: Event) -> None:
        """Take one event of the record in."""
        if isinstance(event, Interjected):
            self.taken = max(self.taken, event.letter)

    def due(self, now: float) -> bool:
        """Whether it is time for a look; ``now`` in seconds of the event loop."""
        return self._letters is not None and now >= self._next

    async def fetch(self, now: float) -> list[Interjected]:
        """The interjections that the record does not hold yet, in order.

        Raises:
            RecordError: the letters are damaged or cannot be read.
        """
        self._next = now + EVERY
        entries = await self._letters.read(self.taken) if self._letters else ()
        return [
            replace(entry.event, by=clean(entry.event.by), text=clean(entry.event.text), letter=entry.seq)
            for entry in entries
            if isinstance(entry.event, Interjected)
        ]
