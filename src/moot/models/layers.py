"""Layers around a model: recording, limits, timeouts and retries of each attempt.

Outermost first: ``Retrying(Throttled(Recorded(Timed(adapter))))``. So an attempt is reserved and recorded when its turn
comes, not before: if a process ends while attempts wait for a place, none of them is booked. Every attempt that is sent
is recorded. Waiting for a place does not count as the model's time. A wait that a provider asks for delays everybody
who uses the same key; a retry first gives its place back. In a pool ``breaker.Breaking`` is around all of these, and
``fallback.Fallback`` around several of those.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from moot.core.agent import Quote, Recorder
from moot.core.errors import LimitReached, ModelError, Unavailable, Unreadable
from moot.core.event import Called
from moot.deadline import Deadline
from moot.models.base import Model, Request, Traits
from moot.models.transport import Gate

# Tries are on record, so the library's own warnings about them need not reach the terminal.
logging.getLogger("stamina").addHandler(logging.NullHandler())


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

    def quote(self, request: Request) -> Quote:
        """The most that one try can use."""
        return self._model.quote(request)

    async def close(self) -> None:
        """Give connections back."""
        await self._model.close()


class Recorded(Layer):
    """Reserves and records every try before it is sent, and its answer before it is used."""

    async def complete(self, request: Request, say: Recorder) -> Called:
        """Answer one request through ``say.call``; what the record holds already is not sent again."""
        return await say.call(request.call, self.quote(request), lambda: self._model.complete(request, say))


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long to try.

    Attributes:
        tries: of one call, the first one included; an answer that cannot be read is asked for twice at most.
        wait: seconds before the second try; twice that before the third.
        jitter: up to so many seconds of chance more, so that many who failed together do not come back together.
        first: seconds to the first sign of life; None for the whole try: a model may load or think in silence.
        gap: seconds between two pieces of thinking or text.
    """

    tries: int = 3
    wait: float = 0.5
    jitter: float = 1.0
    first: float | None = None
    gap: float = 60.0


class Retrying(Layer):
    """Tries again where that may help, as long as the provider does not ask to wait longer than a try may take.

    Args:
        model: the model; each try goes through all its layers.
        patience: how often, and with which pauses.
    """

    def __init__(self, model: Model, patience: Patience | None = None) -> None:
        super().__init__(model)
        self._patience = patience or Patience()

    async def complete(self, request: Request, say: Recorder) -> Called:
        """Answer one request, in several tries."""
        import stamina  # deferred for start-up time

        patience, tried = self._patience, 0

        def again(error: Exception) -> bool | float:
            if not isinstance(error, ModelError) or not error.again or (isinstance(error, Unreadable) and tried > 1):
                return False
            if not error.retry_after:
                return True  # Nor is "at once" a reason to come back without a pause.
            return error.retry_after if error.retry_after <= request.seconds else False

        async def send() -> Called:
            nonlocal tried
            tried += 1
            return await self._model.complete(request, say)

        caller = stamina.AsyncRetryingCaller(
            attempts=patience.tries, timeout=None, wait_initial=patience.wait, wait_jitter=patience.jitter
        )
        return await caller(again, send)


class Throttled(Layer):
    """Takes a place in the provider's queue before it asks, and closes the gate for all when told to wait.

    Args:
        model: the model.
        gate: the gate that all users of one provider and key share.
    """

    def __init__(self, model: Model, gate: Gate) -> None:
        super().__init__(model)
        self._gate = gate

    async def complete(self, request: Request, say: Recorder) -> Called:
        """Answer one request when it is its turn; what the record holds already takes no place."""
        if kept := say.done(request.call):
            return kept
        async with self._gate.place(request.seconds):
            try:
                return await self._counted(request, say)
            except Unavailable as error:
                if error.kind == "rate" and error.retry_after:
                    self._gate.hold(error.retry_after)
                raise

    async def _counted(self, request: Request, say: Recorder) -> Called:
        if self._gate.meter is None:
            return await self._model.complete(request, say)
        async with self._gate.meter.counted(self.quote(request).tokens, request.seconds) as settle:
            try:
                called = await self._model.complete(request, say)
            except LimitReached:
                settle(0)  # Nothing was sent.
                raise
            settle(called.usage.input_tokens + called.usage.output_tokens)
            return called


class Timed(Layer):
    """Ends a try that takes too long as a whole, to its first sign of life, or between two.

    Signs of life are pieces of thinking and text; what a server sends to keep a connection open is none.

    Args:
        model: the model.
        patience: the limits beside ``request.seconds``.
    """

    def __init__(self, model: Model, patience: Patience | None = None) -> None:
        super().__init__(model)
        self._patience = patience or Patience()

    async def complete(self, request: Request, say: Recorder) -> Called:
        """Answer one request in time; the answer tells how long it took."""
        _ = self.traits  # Loads the library where there is one, which is no time of the model's.
        clock = asyncio.get_running_loop().time
        began = clock()
        whole, silence = Deadline(request.seconds), Deadline(self._patience.first)
        watched = _Watched(say, lambda: silence.restart(self._patience.gap))
        try:
            async with whole, silence:
                called = await self._model.complete(request, watched)
            if whole.expired() or silence.expired():
                # An adapter that has swallowed its cancellation: what it says after that comes too late.
                raise TimeoutError
        except TimeoutError as error:
            # A try that took all its time would take it again; one that fell silent may not.
            silent = not whole.expired()
            what, spent = ("fell silent", clock() - began) if silent else ("did not finish", request.seconds)
            raise Unavailable(
                f"{self.name} {what}: stopped after {spent:.0f} s", kind="timeout", again=silent
            ) from error
        return replace(called, seconds=clock() - began)


class _Watched:
    """A line to the engine that notes every sign of life; "" is one without words."""

    def __init__(self, say: Recorder, note: Callable[[], None]) -> None:
        self._say, self._note = say, note

    def delta(self, text: str) -> None:
        """Note a piece, and pass it on if it holds words."""
        self._note()
        if text:
            self._say.delta(text)

    def done(self, name: str) -> Called | None:
        """Pass the question on."""
        return self._say.done(name)

    async def call(self, name: str, quote: Quote, send: Callable[[], Awaitable[Called]]) -> Called:
        """Pass a call on."""
        return await self._say.call(name, quote, send)
