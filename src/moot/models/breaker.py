"""Circuit breakers: a model that keeps failing is not called for a while.

Each model has its own breaker, not each provider: a server may fail to load one model and serve the next, and a
provider that is down costs only a few calls for each of its models. The breaker is the outermost layer, so it counts
calls that failed after all their tries; an error that the second try resolves does not count.

The states are those of M. Nygard, "Release It!" (2007): CLOSED, OPEN, HALF_OPEN.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from moot.core.agent import Recorder
from moot.core.errors import ModelError, Unavailable
from moot.core.event import Called
from moot.models.base import Model, Request
from moot.models.layers import Layer

State: TypeAlias = Literal["CLOSED", "OPEN", "HALF_OPEN"]

TRANSPORT = frozenset({"timeout", "connection", "server", "rate"})
"""The kinds of failures that count. A refusal, a prompt that is too long, a missing key are not its fault."""

SPENT = 0.95
"""The share of a call's time after which being cancelled is the same as a timeout: the turn was over before the try."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fuse:
    """When a breaker opens and closes.

    Attributes:
        failure_threshold: so many calls in a row that fail open it.
        cooldown_seconds: how long it stays open before trials are let through.
        half_open_success_threshold: so many trials that succeed close it; no more are let through.
    """

    failure_threshold: int = 3
    cooldown_seconds: float = 60.0
    half_open_success_threshold: int = 2


class Breaker:
    """Counts what becomes of calls, and says whether the next one may go.

    A call that was let through in another state than the present one counts for nothing: what began before the
    breaker opened says nothing about how the provider is now.

    Args:
        fuse: when it opens and closes.
        clock: seconds that never run backwards.
    """

    def __init__(self, fuse: Fuse | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.fuse = fuse or Fuse()
        self._clock = clock
        self._state: State = "CLOSED"
        self._era, self._failures, self._successes, self._trials = 1, 0, 0, 0
        self._open_until = 0.0

    @property
    def state(self) -> State:
        """The state now; an open breaker whose cooldown is over is half open."""
        if self._state == "OPEN" and self._clock() >= self._open_until:
            self._enter("HALF_OPEN")
        return self._state

    @property
    def wait(self) -> float:
        """Seconds until trials are let through; 0 where the breaker is not open."""
        return max(0.0, self._open_until - self._clock()) if self.state == "OPEN" else 0.0

    @property
    def free(self) -> bool:
        """Whether a call would be let through now."""
        match self.state:
            case "CLOSED":
                return True
            case "OPEN":
                return False
            case _:
                return self._successes + self._trials < self.fuse.half_open_success_threshold

    def admit(self) -> int:
        """Let a call through.

        Returns:
            Its ticket, to be given back with ``succeed``, ``fail`` or ``release``; 0 where it may not go.
        """
        if not self.free:
            return 0
        self._trials += self._state == "HALF_OPEN"
        return self._era

    def succeed(self, ticket: int) -> None:
        """The provider has answered, be it that it refuses."""
        if not self._give_back(ticket):
            return
        self._failures = 0
        self._successes += self._state == "HALF_OPEN"
        if self._successes >= self.fuse.half_open_success_threshold:
            self._enter("CLOSED")

    def fail(self, ticket: int) -> None:
        """The provider has not answered."""
        if not self._give_back(ticket):
            return
        self._failures += 1
        if self._state == "HALF_OPEN" or self._failures >= self.fuse.failure_threshold:
            self._open_until = self._clock() + self.fuse.cooldown_seconds
            self._enter("OPEN")

    def release(self, ticket: int) -> None:
        """Nobody knows whether the provider would have answered: the call was cancelled, or never sent."""
        self._give_back(ticket)

    def _give_back(self, ticket: int) -> bool:
        """Whether the ticket is of the present state; its place for a trial is free again."""
        if ticket != self._era:
            return False
        self._trials -= self._state == "HALF_OPEN"
        return True

    def _enter(self, state: State) -> None:
        self._state = state
        self._era += 1
        self._failures = self._successes = self._trials = 0


class Breaking(Layer):
    """Asks a model only as long as its breaker lets it; an open one answers at once.

    Args:
        model: the model in its other layers, tries and all.
        breaker: the breaker of that model.
    """

    def __init__(self, model: Model, breaker: Breaker) -> None:
        super().__init__(model)
        self.breaker = breaker

    async def complete(self, request: Request, say: Recorder) -> Called:
        """Answer one request; what the record holds already is read there, whatever the breaker says.

        Raises:
            Unavailable: of the kind ``open``, where the breaker is open; nothing was sent.
        """
        if kept := say.done(request.call):
            return kept
        ticket = self.breaker.admit()
        if not ticket:
            raise self._left_out()
        clock = asyncio.get_running_loop().time
        began = clock()
        settle = self.breaker.release
        try:
            called = await self._model.complete(request, say)
            settle = self.breaker.succeed
        except ModelError as error:
            settle = self.breaker.fail if counts(error) else self.breaker.succeed
            raise
        except asyncio.CancelledError:
            if clock() - began >= SPENT * request.seconds:
                settle = self.breaker.fail
            raise
        finally:
            settle(ticket)
        return called

    def _left_out(self) -> Unavailable:
        wait = self.breaker.wait
        when = f"it is left out for {wait:.0f} s" if wait else "it is being tried again"
        return Unavailable(f"{self.name} has failed again and again: {when}", kind="open", retry_after=wait or None)


def counts(error: ModelError) -> bool:
    """Whether a failure is one of transport. Who says how long to wait for the next request is busy, not broken."""
    busy = error.kind == "rate" and error.retry_after is not None
    return isinstance(error, Unavailable) and error.kind in TRANSPORT and not busy
