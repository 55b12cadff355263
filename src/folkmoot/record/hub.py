"""Following debates live: stored lines first, then new ones, without a gap.

Each debate that is followed has one ring: its newest lines and signals, limited in number and size. A follower is a
position in it. What the ring lacks at its end is read from the store once, for all followers. A follower that is too
slow loses its position; it reads the store by itself until it meets the ring again. So viewers, however slow or many,
never delay the publisher and never miss a line.
"""

import asyncio
import math
from collections import deque
from collections.abc import AsyncGenerator, Callable, Generator, Hashable, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial

from msgspec import MsgspecError, Struct
from msgspec.json import Decoder

from folkmoot.core.agent import CONTINUE
from folkmoot.core.event import KIND, Attempted, Delta, Erred, Failed, Replied, Signal
from folkmoot.record.store import Notifying, Store

PAGE = 50
"""The most lines read from the store at once."""

MOST_ITEMS = 4096
MOST_BYTES = 16 * 1024 * 1024
"""The limits of a ring."""

SLOW = 2.0
"""Seconds between looks into a store that tells of new lines, for what it could not tell."""

LINGER = 30.0
"""Seconds for which the ring of a debate that is live here is kept for a viewer who comes back, such as by a reload."""

GATHER = 0.04
"""Seconds for which new items are gathered before followers wake again."""


@dataclass(frozen=True, slots=True)
class StoredLine:
    """A stored line with its number in the debate."""

    seq: int
    text: str


class LinePages:
    """The stored lines of a debate after a number, page by page.

    Attributes:
        last: the number of the last line that was read.
    """

    def __init__(self, store: Store, debate: str, after: int = 0) -> None:
        self._store, self._debate, self.last = store, debate, after

    async def next(self, limit: int = PAGE) -> list[StoredLine]:
        """The next lines; none at the end.

        Raises:
            RecordError: the store cannot be read.
        """
        texts = await self._store.read(self._debate, after=self.last, limit=limit)
        lines = _numbered_lines(texts, self.last)
        self.last += len(lines)
        return lines


class _Body(Struct):
    key: str = ""
    call: str = ""


class _Head(Struct):
    """What of a line tells which answer it is about; the rest is not made values of."""

    kind: str
    body: _Body


_HEADS = Decoder(_Head)
_ENDS = frozenset(KIND[event] for event in (Erred, Replied, Failed))


def _forget(pieces: dict[str, list[str]], lines: Sequence[StoredLine]) -> None:
    """Forget what was said of answers that are on record now, or are begun anew."""
    for line in lines:
        try:
            head = _HEADS.decode(line.text)
        except MsgspecError:
            pieces.clear()  # nobody knows of which answer it tells
            continue
        begun = head.kind == KIND[Attempted] and not head.body.call.startswith(CONTINUE)
        if begun or head.kind in _ENDS:
            pieces.pop(head.body.key, None)


def _numbered_lines(texts: Sequence[str], after: int) -> list[StoredLine]:
    return [StoredLine(seq, text) for seq, text in enumerate(texts, start=after + 1)]


@dataclass(slots=True, eq=False)
class RingItem:
    """A line or a signal in a ring.

    Attributes:
        what: the line or signal.
        views: what is made of it, once for each group of viewers.
    """

    what: StoredLine | Signal
    views: dict[Hashable, object] = field(default_factory=dict[Hashable, object])
    size: int = 0


class Ring:
    """The newest lines and signals of a debate that is followed.

    Attributes:
        first: the position of the oldest item.
        base: the number of the line before the oldest one.
        last: the number of the newest line.
        stale: whether the store may have lines after that one.
        reads: how often the store was asked.
        followers: how many have a position in it, or had one.
        watchers: how many of them see the pieces of unfinished answers.
        alone_since: when a line came first that nobody followed, on the event loop's clock.
        lacks_pieces: whether pieces of unfinished answers are missing.

    Args:
        store: where the lines are stored.
        debate: the debate.
        after: the number of the line behind which it begins.
        limit: the most items.
        so_far: the text so far of each unfinished answer, if the newest line has that number; None if it has not.
    """

    def __init__(
        self, store: Store, debate: str, after: int, limit: int, so_far: Callable[[int], Sequence[Signal] | None]
    ) -> None:
        self._store, self._debate, self._most, self._so_far = store, debate, limit, so_far
        self.lacks_pieces = True
        self._items: list[RingItem] = []
        self._bytes = 0
        self._reading = asyncio.Lock()
        self._new_items, self._woken = asyncio.Event(), -math.inf
        self._waking: asyncio.TimerHandle | None = None
        self.first, self.base, self.last = 0, after, after
        self.stale, self.reads, self.followers, self.watchers = True, 0, 0, 0
        self.alone_since: float | None = None

    @property
    def end(self) -> int:
        """The position after the newest item."""
        return self.first + len(self._items)

    @property
    def may_lack_lines(self) -> bool:
        """Whether the store may have lines that the ring lacks, or is being read."""
        return self.stale or self._reading.locked()

    def items(self, place: int) -> list[RingItem]:
        """The items from a position on."""
        return self._items[place - self.first :]

    def at(self, place: int) -> RingItem | None:
        """The item at a position; None behind the newest."""
        return self._items[place - self.first] if place < self.end else None

    def place_after(self, seq: int) -> int | None:
        """The position behind a line; None where lines after it were dropped."""
        if seq < self.base:
            return None
        if seq == self.base:
            return self.first
        for back, item in enumerate(reversed(self._items)):
            if isinstance(item.what, StoredLine) and item.what.seq <= seq:
                return self.end - back
        return self.first

    def add(self, lines: Sequence[StoredLine]) -> None:
        """Take in those lines that come next; after a gap the store must be read."""
        for line in lines:
            if line.seq == self.last + 1:
                self.last = line.seq
                self._append(line, len(line.text))
            elif line.seq > self.last:
                self.stale = True

    def add_signal(self, signal: Signal) -> None:
        """Take in a signal, or all that was said so far where some of it is missing."""
        if not self.catch_up():
            self._append(signal, len(signal.text))

    def catch_up(self) -> bool:
        """Add what was said so far, where pieces of it are missing and no lines are; whether there was any."""
        signals = self._so_far(self.last) if self.lacks_pieces else None
        if signals is not None:
            self.lacks_pieces = False
        for signal in signals or ():
            self._append(signal, len(signal.text))
        return bool(signals)

    def put_view(self, item: RingItem, viewers: Hashable, view: object, size: int) -> None:
        """Keep what was made of an item for a group of viewers."""
        item.views[viewers] = view
        item.size += size
        self._bytes += size
        self._trim()

    async def fill(self) -> None:
        """Read the next lines from the store, once for all who ask at the same time.

        Raises:
            RecordError: the store cannot be read.
        """
        async with self._reading:
            if not self.stale:
                return
            self.stale, last = False, self.last  # first listen, then read
            self.reads += 1
            try:
                texts = await self._store.read(self._debate, after=last, limit=PAGE)
            except BaseException:
                self.stale = True
                raise
            self.add(_numbered_lines(texts, last))
            self.stale = self.stale or len(texts) == PAGE
            self.catch_up()

    def wake(self, gather: float = 0.0) -> None:
        """Wake all who wait; where they were woken a moment ago, what comes meanwhile is gathered."""
        loop = asyncio.get_running_loop()
        wait = self._woken + gather - loop.time()
        if wait > 0:
            self._waking = self._waking or loop.call_later(wait, self._wake)
        else:
            self._wake()

    async def wait_for_items(self) -> None:
        """Wait to be woken."""
        await self._new_items.wait()

    def _wake(self) -> None:
        if self._waking:
            self._waking.cancel()
            self._waking = None
        self._woken = asyncio.get_running_loop().time()
        wait_for_items, self._new_items = self._new_items, asyncio.Event()
        wait_for_items.set()

    def _append(self, what: StoredLine | Signal, length: int) -> None:
        item = RingItem(what, size=2 * length + 200)
        self._items.append(item)
        self._bytes += item.size
        self._trim()

    def _trim(self) -> None:
        """Drop the oldest quarter of what is too much, so that this happens rarely."""
        while len(self._items) > self._most or (self._bytes > MOST_BYTES and len(self._items) > 1):
            dropped = self._items[: max(1, len(self._items) // 4)]
            del self._items[: len(dropped)]
            self.first += len(dropped)
            for item in dropped:
                self._bytes -= item.size
                if isinstance(item.what, StoredLine):
                    self.base = item.what.seq


class Follower:
    """A position in the ring of a debate.

    Attributes:
        ring: the ring.
        last: the number of the last line that was given out.
        place: the position of the next item in the ring; None where the store must be read first.
    """

    def __init__(self, store: Store, debate: str, ring: Ring, after: int) -> None:
        self._store, self._debate = store, debate
        self._past: deque[StoredLine] = deque()
        self.ring, self.last, self.place = ring, after, ring.place_after(after)

    def pick(self) -> RingItem | None:
        """The next item at hand that was not given out yet; None if there is none."""
        if self._past:
            self.last += 1
            return RingItem(self._past.popleft())
        if self.place is None or self.place < self.ring.first:
            self.place = self.ring.place_after(self.last)
        while self.place is not None and (item := self.ring.at(self.place)):
            self.place += 1
            if not isinstance(item.what, StoredLine):
                return item
            if item.what.seq > self.last:  # else it follows from a later line, and another fills the ring
                self.last = item.what.seq
                return item
        return None

    async def read_on(self) -> bool:
        """Read what the ring lacks: for this follower alone, or for all; whether there was something to read.

        Raises:
            RecordError: the store cannot be read.
        """
        if self.place is None:
            pages = LinePages(self._store, self._debate, self.last)
            self._past.extend(await pages.next(min(PAGE, self.ring.base - self.last)))
            return True
        if self.ring.may_lack_lines:
            await self.ring.fill()
            return True
        return False


class Hub:
    """Tells followers what happens in debates; use it from one event loop.

    Args:
        store: where the lines are stored.
        most: the most items of a ring.
        poll: seconds between looks into the store for a debate that another process drives; where the store tells of
            new lines, ``SLOW`` is enough.
        gather: seconds for which new items are gathered before followers wake again.
        linger: seconds for which lines are kept of a debate that is live here and that nobody follows any more.
    """

    def __init__(
        self,
        store: Store,
        *,
        most: int = MOST_ITEMS,
        poll: float = 0.2,
        gather: float = GATHER,
        linger: float = LINGER,
    ) -> None:
        self._store, self._most, self._poll, self._gather, self._linger = store, most, poll, gather, linger
        self._rings: dict[str, Ring] = {}
        self._newest: dict[str, int] = {}  # of the debates that are live in this process
        self._said: dict[str, dict[str, list[str]]] = {}  # by debate and question what was said so far
        self._finished: set[str] = set()
        self._told = False  # whether the store tells of new lines

    def begin(self, debate: str) -> None:
        """Lines will come from this process: whoever follows from now on waits for them, also behind an earlier end."""
        self._finished.discard(debate)

    def publish(self, debate: str, lines: Sequence[StoredLine]) -> None:
        """Hand on lines that have just become durable, in order. Never waits, never raises.

        From its first line on the debate counts as live in this process, until ``finish``.
        """
        for line in lines[-1:]:
            self._newest[debate] = line.seq
            self._finished.discard(debate)
        if pieces := self._said.get(debate):
            _forget(pieces, lines)
        if (ring := self._rings.get(debate)) and not self._give_up(debate, ring):
            ring.add(lines)
            ring.catch_up()
            ring.wake(self._gather)

    def signal(self, debate: str, signal: Signal) -> None:
        """Hand on a signal to those who follow now, and keep it for who comes later. Never waits, never raises.

        A slow follower misses it.
        """
        if debate in self._newest:
            self._said.setdefault(debate, {}).setdefault(signal.key, []).append(signal.text)
        ring = self._rings.get(debate)
        if ring is None or self._give_up(debate, ring):
            return
        if ring.last == self._newest.get(debate, ring.last):
            ring.add_signal(signal)
            ring.wake(self._gather)
        else:  # it may be older than a line that comes later
            ring.lacks_pieces = True

    def finish(self, debate: str) -> None:
        """No more lines come from this process for now: whoever follows, now or later, ends after what is stored."""
        self._newest.pop(debate, None)
        self._said.pop(debate, None)
        self._finished.add(debate)
        if ring := self._rings.get(debate):
            ring.stale = True
            ring.wake()
            self._drop(debate, ring)

    def viewers(self, debate: str) -> int:
        """How many follow a debate now."""
        ring = self._rings.get(debate)
        return ring.followers if ring else 0

    def watched(self, debate: str) -> bool:
        """Whether somebody sees the pieces of a debate's unfinished answers now."""
        ring = self._rings.get(debate)
        return ring is not None and (ring.watchers > 0 or not ring.followers)  # else its viewer may come back

    @contextmanager
    def following(self, debate: str, after: int = 0, *, pieces: bool = True) -> Generator[Follower]:
        """A follower of a debate behind line ``after``, for the time of the context.

        Args:
            debate: its id.
            after: the number of the line.
            pieces: whether it sees the pieces of unfinished answers.
        """
        so_far = partial(self._said_so_far, debate)
        ring = self._rings.setdefault(debate, Ring(self._store, debate, after, self._most, so_far))
        ring.followers += 1
        ring.watchers += pieces
        ring.alone_since = None
        try:
            yield Follower(self._store, debate, ring, after)
        finally:
            ring.followers -= 1
            ring.watchers -= pieces
            if not (pieces and debate in self._newest):
                self._drop(debate, ring)

    def _said_so_far(self, debate: str, last: int) -> list[Signal] | None:
        """All that was said so far of unfinished answers; None where lines behind that one have come."""
        if last != self._newest.get(debate, last):
            return None
        answers = self._said.get(debate, {})
        return [Delta(key=key, text="".join(pieces), first=True, whole=True) for key, pieces in answers.items()]

    def _give_up(self, debate: str, ring: Ring) -> bool:
        """Give up a ring that nobody has followed for a while; whoever left may come back until then."""
        if ring.followers:
            return False
        now = asyncio.get_running_loop().time()
        ring.alone_since = now if ring.alone_since is None else ring.alone_since
        if now - ring.alone_since < self._linger:
            return False
        self._drop(debate, ring)
        return True

    def _drop(self, debate: str, ring: Ring) -> None:
        """Give up a ring that nobody follows, unless a newer one stands in its place."""
        if not ring.followers and self._rings.get(debate) is ring:
            del self._rings[debate]

    async def follow(
        self, debate: str, *, after: int = 0, live: bool = True, pieces: bool = True
    ) -> AsyncGenerator[StoredLine | Signal, None]:
        """Every line behind number ``after``, each once and in order, and between them the signals of the moment.

        It ends after the stored lines when ``live`` is false or the debate is finished in this process. A debate that
        this process does not drive is looked up in the store again and again, without an end.

        Raises:
            RecordError: the store cannot be read.
        """
        with self.following(debate, after, pieces=pieces) as follower:
            while True:
                if item := follower.pick():
                    yield item.what
                elif not await follower.read_on():
                    if not live or debate in self._finished:
                        return
                    await self.wait_for_items(debate, follower.ring)

    async def wait_for_items(self, debate: str, ring: Ring, longest: float | None = None) -> None:
        """Wait for something new in a debate, at most this number of seconds."""
        seconds, reads = (None if debate in self._newest else self._pause()), ring.reads
        waits = [wait for wait in (seconds, longest) if wait is not None]
        try:
            async with asyncio.timeout(min(waits, default=None)):
                await ring.wait_for_items()
        except TimeoutError:
            if seconds is not None and ring.reads == reads:  # else another follower has looked
                ring.stale = True

    def _pause(self) -> float:
        """Seconds until the store is looked into again; a store that can is asked to tell of new lines before."""
        if not self._told and isinstance(self._store, Notifying):
            loop = asyncio.get_running_loop()

            def notify(debate: str) -> None:
                with suppress(RuntimeError):  # the loop is closed, and its followers are gone with it
                    loop.call_soon_threadsafe(self.look, debate)

            self._store.tell(notify)
            self._told = True
        return SLOW if self._told else self._poll

    def look(self, debate: str) -> None:
        """Have those who follow a debate that another process drives look into the store; with "" any such debate."""
        for name in [debate] if debate else list(self._rings):
            ring = self._rings.get(name)
            if ring and name not in self._newest:
                ring.stale = True
                ring.wake()
