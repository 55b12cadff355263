"""What is wrong with the disk of a file of records is said, also where SQLite knows only that something is."""

import os
import sqlite3
from pathlib import Path
from types import SimpleNamespace

import pytest

from folkmoot.record.sqlite_faults import explain


@pytest.mark.parametrize(
    ("free", "flag", "reason"),
    [
        (15, 0, "the disk is full"),  # SQLite says so only where it writes, not where it makes the index longer
        (16, 0, "the disk did not take or give the data (disk I/O error, or a limit on file sizes)"),
        (16, os.ST_RDONLY, "it may only be read, not written"),
        (None, 0, "the disk did not take or give the data (disk I/O error, or a limit on file sizes)"),
    ],
)
def test_the_cause_of_an_error_of_the_disk_is_said(
    free: int | None, flag: int, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR | 19 << 8  # SQLITE_IOERR_SHMSIZE
    if free is None:  # as on Windows
        monkeypatch.delattr(os, "statvfs")
    else:
        disk = SimpleNamespace(f_bavail=free, f_frsize=4096, f_flag=flag)
        monkeypatch.setattr(os, "statvfs", {tmp_path: disk}.get)
    place = tmp_path / "gone" / "records.db"
    assert str(explain(place, error)) == f"The record {place} cannot be used: {reason}."
