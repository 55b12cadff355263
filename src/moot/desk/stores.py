"""Where records are kept: a file or a database. This file owns how a path or an address becomes a store."""

from pathlib import Path
from typing import TypeAlias

from moot.core.errors import RecordError
from moot.record.links import SCHEMES, read_place
from moot.record.sqlite import SqliteStore
from moot.record.store import Store

Where: TypeAlias = Path | str
"""The path of a SQLite file, or an address, ``postgresql://…``, as a text."""


def is_address(where: Where) -> bool:
    """Whether that is the address of a database, and no path."""
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
    """A place as people are shown it: an address without its password.

    Raises:
        RecordError: it looks like an address, but is none that can be used.
    """
    place = read_where(str(where)) if isinstance(where, str) else where
    return read_place(place) if isinstance(place, str) else str(place)


def open_store(where: Where) -> Store:
    """The store at a place; a file is made if it is not there, a database is asked when it is first needed.

    Raises:
        RecordError: it cannot be opened, is no record, or a library is missing.
    """
    place = read_where(where) if isinstance(where, str) else where
    if isinstance(place, Path):
        return SqliteStore.open(place)
    from moot.record.postgres import PostgresStore  # here for start-up time

    return PostgresStore.open(place)
