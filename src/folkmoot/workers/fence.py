"""The fence around the records of a worker: a debate is written only while its heartbeats are acknowledged."""

import time
from collections.abc import Sequence

from folkmoot.core.errors import RecordConflict
from folkmoot.record.store import Store, StreamInfo


def clock() -> float:
    """Seconds that never run backwards, and go on while the machine sleeps, where the system has such a clock."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class FencedStore:
    """A store in which a debate is written only as long as its fence is open, by this machine's own clock.

    A worker that was stopped for a while cannot know what has happened meanwhile; but it knows that its time is over.

    Args:
        store: where the records are kept.

    Attributes:
        until: by debate, the time at which its fence closes; one that is missing is closed.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self.until: dict[str, float] = {}

    def lapsed(self, debate: str) -> bool:
        """Whether a debate may not be written, no longer or not yet."""
        return clock() >= self.until.get(debate, 0.0)

    async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
        """See ``Store.append``; behind the fence it is refused as if another writer had appended."""
        if self.lapsed(debate):
            raise RecordConflict(f"the time of this worker for {debate} is over; another one may have it now")
        await self._store.append(debate, lines, after=after)

    async def read(self, debate: str, *, after: int = 0, limit: int | None = None) -> tuple[str, ...]:
        """See ``Store.read``."""
        return await self._store.read(debate, after=after, limit=limit)

    async def debates(self) -> tuple[StreamInfo, ...]:
        """See ``Store.debates``."""
        return await self._store.debates()

    async def close(self) -> None:
        """Nothing of its own to give back."""
