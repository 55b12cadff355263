"""How memory is searched. This file owns the three rankings that are joined: by words, by vectors, by strength.

Words are weighed by SQLite's BM25 over stems, vectors are compared one by one (up to some hundred thousand that is
quick), and what either finds is ranked a third time by how strong the memory is. Of equals the debate whose id comes
first is first, so that an answer does not depend on the order in which debates were learned.

Vectors stand on racks, each debate's on that of its hash: a search reads all racks, which is quick because they are few
and long, and a debate that is learned writes one of them anew.
"""

import json
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from struct import Struct
from typing import TypeAlias

from moot.core.words import terms
from moot.learn.likeness import LEAST, SIZE, fuse, length, vector
from moot.learn.memory import Found, Kind
from moot.learn.tiers import strength, tier

NEAR = 50
"""How many of each ranking are joined."""

POSTINGS = 2_000
"""Texts that are weighed for a query: its rarest words count, while they stand in no more texts than that together.
A word that stands in a large part of all texts tells little and costs most."""

READ = """
SELECT item.id, item.debate, item.n, item.at, body, count(used.debate), coalesce(max(used.at), item.at)
FROM memory_item AS item LEFT JOIN memory_use AS used ON used.target = item.debate
WHERE item.id IN ({}) GROUP BY item.id
"""
WORDS = "SELECT rowid, -rank FROM memory_words WHERE memory_words MATCH ?"

VECTOR = Struct(f"<qd{SIZE}s")
"""A vector as it is kept: the number of its item, its length, and its own numbers."""

RACKS = 1024
"""Racks on which the vectors of a kind stand, at most."""

STEP = 32
"""Racks that are compared at once: few enough for the memory of some to serve for the next."""

_Row: TypeAlias = tuple[str, int, float, str, int, float]
"""An item as it is read: debate, number, time, fields as JSON, uses, when it was made or last used."""


def rack_of(debate: str) -> int:
    """On which rack the vectors of a debate stand."""
    return zlib.crc32(debate.encode()) % RACKS


def vectors(rack: bytes) -> Iterator[tuple[int, bytes]]:
    """The items on a rack, each with its vector as it is kept."""
    return ((row, VECTOR.pack(row, *rest)) for row, *rest in VECTOR.iter_unpack(rack))


class Finder:
    """Searches the tables of a shelf; see ``learn.shelf``.

    Args:
        connection: to the file. Its errors are raised as they are.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def find(self, query: str, kind: Kind, *, most: int, now: float) -> tuple[Found, ...]:
        """What bears on a query, best first; see ``Shelf.search``."""
        asked = list(dict.fromkeys(terms(query)))
        if not asked or most < 1:
            return ()
        words, near = self._by_words(asked, kind), self._by_vector(query, kind)
        rows = self._read([*words, *near])
        strong = {row: strength(now - last, uses) for row, (*_, uses, last) in rows.items()}
        fused = fuse([words, near, strong])
        best = sorted(rows, key=lambda row: (-fused[row], *rows[row][:2]))[:most]
        return tuple(_found(kind, rows[row], near.get(row, 0.0)) for row in best)

    def _by_words(self, asked: Sequence[str], kind: Kind) -> Mapping[int, float]:
        """The items that hold words of a query, with their weights."""
        sql = "SELECT doc FROM memory_terms WHERE term = ? AND col = ?"
        counts = {word: self._number(sql, (word, kind)) for word in asked}
        rare = sorted((word for word in asked if counts[word]), key=lambda word: (counts[word], word))
        room = POSTINGS
        taken: list[str] = []
        for word in rare:
            room -= counts[word]
            if taken and room < 0:
                break
            taken.append(f'"{word}"')
        if not taken:
            return {}
        match = f"{kind} : ({' OR '.join(taken)})"
        return self._nearest(dict(self._db.execute(WORDS, (match,)).fetchall()))

    def _by_vector(self, query: str, kind: Kind) -> Mapping[int, float]:
        """The items whose vectors are like that of a query, with their cosines."""
        import numpy as np  # here for start-up time: who only learns needs no matrix

        layout = np.dtype([("id", "<i8"), ("length", "<f8"), ("numbers", "i1", (SIZE,))])
        asked = vector(query)
        numbers, long = np.frombuffer(asked, dtype="i1").astype("f4"), length(asked)
        racks = self._db.execute("SELECT kept FROM memory_vector WHERE kind = ?", (kind,))
        near: dict[int, float] = {}
        while some := racks.fetchmany(STEP):
            kept = np.frombuffer(b"".join(rack for (rack,) in some), dtype=layout)
            # Sums of whole numbers below 2^24, which single floats hold exactly. They are made in one thread: those of
            # a matrix product wait for each other on a busy machine, forty times as long as it takes.
            products = np.einsum("ij,j->i", kept["numbers"].astype("f4"), numbers)
            cosines = products / (kept["length"] * long)
            likely = np.flatnonzero(cosines >= LEAST)
            near.update(zip(kept["id"][likely].tolist(), cosines[likely].tolist(), strict=True))
        return self._nearest(near)

    def _nearest(self, scores: Mapping[int, float]) -> Mapping[int, float]:
        """The NEAR items with the highest scores; of those who are level with the last the first debates."""
        if len(scores) <= NEAR:
            return scores
        least = sorted(scores.values(), reverse=True)[NEAR - 1]
        best = [row for row, score in scores.items() if score > least]
        level = [row for row, score in scores.items() if score == least]
        place = "SELECT debate, n FROM memory_item WHERE id = ?"
        level.sort(key=lambda row: self._db.execute(place, (row,)).fetchone())
        return {row: scores[row] for row in [*best, *level][:NEAR]}

    def _read(self, ids: Sequence[int]) -> dict[int, _Row]:
        """The items of those numbers."""
        once = list(dict.fromkeys(ids))
        rows = self._db.execute(READ.format(", ".join("?" * len(once))), once)
        return {row: tuple(rest) for row, *rest in rows}

    def _number(self, sql: str, given: Sequence[str]) -> int:
        row = self._db.execute(sql, given).fetchone()
        return int(row[0]) if row else 0


def _found(kind: Kind, row: _Row, likeness: float) -> Found:
    debate, n, at, body, uses, _ = row
    return Found(
        debate=debate,
        kind=kind,
        n=n,
        at=at,
        body=json.loads(body),
        uses=uses,
        tier=tier(uses),
        likeness=likeness,
    )
