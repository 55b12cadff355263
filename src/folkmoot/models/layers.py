"""What stands around a model: its place in the provider's queue, the record, limits on time, retries, a circuit breaker.

``ResilientModel`` does all of it, and ``pool.Fallback`` tries several of them in turn. A call waits for a free place at
the provider, and only then reserves its cost and records the try. So a try that was never sent is not paid, and every
try that was sent is on record. The wait does not count as the model's time. Before a retry the place is given back. If a
provider asks for a pause, all who use the same key wait.

A model that keeps failing is not called for a while. Each model has its own circuit breaker, because a server may fail
to load one model and still serve another. It counts a call only after all its tries have failed. Its states are those of
M. Nygard, "Release It!" (2007): CLOSED, OPEN, HALF_OPEN.
"""

import asyncio
import random
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from math import ceil
from typing import Literal, TypeAlias

from folkmoot.core.agent import Quote, Recorder, past_try, time_of
from folkmoot.core.errors import LimitReached, ModelError, Refused, Unavailable, Unreadable
from folkmoot.core.event import Called
from folkmoot.core.labels import duration
from folkmoot.deadline import Deadline
from folkmoot.models.base import Model, Request, Traits
from folkmoot.models.transport import Gate


class Layer:
    """A model that stands for another one in everything that a wrapper does not change."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """``provider:name``."""
        return self._model.name

    @property
    def traits(self) -> Traits:
        """What the model's wire takes."""
        return self._model.traits

    @property
    def drops(self) -> tuple[str, ...]:
        """The names of Settings that the model ignores or refuses."""
        return self._model.drops

    def quote(self, request: Request) -> Quote:
        """The most that one try can use."""
        return self._model.quote(request)

    async def close(self) -> None:
        """Give connections back."""
        await self._model.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrySettings:
    """How often a call is tried, and how long a try may take.

    Attributes:
        tries: the most tries of one call; at most two after an answer that cannot be read.
        wait: seconds before the second try; each later wait is twice as long.
        jitter: the most seconds that chance adds to a wait, so that calls which failed together are not repeated
            together.
        first: seconds to the first piece of thinking or text; None for the whole try, because a model may load first.
        gap: seconds between two pieces of thinking or text.
        chance: draws what is added to a wait, between two numbers of seconds.
    """

    tries: int = 3
    wait: float = 0.5
    jitter: float = 1.0
    first: float | None = None
    gap: float = 60.0
    chance: Callable[[float, float], float] = random.uniform


# ---- the circuit breaker -------------------------------------------------------------------------------------------

State: TypeAlias = Literal["CLOSED", "OPEN", "HALF_OPEN"]

TRANSPORT = frozenset({"timeout", "connection", "server", "rate"})
"""The kinds of failures that count. A refusal, a prompt that is too long, a missing key are not its fault."""

SPENT = 0.95
"""The share of a call's time after which being cancelled is the same as a timeout: the turn was over before the try.

It counts from the moment in which the call was sent. One that has only waited for a place says nothing of its provider.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerSettings:
    """When a breaker opens and closes.

    Attributes:
        failure_threshold: how many failed calls in a row open it.
        cooldown_seconds: how long it stays open before trials are let through.
        half_open_success_threshold: how many successful trials close it; it lets no more trials through.
    """

    failure_threshold: int = 3
    cooldown_seconds: float = 60.0
    half_open_success_threshold: int = 2


class Breaker:
    """Counts what becomes of calls, and says whether the next one may go.

    A call that was let through in another state than the present one counts for nothing: what began before the
    breaker opened says nothing about how the provider is now.

    Args:
        settings: when it opens and closes.
        clock: seconds that never run backwards.
    """

    def __init__(self, settings: BreakerSettings | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.settings = settings or BreakerSettings()
        self._clock = clock
        self._state: State = "CLOSED"
        self._generation, self._failures, self._successes, self._trials = 1, 0, 0, 0
        self._open_until = 0.0

    @property
    def state(self) -> State:
        """The state now; an open breaker whose cooldown is over is half open."""
        if self._state == "OPEN" and self._clock() >= self._open_until:
            self._set_state("HALF_OPEN")
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
                return self._successes + self._trials < self.settings.half_open_success_threshold

    def admit(self) -> int:
        """Let a call through.

        Returns:
            Its ticket, to be given back with ``succeed``, ``fail`` or ``release``; 0 where it may not go.
        """
        if not self.free:
            return 0
        self._trials += self._state == "HALF_OPEN"
        return self._generation

    def succeed(self, ticket: int) -> None:
        """The provider has answered, be it that it refuses."""
        if not self._give_back(ticket):
            return
        self._failures = 0
        self._successes += self._state == "HALF_OPEN"
        if self._successes >= self.settings.half_open_success_threshold:
            self._set_state("CLOSED")

    def fail(self, ticket: int) -> None:
        """The provider has not answered."""
        if not self._give_back(ticket):
            return
        self._failures += 1
        if self._state == "HALF_OPEN" or self._failures >= self.settings.failure_threshold:
            self._open_until = self._clock() + self.settings.cooldown_seconds
            self._set_state("OPEN")

    def release(self, ticket: int) -> None:
        """Nobody knows whether the provider would have answered: the call was cancelled, or never sent."""
        self._give_back(ticket)

    def _give_back(self, ticket: int) -> bool:
        """Whether the ticket is of the present state; its place for a trial is free again."""
        if ticket != self._generation:
            return False
        self._trials -= self._state == "HALF_OPEN"
        return True

    def _set_state(self, state: State) -> None:
        self._state = state
        self._generation += 1
        self._failures = self._successes = self._trials = 0


def counts(error: ModelError) -> bool:
    """Whether a failure is one of transport. Who says how long to wait for the next request is busy, not broken."""
    busy = error.kind == "rate" and error.retry_after is not None
    return isinstance(error, Unavailable) and error.kind in TRANSPORT and not busy


# ---- a model in all of it --------------------------------------------------------------------------------------------

MOST_PARTS = 8
"""How many parts of a request a provider may refuse, one after the other."""

LONGEST_WAIT = 5.0
"""The most seconds between two tries, unless the provider asks to wait longer."""

QUEUE = 5
"""How many times the time of an answer a call may wait for its first piece at a server of one's own, because others are
before it, or a model is being loaded."""

QUEUED_GAPS = 5
"""How many times the usual gap may be between two pieces there: others are answered at the same time."""


class ResilientModel(Layer):
    """A model whose calls are limited, recorded, timed, tried again, and left out for a while where they keep failing.

    Args:
        model: the model.
        retry: how often a call is tried, and how long a try may take.
        gate: the gate that all users of one provider and key share; None for an agent that has no provider.
        learn: finds out how many calls a server of one's own answers at the same time.
        queued: whether it is behind such a server, in which calls wait for each other: its time runs from the first
            piece on. A try that took too long there is not repeated, for the server may still be at work on it.
        breaker: leaves the model out while it fails; None for one that never does.
    """

    def __init__(
        self,
        model: Model,
        retry: RetrySettings | None = None,
        *,
        gate: Gate | None = None,
        learn: Callable[[], Awaitable[object]] | None = None,
        queued: bool = False,
        breaker: Breaker | None = None,
    ) -> None:
        super().__init__(model)
        self._retry, self._gate, self._learn, self._queued = retry or RetrySettings(), gate, learn, queued
        self.breaker = breaker or Breaker(BreakerSettings(failure_threshold=sys.maxsize))

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """Answer one request; what the record holds already is read there, whatever the breaker says.

        Raises:
            Unavailable: of the kind ``open``, where the breaker is open; nothing was sent.
        """
        if call := recorder.done(request.call):
            return call
        ticket = self.breaker.admit()
        if not ticket:
            wait = self.breaker.wait
            when = f"it is left out for {duration(ceil(wait))}" if wait else "it is being tried again"
            problem = f"{self.name} has failed again and again: {when}"
            raise Unavailable(problem, kind="open", retry_after=wait or None)
        clock, sent = asyncio.get_running_loop().time, list[float]()
        settle = self.breaker.release
        try:
            called = await self._tries(request, recorder, sent)
            settle = self.breaker.succeed
        except ModelError as error:
            settle = self.breaker.fail if counts(error) else self.breaker.succeed
            raise
        except asyncio.CancelledError:
            # One that has only waited for places and budgets of our own says nothing of its provider.
            if sent and clock() - sent[0] >= SPENT * request.seconds:
                settle = self.breaker.fail
            raise
        finally:
            settle(ticket)
        return called

    async def _tries(self, request: Request, recorder: Recorder, sent: list[float]) -> Called:
        """Try again where that may help, as long as the provider does not ask to wait longer than a try may take."""
        tries = parts = 0
        if rest := self._rest_of_pause(request, recorder):  # a pause before a try holds over a restart of the process
            await asyncio.sleep(rest)
        while True:
            try:
                return await self._in_turn(request, recorder, sent)
            except ModelError as error:
                if isinstance(error, Refused) and error.again and self._retry.tries > 1 and parts < MOST_PARTS:
                    # A part of it was refused, and is left out: this is another request, and nothing has to be waited for.
                    parts += 1
                    continue
                tries += 1
                wait = self._wait(error, tries, request.seconds)
                if wait is None:
                    raise
            await asyncio.sleep(wait)

    def _rest_of_pause(self, request: Request, recorder: Recorder) -> float:
        """Seconds that are left of the pause before the next try, where an earlier process began it."""
        past = past_try(recorder, request.call)
        # Who was asked to wait longer than a try may take has not waited, but given up; somebody has begun again since.
        if past is None or past.model != self.name or past.wait > request.seconds:
            return 0.0
        return max(0.0, (past.wait or self._pause(past.n)) - past.ago)

    def _wait(self, error: ModelError, tries: int, longest: float) -> float | None:
        """Seconds until the next try; None where there is none."""
        if not error.again or tries >= self._retry.tries or (isinstance(error, Unreadable) and tries > 1):
            return None
        if error.retry_after:
            return error.retry_after if error.retry_after <= longest else None
        # A provider that says "at once" is no reason to come back without a pause.
        return self._pause(tries)

    def _pause(self, tries: int) -> float:
        """Seconds between two tries where the provider asks for none."""
        retry = self._retry
        return min(LONGEST_WAIT, retry.wait * 2 ** (tries - 1) + retry.chance(0.0, retry.jitter))

    async def _in_turn(self, request: Request, recorder: Recorder, sent: list[float]) -> Called:
        """One try, when there is a place for it at the provider."""
        gate = self._gate
        if gate is None:
            return await self._recorded(request, recorder, sent)
        # Waiting for a place that other calls have taken is no time of the turn.
        with time_of(recorder).waiting():
            if self._learn:
                await self._learn()
            await gate.slots.acquire()
        try:
            await gate.opened(request.seconds)
            if gate.meter is None:
                return await self._recorded(request, recorder, sent)
            async with gate.meter.counted(self.quote(request).tokens, request.seconds) as settle:
                try:
                    await gate.opened(request.seconds)  # The provider may have asked others to wait meanwhile.
                except Unavailable:
                    settle(0)
                    raise
                try:
                    called = await self._recorded(request, recorder, sent)
                except LimitReached:
                    settle(0)  # Nothing was sent.
                    raise
                settle(called.usage.input_tokens + called.usage.output_tokens)
                return called
        finally:
            gate.slots.release()

    async def _recorded(self, request: Request, recorder: Recorder, sent: list[float]) -> Called:
        """Reserve and record the try before it is sent, and its answer before it is used."""

        def send() -> Awaitable[Called]:
            sent.append(asyncio.get_running_loop().time())
            return self._send(request, recorder)

        return await recorder.call(request.call, self.quote(request), send)

    async def _send(self, request: Request, recorder: Recorder) -> Called:
        if self._gate is None:
            return await self._in_time(request, recorder)
        await self._gate.opened(request.seconds)  # while one waits for money, the provider may close it
        try:
            return await self._in_time(request, recorder)
        except Unavailable as error:
            # At once: whoever is interrupted while the record takes it in has heard it nevertheless.
            if error.kind == "rate" and error.retry_after:
                self._gate.hold(error.retry_after)
            raise

    async def _in_time(self, request: Request, recorder: Recorder) -> Called:
        """End a try that takes too long: as a whole, to its first piece, or between two pieces.

        A piece is a piece of thinking or text. What a server sends to keep a connection open is none.
        """
        _ = self.drops  # Loads the library where there is one, which is no time of the model's.
        clock = asyncio.get_running_loop().time
        began = clock()
        deadline, gap = Deadline(request.seconds, self._retry.first), self._retry.gap
        wait = ExitStack()
        if self._queued:
            deadline, gap = Deadline(None, QUEUE * request.seconds), QUEUED_GAPS * gap
            wait.enter_context(time_of(recorder).waiting())

        def live() -> None:
            if self._queued and not deadline.begun:
                deadline.restart(request.seconds)
                wait.close()
            deadline.live(gap)

        try:
            with wait:
                async with deadline:
                    called = await self._model.complete(request, _Heard(recorder, live))
            if deadline.expired():
                # An adapter that has swallowed its cancellation: what it says after that comes too late.
                raise TimeoutError
        except TimeoutError as error:
            # A try that took all its time would take it again; one that fell silent may not.
            silent = deadline.silent or not deadline.expired()
            failure, spent = ("fell silent", clock() - began) if silent else ("did not finish", request.seconds)
            failure = failure if deadline.begun else "said no word"
            problem = f"{self.name} {failure}: stopped after {duration(int(spent))}"
            raise Unavailable(problem, kind="timeout", again=silent and not self._queued) from error
        return replace(called, seconds=clock() - began)


class _Heard:
    """The recorder of a model that is asked: every piece of its answer is noted; "" is a piece of thinking."""

    def __init__(self, recorder: Recorder, note: Callable[[], None]) -> None:
        self._recorder, self._note = recorder, note
        self.done, self.call = recorder.done, recorder.call

    @property
    def watched(self) -> bool:
        """Whether somebody sees the pieces now."""
        return self._recorder.watched

    def delta(self, text: str) -> None:
        """Note a piece, and pass it on if it holds words."""
        self._note()
        if text:
            self._recorder.delta(text)
