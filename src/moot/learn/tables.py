"""How texts are likened and rankings joined. This file owns the vectors of texts and the fusion of rankings.

Vectors are hashed features of words with signs (Weinberger et al., "Feature Hashing for Large Scale Multitask
Learning", 2009): stems, pairs of stems in a row, and pieces of four letters, for other languages and slips of the pen;
weights ``1 + ln n``. Whole numbers take a fourth of the room of floats, and their sums are the same in any order.
Rankings are joined by reciprocal rank fusion with k = 60 (Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion
outperforms Condorcet and Individual Rank Learning Methods", 2009). Where it is not SQLite that weighs words, it is the
same formula, BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009).
"""

import zlib
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from math import log, sqrt
from struct import pack, unpack
from typing import Literal, TypeVar

from moot.core.words import terms

SIZE = 256
"""Numbers of a vector."""

TOP = 127
"""The largest number of a vector, without its sign."""

K = 60
"""How little the first places of a ranking outweigh the next."""

PIECE = 4
"""Letters of a piece of a word."""

LEAST = 0.25
"""The cosine beneath which two short texts are not alike: by chance alone it is 0, give or take 0.06."""

_PAIR, _PART = 0.5, 0.3
"""What a pair and a piece weigh beside a word."""

T = TypeVar("T", bound=Hashable)


def vector(text: str) -> bytes:
    """A text as SIZE signed bytes, of which the largest is TOP; all 0 for a text without words."""
    words = terms(text)
    numbers = [0.0] * SIZE
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
    scale = TOP / (max(map(abs, numbers)) or 1.0)
    return pack(f"{SIZE}b", *(round(each * scale) for each in numbers))


def length(numbers: bytes) -> float:
    """The length of a vector; 1 where all of it is 0, so that it is like nothing."""
    return sqrt(sum(each * each for each in unpack(f"{SIZE}b", numbers))) or 1.0


def cosines(kept: bytes, other: bytes, *, least: float, order: Literal["<", ">"]) -> dict[int, float]:
    """Which of many vectors have at least that cosine with another.

    Args:
        kept: for each an item's number and the vector's length, in 8 bytes each, and the vector.
        other: that with which they are compared.
        least: the cosine.
        order: of the bytes of a number: ``<`` the lowest first, ``>`` the highest first.
    """
    import numpy as np  # here for start-up time: who only learns needs no matrix

    layout = np.dtype([("id", f"{order}i8"), ("length", f"{order}f8"), ("numbers", "i1", (SIZE,))])
    many, numbers = np.frombuffer(kept, dtype=layout), np.frombuffer(other, dtype="i1").astype("f4")
    # Sums of whole numbers below 2^24, which single floats hold exactly. They are made in one thread: those of
    # a matrix product wait for each other on a busy machine, forty times as long as it takes.
    products = np.einsum("ij,j->i", many["numbers"].astype("f4"), numbers)
    found = products / (many["length"] * length(other))
    likely = np.flatnonzero(found >= least)
    return dict(zip(many["id"][likely].tolist(), found[likely].tolist(), strict=True))


def _add(numbers: list[float], feature: str, weight: float) -> None:
    hashed = zlib.crc32(feature.encode())
    numbers[hashed % SIZE] += weight if hashed >> 31 else -weight


def fuse(rankings: Sequence[Mapping[T, float]]) -> dict[T, float]:
    """What the members of rankings are worth together, by reciprocal rank fusion: the sum of ``1 / (K + rank)``.

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
    """What texts weigh, as SQLite computes it, to the last bit.

    Args:
        hits: for each word the texts that hold it, each with how many words it has and how often that is among them.
        count: how many texts there are.
        mean: how many words they have on average.
    """
    k1, b = 1.2, 0.75
    found: dict[T, float] = {}
    for each in hits:
        rare = log((count - len(each) + 0.5) / (len(each) + 0.5))
        rare = rare if rare > 0 else 1e-6
        for row, long, often in each:
            weight = rare * ((often * (k1 + 1.0)) / (often + k1 * (1 - b + b * long / mean)))
            found[row] = found.get(row, 0.0) + weight
    return found
