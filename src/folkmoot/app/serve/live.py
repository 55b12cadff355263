"""Live viewers of debates: each entry is rendered once for all viewers who may see the same.

A group has the same rights: all owners, all public links, and the links of each person. What is rendered for a group
is kept beside the entry in the ring of ``record.hub``; a viewer is only a position in that ring. The first viewer that
needs an entry renders it for its group, so there are no tasks. A viewer slower than the ring reads the store again.
"""

import asyncio
import json
import logging
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias, cast

from folkmoot.app.run.workspace import Workspace
from folkmoot.app.serve.frames import Frames
from folkmoot.app.serve.server_parts import error_trace
from folkmoot.app.serve.visibility import AnswerVisibility, Reader
from folkmoot.core.agent import CONTINUE
from folkmoot.core.errors import RecordAway, RecordError
from folkmoot.core.event import KIND, Attempted, Closed, Delta, Erred, Failed, Replied
from folkmoot.record.hub import PAGE, Follower, LinePages, RingItem, StoredLine
from folkmoot.record.store import Store, decode
from folkmoot.report.turn_text import Namer

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

    needs_all = True

    def __init__(self, reader: Reader) -> None:
        self._frames, self._seal = Frames(reader=reader), AnswerVisibility(reader)
        self._kept: list[Item] = []
        self._drafts: dict[str, str] = {}

    def entry(self, line: str) -> Sequence[Item]:
        """The items to show after a stored line: none, its item, or also the items that were held back until now.

        Raises:
            RecordError: the line is damaged.
        """
        entry = decode(line)
        frame = self._frames.frame(entry)
        self._seal.apply(self._frames.transcript, entry.event)
        match entry.event:
            case Attempted(key=key, call=call) if not call.startswith(CONTINUE):
                self._drafts.pop(key, None)  # another call answers anew
            case Erred(key=key) | Replied(key=key) | Failed(key=key):
                self._drafts.pop(key, None)
            case _:
                pass
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
        if data is None:
            return None
        before = "" if delta.whole else self._drafts.get(delta.key, "")
        self._drafts[delta.key] = before + delta.text
        return Item(0, "delta", b"", write(data))

    def so_far(self) -> list[Item]:
        """The text so far of each unfinished answer, for a viewer who comes late."""
        drafts = () if self._seal.shut else self._drafts.items()
        return [Item(0, "delta", b"", write(whole_piece(key, text))) for key, text in drafts]


def whole_piece(key: str, text: str) -> dict[str, object]:
    """A piece that stands in the place of all pieces before it."""
    return {"kind": "delta", "key": key, "text": text, "whole": True}


def write(data: object) -> bytes:
    """Data as JSON in one line."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str).encode("utf-8", "replace")


class Lines(Protocol):
    """Makes items of the entries of one debate, in their order.

    Attributes:
        needs_all: whether an item depends on all entries before it.
    """

    needs_all: bool

    def entry(self, line: str) -> Sequence[Item]:
        """The items to show after a stored line."""
        ...


class RawLines:
    """Makes items without frames, for owners.

    Args:
        named: whether events have names; a name depends on all entries before it.
    """

    def __init__(self, *, named: bool) -> None:
        self._names, self.needs_all = Namer() if named else None, named

    def entry(self, line: str) -> Sequence[Item]:
        """The item of a stored line.

        Raises:
            RecordError: the line is damaged.
        """
        entry = decode(line)
        named = self._names.name(entry) if self._names else None
        return (Item(entry.seq, named.type if named else KIND[type(entry.event)], line.encode(), b""),)


class StoredItems:
    """The items of the stored entries after a number, page by page.

    Args:
        store: where the record is.
        debate: the debate's id.
        lines: makes the items.
        after: the number before the first item.
        until: the number of the last item; None for all.
    """

    def __init__(self, store: Store, debate: str, lines: Lines, after: int, until: int | None = None) -> None:
        self._lines, self._after, self._until = lines, after, until
        self._pages = LinePages(store, debate, 0 if lines.needs_all else after)

    async def page(self) -> list[Item]:
        """The next items; none at the end.

        Raises:
            RecordError: the record cannot be read.
        """
        while self._until is None or self._pages.last < self._until:
            lines = await self._pages.next()
            if not lines:
                break
            items = await asyncio.to_thread(self._read, lines)
            if page := [item for item in items if item.seq > self._after and item.seq <= (self._until or item.seq)]:
                return page
        return []

    def _read(self, lines: Sequence[StoredLine]) -> list[Item]:
        return [item for line in lines for item in self._lines.entry(line.text)]


AWAY = 1.0
"""Seconds after which a database that could not be reached is asked again."""


class Overrun(Exception):
    """A viewer was slower than the ring; the text is the number of the last entry that it received."""


class ViewerGroup:
    """The viewers of one debate who have the same rights.

    Attributes:
        debate: its id.
        reader: who they are.
        last: the number of the newest entry that may be shown.
        over: whether no more items will come.
        error: why its record cannot be read; None where it can.
        viewers: the number of viewers.
    """

    def __init__(self, workspace: Workspace, debate: str, reader: Reader, follower: Follower) -> None:
        self.debate, self.reader = debate, reader
        self.last = self.viewers = 0
        self.over = False
        self.error: RecordError | None = None
        self._workspace, self._follower, self._digest = workspace, follower, Digest(reader)
        self._reading, self._away = asyncio.Lock(), 0.0

    @property
    def place(self) -> int | None:
        """The position up to which the ring is rendered; None where the group reads the store."""
        return self._follower.place

    def place_after(self, seq: int) -> int | None:
        """The position behind an entry; None where the ring has dropped some that follow it."""
        return self._follower.ring.place_after(seq)

    def rendered(self, place: int) -> list[RingItem] | None:
        """The rendered items of the ring from a position on; None where some have been dropped."""
        ring = self._follower.ring
        if place < ring.first:
            return None
        return [item for item in ring.items(place) if self.reader in item.views]

    def view(self, item: RingItem) -> Sequence[Item]:
        """What these viewers are shown of an item."""
        return cast("Sequence[Item]", item.views[self.reader])

    def so_far(self) -> list[Item]:
        """The text so far of unfinished answers."""
        return self._digest.so_far()

    async def advance(self) -> bool:
        """Render what comes next, or read on; whether there was anything.

        Raises:
            RecordAway: the database cannot be reached at the moment.
        """
        async with self._reading:
            if self.over:
                return True
            try:
                return self._render_page() or await self._read_on()
            except RecordAway:  # viewers wait; what comes next follows what they have
                raise
            except RecordError as error:
                self.error, self.over = error, True
            except Exception as error:  # noqa: BLE001 # an error in one debate must not end the server
                logging.getLogger("folkmoot.web").error("live %s: %s", self.debate, error_trace(error))
                self.error, self.over = RecordError("an internal error; the records are not affected"), True
            return True

    async def _read_on(self) -> bool:
        loop = asyncio.get_running_loop()
        if loop.time() < self._away:
            raise RecordAway("the database cannot be reached")
        try:
            return await self._follower.read_on()
        except RecordAway:
            self._away = loop.time() + AWAY
            raise

    def _render_page(self) -> bool:
        count = 0
        while count < PAGE and not self.over and (item := self._follower.pick()):
            view = tuple(self._items(item))
            self._follower.ring.put_view(item, self.reader, view, sum(frame_made.size for frame_made in view))
            count += 1
        return count > 0

    def _items(self, item: RingItem) -> Iterator[Item]:
        if isinstance(item.what, Delta):
            if piece := self._digest.piece(item.what):
                yield piece
            return
        for rendered in self._digest.entry(item.what.text):
            self.last, self.over = rendered.seq, rendered.last
            yield rendered

    async def wait_for_items(self, seconds: float) -> None:
        """Wait until there is something new, or the time is over."""
        await self._workspace.hub.wait_for_items(self.debate, self._follower.ring, seconds)


class Live:
    """All debates that are watched.

    Attributes:
        closing: set when all viewers have to go.
        groups: the groups that have viewers.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.groups: dict[tuple[str, Reader], ViewerGroup] = {}
        self.closing = asyncio.Event()

    def close(self) -> None:
        """Disconnect all viewers."""
        self.closing.set()

    @contextmanager
    def watching(self, debate: str, reader: Reader = None) -> Generator[ViewerGroup]:
        """The group of viewers of a debate with the same rights, for the time of the context."""
        of = debate, reader
        with self._workspace.hub.following(debate) as follower:
            group = self.groups.get(of)
            if group is None:
                group = self.groups[of] = ViewerGroup(self._workspace, debate, reader, follower)
            group.viewers += 1
            try:
                yield group
            finally:
                group.viewers -= 1
                if not group.viewers:
                    del self.groups[of]


class Viewer:
    """One viewer's position in a debate: each entry once and in order, then new items.

    Args:
        store: where entries are read that the ring has dropped.
        group: the viewers who see the same.
        after: the number of the last entry that the viewer has.
        beat: the maximum number of seconds without an answer.
        resync: whether a viewer that is too slow gets an error instead of stored entries.
    """

    def __init__(self, store: Store, group: ViewerGroup, after: int, *, beat: float, resync: bool = False) -> None:
        self._store, self._group, self._beat, self._resync = store, group, beat, resync
        self._last = after
        self._place: int | None = None  # in the ring; None while it reads stored entries
        self._joining = True  # it gets the text so far in the place of the pieces that came before
        self._past: StoredItems | None = None

    async def take(self) -> list[Item] | None:
        """The next items; none after some seconds of silence; None where the debate has ended.

        Raises:
            Overrun: the viewer was too slow.
            RecordError: the record cannot be read.
        """
        waited = False
        try:
            while not (items := await self._at_hand()):
                if self._has_ended():
                    if self._group.error:
                        raise self._group.error
                    return None
                if not await self._group.advance():
                    if waited:
                        return []
                    waited = True
                    await self._group.wait_for_items(self._beat)
        except RecordAway:
            await asyncio.sleep(min(AWAY, self._beat))
            return []
        self._last = max([self._last, *(item.seq for item in items)])
        return items

    def _has_ended(self) -> bool:
        """Whether nothing more comes; what is stored was read before."""
        return self._group.over and not self._past and self._last >= self._group.last

    async def _at_hand(self) -> list[Item]:
        """Items that are already there: in the ring if it still has them, else in the store."""
        page = None if self._place is None else self._group.rendered(self._place)
        if page is None:
            return await self._catch_up()
        items = [item for element in page for item in self._group.view(element)]
        shown = [item for item in items if item.seq > self._last or not (item.seq or self._joining)]
        self._place = (self._place or 0) + len(page)
        if self._joining:  # what was rendered last is reached
            shown += self._group.so_far()
            self._joining = False
        return shown

    async def _catch_up(self) -> list[Item]:
        """Earlier items from the store, as far as the group is; none where the ring has what follows."""
        if self._resync and not self._joining:
            raise Overrun(self._last)
        self._joining = True
        if not self._past:
            self._find_place()
        page = await self._past.page() if self._past else []
        self._past = self._past if page else None
        return page

    def _find_place(self) -> None:
        """Join the ring, or begin to read the store up to where the group is."""
        group = self._group
        self._place = group.place if self._last >= group.last else group.place_after(self._last)
        if self._place is None and self._last < group.last:
            digest = Digest(group.reader)
            self._past = StoredItems(self._store, group.debate, digest, self._last, group.last)
