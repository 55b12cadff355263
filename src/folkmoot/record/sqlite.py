"""Records in one SQLite file: the schema and how the file is written.

One thread writes. While it commits, new appends collect; it then writes them all in one transaction ("group commit").
So many debates share the wait for the disk, and a single debate waits for no timer. WAL with ``synchronous=FULL``:
readers see a commit only once it is synced. Several stores and processes may use one file.

The stores of one process on one file share its connections and threads. Never open and close that file, or one beside
it, by other means than SQLite while a store has it open: POSIX then drops all locks that the process holds on it, and
another process may delete the log under the connections, with what was committed.
"""

import asyncio
import errno
import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self, TypeVar
from weakref import WeakValueDictionary

from folkmoot.core.errors import RecordConflict, RecordError
from folkmoot.core.text import flat
from folkmoot.record import sql, sqlite_faults, sqlite_schema
from folkmoot.record.listing import ListQuery, Page
from folkmoot.record.sqlite_faults import FAULTS, FORKED, REASONS, explain, log_size, refusal, state_of
from folkmoot.record.sqlite_schema import FileLocation, check_format, transaction
from folkmoot.record.store import Append, PendingAppends, StreamInfo, check_lines, new_append, notify_callers, wait_for
from folkmoot.record.summary_fold import Fold

T = TypeVar("T")


class SqliteStore:
    """A Store in one SQLite file; usable from any event loop, also from several one after another.

    Attributes:
        path: the file, as it was named.
    """

    def __init__(self, path: Path, file: "SqliteFile", *, reading: bool) -> None:
        self.path = path
        self._file, self._reading = file, reading
        self._closed = False

    @property
    def real_path(self) -> Path:
        """The file, without links."""
        return self._file.path

    @classmethod
    def open(cls, path: str | Path, *, busy: float = 10.0, reading: bool = False) -> Self:
        """Open or create the file (readable by its owner only) and its folder. Blocks for milliseconds.

        Args:
            path: the file.
            busy: the most seconds to wait for another program that holds the file; where this process has it open
                already, that is as it was said then.
            reading: the file is there and only read. It may be one that cannot be written; every append is refused.

        Raises:
            RecordError: it cannot be opened, is no record, is one of another format, or cannot be written.
        """
        path = Path(path)
        try:
            with _OPENING:
                file = _shared_file(path, busy, reading=reading)
        except (OSError, *FAULTS) as error:
            raise explain(path, error) from error
        return cls(path, file, reading=reading)

    async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
        """See Store."""
        check_lines(debate, lines)
        append = new_append(debate, lines, after)
        with self._in_use():
            if self._reading:
                raise refusal(self.path, REASONS[sqlite3.SQLITE_READONLY])
            self._file.begin(append)
        problem = await append.outcome
        if problem is not None:
            raise problem

    async def read(self, debate: str, *, after: int = 0, limit: int | None = None) -> tuple[str, ...]:
        """See Store."""
        first, most = max(0, min(after, sqlite_schema.MOST)), sqlite_schema.MOST
        maximum = most if limit is None else max(0, min(limit, most))
        with self._in_use():
            if self._file.has_no_more(debate, first):
                return ()
        return await self._ask(lambda: self._file.lines(debate, first, maximum), debate)

    async def debates(self) -> tuple[StreamInfo, ...]:
        """See Store."""
        return await self._ask(self._file.infos)

    async def count(self, debate: str) -> int:
        """See Listing."""
        return await self._ask(lambda: self._file.fetch(sql.COUNT, debate), debate)

    async def last(self, debate: str) -> str | None:
        """See Listing."""
        return await self._ask(lambda: self._file.fetch(f"SELECT ({sql.LAST})", debate), debate)

    async def names(self) -> tuple[str, ...]:
        """See Listing."""
        return tuple(json.loads(await self._ask(lambda: self._file.fetch(sqlite_schema.NAMES))))

    async def page(self, query: ListQuery) -> Page:
        """See Listing."""
        return await self._ask(lambda: self._file.look(lambda connection: sqlite_schema.page(connection, query)))

    async def check(self) -> None:
        """See Checking."""
        await self._ask(self._file.check)

    async def remove(self, debates: Sequence[str]) -> None:
        """See Removing; the file keeps nothing of what was stored."""
        names = json.dumps(list(debates))
        await self.write(lambda connection: self._file.remove(connection, names))

    async def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Have the writer's thread do some other work with its connection, outside its transactions.

        Raises:
            RecordError: the file cannot be written, or whatever the work raises.
        """
        with self._in_use():
            if self._reading:
                raise refusal(self.path, REASONS[sqlite3.SQLITE_READONLY])
            working = self._file.submit(work)
        try:
            return await asyncio.wrap_future(working)
        except FAULTS as error:
            raise explain(self.path, error) from error

    async def close(self) -> None:
        """See Store. The file itself is closed with the last of its stores."""
        if self._file.process == os.getpid():
            with self._file.lock:
                closed, self._closed = self._closed, True
            if not closed and not _leave_open(self._file):
                await asyncio.to_thread(_give_back, self._file)

    async def _ask(self, question: Callable[[], T], debate: str | None = None) -> T:
        """The result of the reader, after the debate's pending appends have ended."""
        with self._in_use():
            begun = () if debate is None else self._file.begun.of(debate)
        await wait_for(begun)
        with self._in_use():
            answer = asyncio.get_running_loop().run_in_executor(self._file.reader, question)
        try:
            return await answer
        except FAULTS as error:
            raise explain(self.path, error) from error

    @contextmanager
    def _in_use(self) -> Generator[None]:
        """A context in which the file can be read, and this store cannot be closed."""
        if self._file.process != os.getpid():
            raise refusal(self.path, FORKED)
        with self._file.lock:
            if self._closed:
                raise refusal(self.path, "it has been closed")
            yield


class SqliteFile:
    """An open file of this process: its connections, its writer, its reader, and what waits for them.

    Args:
        path: the file, without links.
        key: identifies the file.
        busy: the most seconds to wait for another program that holds it.

    Attributes:
        process: which process that is: what a fork copies of it is of no use.
        stores: how many stores use it.
        lock: held for moments by each caller.
        begun: the appends of all stores that have not landed.
        reader: the thread that reads.
        still: what the file looked like when it was opened, where no locks can be had on it because it may only be
            read; then it must not change.
    """

    def __init__(self, path: Path, key: tuple[int, int], busy: float) -> None:
        self.path, self.key, self.process, self.stores = path, key, os.getpid(), 0
        self.lock = threading.Lock()
        self.begun = PendingAppends()
        self.reader = ThreadPoolExecutor(1, thread_name_prefix="folkmoot-read")
        self.still: tuple[int, ...] | None = None
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="folkmoot-write")
        self._busy = busy
        self._reading: sqlite3.Connection | None = None
        self._writing: sqlite3.Connection | None = None
        self._looking: sqlite3.Connection | None = None
        self._location: FileLocation | None = None
        self._known = sqlite_schema.KnownSummaries()
        self._waiting: list[Append] = []
        self._draining = False
        self._working = 0

    def _connect(self, how: str, busy: float | None = None) -> sqlite3.Connection:
        """A connection to the file as it was opened; it never creates the file, because others could then read it."""
        if self._location:
            self._location.check()
        wait, uri = self._busy if busy is None else busy, f"{self.path.as_uri()}?{how}"
        connection = sqlite3.connect(uri, timeout=wait, isolation_level=None, check_same_thread=False, uri=True)
        connection.text_factory = sqlite_schema.as_text
        return connection

    # ---- while it is opened and closed: one thread at a time, under _OPENING -----------------------------------------

    def prepare_writing(self) -> None:
        """Prepare it for writing, once."""
        if self._writing is None:
            connection = self._connect("mode=rw")
            try:
                sqlite_schema.prepare(self.path, connection, time.monotonic() + self._busy)
            except BaseException:
                connection.close()
                raise
            self._writing, self._location = connection, FileLocation(self.path)

    def prepare_reading(self) -> None:
        """See that it can be read, also without locks: those of a log need files beside it, which may be forbidden."""
        self._reading = self._connect("mode=rw")
        try:
            has_tables = check_format(self.path, self._reading)
        except sqlite3.OperationalError as error:
            forbidden = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
            if not forbidden or log_size(self.path):
                raise
            self.still = state_of(self.path)
            self._reading.close()
            self._reading = self._connect("mode=ro&immutable=1")
            has_tables = check_format(self.path, self._reading)
        if not has_tables:
            raise refusal(self.path, "there is no record in it")

    def shut(self) -> None:
        """Finish pending work and close everything."""
        for thread in (self._writer, self.reader):
            thread.shutdown()
        # The writer's last: the last one to be closed moves the log into the file, which one that only reads cannot.
        for connection in filter(None, (self._looking, self._reading, self._writing)):
            connection.close()

    # ---- the writer --------------------------------------------------------------------------------------------------

    def begin(self, append: Append) -> None:
        """Hand an append to the writer; under the lock."""
        self.begun.add(append)
        self._waiting.append(append)
        if not self._draining:
            self._draining = True
            self._writer.submit(self._drain)

    def submit(self, work: Callable[[sqlite3.Connection], T]) -> Future[T]:
        """Hand other work to the writer; under the lock."""
        self._working += 1
        return self._writer.submit(self._work, work)

    def _work(self, work: Callable[[sqlite3.Connection], T]) -> T:
        assert self._writing is not None
        try:
            return work(self._writing)
        finally:
            with self.lock:
                self._working -= 1

    def remove(self, connection: sqlite3.Connection, names: str) -> None:
        """Remove debates, on the writer's thread; the names are a list in JSON."""
        self._known.forget()
        connection.execute("PRAGMA secure_delete = ON")
        with transaction(connection):
            for table in ("folkmoot_line", "folkmoot_summary"):
                connection.execute(sqlite_schema.REMOVE.format(table=table), (names,))
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def _drain(self) -> None:
        """Write batch after batch, while appends wait; who is told finds the writer at rest if there is no other."""
        batch = self._next_batch()
        while batch:
            outcomes = list(zip(batch, self._write(batch), strict=True))
            batch = self._next_batch()
            notify_callers(outcomes)

    def _next_batch(self) -> list[Append]:
        with self.lock:
            batch, self._waiting = self._waiting, []
            self._draining = bool(batch)
        return batch

    def _write(self, batch: list[Append]) -> list[RecordError | None]:
        """Write a batch; the outcome of each append. An error of the file or the disk concerns all of them."""
        connection, place = self._writing, self._location
        assert connection is not None
        assert place is not None
        try:
            with transaction(connection):
                outcomes = self._add(connection, batch)
            place.check()
        except FAULTS as error:
            self._known.forget()
            return [explain(self.path, error) for _ in batch]
        return outcomes

    def _add(self, connection: sqlite3.Connection, batch: list[Append]) -> list[RecordError | None]:
        """Insert the lines of all appends whose place fits."""
        folds = self._known.folds(connection, {append.debate: None for append in batch})
        outcomes: list[RecordError | None] = []
        rows: list[tuple[str, int, str]] = []
        grown: dict[str, Fold] = {}
        for append in batch:
            fold = folds[append.debate]
            if fold.entries == append.after:
                rows.extend((append.debate, seq, line) for seq, line in enumerate(append.lines, append.after + 1))
                for line in append.lines:
                    fold.add(line)
                    grown[append.debate] = fold
                outcomes.append(None)
            else:
                sentence = f"Debate {append.debate} has {fold.entries} entries in {self.path}, not {append.after}"
                outcomes.append(RecordConflict(f"{sentence}: somebody else has written."))
        sqlite_schema.insert(connection, rows)
        if grown:
            sqlite_schema.keep(connection, grown.values())
        return outcomes

    # ---- the reader --------------------------------------------------------------------------------------------------

    def has_no_more(self, debate: str, after: int) -> bool:
        """Whether a debate has no lines behind a number; False where that shows only by waiting. Under the lock.

        Most reads are of mailboxes without news, and to have a thread look costs ten times what the look costs. Nor
        does it need a connection of its own while the writer rests.
        """
        connection = self._writing
        if connection is None or self.begun.of(debate):
            return False
        try:
            if self._draining or self._working:
                connection = self._looking = self._looking or self._connect("mode=ro", busy=0)
            return not connection.execute(sqlite_schema.HAS_MORE, (debate, after)).fetchone()[0]
        except FAULTS:  # the reader says what is wrong
            return False

    def lines(self, debate: str, after: int, limit: int) -> tuple[str, ...]:
        """Some lines of a debate."""
        lines: str | None = self.fetch(sqlite_schema.READ, debate, after, limit)
        return () if lines is None else tuple(lines.split("\n"))

    def infos(self) -> tuple[StreamInfo, ...]:
        """All debates."""
        infos = json.loads(self.fetch(sqlite_schema.DEBATES) or "[]")
        return tuple(StreamInfo(debate=name, entries=seq, first=first, last=last) for name, seq, first, last in infos)

    def check(self) -> None:
        """See Checking."""
        if (problem := self.fetch(sqlite_schema.PROBLEM)) != "ok":
            raise refusal(self.path, f"it is damaged ({flat(problem.removeprefix('*** in database main ***'))})")

    def look(self, question: Callable[[sqlite3.Connection], T]) -> T:
        """A context for several statements on one state of the file."""
        connection = self._reader_connection()
        with transaction(connection, "DEFERRED"):
            answer = question(connection)
        self._check_still()
        return answer

    def _reader_connection(self) -> sqlite3.Connection:
        """The reader's connection, made when it first reads: many a debate is written without."""
        self._reading = self._reading or self._connect("mode=rw")
        return self._reading

    def fetch(self, question: str, *values: str | int) -> Any:
        """The first value of a question to the reader."""
        answer = self._reader_connection().execute(sqlite_schema.numbered(question), values).fetchone()[0]
        self._check_still()
        return answer

    def _check_still(self) -> None:
        if self.still and state_of(self.path) != self.still:
            raise refusal(self.path, "another program has written it meanwhile; try again")


_OPENING = threading.Lock()  # house: state because the locks on a file are the process's
_FILES: WeakValueDictionary[tuple[int, int], SqliteFile] = WeakValueDictionary()  # house: state because stores share


def _no_forks(**_: object) -> None:
    """Registers nothing, where processes cannot fork."""


# Nobody opens or closes a file while the process is copied.
getattr(os, "register_at_fork", _no_forks)(
    before=_OPENING.acquire, after_in_parent=_OPENING.release, after_in_child=_OPENING.release
)


def is_open(path: Path) -> bool:
    """Whether a store of this process has that file open, or keeps it beside one that it has open.

    Whoever opens and closes such a file by other means than SQLite takes the record's locks away.
    """
    names = [f"{file.path}{end}" for file in list(_FILES.values()) for end in ("", "-wal", "-shm")]
    return any(sqlite_faults.is_same(path, name) for name in names)


def _shared_file(path: Path, busy: float, *, reading: bool) -> SqliteFile:
    """The file of a path, for one more store; call it under _OPENING."""
    real = Path(os.path.realpath(path))
    if not reading:
        sqlite_schema.make_file(real)
    if real.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    stat = real.stat()
    if stat.st_nlink > 1 and not reading:
        raise refusal(path, sqlite_faults.TWO_NAMES)
    key = stat.st_dev, stat.st_ino
    file = _FILES.get(key)
    if file is not None and file.process != os.getpid():
        raise refusal(path, FORKED)
    fresh = file is None
    file = file or SqliteFile(real, key, busy)
    file.stores += 1
    try:
        if not reading:
            file.prepare_writing()
        elif fresh:
            file.prepare_reading()
    except BaseException:
        _let_go(file)
        raise
    if not file.still:  # it may become writable
        _FILES[key] = file
    return file


def _leave_open(file: SqliteFile) -> bool:
    """Remove one store, if nothing has to be waited for: others keep the file open, and no append is pending."""
    with _OPENING:
        others = file.stores > 1 and not file.begun.any()
        file.stores -= others
    return others


def _give_back(file: SqliteFile) -> None:
    """Remove one store; pending work is finished first."""
    file.begun.wait()
    with _OPENING:
        _let_go(file)


def _let_go(file: SqliteFile) -> None:
    file.stores -= 1
    if not file.stores:
        if _FILES.get(file.key) is file:
            del _FILES[file.key]
        file.shut()
