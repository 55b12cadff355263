"""How memory is searched. This file owns the three rankings that are joined: by words, by vectors, by strength.

Words are weighed by SQLite's BM25 over stems, vectors are compared one by one (up to some hundred thousand that is
quick), and what either finds is ranked a third time by how strong the memory is. Of equals the debate whose id comes
first is first, so that an answer does not depend on the order in which debates were learned.
"""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from moot.core.words import terms
from moot.learn.likeness import LEAST, SIZE, fuse, vector
from moot.learn.memory import Found, Kind
from moot.learn.tiers import strength, tier

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
ALL = "SELECT id, vector FROM memory_item JOIN memory_vector USING (id) WHERE kind = ? ORDER BY debate, n"

_Row: TypeAlias = tuple[str, int, float, str, int, float]
"""An item as it is read: debate, number, time, fields as JSON, uses, when it was made or last used."""


@dataclass(frozen=True, slots=True)
class _Matrix:
    """All vectors of a kind, as they were after so many changes."""

    changes: int
    ids: Sequence[int]
    numbers: "NDArray[np.float32]"


class Finder:
    """Searches the tables of a shelf; see ``learn.shelf``.

    Args:
        connection: to the file. Its errors are raised as they are.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection
        self._matrices: dict[Kind, _Matrix] = {}

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
        rows = self._db.execute(
            "SELECT rowid, -rank FROM memory_words WHERE memory_words MATCH ? ORDER BY rank LIMIT ?", (match, NEAR)
        )
        return dict(rows.fetchall())

    def _by_vector(self, query: str, kind: Kind) -> Mapping[int, float]:
        """The items whose vectors are like that of a query, with their cosines."""
        import numpy as np  # here for start-up time: who only learns needs no matrix

        matrix = self._matrix(kind)
        # One thread: those of a matrix product wait for each other on a busy machine, forty times as long as it takes.
        cosines = np.einsum("ij,j->i", matrix.numbers, np.frombuffer(vector(query), dtype="<f4"))
        likely = np.flatnonzero(cosines >= LEAST)
        best = likely[np.argsort(-cosines[likely], kind="stable")[:NEAR]]
        return {matrix.ids[int(at)]: float(cosines[at]) for at in best}

    def _matrix(self, kind: Kind) -> _Matrix:
        import numpy as np

        changes = self._number("SELECT value FROM memory_state WHERE name = ?", ("changes",))
        had = self._matrices.get(kind)
        if had is None or had.changes != changes:
            rows = self._db.execute(ALL, (kind,)).fetchall()
            numbers = np.frombuffer(b"".join(numbers for _, numbers in rows), dtype="<f4").reshape(-1, SIZE)
            had = self._matrices[kind] = _Matrix(changes, [row for row, _ in rows], numbers)
        return had

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
