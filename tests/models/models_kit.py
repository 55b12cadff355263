"""What the tests of models share: a notebook in place of the engine's line, doubles of models, requests."""

from collections.abc import Awaitable, Callable, Sequence

from moot.core.agent import Quote, Recorder
from moot.core.brief import Settings
from moot.core.event import Called
from moot.models.base import Message, Request, Traits
from moot.models.layers import RetrySettings

HASTY = RetrySettings(tries=3, wait=0.001, jitter=0.0, gap=0.15)
"""Patience for tests: no chance, hardly any waiting."""

KEY = "sk-canary-0123456789abcdef"
"""A key that must not be found anywhere but in the header that it belongs to."""


class Notebook:
    """A line to the engine that writes down what is said."""

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


def ask(prompt: str = "hi", *, seconds: float = 5.0, settings: Settings | None = None) -> Request:
    """A request of a system message and one from the user."""
    messages = (Message(role="system", text="Be brief."), Message(role="user", text=prompt))
    return Request(messages=messages, settings=settings or Settings(), seconds=seconds)


def environment(url: str, names: Sequence[str] = ("OPENAI", "ANTHROPIC", "GROQ")) -> dict[str, str]:
    """An environment in which all providers are at one address; OpenAI's wires are under ``/v1`` there."""
    env = {"OLLAMA_HOST": url, "OLLAMA_API_KEY": KEY}
    for name in names:
        env[f"{name}_BASE_URL"] = url if name == "ANTHROPIC" else f"{url}/v1"
        env[f"{name}_API_KEY"] = KEY
    return env
