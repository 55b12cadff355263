"""Answers of a model name that are sent while its debate runs: kept alive, whole or as a stream of chunks."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from importlib import metadata
from typing import TypeAlias

from fastapi.responses import Response
from starlette.types import Receive, Scope, Send

from folkmoot.app.endpoint.chat_answer import ChatAnswer, DebateState, chat_answer
from folkmoot.app.endpoint.chat_request import ChatRequest
from folkmoot.app.endpoint.endpoint import Begun, Endpoint, state_of
from folkmoot.app.endpoint.endpoint_errors import EndpointError
from folkmoot.app.endpoint.live_words import LiveWords, final_pieces
from folkmoot.app.serve.admission import Admission
from folkmoot.app.serve.live import write
from folkmoot.app.serve.settle import settle
from folkmoot.core.ask import ToolCall
from folkmoot.core.event import Erred
from folkmoot.web.schemas import Data
from folkmoot.web.site import PREFIX

Line: TypeAlias = Callable[[str], Awaitable[None]]
"""Takes what has happened; "" where nothing has happened for some time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A chat request and the debate that answers it.

    Attributes:
        endpoint: the model endpoint.
        admission: for its owner.
        request: what was asked for.
        begun: the debate.
        base: the address of this server.
        at: when the request came, in seconds since 1970.
    """

    endpoint: Endpoint
    admission: Admission
    request: ChatRequest
    begun: Begun
    base: str
    at: int

    @property
    def seconds(self) -> float:
        """How long the request is held open."""
        limit = self.begun.preset.seconds
        return limit if self.request.seconds is None else min(limit, self.request.seconds)

    @property
    def acts(self) -> bool:
        """Whether a model answers the caller in its own words, all of which can be heard from here."""
        return (self.begun.preset.answer == "acting" or self.request.turn) and not self.begun.joined

    @property
    def headers(self) -> dict[str, str]:
        """The headers of the answer."""
        debate, ignored = self.begun.debate, ", ".join(self.request.ignored)
        headers = {"X-Folkmoot-Debate": debate, "X-Folkmoot-Report": self.report, "X-Request-Id": debate}
        headers |= {"X-Folkmoot-Ignored": ignored.encode("ascii", "replace").decode()} if ignored else {}
        return headers | ({"X-Folkmoot-Joined": "1"} if self.begun.joined else {})

    @property
    def report(self) -> str:
        """The address of the report."""
        return f"{self.base}{PREFIX}/debates/{self.begun.debate}/report.html"

    async def hold(self, seconds: float, line: Line, piece: Line | None = None) -> None:
        """Wait until the debate has ended or the time is over.

        Args:
            seconds: the time.
            line: writes what happens, and silence.
            piece: writes a piece of the final answer as a model says it; None where nobody wants that.
        """
        lines: asyncio.Queue[tuple[Line, str] | None] = asyncio.Queue()

        async def tell(done: float, total: float | None, activity: str) -> None:
            number = f" ({done:.0f} of {total:.0f})" if total else ""
            lines.put_nowait((line, f"{activity}{number}" if activity else ""))

        async def listen(piece: Line) -> None:
            async with aclosing(final_pieces(self.admission.workspace, self.begun.debate)) as pieces:
                async for words in pieces:
                    lines.put_nowait((piece, words))

        async def wait() -> None:
            try:
                await settle(self.admission.runner, self.begun.debate, seconds, tell)
            finally:
                lines.put_nowait(None)

        async with asyncio.TaskGroup() as group:
            group.create_task(wait())
            listening = [group.create_task(listen(piece))] if piece else []
            try:
                while item := await self._next(lines, line):
                    put, words = item
                    await put(words)
            finally:
                for task in listening:
                    task.cancel()

    async def _next(self, lines: asyncio.Queue[tuple[Line, str] | None], line: Line) -> tuple[Line, str] | None:
        """What to write next: silence where nothing comes for some time."""
        try:
            async with asyncio.timeout(self.endpoint.pace.beat):
                return await lines.get()
        except TimeoutError:
            return line, ""

    async def answer(self) -> tuple[DebateState, ChatAnswer]:
        """The debate as it stands, and the answer."""
        state = await state_of(self.admission, self.begun.debate)
        return state, chat_answer(state, self.request, self.begun.preset)

    def failure(self, state: DebateState, answer: ChatAnswer) -> EndpointError:
        """The error for a debate that nobody answered."""
        if not state.paid:
            self.endpoint.retries.forget(self.begun.debate)
        words = answer.text.removeprefix("Folkmoot: ")
        errors = [entry.event.kind for entry in state.entries if isinstance(entry.event, Erred)]
        refused = bool(errors) and all(kind in ("refused", "request", "too_long") for kind in errors)
        retry = False if state.paid or refused else None  # what was refused is refused again
        return EndpointError(503, words, "unavailable", retry=retry, wait=5)

    def frame(self, kind: str, choices: list[Data], **more: object) -> Data:
        """What every answer and every chunk begins with."""
        return {
            "id": f"chatcmpl-{self.begun.debate}",
            "object": kind,
            "created": self.at,
            "model": self.request.model,
            "system_fingerprint": f"folkmoot-{metadata.version('folkmoot')}",
            "choices": choices,
            **more,
        }

    def facts(self, answer: ChatAnswer) -> Data:
        """The field ``folkmoot``."""
        turn = {"decided_in": self.begun.decided_in} if self.request.turn else {}
        return {**answer.facts, **turn, "report": self.report}

    def body(self, answer: ChatAnswer) -> Data:
        """The body of an answer that is not streamed."""
        message: Data = {"role": "assistant", "content": answer.text or None, "refusal": answer.refusal or None}
        if answer.calls:
            message["tool_calls"] = [_call(call) for call in answer.calls]
        choice: Data = {"index": 0, "finish_reason": answer.finish, "logprobs": None, "message": message}
        return self.frame("chat.completion", [choice], usage=usage_of(answer), folkmoot=self.facts(answer))


def _call(call: ToolCall) -> Data:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def usage_of(answer: ChatAnswer) -> Data:
    """What the debate used, as OpenAI's clients read it; an unknown cost is null."""
    usage = answer.usage
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": 0},
        "cost": usage.cost,
        "estimated": usage.estimated,
    }


class Held(Response):
    """An answer that is sent while its debate runs. A client that goes stops nothing, unless its preset says so."""

    media_type = "application/json"

    def __init__(self, completion: Completion) -> None:
        super().__init__(headers=completion.headers)
        del self.headers["content-length"]
        self._completion = completion

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer until it ends or the client goes."""
        gone = False

        async def leave() -> None:
            nonlocal gone
            while (await receive())["type"] != "http.disconnect":
                pass
            gone = True
            sending.cancel()

        async with asyncio.TaskGroup() as group:
            sending = group.create_task(self._answer(send))
            leaving = group.create_task(leave())
            sending.add_done_callback(lambda _: leaving.cancel())
        if not gone:
            self._completion.endpoint.retries.answered(self._completion.begun.debate)
        elif self._completion.begun.preset.on_leave == "stop":
            self._completion.admission.runner.stop(self._completion.begun.debate)

    async def _answer(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})

        async def put(data: bytes) -> None:
            await send({"type": "http.response.body", "body": data, "more_body": True})

        await self.write_all(put)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def write_all(self, put: Callable[[bytes], Awaitable[None]]) -> None:
        """Write the whole body."""
        raise TypeError("a kind of answer writes its own body")

    async def blanks(self, put: Callable[[bytes], Awaitable[None]]) -> None:
        """Write a blank now and then until the debate has ended."""

        async def blank(words: str) -> None:
            if not words:
                await put(b" ")

        pace = self._completion.endpoint.pace
        await put(b" ")
        await self._completion.hold(self._completion.seconds - pace.quiet, blank)


class HeldAnswer(Held):
    """An answer that is not streamed: blanks, and JSON at the end."""

    async def write_all(self, put: Callable[[bytes], Awaitable[None]]) -> None:
        """Write a blank now and then, and the answer when it exists."""
        await self.blanks(put)
        _, answer = await self._completion.answer()
        await put(write(self._completion.body(answer)))


class HeldStream(Held):
    """A stream of chunks: who has answered as reasoning, then the answer."""

    media_type = "text/event-stream"

    def __init__(self, completion: Completion) -> None:
        super().__init__(completion)
        self.headers["X-Accel-Buffering"] = "no"

    async def write_all(self, put: Callable[[bytes], Awaitable[None]]) -> None:
        """Write the chunks."""
        completion = self._completion
        empty: Data = {"usage": None} if completion.request.usage_chunk else {}

        async def chunk(delta: Data, finish: str | None = None, **more: object) -> None:
            choice: Data = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
            await put(event(completion.frame("chat.completion.chunk", [choice], **empty, **more)))

        async def line(words: str) -> None:
            silent = completion.begun.preset.progress == "none" or not words
            await chunk({"content": ""} if silent else {"reasoning_content": f"{words}\n"})

        live = LiveWords(completion.request)

        async def piece(words: str) -> None:
            if new := live.take(words):
                await chunk({"content": new})

        mark = f"chatcmpl-{completion.begun.debate}"  # LangChain takes the id of a message from here
        await chunk({"role": "assistant", "content": "", "id": mark})
        await completion.hold(completion.seconds, line, piece if completion.acts else None)
        state, answer = await completion.answer()
        if answer.status == "failed":
            await put(event(completion.failure(state, answer).body))
            return
        if (rest := live.rest(answer.text)) or answer.refusal:
            await chunk({"content": rest, **({"refusal": answer.refusal} if answer.refusal else {})})
        if answer.calls:
            await chunk({"tool_calls": [{"index": n, **_call(call)} for n, call in enumerate(answer.calls)]})
        usage: Data = {"usage": usage_of(answer)}
        apart = completion.request.usage_chunk
        await chunk({}, answer.finish, folkmoot=completion.facts(answer), **({} if apart else usage))
        if apart:
            await put(event(completion.frame("chat.completion.chunk", [], **usage)))
        await put(b"data: [DONE]\n\n")


def event(data: Mapping[str, object]) -> bytes:
    """One event of a stream."""
    return b"data: %s\n\n" % write(data)


def typed_event(name: str, number: int, data: Data) -> bytes:
    """One event of a stream of the responses interface."""
    return b"event: %s\n%s" % (name.encode(), event({"type": name, "sequence_number": number, **data}))
