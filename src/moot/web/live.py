"""Live viewers of debates: each entry is rendered once for all viewers who may see the same.

One task follows a debate for each group of viewers with the same rights: all owners, all public links, and the links of
each person. The rendered entries go into a limited ring buffer; a viewer is only a position in it. A viewer that is
slower than the buffer reads the store again. So a slow viewer needs no extra memory and delays nobody.
"""

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Literal, Self, TypeAlias

from moot.app.run.workspace import Workspace, decode
from moot.app.serve.server_parts import error_trace
from moot.app.serve.view_model import Frames
from moot.app.serve.visibility import AnswerVisibility, Reader
from moot.core.errors import RecordAway, RecordError
from moot.core.event import KIND, Closed, Delta, Replied
from moot.report.turn_text import Namer

PAGE = 50
"""The number of lines that are processed before other tasks continue."""

Form: TypeAlias = Literal["entries", "frames"]


@dataclass(slots=True)
class Item:
    """One item to show: an entry as it is stored and as a frame, or (``seq`` 0) a piece of an unfinished answer.

    Attributes:
        seq: the entry's number; 0 for a piece.
        name: the documented name of the event, else its kind.
        line: the entry exactly as it is stored.
        frame: the frame as JSON.
        last: whether the debate ends with it.
    """

    seq: int
    name: str
    line: bytes
    frame: bytes
    last: bool = False
    _sent: dict[Form, bytes] = field(default_factory=dict["Form", bytes])

    @property
    def size(self) -> int:
        """Its approximate size in bytes."""
        return 2 * (len(self.line) + len(self.frame)) + 200

    def data(self, form: Form) -> bytes:
        """The entry or its frame."""
        return self.frame if form == "frames" else self.line

    def event(self, form: Form) -> bytes:
        """The item as a server-sent event; made once for all viewers."""
        if form not in self._sent:
            self._sent[form] = b"id: %d\nevent: %s\ndata: %s\n\n" % (self.seq, self.name.encode(), self.data(form))
        return self._sent[form]


class Digest:
    """Makes items of the entries of one debate, in their order, for one group of viewers.

    Participants who are asked at the same time do not see each other's answers. So a share link shows nothing after the
    first of these answers while a person has to answer: that person may have the link, or know somebody who has it.
    """

    def __init__(self, reader: Reader) -> None:
        self._frames, self._seal = Frames(ears=reader), AnswerVisibility(reader)
        self._kept: list[Item] = []

    def entry(self, line: str) -> Sequence[Item]:
        """The items to show after a stored line: none, its item, or also the items that were held back until now.

        Raises:
            RecordError: the line is damaged.
        """
        entry = decode(line)
        frame = self._frames.frame(entry)
        self._seal.apply(self._frames.transcript, entry.event)
        name = str(frame.get("name") or frame["kind"])
        item = Item(entry.seq, name, line.encode(), write(frame), isinstance(entry.event, Closed))
        self._kept.append(item)
        if self._seal.shut and (len(self._kept) > 1 or isinstance(entry.event, Replied)):
            return ()
        items, self._kept = self._kept, []
        return items

    def piece(self, delta: Delta) -> Item | None:
        """A piece of an answer; None where these viewers may not read it."""
        data = None if self._seal.shut else self._frames.piece(delta)
        return Item(0, "delta", b"", write(data)) if data else None


def write(data: object) -> bytes:
    """Data as JSON in one line."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str).encode("utf-8", "replace")


class StoredItems:
    """The items of the stored entries after a number, page by page.

    A frame depends on all entries before it, so these are read too.

    Args:
        workspace: where the record is.
        debate: the debate's id.
        after: the number before the first item.
        until: the number of the last item; None for all.
        ears: the group of viewers.
    """

    def __init__(
        self, workspace: Workspace, debate: str, after: int, until: int | None = None, reader: Reader = None
    ) -> None:
        self._workspace, self._debate, self._after, self._until = workspace, debate, after, until
        self._digest, self._last = Digest(reader), 0

    async def page(self) -> list[Item]:
        """The next items; none at the end.

        Raises:
            RecordError: the record cannot be read.
        """
        while self._until is None or self._last < self._until:
            lines = await self._workspace.store.read(self._debate, after=self._last, limit=PAGE)
            if not lines:
                break
            items = await asyncio.to_thread(self._read, lines)
            self._last += len(lines)
            if page := [item for item in items if item.seq > self._after and item.seq <= (self._until or item.seq)]:
                return page
        return []

    def _read(self, lines: Sequence[str]) -> list[Item]:
        return [item for line in lines for item in self._digest.entry(line)]


class RawItems:
    """The stored lines after a number as items without frames, page by page, for owners.

    Args:
        workspace: where the record is.
        debate: the debate's id.
        after: the number before the first item.
        named: whether events have names; a name depends on the entries before it, so these are read too.
    """

    def __init__(self, workspace: Workspace, debate: str, after: int, *, named: bool) -> None:
        self._workspace, self._debate, self._after = workspace, debate, after
        self._last, self._names = (0, Namer()) if named else (after, None)

    async def page(self) -> list[Item]:
        """The next items; none at the end.

        Raises:
            RecordError: the record cannot be read.
        """
        while lines := await self._workspace.store.read(self._debate, after=self._last, limit=PAGE):
            self._last += len(lines)
            items = await asyncio.to_thread(self._read, lines)
            if page := [item for item in items if item.seq > self._after]:
                return page
        return []

    def _read(self, lines: Sequence[str]) -> list[Item]:
        return [self._item(line) for line in lines]

    def _item(self, line: str) -> Item:
        entry = decode(line)
        named = self._names.name(entry) if self._names else None
        return Item(entry.seq, named.type if named else KIND[type(entry.event)], line.encode(), b"")


TICK = 0.04
"""Seconds for which new items are collected before viewers are notified."""

MOST_ITEMS = 4096
MOST_BYTES = 16 * 1024 * 1024
"""The limits of a ring buffer."""

AGAIN = 0.25
"""Seconds between two checks of a paused debate."""

AWAY = 1.0
"""Seconds after which a database that could not be reached is asked again."""


class Overrun(Exception):
    """A viewer was slower than the ring buffer; the text is the number of the last entry that it received."""


class Channel:
    """One debate that is watched by a group of viewers.

    Attributes:
        debate: its id.
        ears: the group of viewers.
        last: the number of the newest entry that may be shown.
        over: whether no more items will come.
        error: why its record cannot be read; None where it can.
        ready: set when all stored entries have been processed.
        viewers: the number of viewers.
    """

    def __init__(self, workspace: Workspace, debate: str, reader: Reader) -> None:
        self.debate, self.ears = debate, reader
        self.last = self.viewers = self._read = 0  # `_read`: the number of processed entries
        self.over = False
        self.error: RecordError | None = None
        self.ready = asyncio.Event()
        self._workspace = workspace
        self._ring: list[Item] = []
        self._first = self._bytes = 0  # the position of the first item in the buffer; the size of all items
        self._news = asyncio.Event()
        self._digest = Digest(reader)

    @property
    def end(self) -> int:
        """The position after the newest item."""
        return self._first + len(self._ring)

    def items(self, place: int) -> list[Item] | None:
        """The items from a position on; None where they have been dropped."""
        return None if place < self._first else self._ring[place - self._first :]

    def since(self, seq: int) -> list[Item] | None:
        """The entries after a number; None where the buffer has dropped some of them."""
        items = [item for item in self._ring if item.seq]
        first = items[0].seq if items else self.last + 1
        return None if seq + 1 < first else [item for item in items if item.seq > seq]

    async def news(self, seconds: float) -> None:
        """Wait until there is a new item, the debate has ended, or the time is over."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._news.wait()

    async def follow(self) -> None:
        """Process entries until the debate is closed."""
        try:
            async with asyncio.TaskGroup() as group:
                ticking = group.create_task(self._tick())
                while not self.over:
                    away = await self._read_on()
                    if not away:
                        self.ready.set()
                    if not self.over:  # it is paused, and may be resumed; or its database may come back
                        await asyncio.sleep(AWAY if away else AGAIN)
                ticking.cancel()
        finally:
            self.over = True
            self.ready.set()
            self._wake()

    async def _read_on(self) -> bool:
        """Process stored entries and live ones, as long as the hub delivers them; whether the database is away."""
        try:
            known = await self._workspace.count_entries(self.debate)
            async with aclosing(self._workspace.hub.follow(self.debate, after=self._read)) as items:
                self._say_ready(known)
                async for item in items:
                    if isinstance(item, Delta):
                        made = [piece] if (piece := self._digest.piece(item)) else []
                    else:
                        made = self._digest.entry(item.text)
                        self._read += 1
                    for element in made:
                        self._add(element)
                    self._say_ready(known)
                    if self.over:
                        return False
                    if self._read < known and not self._read % PAGE:
                        await asyncio.sleep(0)
        except RecordAway:  # viewers wait; what comes next follows what they have
            return True
        except RecordError as error:
            self.error, self.over = error, True
        except Exception as error:  # noqa: BLE001 # house: broad because an error in one debate must not end the server
            logging.getLogger("moot.web").error("live %s: %s", self.debate, error_trace(error))
            self.error, self.over = RecordError("an internal error; the records are not affected"), True
        return False

    def _say_ready(self, known: int) -> None:
        if self._read >= known:
            self.ready.set()

    def _add(self, item: Item) -> None:
        self._ring.append(item)
        self._bytes += item.size
        self.last = item.seq or self.last
        self.over = self.over or item.last
        while len(self._ring) > 1 and (len(self._ring) > MOST_ITEMS or self._bytes > MOST_BYTES):
            self._drop()

    def _drop(self) -> None:
        """Drop the oldest quarter, so that this happens rarely."""
        gone = max(1, len(self._ring) // 4)
        self._bytes -= sum(item.size for item in self._ring[:gone])
        del self._ring[:gone]
        self._first += gone

    async def _tick(self) -> None:
        """Notify viewers at intervals instead of after each entry, so that new items are sent together."""
        seen = self.end
        while True:
            await asyncio.sleep(TICK)
            if seen != self.end:
                seen = self.end
                self._wake()

    def _wake(self) -> None:
        news, self._news = self._news, asyncio.Event()
        if self.over:
            self._news.set()
        news.set()


class Live:
    """All debates that are watched; an async context manager."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._channels: dict[tuple[str, Reader], Channel] = {}
        self._tasks: dict[tuple[str, Reader], asyncio.Task[None]] = {}
        self._group: asyncio.TaskGroup = asyncio.TaskGroup()
        self.closing = asyncio.Event()

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        for task in self._tasks.values():
            task.cancel()
        await self._group.__aexit__(kind, error, trace)

    def close(self) -> None:
        """Disconnect all viewers."""
        self.closing.set()

    @asynccontextmanager
    async def watching(self, debate: str, reader: Reader = None) -> AsyncGenerator[Channel]:
        """The channel of a debate for a group of viewers, for the time of the context."""
        of = debate, reader
        channel = self._channels.get(of)
        if channel is None:
            channel = self._channels[of] = Channel(self._workspace, debate, reader)
            self._tasks[of] = self._group.create_task(channel.follow())
        channel.viewers += 1
        try:
            await channel.ready.wait()
            yield channel
        finally:
            channel.viewers -= 1
            if not channel.viewers:
                del self._channels[of]
                self._tasks.pop(of).cancel()


class Viewer:
    """One viewer's position in a debate: each entry once and in order, then new items.

    Args:
        workspace: where entries are read that the buffer has dropped.
        channel: the debate's channel.
        after: the number of the last entry that the viewer has.
        beat: the maximum number of seconds without an answer.
        resync: whether a viewer that is too slow gets an error instead of stored entries.
    """

    def __init__(
        self, workspace: Workspace, channel: Channel, after: int, *, beat: float, resync: bool = False
    ) -> None:
        self._workspace, self._channel, self._beat, self._resync = workspace, channel, beat, resync
        self._last = after
        self._place: int | None = None  # in the buffer; None while it reads stored entries
        self._past: StoredItems | None = None

    async def take(self) -> list[Item] | None:
        """The next items; none after some seconds of silence; None where the debate has ended.

        Raises:
            Overrun: the viewer was too slow.
            RecordError: the record cannot be read.
        """
        channel = self._channel
        if self._place is None:
            return await self._catch_up()
        items = channel.items(self._place)
        if items == [] and not channel.over:
            await channel.news(self._beat)
            items = channel.items(self._place)
        if items is None:
            if self._resync:
                raise Overrun(self._last)
            self._place = None
            return []
        if not items and channel.over:
            if channel.error:
                raise channel.error
            return None
        self._place += len(items)
        self._last = max([self._last, *(item.seq for item in items)])
        return items

    async def _catch_up(self) -> list[Item]:
        """Earlier items: from the buffer if it still has them, else from the store."""
        if self._past is None:
            items = self._channel.since(self._last)
            if items is not None:
                self._place = self._channel.end
                self._last = items[-1].seq if items else self._last
                return items
            self._past = StoredItems(
                self._workspace, self._channel.debate, self._last, self._channel.last, self._channel.ears
            )
        try:
            page = await self._past.page()
        except RecordAway:
            await asyncio.sleep(min(AWAY, self._beat))
            return []
        if page:
            self._last = page[-1].seq
        else:
            self._past = None
        return page
