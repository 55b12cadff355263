"""Which texts bear on a query: Okapi BM25 over stemmed words. This file owns the weights of words.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the inverse document
frequency ``ln(1 + (N - n + 0.5) / (n + 0.5))``, which is never negative.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log

K1 = 1.2
"""How fast the weight of a repeated word levels off."""
B = 0.75
"""How much a long text is held against it, 0 to 1."""


class Index:
    """Texts that can be weighed against queries.

    Args:
        texts: the stems of each text.
    """

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self._size = len(texts)
        mean = sum(map(len, texts)) / len(texts) if texts else 0.0
        self._postings: dict[str, list[tuple[int, float]]] = {}
        for number, text in enumerate(texts):
            norm = K1 * (1 - B + B * len(text) / mean) if mean else K1
            for term, count in Counter(text).items():
                self._postings.setdefault(term, []).append((number, count * (K1 + 1) / (count + norm)))

    def rarity(self, term: str) -> float:
        """The inverse document frequency of a stem, above 0."""
        found = len(self._postings.get(term, ()))
        return log(1 + (self._size - found + 0.5) / (found + 0.5))

    def weigh(self, query: Mapping[str, float]) -> list[float]:
        """The BM25 score of each text for a query of weighted stems."""
        scores = [0.0] * self._size
        for term, weight in query.items():
            if found := self._postings.get(term):
                rarity = weight * self.rarity(term)
                for number, impact in found:
                    scores[number] += rarity * impact
        return scores
