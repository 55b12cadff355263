"""What early stops save: voters are asked one after the other, and a rule says when enough have answered.

A rule reads only the counts so far, so its mean over all orders of asking is computed exactly; nothing is sampled.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from folkmoot.learn.panels import Answers

Rule = Callable[[Sequence[int], int, int], bool]
"""Whether to stop: counts of the answers so far from the largest on, how many were asked, how many are left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Saving:
    """The average effect of a rule over items and orders.

    Attributes:
        calls: voters asked.
        saved: voters not asked.
        accuracy: of the plurality when the rule stopped, a tie among k answers worth 1/k.
        loss: accuracy of asking everybody, minus that.
    """

    calls: float
    saved: float
    accuracy: float
    loss: float


def settled(counts: Sequence[int], asked_members: int, left: int) -> bool:
    """The lead is larger than the number of votes left: further votes cannot change the winner."""
    return _vote_lead(counts) > left


def beta(least: float) -> Rule:
    """Stop when the leader is ahead of the second with this probability (Adaptive-Consistency, Aggarwal et al. 2023).

    The posterior of the leader's share among the votes for the two is Beta(1 + v1, 1 + v2), v1 and v2 their counts.
    """

    def met(counts: Sequence[int], answered: int, left: int) -> bool:
        first, second = (*counts[:2], 0, 0)[:2]
        return ahead(first, second) >= least

    return met


def first_equal(n: int) -> Rule:
    """Stop after n answers if all are the same, abstentions aside; if they differ, ask everybody."""

    def met(counts: Sequence[int], answered: int, left: int) -> bool:
        return sum(counts) == n == _vote_lead(counts)

    return met


def gate(n: int) -> Rule:
    """Ask n voters at once; stop if every one gave the same answer; if not, ask everybody."""

    def met(counts: Sequence[int], answered: int, left: int) -> bool:
        return answered == n == _vote_lead(counts)

    return met


def never(counts: Sequence[int], answered: int, left: int) -> bool:
    """Ask everybody."""
    return False


@lru_cache(maxsize=4096)
def ahead(first: int, second: int) -> float:
    """P(X > 1/2) for X of Beta(1 + first, 1 + second): a binomial sum, exact but for one division."""
    throws = first + second + 1
    return sum(math.comb(throws, k) for k in range(first + 1)) / 2**throws


RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    {
        "ask all": never,
        "lead cannot be overturned": settled,
        "Beta 0.90": beta(0.90),
        "Beta 0.95": beta(0.95),
        "first two equal": first_equal(2),
        "first three alike, else all": gate(3),
    }
)
"""The stop rules by name."""


def savings(
    items: Sequence[Mapping[str, str]], truths: Sequence[str], *, rules: Mapping[str, Rule] = RULES
) -> dict[str, Saving]:
    """What each rule saves and loses over the items, by the rule's name.

    Args:
        items: for each item the answers by voter, at least one item; "" is a call without an answer.
        truths: the right answers.
        rules: to compare.
    """
    shapes = Counter(shape_of(item, truth) for item, truth in zip(items, truths, strict=True))
    without_stop = _mean(shapes, never)
    saved: dict[str, Saving] = {}
    for name, rule in rules.items():
        calls, accuracy = _mean(shapes, rule)
        saved[name] = Saving(
            calls=calls, saved=without_stop[0] - calls, accuracy=accuracy, loss=without_stop[1] - accuracy
        )
    return saved


_Shape = tuple[int, tuple[int, ...], int]


def _mean(shapes: Mapping[_Shape, int], rule: Rule) -> tuple[float, float]:
    """Mean calls and mean credit over all items."""
    calls: list[float] = []
    credits: list[float] = []
    for shape, count in sorted(shapes.items()):
        walk = _walk(shape, rule)
        calls.append(count * walk[0])
        credits.append(count * walk[1])
    n = sum(shapes.values())
    return math.fsum(calls) / n, math.fsum(credits) / n


_State = tuple[tuple[int, int], tuple[tuple[int, int], ...], int]
"""Right answers given and left, the same for each wrong answer (sorted), silent voters left."""


def _walk(shape: _Shape, rule: Rule) -> tuple[float, float]:
    """Mean calls and credit of one item over all orders, each equally likely: states with their chances, step by step.

    Wrong answers with equal counts are one state, which keeps the states few.
    """
    right, wrong, silent = shape
    n = right + sum(wrong) + silent
    states: dict[_State, float] = {((0, right), tuple((0, item) for item in wrong), silent): 1.0}
    calls: list[float] = []
    credits: list[float] = []
    for answered in range(n + 1):
        ahead_of: dict[_State, list[float]] = {}
        for state, chance in sorted(states.items()):
            (for_right, _), others, _ = state
            counts = sorted((for_right, *(value for value, _ in others)), reverse=True)
            if answered == n or rule(counts, answered, n - answered):
                calls.append(chance * answered)
                credits.append(chance / counts.count(for_right) if for_right and for_right == counts[0] else 0.0)
                continue
            for new, ways in _steps(state):
                ahead_of.setdefault(new, []).append(chance * ways / (n - answered))
        states = {state: math.fsum(parts) for state, parts in ahead_of.items()}
    return math.fsum(calls), math.fsum(credits)


def _steps(state: _State) -> list[tuple[_State, int]]:
    """The states after one more voter, and how many voters lead to each."""
    (for_right, left), others, silent = state
    steps: list[tuple[_State, int]] = []
    if left:
        steps.append((((for_right + 1, left - 1), others, silent), left))
    if silent:
        steps.append((((for_right, left), others, silent - 1), silent))
    for i, (had, more) in enumerate(others):
        if more:
            after = tuple(sorted((*others[:i], (had + 1, more - 1), *others[i + 1 :])))
            steps.append((((for_right, left), after, silent), more))
    return steps


def _vote_lead(counts: Sequence[int]) -> int:
    first, second = (*counts[:2], 0, 0)[:2]
    return first - second


def shape_of(item: Answers, truth: str) -> tuple[int, tuple[int, ...], int]:
    """The number of right answers, the numbers of each wrong answer (sorted), and the number without an answer."""
    tally = Counter(item.values())
    silent = tally.pop("", 0)
    return tally.pop(truth, 0), tuple(sorted(tally.values())), silent
