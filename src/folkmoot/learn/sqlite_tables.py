"""Memory in SQLite: its tables in the file of the records.

The tables have names of their own, so one file is all there is to keep. Commits do not wait for the disk
(``synchronous=NORMAL``): what a power cut loses is learned again from the records.

Words are weighed by SQLite's BM25. Vectors are stored in blocks (racks), each debate's in the block of its hash, and
compared one by one: a search reads all blocks, which is fast because they are few and long, and a debate that is
learned rewrites one of them.
"""

import sqlite3
import zlib
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import groupby
from pathlib import Path
from struct import Struct
from typing import Self, get_args

from folkmoot.core.errors import RecordError
from folkmoot.learn.memory import Kind
from folkmoot.learn.tables import SIZE, VERSION, DebateRow, ItemRow, RowId, Rows, SearchedItem, UseRow, cosines, length

TABLES = ("memory_debate", "memory_item", "memory_use", "memory_vector", "memory_words", "memory_terms", "memory_state")

SCHEMA = """
CREATE TABLE memory_debate (debate TEXT PRIMARY KEY, head TEXT NOT NULL, notes INTEGER NOT NULL, at REAL NOT NULL);
CREATE TABLE memory_item (
    id INTEGER PRIMARY KEY, debate TEXT NOT NULL, kind TEXT NOT NULL, n INTEGER NOT NULL, at REAL NOT NULL,
    body TEXT NOT NULL, UNIQUE (debate, kind, n)
);
CREATE INDEX memory_kind ON memory_item (kind);
CREATE TABLE memory_use (target TEXT, debate TEXT, at REAL NOT NULL, PRIMARY KEY (target, debate)) WITHOUT ROWID;
CREATE TABLE memory_vector (kind TEXT, rack INTEGER, kept BLOB NOT NULL, PRIMARY KEY (kind, rack));
CREATE VIRTUAL TABLE memory_words USING fts5 (outcome, pattern, tokenize = 'unicode61 remove_diacritics 0');
CREATE VIRTUAL TABLE memory_terms USING fts5vocab (memory_words, col);
CREATE TABLE memory_state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
"""

ITEM = "INSERT INTO memory_item (debate, kind, n, at, body) VALUES (?, ?, ?, ?, ?)"
ITEMS = """
SELECT item.id, debate, kind, n, at, body, coalesce(outcome, pattern)
FROM memory_item AS item LEFT JOIN memory_words ON memory_words.rowid = item.id
"""
SEE = """
SELECT item.id, item.debate, item.n, item.at, body, count(used.debate), coalesce(max(used.at), item.at)
FROM memory_item AS item LEFT JOIN memory_use AS used ON used.target = item.debate
WHERE item.id IN ({}) GROUP BY item.id
"""
WORDS = "SELECT rowid, -rank FROM memory_words WHERE memory_words MATCH ?"

VECTOR = Struct(f"<qd{SIZE}s")
"""A vector as it is stored: the number of its item, its length, and its components."""

BLOCKS = 1024
"""The most blocks for the vectors of a kind."""

STEP = 32
"""The number of blocks compared in one batch; small, so that their memory is used again."""


class SqliteTables:
    """Tables in one SQLite file; see ``learn.tables``.

    Args:
        path: the file of the record, which is there.
        connection: to that file, without transactions of its own.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path, self._db = path, connection

    @classmethod
    def open(cls, path: Path, *, busy: float) -> Self:
        """Open the tables in a file, or make them; those of another version are made anew and are empty.

        In a file that may only be read, they are read as they are.

        Args:
            path: the file; ``Path()`` for one that is gone once it is closed.
            busy: the most seconds to wait for another program that writes in it.

        Raises:
            RecordError: the file cannot be opened or written, or this SQLite cannot search texts.
        """
        try:
            with ExitStack() as opened:
                tables = cls(path, opened.enter_context(closing(_connect("" if path == Path() else path, busy))))
                try:
                    tables._prepare()
                except sqlite3.OperationalError as error:
                    if not _is_still(path, error):
                        raise
                    connection = _connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", busy)
                    tables = cls(path, opened.enter_context(closing(connection)))
                    if tables._version() != VERSION:
                        raise
                opened.pop_all()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise _refusal(path, error) from error
        return tables

    @classmethod
    @contextmanager
    def borrowing(cls, path: Path, connection: sqlite3.Connection) -> Generator[Self]:
        """The tables in the file of a connection that stays open, and that waits for the disk again afterwards.

        Raises:
            RecordError: the file cannot be written, or this SQLite cannot search texts.
        """
        tables = cls(path, connection)
        with tables._refusing():
            try:
                tables._make()
                yield tables
            finally:
                connection.execute("PRAGMA synchronous = FULL")

    def close(self) -> None:
        """See Tables."""
        self._db.close()

    def _prepare(self) -> None:
        self._db.execute("PRAGMA journal_mode = WAL")
        self._make()

    def _make(self) -> None:
        """Make the tables if they are missing, or are those of another version; commits wait for no disk from now."""
        self._db.execute("PRAGMA synchronous = NORMAL")
        if self._version() != VERSION:
            with self.writing():
                if self._version() != VERSION:  # nobody else has made them meanwhile
                    self.clear()

    def _version(self) -> int:
        is_table_made = self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'memory_state'").fetchone()
        return self._number("SELECT value FROM memory_state WHERE name = ?", ("version",)) if is_table_made else 0

    @contextmanager
    def writing(self, debate: str = "") -> Generator[None]:
        """See Tables; a file has one writer at a time."""
        with self._refusing():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._db.rollback()
                raise
            self._db.execute("COMMIT")

    @contextmanager
    def reading(self) -> Generator[None]:
        """See Tables."""
        with self._refusing():
            self._db.execute("BEGIN")
            try:
                yield
            finally:
                self._db.rollback()

    @contextmanager
    def _refusing(self) -> Generator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise _refusal(self.path, error) from error

    # ---- what is kept ------------------------------------------------------------------------------------------

    def clear(self) -> None:
        """See Tables; the tables are made anew."""
        for name in reversed(TABLES):
            self._db.execute(f"DROP TABLE IF EXISTS {name}")
        for statement in filter(str.strip, SCHEMA.split(";")):
            self._db.execute(statement)
        self._db.execute("INSERT INTO memory_state VALUES ('version', ?)", (VERSION,))

    def put(self, rows: Rows) -> None:
        """See Tables."""
        self._db.executemany("INSERT INTO memory_debate VALUES (?, ?, ?, ?)", rows.debates)
        vectors: dict[tuple[str, int], list[bytes]] = {}
        for is_searched, items in groupby(rows.items, key=lambda item: item.vector is not None):
            if not is_searched:
                self._db.executemany(ITEM, (item[:5] for item in items))
                continue
            for item in items:
                assert item.vector is not None
                row = self._db.execute(ITEM, item[:5]).lastrowid
                self._db.execute(f"INSERT INTO memory_words (rowid, {item.kind}) VALUES (?, ?)", (row, item.words))
                vector = VECTOR.pack(row, length(item.vector), item.vector)
                vectors.setdefault((item.kind, block_of(item.debate)), []).append(vector)
        for (kind, block), element in vectors.items():
            self._load_block(kind, block, [*(VECTOR.pack(*item) for item in self._block_items(kind, block)), *element])
        self._db.executemany("INSERT INTO memory_use VALUES (?, ?, ?)", rows.uses)

    def drop(self, debate: str) -> None:
        """See Tables."""
        ids = self._db.execute("SELECT id FROM memory_item WHERE debate = ?", (debate,)).fetchall()
        self._db.executemany("DELETE FROM memory_words WHERE rowid = ?", ids)
        gone = {row for (row,) in ids}
        for kind in get_args(Kind) if gone else ():
            remaining = [
                VECTOR.pack(*item) for item in self._block_items(kind, block_of(debate)) if item[0] not in gone
            ]
            self._load_block(kind, block_of(debate), remaining)
        for table in ("memory_debate", "memory_item", "memory_use"):
            self._db.execute(f"DELETE FROM {table} WHERE debate = ?", (debate,))

    def _block_items(self, kind: str, block: int) -> list[tuple[RowId, float, bytes]]:
        """The items of a block, each with the length and the numbers of its vector."""
        cursor = self._db.execute("SELECT kept FROM memory_vector WHERE kind = ? AND rack = ?", (kind, block))
        return [(row, long, numbers) for (value,) in cursor for row, long, numbers in VECTOR.iter_unpack(value)]

    def _load_block(self, kind: str, block: int, elements: Sequence[bytes]) -> None:
        self._db.execute("INSERT OR REPLACE INTO memory_vector VALUES (?, ?, ?)", (kind, block, b"".join(elements)))

    def rows(self) -> Rows:
        """See Tables."""
        uses = map(UseRow._make, self._db.execute("SELECT target, debate, at FROM memory_use"))
        return Rows(self.debates(), self._items(), uses)

    def _items(self) -> Iterator[ItemRow]:
        blocks = self._db.execute("SELECT kept FROM memory_vector")
        vectors = {row: numbers for (value,) in blocks for row, _, numbers in VECTOR.iter_unpack(value)}
        return (ItemRow._make((*rest, vectors.get(row))) for row, *rest in self._db.execute(ITEMS))

    def debate(self, debate: str) -> DebateRow | None:
        """See Tables."""
        cursor = self._db.execute("SELECT debate, head, notes, at FROM memory_debate WHERE debate = ?", (debate,))
        return next(map(DebateRow._make, cursor), None)

    def debates(self) -> list[DebateRow]:
        """See Tables."""
        return [DebateRow._make(row) for row in self._db.execute("SELECT debate, head, notes, at FROM memory_debate")]

    def bodies(self, kind: str, debate: str) -> list[tuple[str, int, float, str]]:
        """See Tables."""
        sql = "SELECT debate, n, at, body FROM memory_item WHERE kind = ?1 AND (?2 = '' OR debate = ?2)"
        return self._db.execute(f"{sql} ORDER BY at, debate, n", (kind, debate)).fetchall()

    def newest(self, kind: str, limit: int) -> list[RowId]:
        """See Tables."""
        sql = "SELECT id FROM memory_item WHERE kind = ? ORDER BY at DESC, debate, n LIMIT ?"
        return [row for (row,) in self._db.execute(sql, (kind, limit))]

    # ---- what is searched --------------------------------------------------------------------------------------

    def counts(self, words: Sequence[str], kind: str, enough: int) -> Mapping[str, int]:
        """See Tables; all are counted, because that is cheap here."""
        sql = "SELECT doc FROM memory_terms WHERE term = ? AND col = ?"
        return {word: self._number(sql, (word, kind)) for word in words}

    def weigh(self, words: Sequence[str], kind: str) -> Mapping[RowId, float]:
        """See Tables."""
        match = " OR ".join(f'"{word}"' for word in words)
        return dict(self._db.execute(WORDS, (f"{kind} : ({match})",)).fetchall())

    def near(self, vector: bytes, kind: str, least: float, limit: int) -> Mapping[RowId, float]:
        """See Tables; all of them."""
        blocks = self._db.execute("SELECT kept FROM memory_vector WHERE kind = ?", (kind,))
        near: dict[RowId, float] = {}
        while rows := blocks.fetchmany(STEP):
            near.update(cosines(b"".join(block for (block,) in rows), vector, least=least, order="<"))
        return near

    def places(self, ids: Sequence[RowId]) -> Mapping[RowId, tuple[str, int]]:
        """See Tables."""
        sql = "SELECT debate, n FROM memory_item WHERE id = ?"
        return {row: self._db.execute(sql, (row,)).fetchone() for row in ids}

    def see(self, ids: Sequence[RowId]) -> Mapping[RowId, SearchedItem]:
        """See Tables."""
        rows = self._db.execute(SEE.format(", ".join("?" * len(ids))), ids)
        return {row: SearchedItem(*rest) for row, *rest in rows}

    def _number(self, sql: str, parameters: Sequence[str]) -> int:
        row = self._db.execute(sql, parameters).fetchone()
        return int(row[0]) if row else 0


def _connect(place: Path | str, busy: float) -> sqlite3.Connection:
    is_uri = isinstance(place, str)
    return sqlite3.connect(place, busy, isolation_level=None, check_same_thread=False, uri=is_uri)


def _is_still(path: Path, error: sqlite3.OperationalError) -> bool:
    """Whether a file may only be read, and all that was written stands in it, so that it can be read without locks."""
    log = Path(f"{path}-wal")
    forbidden = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
    return forbidden and path.is_file() and not (log.exists() and log.stat().st_size)


def block_of(debate: str) -> int:
    """The block that holds the vectors of a debate."""
    return zlib.crc32(debate.encode()) % BLOCKS


def _refusal(path: Path, error: sqlite3.Error | UnicodeDecodeError) -> RecordError:
    """What SQLite said; of damaged pages it may say what Python cannot decode."""
    reason: object = "it is damaged" if isinstance(error, UnicodeDecodeError) else error
    if isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_READONLY:
        reason = "it may only be read, not written"
    return RecordError(f"What was learned cannot be kept in or read from {path}: {reason}.")
