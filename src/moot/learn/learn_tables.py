"""The Tables port: where memory is kept. This file owns its rows, and what tables must promise to a shelf.

Tables are dumb and exact, as a store of records is: they keep rows, and tell which of them hold words or are near to a
vector. What is learned, when, and how it is ranked is the same above all tables.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias

from moot.core.words import terms

VERSION = 3
"""The schema that is written here; tables of another one are dropped and made again."""

LONGEST_WORD = 40
"""Characters of a word that are searched."""

MOST_WORDS = 5_000
"""Words of one text that are searched; more are more than an index of PostgreSQL takes."""

Place: TypeAlias = Path | str
"""Where memory is: a file, "" for a file that is gone once it is closed, or the address of a database."""

RowId: TypeAlias = int
"""The number that tables give to an item. It depends on the order of learning, so nobody else may go by it."""


class DebateRow(NamedTuple):
    """A debate that was learned: the hash of its last line, how many notes were read, and when it ended."""

    debate: str
    head: str
    notes: int
    at: float


class ItemRow(NamedTuple):
    """One thing that was learned.

    ``words`` are those that it is found by, with blanks between, and ``vector`` is of what it is about; both are None
    where it is not searched.
    """

    debate: str
    kind: str
    n: int
    at: float
    body: str
    words: str | None
    vector: bytes | None


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


class Seen(NamedTuple):
    """An item as a search reads it: its row, how many have used it, and when it was made or last used."""

    debate: str
    n: int
    at: float
    body: str
    uses: int
    last: float


class Tables(Protocol):
    """Keeps what was learned. Blocks; one thread at a time; every fault is a RecordError that names the place."""

    def writing(self, debate: str = "") -> AbstractContextManager[None]:
        """One transaction, all of it or nothing: to write of one debate, or of all ("").

        Nobody else writes of that debate meanwhile, and nobody of any where it is for all.
        """
        ...

    def reading(self) -> AbstractContextManager[None]:
        """Several looks at the same state."""
        ...

    def close(self) -> None:
        """Give the file or the connection back."""
        ...

    def put(self, rows: Rows) -> None:
        """Add rows, of debates that are not there."""
        ...

    def drop(self, debate: str) -> None:
        """Take a debate out, where it is there."""
        ...

    def clear(self) -> None:
        """Take everything out."""
        ...

    def rows(self) -> Rows:
        """Everything, in any order."""
        ...

    def debate(self, debate: str) -> DebateRow | None:
        """A debate that was learned; None where it was not."""
        ...

    def debates(self) -> list[DebateRow]:
        """All debates that were learned, in any order."""
        ...

    def bodies(self, kind: str, debate: str) -> list[tuple[str, int, float, str]]:
        """Debate, number, time and fields of a kind's items, of one debate or of all (""), by time, debate, number."""
        ...

    def counts(self, words: Sequence[str], kind: str, enough: int) -> Mapping[str, int]:
        """In how many items of a kind each word stands; those where it stands in none may be left out.

        Where one stands in at most ``enough``, any number above that will do for those that stand in more.
        """
        ...

    def weigh(self, words: Sequence[str], kind: str) -> Mapping[RowId, float]:
        """The items of a kind that hold some of these words, weighed by BM25 with k1 = 1.2 and b = 0.75."""
        ...

    def near(self, vector: bytes, kind: str, least: float, most: int) -> Mapping[RowId, float]:
        """The items of a kind whose vectors have at least that cosine with another: all, or the ``most`` nearest.

        Of those that are level with the last of them the first by debate and number.
        """
        ...

    def places(self, ids: Sequence[RowId]) -> Mapping[RowId, tuple[str, int]]:
        """Debate and number of items."""
        ...

    def see(self, ids: Sequence[RowId]) -> Mapping[RowId, Seen]:
        """Items, for a search."""
        ...


def searched(text: str) -> list[str]:
    """The words of a text by which it is found, in order: stems without stop words, apart where an apostrophe stood."""
    words = " ".join(terms(text)).replace("'", " ").split()
    return [word[:LONGEST_WORD] for word in words[:MOST_WORDS]]
