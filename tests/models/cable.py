"""A cable for tests: a way to a server that can be cut, so that every connection breaks at once."""

import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass(slots=True)
class Cable:
    """A cable to the server, at an address of its own, which can be cut.

    Attributes:
        target: the port that it leads to.
        port: where it begins.
        cut: whether nobody gets through.
    """

    target: int
    port: int = 0
    cut: bool = False
    _ends: set[asyncio.StreamWriter] = field(default_factory=set[asyncio.StreamWriter])

    @asynccontextmanager
    async def laid(self, listening: socket.socket) -> AsyncGenerator["Cable"]:
        """Carry what comes, as long as the block runs."""
        server = await asyncio.start_server(self._meet, sock=listening)
        self.port = listening.getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            self.pull()

    def pull(self) -> None:
        """Break every connection, at once."""
        for each in list(self._ends):
            each.transport.abort()

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.cut:
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
