"""What the tests of models share: a notebook in place of the engine's line, doubles of models, requests."""

import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from folkmoot.core.agent import Quote, Recorder
from folkmoot.core.ask import Field, Form
from folkmoot.core.brief import Participant, Settings
from folkmoot.core.event import Called
from folkmoot.models.base import Message, Model, Request, Traits
from folkmoot.models.layers import RetrySettings
from folkmoot.models.names import parse
from folkmoot.models.pool import Pool
from folkmoot.models.transport import ProviderConnection
from folkmoot.phases.vote import ballot_form

HASTY = RetrySettings(tries=3, wait=0.001, jitter=0.0, gap=0.5)
"""Patience for tests: no chance, hardly any waiting."""

KEY = "sk-canary-0123456789abcdef"
"""A key that must not be found anywhere but in the header that it belongs to."""

BALLOT = ballot_form(("Tea", "Coffee"))
VERDICT = Form(
    name="verdict",
    fields=(
        Field(name="VERDICT", kind="choice", choices=("A", "B"), abstain=True),
        Field(name="SCORE", kind="number", low=0, high=10),
        Field(name="SURE", kind="flag"),
        Field(name="TAGS", kind="list", choices=("x", "y"), required=False),
        Field(name="WHO", kind="list"),
        Field(name="REASON"),
    ),
)
"""A form with a field of each kind."""

PEOPLE = tuple(Participant(name=name, seat="x") for name in ("Ann", "Bob"))


class Notebook:
    """A line to the engine that writes down what is said."""

    watched = True

    def __init__(self) -> None:
        self.deltas: list[str] = []
        self.calls: list[tuple[str, Quote]] = []

    def delta(self, text: str) -> None:
        self.deltas.append(text)

    def done(self, name: str) -> Called | None:
        return None

    async def call(self, name: str, quote: Quote, send: Callable[[], Awaitable[Called]]) -> Called:
        self.calls.append((name, quote))
        return await send()


class Canned:
    """HTTP made of bytes: every request gets the same answer, or the one that a function has for its path.

    Args:
        answer: status, body and headers; or what makes them of an address.
        size: the bytes of one piece; 0 for all at once.
    """

    def __init__(self, answer: "Page | Callable[[str], Page]", size: int = 0) -> None:
        self._answer, self._size, self.sent = answer, size, list[dict[str, Any]]()

    @asynccontextmanager
    async def open(self, url: str, headers: Mapping[str, str], body: bytes | None) -> AsyncGenerator["_Read"]:
        self.sent.append(json.loads(body) if body and body.startswith(b"{") else {})
        yield _Read(self._answer if isinstance(self._answer, Page) else self._answer(url), self._size)

    async def close(self) -> None:
        pass


@dataclass
class Page:
    """One answer."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


class _Read:
    def __init__(self, page: Page, size: int) -> None:
        self.status, self.headers = page.status, page.headers
        step = size or max(1, len(page.body))
        self._pieces = [page.body[start : start + step] for start in range(0, len(page.body), step)]

    async def read(self) -> bytes:
        return self._pieces.pop(0) if self._pieces else b""

    def pause(self) -> bool:
        return False


def canned(name: str, answer: "Page | Callable[[str], Page]", size: int = 0) -> tuple[Model, Canned]:
    """A model, without layers, whose provider is made of bytes; and its HTTP."""
    parsed, port = parse(name), Canned(answer, size)
    link = ProviderConnection(parsed.provider, environment("http://127.0.0.1:9"))
    link._port = port  # pyright: ignore[reportPrivateUsage]
    module, _, word = str(parsed.provider.wire.adapter).partition(":")
    return getattr(import_module(module), word)(parsed, link), port


class Double:
    """A model that plays a script: each step gives an answer or raises."""

    name, traits = "double:model", Traits(context=7)
    drops: tuple[str, ...] = ()

    def __init__(self, *steps: Callable[[Recorder], Awaitable[Called]]) -> None:
        self.steps, self.requests, self.closed = list(steps), list[Request](), False

    def quote(self, request: Request) -> Quote:
        return Quote(model=self.name, tokens=100 + len(request.messages), cost=0.25)

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        self.requests.append(request)
        return await self.steps[len(self.requests) - 1](recorder)

    async def close(self) -> None:
        self.closed = True


def gives(text: str, *pieces: str) -> Callable[[Recorder], Awaitable[Called]]:
    """A step that says its pieces and answers."""

    async def step(say: Recorder) -> Called:
        for piece in pieces:
            say.delta(piece)
        return Called(key="", call="answer", text=text)

    return step


def fails(error: Exception) -> Callable[[Recorder], Awaitable[Called]]:
    """A step that raises."""

    async def step(say: Recorder) -> Called:
        raise error

    return step


def ask(prompt: str = "hi", *, seconds: float = 120.0, settings: Settings | None = None) -> Request:
    """A request of a system message and one from the user."""
    messages = (Message(role="system", text="Be brief."), Message(role="user", text=prompt))
    return Request(messages=messages, settings=settings or Settings(), seconds=seconds)


def build(name: str, *, env: Mapping[str, str] | None = None, retry: RetrySettings | None = None) -> Model:
    """One model with connections of its own, which its ``close`` gives back."""
    return Pool(env=env, retry=retry).model(name)


def environment(url: str, names: Sequence[str] = ("OPENAI", "ANTHROPIC", "GROQ", "MISTRAL")) -> dict[str, str]:
    """An environment in which all providers are at one address; OpenAI's wires are under ``/v1`` there."""
    env = {"OLLAMA_HOST": url, "OLLAMA_API_KEY": KEY}
    for name in names:
        env[f"{name}_BASE_URL"] = url if name == "ANTHROPIC" else f"{url}/v1"
        env[f"{name}_API_KEY"] = KEY
    return env
