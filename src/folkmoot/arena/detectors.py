"""Detectors for programs that run their own debates: convergence and the circuit breaker, by their documented names.

Debates that Folkmoot runs do not need them: their stop rules are in the protocol and their breakers around the models.
"""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from typing import Protocol, TypeVar

from folkmoot.agents.toolkit import ToolUse
from folkmoot.answers.layout import read
from folkmoot.core.agent import Context, Quote
from folkmoot.core.ask import Field, Form
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.errors import BriefError, ModelError
from folkmoot.core.event import Called
from folkmoot.core.transcript import normalise
from folkmoot.models.layers import Breaker, BreakerSettings, State, counts
from folkmoot.models.names import Environment
from folkmoot.policy.convergence import WORDS, denies, likeness, mean, swaps
from folkmoot.tools.embeddings import Embedder, Vector, embedder
from folkmoot.tools.embeddings import likeness as cosine

STANCE = Form(name="stance", fields=(Field(name="ANSWER"),))
"""How a proposal says what it stands for: a line ``ANSWER: …``."""

_T = TypeVar("_T")


class ConvergenceDetector:
    """Tells whether proposals have come together: stances first, text second.

    Proposals with a line ``ANSWER: …`` have converged where all give the same answer, however their texts read. Of
    the others the mean likeness of all pairs must be above the threshold, and none may deny another: a position and
    its denial share nearly all their words. By words alone none may have a word in place of another's either.

    Args:
        threshold: how alike proposals must be, 0 to 1.
        embeddings: the model that likens texts, such as ``ollama:nomic-embed-text``, or ``model2vec:`` and the full
            path of a folder; "" for words alone. Where it gives no vectors words are used; ``method`` says which.
        env: where addresses and keys come from; None for the process's environment.
        seconds: how long the model may take.

    Attributes:
        method: what the last check went by: ``answers``, ``words``, or the name of the model; "" before the first.
        similarity: the mean likeness of all pairs in the last check, 0 to 1; by answers 1 or 0.
        stalled: whether in the last check everybody gave the very words of the check before and had not converged.

    Raises:
        BriefError: there is no such model, or the threshold is not from 0 to 1.

    >>> ConvergenceDetector().check_convergence({"Ann": "ANSWER: Tea", "Ben": "ANSWER: tea."})
    True
    """

    def __init__(
        self, threshold: float = 0.85, embeddings: str = "", *, env: Environment | None = None, seconds: float = 20.0
    ) -> None:
        _check("threshold", threshold, 0, 1)
        _check("seconds", seconds, 0)
        self.threshold = threshold
        self.method, self.similarity, self.stalled = "", 0.0, False
        self._embedder, self._seconds = embedder(embeddings, env) if embeddings else None, seconds
        self._before: Mapping[str, str] = {}

    def check_convergence(self, proposals: Mapping[str, str]) -> bool:
        """Whether the proposals have converged; fewer than two have not.

        With an embedding model a running event loop stands still meanwhile, up to ``seconds``: call it there by
        ``await asyncio.to_thread(detector.check_convergence, proposals)``.

        Args:
            proposals: what each agent proposes, by its name.
        """
        same = {name: normalise(text) for name, text in proposals.items()}
        met = self._check(list(proposals.values()))
        self.stalled = not met and bool(same) and same == self._before
        self._before = same
        return met

    def _check(self, texts: Sequence[str]) -> bool:
        stances = [_stance(text) for text in texts]
        if len(texts) > 1 and any(stances):
            self.method = "answers"
            self.similarity = float(len(set(stances)) == 1)
            return self.similarity == 1.0
        pairs = list(combinations(texts, 2))
        self.method, numbers = self._similarities(texts)
        self.similarity = mean(numbers) if numbers else 0.0
        apart = any(denies(*pair) or (self.method == WORDS and swaps(*pair)) for pair in pairs)
        return bool(pairs) and all(map(normalise, texts)) and self.similarity > self.threshold and not apart

    def _similarities(self, texts: Sequence[str]) -> tuple[str, list[float]]:
        """The method, and how alike the two of each pair are."""
        if self._embedder and len(texts) > 1:
            try:
                vectors = _wait(_embed(self._embedder, texts, self._seconds))
            except (ModelError, TimeoutError):
                pass
            else:
                return self._embedder.name, [min(1.0, max(0.0, cosine(*pair))) for pair in combinations(vectors, 2)]
        return WORDS, [likeness(*pair) for pair in combinations(texts, 2)]


def _check(name: str, value: float, least: float, highest: float = math.inf) -> None:
    """Refuse a number that is out of range.

    Raises:
        BriefError: it is.
    """
    if not (math.isfinite(value) and least <= value <= highest):
        allowed = f"from {least:g}" if highest == math.inf else f"from {least:g} to {highest:g}"
        raise BriefError(f"{name} is {value}; it must be a number {allowed}", code="out_of_range")


class Named(Protocol):
    """Somebody with a name."""

    @property
    def name(self) -> str:
        """The name."""
        ...


A = TypeVar("A", bound=Named | str)


class CircuitBreaker:
    """Keeps agents out that fail again and again: CLOSED, OPEN, and HALF_OPEN once the cooldown is over.

    Args:
        failure_threshold: the number of failures in a row after which an agent is not asked.
        cooldown_seconds: for how long; then it is tried again.
        half_open_success_threshold: the number of successful trials after which it is asked again.
        clock: seconds that never run backwards.

    Raises:
        BriefError: a threshold is below 1, or the cooldown below 0.

    >>> breaker = CircuitBreaker(failure_threshold=1)
    >>> breaker.record_failure("Ann")
    >>> breaker.filter_available_agents(["Ann", "Ben"])
    ['Ben']
    """

    def __init__(
        self,
        failure_threshold: int = 3,
        cooldown_seconds: float = 60.0,
        half_open_success_threshold: int = 2,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        _check("failure_threshold", failure_threshold, 1)
        _check("cooldown_seconds", cooldown_seconds, 0)
        _check("half_open_success_threshold", half_open_success_threshold, 1)
        self._fuse = BreakerSettings(
            failure_threshold=failure_threshold,
            cooldown_seconds=cooldown_seconds,
            half_open_success_threshold=half_open_success_threshold,
        )
        self._clock = clock
        self._breakers: dict[str, Breaker] = {}

    def filter_available_agents(self, agents: Sequence[A]) -> list[A]:
        """Those of the agents, or of their names, who are not left out now, in their order."""
        return [agent for agent in agents if self._breaker_of(agent if isinstance(agent, str) else agent.name).free]

    def record_success(self, agent: str) -> None:
        """The agent of that name has answered."""
        breaker = self._breaker_of(agent)
        breaker.succeed(breaker.admit())

    def record_failure(self, agent: str, error: BaseException | None = None) -> None:
        """The agent of that name has not answered.

        Args:
            agent: its name.
            error: why. Where that is a ModelError which is no fault of transport, such as a refusal or a prompt that
                is too long, the agent has answered.
        """
        breaker = self._breaker_of(agent)
        answered = isinstance(error, ModelError) and not counts(error)
        (breaker.succeed if answered else breaker.fail)(breaker.admit())

    def state(self, agent: str) -> State:
        """``CLOSED``, ``OPEN`` or ``HALF_OPEN``."""
        return self._breaker_of(agent).state

    def _breaker_of(self, agent: str) -> Breaker:
        return self._breakers.setdefault(agent, Breaker(self._fuse, self._clock))


class DirectRecorder:
    """A line that sends whatever is called, and records nothing."""

    watched = False

    def delta(self, text: str) -> None:
        """Show nothing."""

    def done(self, name: str) -> Called | None:
        """Nothing is on record."""
        return None

    async def call(self, name: str, quote: Quote, send: Callable[[], Awaitable[Called]]) -> Called:
        """Send."""
        return await send()


async def _embed(embedder: Embedder, texts: Sequence[str], seconds: float) -> tuple[Vector, ...]:
    me = Participant(name="Likeness")
    try:
        context = Context(brief=Brief(topic="", participants=(me,)), me=me)
        async with asyncio.timeout(seconds):
            return await embedder.embed(texts, ToolUse(context=context, say=DirectRecorder(), name="likeness"))
    finally:
        await embedder.close()


def _stance(text: str) -> str:
    """What a proposal says that it stands for, in one line; "" where it does not."""
    return normalise(str(read(STANCE, text).fields.get("ANSWER", "")).partition("\n")[0])


def _wait(work: Coroutine[object, object, _T]) -> _T:
    """What comes of a coroutine, also where an event loop is running; that one waits meanwhile."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
