"""Reports as files. This file owns their names and that a reader never meets half of one."""

import os
import secrets
from pathlib import Path

from moot.core.text import slug

_LONGEST = 60


def file_name(topic: str, debate: str) -> str:
    """A file name without an ending, safe on every system: the topic, at most 60 characters of it, and the debate's id.

    Only small ASCII letters, digits and single dashes: ``hire-the-candidate-01jx2``. It is never empty, and being at
    least two words it is no name that Windows reserves. An id that begins with the topic stands alone.
    """
    head, tail = slug(topic, _LONGEST), slug(debate, _LONGEST)
    begun = tail.rpartition("-")[0]
    return tail if begun and head.startswith(begun) else f"{head}-{tail}"


def save(path: Path, content: str | bytes) -> None:
    """Write a text as UTF-8, or bytes, wholly or not at all: a file that was there stays until the new one is complete.

    Raises:
        OSError: the folder is missing or cannot be written.
    """
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    draft = path.parent / f".{secrets.token_hex(8)}.tmp"
    try:
        with draft.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
