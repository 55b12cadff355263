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
from folkmoot.models import provider_errors
from folkmoot.models.base import Message, Request
from folkmoot.models.names import Key, ModelName
from folkmoot.models.prices import answer_cap
from folkmoot.models.stream import AnswerStream
from folkmoot.models.wires.base import Reader, WireModel, usage_counts

FINISH: Mapping[str, str] = {"length": "length", "max_tokens": "length", "content_filter": "filter"}
"""Why an answer ended, in this wire's words and in ours; all else is ``stop``."""


class Part(Struct):
    """A part of a message whose content is a list, as Mistral's thinking models send it."""

    type: str = ""
    text: str | None = None


class Function(Struct):
    """What of a tool call is the tool's."""

    name: str | None = None
    arguments: str | dict[str, object] | None = None


class Tool(Struct):
    """A tool call, or a piece of one."""

    index: int | None = None
    id: str | None = None
    function: Function | None = None


class Words(Struct):
    """A piece of a message, or a whole one."""

    content: str | list[Part] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None
    tool_calls: list[Tool] | None = None


class Choice(Struct):
    """A piece of an answer, or a whole one where no stream is spoken."""

    delta: Words | None = None
    message: Words | None = None
    finish_reason: str | None = None


class Groq(Struct):
    """Where Groq put the usage."""

    usage: object = None


class Chunk(Struct):
    """One event."""

    choices: list[Choice] | None = None
    usage: object = None
    x_groq: Groq | None = None
    model: object = None
    error: object = None


class OpenAIChat(WireModel):
    """One model behind chat completions."""

    path = "/chat/completions"

    async def write(self, request: Request) -> dict[str, object]:
        """The body of a request. The cap on tokens is always sent, so that what was reserved holds."""
        body: dict[str, object] = {
            "model": self._name.model,
            "messages": [self._message(message) for message in request.messages],
            "stream": True,
            "stream_options": {"include_usage": True} if self._name.provider.countable else None,
            self._cap(): answer_cap(request.settings),
            **self.settings(request.settings),
        }
        if request.schema:
            shape = {"name": "answer", "schema": json.loads(request.schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": shape}
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

    def replaceable(self, field: str) -> bool:
        """Whether a request can go without a field; of the names of the cap, one must be left."""
        return super().replaceable(field) and not (field in _CAPS and _CAPS & self._refused)

    def _cap(self) -> str:
        """What the cap is called: OpenAI has a newer name for it, which some others refuse."""
        newer = self._name.provider.strict
        return "max_completion_tokens" if newer != bool(_CAPS & self._refused) else "max_tokens"


_CAPS = frozenset({"max_tokens", "max_completion_tokens"})


class ChatReader(Reader[Chunk]):
    """Reads chunks of a chat completion, or a whole one."""

    decoder = msgspec.json.Decoder(Chunk)

    def __init__(self, name: ModelName, speech: AnswerStream, key: Key | None) -> None:
        super().__init__(name, speech, key)
        self._calls: list[_Call] = []
        self._withheld = False

    def take(self, event: Chunk) -> None:
        """Take a chunk."""
        if event.error:
            raise provider_errors.stream_error(self.name, {"error": event.error}, self.key)
        if event.choices:
            self._read_piece(event.choices[0])
        if event.usage or event.x_groq:
            counts = usage_counts(event.usage) or usage_counts(event.x_groq and event.x_groq.usage)
            self.usage = _usage(counts) if counts else self.usage
        self.served = str(event.model) if isinstance(event.model, str) and event.model else self.served

    def asked(self) -> None:
        """Hand the tools on that the answer asks for."""
        for call in self._calls:
            self.speech.want(call.name, "".join(call.arguments), call.id)

    def _read_piece(self, choice: Choice) -> None:
        if words := choice.delta or choice.message:
            if isinstance(words.content, str):
                if words.content:
                    self.words.append(words.content)
            elif words.content:
                self._hear_parts(words.content)
            if words.reasoning_content or words.reasoning:
                self.thinks = True
            for tool in words.tool_calls or ():
                self._collect(tool)
            if words.refusal:
                self.thinks = self._withheld = True
        if choice.finish_reason:
            self.finish = "filter" if self._withheld else FINISH.get(choice.finish_reason, "stop")

    def _hear_parts(self, parts: Sequence[Part]) -> None:
        for part in parts:
            if part.text and part.type == "text":
                self.words.append(part.text)
            else:
                self.thinks = True

    def _collect(self, tool: Tool) -> None:
        """Join a piece to its call: by the index, else by the id; a piece with neither goes on with the last one."""
        self.thinks = True
        call = next((call for call in reversed(self._calls) if call.goes_on(tool)), None)
        if call is None:
            call = _Call(tool.index, tool.id or "")
            self._calls.append(call)
        if function := tool.function:
            call.name += function.name or ""
            arguments = function.arguments
            call.arguments.append(json.dumps(arguments) if isinstance(arguments, dict) else arguments or "")


class _Call:
    """A tool call that comes in pieces."""

    def __init__(self, index: int | None, id: str) -> None:
        self.index, self.id, self.name = index, id, ""
        self.arguments: list[str] = []

    def goes_on(self, tool: Tool) -> bool:
        """Whether a piece is of this call; some servers give all calls the same index, and each an id."""
        if tool.id and self.id:
            return tool.id == self.id
        return tool.index is None or tool.index == self.index


def _usage(counts: Mapping[str, object]) -> Usage:
    cached = usage_counts(counts.get("prompt_tokens_details")).get("cached_tokens")
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
