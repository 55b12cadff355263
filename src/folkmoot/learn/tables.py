"""The tables of memory: what is kept, in which rows, and the SQL that both databases share.

SQLite (``learn.sqlite_tables``) and PostgreSQL (``learn.postgres_tables``) add their schemas, their transactions and
their own full-text search. What is learned, when, and how it is ranked is the same for both.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from folkmoot.core.text import terms

VERSION = 4
"""The schema that is written here; tables of another one are dropped and made again."""

LONGEST_WORD = 40
"""Characters of a word that is searched."""

MOST_WORDS = 5_000
"""Words of one text that are searched; more are more than an index of PostgreSQL takes."""

Place: TypeAlias = Path | str
"""Where memory is: a file, "" for a file that is gone once it is closed, or the address of a database."""

Column: TypeAlias = Literal["topic", "words"]
"""What is searched: what an item is about, or all its words, which those of its topic belong to."""


class DebateRow(NamedTuple):
    """A debate that was learned: the hash of its last line, how many notes were read, and when it ended."""

    debate: str
    head: str
    notes: int
    at: float


class ItemRow(NamedTuple):
    """One thing that was learned.

    ``topic`` are the words of what it is about and ``words`` all that it is found by, with blanks between; both are
    None where it is not searched.
    """

    debate: str
    kind: str
    n: int
    at: float
    body: str
    topic: str | None
    words: str | None


class UseRow(NamedTuple):
    """A debate that was recalled, by which, and when that ended."""

    target: str
    debate: str
    at: float


class Rows(NamedTuple):
    """Everything of some debates."""

    debates: Iterable[DebateRow]
    items: Iterable[ItemRow]
    uses: Iterable[UseRow]


class SearchedItem(NamedTuple):
    """An item as a search reads it.

    ``uses`` is how many have used it, ``last`` when it was made or last used, and ``relevance`` how well it matches; only
    the order of relevances of one search has a meaning.
    """

    debate: str
    n: int
    at: float
    body: str
    topic: str
    uses: int
    last: float
    relevance: float


SEEN = """
SELECT item.debate, item.n, item.at, item.body, item.topic,
    (SELECT count(*) FROM memory_use AS used WHERE used.target = item.debate),
    coalesce((SELECT max(used.at) FROM memory_use AS used WHERE used.target = item.debate), item.at),
"""
"""The columns of a SearchedItem but the last, which follows with the rest of the statement."""


class Tables(ABC):
    """Stores what was learned. Methods block; use one thread at a time; every fault is a RecordError with the place.

    Statements number their values ``$1``, ``$2``, as PostgreSQL does.
    """

    @abstractmethod
    def writing(self, debate: str = "") -> AbstractContextManager[None]:
        """One transaction, all of it or nothing: to write of one debate, or of all ("").

        During it nobody else writes to that debate, or to any debate if it is for all.
        """

    @abstractmethod
    def reading(self) -> AbstractContextManager[None]:
        """One transaction for reading: all reads see the same state."""

    @abstractmethod
    def close(self) -> None:
        """Give the file or the connection back."""

    @abstractmethod
    def clear(self) -> None:
        """Take everything out."""

    @abstractmethod
    def search(self, words: Sequence[str], kind: str, column: Column, limit: int) -> list[SearchedItem]:
        """The items of a kind that contain some of these words, the most relevant first, equals by debate and number."""

    @abstractmethod
    def _fetch(self, sql: str, *values: object) -> Iterable[Sequence[Any]]:
        """The rows of a statement."""

    @abstractmethod
    def _write(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Execute a statement once for each row of values."""

    # ---- what both share ---------------------------------------------------------------------------------------

    def put(self, rows: Rows) -> None:
        """Add rows, of debates that are not there."""
        self._write("INSERT INTO memory_debate (debate, head, notes, at) VALUES ($1, $2, $3, $4)", rows.debates)
        columns = ", ".join(ItemRow._fields)
        self._write(f"INSERT INTO memory_item ({columns}) VALUES ($1, $2, $3, $4, $5, $6, $7)", rows.items)
        self._write("INSERT INTO memory_use (target, debate, at) VALUES ($1, $2, $3)", rows.uses)

    def drop(self, debate: str) -> None:
        """Take a debate out, where it is there."""
        for table in ("memory_debate", "memory_item", "memory_use"):
            self._write(f"DELETE FROM {table} WHERE debate = $1", [(debate,)])

    def rows(self) -> Rows:
        """Everything, in any order."""
        items = self._fetch(f"SELECT {', '.join(ItemRow._fields)} FROM memory_item")
        uses = self._fetch("SELECT target, debate, at FROM memory_use")
        return Rows(self.debates(), map(ItemRow._make, items), map(UseRow._make, uses))

    def debate(self, debate: str) -> DebateRow | None:
        """A debate that was learned; None if it was not."""
        rows = self._fetch("SELECT debate, head, notes, at FROM memory_debate WHERE debate = $1", debate)
        return next(map(DebateRow._make, rows), None)

    def debates(self) -> list[DebateRow]:
        """All debates that were learned, in any order."""
        return [DebateRow._make(row) for row in self._fetch("SELECT debate, head, notes, at FROM memory_debate")]

    def bodies(self, kind: str, debate: str) -> list[tuple[str, int, float, str]]:
        """Debate, number, time and fields of a kind's items, of one debate or of all (""), by time, debate, number."""
        sql = "SELECT debate, n, at, body FROM memory_item WHERE kind = $1 AND ($2 = '' OR debate = $2)"
        rows = self._fetch(f"{sql} ORDER BY at, debate, n", kind, debate)
        return [(debate, n, at, body) for debate, n, at, body in rows]

    def newest(self, kind: str, limit: int) -> list[SearchedItem]:
        """The items of a kind, the newest first, equals by debate and number; at most so many."""
        sql = f"{SEEN} 0.0 FROM memory_item AS item WHERE item.kind = $1 ORDER BY item.at DESC, item.debate, item.n LIMIT $2"
        return [SearchedItem._make(row) for row in self._fetch(sql, kind, limit)]


def searched(text: str) -> list[str]:
    """The words of a text by which it is found, in order: stems without stop words, split at apostrophes."""
    words = " ".join(terms(text)).replace("'", " ").split()
    return [word[:LONGEST_WORD] for word in words[:MOST_WORDS]]
