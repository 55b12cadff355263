"""Memory in SQLite. This file owns the tables of what was learned: a projection that can be dropped and made again.

The tables stand in the file of the record, under names of their own, so that one file is all there is to keep. Every
debate is added in one transaction and once; nothing that is stored depends on the order in which debates are added.
Commits are not waited for (``synchronous=NORMAL``): what a power cut takes is learned again.
"""

import json
import sqlite3
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias, get_args

from moot.core.errors import RecordError
from moot.core.words import terms
from moot.learn.finding import VECTOR, Finder, rack_of, vectors
from moot.learn.likeness import length, vector
from moot.learn.memory import Bout, Found, Kind, Lessons, Outcome, Pattern, Performance, Position, Relation

Part: TypeAlias = Outcome | Pattern | Position | Relation | Performance | Bout

VERSION = 2
"""The schema that this module writes; tables of another one are dropped and made again."""

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

COPIED: Mapping[str, str] = {
    "memory_debate": "debate, head, notes, at",
    "memory_item": "id, debate, kind, n, at, body",
    "memory_use": "target, debate, at",
    "memory_vector": "kind, rack, kept",
    "memory_words": "rowid, outcome, pattern",
}

CONTENTS = (
    "SELECT 'debate', debate, head, notes, at FROM memory_debate",
    "SELECT 'item', debate, kind, n, at, body, outcome, pattern FROM memory_item"
    " LEFT JOIN memory_words ON memory_words.rowid = memory_item.id",
    "SELECT 'use', target, debate, at FROM memory_use",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing that was learned: where, its number among those of its kind there, when, and its fields."""

    debate: str
    n: int
    at: float
    body: Mapping[str, object]


class Shelf:
    """What was learned, in one file. Blocks; one thread at a time.

    Args:
        path: the file of the record, which is there.
        connection: to that file, without transactions of its own.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path, self._db, self._finder = path, connection, Finder(connection)

    @classmethod
    def open(cls, path: str | Path, *, busy: float = 10.0) -> Self:
        """Open the tables in a file, or make them; those of another version are made anew and are empty.

        Args:
            path: the file; "" for one that is gone once it is closed, to be filled before it takes another's place.
            busy: the most seconds to wait for another program that writes in it.

        Raises:
            RecordError: the file cannot be opened or written, or this SQLite cannot search texts.
        """
        try:
            with ExitStack() as opened:
                made = sqlite3.connect(path, busy, isolation_level=None, check_same_thread=False)
                shelf = cls(Path(path), opened.enter_context(closing(made)))
                shelf._prepare()
                opened.pop_all()
        except sqlite3.Error as error:
            raise _refusal(Path(path), error) from error
        return shelf

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Give the file back."""
        self._db.close()

    def _prepare(self) -> None:
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        if self._version() != VERSION:
            with self._writing():
                if self._version() != VERSION:  # nobody else has made them meanwhile
                    self._make()

    def _version(self) -> int:
        there = self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'memory_state'").fetchone()
        return self._state("version") if there else 0

    def _state(self, name: str) -> int:
        row = self._db.execute("SELECT value FROM memory_state WHERE name = ?", (name,)).fetchone()
        return int(row[0]) if row else 0

    def _make(self) -> None:
        for name in reversed(TABLES):
            self._db.execute(f"DROP TABLE IF EXISTS {name}")
        for statement in filter(str.strip, SCHEMA.split(";")):
            self._db.execute(statement)
        self._db.execute("INSERT INTO memory_state VALUES ('version', ?)", (VERSION,))

    @contextmanager
    def _writing(self) -> Generator[None]:
        """One transaction: all of it or nothing."""
        try:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            raise _refusal(self.path, error) from error

    # ---- what is learned ---------------------------------------------------------------------------------------

    def learned(self) -> dict[str, int]:
        """The debates that were learned, also those that are forgotten, with how many notes of the owner were known."""
        with self._reading():
            return dict(self._db.execute("SELECT debate, notes FROM memory_debate").fetchall())

    def replace(self, anew: "Shelf") -> frozenset[str]:
        """Take what another shelf holds in the place of everything, at once.

        Returns the debates that are learned here and not there, or there with fewer notes: they must be learned again.
        """
        with self._writing():
            had, has = self.learned(), anew.learned()
            self._make()
            for table, columns in COPIED.items():
                sql = f"INSERT INTO {table} ({columns}) VALUES ({', '.join('?' * len(columns.split()))})"
                self._db.executemany(sql, anew._db.execute(f"SELECT {columns} FROM {table}"))
        return frozenset(debate for debate, notes in had.items() if has.get(debate, -1) < notes)

    def add(self, debate: str, lessons: Lessons | None, *, head: str, notes: int = 0) -> bool:
        """Keep the lessons of a debate in the place of those that were kept before.

        Args:
            debate: its id.
            lessons: what it teaches; None where the owner has had it forgotten.
            head: the hash of the last line of its record.
            notes: how many notes of the owner are in the lessons.

        Returns:
            Whether anything was new; the same debate is kept once, and again only with more notes.
        """
        at = lessons.at if lessons else 0.0
        items = list(_items(lessons)) if lessons else []
        texts = list(_texts(lessons)) if lessons else []
        near = {(kind, n): (" ".join(terms(words)), vector(topic)) for kind, n, words, topic in texts}
        # Notes are only ever added: who read fewer of them comes late, and knows nothing that is not known.
        same = "SELECT 1 FROM memory_debate WHERE debate = ? AND head = ? AND notes >= ?"
        with self._writing():
            if self._db.execute(same, (debate, head, notes)).fetchone():
                return False
            self._drop(debate)
            self._db.execute("INSERT INTO memory_debate VALUES (?, ?, ?, ?)", (debate, head, notes, at))
            made: dict[str, list[bytes]] = {}
            for kind, n, body in items:
                row = self._db.execute(ITEM, (debate, kind, n, at, body)).lastrowid
                if (kind, n) in near:
                    words, numbers = near[kind, n]
                    self._db.execute(f"INSERT INTO memory_words (rowid, {kind}) VALUES (?, ?)", (row, words))
                    made.setdefault(kind, []).append(VECTOR.pack(row, length(numbers), numbers))
            for kind, each in made.items():
                kept = [vector for _, vector in self._kept(kind, rack_of(debate))]
                self._shelve(kind, rack_of(debate), [*kept, *each])
            uses = [(target, debate, at) for target in lessons.uses] if lessons else []
            self._db.executemany("INSERT INTO memory_use VALUES (?, ?, ?)", uses)
        return True

    def _kept(self, kind: str, rack: int) -> list[tuple[int, bytes]]:
        """The items on a rack, each with its vector."""
        found = self._db.execute("SELECT kept FROM memory_vector WHERE kind = ? AND rack = ?", (kind, rack))
        return [each for (kept,) in found for each in vectors(kept)]

    def _shelve(self, kind: str, rack: int, kept: Sequence[bytes]) -> None:
        self._db.execute("INSERT OR REPLACE INTO memory_vector VALUES (?, ?, ?)", (kind, rack, b"".join(kept)))

    def _drop(self, debate: str) -> None:
        ids = self._db.execute("SELECT id FROM memory_item WHERE debate = ?", (debate,)).fetchall()
        self._db.executemany("DELETE FROM memory_words WHERE rowid = ?", ids)
        gone = {row for (row,) in ids}
        for kind in get_args(Kind) if gone else ():
            kept = [each for row, each in self._kept(kind, rack_of(debate)) if row not in gone]
            self._shelve(kind, rack_of(debate), kept)
        for table in ("memory_debate", "memory_item", "memory_use"):
            self._db.execute(f"DELETE FROM {table} WHERE debate = ?", (debate,))

    # ---- what is asked -----------------------------------------------------------------------------------------

    def bodies(self, kind: str, *, debate: str = "") -> list[Item]:
        """All items of a kind, of one debate or of all, oldest first, equals by debate."""
        sql = "SELECT debate, n, at, body FROM memory_item WHERE kind = ?1 AND (?2 = '' OR debate = ?2)"
        with self._reading():
            rows = self._db.execute(f"{sql} ORDER BY at, debate, n", (kind, debate)).fetchall()
        return [Item(debate=name, n=n, at=at, body=json.loads(body)) for name, n, at, body in rows]

    def contents(self) -> list[tuple[object, ...]]:
        """Everything that is kept, in an order that does not depend on how it came here."""
        with self._reading():
            rows = [row for sql in CONTENTS for row in sorted(self._db.execute(sql).fetchall(), key=repr)]
            names = {row: rest for row, *rest in self._db.execute("SELECT id, debate, kind, n FROM memory_item")}
            racks = self._db.execute("SELECT kind, rack, kept FROM memory_vector").fetchall()
        stood = [(rack, kind, *names[row], each[8:].hex()) for kind, rack, kept in racks for row, each in vectors(kept)]
        return [*rows, *sorted(("vector", *each) for each in stood)]

    def search(self, query: str, kind: Kind = "outcome", *, most: int = 5, now: float = 0.0) -> tuple[Found, ...]:
        """What bears on a query, best first: by words, by vectors, and among those by how strong a memory is.

        Args:
            query: words.
            kind: what is searched.
            most: how many at most.
            now: seconds since 1970.

        Raises:
            RecordError: the file cannot be read.
        """
        with self._reading():
            return self._finder.find(query, kind, most=most, now=now)

    @contextmanager
    def _reading(self) -> Generator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise _refusal(self.path, error) from error


def _items(lessons: Lessons) -> Iterator[tuple[str, int, str]]:
    """The kind, number and fields of everything in some lessons."""
    groups: Mapping[str, Sequence[Part]] = {
        "outcome": (lessons.outcome,),
        "pattern": lessons.patterns,
        "position": lessons.positions,
        "relation": lessons.relations,
        "performance": lessons.performances,
        "bout": lessons.bouts,
    }
    for kind, parts in groups.items():
        for n, part in enumerate(parts):
            yield kind, n, json.dumps(asdict(part), ensure_ascii=False, sort_keys=True)


def _texts(lessons: Lessons) -> Iterator[tuple[str, int, str, str]]:
    """Kind and number of what can be searched, its words, and the few that say what it is about."""
    out = lessons.outcome
    yield "outcome", 0, "\n".join((out.topic, out.text, *out.minority, *out.dissent)), out.topic
    for n, each in enumerate(lessons.patterns):
        words = "\n".join((each.issue, each.suggestion, each.before, each.after))
        yield "pattern", n, words, out.topic  # whoever criticises must not choose where that is recalled


def _refusal(path: Path, error: sqlite3.Error) -> RecordError:
    return RecordError(f"What was learned cannot be kept in or read from {path}: {error}.")
