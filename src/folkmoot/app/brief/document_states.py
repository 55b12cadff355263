"""Whether the documents that a debate was about are still as they were: files in a folder beside texts on record.

``document_states`` compares and may take long. ``DocumentWatch`` makes a warning of it within a bounded time, and
``StaleDebates`` says which debates of a list are stale. A file of the same name in another folder is another file: so
the record says from which folder the documents came. Where they came from several, it is said that they differ from
what is here and no more.
"""

import asyncio
import contextlib
import os
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias, TypeVar, cast

from folkmoot.app.brief.files import (
    KINDS,
    MOST_BYTES,
    SEEN,
    check_path,
    decode,
    document_name,
    find_beside,
    look_aside,
    read_bytes,
)
from folkmoot.core.brief import Brief, Source
from folkmoot.core.errors import BriefError, RecordError
from folkmoot.core.event import Opened
from folkmoot.core.text import flat, listed
from folkmoot.record.store import place_of
from folkmoot.record.summary_fold import Summary
from folkmoot.reviews.artefact import AUTHOR, HEAD, ReviewedFile, artefact_of, digest_bytes, real_path

_T = TypeVar("_T")

DocumentState: TypeAlias = Literal["same", "changed", "missing", "unreadable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentOnRecord:
    """A document of a debate, and whether the file of its name is still the same; ``why`` it cannot be compared."""

    name: str
    state: DocumentState
    why: str = ""


def document_states(brief: Brief, folder: Path) -> list[DocumentOnRecord]:
    """The state of each document that was a file: by the hash of its bytes; a brief itself by its background.

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
    texts: dict[str, list[Source]] = {}
    for source in sources:
        name = document_name(source.name)
        if source.sha256:
            texts.setdefault(name, []).append(source)
    for name, on_record in texts.items():
        try:
            same = _is_same_text(name, folder, on_record)
        except BriefError as error:
            yield _unread(name, folder, error)
        else:
            yield DocumentOnRecord(name=name, state="same" if same else "changed")


def _is_same_text(name: str, folder: Path, on_record: Sequence[Source]) -> bool:
    """Whether a file still has the bytes that were read, or, if it is a text, the same words.

    Raises:
        BriefError: it cannot be read, or it is a brief that names a file which cannot be.
    """
    sha256, texts = on_record[0].sha256, [source.text for source in on_record]
    data = read_bytes(name, find_beside(check_path(name), folder), limit=MOST_BYTES)
    same = _compared(name, data, sha256).state == "same"
    if same or KINDS.get(Path(name).suffix.casefold(), "text") != "text":
        return same
    words = decode(name, data)
    # A brief itself may be a document: its background has the name of the file. A text on record as a whole is none.
    may_be_brief = digest_bytes("".join(texts).encode()) != sha256
    return [words] == texts or (may_be_brief and _is_own_background(name, folder, words, texts))


def _is_own_background(name: str, folder: Path, text: str, on_record: Sequence[str]) -> bool:
    """Whether texts are the background that stands in a file if it is a brief.

    Raises:
        BriefError: it is a brief that names a file which cannot be read.
    """
    from folkmoot.app.brief.reader import (
        read_file,
    )  # deferred: a list of debates in which nothing changed needs no reader

    try:
        sources = read_file(folder / name).brief.background
    except BriefError as error:
        if error.code == "no_file":
            raise
        # It has got a mistake since, or an extension that it uses is gone: the background may be there all the same.
        return all(words in text for words in on_record)
    return [source.text for source in sources if source.name == Path(name).name] == on_record


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
    again = "folkmoot review reviews them" if _is_review(brief) else "run the brief again to decide on them"
    return (
        f"This is about the documents as they were ({'; '.join(facts)}). "
        f"folkmoot verify --documents {debate} compares them; {again} as they are now."
    )


def _unknown_place(debate: str, named: Sequence[str]) -> str:
    files = "A file here differs" if len(named) == 1 else "Files here differ"
    those = "the document of that name" if len(named) == 1 else "the documents of those names"
    return (
        f"{files} from {those} that this was about ({_names(named)}). The record does not say from which folder the "
        f"documents came, so it may be another file. folkmoot verify --documents {debate} --in FOLDER compares them with a folder's."
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
    result: "Future[str]"
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
        check = self._checks[debate] = _Check(self._clock(), look_aside(warn), before=before)
        ended = [name for name, other in self._checks.items() if other.result.done()]
        for name in ended[: max(0, len(self._checks) - self.MOST_KEPT)]:
            del self._checks[name]
        return check


# ---- lists -----------------------------------------------------------------------------------------------------------

Hashes: TypeAlias = tuple[str, ...]
"""Of the bytes of a file, and of the same with a line feed at the end of each line; none where it cannot be read."""

Stamp: TypeAlias = tuple[str, int, int, int, int]
"""A file, when it was last changed, its size, its disk and its number: while these are the same, its bytes are."""

SETTLED = 2_000_000_000
"""Nanoseconds after which a file that changes again has another time."""


@dataclass(slots=True, kw_only=True)
class _Documents:
    """The documents of a debate.

    Attributes:
        at: when it began: another debate may get its id.
        hashes: the hash on record of each file, by its name; "" where it is not on record.
        compared: the hashes of the files when all was compared last.
        stale: what that said.
    """

    at: float
    hashes: Mapping[str, str]
    compared: Mapping[str, Hashes] | None = None
    stale: bool = False


class StaleDebates:
    """Compares the documents of the debates of a list with the files of one folder.

    Args:
        folder: where the documents should be; None where no file may be read.
        seconds: how long is waited for a slow disk. What is not known then is told once it is.
    """

    MOST_DEBATES = 100
    """The most debates of one page that are looked at, the first ones."""

    MOST_BYTES = 16 * 1024 * 1024
    """The most bytes that are read for one page. Files that have not changed since the last page are not read again."""

    MOST_KEPT = 500
    """Debates whose documents are known, and four times so many files whose hashes are."""

    MOST_FILES = 1000
    """The most files that are looked at for one page."""

    def __init__(self, folder: Path | None, *, seconds: float = 2.0) -> None:
        self._folder, self._seconds, self._turn = folder, seconds, asyncio.Lock()
        self._thread: Future[object] | None = None
        self._documents: dict[str, _Documents] = {}
        self._hashes: dict[Stamp, Hashes] = {}

    async def among(self, page: Iterable[Summary], opening: Callable[[str], Awaitable[Opened]]) -> frozenset[str]:
        """The ids of the debates on a page that are stale, as far as is known.

        Args:
            page: the debates.
            opening: gives the first entry of one of them.
        """
        if self._folder is None:
            return frozenset()
        here, stale = place_of(self._folder), set[str]()
        rows = [row for row in page if row.place == here and row.status != "damaged"][: self.MOST_DEBATES]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._seconds), self._turn:
                if rows and (self._thread is None or self._thread.done()):  # else a disk still does not answer
                    await self._look(self._folder, rows, opening, stale)
        return frozenset(stale)

    async def _look(
        self, folder: Path, rows: Sequence[Summary], opening: Callable[[str], Awaitable[Opened]], stale: set[str]
    ) -> None:
        """Add the ids of those that are stale."""
        known: dict[str, _Documents] = {}
        for row in rows:
            with contextlib.suppress(RecordError):  # a damaged record is told of by whoever reads it
                known[row.debate] = await self._documents_of(row, opening)
        names = dict.fromkeys(name for documents in known.values() for name in documents.hashes)
        now = await self._aside(partial(self._read, folder, list(names)[: self.MOST_FILES]))
        for debate, documents in known.items():
            files = {name: now[name] for name in documents.hashes if name in now}
            if len(files) < len(documents.hashes) or all(documents.hashes[name] in files[name] for name in files):
                continue
            if documents.compared != files:
                opened = await opening(debate)
                warning = await self._aside(partial(_warning, debate, opened.brief, folder, opened.place))
                documents.compared, documents.stale = files, bool(warning)
            if documents.stale:
                stale.add(debate)

    async def _documents_of(self, row: Summary, opening: Callable[[str], Awaitable[Opened]]) -> _Documents:
        known = self._documents.pop(row.debate, None)
        if known is None or known.at != row.at:
            known = _Documents(at=row.at, hashes=_hashes_on_record((await opening(row.debate)).brief))
        self._documents[row.debate] = known
        if len(self._documents) > self.MOST_KEPT:
            del self._documents[next(iter(self._documents))]
        return known

    async def _aside(self, look: Callable[[], _T]) -> _T:
        result = look_aside(look)
        self._thread = cast("Future[object]", result)
        return await asyncio.shield(asyncio.wrap_future(result))

    def _read(self, folder: Path, names: Sequence[str]) -> dict[str, Hashes]:
        """The hashes of files as they are now, by their names; what would be too much to read is left out."""
        left, hashes_now = self.MOST_BYTES, dict[str, Hashes]()
        for name in names:
            try:
                path = find_beside(check_path(name), folder)
                now = path.stat()
                stamp = (str(path), max(now.st_mtime_ns, now.st_ctime_ns), now.st_size, now.st_dev, now.st_ino)
                if (hashes := self._hashes.get(stamp)) is None:
                    if now.st_size > left:
                        continue
                    left -= now.st_size
                    hashes = self._hash(name, path, stamp)
            except (BriefError, OSError):
                hashes = ()
            hashes_now[name] = hashes
        return hashes_now

    def _hash(self, name: str, path: Path, stamp: Stamp) -> Hashes:
        data = read_bytes(name, path, limit=self.MOST_BYTES)
        hashes = (
            (digest_bytes(data), digest_bytes(data.replace(b"\r\n", b"\n")))
            if b"\r\n" in data
            else (digest_bytes(data),)
        )
        if time.time_ns() - stamp[1] > SETTLED:
            self._hashes[stamp] = hashes
        if len(self._hashes) > 4 * self.MOST_KEPT:
            del self._hashes[next(iter(self._hashes))]
        return hashes


def _hashes_on_record(brief: Brief) -> dict[str, str]:
    """The files that a debate was about, and their hashes."""
    sources = [source for source in (*brief.background, *brief.library) if source.name not in (HEAD, AUTHOR)]
    hashes = {document_name(source.name): source.file.sha256 if source.file else source.sha256 for source in sources}
    return {name: sha256 for name, sha256 in hashes.items() if sha256}
