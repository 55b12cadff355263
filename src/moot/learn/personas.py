"""Performance of participants and models over many debates, and relations between pairs of them.

Every share has its interval (Wilson 1927), which is right for few debates too: three of four is no better than one
half. Computed from lessons alone.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from moot.learn.memory import Performance, Relation
from moot.learn.memory_store import Item
from moot.learn.ratings import Z95


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A share of a number, with its 95 % interval: 0 to 1 for a number of 0."""

    some: int
    of: int
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Persona:
    """The performance of a participant, or of a model, in all debates.

    Attributes:
        name: of the participant or the model.
        role: of the participant; "" for a model.
        debates: in how many it took part.
        answers: questions that it answered.
        missing: questions that it did not answer.
        changed: how often it changed its answer.
        won: the debates in which its answer was chosen, of those that were decided.
        right: those in which its last answer was the truth, of those in which that is known.
    """

    name: str
    role: str
    debates: int
    answers: int
    missing: int
    changed: int
    won: Share
    right: Share


def share(some: int, of: int) -> Share:
    """A share with the score interval of Wilson (1927), at 95 %.

    Raises:
        ValueError: more than all, or fewer than none.
    """
    if not 0 <= some <= of:
        raise ValueError(f"{some} of {of} is no share")
    if not of:
        return Share(some=0, of=0, low=0.0, high=1.0)
    p, z2 = some / of, Z95 * Z95 / of
    middle, half = p + z2 / 2, Z95 * math.sqrt(p * (1 - p) / of + z2 / (4 * of))
    # Rounding must not lead past the share itself.
    low, high = (middle - half) / (1 + z2), (middle + half) / (1 + z2)
    return Share(some=some, of=of, low=min(max(low, 0.0), p), high=max(min(high, 1.0), p))


def performances(items: Iterable[Item]) -> tuple[tuple[str, Performance], ...]:
    """What the memory store holds of the kind ``performance``, each with its debate."""
    return tuple((item.debate, Performance(**cast("dict[str, Any]", item.body))) for item in items)


def personas(done: Iterable[tuple[str, Performance]]) -> tuple[Persona, ...]:
    """The sums for each name with each role, those in most debates first.

    Seats without a language model, and several who answered for one, count as taking part; whether they won or were
    right is nobody's performance.
    """
    return _sums((each.who, each.role, debate, each) for debate, each in done)


def models(done: Iterable[tuple[str, Performance]]) -> tuple[Persona, ...]:
    """The sums for each model, those in most debates first; people are many, and none of them is a model."""
    return _sums((each.player, "", debate, each) for debate, each in done if ":" in each.player)


def _sums(done: Iterable[tuple[str, str, str, Performance]]) -> tuple[Persona, ...]:
    held: dict[tuple[str, str], list[tuple[str, Performance]]] = {}
    for name, role, debate, each in done:
        held.setdefault((name, role), []).append((debate, each))
    found = [_persona(name, role, each) for (name, role), each in held.items()]
    return tuple(sorted(found, key=lambda each: (-each.debates, each.name, each.role)))


def _persona(name: str, role: str, done: Sequence[tuple[str, Performance]]) -> Persona:
    every = [each for _, each in done]
    won = [each.won for each in every if each.player and each.won is not None]
    right = [each.right for each in every if each.player and each.right is not None]
    return Persona(
        name=name,
        role=role,
        debates=len({debate for debate, _ in done}),
        answers=sum(each.answers for each in every),
        missing=sum(each.missing for each in every),
        changed=sum(each.changed for each in every),
        won=share(sum(won), len(won)),
        right=share(sum(right), len(right)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """The relation of two in all debates in which both took part.

    Attributes:
        one: a participant or a model; the first of the two in the alphabet.
        other: the other one.
        debates: how many.
        agreed: how often they ended with the same answer, of the times when both gave one; of models each pair of
            participants in a debate is one time.
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
    """What the memory store holds of the kind ``relation``, each with its debate."""
    return tuple(
        (item.debate, replace(made, players=(made.players[0], made.players[1])))
        for item in items
        for made in [Relation(**cast("dict[str, Any]", item.body))]
    )


def pairs(met: Iterable[tuple[str, Relation]]) -> tuple[Pair, ...]:
    """The sums for each two names, those with most debates first."""
    return _pair_sums((each.one, each.other, debate, each) for debate, each in met)


def model_pairs(met: Iterable[tuple[str, Relation]]) -> tuple[Pair, ...]:
    """The sums for each two models that are not the same."""
    return _pair_sums(
        (*each.players, debate, each)
        for debate, each in met
        if all(":" in player for player in each.players) and each.players[0] != each.players[1]
    )


def _pair_sums(met: Iterable[tuple[str, str, str, Relation]]) -> tuple[Pair, ...]:
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
