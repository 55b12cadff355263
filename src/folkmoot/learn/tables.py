"""The Tables interface of memory, its rows, text vectors, and the fusion of search rankings.

Tables keep rows, and say which of them contain words or are near a vector. What is learned, when, and how it is ranked
is the same for all tables.

Vectors are hashed features of words with signs (Weinberger et al., "Feature Hashing for Large Scale Multitask
Learning", 2009): stems, pairs of consecutive stems, and four-letter pieces for other languages and typing errors;
weights ``1 + ln n``. Integers take a quarter of the space of floats, and their sums are the same in any order.
Rankings are joined by reciprocal rank fusion with k = 60 (Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion
outperforms Condorcet and Individual Rank Learning Methods", 2009). Outside SQLite, words are weighed by its formula,
BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009).
"""

import zlib
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import pairwise
from math import log, sqrt
from pathlib import Path
from struct import unpack
from typing import Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from folkmoot.core.text import terms

SIZE = 256
"""Numbers of a vector."""

TOP = 127
"""The largest number of a vector, without its sign."""

K = 60
"""The constant of reciprocal rank fusion: a larger one gives the first ranks less weight."""

PIECE = 4
"""Letters of a piece of a word."""

LEAST = 0.25
"""The least cosine of similar short texts; unrelated texts have 0 ± 0.06."""

_PAIR, _PART = 0.5, 0.3
"""The weights of a pair of words and of a piece; a word has weight 1."""

T = TypeVar("T", bound=Hashable)


def vector(text: str) -> bytes:
    """A text as SIZE signed bytes, of which the largest is TOP; all 0 for a text without words."""
    words = terms(text)
    numbers: dict[int, float] = {}
    features: Counter[str] = Counter()
    for word, n in Counter(words).items():
        spelt = f"^{word}$"
        pieces = range(len(spelt) - PIECE + 1) if len(word) > PIECE else ()
        _add(numbers, word, 1 + log(n))
        features.update({f"_{spelt[at : at + PIECE]}": n for at in pieces})
    for piece, n in features.items():
        _add(numbers, piece, _PART * (1 + log(n)))
    for pair, n in Counter(pairwise(words)).items():
        _add(numbers, " ".join(pair), _PAIR * (1 + log(n)))
    scale = TOP / (max(map(abs, numbers.values()), default=0.0) or 1.0)
    packed = bytearray(SIZE)  # most are 0
    for index, number in numbers.items():
        packed[index] = round(number * scale) % 256
    return bytes(packed)


def length(numbers: bytes) -> float:
    """The length of a vector; 1 for the zero vector, which is similar to none."""
    return sqrt(sum(item * item for item in unpack(f"{SIZE}b", numbers) if item)) or 1.0


def cosines(block: bytes, other: bytes, *, least: float, order: Literal["<", ">"]) -> dict[int, float]:
    """Which of many vectors have at least that cosine with another.

    Args:
        block: for each an item's number and the vector's length, in 8 bytes each, and the vector.
        other: that with which they are compared.
        least: the cosine.
        order: of the bytes of a number: ``<`` the lowest first, ``>`` the highest first.
    """
    import numpy as np  # here for start-up time: who only learns needs no matrix

    layout = np.dtype([("id", f"{order}i8"), ("length", f"{order}f8"), ("numbers", "i1", (SIZE,))])
    many, numbers = np.frombuffer(block, dtype=layout), np.frombuffer(other, dtype="i1").astype("f4")
    # Sums of whole numbers below 2^24, which single floats hold exactly. They are made in one thread: those of
    # a matrix product wait for each other on a busy machine, forty times as long as it takes.
    products = np.einsum("ij,j->i", many["numbers"].astype("f4"), numbers)
    similarities = products / (many["length"] * length(other))
    likely = np.flatnonzero(similarities >= least)
    return dict(zip(many["id"][likely].tolist(), similarities[likely].tolist(), strict=True))


def _add(numbers: dict[int, float], feature: str, weight: float) -> None:
    hashed = zlib.crc32(feature.encode())
    index = hashed % SIZE
    numbers[index] = numbers.get(index, 0.0) + (weight if hashed >> 31 else -weight)


def fuse(rankings: Sequence[Mapping[T, float]]) -> dict[T, float]:
    """The fused score of each member of some rankings, by reciprocal rank fusion: the sum of ``1 / (K + rank)``.

    Args:
        rankings: the score of each member, more is better; equal scores share the rank of the first of them.
    """
    fused: dict[T, float] = {}
    for scores in rankings:
        ordered = sorted(scores.values(), reverse=True)
        first: dict[float, int] = {}
        for rank, score in enumerate(ordered, start=1):
            first.setdefault(score, rank)
        for member, score in scores.items():
            fused[member] = fused.get(member, 0.0) + 1 / (K + first[score])
    return fused


def bm25(hits: Sequence[Sequence[tuple[T, int, int]]], count: int, mean: float) -> dict[T, float]:
    """The BM25 scores of texts, equal to those of SQLite to the last bit.

    Args:
        hits: for each word the texts that hold it, each with how many words it has and how often that is among them.
        count: how many texts there are.
        mean: how many words they have on average.
    """
    k1, b = 1.2, 0.75
    scores: dict[T, float] = {}
    for hit in hits:
        rare = log((count - len(hit) + 0.5) / (len(hit) + 0.5))
        rare = rare if rare > 0 else 1e-6
        for row, long, often in hit:
            weight = rare * ((often * (k1 + 1.0)) / (often + k1 * (1 - b + b * long / mean)))
            scores[row] = scores.get(row, 0.0) + weight
    return scores


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


class SearchedItem(NamedTuple):
    """An item as a search reads it: its row, how many have used it, and when it was made or last used."""

    debate: str
    n: int
    at: float
    body: str
    uses: int
    last: float


class Tables(Protocol):
    """Stores what was learned. Methods block; use one thread at a time; every fault is a RecordError with the place."""

    def writing(self, debate: str = "") -> AbstractContextManager[None]:
        """One transaction, all of it or nothing: to write of one debate, or of all ("").

        During it nobody else writes to that debate, or to any debate if it is for all.
        """
        ...

    def reading(self) -> AbstractContextManager[None]:
        """One transaction for reading: all reads see the same state."""
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
        """A debate that was learned; None if it was not."""
        ...

    def debates(self) -> list[DebateRow]:
        """All debates that were learned, in any order."""
        ...

    def bodies(self, kind: str, debate: str) -> list[tuple[str, int, float, str]]:
        """Debate, number, time and fields of a kind's items, of one debate or of all (""), by time, debate, number."""
        ...

    def newest(self, kind: str, limit: int) -> list[RowId]:
        """The items of a kind, the newest first, equals by debate and number; at most so many."""
        ...

    def counts(self, words: Sequence[str], kind: str, enough: int) -> Mapping[str, int]:
        """The number of items of a kind that contain each word; words without any may be left out.

        Where one stands in at most ``enough``, any number above that will do for those that stand in more.
        """
        ...

    def weigh(self, words: Sequence[str], kind: str) -> Mapping[RowId, float]:
        """The items of a kind that contain some of these words, weighed by BM25 with k1 = 1.2 and b = 0.75."""
        ...

    def near(self, vector: bytes, kind: str, least: float, limit: int) -> Mapping[RowId, float]:
        """The items of a kind whose vectors have at least that cosine with another: all, or the ``limit`` nearest.

        Of those that are level with the last of them the first by debate and number.
        """
        ...

    def places(self, ids: Sequence[RowId]) -> Mapping[RowId, tuple[str, int]]:
        """Debate and number of items."""
        ...

    def see(self, ids: Sequence[RowId]) -> Mapping[RowId, SearchedItem]:
        """Items, for a search."""
        ...


def searched(text: str) -> list[str]:
    """The words of a text by which it is found, in order: stems without stop words, split at apostrophes."""
    words = " ".join(terms(text)).replace("'", " ").split()
    return [word[:LONGEST_WORD] for word in words[:MOST_WORDS]]
