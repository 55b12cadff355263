"""What was read from records, remembered. This file owns that heavy reading is done once, off the loop, and in bounds.

What debates came to, for lists and for the state of one. This file owns how a record is summed up for the API.

A record only grows, so what was made of it holds for as long as it has as many entries.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from moot.app.export.paper import printed
from moot.app.plan.assignment import is_person
from moot.app.run.outcome import Listed, opening
from moot.app.run.workspace import Workspace
from moot.app.run.workspace import read as read_all
from moot.app.serve.visibility import Ears, hears_all
from moot.core.errors import BriefError, RecordError
from moot.core.event import Entry, Paused
from moot.core.transcript import Transcript, fold

MOST_RECORDS = 4
"""So many records are kept as entries."""

MOST_MARKS = 1000
"""So many answers are kept to whether all of a debate may be heard."""

MOST_BYTES = 32 * 1024 * 1024
"""So many bytes of what was made of records are kept."""

PDF_SECONDS = 60.0
"""Time for one PDF; a debate of 300 turns takes about half of it."""

MOST_PRINTS = 4
"""So many PDFs may be wanted at once: one is being made, and the others wait."""


class Busy(Exception):
    """Too many PDFs are wanted at once."""


@dataclass(slots=True)
class Kept:
    """What was made of records by one server; one piece is made at a time, so that the debates go on beside it."""

    most_bytes: int = MOST_BYTES
    pdf_seconds: float = PDF_SECONDS
    _records: OrderedDict[str, tuple[tuple[Entry, ...], Transcript]] = field(
        default_factory=OrderedDict[str, tuple[tuple[Entry, ...], Transcript]]
    )
    _heard: OrderedDict[tuple[str, Ears], tuple[int, bool]] = field(
        default_factory=OrderedDict[tuple[str, Ears], tuple[int, bool]]
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
        """All entries of a debate, checked, and folded: nobody may fold more into it.

        Raises:
            RecordError: there is no such debate, or its record is damaged.
        """
        lines = await workspace.lines(debate)
        if not lines:
            raise RecordError(f"there is no debate {debate!r}")
        if (found := self._known(debate, lines)) is None:
            async with self._reading:
                if (found := self._known(debate, lines)) is None:
                    found = self._records[debate] = await asyncio.to_thread(_read, debate, lines)
                    if len(self._records) > MOST_RECORDS:
                        self._records.popitem(last=False)
        return found

    def _known(self, debate: str, lines: Sequence[str]) -> tuple[tuple[Entry, ...], Transcript] | None:
        """A record that is kept, if it is as long at least."""
        found = self._records.get(debate)
        if found is None or len(found[0]) < len(lines):
            return None
        self._records.move_to_end(debate)
        return found

    async def hears_all(self, debate: str, entries: Sequence[Entry], ears: Ears) -> bool:
        """Whether somebody may know of every turn of a record; see ``moot.app.serve.visibility``."""
        if ears is None:
            return True
        count, heard = self._heard.get((debate, ears), (0, False))
        if count != len(entries):
            heard = await asyncio.to_thread(hears_all, entries, ears)
            self._heard[debate, ears] = len(entries), heard
            if len(self._heard) > MOST_MARKS:
                self._heard.popitem(last=False)
        return heard

    async def made(self, debate: str, what: str, count: int, make: Callable[[], bytes]) -> bytes:
        """What is made of a record of so many entries; made in a thread, where it is not there already.

        Args:
            debate: the record's debate.
            what: its name; what has other parameters has another one.
            count: of how many entries it is made.
            make: makes it; it must not read the record anew.
        """
        if (found := self._find(debate, what, count)) is None:
            async with self._reading:
                if (found := self._find(debate, what, count)) is None:
                    found = await asyncio.to_thread(make)
                    self._keep(debate, what, count, found)
        return found

    async def pdf(self, debate: str, count: int, page: bytes) -> bytes:
        """A page as PDF, from another process that has a limit in time; one is made at once.

        Raises:
            Busy: too many are wanted.
            BriefError: it takes too long, or what makes it is not installed.
        """
        if (found := self._find(debate, "pdf", count)) is None:
            if self._prints >= MOST_PRINTS:
                raise Busy
            self._prints += 1
            try:
                async with self._printing:
                    if (found := self._find(debate, "pdf", count)) is None:
                        found = await self._print(debate, count, page)
            finally:
                self._prints -= 1
        if not found:
            told = f"the PDF takes longer than {self.pdf_seconds:g} seconds; print the HTML report from a browser"
            raise BriefError(told, code="out_of_range")
        return found

    async def _print(self, debate: str, count: int, page: bytes) -> bytes:
        """The PDF; nothing where it takes too long, which is kept as well, so that it is not tried again."""
        try:
            found = await printed(page, self.pdf_seconds)
        except TimeoutError:
            found = b""
        self._keep(debate, "pdf", count, found)
        return found

    def _find(self, debate: str, what: str, count: int) -> bytes | None:
        known, found = self._made.get((debate, what), (0, b""))
        if known != count:
            return None
        self._made.move_to_end((debate, what))
        return found

    def _keep(self, debate: str, what: str, count: int, made: bytes) -> None:
        self._bytes += len(made) - len(self._made.pop((debate, what), (0, b""))[1])
        self._made[debate, what] = count, made
        while self._bytes > self.most_bytes or len(self._made) > MOST_MARKS:
            self._bytes -= len(self._made.popitem(last=False)[1][1])


def _read(debate: str, lines: Sequence[str]) -> tuple[tuple[Entry, ...], Transcript]:
    entries = read_all(lines)
    opening(debate, entries)
    return entries, fold(entries)


Data: TypeAlias = dict[str, object]

KEPT = 2000
"""So many debates' sums are remembered."""


@dataclass(slots=True)
class Sums:
    """What records came to, remembered by their length: a record only grows."""

    _known: OrderedDict[tuple[str, int], Data] = field(default_factory=OrderedDict[tuple[str, int], Data])

    async def of(self, workspace: Workspace, listed: Listed) -> Data:
        """A debate in a list: what stands in ``Listed``, its participants, decision, and what it used."""
        key = (listed.debate, listed.entries)
        if key not in self._known:
            self._known[key] = await _row(workspace, listed)
            if len(self._known) > KEPT:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        return self._known[key]


async def _row(workspace: Workspace, listed: Listed) -> Data:
    row: Data = {
        "id": listed.debate,
        "topic": listed.topic,
        "protocol": listed.protocol,
        "status": listed.status,
        "reason": listed.reason,
        "at": listed.at,
        "entries": listed.entries,
        "forked": listed.forked,
    }
    try:
        entries = await workspace.entries(listed.debate)
        transcript = fold(entries)
    except RecordError as error:
        unread: Data = {"participants": [], "decision": None, "tokens": 0, "cost": None, "seconds": 0.0}
        return {**row, **unread, "status": "damaged", "reason": str(error)}
    usage, decision = transcript.usage, transcript.decision
    told = decision and {
        "winner": decision.winner,
        "text": decision.text,
        "strength": decision.strength,
        "share": decision.share,
    }
    return {
        **row,
        "participants": names_of(transcript),
        "decision": told,
        "tokens": usage.input_tokens + usage.output_tokens,
        "cost": usage.cost,
        "seconds": entries[-1].at - entries[0].at,
        "waits_for": _waits_for(transcript),
    }


def _waits_for(transcript: Transcript) -> list[str]:
    """The people who have still to answer, each once."""
    people = {each.name for each in (transcript.brief.participants if transcript.brief else ()) if is_person(each)}
    asked = [turn.by for turn in transcript.all() if turn.ask and not transcript.answered(turn.key)]
    return [] if transcript.closed else [name for name in dict.fromkeys(asked) if name in people]


def names_of(transcript: Transcript) -> list[str]:
    """Who sits at the table."""
    people = transcript.brief.participants if transcript.brief else ()
    return [each.name for each in people if each.duty != "aide"]


def kind_of(entries: Sequence[Entry]) -> str:
    """Why a debate stands still; "" where it does not."""
    last = entries[-1].event if entries else None
    return (last.kind or "stopped") if isinstance(last, Paused) else ""
