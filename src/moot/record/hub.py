"""Following debates live: stored lines first, then new ones, without a gap.

A follower first subscribes, then reads the store, then takes live lines and skips those that it has already seen. If
its queue overflows, it discards the queue and reads the store again from its last line. So viewers, however slow or
many, never delay the publisher and never miss a line.
"""

import asyncio
import sys
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from moot.core.event import Signal
from moot.record.store import Notifying, Store

PAGE = 200
"""The most lines read from the store at once; never more than a follower's queue takes."""


SLOW = 2.0
"""Seconds between looks into a store that tells of new lines, for what it could not tell."""


@dataclass(frozen=True, slots=True)
class StoredLine:
    """A stored line with its number in the debate."""

    seq: int
    text: str


@dataclass(frozen=True, slots=True)
class _Heard:
    """A signal, and the number of the newest line when it came."""

    newest: int
    signal: Signal


@dataclass(slots=True, eq=False)
class _Follower:
    """One viewer's place in a debate.

    Attributes:
        last: the number of the last line that was given out.
        most: the most items in the queue.
        ended: whether it stops where the store ends.
        behind: whether the store must be read before the queue.
        page: lines from the store, to be given out first.
        queue: what came live.
        news: set when there may be something to do.
    """

    last: int
    most: int
    ended: bool
    behind: bool = True
    page: deque[str] = field(default_factory=deque[str])
    queue: deque[StoredLine | _Heard] = field(default_factory=deque[StoredLine | _Heard])
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def take(self, lines: Sequence[StoredLine]) -> None:
        """Queue lines; where they do not fit, signals go first, then the whole queue."""
        if len(self.queue) + len(lines) > self.most:
            self.queue = deque(item for item in self.queue if isinstance(item, StoredLine))
        if len(self.queue) + len(lines) > self.most:
            self.fall_behind()
        else:
            self.queue.extend(lines)
            self.news.set()

    def hear(self, heard: _Heard) -> None:
        """Queue a signal where there is room."""
        if len(self.queue) < self.most:
            self.queue.append(heard)
            self.news.set()

    def end(self) -> None:
        """Stop after what is stored by now."""
        self.ended = True
        self.fall_behind()

    def fall_behind(self) -> None:
        """Go on from the store."""
        self.queue.clear()
        self.behind = True
        self.news.set()

    def pick(self) -> StoredLine | Signal | None:
        """The next item at hand that was not given out yet; None if there is none."""
        if self.page:
            self.last += 1
            return StoredLine(self.last, self.page.popleft())
        while self.queue:
            item = self.queue.popleft()
            if isinstance(item, _Heard):
                if item.newest >= self.last:  # else a line that came after it was already given out
                    return item.signal
            elif item.seq == self.last + 1:
                self.last = item.seq
                return item
            elif item.seq > self.last:  # another process wrote in between
                self.fall_behind()
        return None

    async def read_on(self, store: Store, debate: str) -> None:
        """Take the next page from the store in; after a full page there may be more."""
        self.behind = False  # first listen, then read
        limit = min(PAGE, self.most)
        self.page.extend(await store.read(debate, after=self.last, limit=limit))
        if len(self.page) == limit:
            self.behind = True


class Hub:
    """Tells followers what happens in debates; use it from one event loop.

    Args:
        store: where the lines are stored.
        queue: the most lines and signals that wait for one follower.
        poll: seconds between looks into the store for a debate that another process drives; where the store tells of
            new lines, ``SLOW`` is enough.
    """

    def __init__(self, store: Store, *, queue: int = 1000, poll: float = 0.2) -> None:
        self._store, self._most, self._poll = store, queue, poll
        self._followers: dict[str, set[_Follower]] = {}
        self._newest: dict[str, int] = {}  # of the debates that are live in this process
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
        for follower in self._followers.get(debate, ()):
            follower.take(lines)

    def signal(self, debate: str, signal: Signal) -> None:
        """Hand on a signal to those who follow now; a slow follower misses it. Never waits, never raises."""
        heard = _Heard(self._newest.get(debate, sys.maxsize), signal)
        for follower in self._followers.get(debate, ()):
            follower.hear(heard)

    def finish(self, debate: str) -> None:
        """No more lines come from this process for now: whoever follows, now or later, ends after what is stored."""
        self._newest.pop(debate, None)
        self._finished.add(debate)
        for follower in self._followers.get(debate, ()):
            follower.end()

    def viewers(self, debate: str) -> int:
        """How many follow a debate now."""
        return len(self._followers.get(debate, ()))

    async def follow(
        self, debate: str, *, after: int = 0, live: bool = True, until: Callable[[str], bool] | None = None
    ) -> AsyncGenerator[StoredLine | Signal, None]:
        """Every line behind number ``after``, each once and in order, and between them the signals of the moment.

        It ends after the stored lines when ``live`` is false or the debate is finished in this process, and
        after the first line for which ``until`` is true (also when that is line ``after`` itself). A debate that this
        process does not drive is looked up in the store again and again; ``until`` must say when it is over.

        Raises:
            RecordError: the store cannot be read.
        """
        if until and after and any(map(until, await self._store.read(debate, after=after - 1, limit=1))):
            return
        follower = _Follower(last=after, most=self._most, ended=not live or debate in self._finished)
        self._followers.setdefault(debate, set()).add(follower)
        try:
            while (item := await self._next(debate, follower)) is not None:
                yield item
                if until and isinstance(item, StoredLine) and until(item.text):
                    return
        finally:
            self._leave(debate, follower)

    async def _next(self, debate: str, follower: _Follower) -> StoredLine | Signal | None:
        """The next item for a follower; None where it ends."""
        while (item := follower.pick()) is None:
            if follower.behind:
                await follower.read_on(self._store, debate)
            elif follower.ended:
                return None
            else:
                await self._wait(debate, follower)
        return item

    async def _wait(self, debate: str, follower: _Follower) -> None:
        follower.news.clear()
        try:
            async with asyncio.timeout(None if debate in self._newest else self._pause()):
                await follower.news.wait()
        except TimeoutError:
            follower.fall_behind()

    def _pause(self) -> float:
        """Seconds until the store is looked into again; a store that can is asked to tell of new lines before."""
        if not self._told and isinstance(self._store, Notifying):
            loop = asyncio.get_running_loop()

            def told(debate: str) -> None:
                with suppress(RuntimeError):  # the loop is closed, and its followers are gone with it
                    loop.call_soon_threadsafe(self._look, debate)

            self._store.tell(told)
            self._told = True
        return SLOW if self._told else self._poll

    def _look(self, debate: str) -> None:
        """Have those who follow a debate that another process drives look into the store; with "" any such debate."""
        for name in [debate] if debate else list(self._followers):
            if name not in self._newest:
                for follower in self._followers.get(name, ()):
                    follower.fall_behind()

    def _leave(self, debate: str, follower: _Follower) -> None:
        followers = self._followers[debate]
        followers.remove(follower)
        if not followers:
            del self._followers[debate]
