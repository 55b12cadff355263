"""Ollama's own API, /api/chat: requests and how the answers are read.

The OpenAI-compatible API of Ollama cannot set ``num_ctx``, so a long prompt would lose its beginning without notice.
Here the context window is chosen to fit, and truncation is forbidden.
"""

import asyncio
import json
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import cast

import msgspec
from msgspec import Struct

from folkmoot.core.ask import Usage
from folkmoot.core.errors import ModelError, Refused
from folkmoot.core.json_values import read_object
from folkmoot.models import provider_errors
from folkmoot.models.base import Message, Request, Traits
from folkmoot.models.finish import finish_of
from folkmoot.models.http_port import Unreached
from folkmoot.models.local_server import SECONDS
from folkmoot.models.names import ModelName
from folkmoot.models.prices import answer_cap, count_tokens
from folkmoot.models.stream import AnswerStream
from folkmoot.models.transport import ProviderConnection
from folkmoot.models.wires.base import Reader, WireModel, arguments_object
from folkmoot.models.wires.events import Lines
from folkmoot.models.wires.openai_chat import write_tool
from folkmoot.models.wires.refused_parts import PartsOfWire

KEEP_ALIVE = "15m"
"""How long the server keeps the model in memory: participants take turns, and loading takes long."""

SMALLEST_WINDOW = 4096
"""Tokens. Windows are this or twice, four times … as large, because each change of size loads the model again."""


class Said(Struct):
    """A piece of a message."""

    content: object = None
    thinking: object = None
    tool_calls: object = None


class Event(Struct):
    """One line."""

    message: Said | None = None
    done: object = False
    done_reason: object = None
    model: object = None
    prompt_eval_count: object = None
    eval_count: object = None


class OllamaChat(WireModel):
    """One model of an Ollama server.

    Args:
        name: which model.
        connection: the way to the server.
    """

    path = "/api/chat"
    parts = PartsOfWire(
        needed=frozenset({"model", "messages", "options", "keep_alive", "truncate", "shift"}),
        caps=frozenset(),
        shape="format",
        streamed=frozenset(),  # it streams unless it is told not to
    )

    def __init__(self, name: ModelName, connection: ProviderConnection) -> None:
        super().__init__(name, connection)
        self._context: int | None = None
        self._window = SMALLEST_WINDOW
        self._given = 0
        self._blind = False

    @property
    def traits(self) -> Traits:
        """What the wire takes; the context, and whether the model takes tools, are known after the first request."""
        lengths = [item for item in (self._context, self._given) if item]
        # Its templates leave a last message of the assistant open. One that closes it has the model begin anew.
        return Traits(context=min(lengths, default=0), tools=self._tools, prefill=True)

    async def learn(self) -> None:
        """Ask once what the server says of the model; where it is away, the first request asks."""
        await super().learn()
        if self._context is None:
            with suppress(ModelError, Unreached, TimeoutError):
                async with asyncio.timeout(SECONDS):
                    self._context = await self._show()

    async def write(self, request: Request) -> dict[str, object]:
        """The body of a request; what the model can do is asked once, before."""
        if self._context is None:
            self._context = await self._show()
        options = self.settings(request.settings)
        keep_alive = options.pop("keep_alive", KEEP_ALIVE)
        options |= {"num_predict": answer_cap(request.settings), "num_ctx": self._fit(request)}
        body: dict[str, object] = {
            "model": self._name.model,
            "messages": self._messages(request.messages),
            "options": options,
            "stream": True,
            "keep_alive": _keep_alive(str(keep_alive)),
            "truncate": False,
            "shift": False,
            "format": self._refused.schema(request.schema) if request.schema else None,
            "think": None if request.thinking else False,
        }
        return {**body, "tools": [write_tool(spec) for spec in request.tools]} if request.tools else body

    def _messages(self, messages: Sequence[Message]) -> list[dict[str, object]]:
        written = write_messages(messages)
        if not any(message.files for message in messages):
            return written
        from folkmoot.models.attached_files import split_files  # deferred: few debates have pictures

        for data, message in zip(written, messages, strict=True):
            sent, data["content"] = split_files(self._name, message)
            if sent:
                if self._blind:
                    raise Refused(f"{self._name} does not see pictures, as its server says", kind="request")
                data["images"] = [item.file.data for item in sent]
        return written

    def reader(self, speech: AnswerStream) -> Reader[Event]:
        """What reads the answer."""
        return LineReader(self._name, speech, self._connection.key)

    def advice(self, status: int, raw: bytes) -> bytes:
        """How to get a model that is not there."""
        words = provider_errors.ToldError.read(raw).words
        if status != 404 or "model" not in words:
            return raw
        return f"{words} (to get it: ollama pull {self._name.model})".encode()

    def _fit(self, request: Request) -> int:
        """The window for a prompt and its answer, never larger than the model's.

        The one that the settings ask for, else one that is never smaller than the last.
        """
        self._given = request.settings.num_ctx or 0
        tokens = count_tokens(request.messages, request.tools, self.name) + answer_cap(request.settings)
        while self._window < tokens and not self._given:
            self._window *= 2
        window = self._given or self._window
        return min(window, self._context) if self._context else window

    async def _show(self) -> int | None:
        """The model's context in tokens; 0 where the server does not say, None where it says nothing at all."""
        answer = await self._connection.post("/api/show", {"model": self._name.model})
        shown = read_object(answer.body)
        # Servers before 0.6.4 do not say what a model can do.
        self._tools = not isinstance(able := shown.get("capabilities"), list) or "tools" in able
        self._blind = isinstance(able, list) and "vision" not in able
        info = shown.get("model_info")
        if answer.status != 200 or not isinstance(info, dict):
            return None if answer.status != 200 else 0
        known = cast("dict[str, object]", info)
        lengths = [value for key, value in known.items() if key.endswith(".context_length") and isinstance(value, int)]
        return max(lengths, default=0)


class LineReader(Reader[Event]):
    """Reads the lines of an answer."""

    decoder = msgspec.json.Decoder(Event)

    def split(self, provider: str) -> Lines:
        """What cuts the bytes into lines."""
        return Lines(provider)

    def is_empty(self, event: Event) -> bool:
        """Whether there is no message."""
        return event.message is None

    def take(self, event: Event) -> None:
        """Take a line."""
        message = event.message or Said()
        self.hear(message.content)
        self.thinks = self.thinks or bool(message.thinking)
        self._take_tool_calls(message.tool_calls)
        if event.done:
            counts = [cast("int", count or 0) for count in (event.prompt_eval_count, event.eval_count)]
            self.usage = Usage(input_tokens=counts[0], output_tokens=counts[1])  # mended where booked
            self.served = str(event.model) if isinstance(event.model, str) else ""
            self.finish = finish_of(event.done_reason) or "stop"  # older servers say no more than that it is done
            self.done = True

    def _take_tool_calls(self, wanted: object) -> None:
        for call in cast("list[dict[str, dict[str, object]]]", wanted) if isinstance(wanted, list) else ():
            try:
                name, arguments = call["function"]["name"], call["function"].get("arguments", {})
            except (LookupError, TypeError, AttributeError):
                continue
            self.speech.want(str(name), arguments if isinstance(arguments, str) else json.dumps(arguments))


def write_messages(messages: Sequence[Message]) -> list[dict[str, object]]:
    """The messages as this wire takes them: a tool's result goes by the tool's name, not by the id of the call."""
    written: list[dict[str, object]] = []
    names: dict[str, str] = {}
    for message in messages:
        data: dict[str, object] = {"role": message.role, "content": message.text}
        if message.calls:
            names.update((call.id, call.name) for call in message.calls)
            data["tool_calls"] = [
                {"function": {"name": call.name, "arguments": arguments_object(call)}} for call in message.calls
            ]
        if message.role == "tool":
            data["tool_name"] = names.get(message.answers, "")
        written.append(data)
    return written


def _keep_alive(text: str) -> str | int:
    """A number of seconds must be sent as a number; other times carry their unit."""
    return int(text) if re.fullmatch(r"-?\d+", text) else text
