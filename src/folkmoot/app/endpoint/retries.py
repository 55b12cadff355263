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

MINUTE = 90.0
"""Seconds in which a client sends again what was refused; clients wait for a minute at most."""

MOST = 10_000


@dataclass(slots=True, eq=False)
class FirstRequest:
    """A request that has begun a debate, or is about to.

    Attributes:
        at: when, in seconds.
        count: the number of the newest try that has joined it.
        debate: its debate; "" until it has begun, and where it could not.
        answered: whether a client that was still there has its answer.
        ready: set when that is known.
    """

    at: float
    count: int
    debate: str = ""
    answered: bool = False
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

    async def find(self, body: str, count: int) -> str | None:
        """The debate that a retry joins: one of the same body that was begun at a lower try.

        A retry of a request that was refused begins one of its own: else it would have the answer of somebody else,
        who has asked the same. One whose client has no answer yet goes before one whose client has it.

        Returns:
            The debate; "" where it begins its own; None where nothing is known of such a request.
        """
        if not count or not (request := self._find_unjoined(body, count)):
            return None
        before, request.count = request.count, count
        await request.ready.wait()
        if request.debate:
            return request.debate
        request.count = before
        if request in self._requests.get(body, ()):
            self._requests[body].remove(request)
        return ""

    def answered(self, debate: str) -> None:
        """Note that a client has the answer of a debate."""
        for requests in self._requests.values():
            for request in requests:
                request.answered |= request.debate == debate

    def forget(self, debate: str) -> None:
        """Let nobody join a debate any more."""
        for requests in self._requests.values():
            requests[:] = [request for request in requests if request.debate != debate]

    def _find_unjoined(self, body: str, count: int) -> FirstRequest | None:
        """The request that a try of this number most likely sends again; None for none."""
        now = self._clock()
        earlier = [item for item in self._requests.get(body, ()) if item.count < count and item.at >= now - HOUR]
        refused = [item for item in earlier if item.ready.is_set() and not item.debate]
        if late := [item for item in refused if item.at >= now - MINUTE]:
            return late[-1]
        earlier = [item for item in earlier if item not in refused]
        return max(reversed(earlier), key=lambda item: (not item.answered, item.count == count - 1), default=None)
