"""Whether a model answers now: one short question with a time limit, and what came of it in one sentence."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from folkmoot.core.agent import Quote
from folkmoot.core.brief import GUEST, QUOTES
from folkmoot.core.errors import BriefError, ModelError
from folkmoot.core.event import Called
from folkmoot.core.labels import duration
from folkmoot.models.base import Message, Request, Settings
from folkmoot.models.pool import Pool

SECONDS = 20.0
"""The most seconds that a model is waited for."""

KEPT = 60.0
"""Seconds for which an outcome is told again, so that a page that asks often costs nothing."""

ELSEWHERE = "It belongs to a program, and only that program can ask it."
"""What a test says of an agent that this process does not know."""

QUESTION = Request(
    messages=(Message(role="user", text="Say hello in one word."),), settings=Settings(max_tokens=64), seconds=SECONDS
)


class NoRecord:
    """A recorder for calls without a debate."""

    watched = False

    def delta(self, text: str) -> None:
        pass

    def done(self, name: str) -> Called | None:
        return None

    async def call(self, name: str, quote: Quote, send: Callable[[], Awaitable[Called]]) -> Called:
        return await send()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCheck:
    """What came of asking a model.

    Attributes:
        model: its name.
        answers: whether it answers now.
        words: what happened, in one sentence, without keys.
        seconds: how long it took.
        cost: US dollars of the answer; None where the price is unknown.
    """

    model: str
    answers: bool
    words: str
    seconds: float = 0.0
    cost: float | None = 0.0


@dataclass(slots=True)
class ModelChecks:
    """Asks models, each once at a time, and remembers what came of it for a while.

    Args:
        limit: the most seconds that a model is waited for.
        clock: seconds that never run backwards.
    """

    limit: float = SECONDS
    clock: Callable[[], float] = time.monotonic
    _known: dict[str, tuple[float, ModelCheck]] = field(default_factory=dict[str, tuple[float, ModelCheck]])
    _asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def check(self, pool: Pool, name: str) -> ModelCheck:
        """Ask a model of a pool, unless it was asked a moment ago."""
        async with self._asking:
            at, known = self._known.get(name, (0.0, None))
            if known is None or self.clock() - at > KEPT:
                known = await self._ask(pool, name)
                self._known = {
                    other: entry for other, entry in self._known.items() if self.clock() - entry[0] <= KEPT
                } | {name: (self.clock(), known)}
        return known

    async def _ask(self, pool: Pool, name: str) -> ModelCheck:
        if name == QUOTES:
            return ModelCheck(model=name, answers=True, words="It is built in, and no language model.")
        began = self.clock()
        try:
            async with asyncio.timeout(self.limit):
                called = await pool.model(name).complete(QUESTION, NoRecord())
        except TimeoutError:
            words = f"It did not answer within {duration(self.limit)}."
            return ModelCheck(model=name, answers=False, words=words, seconds=self.clock() - began)
        except (ModelError, BriefError) as error:
            words = ELSEWHERE if name.startswith(GUEST) and isinstance(error, BriefError) else f"{error}"
            return ModelCheck(model=name, answers=False, words=words, seconds=self.clock() - began)
        seconds = self.clock() - began
        words = f"It answered in {duration(seconds)}."
        return ModelCheck(model=name, answers=True, words=words, seconds=seconds, cost=called.usage.cost)
