"""Read the background files and the library beside a brief, and check which paths are allowed.

Markdown and text are taken as they are; HTML and PDF are read in a process of its own (``tools.documents``). The texts
go into the brief, so they are on record and a resumed debate searches the same ones.
"""

import hashlib
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from mimetypes import guess_type
from pathlib import Path
from typing import TypeVar

from folkmoot.core.brief import Source
from folkmoot.core.errors import BriefError
from folkmoot.core.text import clean
from folkmoot.record.sqlite import is_open
from folkmoot.tools.documents import Document, Kind, convert

MOST_BACKGROUND_BYTES = 1024 * 1024
"""The greatest size of one file."""

SEEN = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".pdf")
"""The ends of the names of pictures and PDFs, which are taken as they are."""

_PAGE = re.compile(r"(.+\.pdf), page \d+", re.IGNORECASE)
"""The name of a page of a PDF in the library: ``study.pdf, page 3``."""

_T = TypeVar("_T")

_DEVICES = re.compile(r"(con|prn|aux|nul|clock\$|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])", re.IGNORECASE)
_BAD = re.compile(r'^~|[\\:*?"<>|\t\n]')


def read_files(names: Sequence[str], folder: Path | None, *, line: int = 0) -> tuple[Source, ...]:
    """Read files beside a brief; each text has the name as it was given.

    Args:
        names: paths relative to the brief's folder, parts joined by ``/``.
        folder: where the brief lies; None where it did not come from a file.
        line: the line of the brief that names them.

    Raises:
        BriefError: ``unsafe_path`` for a path that leads elsewhere, ``no_file`` for one that leads to no
            ordinary file, ``too_large``, ``not_text`` where it is not UTF-8, ``wrong_type`` for a picture or PDF that
            is none.
    """
    if folder is None:
        problem = "background files can be named only in a brief that is a file; put the text into the brief"
        raise BriefError(problem, line=line, code="unsafe_path")
    return tuple(_read_background(check_path(name, line=line), folder, line) for name in names)


def find_beside(name: str, folder: Path, *, line: int = 0) -> Path:
    """Find a file or folder beside a brief; links are followed.

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
        raise BriefError(f"{name!r} is outside the brief's folder", line=line, code="unsafe_path")
    return path


def read_bytes(name: str, path: Path, *, limit: int = MOST_BACKGROUND_BYTES, line: int = 0) -> bytes:
    """Read the bytes of a regular file.

    Raises:
        BriefError: it is none, it cannot be read, or it is too large.
    """
    try:
        if not path.is_file():
            raise BriefError(f"{name!r} is a folder or a device, not a file", line=line, code="no_file")
        if is_open(path):
            raise BriefError(f"{name!r} is a record that is in use", line=line, code="unsafe_path")
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise _unreadable(name, error, line) from error
    if len(data) > limit:
        raise BriefError(f"{name!r} is larger than {limit:,} bytes", line=line, code="too_large")
    return data


def document_name(source: str) -> str:
    """The name of the file that a text on record was read from; a PDF in the library has a text for each page."""
    page = _PAGE.fullmatch(source)
    return page[1] if page else source


def look_aside(look: Callable[[], _T]) -> "Future[_T]":
    """Look at files in a thread of its own: a slow disk holds up neither the event loop nor the end of the process."""
    result = Future[_T]()

    def run() -> None:
        try:
            result.set_result(look())
        except Exception as error:  # noqa: BLE001 # it is raised where the answer is read
            result.set_exception(error)

    threading.Thread(target=run, name="folkmoot-documents", daemon=True).start()
    return result


def decode(name: str, data: bytes, *, line: int = 0) -> str:
    """Decode a text file and clean its text.

    Raises:
        BriefError: it is not in UTF-8.
    """
    try:
        return clean(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        problem = f"{name!r} is not in UTF-8 (byte {error.start}); save it as UTF-8"
        raise BriefError(problem, line=line, code="not_text") from error


def check_path(name: str, *, line: int = 0) -> str:
    """Check that a path stays in its folder on every system, by its text alone.

    Raises:
        BriefError: code ``unsafe_path``.
    """
    parts = name.split("/")
    stray = any(part.rstrip(" .") != part or not part for part in parts)  # "", ".", ".." and what Windows drops
    device = any(_DEVICES.fullmatch(part.split(".")[0].rstrip()) for part in parts)
    if stray or device or _BAD.search(name) or clean(name) != name:
        problem = f"{name[:80]!r} is refused: name a file in the brief's folder, such as study.md or data/study.md"
        raise BriefError(problem, line=line, code="unsafe_path")
    return name


def _read_background(name: str, folder: Path, line: int) -> Source:
    path = find_beside(name, folder, line=line)
    if path.suffix.casefold() in SEEN:
        from folkmoot.tools.attachments import MOST_PDF, read_attachment  # deferred: few briefs have pictures

        return read_attachment(name, read_bytes(name, path, limit=MOST_PDF, line=line), line=line)
    return text_document(name, read_bytes(name, path, line=line), line=line)


def text_document(name: str, data: bytes, *, line: int = 0) -> Source:
    """A document of text, Markdown or CSV.

    Raises:
        BriefError: it is no text in UTF-8.
    """
    try:
        return Source(name=name, text=decode(name, data, line=line), sha256=hashlib.sha256(data).hexdigest())
    except BriefError as error:
        if b"\0" not in data and not (guess_type(name)[0] or "").startswith(("image/", "audio/", "video/")):
            raise
        problem = f"{name!r} is no text; text, Markdown, CSV, PNG, JPEG, WebP, GIF and PDF can be background"
        raise BriefError(problem, line=line, code="not_text") from error


def _unreadable(name: str, error: OSError | RuntimeError, line: int) -> BriefError:
    reason = error.strerror if isinstance(error, OSError) else "its links go in a circle"
    return BriefError(f"{name!r} cannot be read: {reason}", line=line, code="no_file")


MOST_FILES = 200
MOST_TEXT = 4 * 1024 * 1024
"""Characters of all documents together; one of them may have a quarter of that."""

MOST_BYTES = 64 * 1024 * 1024
"""Bytes of all files together."""

SECONDS = 60.0
"""Time for all HTML and PDF together."""

KINDS: Mapping[str, Kind] = {
    ".md": "text",
    ".markdown": "text",
    ".txt": "text",
    ".html": "html",
    ".htm": "html",
    ".pdf": "pdf",
}
"""What is read, by the end of a file's name."""


@dataclass(frozen=True, slots=True)
class _File:
    name: str
    path: Path


def read_library(paths: Sequence[str], folder: Path | None, *, line: int = 0) -> tuple[Source, ...]:
    """Read documents beside a brief; a PDF becomes one text for each page with words.

    Args:
        paths: files or folders relative to the brief's folder, parts joined by ``/``. Of a folder, everything beneath
            it that can be read is taken, in the order of the names; hidden files and other kinds are left alone.
        folder: where the brief lies; None where it did not come from a file.
        line: the line of the brief that names them.

    Raises:
        BriefError: ``unsafe_path`` for a path that leads elsewhere, ``no_file`` where there is nothing to read,
            ``too_large``, ``not_text`` for a document that is none of ours, broken or encrypted.
    """
    if folder is None:
        problem = "a library can be named only in a brief that is a file; put the text into the brief"
        raise BriefError(problem, line=line, code="unsafe_path")
    files: dict[Path, _File] = {}
    for name in paths:
        for file in _files(check_path(name, line=line), folder, line):
            files.setdefault(file.path, file)
            if len(files) > MOST_FILES:
                raise BriefError(f"the library has more than {MOST_FILES} files", line=line, code="too_large")
    return _read(list(files.values()), line)


def _files(name: str, folder: Path, line: int) -> Iterator[_File]:
    path = find_beside(name, folder, line=line)
    if not path.is_dir():
        if path.suffix.casefold() not in KINDS:
            problem = f"{name!r} cannot be read; a library may have files of {', '.join(KINDS)}"
            raise BriefError(problem, line=line, code="not_text")
        yield _File(name, path)
        return
    fits = [item for item in sorted(path.rglob("*")) if item.suffix.casefold() in KINDS]
    plain = [fit for fit in fits if not any(part.startswith(".") for part in fit.relative_to(path).parts)]
    files = [path for path in plain if path.is_file()]
    if not files:
        problem = f"the folder {name!r} has no file that can be read; a library may have files of {', '.join(KINDS)}"
        raise BriefError(problem, line=line, code="no_file")
    for file in files:
        own = f"{name}/{file.relative_to(path).as_posix()}"
        yield _File(own, find_beside(own, folder, line=line))


def _read(files: Sequence[_File], line: int) -> tuple[Source, ...]:
    documents: list[Document] = []
    hashes: list[str] = []
    size = 0
    for file in files:
        data = read_bytes(file.name, file.path, limit=MOST_BYTES, line=line)
        size += len(data)
        if size > MOST_BYTES:
            raise BriefError(f"the library has more than {MOST_BYTES:,} bytes", line=line, code="too_large")
        hashes.append(hashlib.sha256(data).hexdigest())
        kind = KINDS[file.path.suffix.casefold()]
        data = decode(file.name, data, line=line).encode() if kind == "text" else data
        documents.append(Document(kind=kind, data=data))
    texts = convert(documents, seconds=SECONDS)
    sources: list[Source] = []
    for item, document, text, sha256 in zip(files, documents, texts, hashes, strict=False):
        if text.fault:
            raise BriefError(f"{item.name!r} {text.fault}", line=line, code="not_text")
        for number, page in enumerate(text.pages, start=1):
            name = f"{item.name}, page {number}" if document.kind == "pdf" else item.name
            sources.append(Source(name=name, text=clean(page), sha256=sha256))
    if sum(len(source.text) for source in sources) > MOST_TEXT:
        raise BriefError(f"the library has more than {MOST_TEXT:,} characters of text", line=line, code="too_large")
    return tuple(source for source in sources if source.text.strip())
