"""Which texts bear on a query: Okapi BM25 over stemmed words. This file owns words, stems and their weights.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the inverse document
frequency ``ln(1 + (N - n + 0.5) / (n + 0.5))``, which is never negative.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import log

K1 = 1.2
"""How fast the weight of a repeated word levels off."""
B = 0.75
"""How much a long text is held against it, 0 to 1."""


def listed(words: str) -> frozenset[str]:
    """The words of a list, separated by blanks."""
    return frozenset(words.split())


STOP = listed(
    "a about above after again all also although am an and any are around as at be because been before being below "
    "between both but by can could did do does doing done down during each either else even ever every few for from "
    "further had has have having he her here hers him his how however i if in into is it its itself just like many may "
    "me might mine more most much must my nor now of off on once one only onto or other our ours out over own per "
    "quite rather same shall she should since so some still such than that the their theirs them then there therefore "
    "these they this those though through thus to too toward towards under until up upon us very was we were what when "
    "where whether which while who whom whose why will with within would yet you your yours yourself "
    "argue argues answer answers ask care cares fear fears judge judges know knows look looks prefer review reviews "
    "say says want wants"
)
"""Words that say nothing about a matter; those from "argue" on are those with which personas are described."""

_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]|[^\W_]+(?:['’](?=[^\W_])[^\W_]+)?", re.IGNORECASE
)
_VOWEL = re.compile("[aeiouyäöüáéíóúàèìòùâêîôû]")


def stem(word: str) -> str:
    """A word in lower case without an English plural, ``-ing``, ``-ed`` or final ``-e``; never fewer than 3 letters."""
    word = word.casefold().replace("’", "'").removesuffix("'s")
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif word.endswith(("sses", "xes", "zes", "ches", "shes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        head = word.removesuffix(ending)
        if head != word and len(head) >= 3 and _VOWEL.search(head) and not word.endswith("eed"):
            word = head[:-1] if head[-1] == head[-2] and head[-1] not in "lsz" else head
            break
    return word.removesuffix("e") if len(word) > 3 else word


def stems(text: str) -> list[str]:
    """All words of a text as stems, in order, stop words too; a Chinese, Japanese or Korean sign is a word."""
    return [stem(word) for word in _WORD.findall(text)]


def terms(text: str) -> list[str]:
    """The stems of a text without stop words, in order."""
    return [stem(word) for word in _WORD.findall(text) if word.casefold() not in STOP]


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
