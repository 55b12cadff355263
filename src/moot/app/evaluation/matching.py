"""Independent answers bought at the cost of a debate: as many for every question, or more where they differ.

Both rivals are matched on cost alone; no truth is read. Uniform sampling takes the first k answers of every question,
adaptive sampling takes answers until the leader is ahead with some probability. Their steps are coarse, so the rival is
a mixture of two neighbouring steps: (1 - f) times the cheaper one and f times the dearer one, in score and in cost.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from moot.policy.early_stop import chance_ahead

Costs: TypeAlias = Sequence[Sequence[float]]
"""For each question what its first, second, third … independent answer cost."""

Votes: TypeAlias = Sequence[Sequence[str | None]]
"""For each question what those answers were, in the form in which they are compared; None for none."""

CERTAIN = 0.95
"""The level that adaptive sampling has where it meets no cost: the leader is ahead with this probability."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixture:
    """How many answers each question gets: in the cheaper step, in the dearer one, and the share of the latter.

    Attributes:
        low: by question.
        high: by question.
        share: f, from 0 to 1.
    """

    low: tuple[int, ...]
    high: tuple[int, ...]
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Answers that have to be bought before the match is known.

    Attributes:
        needed: by the place of the question, how many it needs.
        nearest: the dearest step that is known so far, for a run that can buy no more; its cost is too low.
    """

    needed: tuple[tuple[int, int], ...]
    nearest: Mixture


def match_uniform(costs: Costs, target: float) -> Mixture | Missing:
    """The number of answers for each question at which their cost is the target, k or between k and k + 1.

    Args:
        costs: of the answers that there are.
        target: what they shall cost together.

    Returns:
        The mixture; or what is missing to know it. At least one answer is taken.
    """
    k = 0
    before = total = 0.0
    while k == 0 or total < target:
        if missing := [place for place, known in enumerate(costs) if len(known) <= k]:
            known = Mixture(low=(k,) * len(costs), high=(k,) * len(costs), share=1.0)
            return Missing(needed=tuple((place, k + 1) for place in missing), nearest=known)
        before, total, k = total, total + sum(known[k] for known in costs), k + 1
        if total == before and target > total:
            break  # answers that cost nothing never reach a cost
    share = 1.0 if k == 1 or total == before else (target - before) / (total - before)
    low = k if k == 1 else k - 1
    return Mixture(low=(low,) * len(costs), high=(k,) * len(costs), share=share)


def match_adaptive(votes: Votes, costs: Costs, target: float, *, most: int) -> Mixture | Missing:
    """The level at which answers bought only where they differ cost the target.

    Args:
        votes: the answers that there are.
        costs: of the same answers.
        target: what they shall cost together.
        most: answers that one question can have.

    Returns:
        The mixture of two neighbouring levels; or what is missing to know it.
    """
    low: tuple[int, ...] = ()
    before = 0.0
    for level in levels(most):
        counts = [stop_at(known, level, most=most) for known in votes]
        missing = [(place, len(votes[place]) + 1) for place, count in enumerate(counts) if count is None]
        if missing:
            return Missing(needed=tuple(missing), nearest=Mixture(low=low, high=low, share=1.0))
        high = tuple(count or 0 for count in counts)
        total = sum(sum(known[:count]) for known, count in zip(costs, high, strict=True))
        if total >= target:
            share = 1.0 if not low or total == before else (target - before) / (total - before)
            return Mixture(low=low or high, high=high, share=share)
        low, before = high, total
    return Mixture(low=low, high=low, share=1.0)


def stop_at(votes: Sequence[str | None], level: Fraction | float, *, most: int) -> int | None:
    """How many answers are bought until the leader is ahead with this probability; None if more must be known.

    The probability is that of the posterior Beta(1 + leader, 1 + second); see ``policy.early_stop``.
    """
    tally: Counter[str] = Counter()
    for n, vote in enumerate(votes[:most], start=1):
        tally.update([vote] if vote is not None else [])
        first, second = ([count for _, count in tally.most_common(2)] + [0, 0])[:2]
        if level == 0 or (first and _chance_ahead(first, second) >= level):
            return n
    return most if len(votes) >= most else None


@lru_cache(maxsize=8)
def levels(most: int) -> tuple[Fraction, ...]:
    """All levels at which this number of answers can stop, the cheapest first.

    At 0 one answer is enough, whatever it is; at 1 none stops early.
    """
    ahead = {_chance_ahead(first, n - first) for n in range(1, most) for first in range(n // 2 + 1, n + 1)}
    return (Fraction(0), *sorted(ahead), Fraction(1))


@lru_cache(maxsize=4096)
def _chance_ahead(first: int, second: int) -> Fraction:
    return chance_ahead(first, second)


def spread_evenly(amounts: Sequence[float]) -> tuple[int, ...]:
    """Whole numbers for fractional amounts; each sum of the first ones is off by half a unit at most."""
    whole: list[int] = []
    total = 0.0
    for amount in amounts:
        before, total = total, total + amount
        whole.append(round(total) - round(before))
    return tuple(whole)
