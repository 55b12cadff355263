"""A small web server for tests, on the loopback interface: pages, a search engine, and faults of servers.

A script makes an ``Answer`` for each visit. ``searxng`` is the script of a search engine with SearXNG's JSON.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TypeAlias, cast
from urllib.parse import parse_qsl

HTML = "text/html; charset=utf-8"
_PIECE = 65536


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One request as it came in.

    Attributes:
        method: ``GET``.
        path: ``/search``, without the query.
        query: its parameters.
        headers: names in lower case.
        body: what came with it.
    """

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What is sent back.

    Attributes:
        body: the bytes.
        kind: the content type.
        status: the HTTP status.
        headers: further headers.
        pause: seconds before each piece of the body.
        endless: whether the body is sent again and again until the other side has gone.
    """

    body: bytes = b""
    kind: str = HTML
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    pause: float = 0.0
    endless: bool = False


MISSING = Answer(status=404, body=b"<p>There is no such page.</p>")
Script: TypeAlias = Callable[[Visit], Answer]


def page(html: str) -> Answer:
    """A page."""
    return Answer(body=html.encode())


def moved(target: str) -> Answer:
    """A redirect."""
    return Answer(status=302, headers={"location": target})


def as_json(value: object) -> Answer:
    """JSON data."""
    return Answer(body=json.dumps(value).encode(), kind="application/json")


def serve_pages(pages: Mapping[str, Answer]) -> Script:
    """The script of a site whose pages stand under these paths."""
    return lambda visit: pages.get(visit.path, MISSING)


def searxng(hits: Sequence[Mapping[str, object]]) -> Script:
    """The script of a search engine that finds the same for every query, as SearXNG's ``format=json`` shows it."""

    def answer(visit: Visit) -> Answer:
        if visit.path != "/search" or visit.query.get("format") != "json":
            return MISSING
        return as_json({"query": visit.query.get("q", ""), "results": list(hits), "unresponsive_engines": []})

    return answer


@dataclass(slots=True)
class Web:
    """A server on a free port of the loopback interface.

    Attributes:
        script: what is answered to a visit.
        visits: all visits so far.
        port: where it listens.
    """

    script: Script
    visits: list[Visit] = field(default_factory=list[Visit])
    port: int = 0
    _meetings: dict["asyncio.Task[None]", asyncio.StreamWriter] = field(
        default_factory=dict["asyncio.Task[None]", asyncio.StreamWriter], repr=False
    )

    @property
    def authority(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """The server's address, without a path."""
        return f"http://{self.authority}"

    @asynccontextmanager
    async def serve(self) -> AsyncGenerator["Web", None]:
        """Serve as long as the block runs."""
        server = await asyncio.start_server(self._serve_connection, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            await close_server(server)
            for task, writer in list(self._meetings.items()):
                writer.transport.abort()
                await task

    async def _serve_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = cast("asyncio.Task[None]", asyncio.current_task())
        self._meetings[task] = writer
        try:
            visit = await _read(reader)
            self.visits.append(visit)
            await _send(writer, self.script(visit))
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
            del self._meetings[task]


async def close_server(server: asyncio.Server) -> None:
    """Let nobody more in, and close a server with one address; whoever was let in just now has its task then.

    A transport and its protocol come before that task. A server that is closed before them leaves the socket open.
    """
    asyncio.get_running_loop().remove_reader(server.sockets[0].fileno())
    for _ in range(3):
        await asyncio.sleep(0)
    server.close()


async def _read(reader: asyncio.StreamReader) -> Visit:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.rstrip().split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    path, _, query = target.partition("?")
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Visit(method=method, path=path, query=dict(parse_qsl(query)), headers=headers, body=body)


async def _send(writer: asyncio.StreamWriter, answer: Answer) -> None:
    head = {"content-type": answer.kind, "connection": "close", **answer.headers}
    if not answer.endless:
        head.setdefault("content-length", str(len(answer.body)))
    lines = "".join(f"{name}: {value}\r\n" for name, value in head.items() if value)
    writer.write(f"HTTP/1.1 {answer.status} Status\r\n{lines}\r\n".encode("latin-1"))
    while True:
        for start in range(0, len(answer.body), _PIECE):
            await writer.drain()
            await asyncio.sleep(answer.pause)
            writer.write(answer.body[start : start + _PIECE])
        await writer.drain()
        if not answer.endless:
            return
