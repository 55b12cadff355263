"""Connections to a PostgreSQL server: how an address becomes connections, and the errors if one fails.

An address may contain a password. Errors and screens show only the address without it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from typing import TYPE_CHECKING, TypeAlias, TypeVar
from urllib.parse import parse_qsl, urlsplit

from folkmoot.core.errors import RecordAway, RecordError
from folkmoot.core.packages import missing_library
from folkmoot.record import sql
from folkmoot.record.store import SCHEMES, other_format

if TYPE_CHECKING:
    import asyncpg
    from asyncpg.pool import PoolConnectionProxy

T = TypeVar("T")
Connection: TypeAlias = "PoolConnectionProxy[asyncpg.Record]"

WRITTEN = "write postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with %23, %2F, %3F and %40 for # / ? @ in a password"

SCHEMA_VERSION = 3
"""The version of the tables, which the comment of ``folkmoot_line`` tells; no other one is read."""

MARK = "records of Folkmoot "
"""What that comment says before the version."""

LOCK = int.from_bytes(b"folkline", "big")
"""The number of the advisory lock under which one process makes the tables."""

# ``id`` tells which debate began last. Ids are compared byte by byte, whatever the language of the database.
SCHEMA = f"""
CREATE TABLE folkmoot_line (
    id bigint GENERATED ALWAYS AS IDENTITY,
    debate text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (debate, seq)
);
{sql.schema('text COLLATE "C"')}
COMMENT ON TABLE folkmoot_line IS '{MARK}{SCHEMA_VERSION}';
"""
# It reads pg_class, since opening a relation is what tells a session of tables that others have made: what it has looked up
# before by to_regclass alone stays as it was until its transaction ends, also behind an advisory lock.
STATE = """
SELECT count(*) > 0 AS made, coalesce(max(obj_description(oid, 'pg_class')), '') AS mark
FROM pg_class WHERE oid = to_regclass('folkmoot_line')
"""

LINKS = 4
"""The most connections of one store, besides the one that listens."""

CONNECT = 10.0
"""The most seconds for a new connection."""

COMMAND = 60.0
"""The most seconds for one statement."""

CLOSING = 10.0
"""The most seconds for connections that are still in use when the store is closed."""

# What was appended must outlast a loss of power, whatever is usual at the server; stricter settings stay.
INIT = "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"


def read_place(address: str) -> str:
    """The address as people are shown it: without a password and without options.

    Raises:
        RecordError: it is not written as an address is; nothing of it is shown then.
    """
    try:
        parts = urlsplit(address)
        options = dict(parse_qsl(parts.query))
    except ValueError:
        raise _unreadable() from None
    if not address.startswith(SCHEMES) or parts.fragment or "@" in parts.path + parts.query:
        raise _unreadable()
    user, at, host = parts.netloc.rpartition("@")
    return f"{parts.scheme}://{user.partition(':')[0]}{at}{host or options.get('host', '')}{parts.path}"


async def connect(address: str, *, statement_cache_size: int = 100) -> "asyncpg.Connection[asyncpg.Record]":
    """One connection, outside of any pool.

    Raises:
        RecordError: the address or its options cannot be read.
    """
    import asyncpg

    settings = {"application_name": "folkmoot", "default_transaction_isolation": "read committed"}
    try:
        link = await asyncpg.connect(
            address,
            timeout=CONNECT,
            command_timeout=COMMAND,
            server_settings=settings,
            statement_cache_size=statement_cache_size,
        )
    except (ValueError, asyncpg.ClientConfigurationError):
        raise _unreadable() from None
    await link.execute(INIT)
    return link


def faults() -> tuple[type[BaseException], ...]:
    """The exceptions of a server and of the network; the last but one where a server is shutting down."""
    import asyncpg

    return (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)


def explain(place: str, error: BaseException) -> RecordError:
    """One sentence for the user about an error of the server or the network.

    Args:
        place: the address without its password.
        error: one of ``faults``.

    Returns:
        A ``RecordAway`` where the server may answer again by itself.
    """
    reason = reason_of(error)
    return RecordAway(_sentence(place, reason)) if is_away(error) else refusal(place, reason)


def reason_of(error: BaseException) -> str:
    """The error of the server or the network in a few words, without an address.

    Args:
        error: one of ``faults``.
    """
    import asyncpg

    match error:
        case TimeoutError():
            return "its server did not answer in time"
        case asyncpg.InvalidAuthorizationSpecificationError():
            return "its server refuses this user or password"
        case asyncpg.InvalidCatalogNameError():
            return "its server has no such database"
        case asyncpg.CannotConnectNowError():
            return "its server is starting or stopping"
        case asyncpg.TooManyConnectionsError():
            return "its server has no connection left"
        case asyncpg.OperatorInterventionError() | asyncpg.PostgresConnectionError():
            return "the connection to its server was lost"
        case asyncpg.InterfaceError() | asyncpg.InternalClientError():  # it closed the connection while it was idle
            return "the connection to its server was lost"
        case OSError():
            return f"its server cannot be reached ({error.strerror or type(error).__name__})"
        case _:
            return str(error).partition("\n")[0].rstrip(".") or type(error).__name__


def is_away(error: BaseException) -> bool:
    """Whether the server or the network may recover without help.

    Args:
        error: one of ``faults``.
    """
    import asyncpg

    gone = (asyncpg.OperatorInterventionError, asyncpg.PostgresConnectionError, asyncpg.InsufficientResourcesError)
    return isinstance(error, (OSError, asyncpg.InterfaceError, asyncpg.InternalClientError, *gone))


def refusal(place: str, reason: str) -> RecordError:
    """The error of a record that cannot be used."""
    return RecordError(_sentence(place, reason))


def _sentence(place: str, reason: str) -> str:
    return f"The record {place} cannot be used: {reason}."


class Links:
    """The connections of one store: opened as they are needed, and again where they were lost; use them from one loop.

    Args:
        address: of the database.
    """

    def __init__(self, address: str) -> None:
        self.place = read_place(address)
        self._connect = partial(connect, address)
        self._opening = asyncio.Lock()
        self._pool: asyncpg.Pool[asyncpg.Record] | None = None

    async def fetch(self, statement: str, *values: object) -> "list[asyncpg.Record]":
        """The rows of a statement, which is a transaction of its own.

        Raises:
            RecordError: the server cannot be reached, or refuses it, or holds no records that this program can use.
        """
        try:
            pool = await self._open_pool()
            async with pool.acquire() as link:
                return await link.fetch(statement, *values)
        except faults() as error:
            raise explain(self.place, error) from error

    async def transaction(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """The result of several statements in one transaction; where it fails, all of them are taken back.

        Raises:
            RecordError: see ``fetch``.
        """
        try:
            pool = await self._open_pool()
            async with pool.acquire() as link, link.transaction():
                return await work(link)
        except faults() as error:
            raise explain(self.place, error) from error

    async def close(self) -> None:
        """Close all connections; those that stay in use too long are cut."""
        if self._pool is not None:
            try:
                async with asyncio.timeout(CLOSING):
                    await self._pool.close()
            except TimeoutError:
                self._pool.terminate()

    async def _open_pool(self) -> "asyncpg.Pool[asyncpg.Record]":
        """The connections, to a database that has the tables."""
        async with self._opening:
            if self._pool is None:
                async with AsyncExitStack() as opened:
                    pool = await opened.enter_async_context(self._make_pool())
                    await self._prepare(pool)
                    opened.pop_all()
                self._pool = pool
            return self._pool

    def _make_pool(self) -> "asyncpg.Pool[asyncpg.Record]":
        import asyncpg

        async def link(*_: object, **__: object) -> "asyncpg.Connection[asyncpg.Record]":
            return await self._connect()

        async def leave(_: object) -> None:
            """A statement leaves nothing behind that would have to be put back."""

        return asyncpg.create_pool(min_size=0, max_size=LINKS, connect=link, reset=leave)

    async def _prepare(self, pool: "asyncpg.Pool[asyncpg.Record]") -> None:
        async with pool.acquire() as link:
            encoding = await link.fetchval("SHOW server_encoding")
            if encoding != "UTF8":
                raise refusal(self.place, f"its encoding is {encoding}, and records need UTF8")
            if await self._has_tables(link):
                return
            async with link.transaction():
                await link.execute(f"SELECT pg_advisory_xact_lock({LOCK})")
                if not await self._has_tables(link):  # nobody else has made them meanwhile
                    await link.execute(SCHEMA)

    async def _has_tables(self, link: "asyncpg.pool.PoolConnectionProxy[asyncpg.Record]") -> bool:
        """Whether a database has the tables.

        Raises:
            RecordError: they are of another program or of another version.
        """
        row = await link.fetchrow(STATE)
        if row is None or not row["made"]:
            return False
        version = str(row["mark"]).removeprefix(MARK)
        if not version.isdecimal():
            raise refusal(
                self.place, "it has a table folkmoot_line that this Folkmoot has not made; use another database"
            )
        if int(version) != SCHEMA_VERSION:
            raise refusal(self.place, other_format("its format", int(version), SCHEMA_VERSION))
        return True


def no_library(place: str) -> RecordError:
    """The error where a library for PostgreSQL is missing."""
    return RecordError(missing_library(f"The record {place}", "postgres"))


def _unreadable() -> RecordError:
    return RecordError(f"The address of a database cannot be read: {WRITTEN}.")
