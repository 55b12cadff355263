"""Caches of the web server: records, reports, PDFs and the summaries of debates in lists.

A record only grows, so anything made of it is valid as long as its number of entries is the same. Slow work is done
once, in threads or other processes, and with limits.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from folkmoot.app.export.paper import print_pdf
from folkmoot.app.run.outcome import opening
from folkmoot.app.run.workspace import Workspace
from folkmoot.app.run.workspace import read as read_all
from folkmoot.app.serve.visibility import Reader, may_read_all
from folkmoot.core.errors import BriefError, RecordError
from folkmoot.core.event import Entry
from folkmoot.core.transcript import Transcript, fold

MOST_RECORDS = 4
"""The maximum number of records in the cache."""

MOST_MARKS = 1000
"""The maximum number of cached results, and of cached answers to whether a viewer may read all of a debate."""

MOST_BYTES = 32 * 1024 * 1024
"""The maximum number of bytes of cached results."""

PDF_SECONDS = 60.0
"""Seconds of processor time for one PDF; a debate of 300 turns takes about half of it."""

MOST_PRINTS = 4
"""The maximum number of requests for PDFs in parallel: one is made, the others wait."""


class Busy(Exception):
    """Too many PDFs are requested in parallel."""


@dataclass(slots=True)
class ResultCache:
    """The results made of records; one is made at a time, so that debates continue in parallel."""

    most_bytes: int = MOST_BYTES
    pdf_seconds: float = PDF_SECONDS
    _records: OrderedDict[str, tuple[tuple[Entry, ...], Transcript]] = field(
        default_factory=OrderedDict[str, tuple[tuple[Entry, ...], Transcript]]
    )
    _heard: OrderedDict[tuple[str, Reader], tuple[int, bool]] = field(
        default_factory=OrderedDict[tuple[str, Reader], tuple[int, bool]]
    )
    _made: OrderedDict[tuple[str, str], tuple[int, bytes]] = field(
        default_factory=OrderedDict[tuple[str, str], tuple[int, bytes]]
    )
    _bytes: int = 0
    _prints: int = 0
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)
    _printing: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def entries(self, workspace: Workspace, debate: str) -> tuple[Entry, ...]:
        """All entries of a debate, checked; see ``read``."""
        return (await self.read(workspace, debate))[0]

    async def read(self, workspace: Workspace, debate: str) -> tuple[tuple[Entry, ...], Transcript]:
        """All entries of a debate, checked, with their transcript, which must not be changed.

        Raises:
            RecordError: there is no such debate, or its record is damaged.
        """
        lines = await workspace.lines(debate)
        if not lines:
            raise RecordError(f"there is no debate {debate!r}")
        if (known := self._cached_record(debate, lines)) is None:
            async with self._reading:
                if (known := self._cached_record(debate, lines)) is None:
                    known = self._records[debate] = await asyncio.to_thread(_read, debate, lines)
                    if len(self._records) > MOST_RECORDS:
                        self._records.popitem(last=False)
        return known

    def _cached_record(self, debate: str, lines: Sequence[str]) -> tuple[tuple[Entry, ...], Transcript] | None:
        """A cached record, if it has at least as many entries."""
        known = self._records.get(debate)
        if known is None or len(known[0]) < len(lines):
            return None
        self._records.move_to_end(debate)
        return known

    async def may_read_all(self, debate: str, entries: Sequence[Entry], reader: Reader) -> bool:
        """Whether a viewer may read every turn of a record; see ``folkmoot.app.serve.visibility``."""
        if reader is None:
            return True
        count, allowed = self._heard.get((debate, reader), (0, False))
        if count != len(entries):
            allowed = await asyncio.to_thread(may_read_all, entries, reader)
            self._heard[debate, reader] = len(entries), allowed
            if len(self._heard) > MOST_MARKS:
                self._heard.popitem(last=False)
        return allowed

    def forget(self, debate: str) -> None:
        """Drop everything about a debate that was deleted."""
        self._records.pop(debate, None)
        for mark in [mark for mark in self._heard if mark[0] == debate]:
            del self._heard[mark]
        for key in [key for key in self._made if key[0] == debate]:
            self._bytes -= len(self._made.pop(key)[1])

    async def made(self, debate: str, kind: str, count: int, make: Callable[[], bytes]) -> bytes:
        """A result made of a record; made in a thread if it is not cached.

        Args:
            debate: the id of the debate.
            kind: the name of the result, with its parameters.
            count: the number of entries that it is made of.
            make: makes it; it must not read the record again.
        """
        if (content := self._find(debate, kind, count)) is None:
            async with self._reading:
                if (content := self._find(debate, kind, count)) is None:
                    content = await asyncio.to_thread(make)
                    self._keep(debate, kind, count, content)
        return content

    async def pdf(self, debate: str, count: int, page: bytes, kind: str = "pdf") -> bytes:
        """A page as PDF, made by another process with a limit of its time; one at a time. ``kind`` names the format.

        Raises:
            Busy: too many are requested.
            BriefError: it takes too long, or the library is not installed.
        """
        if (pdf := self._find(debate, kind, count)) is None:
            if self._prints >= MOST_PRINTS:
                raise Busy
            self._prints += 1
            try:
                async with self._printing:
                    if (pdf := self._find(debate, kind, count)) is None:
                        pdf = await self._print(debate, count, page, kind)
            finally:
                self._prints -= 1
        if not pdf:
            problem = "making the PDF takes too long on this server; print the HTML report from a browser"
            raise BriefError(problem, code="out_of_range")
        return pdf

    async def _print(self, debate: str, count: int, page: bytes, kind: str) -> bytes:
        """The PDF; empty if it takes too long, which is also cached, so that it is not tried again."""
        try:
            printed = await print_pdf(page, self.pdf_seconds)
        except TimeoutError:
            printed = b""
        self._keep(debate, kind, count, printed)
        return printed

    def _find(self, debate: str, kind: str, count: int) -> bytes | None:
        known, content = self._made.get((debate, kind), (0, b""))
        if known != count:
            return None
        self._made.move_to_end((debate, kind))
        return content

    def _keep(self, debate: str, kind: str, count: int, content: bytes) -> None:
        self._bytes += len(content) - len(self._made.pop((debate, kind), (0, b""))[1])
        self._made[debate, kind] = count, content
        while self._bytes > self.most_bytes or len(self._made) > MOST_MARKS:
            self._bytes -= len(self._made.popitem(last=False)[1][1])


def _read(debate: str, lines: Sequence[str]) -> tuple[tuple[Entry, ...], Transcript]:
    entries = read_all(lines)
    opening(debate, entries)
    return entries, fold(entries)
