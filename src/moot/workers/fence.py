"""The fence around the records that a worker writes. This file owns that a lease that has run out ends the writing."""

import time
from collections.abc import Callable, Iterable, Sequence

from moot.core.errors import RecordConflict
from moot.record.store import Spine, Store


def clock() -> float:
    """Seconds that never run backwards, and go on while the machine sleeps, where the system has such a clock."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class Fence:
    """A store in which a debate is written only as long as its lease holds, by this machine's own clock.

    A worker that was stopped for a while cannot know what has happened meanwhile; but it knows that its lease has run
    out, for a lease begins, by its clock, before the database has granted it.

    Args:
        store: where the records are kept.
        clock: seconds that never run backwards, and go on while the process is stopped.
    """

    def __init__(self, store: Store, clock: Callable[[], float] = clock) -> None:
        self._store, self._clock = store, clock
        self._until: dict[str, float] = {}

    def now(self) -> float:
        """The time from which a lease that is asked for now counts."""
        return self._clock()

    @property
    def held(self) -> tuple[str, ...]:
        """The debates that are held, whether their lease has run out or not."""
        return tuple(self._until)

    def open(self, debate: str, until: float) -> None:
        """Let a debate be written until then."""
        self._until[debate] = until

    def extend(self, debates: Iterable[str], until: float) -> None:
        """Let those of these debates be written until then that may be written at all."""
        for debate in debates:
            if debate in self._until:
                self._until[debate] = until

    def lapsed(self, debate: str) -> bool:
        """Whether a debate may be written no longer."""
        return self._clock() >= self._until.get(debate, 0.0)

    def shut(self, debate: str) -> None:
        """Let a debate be written no longer."""
        self._until.pop(debate, None)

    async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
        """See ``Store.append``; behind the end of the lease it is refused as if another writer had appended."""
        if self.lapsed(debate):
            raise RecordConflict(f"the lease on {debate} has run out; another worker may hold it by now")
        await self._store.append(debate, lines, after=after)

    async def read(self, debate: str, *, after: int = 0, limit: int | None = None) -> tuple[str, ...]:
        """See ``Store.read``."""
        return await self._store.read(debate, after=after, limit=limit)

    async def debates(self) -> tuple[Spine, ...]:
        """See ``Store.debates``."""
        return await self._store.debates()

    async def close(self) -> None:
        """Nothing of its own to give back."""
