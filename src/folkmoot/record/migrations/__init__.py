"""Database migrations for PostgreSQL: the tables, version by version, and how a database becomes current.

Each file of ``versions`` makes one version out of the one before it. Its name begins with the number of the version,
and the highest is what this program needs. A new table is a new file. A plain query tells whether a database is
current, so Alembic is imported only if there is something to change. ``env`` is what Alembic runs.
"""

import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncpg
    import asyncpg.pool
    from sqlalchemy import Connection

FOLDER = Path(__file__).parent
TABLE = "folkmoot_version"
"""The table that says which version a database has; other programs' tables beside it are left alone."""

LOCK = int.from_bytes(b"folkline", "big")
"""The number of the advisory lock for changes of a database."""

VERSION = f"SELECT coalesce((SELECT max(version_num) FROM {TABLE}), '')"

_one = threading.Lock()  # house: state because Alembic works on one database at a time in a process


def newest() -> str:
    """The version that this program needs."""
    return max(path.name.partition("_")[0] for path in (FOLDER / "versions").glob("[0-9]*.py"))


async def version(link: "asyncpg.pool.PoolConnectionProxy[asyncpg.Record]") -> str:
    """The version of a database; "" if it has no tables of ours."""
    if await link.fetchval("SELECT to_regclass($1)", TABLE) is None:
        return ""
    return await link.fetchval(VERSION)


async def migrate(connect: "Callable[[], Awaitable[asyncpg.Connection[asyncpg.Record]]]") -> None:
    """Migrate a database to the newest version in one transaction. Other processes wait until it is done.

    Raises:
        asyncpg.PostgresError: the server refuses it.
    """
    from sqlalchemy import NullPool, text
    from sqlalchemy.exc import DBAPIError
    from sqlalchemy.ext.asyncio import create_async_engine

    engine = create_async_engine("postgresql+asyncpg://", async_creator=connect, poolclass=NullPool)
    try:
        async with engine.begin() as link:
            await link.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK})
            await link.run_sync(_upgrade)
    except DBAPIError as error:
        raise (error.orig and error.orig.__cause__) or error from None


def _upgrade(link: "Connection") -> None:
    from alembic import command
    from alembic.config import Config

    config = Config(attributes={"connection": link})
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    with _one:
        command.upgrade(config, "head")
