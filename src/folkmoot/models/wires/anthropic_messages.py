"""The wire format of Anthropic's Messages API."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import cast

import msgspec
from msgspec import Struct

from folkmoot.core.ask import ToolCall, Usage
from folkmoot.core.brief import Settings
from folkmoot.core.json_values import as_object
from folkmoot.core.text import named
from folkmoot.models.base import Message, Request
from folkmoot.models.finish import finish_of
from folkmoot.models.names import Key, ModelName
from folkmoot.models.prices import answer_cap
from folkmoot.models.stream import AnswerStream
from folkmoot.models.transport import ProviderConnection
from folkmoot.models.wires.base import Reader, WireModel, arguments_object
from folkmoot.models.wires.refused_parts import PartsOfWire

VERSION, VERSION_OF_SAMPLING = "2026-10-21", "2023-06-01"
"""The version of the interface that is spoken here, and the one in which a model that samples can be told how."""

_OF_SAMPLING = frozenset({"temperature", "top_p", "top_k"})

UNBOUNDED = frozenset(
    {
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("minLength", "maxLength", "minItems", "maxItems"),
    }
)
"""The keywords of a schema that this interface refuses: bounds, which the reader checks."""

_CACHE: Mapping[str, str] = {"type": "ephemeral", "ttl": "5m"}
"""The beginning is the same for all participants, so a cache is worth its price."""


def version_for(bodies: Iterable[Mapping[str, object]]) -> str:
    """The version of the interface that takes these requests, whatever they say on sampling."""
    return VERSION_OF_SAMPLING if any(_OF_SAMPLING & body.keys() for body in bodies) else VERSION


class Block(Struct):
    """A part of an answer: words, thinking, or a tool call."""

    type: object = ""
    text: object = None
    id: object = None
    name: object = None
    input: object = None


class Delta(Struct):
    """A piece of a block, or the end of the message."""

    type: object = None
    text: object = None
    partial_json: object = None
    stop_reason: object = None


class Body(Struct):
    """The message at its beginning."""

    model: object = None
    usage: object = None


class Event(Struct):
    """One event, or a whole message where no stream is spoken."""

    type: str = ""
    index: object = None
    delta: Delta | None = None
    content_block: Block | None = None
    message: Body | None = None
    usage: object = None
    content: list[Block] | str | None = None
    model: object = None
    stop_reason: object = None


class AnthropicMessages(WireModel):
    """One model behind Anthropic's messages."""

    path = "/v1/messages"
    parts = PartsOfWire(needed=frozenset({"model", "messages", "system"}), shape="output_config")

    def __init__(self, name: ModelName, connection: ProviderConnection) -> None:
        super().__init__(name, connection)
        self._refused.keywords = UNBOUNDED

    def headers(self, body: Mapping[str, object]) -> Mapping[str, str]:
        """The version of the interface."""
        return {"anthropic-version": version_for([body])}

    def settings(self, wanted: Settings) -> dict[str, object]:
        """The settings; the temperature ends at 1."""
        settings = super().settings(wanted)
        if wanted.temperature is not None and "temperature" in settings:
            settings["temperature"] = min(wanted.temperature, 1.0)
        return settings

    def field(self, setting: str) -> str:
        """What this wire calls one of our settings."""
        return "stop_sequences" if setting == "stop" else super().field(setting)

    async def write(self, request: Request) -> dict[str, object]:
        """The body of a request."""
        system = [message.text for message in request.messages if message.role == "system" and message.text]
        body: dict[str, object] = {
            "model": self._name.model,
            "messages": write_messages([item for item in request.messages if item.role != "system"], self._name),
            "max_tokens": answer_cap(request.settings),
            "stream": True,
            "system": [{"type": "text", "text": "\n\n".join(system), "cache_control": dict(_CACHE)}]
            if system
            else None,
            **self.settings(request.settings),
        }
        if request.schema:
            schema = self._refused.schema(request.schema)
            body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        tools = [
            {"name": spec.name, "description": spec.help, "input_schema": dict(spec.parameters)}
            for spec in request.tools
        ]
        return {**body, "tools": tools} if tools else body

    def reader(self, speech: AnswerStream) -> Reader[Event]:
        """What reads the answer."""
        return MessageReader(self._name, speech, self._connection.key)


class MessageReader(Reader[Event]):
    """Reads the events of a message, or a whole one."""

    decoder = msgspec.json.Decoder(Event)

    def __init__(self, name: ModelName, speech: AnswerStream, key: Key | None) -> None:
        super().__init__(name, speech, key)
        self._counts: dict[str, object] = {}
        self._calls: dict[object, tuple[Block, list[str]]] = {}

    def is_empty(self, event: Event) -> bool:
        """Whether it is neither of the message nor of a block."""
        return not event.type.startswith(("message", "content_block"))

    def take(self, event: Event) -> None:
        """Take one event; unknown ones are left out."""
        match event:
            case Event(type="content_block_delta", delta=Delta() as delta):
                self._read_piece(event.index, delta)
            case Event(type="content_block_start", content_block=Block() as block):
                self._begin(event.index, block)
            case Event(type="message_start", message=Body() as body):
                self._serve(body.model)
                self._count({**as_object(body.usage), "output_tokens": 0})
            case Event(type="message_delta", delta=delta):
                self._stop(delta.stop_reason if delta else None)
                self._count(event.usage)
            case Event(type="message_stop"):
                self.done = True
            case Event(type="message"):
                self._take_whole_answer(event)
            case _:
                pass

    def asked(self) -> None:
        """Hand the tools on that the answer asks for."""
        for block, pieces in self._calls.values():
            arguments = "".join(pieces) or (msgspec.json.encode(block.input).decode() if block.input else "{}")
            self.speech.want(named(block.name), arguments, named(block.id))

    def _read_piece(self, index: object, delta: Delta) -> None:
        self.hear({"type": delta.type, "text": delta.text})
        piece, known = delta.partial_json, self._calls.get(_place(index))
        if known and isinstance(piece, str):
            known[1].append(piece)

    def _begin(self, index: object, block: Block) -> None:
        if block.type == "tool_use":
            self.thinks = True
            self._calls[_place(index)] = (block, [])
        else:
            self.hear({"type": block.type, "text": block.text})

    def _take_whole_answer(self, event: Event) -> None:
        if isinstance(event.content, str):
            self.hear(event.content)
        else:
            for index, block in enumerate(event.content or ()):
                self._begin(index, block)
        self._serve(event.model)
        self._stop(event.stop_reason)
        self._count(event.usage)
        self.done = True

    def _serve(self, model: object) -> None:
        self.served = model if isinstance(model, str) else ""

    def _stop(self, reason: object) -> None:
        self.finish = finish_of(reason) or self.finish

    def _count(self, usage: object) -> None:
        """Take counts: the last ones hold, and the input is the sum of its three kinds.

        The output is counted at the end; what is said of it at the beginning is no count.
        """
        self._counts.update({name: count for name, count in as_object(usage).items() if count is not None})
        fresh, read, written = (self._counts.get(name, 0) for name in _INPUT)
        self.written = cast("int", written)
        try:
            input_tokens = cast("int", fresh) + cast("int", read) + cast("int", written)
        except TypeError:
            input_tokens = -1  # what cannot be is mended where it is booked
        self.usage = Usage(
            input_tokens=input_tokens,
            output_tokens=cast("int", self._counts.get("output_tokens", 0)) if self.finish else 0,
            cached_tokens=cast("int", read),
        )


def _place(index: object) -> object:
    """The place of a block, as a key: some gateways send it as a text, or none."""
    return index if isinstance(index, int | str) else None


_INPUT = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


def write_messages(messages: Sequence[Message], name: ModelName) -> list[dict[str, object]]:
    """The messages as this wire takes them; the results of one answer's tools go together."""
    written: list[dict[str, object]] = []
    for role, group in groupby(messages, key=lambda message: message.role):
        if role == "tool":
            results = [
                {"type": "tool_result", "tool_use_id": message.answers, "content": message.text} for message in group
            ]
            written.append({"role": "user", "content": results})
        else:
            written.extend({"role": role, "content": _content(message, name)} for message in group)
    return written


def _content(message: Message, name: ModelName) -> object:
    if message.files:
        return _blocks(message, name)
    if not message.calls:
        return message.text
    words = [{"type": "text", "text": message.text}] if message.text.strip() else []
    return [*words, *(_tool_use(call) for call in message.calls)]


def _blocks(message: Message, name: ModelName) -> list[dict[str, object]]:
    """Pictures and PDFs before the words; the provider may keep all up to the last of them for the next question."""
    from folkmoot.models.attached_files import split_files  # deferred: few debates have pictures

    sent, text = split_files(name, message)
    blocks: list[dict[str, object]] = []
    for item in sent:
        source = {"type": "base64", "media_type": item.file.media, "data": item.file.data}
        kind: dict[str, object] = (
            {"type": "image"} if item.file.is_picture else {"type": "document", "title": item.name}
        )
        blocks.append({**kind, "source": source})
    if blocks:
        blocks[-1]["cache_control"] = dict(_CACHE)
    return [*blocks, {"type": "text", "text": text}]


def _tool_use(call: ToolCall) -> dict[str, object]:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": arguments_object(call)}
