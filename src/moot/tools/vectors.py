"""Texts as vectors, without a model: hashed features of words. This file owns the features and their weights.

Feature hashing with signs after Weinberger et al., "Feature Hashing for Large Scale Multitask Learning" (2009):
stems, pairs of stems in a row, and pieces of four letters, which find what a stemmer of English cannot: other
languages, compounds, slips of the pen. Weights are ``(1 + ln tf) · idf``; likeness is the cosine.
"""

import zlib
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import log, sqrt

SIZE = 1 << 20
"""Places of a vector."""

PIECE = 4
"""Letters of a piece of a word."""

_PAIR, _PART = 0.5, 0.3
"""What a pair and a piece weigh beside a word."""

Features = Mapping[int, float]
"""The signed weights of features by their places in the vector."""


class Vectors:
    """Texts that can be compared with queries.

    Args:
        texts: the stems of each text.
    """

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self._known: dict[str, tuple[tuple[int, float], ...]] = {}
        counts = [self._count(text) for text in texts]
        found = Counter(place for each in counts for place in each)
        self._rarest = log(1 + len(texts)) + 1
        self._rarity = {place: self._rarest - log(1 + n) for place, n in found.items()}
        vectors = map(self._vector, counts)
        # Arrays, for a library may have millions of features and dictionaries of them would fill the memory.
        self._texts = [(array("I", each), array("f", each.values())) for each in vectors]

    def liken(self, query: Sequence[str]) -> list[float]:
        """The cosine between the stems of a query and each text, -1 to 1."""
        asked = self._vector(self._count(query))
        return [
            sum(value * asked[place] for place, value in zip(places, values, strict=True) if place in asked)
            for places, values in self._texts
        ]

    def _count(self, words: Sequence[str]) -> Features:
        found: dict[int, float] = {}
        for word, n in Counter(words).items():
            for place, weight in self._word(word):
                found[place] = found.get(place, 0.0) + weight * (1 + log(n))
        for pair, n in Counter(pairwise(words)).items():
            place, sign = _place(" ".join(pair))
            found[place] = found.get(place, 0.0) + sign * _PAIR * (1 + log(n))
        return found

    def _word(self, word: str) -> tuple[tuple[int, float], ...]:
        """The features of a word: itself and, if it is long, its pieces, its ends marked."""
        if word not in self._known:
            spelt = f"^{word}$"
            pieces = [spelt[n : n + PIECE] for n in range(len(spelt) - PIECE + 1)] if len(word) > PIECE else []
            features = [(_place(word), 1.0), *((_place(f"_{piece}"), _PART) for piece in pieces)]
            self._known[word] = tuple((place, sign * weight) for (place, sign), weight in features)
        return self._known[word]

    def _vector(self, features: Features) -> Features:
        """Features as a vector of length 1; what no text has is as rare as can be."""
        raw = {place: weight * self._rarity.get(place, self._rarest) for place, weight in features.items()}
        length = sqrt(sum(value * value for value in raw.values())) or 1.0
        return {place: value / length for place, value in raw.items()}


def _place(feature: str) -> tuple[int, float]:
    """Where a feature stands, and with which sign."""
    hashed = zlib.crc32(feature.encode())
    return hashed % SIZE, 1.0 if hashed >> 31 else -1.0
