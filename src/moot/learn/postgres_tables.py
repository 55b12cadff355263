"""Memory in PostgreSQL: its schema, and its tables in the database of the records.

The driver is psycopg, which blocks: memory is read and written in threads.

A ``tsvector`` of our own stems finds the texts that contain the words; BM25 is computed here by SQLite's formula,
because PostgreSQL's ranks ignore how rare a word is. Vectors are compared by pgvector if it is available, else by
NumPy, all of them and with the same results: an index of neighbours (HNSW) would depend on the order of learning.

Several workers learn at the same time. A writer of one debate holds that debate's lock and shares the lock of all;
rebuilding everything holds the lock of all. A reader sees one snapshot and waits for nobody.
"""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from itertools import islice
from struct import pack, unpack
from typing import TYPE_CHECKING, Any, LiteralString, Self
from zlib import crc32

from moot.core.errors import RecordError
from moot.learn.tables import (
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
    import psycopg

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


def current(link: "psycopg.Connection[tuple[Any, ...]]") -> bool:
    """Whether the tables of this version exist, with all their columns."""
    if not _one(link, "SELECT to_regclass('memory_state')") or not _one(link, KIND):
        return False
    return _one(link, "SELECT value FROM memory_state WHERE name = 'version'") == VERSION


def make(link: "psycopg.Connection[tuple[Any, ...]]") -> None:
    """Create the tables again, empty."""
    link.execute(f"DROP TABLE IF EXISTS {TABLES}")
    kind = f"vector({SIZE})" if can_compare(link) else "bytea"
    link.execute(SCHEMA.replace("@vector", kind).encode())
    link.execute("INSERT INTO memory_state VALUES ('version', %s)", (VERSION,))


def compares(link: "psycopg.Connection[tuple[Any, ...]]") -> bool:
    """Whether the database can compare the stored vectors."""
    return _one(link, KIND) != "bytea"


def can_compare(link: "psycopg.Connection[tuple[Any, ...]]") -> bool:
    """Whether pgvector is installed, or can be installed now."""
    import psycopg

    if _one(link, "SELECT to_regtype('vector')") is None:
        with suppress(psycopg.Error), link.transaction():
            link.execute("CREATE EXTENSION vector")
    return _one(link, "SELECT to_regtype('vector')") is not None


def _one(link: "psycopg.Connection[tuple[Any, ...]]", sql: LiteralString) -> Any:
    """The first value of the first row; None if there is none."""
    row = link.execute(sql).fetchone()
    return row[0] if row else None


SCHEMES = ("postgresql://", "postgres://")
"""The prefixes of the address of a database."""

INSTALL = 'What was learned cannot be kept in PostgreSQL without libraries: pip install "moot[postgres]".'

CONNECT = 10
"""Seconds for a new connection."""

KEPT: Sequence[LiteralString] = ("memory_debate", "memory_item", "memory_vector", "memory_use")
"""The tables of what belongs to a debate, in the order in which they are read."""

STEP = 4096
"""The number of items written, and of vectors compared, in one batch."""

LOCK = int.from_bytes(b"moot", "big")
"""The lock of all debates; that of a debate is the next, with its hash."""

SETTINGS = """
SELECT set_config('lock_timeout', %s, false), set_config('default_transaction_isolation', 'read committed', false)
"""
COUNTS = """
SELECT word, (
    SELECT count(*) FROM (SELECT FROM memory_item WHERE kind = %s AND lexemes @@ quoted::tsquery LIMIT %s) AS held
) FROM unnest(%s::text[], %s::text[]) AS given (word, quoted)
"""
HITS = """
SELECT word, id, long, cardinality(array_positions(string_to_array(words, ' '), word))
FROM unnest(%s::text[], %s::text[]) AS given (word, quoted)
CROSS JOIN LATERAL (SELECT id, long, words FROM memory_item WHERE kind = %s AND lexemes @@ quoted::tsquery) AS item
"""
LENGTHS = "SELECT count(*), sum(long) FROM memory_item WHERE long IS NOT NULL"
ITEMS = """
SELECT item.debate, item.kind, item.n, at, body, words, vector
FROM memory_item AS item LEFT JOIN memory_vector USING (id)
"""
NEAREST = """
SELECT id, cosine FROM (
    SELECT id, debate, n, -(vector <#> %s::vector) / (norm * %s) AS cosine FROM memory_vector WHERE kind = %s
) AS item WHERE cosine >= %s ORDER BY cosine DESC, debate, n LIMIT %s
"""
# All in one value: row by row takes ten times as long.
VECTORS = "SELECT string_agg(int8send(id) || float8send(norm) || vector, ''::bytea) FROM memory_vector WHERE kind = %s"
SEE = """
SELECT item.id, item.debate, item.n, item.at, body, count(used.debate), coalesce(max(used.at), item.at)
FROM memory_item AS item LEFT JOIN memory_use AS used ON used.target = item.debate
WHERE item.id = ANY (%s) GROUP BY item.id
"""


class PostgresTables:
    """Tables in a PostgreSQL database; see ``learn.tables``.

    Args:
        connection: to the database, without transactions of its own.
    """

    def __init__(self, connection: "psycopg.Connection[tuple[Any, ...]]") -> None:
        self._db = connection
        self._place = f"the database {connection.info.dbname} on {connection.info.host}"

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
            import psycopg
        except ImportError as error:
            raise RecordError(INSTALL) from error
        with ExitStack() as opened:
            try:
                connection = psycopg.connect(address, autocommit=True, connect_timeout=CONNECT, prepare_threshold=None)
            except psycopg.ProgrammingError:  # its words can hold the password
                raise RecordError("The address of the database cannot be read.") from None
            except psycopg.Error as error:
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
            self._db.execute(SETTINGS, (f"{busy * 1000:.0f}ms",))
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
                self._db.execute("SELECT pg_advisory_xact_lock_shared(%s, 0)", (LOCK,))
                self._db.execute("SELECT pg_advisory_xact_lock(%s, %s)", (LOCK + 1, crc32(debate.encode()) - 2**31))
                yield
            else:
                self._db.execute("SELECT pg_advisory_xact_lock(%s, 0)", (LOCK,))
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
        import psycopg

        try:
            yield
        except psycopg.Error as error:
            raise _refusal(self._place, error) from error

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
        with self._db.cursor() as cursor:
            with cursor.copy("COPY memory_debate (debate, head, notes, at) FROM STDIN") as copy:
                for debate in rows.debates:
                    copy.write_row(debate)
            items = iter(rows.items)
            while block := list(islice(items, STEP)):
                self._put(cursor, block)
            with cursor.copy("COPY memory_use (target, debate, at) FROM STDIN") as copy:
                for use in rows.uses:
                    copy.write_row(use)

    def _put(self, cursor: "psycopg.Cursor[tuple[Any, ...]]", items: Sequence[ItemRow]) -> None:
        form = _listed if compares(self._db) else bytes
        cursor.execute("SELECT nextval('memory_id') FROM generate_series(1, %s)", (len(items),))
        numbered = [(row, item) for (row,), item in zip(cursor.fetchall(), items, strict=True)]
        with cursor.copy("COPY memory_item (id, debate, kind, n, at, body, words) FROM STDIN") as copy:
            for row, item in numbered:
                copy.write_row((row, *item[:6]))
        with cursor.copy("COPY memory_vector (id, debate, kind, n, vector, norm) FROM STDIN") as copy:
            for row, item in numbered:
                if item.vector is not None:
                    copy.write_row((row, *item[:3], form(item.vector), length(item.vector)))

    def drop(self, debate: str) -> None:
        """See Tables."""
        for table in KEPT:
            self._db.execute(f"DELETE FROM {table} WHERE debate = %s", (debate,))

    def rows(self) -> Rows:
        """See Tables."""
        uses = self._db.execute("SELECT target, debate, at FROM memory_use")
        return Rows(self.debates(), self._items(), map(UseRow._make, uses))

    def _items(self) -> Iterator[ItemRow]:
        for *item, vector in self._db.execute(ITEMS):
            yield ItemRow._make((*item, _numbers(vector) if isinstance(vector, str) else vector))

    def debate(self, debate: str) -> DebateRow | None:
        """See Tables."""
        cursor = self._db.execute("SELECT debate, head, notes, at FROM memory_debate WHERE debate = %s", (debate,))
        return next(map(DebateRow._make, cursor), None)

    def debates(self) -> list[DebateRow]:
        """See Tables."""
        return [DebateRow._make(row) for row in self._db.execute("SELECT debate, head, notes, at FROM memory_debate")]

    def bodies(self, kind: str, debate: str) -> list[tuple[str, int, float, str]]:
        """See Tables."""
        sql = "SELECT debate, n, at, body FROM memory_item WHERE kind = %s AND (%s = '' OR debate = %s)"
        return self._db.execute(sql + " ORDER BY at, debate, n", (kind, debate, debate)).fetchall()

    # ---- what is searched --------------------------------------------------------------------------------------

    def counts(self, words: Sequence[str], kind: str, enough: int) -> Mapping[str, int]:
        """See Tables."""
        keywords = (list(words), _quoted(words))
        counts: dict[str, int] = dict(self._db.execute(COUNTS, (kind, enough + 1, *keywords)).fetchall())
        if min((n for n in counts.values() if n), default=0) > enough:
            counts = dict(self._db.execute(COUNTS, (kind, None, *keywords)).fetchall())
        return counts

    def weigh(self, words: Sequence[str], kind: str) -> Mapping[RowId, float]:
        """See Tables."""
        ((count, total),) = self._db.execute(LENGTHS)
        hits: dict[str, list[tuple[RowId, int, int]]] = {word: [] for word in words}
        for word, *hit in self._db.execute(HITS, (list(words), _quoted(words), kind)):
            hits[word].append((hit[0], hit[1], hit[2]))
        return bm25([hits[word] for word in words], count, total / count)

    def near(self, vector: bytes, kind: str, least: float, most: int) -> Mapping[RowId, float]:
        """See Tables; the nearest where pgvector compares, else all of them."""
        if compares(self._db):
            parameters = (_listed(vector), length(vector), kind, least, most)
            return dict(self._db.execute(NEAREST, parameters).fetchall())
        near: dict[RowId, float] = {}
        ((block,),) = self._db.execute(VECTORS, (kind,), binary=True)
        step = STEP * (SIZE + 16)
        for at in range(0, len(block or b""), step):
            near.update(cosines(block[at : at + step], vector, least=least, order=">"))
        return near

    def places(self, ids: Sequence[RowId]) -> Mapping[RowId, tuple[str, int]]:
        """See Tables."""
        cursor = self._db.execute("SELECT id, debate, n FROM memory_item WHERE id = ANY (%s)", (list(ids),))
        return {row: (debate, n) for row, debate, n in cursor}

    def see(self, ids: Sequence[RowId]) -> Mapping[RowId, SearchedItem]:
        """See Tables."""
        return {row: SearchedItem(*rest) for row, *rest in self._db.execute(SEE, (list(ids),))}


def _quoted(words: Sequence[str]) -> list[str]:
    """Words as queries; a word has no quotation mark and no backslash."""
    return [f"'{word}'" for word in words]


def _listed(vector: bytes) -> str:
    """A vector as pgvector reads it."""
    return f"[{','.join(map(str, unpack(f'{SIZE}b', vector)))}]"


def _numbers(listed: str) -> bytes:
    """The vector in a text of pgvector."""
    return pack(f"{SIZE}b", *map(int, listed[1:-1].split(",")))


def _refusal(place: str, error: Exception) -> RecordError:
    sentence = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
    return RecordError(f"What was learned cannot be kept in or read from {place}: {sentence}.")
