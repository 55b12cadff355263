"""The frames of a provider: its answers to twelve fixed questions, byte by byte, without keys and ids.

Providers change what they send. Who has a key can record it, so that a change is found and can be tested. Frames of two
days are compared by their shape: the names and kinds of all values in them, whatever the words are.
"""

import json
import re
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field, replace
from types import UnionType
from typing import cast

from folkmoot.app.plan.model_check import NoRecord
from folkmoot.core.agent import Quote
from folkmoot.core.ask import ToolCall, ToolSpec
from folkmoot.core.brief import Settings
from folkmoot.core.errors import ModelError
from folkmoot.core.text import hide
from folkmoot.models.base import Message, Model, Request
from folkmoot.models.http_port import HttpAnswer, HttpPort
from folkmoot.models.names import Key

LOOK_UP = ToolSpec(
    name="look_up",
    help="Looks up how many people live in a city.",
    parameters={"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)
CITY = Message(role="user", text="How many people live in Lyon? Use the tool.")
LONG = "Write the numbers from one to thirty as words, separated by commas."
MISSING = "-that-does-not-exist"
"""What is put behind the name of the model in the last question."""

MOST_SECONDS = 120.0
"""Seconds that one answer may take."""

HEADERS = ("content-type", "content-encoding", "retry-after", "retry-after-ms")
"""The headers of an answer that are kept."""


def _asks(text: str, *, system: str = "", settings: Settings | None = None) -> Request:
    messages = (*([Message(role="system", text=system)] if system else []), Message(role="user", text=text))
    return Request(messages=messages, settings=settings or Settings(max_tokens=400), seconds=MOST_SECONDS)


def _request_of(*messages: Message, tools: tuple[ToolSpec, ...] = ()) -> Request:
    return Request(messages=messages, settings=Settings(max_tokens=400), seconds=MOST_SECONDS, tools=tools)


QUESTIONS: Mapping[str, Request] = {
    "words": _asks("Say hello in one word."),
    "many-pieces": _asks(LONG),
    "cut-off": _asks(LONG, settings=Settings(max_tokens=16)),
    "stop": _asks("Count from 1 to 9, separated by spaces.", settings=Settings(max_tokens=400, stop=("5",))),
    "scripts": _asks("Repeat exactly: Grüße, 世界, 🔬"),
    "rules": _asks("What is the capital of France?", system="Answer in lower case, in one word."),
    "turns": _request_of(
        Message(role="user", text="My number is 7."),
        Message(role="assistant", text="I will remember it."),
        Message(role="user", text="What is my number?"),
    ),
    "go-on": _request_of(
        Message(role="user", text="Name three colours."), Message(role="assistant", text="Three colours are red,")
    ),
    "tool": _request_of(CITY, tools=(LOOK_UP,)),
    "tool-result": _request_of(
        CITY,
        Message(
            role="assistant", text="", calls=(ToolCall(id="call1abcd", name="look_up", arguments='{"city":"Lyon"}'),)
        ),
        Message(role="tool", text="520,000", answers="call1abcd"),
        tools=(LOOK_UP,),
    ),
    "thinking": _asks(
        "A bat and a ball cost 1.10 together. The bat costs 1.00 more than the ball. What costs the ball?"
    ),
    "no-such-model": _asks("Say hello in one word."),
}
"""What a provider is asked, by what its answer shows."""


@dataclass(slots=True)
class Exchange:
    """What went out and what came back: the body of a request, and status, headers and body of its answer."""

    request: bytes
    status: int
    headers: Mapping[str, str]
    body: list[bytes] = field(default_factory=list[bytes])


class Tap:
    """HTTP that also keeps what goes out and what comes back.

    Args:
        port: the HTTP that is used.
    """

    def __init__(self, port: HttpPort) -> None:
        self._port = port
        self.exchanges: list[Exchange] = []

    @asynccontextmanager
    async def open(self, url: str, headers: Mapping[str, str], body: bytes | None) -> AsyncGenerator[HttpAnswer]:
        """Post a body; see ``HttpPort``."""
        async with self._port.open(url, headers, body) as answer:
            headers_shown = {name: answer.headers[name] for name in HEADERS if name in answer.headers}
            self.exchanges.append(Exchange(body or b"", answer.status, headers_shown))
            yield _Tapped(answer, self.exchanges[-1])

    async def close(self) -> None:
        """Give the connections back."""
        await self._port.close()


class _Tapped:
    def __init__(self, answer: HttpAnswer, exchange: Exchange) -> None:
        self.status, self.headers = answer.status, answer.headers
        self._answer, self._exchange = answer, exchange

    async def read(self) -> bytes:
        data = await self._answer.read()
        self._exchange.body.append(data)
        return data

    def pause(self) -> bool:
        return self._answer.pause()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One question with its answer, as it is written down.

    Attributes:
        question: its name, a key of ``QUESTIONS``.
        model: who was asked.
        request: the JSON that was sent.
        status: the HTTP status of the answer; 0 where none came.
        headers: some headers of the answer.
        body: the body of the answer; "" where it is compressed, for ids cannot be removed in it.
        read: what Folkmoot makes of the answer.
    """

    question: str
    model: str
    request: object
    status: int
    headers: Mapping[str, str]
    body: str
    read: Mapping[str, object]


async def record(question: str, model: Model, tap: Tap, key: Key | None) -> Recording:
    """Ask one question, once, and keep the answer without keys and ids."""
    tap.exchanges.clear()
    try:
        called = await model.complete(QUESTIONS[question], NoRecord())
        read: dict[str, object] = {
            "text": called.text,
            "finish": called.finish,
            "usage": asdict(called.usage),
            "tools": [{"name": call.name, "arguments": call.arguments} for call in called.tools],
        }
    except ModelError as error:
        read = {"error": error.kind, "words": without_ids(hide(str(error)), key)}
    exchange = tap.exchanges[-1] if tap.exchanges else Exchange(b"{}", 0, {})
    plain = exchange.headers.get("content-encoding", "").lower() in ("", "identity")
    return Recording(
        question=question,
        model=model.name,
        request=json.loads(exchange.request),
        status=exchange.status,
        headers=exchange.headers,
        body=without_ids(b"".join(exchange.body).decode("utf-8", "replace"), key) if plain else "",
        read=read,
    )


_ID = re.compile(
    r'("(?:\w*_id|id|\w*Id|system_fingerprint|signature|encrypted_content|obfuscation|organization|user)"\s*:\s*")'
    r'([^"\\]+)(?=")'
)
_TIME = re.compile(r'("created(?:_at)?"\s*:\s*)(?:\d+|"[^"\\]*")')
_OWNER = re.compile(r"\b(org|proj|user|req)[-_][\w-]{4,}")


def without_ids(body: str, key: Key | None) -> str:
    """A body without the key, ids, times and names of accounts; equal ids stay equal."""
    ids: dict[str, str] = {}

    def numbered(match: re.Match[str]) -> str:
        return match[1] + ids.setdefault(match[2], f"id-{len(ids) + 1}")

    text = key.hide(body) if key else body
    return _OWNER.sub(r"\1-removed", _TIME.sub(r"\g<1>0", _ID.sub(numbered, text)))


FREE = ("arguments", "input", "parameters")
"""Fields whose inside the model has written."""


def shape(body: str) -> frozenset[str]:
    """The names and kinds of all values in the events of a body: ``choices[].delta.content: text``."""
    rows = [row.removeprefix("data:").strip() for row in body.splitlines()]
    events = [event for row in rows if (event := _object(row)) is not None] or [_object(body) or {}]
    return frozenset(path for event in events for path in _paths(event, ""))


def _object(text: str) -> dict[str, object] | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


_KINDS: Sequence[tuple[type | UnionType, str]] = (
    (str, "text"),
    (bool, "flag"),
    (int | float, "number"),
    (dict, "object"),
    (list, "list"),
    (object, "null"),
)


def _paths(value: object, at: str) -> Iterator[str]:
    if isinstance(value, dict) and at.rpartition(".")[2] not in FREE:
        for name, inner in cast("Mapping[str, object]", value).items():
            yield from _paths(inner, f"{at}.{name}" if at else name)
    elif isinstance(value, list) and value:
        for inner in cast("Sequence[object]", value):
            yield from _paths(inner, f"{at}[]")
    else:
        yield f"{at}: {next(word for kind, word in _KINDS if isinstance(value, kind))}"


def changes(before: Recording, now: Recording) -> list[str]:
    """How the shape of an answer has changed, a line each: ``new: …``, ``gone: …``, ``status: …``."""
    old, new = shape(before.body), shape(now.body)
    status = [f"status: {before.status} became {now.status}"] if before.status != now.status else []
    return [*status, *(f"new: {path}" for path in sorted(new - old)), *(f"gone: {path}" for path in sorted(old - new))]


def renamed(name: str, question: str) -> str:
    """The model that a question goes to: the last one goes to a model that does not exist."""
    return f"{name}{MISSING}" if question == "no-such-model" else name


def most(model: Model) -> Quote:
    """The most that all questions use, at the prices of a model."""
    quotes = [model.quote(request) for name, request in QUESTIONS.items() if name != "no-such-model"]
    costs = [quote.cost for quote in quotes]
    total = None if None in costs else sum(cost for cost in costs if cost is not None)
    return replace(quotes[0], tokens=sum(quote.tokens for quote in quotes), cost=total)
