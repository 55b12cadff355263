"""What has come to a paused connection is taken at once, and the connection serves further answers."""

import asyncio
from asyncio import selector_events
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp
import pytest
from aiohttp.base_protocol import BaseProtocol

from folkmoot.models import http_client
from folkmoot.models.http_client import HttpClient

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
BEAT = 0.01
"""Seconds between two pieces of an answer."""


@dataclass(slots=True)
class Server:
    """Sends the same pieces as the answer to each request; it counts the connections."""

    pieces: Sequence[bytes]
    burst: bool = False
    connections: int = 0
    url: str = ""

    @asynccontextmanager
    async def serve(self) -> AsyncGenerator[HttpClient]:
        """A client to the server, as long as the block runs."""
        server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        client = HttpClient(self.url, proxied=False, connect=5.0)
        try:
            yield client
        finally:
            await client.close()
            server.close()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        while await reader.readline():
            while (await reader.readline()).strip():
                pass
            writer.write(HEAD)
            for piece in self.pieces:
                writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                if not self.burst:
                    await writer.drain()
                    await asyncio.sleep(BEAT)
            writer.write(b"0\r\n\r\n")
        writer.close()


async def read(client: HttpClient, url: str, pause: float) -> list[bytes]:
    """An answer in the pieces in which it is read, with a pause behind each."""
    pieces: list[bytes] = []
    async with client.open(url, {}, None) as answer:
        while data := await answer.read():
            pieces.append(data)
            if answer.pause():
                await asyncio.sleep(pause)
    return pieces


@pytest.fixture
def resumed(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The transports of the client that were resumed, each as often as that."""
    resumes: list[object] = []
    transport: type[asyncio.Transport] = getattr(selector_events, "_SelectorSocketTransport")  # noqa: B009
    resume = transport.resume_reading

    def note(self: asyncio.Transport) -> None:
        if not self.is_reading():
            resumes.append(self)
        resume(self)

    monkeypatch.setattr(transport, "resume_reading", note)
    return resumes


async def test_what_waits_is_taken_without_asking_the_event_loop(resumed: list[object]) -> None:
    server = Server([b"piece %d " % n for n in range(30)])
    async with server.serve() as client:
        pieces = await read(client, server.url, 4 * BEAT)
        assert b"".join(pieces) == b"".join(server.pieces)
        assert 2 < len(pieces) < 15
        assert len(resumed) <= len(pieces) / 2
        assert b"".join(await read(client, server.url, 4 * BEAT)) == b"".join(server.pieces)
    assert server.connections == 1


async def test_where_nothing_waits_the_event_loop_is_asked(resumed: list[object]) -> None:
    server = Server([b"first ", b"second"])
    async with server.serve() as client:
        assert await read(client, server.url, 0.0) == [b"first ", b"second"]
    assert resumed


async def test_a_transport_that_cannot_look_is_resumed(monkeypatch: pytest.MonkeyPatch, resumed: list[object]) -> None:
    monkeypatch.setattr(http_client, "_CAN_TAKE", False)
    server = Server([b"piece %d " % n for n in range(10)])
    async with server.serve() as client:
        for _ in range(2):
            pieces = await read(client, server.url, 2 * BEAT)
            assert b"".join(pieces) == b"".join(server.pieces)
            assert len(resumed) >= len(pieces) - 2
            resumed.clear()
    assert server.connections == 1


async def test_more_than_the_library_holds_comes_whole() -> None:
    server = Server([b"x" * 3_000_000, b"y" * 10, b"z" * 900_000])
    async with server.serve() as client:
        assert b"".join(await read(client, server.url, BEAT)) == b"".join(server.pieces)
        assert b"".join(await read(client, server.url, BEAT)) == b"".join(server.pieces)
    assert server.connections == 1


async def test_more_chunks_than_the_library_wants_at_once_come_whole() -> None:
    server = Server([b"%d," % n for n in range(30_000)], burst=True)
    async with server.serve() as client:
        for _ in range(2):
            assert b"".join(await read(client, server.url, 0.05)) == b"".join(server.pieces)
    assert server.connections == 1


async def test_what_is_left_of_a_chunk_is_taken_in_the_librarys_own_way() -> None:
    loop = asyncio.get_running_loop()
    content = aiohttp.StreamReader(BaseProtocol(loop), 2**16, loop=loop)
    content.feed_data(b"a chunk")
    assert content.read_nowait(2) == b"a "
    take = getattr(http_client, "_take")  # noqa: B009
    assert take(content) == b"chunk"
    assert take(content) == b""
