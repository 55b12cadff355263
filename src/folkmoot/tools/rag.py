"""The tool ``rag``: retrieval from the brief's documents, by words and by vectors.

Hashed vectors need no model: feature hashing with signs after Weinberger et al., "Feature Hashing for Large Scale
Multitask Learning" (2009), over stems, pairs of stems and pieces of four letters, which find what a stemmer of English
cannot: other languages, compounds, typing errors. Weights are ``(1 + ln tf) · idf``; similarity is the cosine.

Extracts are ranked by words (BM25), by hashed vectors, and by an embedding model if the owner has set one. The rankings
are joined by reciprocal rank fusion with k = 60 (Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms
Condorcet and Individual Rank Learning Methods", 2009). Of equal ranks the first extract wins.
"""

import asyncio
import threading
import zlib
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log, sqrt

from folkmoot.agents.toolkit import ToolResult, ToolUse
from folkmoot.core.ask import ToolSpec
from folkmoot.core.brief import Source
from folkmoot.core.errors import ModelError, ToolError
from folkmoot.core.text import Index, terms
from folkmoot.tools.documents import Extract, cut
from folkmoot.tools.embeddings import Embedder, Vector, likeness

SIZE = 1 << 20
"""Places of a vector."""

PIECE = 4
"""Letters of a piece of a word."""

_PAIR, _PART = 0.5, 0.3
"""What a pair and a piece weigh beside a word."""

Features = Mapping[int, float]
"""The signed weights of features by their places in the vector."""


class HashedVectors:
    """Texts that can be compared with queries.

    Args:
        texts: the stems of each text.
    """

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self._known: dict[str, tuple[tuple[int, float], ...]] = {}
        counts = [self._count(text) for text in texts]
        counter = Counter(dimension for features in counts for dimension in features)
        self._rarest = log(1 + len(texts)) + 1
        self._rarity = {dimension: self._rarest - log(1 + n) for dimension, n in counter.items()}
        vectors = map(self._vector, counts)
        # Arrays, for a library may have millions of features and dictionaries of them would fill the memory.
        self._texts = [(array("I", features), array("f", features.values())) for features in vectors]

    def similarities(self, query: Sequence[str]) -> list[float]:
        """The cosine between the stems of a query and each text, -1 to 1."""
        query_vector = self._vector(self._count(query))
        return [
            sum(
                value * query_vector[dimension]
                for dimension, value in zip(places, values, strict=True)
                if dimension in query_vector
            )
            for places, values in self._texts
        ]

    def _count(self, words: Sequence[str]) -> Features:
        weights: dict[int, float] = {}
        for word, n in Counter(words).items():
            for dimension, weight in self._word(word):
                weights[dimension] = weights.get(dimension, 0.0) + weight * (1 + log(n))
        for pair, n in Counter(pairwise(words)).items():
            dimension, sign = _place(" ".join(pair))
            weights[dimension] = weights.get(dimension, 0.0) + sign * _PAIR * (1 + log(n))
        return weights

    def _word(self, word: str) -> tuple[tuple[int, float], ...]:
        """The features of a word: itself and, if it is long, its pieces, its ends marked."""
        if word not in self._known:
            spelt = f"^{word}$"
            pieces = [spelt[n : n + PIECE] for n in range(len(spelt) - PIECE + 1)] if len(word) > PIECE else []
            features = [(_place(word), 1.0), *((_place(f"_{piece}"), _PART) for piece in pieces)]
            self._known[word] = tuple((dimension, sign * weight) for (dimension, sign), weight in features)
        return self._known[word]

    def _vector(self, features: Features) -> Features:
        """Features as a vector of length 1; what no text has is as rare as can be."""
        raw = {dimension: weight * self._rarity.get(dimension, self._rarest) for dimension, weight in features.items()}
        length = sqrt(sum(value * value for value in raw.values())) or 1.0
        return {dimension: value / length for dimension, value in raw.items()}


def _place(feature: str) -> tuple[int, float]:
    """Where a feature stands, and with which sign."""
    hashed = zlib.crc32(feature.encode())
    return hashed % SIZE, 1.0 if hashed >> 31 else -1.0


K = 60
"""How little the first places of a ranking outweigh the next."""

PASSAGES = 6
"""The most extracts of one result."""

USUAL = 4
LONGEST_QUERY = 300
"""Characters of a query."""

LEAST = 0.03
"""The cosine of hashed vectors beneath which two texts share no more than chance."""

SPEC = ToolSpec(
    name="rag",
    help="Finds the passages of the debate's documents that bear on a question. Cite what you use by its place.",
    parameters={
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to look for, in a few words."},
            "passages": {"type": "integer", "minimum": 1, "maximum": PASSAGES, "description": "How many passages."},
        },
        "required": ["query"],
    },
)


@dataclass(frozen=True, slots=True)
class _Index:
    """Documents, ready to be searched."""

    extracts: Sequence[Extract]
    words: Index
    vectors: HashedVectors


class Rag:
    """The tool, over the documents of one debate. They are made ready once, at the first use.

    Args:
        sources: the documents.
        embedder: the owner's embedding model, if there is one.
    """

    spec = SPEC

    def __init__(self, sources: Sequence[Source], embedder: Embedder | None = None) -> None:
        self._sources, self._embedder = tuple(sources), embedder
        self._index: _Index | None = None
        self._indexing, self._embedding = threading.Lock(), asyncio.Lock()
        self._embedded: list[Vector] = []

    async def use(self, arguments: Mapping[str, object], tool_use: ToolUse) -> ToolResult:
        """Find extracts; see ``agents.toolkit.Tool``."""
        query = " ".join(str(arguments["query"]).split())
        if not terms(query) or len(query) > LONGEST_QUERY:
            raise ToolError(f"write what to look for in a few words, at most {LONGEST_QUERY} characters")
        wanted = arguments.get("passages", USUAL)
        return await self.find(query, min(PASSAGES, max(1, wanted if isinstance(wanted, int) else USUAL)), tool_use)

    async def find(self, query: str, most: int, tool_use: ToolUse) -> ToolResult:
        """The extracts that bear most on a query, best first.

        Raises:
            ToolError: there are none.
            LimitReached: a limit stands in the way of the embedding model.
        """
        extracts, rankings = await asyncio.to_thread(self._rank, query)
        ranked_by_embeddings, note = await self._rank_by_embeddings(extracts, query, tool_use)
        best = [extracts[number] for number in fuse([*rankings, *ranked_by_embeddings])[:most]]
        if not best:
            raise ToolError("the documents say nothing about that; try other words")
        text = "\n\n".join(_extract_text(extract) for extract in best)
        return ToolResult(text=f"{text}\n\n{note}" if note else text, sources=tuple(extract.place for extract in best))

    def _rank(self, query: str) -> tuple[Sequence[Extract], list[list[float]]]:
        """The extracts, and their rankings by words and by hashed vectors; runs in a thread.

        What a thread has made ready is kept, even if nobody waits for it any more.
        """
        with self._indexing:
            index = self._index = self._index or _read_extracts(self._sources)
        query_terms = terms(query)
        hashed = [score if score >= LEAST else 0.0 for score in index.vectors.similarities(query_terms)]
        return index.extracts, [index.words.weigh(Counter(query_terms)), hashed]

    async def _rank_by_embeddings(
        self, extracts: Sequence[Extract], query: str, tool_use: ToolUse
    ) -> tuple[list[list[float]], str]:
        """The ranking of the embedding model, if there is one, or why it is missing."""
        if self._embedder is None:
            return [], ""
        try:
            async with self._embedding:
                while left := extracts[len(self._embedded) :][:_STEP]:
                    self._embedded += await self._embedder.embed(
                        [_searched_text(extract) for extract in left], tool_use
                    )
            (query_vector,) = await self._embedder.embed([query], tool_use)
        except ModelError as error:
            return [], f"(Searched without the embedding model: {error}.)"
        return [await asyncio.to_thread(_compare, query_vector, self._embedded)], ""


_STEP = 64
"""Extracts that are embedded at a time; what was embedded before a time limit is kept for the next use."""


def fuse(rankings: Sequence[Sequence[float]]) -> list[int]:
    """The numbers of all texts that have a score above 0 in any ranking, best first by reciprocal rank fusion."""
    fused: dict[int, float] = {}
    for scores in rankings:
        ranked = sorted((number for number, score in enumerate(scores) if score > 0), key=lambda n: -scores[n])
        for rank, number in enumerate(ranked, start=1):
            fused[number] = fused.get(number, 0.0) + 1 / (K + rank)
    return sorted(fused, key=lambda number: (-fused[number], number))


def _read_extracts(sources: Sequence[Source]) -> _Index:
    extracts = cut(sources)
    words = [terms(_searched_text(extract)) for extract in extracts]
    return _Index(extracts, Index(words), HashedVectors(words))


def _compare(query_vector: Vector, embedded: Sequence[Vector]) -> list[float]:
    return [likeness(query_vector, vector) for vector in embedded]


def _searched_text(extract: Extract) -> str:
    """What is searched of an extract: its words and the heading above, which often names the matter."""
    return f"{extract.heading}\n{extract.text}"


def _extract_text(extract: Extract) -> str:
    heading = f" ({extract.heading})" if extract.heading else ""
    return f"[{extract.place}]{heading}\n{extract.text}"
