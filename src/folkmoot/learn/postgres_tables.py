"""Memory in PostgreSQL: its schema, and its tables in the database of the records.

Memory is read and written in threads, and the driver is asyncpg, that of the records: a second driver took 10 MB in
each worker. So each connection has a loop of its own.

A ``tsvector`` of our own stems finds the texts that contain words, and ``ts_rank`` orders them: unlike SQLite's BM25 it
does not know how rare a word is, so the order of what is found may differ.

Several workers learn at the same time. A writer of one debate holds that debate's lock and shares the lock of all;
rebuilding everything holds the lock of all. A reader sees one snapshot and waits for nobody.
"""

from collections.abc import Coroutine, Generator, Iterable, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from typing import TYPE_CHECKING, Any, LiteralString, Self, TypeVar
from zlib import crc32

from folkmoot.learn.tables import SEEN, VERSION, Column, SearchedItem, Tables
from folkmoot.record.postgres import BackgroundLoop
from folkmoot.record.postgres_connection import connect, explain, faults, no_library, read_place, refusal

if TYPE_CHECKING:
    import asyncpg

T = TypeVar("T")

# Texts are compared as bytes, so that an order is that of Python and of SQLite.
SCHEMA: LiteralString = """
CREATE TABLE memory_debate (
    debate TEXT COLLATE "C" PRIMARY KEY, head TEXT NOT NULL, notes INTEGER NOT NULL, at DOUBLE PRECISION NOT NULL
);
CREATE TABLE memory_item (
    debate TEXT COLLATE "C" NOT NULL, kind TEXT NOT NULL, n INTEGER NOT NULL,
    at DOUBLE PRECISION NOT NULL, body TEXT NOT NULL, topic TEXT, words TEXT,
    topic_found TSVECTOR GENERATED ALWAYS AS (array_to_tsvector(string_to_array(topic, ' '))) STORED,
    words_found TSVECTOR GENERATED ALWAYS AS (array_to_tsvector(string_to_array(words, ' '))) STORED,
    PRIMARY KEY (debate, kind, n)
);
CREATE INDEX memory_kind ON memory_item (kind);
CREATE INDEX memory_topic ON memory_item USING gin (topic_found);
CREATE INDEX memory_words ON memory_item USING gin (words_found);
CREATE TABLE memory_use (
    target TEXT COLLATE "C", debate TEXT COLLATE "C", at DOUBLE PRECISION NOT NULL, PRIMARY KEY (target, debate)
);
CREATE INDEX memory_user ON memory_use (debate);
CREATE TABLE memory_state (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
"""
TABLES: LiteralString = "memory_debate, memory_item, memory_use, memory_state"

# The last number divides a rank by the logarithm of the text's length.
SEARCH = f"""
{SEEN} ts_rank(item.@_found, query, 1)::float8 AS relevance
FROM memory_item AS item, CAST($1::text AS tsquery) AS query
WHERE item.@_found @@ query AND item.kind = $2 ORDER BY relevance DESC, item.debate, item.n LIMIT $3
"""

CONNECT = 10
"""Seconds for a new connection."""

LOCK = int.from_bytes(b"folk", "big")
"""The lock of all debates; that of a debate is the next, with its hash."""

SETTINGS = """
SELECT set_config('lock_timeout', $1, false), set_config('default_transaction_isolation', 'read committed', false)
"""


class Link:
    """A connection whose methods wait, for threads: its loop runs in a thread of its own.

    Args:
        address: of the database.
    """

    def __init__(self, address: str) -> None:
        self.place = read_place(address)
        self._background: BackgroundLoop | None = (loop := BackgroundLoop("memory"))
        try:
            # Nothing is prepared, since the tables can be made anew between two statements.
            self._db = loop.begin(connect(address, statement_cache_size=0)).result()
        except BaseException:
            loop.stop()
            raise

    def close(self) -> None:
        """Close it; again changes nothing."""
        if self._background:
            with suppress(*faults()):
                self._background.begin(self._db.close(timeout=CONNECT)).result()
            self._background.stop()
            self._background = None

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        if self._background is None or self._db.is_closed():
            work.close()
            raise refusal(self.place, "the connection is closed")
        return self._background.begin(work).result()

    def rows(self, sql: str, *values: object) -> "list[asyncpg.Record]":
        """The rows of a statement."""
        return self._wait(self._db.fetch(sql, *values))

    def one(self, sql: str, *values: object) -> Any:
        """The first value of the first row; None if there is none."""
        rows = self.rows(sql, *values)
        return rows[0][0] if rows else None

    def execute(self, sql: str) -> None:
        """Statements without values."""
        self._wait(self._db.execute(sql))

    def write(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Execute a statement once for each row of values."""
        self._wait(self._db.executemany(sql, rows))

    @contextmanager
    def transaction(self) -> Generator[None]:
        """All of it or nothing; within another one, a part that can fail alone."""
        transaction = self._db.transaction()
        self._wait(transaction.start())
        try:
            yield
        except BaseException:
            with suppress(*faults()):
                self._wait(transaction.rollback())
            raise
        self._wait(transaction.commit())


class PostgresTables(Tables):
    """Tables in a PostgreSQL database; see ``learn.tables``.

    Args:
        connection: to the database, without transactions of its own.
    """

    def __init__(self, connection: Link) -> None:
        self._db = connection

    @classmethod
    def open(cls, address: str, *, busy: float) -> Self:
        """Open the tables in a database, or make them; those of another version are made anew and are empty.

        Args:
            address: of the database; its password is shown to nobody.
            busy: the most seconds to wait for others who write there.

        Raises:
            RecordError: the database cannot be reached or written.
        """
        try:
            errors = faults()
        except ImportError as error:
            raise no_library(read_place(address)) from error
        with ExitStack() as opened:
            try:
                connection = Link(address)
            except errors as error:
                raise explain(read_place(address), error) from error
            tables = cls(opened.enter_context(closing(connection)))
            tables._prepare(busy)
            opened.pop_all()
        return tables

    def close(self) -> None:
        """See Tables."""
        self._db.close()

    def _prepare(self, busy: float) -> None:
        with self._refusing():
            self._db.rows(SETTINGS, f"{busy * 1000:.0f}ms")
            stale = not self._is_current()
        if stale:
            with self.writing():
                if not self._is_current():  # nobody else has made them meanwhile
                    self._db.execute(f"DROP TABLE IF EXISTS {TABLES}; {SCHEMA}")
                    self._db.rows("INSERT INTO memory_state VALUES ('version', $1)", VERSION)

    def _is_current(self) -> bool:
        """Whether the tables of this version are there."""
        made = self._db.one("SELECT to_regclass('memory_state')::text")
        return bool(made) and self._db.one("SELECT value FROM memory_state WHERE name = 'version'") == VERSION

    @contextmanager
    def writing(self, debate: str = "") -> Generator[None]:
        """See Tables."""
        with self._refusing(), self._db.transaction():
            if debate:
                self._db.rows("SELECT pg_advisory_xact_lock_shared($1::integer, 0)", LOCK)
                lock = (LOCK + 1, crc32(debate.encode()) - 2**31)
                self._db.rows("SELECT pg_advisory_xact_lock($1::integer, $2::integer)", *lock)
                yield
            else:
                self._db.rows("SELECT pg_advisory_xact_lock($1::integer, 0)", LOCK)
                yield
                self._db.execute(f"ANALYZE {TABLES}")  # else the first searches go by what was there before

    @contextmanager
    def reading(self) -> Generator[None]:
        """See Tables."""
        with self._refusing(), self._db.transaction():
            self._db.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield

    @contextmanager
    def _refusing(self) -> Generator[None]:
        try:
            yield
        except faults() as error:
            raise explain(self._db.place, error) from error

    def clear(self) -> None:
        """See Tables. Rows are deleted, so that readers never wait."""
        for table in ("memory_debate", "memory_item", "memory_use"):
            self._db.execute(f"DELETE FROM {table}")

    def search(self, words: Sequence[str], kind: str, column: Column, limit: int) -> list[SearchedItem]:
        """See Tables."""
        query = " | ".join(f"'{word}'" for word in words)  # a word has no quotation mark and no backslash
        return [SearchedItem._make(row) for row in self._fetch(SEARCH.replace("@", column, 2), query, kind, limit)]

    def _fetch(self, sql: str, *values: object) -> Iterable[Sequence[Any]]:
        return [tuple(row) for row in self._db.rows(sql, *values)]

    def _write(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        self._db.write(sql, rows)
