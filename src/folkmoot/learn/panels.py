"""Many voters on one question: accuracy, weights and effective number of voters, and the savings of early stopping.

An answer is a text, compared as it is; a voter without an answer abstains. Sums are ``math.fsum`` or in sorted order. A
stop rule reads only the counts so far, so its mean over all orders of asking is computed exactly; nothing is sampled.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from types import MappingProxyType
from typing import Final

from folkmoot.learn.ratings import correlation

ENOUGH = 20
"""Graded items that every voter of a panel needs before weights differ from 1."""

CAP = 3.0
"""The maximum of a voter's log-odds: 3 is an accuracy of 95%."""

Answers = Mapping[str, str]
"""The answers to one question by voter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """A voter's graded answers: how many were right, of how many."""

    right: int
    n: int

    @property
    def accuracy(self) -> float:
        """The accuracy to expect: (right + 1) / (n + 2), the mean of the Beta posterior over an even prior."""
        return (self.right + 1) / (self.n + 2)


def tops(answers: Answers, weights: Mapping[str, float] | None = None) -> tuple[str, ...]:
    """The answers with the most votes or weight, sorted; more than one is a tie, none is a panel without an answer.

    A voter without a weight weighs 1. Weights are added exactly, as the rules add them: three of 0.1 are one of 0.3.
    """
    tally: dict[str, Fraction] = {}
    for voter, answer in answers.items():
        if answer:
            weight = Fraction(str(weights.get(voter, 1.0))) if weights else Fraction(1)
            tally[answer] = tally.get(answer, Fraction(0)) + weight
    highest = max(tally.values(), default=Fraction(0))
    return tuple(sorted(answer for answer, weight in tally.items() if weight == highest))


def credit(tied: Sequence[str], truth: str) -> float:
    """1 for the right answer, a share of it where it ties with others, 0 for a wrong one."""
    return 1 / len(tied) if truth in tied else 0.0


def mean_accuracy(items: Sequence[Answers], truths: Sequence[str], *, size: int) -> float:
    """The mean plurality accuracy over all panels of this number of voters: exact, nothing is drawn.

    Every item must name the same voters; who abstains still takes a place.
    """
    return math.fsum(
        _mean_credit(*shape_of(item, truth), size) for item, truth in zip(items, truths, strict=True)
    ) / len(items)


def log_odds_weights(marks: Mapping[str, Marks], *, options: int = 2) -> dict[str, float]:
    """The weight of each vote: log(p / (1 - p)) of the voter's accuracy p, at most 3, plus log(k - 1).

    Optimal for independent voters (Nitzan and Paroush 1982, for two answers; k - 1 for k answers among which errors
    fall evenly). p is shrunken by an even Beta prior. A voter at chance or below weighs 0. As long as anybody has fewer
    than 20 graded items, and where nobody is above chance, all weigh 1.

    Args:
        marks: by voter.
        options: k, how many answers there are to choose from, 2 or more.
    """
    weights = {name: log_odds_weight(value, options=options) for name, value in sorted(marks.items())}
    if any(mark.n < ENOUGH for mark in marks.values()) or not any(weights.values()):
        return dict.fromkeys(weights, 1.0)
    return weights


def log_odds_weight(marks: Marks, *, options: int = 2) -> float:
    """The weight of one vote if enough is known of the others; see ``log_odds_weights``."""
    p = marks.accuracy
    return max(min(math.log(p / (1 - p)), CAP) + math.log(options - 1), 0.0)


def cross_fitted(
    items: Sequence[Answers], truths: Sequence[str], *, folds: int = 2, options: int = 2
) -> tuple[tuple[str, ...], ...]:
    """The weighted tops of each item, by weights learned on the items of all other folds; item i is in fold i % folds.

    So no item helps to weigh its own votes.
    """
    chosen: list[tuple[str, ...]] = []
    learned = [
        log_odds_weights(_panel_marks(items, truths, skip=fold, folds=folds), options=options) for fold in range(folds)
    ]
    for i, item in enumerate(items):
        chosen.append(tops(item, learned[i % folds]))
    return tuple(chosen)


def effective_voters(items: Sequence[Answers], truths: Sequence[str]) -> tuple[float, float]:
    """How many independent voters a panel is worth, and the mean correlation of being right over all pairs of voters.

    n / (1 + (n - 1) r), Kish's effective sample size (1965). Pairs of which one is always or never right have no
    correlation and are left out. A correlation below 0 counts as 0.
    """
    voters = sorted(items[0])
    right = {
        voter: [float(item[voter] == truth) for item, truth in zip(items, truths, strict=True)] for voter in voters
    }
    pairs = [correlation(right[voter], right[other]) for voter, other in combinations(voters, 2)]
    known = [pair for pair in pairs if pair is not None]
    shared = max(math.fsum(known) / len(known), 0.0) if known else 0.0
    return len(voters) / (1 + (len(voters) - 1) * shared), shared


def _panel_marks(items: Sequence[Answers], truths: Sequence[str], *, skip: int, folds: int) -> dict[str, Marks]:
    right: Counter[str] = Counter()
    n: Counter[str] = Counter()
    for i, (item, truth) in enumerate(zip(items, truths, strict=True)):
        if i % folds != skip:
            n.update(item.keys())
            right.update(voter for voter, answer in item.items() if answer == truth)
    return {voter: Marks(right=right[voter], n=n[voter]) for voter in n}


def shape_of(item: Answers, truth: str) -> tuple[int, tuple[int, ...], int]:
    """The number of right answers, the numbers of each wrong answer (sorted), and the number without an answer."""
    tally = Counter(item.values())
    silent = tally.pop("", 0)
    return tally.pop(truth, 0), tuple(sorted(tally.values())), silent


@lru_cache(maxsize=4096)
def _mean_credit(right: int, wrong: tuple[int, ...], silent: int, size: int) -> float:
    """The mean credit over all ways to take ``size`` voters: for each number that is right, the ways of the others.

    ``ways[taken, tied]`` counts choices among the wrong answers with none ahead of the right one, whole numbers.
    """
    parts: list[float] = []
    for ahead in range(1, min(right, size) + 1):
        ways = Counter({(0, 1): 1})
        for group in wrong:
            longer: Counter[tuple[int, int]] = Counter()
            for (drawn, tied), count in ways.items():
                for chosen in range(min(group, ahead, size - ahead - drawn) + 1):
                    longer[drawn + chosen, tied + (chosen == ahead)] += count * math.comb(group, chosen)
            ways = longer
        for (drawn, tied), count in ways.items():
            left = size - ahead - drawn
            parts.append(math.comb(right, ahead) * count * math.comb(silent, left) / tied)
    return math.fsum(parts) / math.comb(right + sum(wrong) + silent, size)


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
