"""Connections to the database of the queue: transactions, and notifications between workers.

They live in one thread with its own event loop, as those of the records do. So a queue is usable from any event loop,
and a busy loop does not delay what happens here. An idle connection sends nothing.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from folkmoot.app.run.dispatcher import QueueAway, QueueError
from folkmoot.core.errors import RecordError
from folkmoot.record.postgres import BackgroundLoop, listen
from folkmoot.record.postgres_connection import CLOSING, connect, faults, is_away, read_place, reason_of

if TYPE_CHECKING:
    import asyncpg
    from asyncpg.pool import PoolConnectionProxy

Result = TypeVar("Result")
Connection: TypeAlias = "PoolConnectionProxy[asyncpg.Record]"

CONNECTIONS = 4
"""The most connections of one process to the tables of the queue, beside the one that listens."""

CHANNEL = "folkmoot_queue"
"""The channel of all notifications between workers; see ``News``."""

ADDRESS = "the store's address cannot be read; write postgresql://user@host/database"


class Database:
    """The connections to one database; each is opened when it is needed, and again where it was lost.

    Args:
        address: of the database.
        connections: the most connections.

    Raises:
        QueueError: it is no address of a PostgreSQL database.
    """

    def __init__(self, address: str, *, connections: int = CONNECTIONS) -> None:
        try:
            read_place(address)
        except RecordError:
            raise QueueError(ADDRESS) from None
        self._address, self._connections = address, connections
        self._lock, self._opening = threading.Lock(), asyncio.Lock()
        self._room: BackgroundLoop | None = None
        self._pool: asyncpg.Pool[asyncpg.Record] | None = None
        self._kept: list[Future[None]] = []
        self._closed = False

    async def do(self, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        """Do something in one transaction; cancelling it takes everything back.

        Raises:
            QueueError: the database cannot be reached, or it refuses this.
        """
        return await asyncio.wrap_future(self.begin(self._transaction(work)))

    def begin(self, work: Coroutine[object, object, Result]) -> Future[Result]:
        """Have something done in the thread of the connections; cancel the future to cancel it.

        Raises:
            QueueError: the connections are closed.
        """
        with self._lock:
            if self._closed:
                work.close()
                raise QueueError("the queue cannot be used: it has been closed")
            if self._room is None:
                self._room = BackgroundLoop("folkmoot-queue")
            return self._room.begin(work)

    def listen(self, notify: Callable[[str], None]) -> None:
        """Hand on every notification from now on; "" where some may have been missed.

        Args:
            notify: takes the words of a notification, in the thread of the connections.
        """
        self.keep(listen(self._address, notify, channel=CHANNEL))

    def keep(self, work: Coroutine[object, object, None]) -> None:
        """Have something done in the thread of the connections until they are closed."""
        self._kept.append(self.begin(work))

    async def close(self) -> None:
        """Give all connections back, and end what listens."""
        await asyncio.to_thread(self.shut)

    def shut(self) -> None:
        """The same; it blocks."""
        with self._lock:
            self._closed = True
            room, self._room = self._room, None
        for work in self._kept:
            work.cancel()
        if room is not None:
            room.begin(self._leave()).result()
            room.stop()

    # ---- in the thread of the connections ----------------------------------------------------------------------------

    async def _transaction(self, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        try:
            pool = await self._open_pool()
            async with pool.acquire() as connection, connection.transaction():
                return await work(connection)
        except RecordError:
            raise QueueError(ADDRESS) from None
        except faults() as error:
            raise unreachable(error) from error

    async def _open_pool(self) -> "asyncpg.Pool[asyncpg.Record]":
        async with self._opening:
            if self._pool is None:
                self._pool = await self._make_pool()
            return self._pool

    def _make_pool(self) -> "asyncpg.Pool[asyncpg.Record]":
        import asyncpg

        async def link(*_: object, **__: object) -> "asyncpg.Connection[asyncpg.Record]":
            return await connect(self._address)

        async def leave(_: object) -> None:
            """A transaction leaves nothing behind that would have to be put back."""

        return asyncpg.create_pool(min_size=0, max_size=self._connections, connect=link, reset=leave)

    async def _leave(self) -> None:
        if self._pool is not None:
            try:
                async with asyncio.timeout(CLOSING):
                    await self._pool.close()
            except TimeoutError:
                self._pool.terminate()


def unreachable(error: BaseException) -> QueueError:
    """What is said where the database does not answer, or refuses; it holds no address and no password.

    Args:
        error: one of ``faults``.
    """
    import asyncpg

    verb = "used" if isinstance(error, asyncpg.SyntaxOrAccessError) else "reached"
    kind = QueueAway if is_away(error) else QueueError
    return kind(f"the queue cannot be {verb}: {reason_of(error)[:200]}")
