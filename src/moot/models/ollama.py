"""Ollama's own API, /api/chat: requests and how the answers are read.

The OpenAI-compatible API of Ollama cannot set ``num_ctx``, so a long prompt would lose its beginning without notice.
Here the context window is chosen to fit, and truncation is forbidden.
"""

import json
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, cast

from moot.core.agent import Quote, Recorder
from moot.core.ask import ToolCall, ToolSpec, Usage
from moot.core.errors import Refused
from moot.core.event import Called
from moot.core.text import named
from moot.models import provider_errors
from moot.models.base import Message, Request, Traits
from moot.models.discover import explain
from moot.models.names import ModelName
from moot.models.prices import answer_cap, count_tokens, quote
from moot.models.stream import AnswerStream, End, final_answer
from moot.models.transport import ProviderConnection, read_object

if TYPE_CHECKING:
    from httpx2 import Response

KEEP_ALIVE = "15m"
"""How long the server keeps the model in memory: participants take turns, and loading takes long."""

SMALLEST_WINDOW = 4096
"""Tokens. Windows are this or twice, four times … as large, because each change of size loads the model again."""


class Ollama:
    """One model of an Ollama server.

    Args:
        name: which model.
        link: the way to the server.
    """

    def __init__(self, name: ModelName, link: ProviderConnection) -> None:
        self._name, self._link = name, link
        self._context: int | None = None
        self._window = SMALLEST_WINDOW
        self._given = 0
        self._tools = True

    @property
    def name(self) -> str:
        """``ollama:name``."""
        return str(self._name)

    @property
    def traits(self) -> Traits:
        """What the wire takes; the context, and whether the model takes tools, are known after the first request."""
        lengths = [item for item in (self._context, self._given) if item]
        # Its templates leave a last message of the assistant open. One that closes it has the model begin anew.
        return Traits(context=min(lengths, default=0), tools=self._tools, prefill=True)

    @property
    def drops(self) -> tuple[str, ...]:
        """None: it takes all settings."""
        return ()

    def quote(self, request: Request) -> Quote:
        """The most that the request can use; it costs nothing."""
        return quote(self._name, request)

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """Answer one request; see ``models.base.Model``."""
        import httpx2

        speech = AnswerStream(self._name, recorder)
        try:
            body = await self._body(request)
            if request.tools and not self._tools:
                raise Refused(f"{self._name} takes no tools", kind="request")
            async with self._link.client.stream("POST", f"{self._link.url}/api/chat", json=body) as response:
                await self._check(response)
                end = await self._listen(response, speech)
        except httpx2.RequestError as error:
            raise await explain(self._name, self._link, error) from error
        return final_answer(self._name, request, speech, end)

    async def close(self) -> None:
        """Give the connections back."""
        await self._link.close()

    async def _body(self, request: Request) -> dict[str, object]:
        settings = request.settings
        options: dict[str, object] = {
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "top_k": settings.top_k,
            "min_p": settings.min_p,
            "repeat_penalty": settings.repeat_penalty,
            "presence_penalty": settings.presence_penalty,
            "frequency_penalty": settings.frequency_penalty,
            "seed": settings.seed,
            "stop": list(settings.stop) or None,
            "num_predict": answer_cap(settings),
            "num_ctx": await self._fit(request),
        }
        body: dict[str, object] = {
            "model": self._name.model,
            "messages": _messages(request.messages),
            "options": {name: value for name, value in options.items() if value is not None},
            "stream": True,
            "keep_alive": _keep_alive(settings.keep_alive),
            "truncate": False,
            "shift": False,
        }
        return {**body, "tools": [_tool(tool_spec) for tool_spec in request.tools]} if request.tools else body

    async def _fit(self, request: Request) -> int:
        """The window for a prompt and its answer, never larger than the model's.

        The one that the settings ask for, else one that is never smaller than the last.
        """
        if self._context is None:
            self._context = await self._show()
        self._given = request.settings.num_ctx or 0
        tokens = count_tokens(request.messages, request.tools) + answer_cap(request.settings)
        while self._window < tokens and not self._given:
            self._window *= 2
        window = self._given or self._window
        return min(window, self._context) if self._context else window

    async def _show(self) -> int | None:
        """The model's context in tokens; 0 where the server does not say, None where it says nothing at all."""
        response = await self._link.client.post(f"{self._link.url}/api/show", json={"model": self._name.model})
        shown = read_object(response.content)
        # Servers before 0.6.4 do not say what a model can do.
        self._tools = not isinstance(able := shown.get("capabilities"), list) or "tools" in able
        info = shown.get("model_info")
        if response.status_code != 200 or not isinstance(info, dict):
            return None if response.status_code != 200 else 0
        known = cast("dict[str, object]", info)
        lengths = [value for key, value in known.items() if key.endswith(".context_length") and isinstance(value, int)]
        return max(lengths, default=0)

    async def _check(self, response: "Response") -> None:
        """Raise the error that a status stands for."""
        if response.status_code == 200:
            return
        raw = await response.aread()
        said = read_object(raw).get("error")
        detail = said if isinstance(said, str) else raw.decode("utf-8", "replace")
        wait = provider_errors.wait_seconds(response.headers)
        if response.status_code == 404:
            detail += f" (to get it: ollama pull {self._name.model})"
        raise provider_errors.status_error(self._name, response.status_code, detail, wait=wait, key=self._link.key)

    async def _listen(self, response: "Response", speech: AnswerStream) -> End:
        async with aclosing(_lines(response)) as lines:
            async for line in lines:
                if not line.strip():
                    continue
                event = read_object(line)
                if "error" in event:
                    raise provider_errors.broken_off_error(self._name, str(event["error"]), self._link.key)
                message = event.get("message")
                if not isinstance(message, dict):
                    raise provider_errors.malformed_error(self._name, line.decode("utf-8", "replace"))
                _hear(cast("dict[str, object]", message), speech)
                if event.get("done"):
                    return _end(event)
        return End()


def _hear(message: Mapping[str, object], speech: AnswerStream) -> None:
    if message.get("thinking"):
        speech.think()
    if isinstance(words := message.get("content"), str) and words:
        speech.hear(words)
    wanted = message.get("tool_calls")
    for call in cast("list[dict[str, dict[str, object]]]", wanted) if isinstance(wanted, list) else ():
        try:
            name, arguments = call["function"]["name"], call["function"].get("arguments", {})
        except (LookupError, TypeError, AttributeError):
            continue
        speech.want(str(name), arguments if isinstance(arguments, str) else json.dumps(arguments))


def _messages(messages: Sequence[Message]) -> list[dict[str, object]]:
    """The messages as this wire takes them: a tool's result goes by the tool's name, not by the id of the call."""
    made: list[dict[str, object]] = []
    names: dict[str, str] = {}
    for message in messages:
        said: dict[str, object] = {"role": message.role, "content": message.text}
        if message.calls:
            names.update((call.id, call.name) for call in message.calls)
            said["tool_calls"] = [{"function": {"name": c.name, "arguments": _arguments(c)}} for c in message.calls]
        if message.role == "tool":
            said["tool_name"] = names.get(message.answers, "")
        made.append(said)
    return made


def _arguments(call: ToolCall) -> dict[str, object]:
    """The arguments as an object, which is what the wire takes; what was none goes back as it was, under a label."""
    read = read_object(call.arguments.encode())
    return read or ({} if call.arguments.strip() in ("", "{}") else {"not_json": call.arguments})


def _tool(spec: ToolSpec) -> dict[str, object]:
    told = {"name": spec.name, "description": spec.help, "parameters": dict(spec.parameters)}
    return {"type": "function", "function": told}


def _keep_alive(text: str | None) -> str | int:
    """A number of seconds must be sent as a number; other times carry their unit."""
    if text is None:
        return KEEP_ALIVE
    return int(text) if re.fullmatch(r"-?\d+", text) else text


def _end(event: Mapping[str, object]) -> End:
    counts = [cast("int", event.get(name) or 0) for name in ("prompt_eval_count", "eval_count")]  # mended where booked
    usage = Usage(input_tokens=counts[0], output_tokens=counts[1])
    reason = event.get("done_reason")
    return End(usage=usage, served=named(event.get("model")), finish="length" if reason == "length" else "stop")


async def _lines(response: "Response") -> AsyncGenerator[bytes, None]:
    """The lines of a body, whole: bytes are not decoded before, so that no packet can split a character."""
    held = b""
    async for piece in response.aiter_bytes():
        *whole, held = (held + piece).split(b"\n")
        for line in whole:
            yield line
    yield held
