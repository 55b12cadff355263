"""The schema of memory in PostgreSQL. This file owns which tables there are, and when they are made anew."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any, LiteralString

from moot.learn.learn_tables import SIZE, VERSION

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
    """Whether the tables of this version are there, and whole."""
    if not _one(link, "SELECT to_regclass('memory_state')") or not _one(link, KIND):
        return False
    return _one(link, "SELECT value FROM memory_state WHERE name = 'version'") == VERSION


def make(link: "psycopg.Connection[tuple[Any, ...]]") -> None:
    """Make the tables anew, empty."""
    link.execute(f"DROP TABLE IF EXISTS {TABLES}")
    kind = f"vector({SIZE})" if can_compare(link) else "bytea"
    link.execute(SCHEMA.replace("@vector", kind).encode())
    link.execute("INSERT INTO memory_state VALUES ('version', %s)", (VERSION,))


def compares(link: "psycopg.Connection[tuple[Any, ...]]") -> bool:
    """Whether vectors stand in a type that the database can compare."""
    return _one(link, KIND) != "bytea"


def can_compare(link: "psycopg.Connection[tuple[Any, ...]]") -> bool:
    """Whether pgvector is there, or could be installed now."""
    import psycopg

    if _one(link, "SELECT to_regtype('vector')") is None:
        with suppress(psycopg.Error), link.transaction():
            link.execute("CREATE EXTENSION vector")
    return _one(link, "SELECT to_regtype('vector')") is not None


def _one(link: "psycopg.Connection[tuple[Any, ...]]", sql: LiteralString) -> Any:
    """The first value of the first row; None where there is none."""
    row = link.execute(sql).fetchone()
    return row[0] if row else None
