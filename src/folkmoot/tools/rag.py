"""The tool ``rag``: retrieval from the brief's documents, by words and by an embedding model if the owner has set one.

Words are ranked by SQLite's full-text search (FTS5, BM25) over our own stems, which know Chinese, Japanese and Korean
characters as words. With an embedding model the two rankings are joined by reciprocal rank fusion with k = 60 (Cormack,
Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and Individual Rank Learning Methods", 2009).
"""

import asyncio
import sqlite3
import threading
import weakref
from collections.abc import Mapping, Sequence

from folkmoot.agents.toolkit import ToolResult, ToolUse
from folkmoot.core.ask import ToolSpec
from folkmoot.core.brief import Source
from folkmoot.core.errors import ModelError, ToolError
from folkmoot.core.text import terms
from folkmoot.tools.documents import Extract, cut
from folkmoot.tools.embeddings import Embedder, Vector, likeness

K = 60
"""How little the first places of a ranking outweigh the next."""

PASSAGES = 6
"""The most extracts of one result."""

USUAL = 4
LONGEST_QUERY = 300
"""Characters of a query."""

SPEC = ToolSpec(
    name="rag",
    help="Finds the passages of the debate's documents that matter for a question. Cite what you use by its place.",
    parameters={
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to look for, in a few words."},
            "passages": {"type": "integer", "minimum": 1, "maximum": PASSAGES, "description": "How many passages."},
        },
        "required": ["query"],
    },
)


class _Index:
    """Documents, ready to be searched by words; use it from one thread at a time."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.extracts = cut(sources)
        self._db = sqlite3.connect(":memory:", check_same_thread=False)
        weakref.finalize(self, self._db.close)  # nobody says when a debate is done with its tools
        self._db.execute("CREATE VIRTUAL TABLE extract USING fts5 (words, tokenize = 'unicode61 remove_diacritics 0')")
        rows = ((n, " ".join(terms(_searched_text(extract)))) for n, extract in enumerate(self.extracts))
        self._db.executemany("INSERT INTO extract (rowid, words) VALUES (?, ?)", rows)

    def rank(self, words: Sequence[str]) -> list[int]:
        """The numbers of the extracts that contain some of these words, best first."""
        match = " OR ".join(f'"{word}"' for word in dict.fromkeys(words))
        sql = "SELECT rowid FROM extract WHERE extract MATCH ? ORDER BY rank, rowid"
        return [number for (number,) in self._db.execute(sql, (match,))]


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
        extracts, ranked = await asyncio.to_thread(self._rank, query)
        by_meaning, note = await self._rank_by_embeddings(extracts, query, tool_use)
        best = [extracts[number] for number in fuse([ranked, by_meaning])[:most]]
        if not best:
            raise ToolError("the documents say nothing about that; try other words")
        text = "\n\n".join(_extract_text(extract) for extract in best)
        return ToolResult(text=f"{text}\n\n{note}" if note else text, sources=tuple(extract.place for extract in best))

    def _rank(self, query: str) -> tuple[Sequence[Extract], list[int]]:
        """The extracts, and their ranking by words; runs in a thread.

        What a thread has made ready is kept, even if nobody waits for it any more.
        """
        with self._indexing:
            index = self._index = self._index or _Index(self._sources)
            return index.extracts, index.rank(terms(query))

    async def _rank_by_embeddings(
        self, extracts: Sequence[Extract], query: str, tool_use: ToolUse
    ) -> tuple[list[int], str]:
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
        return await asyncio.to_thread(_nearest, query_vector, self._embedded), ""


_STEP = 64
"""Extracts that are embedded at a time; what was embedded before a time limit is kept for the next use."""


def fuse(rankings: Sequence[Sequence[int]]) -> list[int]:
    """The numbers that stand in any ranking, best first by reciprocal rank fusion; of equals the lowest."""
    fused: dict[int, float] = {}
    for ranking in rankings:
        for rank, number in enumerate(ranking, start=1):
            fused[number] = fused.get(number, 0.0) + 1 / (K + rank)
    return sorted(fused, key=lambda number: (-fused[number], number))


def _nearest(query: Vector, embedded: Sequence[Vector]) -> list[int]:
    cosines = [likeness(query, vector) for vector in embedded]
    return sorted((n for n, cosine in enumerate(cosines) if cosine > 0), key=lambda n: -cosines[n])


def _searched_text(extract: Extract) -> str:
    """What is searched of an extract: its words and the heading above, which often names the matter."""
    return f"{extract.heading}\n{extract.text}"


def _extract_text(extract: Extract) -> str:
    heading = f" ({extract.heading})" if extract.heading else ""
    return f"[{extract.place}]{heading}\n{extract.text}"
