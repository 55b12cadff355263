"""Tools in a participant's hands. This file owns the port that every tool fits, and what a tool may see and cost.

A tool works for one participant and sees what that participant sees, nothing else. Its result is foreign text.
"""

import asyncio
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from moot.core.errors import ToolError
from moot.core.event import Called
from moot.core.form import Form
from moot.core.seat import Quote, Say, Scene
from moot.core.tool import ToolSpec
from moot.models.base import Message, Model, Request
from moot.seats.layout import Reading, instruct, read


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a tool has found.

    Attributes:
        text: the result in words, for the model that asked.
        sources: where it comes from: addresses, names of documents; each is cited in the report.
    """

    text: str
    sources: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Errand:
    """One use of a tool: for whom it works, and the one question that it may put to that participant's own model.

    Attributes:
        scene: what the participant sees, which is all that a tool may see.
        say: the line to the engine.
        name: the call that the tool is used in: ``tool-2``.
        model: the participant's model; None where it has none.
        seconds: the most time that one try of a question to the model may take.
        clock: the tool's time limit; it stands still while the model is asked.
        called: the answer of the model, once it was asked.
    """

    scene: Scene
    say: Say
    name: str
    model: Model | None = None
    seconds: float = 120.0
    clock: asyncio.Timeout | None = None
    called: Called | None = field(default=None, init=False)

    async def ask(self, text: str, form: Form | None = None) -> Reading:
        """Ask the participant's own model once; the call is on record as ``tool-2-ask``.

        Args:
            text: the question with all that belongs to it; foreign text in it should be framed (``prompt.frame``).
            form: the fields that the answer should have; what could not be read stands in ``unread``.

        Raises:
            ToolError: there is no model, or it was asked before.
            ModelError: it gave no usable answer.
            LimitReached: a limit stands in the way.
        """
        if self.model is None:
            raise ToolError("this tool needs a language model, and the participant has none")
        if self.called:
            raise ToolError("a tool may ask the model only once")
        words = f"{text}\n\n{instruct(form)}" if form else text
        request = Request(
            messages=(Message(role="user", text=words),),
            settings=self.scene.me.settings,
            call=f"{self.name}-ask",
            seconds=self.seconds,
        )
        with _standing(self.clock):
            self.called = await self.model.complete(request, _Silent(self.say))
        return read(form, self.called.text)


class Tool(Protocol):
    """Something that a participant can look up or have done while it answers."""

    @property
    def spec(self) -> ToolSpec:
        """The tool as a model is told of it."""
        ...

    async def use(self, arguments: Mapping[str, object], errand: Errand) -> Found:
        """Use it.

        Args:
            arguments: what the model gave; the names that the schema requires are there, and the types fit it.
            errand: for whom it works.

        Raises:
            ToolError: there is no result; its sentence is told to the model, which goes on.
        """
        ...


class _Silent:
    """A line that shows nothing of what a tool is told, for those are not the participant's words."""

    def __init__(self, say: Say) -> None:
        self._say = say

    def delta(self, text: str) -> None:
        """Show nothing."""

    async def call(self, name: str, quote: Quote, send: Callable[[], Awaitable[Called]]) -> Called:
        """Pass a call on."""
        return await self._say.call(name, quote, send)


@contextmanager
def _standing(clock: asyncio.Timeout | None) -> Generator[None]:
    """Let a clock stand still as long as the context lasts."""
    if clock is None or (end := clock.when()) is None:
        yield
        return
    now = asyncio.get_running_loop().time
    left = end - now()
    clock.reschedule(None)
    try:
        yield
    finally:
        clock.reschedule(now() + left)
