"""How memory is searched. This file owns the three rankings that are joined: by words, by vectors, by strength.

Words are weighed by BM25 over stems, vectors are compared one by one (up to some hundred thousand that is quick, and no
index of neighbours is the same in whatever order it was filled), and what either finds is ranked a third time by how
strong the memory is. Of equals the debate whose id comes first is first, so that an answer does not depend on the order
in which debates were learned, nor on the tables that it stands in.
"""

import json
from collections.abc import Mapping

from moot.learn.learn_tables import LEAST, RowId, Seen, Tables, fuse, searched, vector
from moot.learn.memory import Found, Kind
from moot.learn.tiers import strength, tier

NEAR = 50
"""How many of each ranking are joined."""

POSTINGS = 2_000
"""Texts that are weighed for a query: its rarest words count, while they stand in no more texts than that together.
A word that stands in a large part of all texts tells little and costs most."""


def find(tables: Tables, query: str, kind: Kind, *, most: int, now: float) -> tuple[Found, ...]:
    """What bears on a query, best first; see ``Shelf.search``."""
    asked = list(dict.fromkeys(searched(query)))
    if not asked or most < 1:
        return ()
    rare = _rare(tables.counts(asked, kind, POSTINGS))
    words = _nearest(tables, tables.weigh(rare, kind) if rare else {})
    near = _nearest(tables, tables.near(vector(query), kind, LEAST, NEAR))
    rows = tables.see(list(dict.fromkeys([*words, *near])))
    strong = {row: strength(now - seen.last, seen.uses) for row, seen in rows.items()}
    fused = fuse([words, near, strong])
    best = sorted(rows, key=lambda row: (-fused[row], *rows[row][:2]))[:most]
    return tuple(_found(kind, rows[row], near.get(row, 0.0)) for row in best)


def _rare(counts: Mapping[str, int]) -> list[str]:
    """The rarest words, as many as may be weighed."""
    room, taken = POSTINGS, list[str]()
    for word in sorted(filter(counts.get, counts), key=lambda word: (counts[word], word)):
        room -= counts[word]
        if taken and room < 0:
            break
        taken.append(word)
    return taken


def _nearest(tables: Tables, scores: Mapping[RowId, float]) -> Mapping[RowId, float]:
    """The NEAR items with the highest scores; of those who are level with the last the first debates."""
    if len(scores) <= NEAR:
        return scores
    least = sorted(scores.values(), reverse=True)[NEAR - 1]
    best = [row for row, score in scores.items() if score > least]
    places = tables.places([row for row, score in scores.items() if score == least])
    return {row: scores[row] for row in [*best, *sorted(places, key=lambda row: places[row])][:NEAR]}


def _found(kind: Kind, seen: Seen, likeness: float) -> Found:
    return Found(
        debate=seen.debate,
        kind=kind,
        n=seen.n,
        at=seen.at,
        body=json.loads(seen.body),
        uses=seen.uses,
        tier=tier(seen.uses),
        likeness=likeness,
    )
