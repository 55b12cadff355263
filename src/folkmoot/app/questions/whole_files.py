"""Files that are written wholly or not at all, and how long a cell of a table may be."""

import os
import secrets
from pathlib import Path

LONGEST_CELL = 2**31 - 1
"""Characters; Python's own limit is 131,072, and answers and documents may be longer."""


def write_whole(path: Path, data: bytes) -> None:
    """Write a file wholly or not at all, so that nobody reads half of it.

    Raises:
        OSError: it cannot be written.
    """
    draft = path.parent / f".{secrets.token_hex(8)}.tmp"
    try:
        draft.write_bytes(data)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
