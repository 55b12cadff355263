"""Requests that a client sends again join the debate of the first one, so that no debate is paid twice.

A retry is what the client marks as one (``x-stainless-retry-count``). Equal requests that are no retries are different
debates: evaluations send the same question many times and want independent answers.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

HOUR = 3600.0
"""Seconds for which a request can be joined."""

MOST = 10_000


@dataclass(slots=True, eq=False)
class FirstRequest:
    """A request that has begun a debate, or is about to.

    Attributes:
        at: when, in seconds.
        count: the number of the newest try that has joined it.
        debate: its debate; "" until it has begun, and where it could not.
        ready: set when that is known.
    """

    at: float
    count: int
    debate: str = ""
    ready: asyncio.Event = field(default_factory=asyncio.Event)


class Retries:
    """The requests of the last hour, by their owner and their body.

    Args:
        clock: seconds that only go forward.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._requests: OrderedDict[str, list[FirstRequest]] = OrderedDict()

    def add(self, body: str, count: int) -> FirstRequest:
        """A new request, with the hash of its owner and body, and the number of the try."""
        request = FirstRequest(at=self._clock(), count=count)
        self._requests.setdefault(body, []).append(request)
        self._requests.move_to_end(body)
        if len(self._requests) > MOST:
            self._requests.popitem(last=False)
        return request

    async def find(self, body: str, count: int) -> str:
        """The debate that a retry joins: the newest of the same body that was begun at a lower try; "" for none."""
        while count and (request := self._newest_unjoined(body, count)):
            before, request.count = request.count, count
            await request.ready.wait()
            if request.debate:
                return request.debate
            request.count = max(before, count)
            self._requests[body].remove(request)
        return ""

    def forget(self, debate: str) -> None:
        """Let nobody join a debate any more."""
        for requests in self._requests.values():
            requests[:] = [request for request in requests if request.debate != debate]

    def _newest_unjoined(self, body: str, count: int) -> FirstRequest | None:
        """The newest request that no try of this number has joined yet; first one whose last try is the one before."""
        since = self._clock() - HOUR
        there = [item for item in self._requests.get(body, ()) if item.count < count and item.at >= since]
        return next((item for item in reversed(there) if item.count == count - 1), there[-1] if there else None)
