"""Letters to a debate: what people say and answer from elsewhere. This file owns where they are kept and their numbers.

A debate has one writer, the process that holds it. Whoever else has something to say writes a letter: an entry in a
stream of its own beside the record, with the same hash chain, which the holder reads.
"""

from collections.abc import Callable

from moot.core.ask import Reply
from moot.core.errors import RecordConflict
from moot.core.event import Entry, Interjected, Replied
from moot.record.codec import digest, encode, read
from moot.record.store import Spine, Store

TRIES = 100
"""How often a letter is put behind another one that came in at the same time."""

_STREAM = "/letters"


class Letters:
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


async def debates(store: Store) -> tuple[Spine, ...]:
    """All debates of a store, the one that began last first; letters are none.

    Raises:
        RecordError: the store cannot be read.
    """
    return tuple(spine for spine in await store.debates() if not spine.debate.endswith(_STREAM))
