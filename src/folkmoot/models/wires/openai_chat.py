"""OpenAI's chat completions, and what speaks the same: vLLM, llama.cpp, LM Studio, OpenRouter, LiteLLM and many more.

Servers differ in small things, all of which are taken: where usage stands, how thinking is called, whether tool calls
have an index, whether ``[DONE]`` comes. Words and tokens of thinking are counted by the provider and never shown.
"""

import json
from collections.abc import Mapping, Sequence
from typing import cast

import msgspec
from msgspec import Struct

from folkmoot.core.ask import ToolSpec, Usage
from folkmoot.core.json_values import as_object, objects
from folkmoot.models.base import Message, Request
from folkmoot.models.finish import finish_of
from folkmoot.models.names import Key, ModelName
from folkmoot.models.prices import answer_cap
from folkmoot.models.stream import AnswerStream
from folkmoot.models.wires.base import Reader, WireModel
from folkmoot.models.wires.refused_parts import PartsOfWire, is_strict

_CAPS = ("max_tokens", "max_completion_tokens")


class Words(Struct):
    """A piece of a message, or a whole one. Fields have whatever shape a server gives them; words are looked for."""

    content: object = None
    reasoning_content: object = None
    reasoning: object = None
    refusal: object = None
    tool_calls: object = None
    function_call: object = None


class Choice(Struct):
    """A piece of an answer, or a whole one where no stream is spoken."""

    delta: Words | str | list[object] | None = None
    message: Words | str | list[object] | None = None
    finish_reason: object = None
    native_finish_reason: object = None
    index: object = None


class Chunk(Struct):
    """One event."""

    choices: list[Choice] | None = None
    usage: object = None
    x_groq: object = None
    model: object = None


class OpenAIChat(WireModel):
    """One model behind chat completions."""

    path = "/chat/completions"
    parts = PartsOfWire(caps=frozenset(_CAPS), shape="response_format")

    async def write(self, request: Request) -> dict[str, object]:
        """The body of a request. The cap on tokens is always sent, so that what was reserved holds."""
        body: dict[str, object] = {
            "model": self._name.model,
            "messages": [self._message(message) for message in request.messages],
            "stream": True,
            "stream_options": {"include_usage": True} if self._name.provider.countable else None,
            self._cap(): answer_cap(request.settings),
            **self.settings(request.settings),
            **({} if request.thinking else self._name.provider.unthinking),
        }
        if request.schema:
            schema = self._refused.schema(request.schema)
            strict = {"strict": True} if self._refused.strict and is_strict(schema) else {}
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", **strict, "schema": schema},
            }
        if request.messages and request.messages[-1].role == "assistant":
            body |= self._go_on(cast("list[dict[str, object]]", body["messages"]))
        return {**body, "tools": [write_tool(spec) for spec in request.tools]} if request.tools else body

    def _message(self, message: Message) -> dict[str, object]:
        written = write_message(message)
        if message.files:
            from folkmoot.models.attached_files import openai_parts  # deferred: few debates have pictures

            written["content"] = openai_parts(self._name, message)
        return written

    def _go_on(self, messages: Sequence[dict[str, object]]) -> Mapping[str, object]:
        """What makes a model go on with its own last message, where the provider has a word for that."""
        match self._name.provider.prefill:
            case "prefix":
                messages[-1]["prefix"] = True
                return {}
            case "continue":
                return {"continue_final_message": True, "add_generation_prompt": False}
            case _:
                return {}

    def reader(self, speech: AnswerStream) -> Reader[Chunk]:
        """What reads the answer."""
        return ChatReader(self._name, speech, self._connection.key)

    def _cap(self) -> str:
        """What the cap is called: OpenAI has a newer name for it, which some others refuse."""
        newer = self._name.provider.strict
        return "max_completion_tokens" if newer != bool(self._refused.fields.intersection(_CAPS)) else "max_tokens"


class ChatReader(Reader[Chunk]):
    """Reads chunks of a chat completion, or a whole one."""

    decoder = msgspec.json.Decoder(Chunk)

    def __init__(self, name: ModelName, speech: AnswerStream, key: Key | None) -> None:
        super().__init__(name, speech, key)
        self._calls: list[_Call] = []
        self._withheld = self._in_pieces = False
        self._index: object = None  # of the choice that is read

    def is_empty(self, event: Chunk) -> bool:
        """Whether there is neither a choice nor a count."""
        return not (event.choices or event.usage or event.x_groq)

    def take(self, event: Chunk) -> None:
        """Take a chunk. Of several choices one is read to its end: the first by its number, wherever it stands."""
        for choice in sorted(event.choices or (), key=lambda choice: str(choice.index or 0)):
            if choice.index is not None and self._index is None:
                self._index = choice.index
            if choice.index in (None, self._index):
                self._read_piece(choice)
                break
        if event.usage or event.x_groq:
            counts = as_object(event.usage) or as_object(as_object(event.x_groq).get("usage"))
            self.usage = _usage(counts) if counts else self.usage
        self.served = str(event.model) if isinstance(event.model, str) and event.model else self.served

    def asked(self) -> None:
        """Hand the tools on that the answer asks for. A refusal beside words is a field that nobody uses."""
        if self._withheld and not self.speech.text.strip() and self.finish in ("", "stop"):
            self.finish = "filter"
        for call in self._calls:
            self.speech.want(call.name, "".join(call.arguments), call.id)

    def _read_piece(self, choice: Choice) -> None:
        if choice.delta:
            self._in_pieces = self._hear(choice.delta) or self._in_pieces
        if choice.message and not self._in_pieces:  # else it repeats them
            self._hear(choice.message)
        for mark in (choice.finish_reason, choice.native_finish_reason):
            if mark and self.finish in ("", "stop"):  # no later mark makes half an answer whole
                self.finish = finish_of(mark)

    def _hear(self, words: Words | str | list[object]) -> bool:
        """Take a message, or a piece of one; whether it has words."""
        words = words if isinstance(words, Words) else Words(content=words)
        spoken = self.hear(words.content)
        if words.reasoning_content or words.reasoning:
            self.thinks = True
        if words.tool_calls or words.function_call:
            for tool in (*objects(words.tool_calls), *objects([words.function_call])):
                self._collect(tool)
        if words.refusal and isinstance(words.refusal, str):
            self.thinks = self._withheld = True
        return spoken

    def _collect(self, tool: Mapping[str, object]) -> None:
        """Join a piece to its call: by the index, else by the id; a piece with neither goes on with the last one."""
        self.thinks = True
        index, id = tool.get("index"), tool.get("id")
        name_of_call = id if isinstance(id, str) else ""
        call = next((call for call in reversed(self._calls) if call.goes_on(index, name_of_call)), None)
        if call is None:
            call = _Call(index, name_of_call)
            self._calls.append(call)
        function = next(iter(objects([tool.get("function")])), tool)
        name, arguments = function.get("name"), function.get("arguments")
        call.name += name if isinstance(name, str) else ""
        call.arguments.append(arguments if isinstance(arguments, str) else json.dumps(arguments) if arguments else "")


class _Call:
    """A tool call that comes in pieces."""

    def __init__(self, index: object, id: str) -> None:
        self.index, self.id, self.name = index, id, ""
        self.arguments: list[str] = []

    def goes_on(self, index: object, id: str) -> bool:
        """Whether a piece is of this call; some servers give all calls the same index, and each an id."""
        if id and self.id:
            return id == self.id
        return index is None or index == self.index


def _usage(counts: Mapping[str, object]) -> Usage:
    cached = as_object(counts.get("prompt_tokens_details")).get("cached_tokens")
    # What cannot be is mended where it is booked.
    return Usage(
        input_tokens=cast("int", counts.get("prompt_tokens") or 0),
        output_tokens=cast("int", counts.get("completion_tokens") or 0),
        cached_tokens=cast("int", cached or counts.get("prompt_cache_hit_tokens") or 0),
    )


def write_message(message: Message) -> dict[str, object]:
    """A message as this wire takes it."""
    data: dict[str, object] = {"role": message.role, "content": message.text}
    if message.calls:
        data["content"] = message.text or None
        data["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments or "{}"}}
            for call in message.calls
        ]
    if message.role == "tool":
        data["tool_call_id"] = message.answers
    return data


def write_tool(spec: ToolSpec) -> dict[str, object]:
    """A tool as this wire and Ollama's take it."""
    function = {"name": spec.name, "description": spec.help, "parameters": dict(spec.parameters)}
    return {"type": "function", "function": function}
