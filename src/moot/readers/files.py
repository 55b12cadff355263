"""Reports as files. This file owns their names and that a reader never meets half of one."""

import os
import re
import secrets
import unicodedata
from pathlib import Path

_LONGEST = 60
_RESERVED = re.compile(r"con|prn|aux|nul|com\d|lpt\d|conin|conout")


def file_name(topic: str, debate: str) -> str:
    """A file name without an ending, safe on every system: the topic in ASCII, at most 60 characters, and the id.

    Only small letters, digits and single dashes: ``hire-the-candidate-01jx2``. It is never empty.
    """
    parts = [part for part in (_slug(topic), _slug(debate)) if part]
    name = "-".join(parts)
    return f"debate-{name}".rstrip("-") if len(parts) < 2 or _RESERVED.fullmatch(parts[0]) else name


def save(path: Path, text: str) -> None:
    """Write a text as UTF-8, wholly or not at all: a file that was there before stays until the new one is complete.

    Raises:
        OSError: the folder is missing or cannot be written.
    """
    content = text.encode("utf-8", "replace")
    draft = path.parent / f".{secrets.token_hex(8)}.tmp"
    try:
        with draft.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _slug(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text.casefold()).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "-", folded).strip("-")
    if len(slug) <= _LONGEST:
        return slug
    head = slug[:_LONGEST]
    return (head if slug[_LONGEST] == "-" else head.rpartition("-")[0] or head).strip("-")
