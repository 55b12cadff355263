"""Whether the documents that a debate was about are still as they were: files in a folder beside texts on record.

``document_states`` compares and may take long. ``DocumentWatch`` makes a warning of it within a bounded time. A file of
the same name in another folder is another file: so the record says from which folder the documents came, and old
records, which do not, are said to differ from what is here and no more.
"""

import asyncio
import contextlib
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias

from moot.app.brief.files import (
    KINDS,
    MOST_BYTES,
    SEEN,
    check_path,
    decode,
    find_beside,
    read_bytes,
    read_library,
)
from moot.app.brief.reader import place_of, read_file
from moot.core.brief import Brief, Source
from moot.core.errors import BriefError
from moot.core.text import flat, listed
from moot.reviews.artefact import HEAD, ReviewedFile, artefact_of, digest_bytes, real_path

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
    if _is_review(brief):
        return [
            _state_of_reviewed(file, folder)
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


def _is_review(brief: Brief) -> bool:
    return any(source.name == HEAD for source in brief.background)


def _state_of_hash(path: str, sha256: str, folder: Path) -> DocumentOnRecord:
    try:
        data = read_bytes(path, find_beside(check_path(path), folder), limit=MOST_BYTES)
    except BriefError as error:
        return _unread(path, folder, error)
    return _compared(path, data, sha256)


def _state_of_reviewed(file: ReviewedFile, folder: Path) -> DocumentOnRecord:
    """The state of a file of a review: git allows names that a brief may not have, and a link is a file of its own."""
    name = real_path(file.path)
    try:
        if {"", ".", ".."} & set(name.split("/")):
            raise BriefError(f"{file.path!r} leads out of the folder", code="unsafe_path")
        if (folder / name).is_symlink() and file.sha256 == digest_bytes(os.fsencode(os.readlink(folder / name))):
            return DocumentOnRecord(name=file.path, state="same")
        data = read_bytes(file.path, find_beside(name, folder), limit=MOST_BYTES)
    except BriefError as error:
        return replace(_unread(name, folder, error), name=file.path)
    return _compared(file.path, data, file.sha256)


def _compared(path: str, data: bytes, sha256: str) -> DocumentOnRecord:
    # A checkout may have changed the ends of lines.
    same = sha256 in (digest_bytes(data), digest_bytes(data.replace(b"\r\n", b"\n")))
    return DocumentOnRecord(name=path, state="same" if same else "changed")


def _unread(name: str, folder: Path, error: BriefError) -> DocumentOnRecord:
    """The state of a document whose file cannot be read: missing, or there, and then why."""
    if error.code == "unsafe_path" or not os.path.exists(folder / name):  # no error for a name too long
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
            same = now == on_record or (_is_markdown(name) and _is_own_background(name, folder, now[0], on_record))
        except BriefError as error:
            yield _unread(name, folder, error)
        else:
            yield DocumentOnRecord(name=name, state="same" if same else "changed")


def _is_markdown(name: str) -> bool:
    return KINDS[Path(name).suffix.casefold()] == "text"


def _is_own_background(name: str, folder: Path, text: str, on_record: Sequence[str]) -> bool:
    """Whether texts are the background that stands in a file if it is a brief.

    Raises:
        BriefError: it is a brief that names a file which cannot be read.
    """
    try:
        sources = read_file(folder / name).brief.background
    except BriefError as error:
        if error.code == "no_file":
            raise
        # It has got a mistake since, or an extension that it uses is gone: the background may be there all the same.
        return all(words in text for words in on_record)
    return [source.text for source in sources if source.name == Path(name).name] == on_record


def _texts_now(name: str, folder: Path) -> list[str]:
    """The texts of a file as a brief would read it now.

    Raises:
        BriefError: it cannot be read.
    """
    path = find_beside(check_path(name), folder)
    if _is_markdown(name):
        return [decode(name, read_bytes(name, path, limit=MOST_BYTES))]
    return [source.text for source in read_library([name], folder)]


SHOWN = 3
"""The most documents that a warning names of each kind."""


def stale_warning(debate: str, brief: Brief, states: Sequence[DocumentOnRecord], *, is_place_known: bool = True) -> str:
    """A sentence on documents that are no longer as they were, and what to do next; "" where there is nothing to say.

    Where not a single file is in the folder, the folder is another one, and nothing is known.

    Args:
        debate: its id.
        brief: its brief.
        states: how its documents compare with the files of a folder.
        is_place_known: whether that is the folder from which they came; else only differences in words are named.
    """
    different = [state for state in states if state.state != "same"]
    if not different or all(state.state == "missing" for state in states):
        return ""
    if not is_place_known:
        named = _named(states, "changed")
        return _unknown_place(debate, named) if named else ""
    kinds = (("changed", "changed since"), ("missing", "now missing"), ("unreadable", "not readable now"))
    facts = [f"{words}: {_names(names)}" for kind, words in kinds if (names := _named(different, kind))]
    again = "moot review reviews them" if _is_review(brief) else "run the brief again to decide on them"
    return (
        f"This is about the documents as they were ({'; '.join(facts)}). "
        f"moot stale {debate} compares them; {again} as they are now."
    )


def _unknown_place(debate: str, named: Sequence[str]) -> str:
    files = "A file here differs" if len(named) == 1 else "Files here differ"
    those = "the document of that name" if len(named) == 1 else "the documents of those names"
    return (
        f"{files} from {those} that this was about ({_names(named)}). The record does not say from which folder the "
        f"documents came, so it may be another file. moot stale {debate} --in FOLDER compares them with a folder's."
    )


def _named(states: Sequence[DocumentOnRecord], kind: str) -> list[str]:
    return [flat(state.name) for state in states if state.state == kind]


def _names(names: Sequence[str]) -> str:
    more = len(names) - SHOWN
    return listed([*names[:SHOWN], f"{more} more"]) if more > 0 else listed(names)


@dataclass(slots=True)
class _Check:
    """A comparison that runs or has ended, when it began, and the one before it, if that has ended."""

    began: float
    result: "Future[str]" = field(default_factory=lambda: Future[str]())
    before: str = ""

    @property
    def warning(self) -> str:
        return self.result.result() if self.result.done() else self.before


def _warning(debate: str, brief: Brief, folder: Path, place: str) -> str:
    return stale_warning(debate, brief, document_states(brief, folder), is_place_known=bool(place))


class DocumentWatch:
    """Compares the documents of debates with the files of one folder, for servers and commands that show debates.

    Files are read in threads of their own, so a slow disk holds up neither the event loop nor the end of the process.

    Args:
        folder: where the documents should be; None where no file may be read.
        seconds: how long an answer is waited for. Later questions have it once it is there.
        fresh: how many seconds an answer is given again before the files are read again.
        clock: the time in seconds.
    """

    MOST_CHECKS = 2
    """Comparisons in parallel; while they run, others are not begun."""

    MOST_KEPT = 200
    """Debates whose answer is kept."""

    def __init__(
        self,
        folder: Path | None,
        *,
        seconds: float = 2.0,
        fresh: float = 10.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder, self._seconds, self._fresh, self._clock = folder, seconds, fresh, clock
        self._checks: dict[str, _Check] = {}

    async def warnings(self, debate: str, brief: Brief, place: str) -> list[str]:
        """The warning that documents of a debate are stale, if they are known to be; see ``stale_warning``.

        Args:
            debate: its id.
            brief: its brief.
            place: tells the folder of its documents from others; "" where that is not on record.
        """
        if self._folder is None or (place and place != place_of(self._folder)):
            return []
        check = self._checks.get(debate)
        if check is None or (check.result.done() and self._clock() - check.began >= self._fresh):
            if sum(not running.result.done() for running in self._checks.values()) >= self.MOST_CHECKS:
                return [check.warning] if check and check.warning else []
            before = check.warning if check else ""
            check = self._begin(debate, before, partial(_warning, debate, brief, self._folder, place))
        if not check.result.done():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._seconds):
                    await asyncio.shield(asyncio.wrap_future(check.result))
        return [check.warning] if check.warning else []

    def _begin(self, debate: str, before: str, warn: Callable[[], str]) -> _Check:
        self._checks.pop(debate, None)
        check = self._checks[debate] = _Check(self._clock(), before=before)
        ended = [name for name, other in self._checks.items() if other.result.done()]
        for name in ended[: max(0, len(self._checks) - self.MOST_KEPT)]:
            del self._checks[name]

        def compare() -> None:
            try:
                check.result.set_result(warn())
            except Exception as error:  # noqa: BLE001 # house: broad because it is raised where the answer is read
                check.result.set_exception(error)

        threading.Thread(target=compare, name="moot-documents", daemon=True).start()
        return check
