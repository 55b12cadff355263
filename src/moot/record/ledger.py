"""The ledger: plays a record back, then writes it on. This file owns seq, time, the hash chain and the mismatch guard.

A ledger is the one writer of a debate. Everything else that happens to a debate while it runs goes through it.
"""

from collections import deque
from collections.abc import Callable, Sequence

from moot.core.errors import RecordMismatch
from moot.core.event import (
    PLAY_EVENTS,
    Attempted,
    Called,
    Entry,
    Event,
    PlayEvent,
    WorldEvent,
    kind,
)
from moot.core.transcript import Transcript
from moot.record.codec import digest, encode, read
from moot.record.store import Store

Publish = Callable[[str, Sequence[str], int], None]
"""Told of lines once they are durable: debate, lines, seq of the first."""


class Ledger:
    """The record of one debate, open for reading on and writing on.

    Attributes:
        debate: the debate's id.
        transcript: what the entries played back or written so far come to.
        watchers: functions that are told of every event, replayed or new, in order.
    """

    def __init__(
        self, store: Store, debate: str, *, clock: Callable[[], float], publish: Publish | None = None
    ) -> None:
        self.debate = debate
        self.transcript = Transcript()
        self.watchers: list[Callable[[Event], None]] = [self.transcript.apply, self._note_call]
        self._store, self._clock, self._publish = store, clock, publish
        self._past: deque[Entry] = deque()
        self._seq, self._head = 0, ""
        self._called: dict[tuple[str, str], Called] = {}
        self._tries: dict[tuple[str, str], int] = {}

    async def open(self) -> tuple[Entry, ...]:
        """Read what is stored; it is played back before anything is written.

        Raises:
            RecordError: the record is damaged.
        """
        lines = await self._store.read(self.debate)
        entries = read(lines)
        self._past.extend(entries)
        self._seq, self._head = len(entries), digest(lines[-1]) if lines else ""
        return entries

    @property
    def replaying(self) -> bool:
        """Whether recorded entries are left to be played back."""
        return bool(self._past)

    @property
    def head(self) -> str:
        """The hash of the last line."""
        return self._head

    def drain(self) -> None:
        """Take in the recorded world events that come before the play's next fact."""
        while self._past and not isinstance(self._past[0].event, PLAY_EVENTS):
            self._take(self._past.popleft().event)

    async def note(self, *events: PlayEvent) -> None:
        """The play makes these facts, in one step: check them against the record, or write them.

        Raises:
            RecordMismatch: the record holds another fact at this place.
            RecordConflict: another writer has appended.
        """
        fresh: list[Event] = []
        for event in events:
            if self._past:
                entry = self._past.popleft()
                if entry.event != event:
                    raise RecordMismatch(_differ(entry, event))
                self._take(event)
            else:
                fresh.append(event)
        if fresh:
            await self._write(fresh)

    async def add(self, *events: WorldEvent) -> None:
        """These things happened in the world: write them. They are applied at once and durable when this returns.

        Raises:
            RecordMismatch: the play is still behind the record, so nothing can happen yet.
            RecordConflict: another writer has appended.
        """
        if self._past:
            entry = self._past[0]
            raise RecordMismatch(_differ(entry, events[0]))
        await self._write(events)

    def called(self, key: str, call: str) -> Called | None:
        """The finished model call of that name inside that ask, if the record holds it."""
        return self._called.get((key, call))

    def tries(self, key: str, call: str) -> int:
        """How often that model call has been tried."""
        return self._tries.get((key, call), 0)

    async def _write(self, events: Sequence[Event]) -> None:
        after = self._seq
        lines = [self._stamp(event) for event in events]
        for event in events:
            self._take(event)
        await self._store.append(self.debate, lines, after=after)
        if self._publish:
            self._publish(self.debate, lines, after + 1)

    def _stamp(self, event: Event) -> str:
        self._seq += 1
        line = encode(Entry(seq=self._seq, at=self._clock(), event=event, prev=self._head))
        self._head = digest(line)
        return line

    def _take(self, event: Event) -> None:
        for watcher in self.watchers:
            watcher(event)

    def _note_call(self, event: Event) -> None:
        if isinstance(event, Attempted):
            self._tries[event.key, event.call] = event.n
        elif isinstance(event, Called):
            self._called[event.key, event.call] = event


def _differ(entry: Entry, event: Event) -> str:
    return f"entry {entry.seq}: the record holds {_show(entry.event)}, but the play makes {_show(event)}"


def _show(event: Event) -> str:
    text = str(event)
    return f"{kind(event)} {text[text.index('(') :]}"[:300]
