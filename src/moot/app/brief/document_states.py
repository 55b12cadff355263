"""Whether the documents that a debate was about are still as they were: files in a folder beside texts on record."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from moot.app.brief.files import KINDS, MOST_BYTES, SEEN, check_path, decode, find_beside, read_bytes, read_library
from moot.app.brief.reader import read_file
from moot.core.brief import Brief, Source
from moot.core.errors import BriefError
from moot.reviews.artefact import HEAD, artefact_of, digest_bytes

DocumentState: TypeAlias = Literal["same", "changed", "missing", "unreadable"]

_PAGE = re.compile(r"(.+\.pdf), page \d+", re.IGNORECASE)
"""The name of a page of a PDF in the library: ``study.pdf, page 3``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentOnRecord:
    """A document of a debate, and whether the file of its name is still the same; ``why`` it cannot be compared."""

    name: str
    state: DocumentState
    why: str = ""


def document_states(brief: Brief, folder: Path) -> list[DocumentOnRecord]:
    """The state of each document that was a file: of a review each file by its hash, else by its text.

    Documents that were no files, such as the text of the brief itself, are left out.

    Args:
        brief: the brief on record.
        folder: where the files should be now: that of the brief, or the root of the repository.
    """
    if any(source.name == HEAD for source in brief.background):
        return [
            _state_of_hash(file.path, file.sha256, folder)
            for file in artefact_of(brief).files
            if file.sha256 and file.change != "removed"
        ]
    file_states = [
        _state_of_hash(source.name, source.file.sha256, folder)
        for source in brief.background
        if source.file and Path(source.name).suffix.casefold() in SEEN
    ]
    texts = [source for source in (*brief.background, *brief.library) if source.file is None]
    return [*file_states, *_text_states(texts, folder)]


def _state_of_hash(path: str, sha256: str, folder: Path) -> DocumentOnRecord:
    try:
        data = read_bytes(path, find_beside(check_path(path), folder), most=MOST_BYTES)
    except BriefError as error:
        return _unread(path, folder, error)
    # A checkout may have changed the ends of lines.
    same = sha256 in (digest_bytes(data), digest_bytes(data.replace(b"\r\n", b"\n")))
    return DocumentOnRecord(name=path, state="same" if same else "changed")


def _unread(name: str, folder: Path, error: BriefError) -> DocumentOnRecord:
    """The state of a document whose file cannot be read: missing, or there, and then why."""
    if error.code == "unsafe_path" or not (folder / name).exists():
        return DocumentOnRecord(name=name, state="missing")
    return DocumentOnRecord(name=name, state="unreadable", why=str(error))


def _text_states(sources: Sequence[Source], folder: Path) -> Iterator[DocumentOnRecord]:
    """The states of texts; the pages of a PDF are one document."""
    texts: dict[str, list[str]] = {}
    for source in sources:
        page = _PAGE.fullmatch(source.name)
        name = page[1] if page else source.name
        if Path(name).suffix.casefold() in KINDS:
            texts.setdefault(name, []).append(source.text)
    for name, on_record in texts.items():
        try:
            now = _texts_now(name, folder)
            # A brief itself may be a document: its background has the name of the file.
            same = now == on_record or (_is_markdown(name) and _own_background(name, folder) == on_record)
        except BriefError as error:
            yield _unread(name, folder, error)
        else:
            yield DocumentOnRecord(name=name, state="same" if same else "changed")


def _is_markdown(name: str) -> bool:
    return KINDS[Path(name).suffix.casefold()] == "text"


def _own_background(name: str, folder: Path) -> list[str]:
    """The background that stands in a file if it is a brief.

    Raises:
        BriefError: it is a brief that names a file which cannot be read.
    """
    try:
        sources = read_file(folder / name).brief.background
    except BriefError as error:
        if error.code == "no_file":
            raise
        return []  # no brief, or one that has got a mistake since
    return [source.text for source in sources if source.name == Path(name).name]


def _texts_now(name: str, folder: Path) -> list[str]:
    """The texts of a file as a brief would read it now.

    Raises:
        BriefError: it cannot be read.
    """
    path = find_beside(check_path(name), folder)
    if _is_markdown(name):
        return [decode(name, read_bytes(name, path, most=MOST_BYTES))]
    return [source.text for source in read_library([name], folder)]
