"""Background files. This file owns which files beside a brief may be read, and how."""

import re
from collections.abc import Sequence
from pathlib import Path

from moot.core.brief import Source
from moot.core.errors import BriefError
from moot.desk.letters import tidy

MOST_BYTES = 1024 * 1024
"""The greatest size of one file."""

_DEVICES = re.compile(r"(con|prn|aux|nul|clock\$|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])", re.IGNORECASE)
_BAD = re.compile(r'^~|[\\:*?"<>|\x00-\x1f]')


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


def check_path(name: str, *, line: int = 0) -> str:
    """The path, if by its words alone it stays in the folder, on every system.

    Raises:
        BriefError: code ``unsafe_path``.
    """
    parts = name.split("/")
    stray = any(part.rstrip(" .") != part or not part for part in parts)  # "", ".", ".." and what Windows drops
    if stray or _BAD.search(name) or any(_DEVICES.fullmatch(part.split(".")[0].rstrip()) for part in parts):
        found = f"{name[:80]!r} is refused: name a file in the brief's folder, such as study.md or data/study.md"
        raise BriefError(found, line=line, code="unsafe_path")
    return name


def _read(name: str, folder: Path, line: int) -> str:
    try:
        home = folder.resolve()
        path = (home / name).resolve(strict=True)
        if not path.is_relative_to(home):
            raise BriefError(f"{name!r} leads out of the brief's folder", line=line, code="unsafe_path")
        if not path.is_file():
            raise BriefError(f"{name!r} is no file but a folder or a device", line=line, code="no_file")
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise BriefError(f"there is no file {name!r} beside the brief", line=line, code="no_file") from None
    except (OSError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "its links go in a circle"
        raise BriefError(f"{name!r} cannot be read: {reason}", line=line, code="no_file") from error
    if len(data) > MOST_BYTES:
        raise BriefError(f"{name!r} is larger than {MOST_BYTES:,} bytes", line=line, code="too_large")
    try:
        return tidy(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        found = f"{name!r} is not in UTF-8 (byte {error.start}); save it as UTF-8"
        raise BriefError(found, line=line, code="not_text") from error
