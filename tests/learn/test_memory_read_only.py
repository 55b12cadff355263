"""Memory in a file that may only be read: what is there can be read, and nothing else is promised."""

import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from folkmoot.core.errors import RecordError
from folkmoot.learn.memory_store import MemoryStore
from tests.record.test_sqlite_faults import no_special_rights

REFUSED = r"cannot be kept in or read from .*: it may only be read, not written\.$"


def forbidden(folder: Path) -> None:
    """Forbid to write in a folder and its files."""
    for name in os.listdir(folder):
        (folder / name).chmod(0o444)
    folder.chmod(0o555)


def test_what_was_learned_is_read_and_not_changed() -> None:
    with no_special_rights() as folder:
        path = folder / "records.db"
        with MemoryStore.open(path) as memory:
            memory.add("a", None, head="f00d", notes=3)
        forbidden(folder)
        with MemoryStore.open(path) as memory:
            assert memory.learned() == {"a": 3}
            with pytest.raises(RecordError, match=REFUSED):
                memory.remove("a")
            assert memory.learned() == {"a": 3}
        assert os.listdir(folder) == ["records.db"]


def test_a_file_without_memory_is_refused_where_none_can_be_made() -> None:
    with no_special_rights() as folder:
        path = folder / "records.db"
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE line (seq)")
        connection.close()
        forbidden(folder)
        with pytest.raises(RecordError, match=REFUSED):
            MemoryStore.open(path)


def test_what_stands_in_the_log_alone_is_never_passed_over() -> None:
    with no_special_rights() as folder:
        (folder / "live").mkdir()
        (folder / "copy").mkdir()
        with MemoryStore.open(folder / "live" / "records.db") as memory:
            memory.add("a", None, head="f00d")
            for name in ("records.db", "records.db-wal"):
                shutil.copy(folder / "live" / name, folder / "copy")
        forbidden(folder / "copy")
        with pytest.raises(RecordError, match="cannot be kept in or read from "):
            MemoryStore.open(folder / "copy" / "records.db")
        (folder / "copy").chmod(0o755)
