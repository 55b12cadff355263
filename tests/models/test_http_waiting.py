"""What has come to a paused connection is taken whole, and the connection serves further answers."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

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
