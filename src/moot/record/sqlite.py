"""Records in one SQLite file. This file owns the file's schema and the way it is written.

One thread writes. While it commits, the appends that come in collect; it then writes them all in one transaction
("group commit"): many debates at once share the wait for the disk, and a single debate waits for no timer. WAL with
``synchronous=FULL``: readers see a commit only once it is synced. Several stores and processes may use one file.
"""

import asyncio
import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Self, TypeVar

from moot.core.errors import RecordConflict, RecordError
from moot.record.appends import Append, new_append, settle
from moot.record.store import Spine, check_lines

T = TypeVar("T")

SCHEMA_VERSION = 1
"""What ``PRAGMA user_version`` says in the files that this module writes."""

APPLICATION = int.from_bytes(b"moot", "big")
"""What ``PRAGMA application_id`` says in them."""

# ``id`` grows with every line of the file, so it tells which debate began last. Texts stand in the order of writing,
# not of debates: a commit for 200 debates then touches few pages.
SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS line (
    id INTEGER PRIMARY KEY,
    debate TEXT NOT NULL,
    seq INTEGER NOT NULL,
    text TEXT NOT NULL,
    UNIQUE (debate, seq)
);
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {SCHEMA_VERSION};
COMMIT;
"""

STATE = """
SELECT (SELECT count(*) FROM sqlite_master), application_id, user_version
FROM pragma_application_id, pragma_user_version
"""
# Python hands its lock over at every row and statement, and a thread beside a busy event loop waits for it each time:
# seconds for a hundred rows. So a whole batch, page or list is one row of one statement: lines, which hold no line
# breaks, joined by them, all else as a JSON array or object. A subquery with a LIMIT keeps its order.
LASTS = """
SELECT json_group_object(value, (SELECT coalesce(max(seq), 0) FROM line WHERE debate = value)) FROM json_each(?)
"""
INSERT = "INSERT INTO line (debate, seq, text) VALUES "
LINES = "SELECT text FROM line WHERE debate = ? AND seq > ? ORDER BY seq LIMIT ?"
READ = f"SELECT group_concat(text, char(10)) FROM ({LINES})"
# Steps from one id to the next through the index, so the price grows with the debates, not with their lines.
DEBATES = """
WITH RECURSIVE name (debate) AS (
    SELECT min(debate) FROM line
    UNION ALL
    SELECT (SELECT min(debate) FROM line WHERE line.debate > name.debate) FROM name WHERE name.debate IS NOT NULL
)
SELECT json_group_array(json(spine)) FROM (
    SELECT json_array(name.debate, final.seq, opening.text, final.text) AS spine
    FROM name
    JOIN line AS opening ON opening.debate = name.debate AND opening.seq = 1
    JOIN line AS final ON final.debate = name.debate
        AND final.seq = (SELECT max(seq) FROM line WHERE line.debate = name.debate)
    ORDER BY opening.id DESC LIMIT -1
)
"""

MOST = 2**63 - 1
"""The greatest number that SQLite can compare."""

REASONS: Mapping[int, str] = {
    sqlite3.SQLITE_BUSY: "another program is using it and did not let go in time",
    sqlite3.SQLITE_READONLY: "it may only be read, not written",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk did not take or give the data (disk I/O error, or a limit on file sizes)",
    sqlite3.SQLITE_CORRUPT: "it is damaged",
    sqlite3.SQLITE_NOTADB: "it is not a database",
    sqlite3.SQLITE_CANTOPEN: "it or a file beside it cannot be opened",
}


def explain(path: Path, error: Exception) -> RecordError:
    """One sentence for the user about what SQLite or the system said of a file."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    reason = REASONS.get(code) or getattr(error, "strerror", None) or str(error) or "not enough memory"
    return _refusal(path, reason)


def _refusal(path: Path, reason: str) -> RecordError:
    return RecordError(f"The record {path} cannot be used: {reason}.")


class SqliteStore:
    """A Store in one SQLite file; usable from any event loop, also from several one after another."""

    def __init__(self, path: Path, writing: sqlite3.Connection, reading: sqlite3.Connection) -> None:
        self.path = path
        self._writing, self._reading = writing, reading
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="moot-write")
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="moot-read")
        self._lock = threading.Lock()
        self._waiting: list[Append] = []
        self._draining = False
        self._closed = False

    @classmethod
    def open(cls, path: str | Path, *, busy: float = 10.0) -> Self:
        """Open the file, or make it (readable by its owner only) with its folder. Blocks for milliseconds.

        Args:
            path: the file.
            busy: the most seconds to wait for another program that holds the file.

        Raises:
            RecordError: it cannot be opened and written, is no record, or is one of a newer format.
        """
        path = Path(path)
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            with ExitStack() as opened:
                connect = partial(sqlite3.connect, path, busy, isolation_level=None, check_same_thread=False)
                writing, reading = (opened.enter_context(closing(connect())) for _ in range(2))
                prepare(path, writing, time.monotonic() + busy)
                opened.pop_all()
        except (OSError, sqlite3.Error) as error:
            raise explain(path, error) from error
        return cls(path, writing, reading)

    async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
        """See Store."""
        check_lines(debate, lines)
        append = new_append(debate, lines, after)
        with self._lock:
            self._check_open()
            self._waiting.append(append)
            if not self._draining:
                self._draining = True
                self._writer.submit(self._drain)
        refusal = await append.outcome
        if refusal is not None:
            raise refusal

    async def read(self, debate: str, *, after: int = 0, limit: int | None = None) -> tuple[str, ...]:
        """See Store."""
        most = MOST if limit is None else max(0, min(limit, MOST))
        return await self._ask(lambda: self._lines(debate, max(0, min(after, MOST)), most))

    async def debates(self) -> tuple[Spine, ...]:
        """See Store."""
        return await self._ask(self._spines)

    async def close(self) -> None:
        """See Store."""
        with self._lock:
            self._closed = True
        await asyncio.to_thread(self._shut)

    def _drain(self) -> None:
        """The writer's work: batch after batch, while appends wait."""
        while True:
            with self._lock:
                batch, self._waiting = self._waiting, []
                self._draining = bool(batch)
            if not batch:
                return
            settle(list(zip(batch, self._write(batch), strict=True)))

    def _write(self, batch: list[Append]) -> list[RecordError | None]:
        """Write a batch; what each append came to. A fault of the file or disk concerns all of them."""
        try:
            self._writing.execute("BEGIN IMMEDIATE")
            outcomes = self._add(batch)
            self._writing.execute("COMMIT")
        except (sqlite3.Error, MemoryError) as error:
            if self._writing.in_transaction:
                self._writing.execute("ROLLBACK")
            return [explain(self.path, error) for _ in batch]
        return outcomes

    def _add(self, batch: list[Append]) -> list[RecordError | None]:
        """Insert the lines of all appends that fit where they want to stand."""
        names = json.dumps(list({each.debate for each in batch}))
        lasts: dict[str, int] = json.loads(self._writing.execute(LASTS, (names,)).fetchone()[0])
        outcomes: list[RecordError | None] = []
        rows: list[tuple[str, int, str]] = []
        for each in batch:
            last = lasts[each.debate]
            if last == each.after:
                rows.extend((each.debate, seq, line) for seq, line in enumerate(each.lines, last + 1))
                lasts[each.debate] = last + len(each.lines)
                outcomes.append(None)
            else:
                found = f"Debate {each.debate} has {last} entries in {self.path}, not {each.after}"
                outcomes.append(RecordConflict(f"{found}: somebody else has written."))
        while rows:
            size = min(128, 2 ** (len(rows).bit_length() - 1))  # few sizes, so that prepared statements are used again
            some, rows = rows[:size], rows[size:]
            self._writing.execute(INSERT + ", ".join(["(?, ?, ?)"] * size), list(chain.from_iterable(some)))
        return outcomes

    def _lines(self, debate: str, after: int, limit: int) -> tuple[str, ...]:
        lines: str | None = self._reading.execute(READ, (debate, after, limit)).fetchone()[0]
        return () if lines is None else tuple(lines.split("\n"))

    def _spines(self) -> tuple[Spine, ...]:
        spines = json.loads(self._reading.execute(DEBATES).fetchone()[0])
        return tuple(Spine(debate=name, entries=seq, first=first, last=last) for name, seq, first, last in spines)

    async def _ask(self, question: Callable[[], T]) -> T:
        with self._lock:
            self._check_open()
            answer = asyncio.get_running_loop().run_in_executor(self._reader, question)
        try:
            return await answer
        except sqlite3.Error as error:
            raise explain(self.path, error) from error

    def _check_open(self) -> None:
        if self._closed:
            raise _refusal(self.path, "it has been closed")

    def _shut(self) -> None:
        for thread, connection in ((self._writer, self._writing), (self._reader, self._reading)):
            thread.shutdown()
            connection.close()


def prepare(path: Path, connection: sqlite3.Connection, deadline: float) -> None:
    """Make a connection fit for writing: the file is ours and can be written, has its schema, commits are synced.

    Args:
        path: the file, for the words of an error.
        connection: to the file, without transactions of its own (``isolation_level=None``).
        deadline: until when (``time.monotonic``) to wait for other programs that open the file as well.

    Raises:
        RecordError: the file is of another program or of a newer format.
        sqlite3.Error: it cannot be read or written.
    """
    tables, application, version = connection.execute(STATE).fetchone()
    if application != APPLICATION and (tables or application or version):
        raise _refusal(path, "it is a database of another program")
    if version > SCHEMA_VERSION:
        newer = f"its format is {version}, newer than this program's {SCHEMA_VERSION}"
        raise _refusal(path, f"{newer}; bring the program up to date")
    connection.execute("PRAGMA synchronous = FULL")
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as error:
            # SQLite does not wait here while another program makes the same change
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
    if version == SCHEMA_VERSION:
        connection.execute("BEGIN IMMEDIATE")  # fails here, not at the first append, where the file is read-only
        connection.execute("ROLLBACK")
    else:
        connection.executescript(SCHEMA)
