"""Where tests keep their files: in memory where there is room, because most of them would only wait for a disk."""

import os
import re
import shutil
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")
"""A folder of Linux whose files are in memory."""

ROOM = 5 * 2**30
"""Bytes that must be free there, and of the machine's memory."""


def use_memory() -> None:
    """Let this process and those that it starts make temporary files in memory; a TMPDIR that is set stays."""
    if "TMPDIR" not in os.environ and _has_room():
        os.environ["TMPDIR"] = str(MEMORY)
        tempfile.tempdir = None  # it is looked up once


def _has_room() -> bool:
    if not os.access(MEMORY, os.W_OK):
        return False
    free = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text("utf-8"))
    return free is not None and min(int(free[1]) * 1024, shutil.disk_usage(MEMORY).free) >= ROOM
