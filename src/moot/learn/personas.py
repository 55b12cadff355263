"""How participants and models did over many debates. This file owns the sums; each is made from lessons alone.

A share without its interval says more than it knows: three of four is no better than one half. The interval is that of
Wilson (1927), which is right for few debates too.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from moot.learn.memory import Performance
from moot.learn.memory_store import Item
from moot.learn.ratings import Z95


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """So many of so many, with the 95 % interval of what that is a sample of: 0 to 1 where there are none."""

    some: int
    of: int
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Persona:
    """What came of a participant, or of a model, in all debates.

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
    """What a shelf holds of the kind ``performance``, each with its debate."""
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
