"""Which arguments stand, and how strongly. This file owns the semantics of a graph of attacks and supports.

Two published ones, side by side. Standing looks at attacks alone: an attack on one backer of a claim must not topple
the claim, as the attacks derived from support in bipolar frameworks would have it. Support counts in the strength.
Neither reads a word: they say what follows from who attacks whom, not what is true.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Label: TypeAlias = Literal["in", "out", "undecided"]
Pair: TypeAlias = tuple[str, str]
"""Who acts on whom: an attack or a support."""

BASE = 0.5
"""The strength of an argument that nobody attacks or supports."""

CLOSE = 1e-9
"""The strengths have settled when none is further than this from what the others make of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Strengths:
    """The strength of each argument, 0 to 1, and whether the iteration has settled; else they are its last values."""

    values: Mapping[str, float]
    settled: bool


def grounded(arguments: Sequence[str], attacks: Collection[Pair]) -> dict[str, Label]:
    """The grounded labelling: what must be accepted is in, what an accepted one attacks is out, the rest undecided.

    An argument is in when all its attackers are out; those without attackers come first. The arguments that are in
    are the grounded extension of P. M. Dung, "On the acceptability of arguments and its fundamental role in
    nonmonotonic reasoning, logic programming and n-person games", Artificial Intelligence 77 (1995): the least
    complete extension, there is always exactly one.

    Args:
        arguments: their names.
        attacks: pairs (attacker, attacked) of those names.
    """
    attackers = _onto(arguments, attacks)
    labels: dict[str, Label] = {}
    while True:
        found = [
            each for each in arguments if each not in labels and all(labels.get(by) == "out" for by in attackers[each])
        ]
        if not found:
            return {each: labels.get(each, "undecided") for each in arguments}
        labels.update(dict.fromkeys(found, "in"))
        for each in arguments:
            if each not in labels and any(labels.get(by) == "in" for by in attackers[each]):
                labels[each] = "out"


def strengths(
    arguments: Sequence[str], attacks: Collection[Pair], supports: Collection[Pair], *, steps: int = 10_000
) -> Strengths:
    """The strength of each argument by the quadratic energy model, with the same base score b = 0.5 for all.

    The energy of an argument is the strength of its supporters less that of its attackers, E = Σs − Σa. In equilibrium
    s = b + (1 − b)·h(E) − b·h(−E) with h(x) = max(x, 0)² / (1 + max(x, 0)²). It is the limit of the differential
    equation ds/dt = b + (1 − b)·h(E) − b·h(−E) − s from s = b, followed here by Euler's method with a step that
    shrinks with the number of an argument's neighbours. Outside of cycles the limit exists and is computed at once; for
    cycles, and what they bear on, no proof is known, so the result says whether it has settled.

    Source: N. Potyka, "Continuous dynamical systems for weighted bipolar argumentation", KR 2018.

    Args:
        arguments: their names.
        attacks: pairs (attacker, attacked) of those names.
        supports: pairs (supporter, supported) of those names.
        steps: the most steps taken.
    """
    against, behind = _onto(arguments, attacks), _onto(arguments, supports)

    def draw(each: str, now: Mapping[str, float]) -> float:
        return _drawn(sum(now[by] for by in behind[each]) - sum(now[by] for by in against[each]))

    # Outside of cycles the equilibrium of an argument follows from those of its neighbours, which come first.
    fixed: dict[str, float] = {}
    left = list(arguments)
    while ready := [each for each in left if all(by in fixed for by in (*against[each], *behind[each]))]:
        fixed |= {each: draw(each, fixed) for each in ready}
        left = [each for each in left if each not in fixed]
    # h rises by at most 0.65 for each unit of energy, and b is a half: so steep can the right side be.
    steepest = 0.33 * max((len(against[each]) + len(behind[each]) for each in left), default=0)
    step = 1 / (1 + steepest)
    now = dict.fromkeys(arguments, BASE) | fixed
    for _ in range(steps):
        drawn = {each: draw(each, now) for each in left}
        if all(abs(drawn[each] - now[each]) <= CLOSE for each in left):
            return Strengths(values=now | drawn, settled=True)
        now |= {each: now[each] + step * (drawn[each] - now[each]) for each in left}
    return Strengths(values=now, settled=False)


def _drawn(energy: float) -> float:
    """Where an energy draws a strength."""
    square = energy * energy
    pull = square / (1 + square)
    return BASE + (1 - BASE) * pull if energy > 0 else BASE - BASE * pull


def _onto(arguments: Sequence[str], pairs: Collection[Pair]) -> dict[str, list[str]]:
    """For each argument those that act on it."""
    found: dict[str, list[str]] = {each: [] for each in arguments}
    for by, on in pairs:
        found[on].append(by)
    return found
