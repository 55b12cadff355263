"""What all patterns share: who answers, where it is recorded, how a program waits. This file owns no debate of its own.

A pattern translates: arguments into a plan, a transcript into a dictionary. Everything between is the desk's.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

from moot.core.brief import Brief, Limits
from moot.core.errors import BriefError, LimitReached, MootError, Unavailable, Waiting
from moot.core.transcript import Transcript
from moot.desk.desk import Desk, Plan
from moot.desk.guests import invite
from moot.desk.outcome import Outcome, opening
from moot.desk.plans import open_desk

MOST_ROUNDS = 100
"""The most rounds of one run."""

GUEST = "llm"
"""The name under which the agent of a caller is seated."""

_PAUSED: Mapping[str, type[MootError]] = {"limit": LimitReached, "unavailable": Unavailable, "waiting": Waiting}

T = TypeVar("T")
Planner: TypeAlias = Callable[[Desk, Brief, str], Coroutine[object, object, Plan]]
"""What makes a plan at a desk out of a brief, with the seat of all who have none of their own."""


class Result(dict[str, Any]):
    """What came of a pattern: a dictionary with the documented keys.

    Attributes:
        outcome: what came of the debate, with its id, its usage and all that was said.
        warnings: what went wrong, one sentence each: missing answers, forms that could not be read.
    """

    outcome: Outcome
    warnings: tuple[str, ...]

    def __init__(self, state: Mapping[str, object], outcome: Outcome) -> None:
        super().__init__(state)
        self.outcome = outcome
        failed = (outcome.reason,) if outcome.status == "failed" else ()
        self.warnings = (*_warnings(outcome.transcript), *failed)


R = TypeVar("R", bound=Result)


class Face(ABC, Generic[R]):
    """A pattern's way to the desk.

    Args:
        model: a model of OpenAI's by its name, or ``provider:name``.
        llm: any chat model or agent that can be seated; it goes before ``model``.
        store: the file of the record; None for the owner's.
        limits: what one run may use; None for the usual limits.
    """

    def __init__(self, model: str, llm: object, store: Path | None, limits: Limits | None) -> None:
        if not isinstance(model, str) or not model.strip():  # pyright: ignore[reportUnnecessaryIsInstance]
            raise BriefError(f"model is {model!r}; it must be a name such as 'gpt-4o-mini' or 'ollama:llama3.2'")
        self.model, self.llm, self.store, self.limits = model, llm, store, limits

    protocol: ClassVar[str]
    """What its debates are called in the record."""

    @abstractmethod
    def _read(self, outcome: Outcome) -> R:
        """What came of it, in the documented keys."""
        ...

    async def _hold(self, brief: Brief, make: Planner) -> Outcome:
        """Hold a new debate to its end."""
        async with open_desk(self.store) as desk:
            plan = await make(desk, brief, self._seat(desk))
            return _ended(await desk.hold(plan, desk.new_id(plan)))

    async def aresume(self, debate: str) -> R:
        """Take a run up that did not come to its end; answers on record are not asked for again.

        Args:
            debate: its id, which the error named.

        Raises:
            RecordError: there is no such debate.
            BriefError: it is one of another pattern.
            LimitReached: a limit stands in the way again; Unavailable and Waiting likewise.
        """
        async with open_desk(self.store) as desk:
            if (name := opening(debate, await desk.entries(debate)).name) != self.protocol:
                raise BriefError(f"{debate} is a debate of the kind {name}, not {self.protocol}", code="inconsistent")
            self._seat(desk)
            return self._read(_ended(await desk.resume(debate, limits=self.limits)))

    def resume(self, debate: str) -> R:
        """The same as ``aresume``, for programs without an event loop."""
        return block(self.aresume(debate), f"{type(self).__name__}.aresume")

    def _seat(self, desk: Desk) -> str:
        """The seat of all who have none of their own; a guest is lent to the desk's pool."""
        if self.llm is None or isinstance(self.llm, str):
            name = self.llm or self.model
            return name if ":" in name or name == "human" else f"openai:{name}"
        return invite(desk.pool, GUEST, self.llm)


def block(work: Coroutine[object, object, T], instead: str) -> T:
    """Wait for a coroutine in a program without an event loop.

    Raises:
        MootError: an event loop is running; ``instead`` can be awaited there.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    work.close()
    raise MootError(f"an event loop is running: await {instead}(…) there")


def whole(name: str, value: object, low: int, high: int) -> int:
    """A whole number within bounds.

    Raises:
        BriefError: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise BriefError(f"{name} is {value!r}; it must be a whole number from {low} to {high}", code="out_of_range")
    return value


def words(name: str, value: object) -> str:
    """A text that is not empty.

    Raises:
        BriefError: it is none.
    """
    if not isinstance(value, str) or not value.strip():
        raise BriefError(f"{name} is {value!r}; it must be a text that is not empty", code="wrong_type")
    return value


def _ended(outcome: Outcome) -> Outcome:
    """The outcome of a debate that is over.

    Raises:
        LimitReached: it stands still at a limit.
        Unavailable: no participant could be reached.
        Waiting: a person has to answer first.
    """
    if outcome.status != "paused":
        return outcome
    error = _PAUSED.get(outcome.kind, MootError)
    raise error(f"{outcome.reason}; what was answered is kept: go on with resume({outcome.debate!r})")


def _warnings(transcript: Transcript) -> list[str]:
    said: list[str] = []
    for turn in transcript.all():
        place = f"{turn.by}, round {turn.round}" if turn.round else turn.by
        if turn.failure:
            said.append(f"{place}: no answer: {turn.failure}")
        elif turn.reply and turn.ask and turn.ask.form:
            required = tuple(field.name for field in turn.ask.form.fields if field.required)
            missing = [each for each in turn.reply.unread if each.partition(":")[0] in required]
            said += [f"{place}: {each.partition(':')[0]} could not be read" for each in missing]
    return said
