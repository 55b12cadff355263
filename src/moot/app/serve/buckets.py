"""How often somebody may ask. This file owns the requests a minute of each caller, for every host that others reach."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

MOST_BUCKETS = 10_000
"""Of so many callers the requests are counted; whoever was silent longest is forgotten."""


@dataclass(slots=True)
class Buckets:
    """How many requests somebody may still make; each bucket fills up again within a minute.

    Args:
        most: requests a minute.
        clock: seconds that only go forward.
    """

    most: int
    clock: Callable[[], float] = time.monotonic
    _filled: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict[str, tuple[float, float]])

    def take(self, who: str) -> float:
        """Take one; 0, or the seconds until there is one again."""
        now = self.clock()
        left, since = self._filled.pop(who, (float(self.most), now))
        left = min(float(self.most), left + (now - since) * self.most / 60)
        wait = 0.0 if left >= 1 else (1 - left) * 60 / self.most
        self._filled[who] = (left - 1 if left >= 1 else left, now)
        if len(self._filled) > MOST_BUCKETS:
            self._filled.popitem(last=False)
        return wait
