"""Ollama's own wire, /api/chat. This file owns what is sent there and how its answers are read.

The OpenAI-compatible address of Ollama cannot set ``num_ctx``, so a long prompt would lose its beginning in silence,
the worst that can happen to a debate. Here the window is chosen to fit, and cutting is forbidden.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, cast

from moot.core.ask import Usage
from moot.core.event import Called
from moot.core.seat import Quote, Say
from moot.models import faults
from moot.models.base import Request, Traits
from moot.models.names import ModelName
from moot.models.net import Link, read_object
from moot.models.prices import cap, count_tokens, quote
from moot.models.speech import End, Speech, conclude

if TYPE_CHECKING:
    from httpx2 import Response

KEEP_ALIVE = "15m"
"""How long the server keeps the model in memory: participants take turns, and loading takes long."""

SMALLEST_WINDOW = 4096
"""Tokens. Windows are this or twice, four times … as large, because each change of size loads the model again."""

LONGEST_LINE = 4_000_000
"""Bytes of one line of an answer."""


class Ollama:
    """One model of an Ollama server.

    Args:
        name: which model.
        link: the way to the server.
    """

    def __init__(self, name: ModelName, link: Link) -> None:
        self._name, self._link = name, link
        self._context: int | None = None
        self._window = SMALLEST_WINDOW

    @property
    def name(self) -> str:
        """``ollama:name``."""
        return str(self._name)

    @property
    def traits(self) -> Traits:
        """What the wire takes; the context is known after the first request."""
        return Traits(context=self._context or 0)

    def quote(self, request: Request) -> Quote:
        """The most that the request can use; it costs nothing."""
        return quote(self._name, request)

    async def complete(self, request: Request, say: Say) -> Called:
        """Answer one request; see ``models.base.Model``."""
        import httpx2

        speech = Speech(self._name, say)
        try:
            body = await self._body(request)
            async with self._link.client.stream("POST", f"{self._link.url}/api/chat", json=body) as response:
                await self._check(response)
                end = await self._listen(response, speech)
        except httpx2.RequestError as error:
            raise faults.unreached(self._name, self._link.url, str(error)) from error
        return conclude(self._name, request, speech, end)

    async def close(self) -> None:
        """Give the connections back."""
        await self._link.close()

    async def _body(self, request: Request) -> dict[str, object]:
        settings = request.settings
        options: dict[str, object] = {
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "presence_penalty": settings.presence_penalty,
            "frequency_penalty": settings.frequency_penalty,
            "seed": settings.seed,
            "num_predict": cap(settings),
            "num_ctx": await self._fit(count_tokens(request.messages) + cap(settings)),
        }
        return {
            "model": self._name.model,
            "messages": [{"role": message.role, "content": message.text} for message in request.messages],
            "options": {name: value for name, value in options.items() if value is not None},
            "stream": True,
            "keep_alive": KEEP_ALIVE,
            "truncate": False,
            "shift": False,
        }

    async def _fit(self, tokens: int) -> int:
        """The window for a prompt and its answer: never smaller than the last one, never larger than the model's."""
        while self._window < tokens:
            self._window *= 2
        if self._context is None:
            self._context = await self._show()
        return min(self._window, self._context) if self._context else self._window

    async def _show(self) -> int | None:
        """The model's context in tokens; 0 where the server does not say, None where it says nothing at all."""
        response = await self._link.client.post(f"{self._link.url}/api/show", json={"model": self._name.model})
        info = read_object(response.content).get("model_info")
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
        wait = faults.wait_seconds(response.headers)
        if response.status_code == 404:
            detail += f" (to get it: ollama pull {self._name.model})"
        raise faults.from_status(self._name, response.status_code, detail, wait=wait, key=self._link.key)

    async def _listen(self, response: "Response", speech: Speech) -> End:
        async with aclosing(_lines(response)) as lines:
            async for line in lines:
                if not line.strip():
                    continue
                event = read_object(line)
                if "error" in event:
                    raise faults.broken(self._name, str(event["error"]), self._link.key)
                message = event.get("message")
                if not isinstance(message, dict):
                    raise faults.garbled(self._name, line.decode("utf-8", "replace"))
                _hear(cast("dict[str, object]", message), speech)
                if event.get("done"):
                    return _end(event)
        return End()


def _hear(message: Mapping[str, object], speech: Speech) -> None:
    if message.get("thinking"):
        speech.think()
    if isinstance(words := message.get("content"), str) and words:
        speech.hear(words)


def _end(event: Mapping[str, object]) -> End:
    usage = Usage(input_tokens=_count(event, "prompt_eval_count"), output_tokens=_count(event, "eval_count"))
    reason = event.get("done_reason")
    return End(usage=usage, served=str(event.get("model") or ""), finish="length" if reason == "length" else "stop")


def _count(event: Mapping[str, object], name: str) -> int:
    value = event.get(name)
    return value if isinstance(value, int) else 0


async def _lines(response: "Response") -> AsyncGenerator[bytes, None]:
    """The lines of a body, whole: bytes are not decoded before, so that no packet can split a character."""
    held = b""
    async for piece in response.aiter_bytes():
        *whole, held = (held + piece).split(b"\n")
        for line in whole:
            yield line
        if len(held) > LONGEST_LINE:
            break
    yield held
