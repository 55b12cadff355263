"""Independent answers bought at the cost of a debate: as many for every question, or more where they differ.

Both rivals are matched on cost alone; no truth is read. Uniform sampling takes the first k answers of every question,
adaptive sampling takes answers until the leader is ahead with some probability. Their steps are coarse, so the rival is
a mixture of two neighbouring steps: (1 - f) times the cheaper one and f times the dearer one, in score and in cost.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise
from operator import itemgetter
from typing import TypeAlias

from folkmoot.policy.early_stop import chance_ahead

Costs: TypeAlias = Sequence[Sequence[float]]
"""For each question what its first, second, third … independent answer cost."""

Votes: TypeAlias = Sequence[Sequence[str | None]]
"""For each question what those answers were, in the form in which they are compared; None for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixture:
    """How many answers each question gets: in the cheaper step, in the dearer one, and the share of the latter."""

    low: tuple[int, ...]
    high: tuple[int, ...]
    share: float

    def sizes(self, place: int) -> dict[int, float]:
        """How many answers a question gets, with the share of each number."""
        low, high = self.low[place], self.high[place]
        shares = {low: 1 - self.share, high: self.share} if low != high else {low: 1.0}
        return {size: share for size, share in shares.items() if share > 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Answers that have to be bought before the match is known."""

    needed: tuple[tuple[int, int], ...]  # the place of a question, and how many it needs
    nearest: Mixture  # the dearest step that is known so far, for a run that can buy no more; its cost is too low


def match_uniform(costs: Costs, target: float) -> Mixture | Missing:
    """The number of answers for each question at which their cost is the target: k, or between k and k + 1; at least 1.

    Returns:
        The mixture; or what is missing to know it.
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

    A level is a probability that the leader is ahead; a question has answers enough where it is reached. Costs rise
    with the level, so it is found by bisection, among the levels that the answers there are reach. One question can
    have ``most`` answers; there is at least one to each.

    Returns:
        The mixture of two neighbouring levels; or what is missing to know it.
    """
    reached = [levels_reached(tuple(known[:most])) for known in votes]
    tops = {place: own[-1][0] for place, own in enumerate(reached) if len(votes[place]) < most}
    limit = min(tops.values(), default=Fraction(1))

    def counts(level: Fraction) -> tuple[int, ...]:
        """How many answers reach a level; the most that there can be where none of them does."""
        places = [bisect_left(own, level, key=itemgetter(0)) for own in reached]
        return tuple(own[at][1] if at < len(own) else most for own, at in zip(reached, places, strict=True))

    def total(level: Fraction) -> float:
        return sum(sum(known[:count]) for known, count in zip(costs, counts(level), strict=True))

    if total(limit) < target:
        last = Mixture(low=counts(limit), high=counts(limit), share=1.0)
        missing = [(place, len(votes[place]) + 1) for place, top in tops.items() if top == limit]
        return Missing(needed=tuple(missing), nearest=last) if missing else last
    levels = sorted({limit, *(level for own in reached for level, _ in own if level < limit)})
    at = bisect_left(levels, target, key=total)
    high, low = levels[at], levels[max(at - 1, 0)]
    before, after = total(low), total(high)
    share = 1.0 if after == before else (target - before) / (after - before)
    return Mixture(low=counts(low), high=counts(high), share=share)


@lru_cache(maxsize=4096)
def levels_reached(votes: tuple[str | None, ...]) -> tuple[tuple[Fraction, int], ...]:
    """The levels that the answers to a question reach, each higher than all before, and after how many answers.

    The level is the posterior probability Beta(1 + leader, 1 + second) that the leader is ahead; see
    ``policy.early_stop``. The level 0 is reached by one answer, whatever it is.
    """
    tally: Counter[str] = Counter()
    reached = [(Fraction(0), 1)]
    for n, vote in enumerate(votes, start=1):
        if vote is None:
            continue
        tally[vote] += 1
        first, second = ([count for _, count in tally.most_common(2)] + [0])[:2]
        if (level := chance_ahead(first, second)) > reached[-1][0]:
            reached.append((level, n))
    return tuple(reached)


def spread_evenly(amounts: Sequence[float]) -> tuple[int, ...]:
    """Whole numbers for fractional amounts; each sum of the first ones is off by half a unit at most."""
    ends = [round(total) for total in accumulate(amounts, initial=0.0)]
    return tuple(after - before for before, after in pairwise(ends))
