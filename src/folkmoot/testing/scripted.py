"""Scripted agents and models: test doubles whose answers a script gives.

A scripted agent reads its own text by the same strict reader as a model's agent, so a script is what a model might say.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from folkmoot.answers.layout import read
from folkmoot.core.agent import Context, Quote, Recorder, proposed_words
from folkmoot.core.ask import Ask, Reply, Usage
from folkmoot.core.event import Called
from folkmoot.models.base import Request, Traits

Line: TypeAlias = str | Reply | Exception
Script: TypeAlias = Callable[[Ask, Context], Line]


class Scripted:
    """An agent that answers from a script.

    Args:
        script: a function of the ask and the scene, or the answers in order; after the last it fails as broken.
        latency: seconds before each answer, or a function of the ask.

    Attributes:
        history: all asks and scenes so far.
    """

    def __init__(self, script: Script | Iterable[Line], *, latency: float | Callable[[Ask], float] = 0.0) -> None:
        self._script = script if callable(script) else _in_order(script)
        self._latency = latency
        self.history: list[tuple[Ask, Context]] = []

    async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
        """Answer one ask; see ``core.agent.Agent``."""
        self.history.append((ask, context))
        seconds = self._latency(ask) if callable(self._latency) else self._latency
        if seconds:
            await asyncio.sleep(seconds)
        line = self._script(ask, context)
        if isinstance(line, Exception):
            raise line
        if isinstance(line, Reply):
            return line
        recorder.delta(line)
        reading = read(ask.form, line, speaker=context.me.name, names=proposed_words(ask, context), final=True)
        return Reply(text=reading.text, fields=reading.fields, unread=reading.unread, asked="scripted")


class ScriptedModel:
    """A model that answers from a script.

    Args:
        script: a function of the request, or the answers in order.
        name: what it is called.
        traits: what its wire takes.

    Attributes:
        history: all requests so far.
    """

    def __init__(
        self,
        script: Callable[[Request], str | Called | Exception] | Sequence[str | Called | Exception],
        *,
        name: str = "scripted:model",
        traits: Traits | None = None,
    ) -> None:
        self._script, self._name, self._traits = script, name, traits or Traits()
        self.history: list[Request] = []

    @property
    def name(self) -> str:
        """``provider:name``."""
        return self._name

    @property
    def traits(self) -> Traits:
        """What its wire takes."""
        return self._traits

    @property
    def drops(self) -> tuple[str, ...]:
        """None: it takes all settings."""
        return ()

    def quote(self, request: Request) -> Quote:
        """One token for each word, and a hundred for the answer; free."""
        return Quote(model=self._name, tokens=sum(len(message.text.split()) for message in request.messages) + 100)

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """Answer one request, through the record; see ``models.base.Model``."""
        return await recorder.call(request.call, self.quote(request), lambda: self._send(request, recorder))

    async def close(self) -> None:
        """Nothing to give back."""

    async def _send(self, request: Request, recorder: Recorder) -> Called:
        self.history.append(request)
        script = self._script
        line = script(request) if callable(script) else script[len(self.history) - 1]
        if isinstance(line, Exception):
            raise line
        text = line.text if isinstance(line, Called) else line
        recorder.delta(text)
        if isinstance(line, Called):
            return line
        usage = Usage(input_tokens=sum(len(m.text.split()) for m in request.messages), output_tokens=len(text.split()))
        return Called(
            key="", call=request.call, text=text, model=self._name, served=self._name, usage=usage, finish="stop"
        )


def _in_order(lines: Iterable[Line]) -> Script:
    left = iter(lines)

    def script(ask: Ask, context: Context) -> Line:
        return next(left, AssertionError(f"the script of {context.me.name} ends before {ask.key}"))

    return script
