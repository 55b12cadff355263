"""The memory store: adds debates, searches memories by words and strength, and works with any tables.

The store is a projection of the records that can be dropped and rebuilt. It is in the same database: SQLite
(``learn.sqlite_tables``) or PostgreSQL (``learn.postgres_tables``). Every debate is added once, in one transaction.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias

from msgspec.json import encode as to_json

from folkmoot.learn.memory import (
    FailedPattern,
    FoundMemory,
    Kind,
    Lessons,
    ModelMatch,
    Outcome,
    Pattern,
    Performance,
    Position,
    Relation,
    strength,
    tier,
)
from folkmoot.learn.sqlite_tables import SqliteTables
from folkmoot.learn.tables import (
    MOST_WORDS,
    Column,
    DebateRow,
    ItemRow,
    Place,
    Rows,
    SearchedItem,
    Tables,
    UseRow,
    searched,
)
from folkmoot.record.store import SCHEMES

MOST = 100
"""The most items that a search looks at: those that match best."""

LEAST = 0.3
"""The least likeness of topics that bear on each other."""


def likeness(words: Sequence[str], others: Sequence[str]) -> float:
    """How alike two topics are, 0 to 1: the words that both have, over the root of the product of how many each has."""
    first, second = set(words), set(others)
    return len(first & second) / sqrt(len(first) * len(second)) if first and second else 0.0


def _found_memory(kind: Kind, item: SearchedItem, words: Sequence[str] = ()) -> FoundMemory:
    alike = likeness(words, item.topic.split())
    return FoundMemory(
        debate=item.debate,
        kind=kind,
        n=item.n,
        at=item.at,
        body=json.loads(item.body),
        uses=item.uses,
        tier=tier(item.uses),
        likeness=alike if alike >= LEAST else 0.0,
    )


Part: TypeAlias = Outcome | Pattern | FailedPattern | Position | Relation | Performance | ModelMatch


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing that was learned: where, its number among those of its kind there, when, and its fields."""

    debate: str
    n: int
    at: float
    body: Mapping[str, object]


class MemoryStore:
    """The memory in one file or database. Its methods block; use it from one thread at a time.

    Args:
        tables: where it is kept.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    @classmethod
    def open(cls, place: Place, *, busy: float = 10.0) -> Self:
        """Open the tables in a file or in a database, or make them; those of another version are made anew, empty.

        Args:
            place: the file, or the address of the database; "" for a file that is gone once it is closed, to be
                filled before it takes another's place.
            busy: the most seconds to wait for another program that writes there.

        Raises:
            RecordError: the place cannot be reached or written, or texts cannot be searched there.
        """
        if isinstance(place, str) and place.startswith(SCHEMES):
            from folkmoot.learn.postgres_tables import PostgresTables  # here for start-up time

            return cls(PostgresTables.open(place, busy=busy))
        return cls(SqliteTables.open(Path(place), busy=busy))

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Give the file or the connection back."""
        self._tables.close()

    # ---- what is learned ---------------------------------------------------------------------------------------

    def learned(self) -> dict[str, int]:
        """The debates that were learned, also those that are forgotten, with how many notes of the owner were known."""
        with self._tables.reading():
            return {row.debate: row.notes for row in self._tables.debates()}

    def replace(self, anew: "MemoryStore") -> frozenset[str]:
        """Replace everything by the content of another store, in one transaction.

        Returns the debates that are learned here and not there, or there with fewer notes: they must be learned again.
        """
        has = anew.learned()
        with anew._tables.reading(), self._tables.writing():
            had = self._tables.debates()
            self._tables.clear()
            self._tables.put(anew._tables.rows())
        return frozenset(row.debate for row in had if has.get(row.debate, -1) < row.notes)

    def add(self, debate: str, lessons: Lessons | None, *, head: str, notes: int = 0) -> bool:
        """Store the lessons of a debate; they replace its earlier lessons.

        Args:
            debate: its id.
            lessons: what it teaches; None if the owner has had it forgotten.
            head: the hash of the last line of its record.
            notes: how many notes of the owner are in the lessons.

        Returns:
            Whether anything was new; the same debate is kept once, and again only with more notes.
        """
        at = lessons.at if lessons else 0.0
        items = list(_items(debate, lessons)) if lessons else []
        uses = [UseRow(target, debate, at) for target in lessons.uses] if lessons else []
        with self._tables.writing(debate):
            known = self._tables.debate(debate)
            # Notes are only ever added: who read fewer of them comes late, and knows nothing that is not known.
            if known and known.head == head and known.notes >= notes:
                return False
            if known:
                self._tables.drop(debate)
            self._tables.put(Rows([DebateRow(debate, head, notes, at)], items, uses))
        return True

    def remove(self, debate: str) -> bool:
        """Take a debate out, as if it had never been learned; whether it was there."""
        with self._tables.writing(debate):
            known = self._tables.debate(debate) is not None
            self._tables.drop(debate)
        return known

    # ---- what is asked -----------------------------------------------------------------------------------------

    def bodies(self, kind: str, *, debate: str = "") -> list[Item]:
        """All items of a kind, of one debate or of all, oldest first, equals by debate."""
        with self._tables.reading():
            rows = self._tables.bodies(kind, debate)
        return [Item(debate=name, n=n, at=at, body=json.loads(body)) for name, n, at, body in rows]

    def contents(self) -> list[tuple[object, ...]]:
        """Everything that is kept, in an order that does not depend on how or where it is kept."""
        with self._tables.reading():
            rows = self._tables.rows()
            debates, uses = sorted(rows.debates), sorted(rows.uses)
            items = sorted(rows.items, key=lambda item: (item.debate, item.kind, item.n))
        return [
            *(("debate", *row) for row in debates),
            *(("item", *row) for row in items),
            *(("use", *row) for row in uses),
        ]

    def search(
        self, query: str, kind: Kind = "outcome", *, limit: int = 5, now: float = 0.0, column: Column = "words"
    ) -> tuple[FoundMemory, ...]:
        """The memories that match a query, best first: by how well their words match, times one plus their strength.

        Args:
            query: words.
            kind: what is searched.
            limit: how many at most.
            now: seconds since 1970.
            column: whether all words of a memory count, or those of what it is about alone.

        Raises:
            RecordError: the place cannot be read.
        """
        words = list(dict.fromkeys(searched(query)))
        if not words or limit < 1:
            return ()
        with self._tables.reading():
            items = self._tables.search(words, kind, column, MOST)
        items.sort(key=lambda item: -item.relevance * (1 + strength(now - item.last, item.uses)))
        return tuple(_found_memory(kind, item, words) for item in items[:limit])

    def newest(self, kind: Kind = "outcome", *, limit: int = 5) -> tuple[FoundMemory, ...]:
        """The memories of a kind, the newest first.

        Args:
            kind: what is listed.
            limit: how many at most.

        Raises:
            RecordError: the place cannot be read.
        """
        with self._tables.reading():
            return tuple(_found_memory(kind, item) for item in self._tables.newest(kind, limit))


def _items(debate: str, lessons: Lessons) -> Iterator[ItemRow]:
    """All items of some lessons; those that can be searched with their words."""
    groups: Mapping[str, Sequence[Part]] = {
        "outcome": (lessons.outcome,),
        "pattern": lessons.patterns,
        "failed_pattern": lessons.failed,
        "position": lessons.positions,
        "relation": lessons.relations,
        "performance": lessons.performances,
        "bout": lessons.matches,
    }
    topic = searched(lessons.outcome.topic)  # the author of a critique must not choose where it is recalled
    for kind, parts in groups.items():
        for n, part in enumerate(parts):
            body, text = to_json(part, order="sorted").decode(), _text(part)
            words = None if text is None else [*topic, *searched(text)][:MOST_WORDS]
            columns = (None, None) if words is None else (" ".join(topic), " ".join(words))
            yield ItemRow(debate, kind, n, lessons.at, body, *columns)


def _text(part: Part) -> str | None:
    """The text by which an item is found beside its topic; None if it is not searched."""
    match part:
        case Outcome():
            return "\n".join((part.text, *part.minority, *part.dissent))
        case Pattern():
            return "\n".join((part.issue, part.suggestion, part.before, part.after))
        case _:
            return None
