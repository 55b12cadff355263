"""The ledger: replays a record, then appends to it, with seq, time, hash chain and a check for mismatches.

A ledger is the only writer of a debate's record. It numbers and applies each event at once. A task that ``writing``
starts then appends to the store all events that have arrived since its last append. Nothing acts on an event before it
is durable: no question is sent and no answer is used before ``flush`` or ``add`` has returned.

``running`` is a lock for each debate on this machine. The store refuses a second writer only when it appends, and by
then that writer may have paid for answers. So a process takes the lock before it runs a debate; the system frees the
lock when the process ends. The locks of one store are bytes of one empty file in a folder of the user in ``/tmp``, so
that processes with different ``TMPDIR`` see each other's locks; where ``/tmp`` cannot be written, in the temporary
folder. Without such locks (on Windows, where neither can be written, between machines) only the store refuses a second
writer.
"""

import asyncio
import hashlib
import os
import tempfile
import threading
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import TypeAlias

from folkmoot.core.agent import PastTry
from folkmoot.core.errors import RecordConflict, RecordError, RecordMismatch
from folkmoot.core.event import (
    KIND,
    PLAY_EVENTS,
    Attempted,
    Called,
    Entry,
    Erred,
    Event,
)
from folkmoot.core.transcript import Transcript
from folkmoot.record.store import Store, digest, encode, read

Publish = Callable[[str, Sequence[str], int], None]
"""A function that is called when lines are durable: debate, lines, seq of the first."""

ReadLines: TypeAlias = tuple[Sequence[str], tuple[Entry, ...]]
"""The first lines of a record, and their entries."""
NO_LINES: ReadLines = ((), ())


def read_on(lines: Sequence[str], known: ReadLines) -> tuple[Entry, ...]:
    """As ``read``; lines that were read before, and are the same, are not decoded again."""
    before, entries = known
    if not before or lines[: len(before)] != before:
        return read(lines)
    return (*entries, *read(lines[len(before) :], after=len(before), prev=digest(before[-1])))


TURNS = 6
"""Turns of the event loop that a write waits for more: the last answer of a batch and the next questions, which
follow within a few turns, then cost one commit together. It is no timer: with nothing to do it takes microseconds."""


class Ledger:
    """The record of one debate, open for replay and for writing.

    Args:
        store: where the record is.
        debate: the debate's id.
        clock: seconds since 1970.
        publish: is called when lines are durable.
        known: the first lines, where they were read before.

    Attributes:
        debate: the debate's id.
        transcript: the fold of the entries replayed or written so far.
        watchers: functions that are called with every event, replayed or new, in order.
        entries: the entries replayed or written so far.
        batches: whether a call was sent in a provider's batch.
    """

    def __init__(
        self,
        store: Store,
        debate: str,
        *,
        clock: Callable[[], float],
        publish: Publish | None = None,
        known: ReadLines = NO_LINES,
    ) -> None:
        self.debate, self._known = debate, known
        self.transcript = Transcript()
        self.watchers: list[Callable[[Event], None]] = []
        self._store, self._clock, self._publish = store, clock, publish
        self.entries: list[Entry] = []
        self._past: deque[Entry] = deque()
        self._seq, self._head = 0, ""
        self._stored = 0
        self._down: list[str] = []  # numbered, and not yet given to the store
        self._waiters: list[tuple[int, asyncio.Future[None]]] = []
        self._news = asyncio.Event()
        self._over: RecordError | None = RecordError(f"the record of {debate} is not open for writing")
        self._called: dict[tuple[str, str], Called] = {}
        self._tries: dict[tuple[str, str], int] = {}
        self._awaited: dict[tuple[str, str], Attempted] = {}
        self._lost: dict[tuple[str, str], int] = {}
        self._past_tries: dict[tuple[str, str], tuple[Attempted, float, float]] = {}  # with its time, and a wait
        self.batches = False

    async def open(self) -> tuple[Entry, ...]:
        """Read the stored lines; they are replayed before anything is written.

        Raises:
            RecordError: the record is damaged.
        """
        lines = await self._store.read(self.debate)
        entries, self._known = read_on(lines, self._known), NO_LINES
        self._past.extend(entries)
        self._seq = self._stored = len(entries)
        self._head = digest(lines[-1]) if lines else ""
        return entries

    @property
    def replaying(self) -> bool:
        """Whether recorded entries are left to replay."""
        return bool(self._past)

    @property
    def head(self) -> str:
        """The hash of the last line."""
        return self._head

    def take_world_events(self) -> None:
        """Take in the recorded world events that come before the play's next fact.

        Raises:
            RecordMismatch: one of them does not fit what was before it.
        """
        while self._past and not isinstance(self._past[0].event, PLAY_EVENTS):
            entry = self._past.popleft()
            self.entries.append(entry)
            try:
                self.transcript.apply(entry.event)
            except RecordError as error:
                raise RecordMismatch(f"entry {entry.seq}: {error}") from error
            self._apply(entry.event)

    def note(self, *events: Event) -> None:
        """Accept events: check them against the record, or queue them for writing.

        World events can only happen where the record ends; a play event that the record holds already must be the same.

        Raises:
            RecordMismatch: the record has something else at this place.
            RecordError: the debate is over, the record is not open for writing, or an event cannot be stored.
        """
        for event in events:
            if self._past:
                entry = self._past.popleft()
                if entry.event != event or not isinstance(event, PLAY_EVENTS):
                    raise RecordMismatch(_differ(entry, event))
                self.entries.append(entry)
                self.transcript.apply(event)
            else:
                self._check_open()
                self.transcript.check(event)
                self._down.append(self._stamp(event))
                self._news.set()
                self.transcript.add(event)
            self._apply(event)

    async def add(self, *events: Event) -> None:
        """Note and flush."""
        self.note(*events)
        await self.flush()

    async def flush(self) -> None:
        """Wait until all that was noted is durable.

        Raises:
            RecordConflict: another writer has appended.
            RecordError: the store cannot be written, or the record is not open for writing.
        """
        if self._over:
            raise self._over
        if self._stored < self._seq:
            durable = asyncio.get_running_loop().create_future()
            self._waiters.append((self._seq, durable))
            await durable

    @asynccontextmanager
    async def writing(self) -> AsyncGenerator[None]:
        """Write, as long as the context lasts, whatever is noted; all of it is durable at the end, unless cancelled."""
        idle, self._over = self._over, None
        async with asyncio.TaskGroup() as group:
            keeping = group.create_task(self._keep())
            try:
                yield
                await self.flush()
            except Exception:  # answers before a protocol failed were paid for too
                with suppress(RecordError):
                    await self.flush()
                raise
            finally:
                self._over = self._over or idle
                keeping.cancel()

    async def _keep(self) -> None:
        lost = RecordError(f"writing the record of {self.debate} was interrupted")
        try:
            while True:
                await self._collect()
                self._news.clear()
                lines, self._down = self._down, []
                await self._append(lines)
                self._stored += len(lines)
                if self._publish:
                    self._publish(self.debate, lines, self._stored - len(lines) + 1)
                self._wake()
        except RecordError as error:
            lost = error
            raise
        finally:
            self._give_up(lost)

    async def _append(self, lines: Sequence[str]) -> None:
        """Store lines.

        An event loop that ends cancels this too. Then the store says whether they are stored, and what is noted last,
        such as the pause, can still be written after them.
        """
        cancelled = False
        while True:
            try:
                stored = await self._store.read(self.debate, after=self._stored) if cancelled else ()
                if stored and stored == tuple(lines[: len(stored)]):
                    return self._require_all(len(stored), len(lines))
                return await self._store.append(self.debate, lines, after=self._stored)
            except asyncio.CancelledError:
                if self._over:
                    raise
                cancelled = True

    def _require_all(self, stored: int, wanted: int) -> None:
        if stored < wanted:
            raise RecordError(f"the store has written only {stored} of the last {wanted} entries of {self.debate}")

    async def _collect(self) -> None:
        """Wait for something to write and for what follows at once.

        An event loop that ends cancels every task, also the one that writes; what the others note then is written too.
        """
        while True:
            try:
                await self._news.wait()
                for _ in range(0 if self.transcript.closed else TURNS):  # behind the end nothing follows
                    await asyncio.sleep(0)
                return
            except asyncio.CancelledError:
                if self._over:
                    raise

    def _give_up(self, error: RecordError) -> None:
        """Write nothing more, because nobody knows what is stored, and keep nobody waiting.

        Who waits is told here: a task group that is being cancelled already would not cancel its tasks once more.
        """
        self._over = self._over or error
        for _, durable in self._waiters:
            if not durable.done():
                durable.set_exception(self._over)

    def _wake(self) -> None:
        waiting = [waiter for waiter in self._waiters if waiter[0] > self._stored]
        for seq, durable in self._waiters:
            if seq <= self._stored and not durable.done():
                durable.set_result(None)
        self._waiters = waiting

    def called(self, key: str, call: str) -> Called | None:
        """The finished model call with that name inside that ask, if it is in the record."""
        return self._called.get((key, call))

    def tries(self, key: str, call: str) -> int:
        """The number of tries of that model call."""
        return self._tries.get((key, call), 0)

    def past_try(self, key: str, call: str) -> PastTry | None:
        """The last try of that model call that is on record; only where it has no answer."""
        if (key, call) not in self._past_tries or (key, call) in self._called:
            return None
        tried, at, wait = self._past_tries[key, call]
        return PastTry(n=tried.n, model=tried.model, ago=max(0.0, self._clock() - at), wait=wait)

    def awaited(self, key: str, call: str) -> Attempted | None:
        """The try of that model call in a provider's batch that has no answer yet; see ``Attempted.item``."""
        return self._awaited.get((key, call))

    def lost(self, key: str, call: str) -> int:
        """The number of tries of that call that failed in a provider's batch, and were not cancelled."""
        return self._lost.get((key, call), 0)

    def _stamp(self, event: Event) -> str:
        entry = Entry(seq=self._seq + 1, at=round(self._clock(), 6), event=event, prev=self._head)
        line = encode(entry)
        self._seq, self._head = self._seq + 1, digest(line)
        self.entries.append(entry)
        return line

    def _check_open(self) -> None:
        """Refuse events while the record is not written, and after the end of the debate."""
        if self._over:
            raise self._over
        if self.transcript.closed:
            raise RecordError(f"the debate {self.debate} is over: nothing can be added to its record")

    def _apply(self, event: Event) -> None:
        self._note_call(event)  # no watcher: a ledger that holds itself is kept long after its debate
        for watcher in self.watchers:
            watcher(event)

    def _note_call(self, event: Event) -> None:
        if isinstance(event, Attempted):
            self._tries[event.key, event.call] = event.n
            self._past_tries[event.key, event.call] = event, self.entries[-1].at, 0.0
            if event.item:
                self._awaited[event.key, event.call] = event
                self.batches = True
        elif isinstance(event, Called):
            self._called[event.key, event.call] = event
            self._awaited.pop((event.key, event.call), None)
        elif isinstance(event, Erred):
            if past := self._past_tries.get((event.key, event.call)):
                self._past_tries[event.key, event.call] = past[0], self.entries[-1].at, event.wait
            awaited = self._awaited.pop((event.key, event.call), None)
            if awaited and event.kind != "cancelled":
                self._lost[event.key, event.call] = self.lost(event.key, event.call) + 1


def _differ(entry: Entry, event: Event) -> str:
    return f"entry {entry.seq}: the record has {_show(entry.event)}, but the play makes {_show(event)}"


def _show(event: Event) -> str:
    text = str(event)
    return f"{KIND[type(event)]} {text[text.index('(') :]}"[:300]


# ---- who runs a debate on this machine ------------------------------------------------------------------------------

_GUARD = threading.Lock()  # house: state because the locks on a file are the process's
PLACES: dict[str, "_LockFile"] = {}  # house: state because closing a file drops all locks that the process has on it


class _LockFile:
    """The lock file of one store, as this process has it open, and the debates that it runs.

    Args:
        name: of the file.

    Attributes:
        works: whether a free lock shows that nobody on this machine runs the debate.
    """

    def __init__(self, name: str) -> None:
        self.process, self.debates = os.getpid(), set[str]()
        self._file = open_file(name)
        self.works = self._file is not None

    def acquire(self, debate: str) -> bool:
        """Take the lock of a debate; False if somebody else has it."""
        if debate in self.debates or not self._lock(debate):
            return False
        self.debates.add(debate)
        return True

    def release(self, debate: str) -> None:
        """Release the lock of a debate."""
        self.debates.discard(debate)
        if self._file is not None:
            import fcntl  # here because Windows has none

            with suppress(OSError):
                fcntl.lockf(self._file, fcntl.LOCK_UN, 1, _byte(debate))

    def _lock(self, debate: str) -> bool:
        if self._file is None:
            return True
        import fcntl  # here because Windows has none

        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _byte(debate))
        except BlockingIOError:
            return False
        except OSError:  # a file system without locks
            self.works = False
        return True


SHARED_FOLDER = "/tmp"
"""POSIX promises it, whatever ``TMPDIR`` says."""


def open_file(name: str) -> int | None:
    """The lock file of that name, made if it is missing; None where there can be none."""
    if os.name != "posix":
        return None
    for parent in (SHARED_FOLDER, tempfile.gettempdir()):
        with suppress(OSError):
            folder = Path(parent, f"folkmoot-{os.getuid()}")
            folder.mkdir(mode=0o700, exist_ok=True)
            if folder.lstat().st_uid == os.getuid():
                path = folder / f"{name}.lock"
                file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
                os.utime(file)  # systems delete what is old there
                return file
    return None


def _byte(debate: str) -> int:
    """The place of a debate's lock in the file."""
    return int.from_bytes(hashlib.sha256(debate.encode("utf-8", "replace")).digest()[:7])


def lock_file_of(store: str) -> _LockFile:
    """The lock file of a store; what a fork copies of it is of no use, for locks are not copied."""
    lock_file = PLACES.get(store)
    if lock_file is None or lock_file.process != os.getpid():
        name = hashlib.sha256(store.encode("utf-8", "replace")).hexdigest()[:16]
        lock_file = PLACES[store] = _LockFile(name)
    return lock_file


@contextmanager
def running(store: str, debate: str) -> Generator[None]:
    """Hold the lock of a debate, so that nobody else on this machine runs it.

    Args:
        store: the full path of the file, or the address of the database, with the record.
        debate: its id.

    Raises:
        RecordConflict: another process runs it; nothing was asked or paid.
    """
    with _GUARD:
        if not _acquired(lock_file_of(store), debate):
            problem = f"{debate} is being run by another process; follow it with `folkmoot show {debate} --follow`"
            raise RecordConflict(problem)
    try:
        yield
    finally:
        with _GUARD:
            lock_file_of(store).release(debate)


def _acquired(lock_file: _LockFile, debate: str) -> bool:
    """Take a lock. Whoever only looks has it for some microseconds, so a refusal counts after the second try."""
    if debate in lock_file.debates:
        return False
    if not lock_file.acquire(debate):
        time.sleep(LOOK)
        return lock_file.acquire(debate)
    return True


LOOK = 0.05
"""Seconds after which whoever only looked whether a debate runs has let go of its lock."""


def is_running(store: str, debate: str) -> bool:
    """Whether a process on this machine runs a debate."""
    with _GUARD:
        lock_file = lock_file_of(store)
        if debate in lock_file.debates or not lock_file.acquire(debate):
            return True
        lock_file.release(debate)
        return False


def locks_are_known(store: str) -> bool:
    """Whether the locks of a store tell for certain which of its debates this machine runs."""
    with _GUARD:
        return lock_file_of(store).works
