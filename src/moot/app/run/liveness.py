"""Whether another process holds a debate of a record that nobody lists. This file owns how that is told: by its growth.

A record that grows is written by somebody, who must write again within the time for one answer. So nothing is guessed
at the first look, and nothing of a record that stands still: a process that was killed is no process.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from moot.core.errors import RecordError
from moot.core.event import Closed, Opened, Paused
from moot.record.codec import decode
from moot.record.store import Store

KEPT = 1000
"""So many debates are remembered."""

GRACE = 5.0
"""Seconds beyond the time for one answer."""


@dataclass(slots=True)
class _Beat:
    """What was seen of a record.

    Attributes:
        entries: how many there were at the last look.
        within: seconds within which it grows while somebody holds it.
        until: until when it counts as held, by the clock; None where it was not seen to grow.
    """

    entries: int
    within: float
    until: float | None = None


class Pulse:
    """Looks at records that this process does not write.

    Args:
        store: where they are.
        clock: seconds that never run backwards.
    """

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self._store, self._clock = store, clock
        self._seen: OrderedDict[str, _Beat] = OrderedDict()

    def forget(self, debate: str) -> None:
        """Forget a debate, since this process writes it now."""
        self._seen.pop(debate, None)

    async def beats(self, debate: str) -> bool:
        """Whether a record was seen to grow by a process that may still hold it."""
        try:
            beat = await self._look(debate)
        except RecordError:  # whoever reads the record meets the same, and says so
            return False
        return beat is not None and beat.until is not None and self._clock() < beat.until

    async def _look(self, debate: str) -> _Beat | None:
        beat = self._seen.get(debate)
        new = await self._store.read(debate, after=beat.entries if beat else 0)
        if beat is None:
            first = decode(new[0]).event if new else None
            if not isinstance(first, Opened):
                return None
            beat = self._seen[debate] = _Beat(entries=0, within=first.brief.limits.turn_seconds + GRACE)
            if len(self._seen) > KEPT:
                self._seen.popitem(last=False)
        elif new:
            stands = isinstance(decode(new[-1]).event, Closed | Paused)
            beat.until = None if stands else self._clock() + beat.within
        beat.entries += len(new)
        return beat
