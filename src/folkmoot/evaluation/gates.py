"""A gate: debate only where the first answers are further apart than a threshold, learned on other questions."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from folkmoot.evaluation.paired import Floats

DEFAULT = 0.20
"""The threshold below 100 resolved questions: fewer do not suffice to learn a better one."""

ENOUGH = 100
CANDIDATES: Sequence[float] = (0.0, 0.05, 0.10, 0.15, 0.20, 0.25, 0.30, 0.40, 0.50, 1.0)
"""From always debating to never."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gated:
    """Questions of which both outcomes are known: without and with the debate. One value for each question."""

    spread: Floats  # how far apart the first answers are, 0 to 1
    without: Floats  # the loss of the panel without a round
    debated: Floats  # the loss after the debate
    groups: Sequence[str] = ()  # each is learned from or judged as a whole; () where each question stands alone

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

    A cautious choice is the highest threshold, the fewest debates, within one standard error of the best.
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
    """By thresholds that were learned on other questions, one a fold: each question's loss, and whether it was debated."""

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
    """Judge each question by the threshold that the other folds choose; a group is never parted. No test."""
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
