"""Performance of participants and models over many debates, and relations between pairs of them.

Every share has its interval (Wilson 1927), which is right for few debates too: three of four is not significantly
better than one half. Computed from lessons alone.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from folkmoot.learn.memory import Performance, Relation
from folkmoot.learn.memory_store import Item
from folkmoot.learn.ratings import Z95


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A share of a number, with its 95% interval: 0 to 1 for a number of 0."""

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


def share(part: int, of: int) -> Share:
    """A share with the score interval of Wilson (1927), at 95%.

    Raises:
        ValueError: more than all, or fewer than none.
    """
    if not 0 <= part <= of:
        raise ValueError(f"{part} of {of} is not a share")
    if not of:
        return Share(some=0, of=0, low=0.0, high=1.0)
    p, z2 = part / of, Z95 * Z95 / of
    middle, half = p + z2 / 2, Z95 * math.sqrt(p * (1 - p) / of + z2 / (4 * of))
    # Rounding must not lead past the share itself.
    low, high = (middle - half) / (1 + z2), (middle + half) / (1 + z2)
    return Share(some=part, of=of, low=min(max(low, 0.0), p), high=max(min(high, 1.0), p))


def performances(items: Iterable[Item]) -> tuple[tuple[str, Performance], ...]:
    """What the memory store holds of the kind ``performance``, each with its debate."""
    return tuple((item.debate, Performance(**cast("dict[str, Any]", item.body))) for item in items)


def personas(done: Iterable[tuple[str, Performance]]) -> tuple[Persona, ...]:
    """The sums for each name with each role, those in most debates first.

    Seats without a language model, and several who answered for one, count as taking part; whether they won or were
    right is nobody's performance.
    """
    return _sums((performance.who, performance.role, debate, performance) for debate, performance in done)


def models(done: Iterable[tuple[str, Performance]]) -> tuple[Persona, ...]:
    """The sums for each model, those in most debates first; people are left out."""
    return _sums(
        (performance.player, "", debate, performance) for debate, performance in done if ":" in performance.player
    )


def _sums(done: Iterable[tuple[str, str, str, Performance]]) -> tuple[Persona, ...]:
    cases_by_persona: dict[tuple[str, str], list[tuple[str, Performance]]] = {}
    for name, role, debate, performance in done:
        cases_by_persona.setdefault((name, role), []).append((debate, performance))
    personas_found = [_persona(name, role, value) for (name, role), value in cases_by_persona.items()]
    return tuple(sorted(personas_found, key=lambda persona: (-persona.debates, persona.name, persona.role)))


def _persona(name: str, role: str, done: Sequence[tuple[str, Performance]]) -> Persona:
    every = [performance for _, performance in done]
    won = [performance.won for performance in every if performance.player and performance.won is not None]
    right = [performance.right for performance in every if performance.player and performance.right is not None]
    return Persona(
        name=name,
        role=role,
        debates=len({debate for debate, _ in done}),
        answers=sum(performance.answers for performance in every),
        missing=sum(performance.missing for performance in every),
        changed=sum(performance.changed for performance in every),
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
        (item.debate, replace(relation, players=(relation.players[0], relation.players[1])))
        for item in items
        for relation in [Relation(**cast("dict[str, Any]", item.body))]
    )


def pairs(met: Iterable[tuple[str, Relation]]) -> tuple[Pair, ...]:
    """The sums for each two names, those with most debates first."""
    return _pair_sums((relation.one, relation.other, debate, relation) for debate, relation in met)


def model_pairs(met: Iterable[tuple[str, Relation]]) -> tuple[Pair, ...]:
    """The sums for each two models that are not the same."""
    return _pair_sums(
        (*relation.players, debate, relation)
        for debate, relation in met
        if all(":" in player for player in relation.players) and relation.players[0] != relation.players[1]
    )


def _pair_sums(met: Iterable[tuple[str, str, str, Relation]]) -> tuple[Pair, ...]:
    cases_by_pair: dict[tuple[str, str], list[tuple[str, Relation]]] = {}
    for first_name, other, debate, relation in met:
        turned = replace(relation, moved_other=relation.moved_one, moved_one=relation.moved_other)
        key, kept_relation = ((first_name, other), relation) if first_name <= other else ((other, first_name), turned)
        cases_by_pair.setdefault(key, []).append((debate, kept_relation))
    summed = [
        Pair(
            one=name,
            other=other,
            debates=len({debate for debate, _ in cases}),
            agreed=share(*_agreements([relation for _, relation in cases])),
            moved_other=sum(relation.moved_other for _, relation in cases),
            moved_one=sum(relation.moved_one for _, relation in cases),
        )
        for (name, other), cases in cases_by_pair.items()
    ]
    return tuple(sorted(summed, key=lambda pair: (-pair.debates, pair.one, pair.other)))


def _agreements(cases: Iterable[Relation]) -> tuple[int, int]:
    """How often two ended with the same answer, and how often both gave one."""
    known = [relation.agreed for relation in cases if relation.agreed is not None]
    return sum(known), len(known)
