"""A TCP proxy for tests: every connection through it can be broken at once."""

import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass(slots=True)
class Proxy:
    """A proxy of a server, at an address of its own.

    Attributes:
        target: the port of the server.
        port: its own port.
        refuses: whether it refuses new connections.
    """

    target: int
    port: int = 0
    refuses: bool = False
    _ends: set[asyncio.StreamWriter] = field(default_factory=set[asyncio.StreamWriter])

    @asynccontextmanager
    async def serve(self, listening: socket.socket) -> AsyncGenerator["Proxy"]:
        """Forward connections as long as the block runs."""
        server = await asyncio.start_server(self._meet, sock=listening)
        self.port = listening.getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            self.break_connections()

    def break_connections(self) -> None:
        """Break every connection at once."""
        for end in list(self._ends):
            end.transport.abort()

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.refuses:
            writer.transport.abort()
            return
        far, away = await asyncio.open_connection("127.0.0.1", self.target)
        self._ends |= {writer, away}
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(_carry(reader, away))
                group.create_task(_carry(far, writer))
        finally:
            self._ends -= {writer, away}


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while piece := await reader.read(65536):
            writer.write(piece)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()
