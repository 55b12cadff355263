"""Memory in PostgreSQL: its schema, and its tables in the database of the records.

Memory is read and written in threads, and the driver is asyncpg, that of the records: a second driver took 10 MB in
each worker. So each connection has a loop of its own.

A ``tsvector`` of our own stems finds the texts that contain the words; BM25 is computed here by SQLite's formula,
because PostgreSQL's ranks ignore how rare a word is. Vectors are compared by pgvector if it is available, else by
NumPy, all of them and with the same results: an index of neighbours (HNSW) would depend on the order of learning.

Several workers learn at the same time. A writer of one debate holds that debate's lock and shares the lock of all;
rebuilding everything holds the lock of all. A reader sees one snapshot and waits for nobody.
"""

import asyncio
import os
import re
import threading
from collections.abc import Coroutine, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from itertools import islice
from struct import pack, unpack
from typing import TYPE_CHECKING, Any, LiteralString, Self, TypeVar
from urllib.parse import parse_qsl, urlsplit
from zlib import crc32

from folkmoot.core.errors import RecordError
from folkmoot.core.packages import missing_library
from folkmoot.learn.tables import (
    SIZE,
    VERSION,
    DebateRow,
    ItemRow,
    RowId,
    Rows,
    SearchedItem,
    UseRow,
    bm25,
    cosines,
    length,
)

if TYPE_CHECKING:
    import asyncpg

T = TypeVar("T")

# Texts are compared as bytes, so that an order is that of Python and of SQLite. Vectors stand by themselves and in
# place, so that comparing all of them reads nothing else.
SCHEMA: LiteralString = """
CREATE TABLE memory_debate (
    debate TEXT COLLATE "C" PRIMARY KEY, head TEXT NOT NULL, notes INTEGER NOT NULL, at DOUBLE PRECISION NOT NULL
);
CREATE TABLE memory_item (
    id BIGINT PRIMARY KEY, debate TEXT COLLATE "C" NOT NULL, kind TEXT NOT NULL, n INTEGER NOT NULL,
    at DOUBLE PRECISION NOT NULL, body TEXT NOT NULL,
    words TEXT, lexemes TSVECTOR GENERATED ALWAYS AS (array_to_tsvector(string_to_array(words, ' '))) STORED,
    long INTEGER GENERATED ALWAYS AS (cardinality(string_to_array(words, ' '))) STORED,
    UNIQUE (debate, kind, n)
);
CREATE SEQUENCE memory_id OWNED BY memory_item.id;
CREATE INDEX memory_kind ON memory_item (kind);
CREATE INDEX memory_lexemes ON memory_item USING gin (lexemes);
CREATE INDEX memory_long ON memory_item (long) WHERE long IS NOT NULL;
CREATE TABLE memory_vector (
    id BIGINT NOT NULL, debate TEXT COLLATE "C", kind TEXT, n INTEGER, vector @vector NOT NULL,
    norm DOUBLE PRECISION NOT NULL, PRIMARY KEY (debate, kind, n)
);
ALTER TABLE memory_vector ALTER vector SET STORAGE PLAIN;
CREATE TABLE memory_use (
    target TEXT COLLATE "C", debate TEXT COLLATE "C", at DOUBLE PRECISION NOT NULL, PRIMARY KEY (target, debate)
);
CREATE INDEX memory_user ON memory_use (debate);
CREATE TABLE memory_state (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
"""
TABLES: LiteralString = "memory_debate, memory_item, memory_vector, memory_use, memory_state"

# The type of the vectors, where there are some; it is gone where pgvector has been taken away.
KIND = """
SELECT format_type(atttypid, NULL) FROM pg_attribute
WHERE attrelid = to_regclass('memory_vector') AND attname = 'vector' AND NOT attisdropped
"""


def current(link: "Link") -> bool:
    """Whether the tables of this version exist, with all their columns."""
    if not link.one("SELECT to_regclass('memory_state')::text") or not link.one(KIND):
        return False
    return link.one("SELECT value FROM memory_state WHERE name = 'version'") == VERSION


def make(link: "Link") -> None:
    """Create the tables again, empty."""
    kind = f"vector({SIZE})" if can_compare(link) else "bytea"
    link.execute(f"DROP TABLE IF EXISTS {TABLES}; {SCHEMA.replace('@vector', kind)}")
    link.rows("INSERT INTO memory_state VALUES ('version', $1)", VERSION)


def compares(link: "Link") -> bool:
    """Whether the database can compare the stored vectors."""
    return link.one(KIND) != "bytea"


def can_compare(link: "Link") -> bool:
    """Whether pgvector is installed, or can be installed now."""
    import asyncpg

    if link.one(INSTALLED) is None:
        with suppress(asyncpg.PostgresError), link.transaction():
            link.execute("CREATE EXTENSION vector")
    return link.one(INSTALLED) is not None


INSTALLED = "SELECT to_regtype('vector')::text"

SCHEMES = ("postgresql://", "postgres://")
"""The prefixes of the address of a database."""

CONNECT = 10
"""Seconds for a new connection."""

KEPT: Sequence[LiteralString] = ("memory_debate", "memory_item", "memory_vector", "memory_use")
"""The tables of what belongs to a debate, in the order in which they are read."""

STEP = 4096
"""The number of items written, and of vectors compared, in one batch."""

LOCK = int.from_bytes(b"folk", "big")
"""The lock of all debates; that of a debate is the next, with its hash."""

SETTINGS = """
SELECT set_config('lock_timeout', $1, false), set_config('default_transaction_isolation', 'read committed', false)
"""
COUNTS = """
SELECT word, (
    SELECT count(*) FROM (SELECT FROM memory_item WHERE kind = $1 AND lexemes @@ quoted::tsquery LIMIT $2) AS held
) FROM unnest($3::text[], $4::text[]) AS given (word, quoted)
"""
HITS = """
SELECT word, id, long, cardinality(array_positions(string_to_array(words, ' '), word))
FROM unnest($1::text[], $2::text[]) AS given (word, quoted)
CROSS JOIN LATERAL (SELECT id, long, words FROM memory_item WHERE kind = $3 AND lexemes @@ quoted::tsquery) AS item
"""
LENGTHS = "SELECT count(*), sum(long) FROM memory_item WHERE long IS NOT NULL"
ITEMS = """
SELECT item.debate, item.kind, item.n, at, body, words, vector{}
FROM memory_item AS item LEFT JOIN memory_vector USING (id)
"""
NEAREST = """
SELECT id, cosine FROM (
    SELECT id, debate, n, -(vector <#> $1::text::vector) / (norm * $2) AS cosine FROM memory_vector WHERE kind = $3
) AS item WHERE cosine >= $4 ORDER BY cosine DESC, debate, n LIMIT $5
"""
# All in one value: row by row takes ten times as long.
VECTORS = "SELECT string_agg(int8send(id) || float8send(norm) || vector, ''::bytea) FROM memory_vector WHERE kind = $1"
SEE = """
SELECT item.id, item.debate, item.n, item.at, body, count(used.debate), coalesce(max(used.at), item.at)
FROM memory_item AS item LEFT JOIN memory_use AS used ON used.target = item.debate
WHERE item.id = ANY ($1::bigint[]) GROUP BY item.id
"""
PUT_VECTORS = """
INSERT INTO memory_vector (id, debate, kind, n, vector, norm)
SELECT id, debate, kind, n, written::vector, norm
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::integer[], $5::text[], $6::float8[])
AS given (id, debate, kind, n, written, norm)
"""


class Link:
    """A connection whose methods wait, for threads: its loop runs in a thread of its own.

    Args:
        address: of the database.
    """

    def __init__(self, address: str) -> None:
        self.place = _place(address)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="memory", daemon=True)
        self._thread.start()
        with ExitStack() as opened:
            opened.callback(self._stop)
            self._db: asyncpg.Connection[asyncpg.Record] = self._wait(_connect(address))
            opened.pop_all()

    def close(self) -> None:
        """Close it; again changes nothing."""
        if not self._loop.is_closed():
            with suppress(*_faults()):
                self._wait(self._db.close(timeout=CONNECT))
            self._stop()

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def rows(self, sql: str, *values: object) -> "list[asyncpg.Record]":
        """The rows of a statement."""
        self._check_open()
        return self._wait(self._db.fetch(sql, *values))

    def one(self, sql: str, *values: object) -> Any:
        """The first value of the first row; None if there is none."""
        rows = self.rows(sql, *values)
        return rows[0][0] if rows else None

    def execute(self, sql: str) -> None:
        """Statements without values."""
        self._check_open()
        self._wait(self._db.execute(sql))

    def copy(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Write rows into a table."""
        self._wait(self._db.copy_records_to_table(table, records=list(rows), columns=columns))

    @contextmanager
    def transaction(self) -> Generator[None]:
        """All of it or nothing; within another one, a part that can fail alone."""
        self._check_open()
        transaction = self._db.transaction()
        self._wait(transaction.start())
        try:
            yield
        except BaseException:
            with suppress(*_faults()):
                self._wait(transaction.rollback())
            raise
        self._wait(transaction.commit())

    def _check_open(self) -> None:
        if self._loop.is_closed() or self._db.is_closed():
            raise ConnectionError("the connection is closed")


async def _connect(address: str) -> "asyncpg.Connection[asyncpg.Record]":
    import asyncpg

    # Nothing is prepared, since the tables can be made anew between two statements.
    return await asyncpg.connect(address, timeout=CONNECT, statement_cache_size=0)


def _faults() -> tuple[type[BaseException], ...]:
    import asyncpg

    return (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)


def _place(address: str) -> str:
    """The database as people are shown it: without a password.

    Raises:
        RecordError: the address cannot be read; nothing of it is shown then.
    """
    try:
        parts = urlsplit(address)
        options, _ = dict(parse_qsl(parts.query)), parts.port
    except ValueError:
        parts, options = urlsplit(""), dict[str, str]()
    if not parts.scheme or re.search("%(?![0-9A-Fa-f]{2})", parts.netloc):
        raise RecordError("The address of the database cannot be read.")
    return f"the database {parts.path[1:]} on {parts.hostname or options.get('host', 'this machine')}"


class PostgresTables:
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
            faults = _faults()
        except ImportError as error:
            raise RecordError(missing_library("What is learned in PostgreSQL", "postgres")) from error
        with ExitStack() as opened:
            try:
                connection = Link(address)
            except (*faults, ValueError) as error:
                raise _refusal("the database", error) from error
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
            stale = not current(self._db)
        if stale:
            with self.writing():
                if not current(self._db):  # nobody else has made them meanwhile
                    make(self._db)

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
        except _faults() as error:
            raise _refusal(self._db.place, error) from error

    # ---- what is kept ------------------------------------------------------------------------------------------

    def clear(self) -> None:
        """See Tables. Rows are deleted, so that readers never wait; pgvector is used once it is available."""
        if compares(self._db) != can_compare(self._db):
            # In the order in which they are read, so that nobody waits for each other.
            self._db.execute(f"LOCK TABLE {TABLES} IN ACCESS EXCLUSIVE MODE")
            make(self._db)
        for table in KEPT:
            self._db.execute(f"DELETE FROM {table}")

    def put(self, rows: Rows) -> None:
        """See Tables."""
        self._db.copy("memory_debate", DebateRow._fields, rows.debates)
        items = iter(rows.items)
        while block := list(islice(items, STEP)):
            self._insert_items(block)
        self._db.copy("memory_use", UseRow._fields, rows.uses)

    def _insert_items(self, items: Sequence[ItemRow]) -> None:
        numbers = self._db.rows("SELECT nextval('memory_id') FROM generate_series(1, $1::integer)", len(items))
        numbered = [(row, item) for (row,), item in zip(numbers, items, strict=True)]
        self._db.copy("memory_item", ("id", *ItemRow._fields[:6]), ((row, *item[:6]) for row, item in numbered))
        columns = ("id", "debate", "kind", "n", "vector", "norm")
        vectors = [(row, *item[:3], item.vector, length(item.vector)) for row, item in numbered if item.vector]
        if not compares(self._db):
            self._db.copy("memory_vector", columns, vectors)
        else:
            listed = [(*row[:4], _vector_text(row[4]), row[5]) for row in vectors]
            self._db.rows(PUT_VECTORS, *([row[n] for row in listed] for n in range(len(columns))))

    def drop(self, debate: str) -> None:
        """See Tables."""
        for table in KEPT:
            self._db.rows(f"DELETE FROM {table} WHERE debate = $1", debate)

    def rows(self) -> Rows:
        """See Tables."""
        uses = self._db.rows("SELECT target, debate, at FROM memory_use")
        return Rows(self.debates(), self._items(), map(UseRow._make, uses))

    def _items(self) -> Iterator[ItemRow]:
        for *item, vector in self._db.rows(ITEMS.format("::text" if compares(self._db) else "")):
            yield ItemRow._make((*item, _numbers(vector) if isinstance(vector, str) else vector))

    def debate(self, debate: str) -> DebateRow | None:
        """See Tables."""
        rows = self._db.rows("SELECT debate, head, notes, at FROM memory_debate WHERE debate = $1", debate)
        return next(map(DebateRow._make, rows), None)

    def debates(self) -> list[DebateRow]:
        """See Tables."""
        return [DebateRow._make(row) for row in self._db.rows("SELECT debate, head, notes, at FROM memory_debate")]

    def bodies(self, kind: str, debate: str) -> list[tuple[str, int, float, str]]:
        """See Tables."""
        sql = "SELECT debate, n, at, body FROM memory_item WHERE kind = $1 AND ($2 = '' OR debate = $2)"
        return [
            (row[0], row[1], row[2], row[3]) for row in self._db.rows(sql + " ORDER BY at, debate, n", kind, debate)
        ]

    def newest(self, kind: str, limit: int) -> list[RowId]:
        """See Tables."""
        sql = "SELECT id FROM memory_item WHERE kind = $1 ORDER BY at DESC, debate, n LIMIT $2"
        return [row for (row,) in self._db.rows(sql, kind, limit)]

    # ---- what is searched --------------------------------------------------------------------------------------

    def counts(self, words: Sequence[str], kind: str, enough: int) -> Mapping[str, int]:
        """See Tables."""
        keywords = (list(words), _quoted(words))
        counts: dict[str, int] = {row[0]: row[1] for row in self._db.rows(COUNTS, kind, enough + 1, *keywords)}
        if min((n for n in counts.values() if n), default=0) > enough:
            counts = {row[0]: row[1] for row in self._db.rows(COUNTS, kind, None, *keywords)}
        return counts

    def weigh(self, words: Sequence[str], kind: str) -> Mapping[RowId, float]:
        """See Tables."""
        ((count, total),) = self._db.rows(LENGTHS)
        hits: dict[str, list[tuple[RowId, int, int]]] = {word: [] for word in words}
        for word, *hit in self._db.rows(HITS, list(words), _quoted(words), kind):
            hits[word].append((hit[0], hit[1], hit[2]))
        return bm25([hits[word] for word in words], count, total / count)

    def near(self, vector: bytes, kind: str, least: float, limit: int) -> Mapping[RowId, float]:
        """See Tables; the nearest where pgvector compares, else all of them."""
        if compares(self._db):
            rows = self._db.rows(NEAREST, _vector_text(vector), length(vector), kind, least, limit)
            return {row[0]: row[1] for row in rows}
        near: dict[RowId, float] = {}
        block = self._db.one(VECTORS, kind)
        step = STEP * (SIZE + 16)
        for at in range(0, len(block or b""), step):
            near.update(cosines(block[at : at + step], vector, least=least, order=">"))
        return near

    def places(self, ids: Sequence[RowId]) -> Mapping[RowId, tuple[str, int]]:
        """See Tables."""
        sql = "SELECT id, debate, n FROM memory_item WHERE id = ANY ($1::bigint[])"
        return {row: (debate, n) for row, debate, n in self._db.rows(sql, list(ids))}

    def see(self, ids: Sequence[RowId]) -> Mapping[RowId, SearchedItem]:
        """See Tables."""
        return {row: SearchedItem(*rest) for row, *rest in self._db.rows(SEE, list(ids))}


def _quoted(words: Sequence[str]) -> list[str]:
    """Words as queries; a word has no quotation mark and no backslash."""
    return [f"'{word}'" for word in words]


def _vector_text(vector: bytes) -> str:
    """A vector as pgvector reads it."""
    return f"[{','.join(map(str, unpack(f'{SIZE}b', vector)))}]"


def _numbers(listed: str) -> bytes:
    """The vector in a text of pgvector."""
    return pack(f"{SIZE}b", *map(int, listed[1:-1].split(",")))


def _refusal(place: str, error: BaseException) -> RecordError:
    number = error.errno if isinstance(error, OSError) else None
    sentence = (os.strerror(number) if number else str(error).strip() or type(error).__name__).splitlines()[0]
    return RecordError(f"What was learned cannot be kept in or read from {place}: {sentence.rstrip('.')}.")
