"""Memory in SQLite: its tables in the file of the records.

The tables have names of their own, so one file is all there is to keep. Commits do not wait for the disk
(``synchronous=NORMAL``): what a power cut loses is learned again from the records. Words are weighed by the BM25 of
SQLite's full-text search (FTS5).
"""

import sqlite3
from collections.abc import Generator, Iterable, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, Self

from folkmoot.core.errors import RecordError
from folkmoot.learn.tables import SEEN, VERSION, Column, SearchedItem, Tables
from folkmoot.record.sqlite_faults import log_size
from folkmoot.record.sqlite_schema import numbered

POSTINGS = 2_000
"""The most texts that are weighed for a search: its rarest words are used, up to this number of texts together.

With all words a search over 10,000 outcomes takes four times as long, more than its limit."""

TABLES = ("memory_debate", "memory_item", "memory_use", "memory_words", "memory_terms", "memory_state")

# The index of words holds no texts: it reads them in memory_item, and triggers keep it in step.
SCHEMA = """
CREATE TABLE memory_debate (debate TEXT PRIMARY KEY, head TEXT NOT NULL, notes INTEGER NOT NULL, at REAL NOT NULL);
CREATE TABLE memory_item (
    id INTEGER PRIMARY KEY, debate TEXT NOT NULL, kind TEXT NOT NULL, n INTEGER NOT NULL, at REAL NOT NULL,
    body TEXT NOT NULL, topic TEXT, words TEXT, UNIQUE (debate, kind, n)
);
CREATE INDEX memory_kind ON memory_item (kind);
CREATE TABLE memory_use (target TEXT, debate TEXT, at REAL NOT NULL, PRIMARY KEY (target, debate)) WITHOUT ROWID;
CREATE INDEX memory_user ON memory_use (debate);
CREATE VIRTUAL TABLE memory_words USING fts5 (
    kind, topic, words, content = 'memory_item', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 0'
);
CREATE TRIGGER memory_added AFTER INSERT ON memory_item WHEN new.words IS NOT NULL BEGIN
    INSERT INTO memory_words (rowid, kind, topic, words) VALUES (new.id, new.kind, new.topic, new.words);
END;
CREATE TRIGGER memory_dropped AFTER DELETE ON memory_item WHEN old.words IS NOT NULL BEGIN
    INSERT INTO memory_words (memory_words, rowid, kind, topic, words)
    VALUES ('delete', old.id, old.kind, old.topic, old.words);
END;
CREATE VIRTUAL TABLE memory_terms USING fts5vocab (memory_words, row);
CREATE TABLE memory_state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
"""

# The kind stands in the index too, so that the best are chosen before anything else is read; it weighs nothing.
SEARCH = f"""
{SEEN} matched.relevance
FROM (
    SELECT rowid, -bm25(memory_words, 0.0) AS relevance FROM memory_words
    WHERE memory_words MATCH $1 ORDER BY relevance DESC LIMIT $2
) AS matched JOIN memory_item AS item ON item.id = matched.rowid
ORDER BY matched.relevance DESC, item.debate, item.n
"""


class SqliteTables(Tables):
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
                    opened.close()
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
        row = (
            self._db.execute("SELECT value FROM memory_state WHERE name = 'version'").fetchone()
            if is_table_made
            else None
        )
        return int(row[0]) if row else 0

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

    def clear(self) -> None:
        """See Tables; the tables are made anew."""
        for name in reversed(TABLES):
            self._db.execute(f"DROP TABLE IF EXISTS {name}")
        for statement in statements(SCHEMA):
            self._db.execute(statement)
        self._db.execute("INSERT INTO memory_state VALUES ('version', ?)", (VERSION,))

    def search(self, words: Sequence[str], kind: str, column: Column, limit: int) -> list[SearchedItem]:
        """See Tables."""
        match = " OR ".join(f'"{word}"' for word in self._rarest(words))
        if not match:
            return []
        return [
            SearchedItem._make(row) for row in self._fetch(SEARCH, f"kind : {kind} AND {column} : ({match})", limit)
        ]

    def _rarest(self, words: Sequence[str]) -> list[str]:
        """The rarest of those words that stand anywhere: a word that stands in many texts says little and costs most."""
        sql = "SELECT doc FROM memory_terms WHERE term = $1"
        counts = {word: count for word in words for (count,) in self._fetch(sql, word)}
        chosen: list[str] = []
        left = POSTINGS
        for word in sorted(counts, key=lambda word: (counts[word], word)):
            left -= counts[word]
            if chosen and left < 0:
                break
            chosen.append(word)
        return chosen

    def _fetch(self, sql: str, *values: object) -> Iterable[Sequence[Any]]:
        return self._db.execute(numbered(sql), values)

    def _write(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        self._db.executemany(numbered(sql), rows)


def statements(schema: str) -> list[str]:
    """The statements of a schema; a semicolon within a trigger ends none."""
    made: list[str] = []
    for part in schema.split(";\n"):
        if made and not sqlite3.complete_statement(made[-1]):
            made[-1] += f"{part};\n"
        elif part.strip():
            made.append(f"{part};\n")
    return made


def _connect(place: Path | str, busy: float) -> sqlite3.Connection:
    is_uri = isinstance(place, str)
    return sqlite3.connect(place, timeout=busy, isolation_level=None, check_same_thread=False, uri=is_uri)


def _is_still(path: Path, error: sqlite3.OperationalError) -> bool:
    """Whether a file may only be read, and all that was written stands in it, so that it can be read without locks."""
    forbidden = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
    return forbidden and path.is_file() and not log_size(path)


def _refusal(path: Path, error: sqlite3.Error | UnicodeDecodeError) -> RecordError:
    """What SQLite said; of damaged pages it may say what Python cannot decode."""
    reason: object = "it is damaged" if isinstance(error, UnicodeDecodeError) else error
    if isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_READONLY:
        reason = "it may only be read, not written"
    return RecordError(f"What was learned cannot be kept in or read from {path}: {reason}.")
