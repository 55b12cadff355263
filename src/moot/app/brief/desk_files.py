"""Background files. This file owns which files beside a brief may be read, and how."""

import re
from collections.abc import Sequence
from pathlib import Path

from moot.core.brief import Source
from moot.core.errors import BriefError
from moot.core.text import clean
from moot.record.sqlite import is_open

MOST_BYTES = 1024 * 1024
"""The greatest size of one file."""

_DEVICES = re.compile(r"(con|prn|aux|nul|clock\$|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])", re.IGNORECASE)
_BAD = re.compile(r'^~|[\\:*?"<>|\t\n]')


def read_files(names: Sequence[str], folder: Path | None, *, line: int = 0) -> tuple[Source, ...]:
    """The texts of files beside a brief, each under its name as it is given.

    Args:
        names: paths relative to the brief's folder, parts joined by ``/``.
        folder: where the brief lies; None where it did not come from a file.
        line: the line of the brief that names them.

    Raises:
        BriefError: ``unsafe_path`` for a path that leads elsewhere, ``no_file`` for one that leads to no
            ordinary file, ``too_large``, ``not_text`` where it is not UTF-8.
    """
    if folder is None:
        found = "background files can be named only in a brief that is a file; put the text into the brief"
        raise BriefError(found, line=line, code="unsafe_path")
    return tuple(Source(name=name, text=_read(check_path(name, line=line), folder, line)) for name in names)


def find(name: str, folder: Path, *, line: int = 0) -> Path:
    """The place of a file or folder beside a brief, links followed.

    Args:
        name: a path that ``check_path`` has passed.
        folder: where the brief lies.
        line: the line of the brief that names it.

    Raises:
        BriefError: it leads out of the folder, or there is none.
    """
    try:
        home = folder.resolve()
        path = (home / name).resolve(strict=True)
    except FileNotFoundError:
        raise BriefError(f"there is no file {name!r} beside the brief", line=line, code="no_file") from None
    except (OSError, RuntimeError) as error:
        raise _unreadable(name, error, line) from error
    if not path.is_relative_to(home):
        raise BriefError(f"{name!r} leads out of the brief's folder", line=line, code="unsafe_path")
    return path


def read_bytes(name: str, path: Path, *, most: int = MOST_BYTES, line: int = 0) -> bytes:
    """The bytes of an ordinary file.

    Raises:
        BriefError: it is none, it cannot be read, or it is too large.
    """
    try:
        if not path.is_file():
            raise BriefError(f"{name!r} is no file but a folder or a device", line=line, code="no_file")
        if is_open(path):
            raise BriefError(f"{name!r} is a record that is in use", line=line, code="unsafe_path")
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise _unreadable(name, error, line) from error
    if len(data) > most:
        raise BriefError(f"{name!r} is larger than {most:,} bytes", line=line, code="too_large")
    return data


def decode(name: str, data: bytes, *, line: int = 0) -> str:
    """The words of a text file, cleaned.

    Raises:
        BriefError: it is not in UTF-8.
    """
    try:
        return clean(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        found = f"{name!r} is not in UTF-8 (byte {error.start}); save it as UTF-8"
        raise BriefError(found, line=line, code="not_text") from error


def check_path(name: str, *, line: int = 0) -> str:
    """The path, if by its words alone it stays in the folder, on every system.

    Raises:
        BriefError: code ``unsafe_path``.
    """
    parts = name.split("/")
    stray = any(part.rstrip(" .") != part or not part for part in parts)  # "", ".", ".." and what Windows drops
    device = any(_DEVICES.fullmatch(part.split(".")[0].rstrip()) for part in parts)
    if stray or device or _BAD.search(name) or clean(name) != name:
        found = f"{name[:80]!r} is refused: name a file in the brief's folder, such as study.md or data/study.md"
        raise BriefError(found, line=line, code="unsafe_path")
    return name


def _read(name: str, folder: Path, line: int) -> str:
    return decode(name, read_bytes(name, find(name, folder, line=line), line=line), line=line)


def _unreadable(name: str, error: OSError | RuntimeError, line: int) -> BriefError:
    reason = error.strerror if isinstance(error, OSError) else "its links go in a circle"
    return BriefError(f"{name!r} cannot be read: {reason}", line=line, code="no_file")
