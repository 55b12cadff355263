"""Errors of SQLite and the system on a file of records, as one sentence for the user."""

import os
import sqlite3
from collections.abc import Mapping
from pathlib import Path

from folkmoot.core.errors import RecordError

REASONS: Mapping[int, str] = {
    sqlite3.SQLITE_BUSY: "another program is using it and did not let go in time",
    sqlite3.SQLITE_READONLY: "it may only be read, not written",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk did not take or give the data (disk I/O error, or a limit on file sizes)",
    sqlite3.SQLITE_CORRUPT: "it is damaged",
    sqlite3.SQLITE_NOTADB: "it is not a database",
    sqlite3.SQLITE_CANTOPEN: "it or a file beside it cannot be opened",
}

FORKED = "it was open when this process was forked; open it after the fork only, or start the process anew (spawn)"

ROOM = 2**16
"""The bytes without which a disk counts as full: SQLite needs 32 KiB for the index of its log at once."""

TWO_NAMES = (
    "it has a second name (a hard link), and what is written under one name is lost under the other; keep one of them,"
    " or make the other a symbolic link"
)
"""SQLite keeps its log under the name by which a file was opened."""

FAULTS = (sqlite3.Error, MemoryError, UnicodeDecodeError)
"""The exceptions of a statement; the last where Python cannot decode SQLite's message on a damaged page."""


def log_size(path: Path) -> int:
    """The size of the log beside a file; what stands in it cannot be read without locks."""
    try:
        return os.stat(f"{path}-wal").st_size
    except FileNotFoundError:
        return 0


def state_of(path: Path) -> tuple[int, ...]:
    """What a file and its log look like; it changes when they are written."""
    stat = path.stat()
    return stat.st_ino, stat.st_size, stat.st_mtime_ns, log_size(path)


def is_same(path: Path, name: str) -> bool:
    """Whether two names lead to one file that is there."""
    try:
        return os.path.samefile(path, name)
    except OSError:
        return False


def explain(path: Path, error: Exception) -> RecordError:
    """One sentence for the user about an error of SQLite or the system on a file."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if isinstance(error, UnicodeDecodeError):
        code = sqlite3.SQLITE_CORRUPT
    elif code == sqlite3.SQLITE_CANTOPEN and path.is_file() and not _is_writable(path.parent):
        code = sqlite3.SQLITE_READONLY  # SQLite makes files beside it to write
    elif code == sqlite3.SQLITE_IOERR:
        code = _disk_fault(path.parent)
    reason = REASONS.get(code) or getattr(error, "strerror", None) or str(error) or "not enough memory"
    return refusal(path, reason)


def refusal(path: Path, reason: str) -> RecordError:
    """One sentence on why a file cannot be used."""
    return RecordError(f"The record {path} cannot be used: {reason}.")


def _disk_fault(folder: Path) -> int:
    """What is wrong with the disk of a folder; SQLite knows it only where it writes, not where a file grows."""
    if not hasattr(os, "statvfs"):  # Windows
        return sqlite3.SQLITE_IOERR
    disk = os.statvfs(next(place for place in (folder, *folder.parents) if place.is_dir()))
    if disk.f_flag & os.ST_RDONLY:
        return sqlite3.SQLITE_READONLY
    return sqlite3.SQLITE_FULL if disk.f_bavail * disk.f_frsize < ROOM else sqlite3.SQLITE_IOERR


def _is_writable(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
