"""Who stood how to whom over many debates. This file owns the sums for pairs; each is made from lessons alone."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, cast

from moot.learn.memory import Relation
from moot.learn.memory_store import Item
from moot.learn.personas import Share, share


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """What came of two in all debates in which both took part.

    Attributes:
        one: a participant or a model; the first of the two in the alphabet.
        other: the other one.
        debates: how many.
        agreed: how often they ended with the same answer, of the times when both gave one; of models each pair of
            seats in a debate is one time.
        moved_other: how often the first changed the other's answer.
        moved_one: how often the other changed the first's.
    """

    one: str
    other: str
    debates: int
    agreed: Share
    moved_other: int
    moved_one: int


def relations(items: Iterable[Item]) -> tuple[tuple[str, Relation], ...]:
    """What a shelf holds of the kind ``relation``, each with its debate."""
    return tuple(
        (item.debate, replace(made, players=(made.players[0], made.players[1])))
        for item in items
        for made in [Relation(**cast("dict[str, Any]", item.body))]
    )


def pairs(met: Iterable[tuple[str, Relation]]) -> tuple[Pair, ...]:
    """The sums for each two names, those with most debates first."""
    return _sums((each.one, each.other, debate, each) for debate, each in met)


def model_pairs(met: Iterable[tuple[str, Relation]]) -> tuple[Pair, ...]:
    """The sums for each two models that are not the same."""
    return _sums(
        (*each.players, debate, each)
        for debate, each in met
        if all(":" in player for player in each.players) and each.players[0] != each.players[1]
    )


def _sums(met: Iterable[tuple[str, str, str, Relation]]) -> tuple[Pair, ...]:
    held: dict[tuple[str, str], list[tuple[str, Relation]]] = {}
    for one, other, debate, each in met:
        turned = replace(each, moved_other=each.moved_one, moved_one=each.moved_other)
        key, kept = ((one, other), each) if one <= other else ((other, one), turned)
        held.setdefault(key, []).append((debate, kept))
    found = [
        Pair(
            one=one,
            other=other,
            debates=len({debate for debate, _ in cases}),
            agreed=share(*_agreed([each for _, each in cases])),
            moved_other=sum(each.moved_other for _, each in cases),
            moved_one=sum(each.moved_one for _, each in cases),
        )
        for (one, other), cases in held.items()
    ]
    return tuple(sorted(found, key=lambda each: (-each.debates, each.one, each.other)))


def _agreed(cases: Iterable[Relation]) -> tuple[int, int]:
    """How often two ended with the same answer, and how often both gave one."""
    known = [each.agreed for each in cases if each.agreed is not None]
    return sum(known), len(known)
