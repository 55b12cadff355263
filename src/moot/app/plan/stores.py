"""Open the record store at a path (SQLite) or an address (PostgreSQL), and show the place without its password."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from moot.core.errors import RecordError
from moot.record.postgres_connection import SCHEMES, read_place
from moot.record.sqlite import SqliteStore
from moot.record.store import Store, StreamInfo

Where: TypeAlias = Path | str
"""The path of a SQLite file, or an address, ``postgresql://…``, as a text."""


def is_address(where: Where) -> bool:
    """Whether this is the address of a database and not a path."""
    return isinstance(where, str) and where.startswith(SCHEMES)


def read_where(text: str) -> Where:
    """A place as it is written in a setting or at a terminal.

    Raises:
        RecordError: it looks like an address, but is none that can be used.
    """
    if is_address(text):
        read_place(text)
        return text
    if "://" in text:
        scheme = text.partition("://")[0]
        raise RecordError(f"Records are kept in a file or at an address postgresql://…, not at {scheme}://….")
    return Path(text).expanduser()


def show_where(where: Where) -> str:
    """A place as it is shown to people: an address without its password.

    Raises:
        RecordError: it looks like an address, but is none that can be used.
    """
    place = read_where(str(where)) if isinstance(where, str) else where
    return read_place(place) if isinstance(place, str) else str(place)


@dataclass(frozen=True, slots=True)
class NoStore:
    """An empty store for commands that only read, where there is no file yet. It creates no file."""

    path: Path

    async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
        """See Store; always refused."""
        raise RecordError(f"There is no record {self.path}, and nothing can be written to it.")

    async def read(self, debate: str, *, after: int = 0, limit: int | None = None) -> tuple[str, ...]:
        """See Store."""
        return ()

    async def debates(self) -> tuple[StreamInfo, ...]:
        """See Store."""
        return ()

    async def close(self) -> None:
        """See Store."""


def is_there(place: Where) -> bool:
    """Whether there are records: a file that is not empty; for a database always true."""
    try:
        return not isinstance(place, Path) or bool(place.stat().st_size)
    except FileNotFoundError:
        return False
    except OSError:
        return True  # what is wrong with it is said when it is opened


def lock_place(store: Store) -> str:
    """The name of the locks of a store's running debates; "" if there are none."""
    if isinstance(store, SqliteStore):
        return os.path.realpath(store.path)
    return str(getattr(store, "address", ""))


def open_store(where: Where, *, reading: bool = False) -> Store:
    """Open the store at a place; a database is connected when it is first needed.

    Args:
        where: the place.
        reading: the records are only read: no file is made, and one that cannot be written will do. Else a file is
            made if it is not there.

    Raises:
        RecordError: it cannot be opened, is no record, or a library is missing.
    """
    place = read_where(where) if isinstance(where, str) else where
    if isinstance(place, Path):
        return NoStore(place) if reading and not is_there(place) else SqliteStore.open(place, reading=reading)
    from moot.record.postgres import PostgresStore  # here for start-up time

    return PostgresStore.open(place)
