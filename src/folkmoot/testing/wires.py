"""A test server that speaks the wire formats of Ollama, OpenAI and Anthropic, with faults on demand.

It is not a language model: the same prompt always gets the same words. The answer, or the fault, is a ``Plan`` that a
script makes for each call, so tests can ask for every fault that a real provider has shown.
``python -m folkmoot.testing.wires`` serves until it is stopped and prints its address first; ``GET /calls`` counts.
"""

import asyncio
import hashlib
import json
import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from folkmoot.testing import wire_formats as formats
from folkmoot.testing.small_web import close_server
from folkmoot.testing.wire_formats import Dialect, Plan

LARGEST = 16_000_000
"""Bytes of a request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request as it came in.

    Attributes:
        path: ``/api/chat``.
        headers: names in lower case.
        body: the JSON object.
        prompt: the text of the last message.
        n: how often this prompt has come, from 1.
    """

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, object]
    prompt: str
    n: int = 1


Script: TypeAlias = Callable[[Call], Plan]


def echo(call: Call) -> Plan:
    """The plan where no script says otherwise: the same words for the same prompt."""
    mark = hashlib.sha256(call.prompt.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return Plan(text=f"This is the answer to prompt {mark}.")


@dataclass(slots=True)
class Wires:
    """A server on a free port of the loopback interface.

    Attributes:
        script: what is answered to a call.
        port: where to listen; 0 for any free port.
        models: the models that it lists.
        context: the context length that it reports for each model; 0 for none.
        tools: whether its models say that they take tools.
        calls: the calls that asked for an answer, in order.
        open: calls being answered now.
        most_open: the most calls that were answered at the same time.
    """

    script: Script = echo
    port: int = 0
    models: tuple[str, ...] = ("tiny:latest",)
    context: int = 8192
    tools: bool = True
    calls: list[Call] = field(default_factory=list[Call])
    open: int = 0
    most_open: int = 0
    _meetings: dict["asyncio.Task[None]", asyncio.StreamWriter] = field(
        default_factory=dict["asyncio.Task[None]", asyncio.StreamWriter], repr=False
    )

    @property
    def url(self) -> str:
        """The server's address, without a path."""
        return f"http://127.0.0.1:{self.port}"

    @asynccontextmanager
    async def serve(self) -> AsyncGenerator["Wires", None]:
        """Serve as long as the block runs."""
        server = await asyncio.start_server(self._serve_connection, "127.0.0.1", self.port, limit=LARGEST)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            await close_server(server)
            for task, writer in list(self._meetings.items()):
                writer.transport.abort()
                await task

    async def _serve_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection until it ends."""
        task = cast("asyncio.Task[None]", asyncio.current_task())
        self._meetings[task] = writer
        try:
            while request := await _read(reader):
                method, path, headers, raw = request
                if method == "POST" and (dialect := formats.DIALECTS.get(path)):
                    stays = await self._answer_request(_Line(reader, writer, dialect), path, headers, raw)
                else:
                    stays = await self._tell(writer, path)
                if not stays:
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            del self._meetings[task]
            writer.close()

    async def _tell(self, writer: asyncio.StreamWriter, path: str) -> bool:
        counted = {"calls": len(self.calls), "prompts": [call.prompt for call in self.calls]}
        status, page = (
            (200, counted) if path == "/calls" else formats.page(path, self.models, self.context, tools=self.tools)
        )
        await _send_whole(writer, status, {}, json.dumps(page).encode())
        return True

    async def _answer_request(self, line: "_Line", path: str, headers: Mapping[str, str], raw: bytes) -> bool:
        body = cast("dict[str, object]", json.loads(raw))
        prompt = formats.last_prompt(body)
        repeats = sum(call.prompt == prompt for call in self.calls)
        call = Call(path=path, headers=headers, body=body, prompt=prompt, n=repeats + 1)
        self.calls.append(call)
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        try:
            return await line.answer(self.script(call), call.body)
        finally:
            self.open -= 1


@dataclass(frozen=True, slots=True)
class _Line:
    """One connection, while it gets an answer."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    dialect: Dialect

    async def answer(self, plan: Plan, body: Mapping[str, object]) -> bool:
        """Play a plan; whether the connection can be used again."""
        await self._sleep_open(plan.delay)
        if plan.fault == "silence":
            await self.reader.read()
            return False
        if plan.status != 200:
            page = self.dialect.error(plan)
            await _send_whole(self.writer, plan.status, plan.headers, page)
            return True
        if plan.fault == "html":
            await _send_whole(self.writer, 200, {"content-type": "text/html"}, formats.HTML)
            return True
        if self.dialect.whole and not body.get("stream", True):
            await _send_whole(self.writer, 200, {}, self.dialect.whole(plan, body))
            return True
        head = f"content-type: {self.dialect.kind}\r\ntransfer-encoding: chunked"
        self.writer.write(f"HTTP/1.1 200 OK\r\n{head}\r\n\r\n".encode())
        return await self._stream(plan, body)

    async def _stream(self, plan: Plan, body: Mapping[str, object]) -> bool:
        pieces, end = self.dialect.frames(plan, body)
        if plan.fault:
            pieces = pieces[: len(pieces) // 2 + 1]
        for piece in pieces:
            await self._send(piece, plan)
            while plan.hold and not plan.hold.is_set() and not self.reader.at_eof():
                await self._sleep_open(0.01)
        match plan.fault:
            case "stall":
                await self.reader.read()
            case "cut":
                self.writer.write(b"ffff\r\n" + end[:7])
                await self.writer.drain()
            case "reset":
                self.writer.transport.abort()
            case "drip":
                while not self.reader.at_eof():
                    await self._send(self.dialect.heartbeat, plan)
                    await self._sleep_open(0.01)
            case _:
                if last := self._stream_end(plan, end):
                    await self._send(last, plan)
                self.writer.write(b"0\r\n\r\n")
                await self.writer.drain()
                return True
        return False

    def _stream_end(self, plan: Plan, end: bytes) -> bytes:
        """What stands at the end of a stream that ends properly."""
        match plan.fault:
            case "garbage":
                return self.dialect.garbage
            case "broken":
                return self.dialect.broken(self.dialect.error(plan))
            case "unmarked":
                return b""
            case _:
                return end

    async def _send(self, piece: bytes, plan: Plan) -> None:
        size = plan.slice or len(piece)
        for start in range(0, len(piece), size):
            part = piece[start : start + size]
            self.writer.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
            await self.writer.drain()
        await self._sleep_open(plan.pause)

    async def _sleep_open(self, seconds: float) -> None:
        """Wait; not after the other side has gone."""
        if not seconds:
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.reader.read(1)


async def _read(reader: asyncio.StreamReader) -> tuple[str, str, dict[str, str], bytes] | None:
    """The next request: method, path, headers, body; None where the connection has ended."""
    if not (first := await reader.readline()):
        return None
    method, target, _ = first.decode("latin-1").split(" ", 2)
    headers: dict[str, str] = {}
    while (line := (await reader.readline()).decode("latin-1").strip()) != "":
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return method, target.partition("?")[0], headers, body


async def _send_whole(writer: asyncio.StreamWriter, status: int, headers: Mapping[str, str], body: bytes) -> None:
    lines = {"content-type": "application/json", **headers, "content-length": str(len(body))}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    writer.write(f"HTTP/1.1 {status} Status\r\n{head}\r\n".encode("latin-1") + body)
    await writer.drain()


async def main(port: int = 0) -> None:
    """Serve until the process is stopped; the first line of output is the address."""
    async with Wires(port=port).serve() as wires:
        sys.stdout.write(f"{wires.url}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 0))
