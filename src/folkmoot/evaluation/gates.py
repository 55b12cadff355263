"""A gate: debate only where the first answers are further apart than a threshold, learned on other questions."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from folkmoot.evaluation.paired import Differences, Floats
from folkmoot.evaluation.verdicts import Comparison, Verdict, compare, decide

DEFAULT = 0.20
"""The threshold below 100 resolved questions: fewer do not suffice to learn a better one."""

ENOUGH = 100
CANDIDATES: Sequence[float] = (0.0, 0.05, 0.10, 0.15, 0.20, 0.25, 0.30, 0.40, 0.50, 1.0)
"""From always debating to never."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gated:
    """Questions of which both outcomes are known: without and with the debate. One value for each question.

    Attributes:
        spread: how far apart the first answers are, 0 to 1.
        without: the loss of the panel without a round.
        debated: the loss after the debate.
        groups: the group of each question, which is learned from or judged as a whole; () where each stands alone.
    """

    spread: Floats
    without: Floats
    debated: Floats
    groups: Sequence[str] = ()

    @property
    def n(self) -> int:
        """How many questions."""
        return len(self.spread)

    def losses(self, threshold: float) -> Floats:
        """The loss of each question where only those above the threshold are debated."""
        return np.where(self.spread > threshold, self.debated, self.without)

    def share(self, threshold: float) -> float:
        """The share of questions that are debated."""
        return float((self.spread > threshold).mean())

    def only(self, places: Sequence[int]) -> "Gated":
        """Some of the questions."""
        chosen = list(places)
        groups = [self.groups[index] for index in chosen] if self.groups else ()
        return Gated(
            spread=self.spread[chosen], without=self.without[chosen], debated=self.debated[chosen], groups=groups
        )


def choose(questions: Gated, candidates: Sequence[float] = CANDIDATES, *, cautious: bool = False) -> float:
    """The threshold with the least mean loss; the higher one of equals.

    Args:
        questions: resolved ones.
        candidates: thresholds.
        cautious: take the highest threshold, the fewest debates, that is within one standard error of the best.
    """
    bounds = np.array(candidates)
    losses = np.where(questions.spread > bounds[:, None], questions.debated, questions.without)
    means = losses.mean(axis=1)
    best = int(np.lexsort((-bounds, means))[0])
    if not cautious:
        return candidates[best]
    worse = losses - losses[best]
    near = worse.mean(axis=1) <= worse.std(axis=1, ddof=1) / questions.n**0.5
    return float(bounds[near].max())


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """By thresholds that were learned on other questions: the loss of each question, and whether it was debated.

    Attributes:
        losses: by question.
        debated: by question.
        thresholds: by fold.
    """

    losses: Floats
    debated: NDArray[np.bool_]
    thresholds: Sequence[float]

    @property
    def share(self) -> float:
        """The share of questions that were debated."""
        return float(self.debated.mean())


def cross_validate(
    questions: Gated,
    candidates: Sequence[float] = CANDIDATES,
    *,
    folds: int = 10,
    cautious: bool = False,
    seed: int = 0,
) -> Learned:
    """Judge each question by the threshold that the other folds choose. An estimate, not a test.

    Args:
        questions: resolved ones.
        candidates: thresholds.
        folds: into how many parts they are split, at random; a group is never parted.
        cautious: see ``choose``.
        seed: of the split.
    """
    losses, debated = np.zeros(questions.n), np.zeros(questions.n, dtype=np.bool_)
    thresholds: list[float] = []
    for learn, judge in splits(questions, folds, seed):
        threshold = choose(questions.only(learn), candidates, cautious=cautious)
        thresholds.append(threshold)
        part = questions.only(judge)
        losses[judge] = part.losses(threshold)
        debated[judge] = part.spread > threshold
    return Learned(losses=losses, debated=debated, thresholds=thresholds)


def splits(questions: Gated, folds: int, seed: int) -> Iterator[tuple[list[int], list[int]]]:
    """For each fold the questions outside, to learn from, and those inside, to judge; none where one would be empty."""
    groups: dict[str, list[int]] = {}
    for index in range(questions.n):
        groups.setdefault(questions.groups[index] if questions.groups else str(index), []).append(index)
    units = list(groups.values())
    random.Random(seed).shuffle(units)
    for fold in range(min(folds, len(units))):
        inside = sorted(index for unit in units[fold::folds] for index in unit)
        yield sorted(set(range(questions.n)) - set(inside)), inside


# ---- a gate judged on other questions --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """Questions with what each way to answer them costs, in one currency.

    Attributes:
        gated: both outcomes, without and with the debate.
        alone: the cost without the debate.
        debating: the cost with it.
        more: what independent answers buy: the mean cost of a question and the losses, for rising numbers of answers.
        credits: whether losses are right answers with a minus sign; else they are losses of forecasts.
    """

    gated: Gated
    alone: Floats
    debating: Floats
    more: Sequence[tuple[float, Floats]]
    credits: bool = False

    def only(self, places: Sequence[int]) -> "Priced":
        """Some of the questions; independent answers keep their mean cost over all."""
        chosen = list(places)
        return Priced(
            gated=self.gated.only(chosen),
            alone=self.alone[chosen],
            debating=self.debating[chosen],
            more=[(cost, losses[chosen]) for cost, losses in self.more],
            credits=self.credits,
        )

    def cost(self, threshold: float) -> float:
        """The mean cost of a question where only those above the threshold are debated."""
        return float(np.where(self.gated.spread > threshold, self.debating, self.alone).mean())


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedGate:
    """A gate on questions from which its threshold was not learned.

    Attributes:
        threshold: above it a debate takes place.
        share: of the questions that are debated.
        cost: the mean cost of a question.
        loss: the mean loss.
        comparisons: against independent answers at the same cost: of the same number everywhere, and only where first
            answers differ.
        always: against always debating, whatever that costs.
        verdict: on the gate against both rivals.
    """

    threshold: float
    share: float
    cost: float
    loss: float
    comparisons: tuple[Comparison, ...]
    always: Comparison
    verdict: Verdict


def judge_gate(questions: Priced, threshold: float, *, margin: float) -> JudgedGate:
    """Judge a gate whose threshold was learned elsewhere, against two rivals at its cost.

    Args:
        questions: others than those it was learned on.
        threshold: of the gate.
        margin: the smallest difference that matters.
    """
    gated, cost = questions.gated, questions.cost(threshold)
    losses = gated.losses(threshold)
    rivals = {
        "as many independent answers": _uniform(questions, cost),
        "independent answers where they differ": _adaptive(questions, threshold, cost),
    }
    comparisons = tuple(
        compare(name, _gain_differences(questions, rival - losses), cost_ratio=cost / paid)
        for name, (paid, rival) in rivals.items()
    )
    return JudgedGate(
        threshold=threshold,
        share=gated.share(threshold),
        cost=cost,
        loss=float(losses.mean()),
        comparisons=comparisons,
        always=compare("always debating", _gain_differences(questions, gated.debated - losses)),
        verdict=decide(comparisons, margin=margin),
    )


def _gain_differences(questions: Priced, values: Floats) -> Differences:
    return Differences(values, questions.gated.groups, credits=questions.credits)


def _uniform(questions: Priced, cost: float) -> tuple[float, Floats]:
    """The cost and the losses of independent answers at a cost: between two numbers of them, the mean."""
    points = [(float(questions.alone.mean()), questions.gated.without), *questions.more]
    points.sort(key=lambda point: point[0])
    low = max((point for point in points if point[0] <= cost), key=lambda point: point[0], default=points[0])
    high = min((point for point in points if point[0] >= cost), key=lambda point: point[0], default=points[-1])
    return _mixed_at_cost(low, high, cost)


def _adaptive(questions: Priced, threshold: float, cost: float) -> tuple[float, Floats]:
    """The cost and the losses where the most independent answers are bought above the threshold, and only there."""
    alone = float(questions.alone.mean()), questions.gated.without
    best = max((alone, *questions.more), key=lambda point: point[0])
    apart = questions.gated.spread > threshold
    gated_cost = alone[0] + float(apart.mean()) * (best[0] - alone[0])
    spent = gated_cost, np.where(apart, best[1], alone[1])
    return _mixed_at_cost(alone, spent, cost) if gated_cost >= cost else _mixed_at_cost(spent, best, cost)


def _mixed_at_cost(low: tuple[float, Floats], high: tuple[float, Floats], cost: float) -> tuple[float, Floats]:
    """Two ways to answer, mixed so that they cost as much as asked for, as far as that lies between them."""
    share = 0.0 if high[0] <= low[0] else min(max((cost - low[0]) / (high[0] - low[0]), 0.0), 1.0)
    return (1 - share) * low[0] + share * high[0], (1 - share) * low[1] + share * high[1]
