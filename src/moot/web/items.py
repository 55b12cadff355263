"""Entries on their way to viewers. This file owns what each entry becomes for all who watch a debate, once."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from moot.app.run.workspace import Desk, decode
from moot.app.serve.view_model import Frames
from moot.app.serve.visibility import Ears, Seal
from moot.core.event import Closed, Delta, Replied, kind
from moot.report.names import Namer

PAGE = 50
"""Lines that are read and digested before others have their turn."""

Form: TypeAlias = Literal["entries", "frames"]


@dataclass(slots=True)
class Item:
    """One thing to show: an entry as it is stored and as a frame, or (``seq`` 0) a piece of an answer in the making.

    Attributes:
        seq: the entry's number; 0 for a piece.
        name: the documented name of the event, else its kind.
        line: the entry, byte for byte as it is stored.
        frame: the frame as JSON.
        last: whether the debate is over with it.
    """

    seq: int
    name: str
    line: bytes
    frame: bytes
    last: bool = False
    _sent: dict[Form, bytes] = field(default_factory=dict["Form", bytes])

    @property
    def size(self) -> int:
        """Its bytes, about."""
        return 2 * (len(self.line) + len(self.frame)) + 200

    def data(self, form: Form) -> bytes:
        """The entry or its frame."""
        return self.frame if form == "frames" else self.line

    def event(self, form: Form) -> bytes:
        """It as a server-sent event; made once for all viewers."""
        if form not in self._sent:
            self._sent[form] = b"id: %d\nevent: %s\ndata: %s\n\n" % (self.seq, self.name.encode(), self.data(form))
        return self._sent[form]


class Digest:
    """Makes items of the entries of one debate, in their order, for whoever has these ears.

    Nobody at the table sees an answer of those who were asked at the same time. So what comes by a link stands still
    with the first answer as long as a person is waited for: that person may hold the link, or know who does.
    """

    def __init__(self, ears: Ears) -> None:
        self._frames, self._seal = Frames(ears=ears), Seal(ears)
        self._kept: list[Item] = []

    def entry(self, line: str) -> Sequence[Item]:
        """What is to be shown once a stored line is there: nothing, its item, or what was sealed until then as well.

        Raises:
            RecordError: it is damaged.
        """
        entry = decode(line)
        frame = self._frames.frame(entry)
        self._seal.apply(self._frames.transcript, entry.event)
        name = str(frame.get("name") or frame["kind"])
        made = Item(entry.seq, name, line.encode(), write(frame), isinstance(entry.event, Closed))
        self._kept.append(made)
        if self._seal.shut and (len(self._kept) > 1 or isinstance(entry.event, Replied)):
            return ()
        kept, self._kept = self._kept, []
        return kept

    def piece(self, delta: Delta) -> Item | None:
        """A piece of an answer; None where not everybody may read it."""
        made = None if self._seal.shut else self._frames.piece(delta)
        return Item(0, "delta", b"", write(made)) if made else None


def write(data: object) -> bytes:
    """Data as JSON in one line."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str).encode("utf-8", "replace")


class Past:
    """The items of what is stored behind a number, page by page.

    A frame follows from all entries before it, so these are read as well.

    Args:
        desk: where the record is.
        debate: the debate's id.
        after: the number behind which the first item stands.
        until: the number of the last one; None for all.
        ears: for whom.
    """

    def __init__(self, desk: Desk, debate: str, after: int, until: int | None = None, ears: Ears = None) -> None:
        self._desk, self._debate, self._after, self._until = desk, debate, after, until
        self._digest, self._last = Digest(ears), 0

    async def page(self) -> list[Item]:
        """The next items; none at the end.

        Raises:
            RecordError: the record cannot be read.
        """
        while self._until is None or self._last < self._until:
            lines = await self._desk.store.read(self._debate, after=self._last, limit=PAGE)
            if not lines:
                break
            made = await asyncio.to_thread(self._read, lines)
            self._last += len(lines)
            if page := [each for each in made if each.seq > self._after and each.seq <= (self._until or each.seq)]:
                return page
        return []

    def _read(self, lines: Sequence[str]) -> list[Item]:
        return [each for line in lines for each in self._digest.entry(line)]


class Raw:
    """The stored lines behind a number as items without frames, page by page, for owners.

    Args:
        desk: where the record is.
        debate: the debate's id.
        after: the number behind which the first item stands.
        named: whether events are named; a name follows from the entries before it, so these are read as well.
    """

    def __init__(self, desk: Desk, debate: str, after: int, *, named: bool) -> None:
        self._desk, self._debate, self._after = desk, debate, after
        self._last, self._names = (0, Namer()) if named else (after, None)

    async def page(self) -> list[Item]:
        """The next items; none at the end.

        Raises:
            RecordError: the record cannot be read.
        """
        while lines := await self._desk.store.read(self._debate, after=self._last, limit=PAGE):
            self._last += len(lines)
            made = await asyncio.to_thread(self._read, lines)
            if page := [each for each in made if each.seq > self._after]:
                return page
        return []

    def _read(self, lines: Sequence[str]) -> list[Item]:
        return [self._item(line) for line in lines]

    def _item(self, line: str) -> Item:
        entry = decode(line)
        named = self._names.name(entry) if self._names else None
        return Item(entry.seq, named.type if named else kind(entry.event), line.encode(), b"")
