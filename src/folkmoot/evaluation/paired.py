"""The mean difference of two arms on the same questions, with its interval and its p value.

Student's t for losses. For credits from 0 to 1 two questions are added first, of which one has +1 and one -1 (Bonett
and Price 2012): so the interval stays honest where few questions differ. Questions that share a text, a source or an
event are a group and count together (cluster-robust standard error with G/(G-1), t with G-1 degrees). Bootstraps
covered less often than these in simulations. The p value says: if neither arm were better, each difference could as
well have the other sign.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from folkmoot.evaluation.quantiles import student

Floats = NDArray[np.float64]

_PLACES = 12
"""Digits that count: what mixing two scores adds to a difference is rounding, and no difference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """From where to where, at a level such as 0.95."""

    low: float
    high: float
    level: float = 0.95

    @property
    def beyond_zero(self) -> bool:
        """Whether 0 lies outside."""
        return self.low > 0 or self.high < 0


class Differences:
    """The differences of two arms, one for each question; more is better.

    ``credits`` says that the scores are credits from 0 to 1; else they are losses. ``groups`` has the group of each
    question; without, each stands for itself.

    Raises:
        ValueError: there are fewer than two questions or groups, or not a group for each question.
    """

    def __init__(self, values: Sequence[float] | Floats, groups: Sequence[str] = (), *, credits: bool = False) -> None:
        self.values: Floats = np.round(np.asarray(values, dtype=np.float64), _PLACES) + 0.0
        self.credits = credits
        self.grouped = bool(groups)
        self.sums, self.sizes = self.values, np.ones(len(self.values))  # of each group, if there are some
        if groups:
            if len(groups) != len(self.values):
                raise ValueError(f"{len(groups)} groups for {len(self.values)} questions: each question needs one")
            places = np.unique(np.asarray(groups), return_inverse=True)[1]
            self.sums = np.bincount(places, weights=self.values).astype(np.float64)
            self.sizes = np.bincount(places).astype(np.float64)
        if len(self.sums) < 2:
            raise ValueError("a difference needs at least two questions, and two groups")

    @property
    def n(self) -> int:
        """How many questions."""
        return len(self.values)

    @property
    def mean(self) -> float:
        """The mean difference."""
        return float(self.values.mean())

    @property
    def spread(self) -> float:
        """The standard deviation; for groups that of as many independent questions with the same standard error."""
        if self.grouped:
            return _robust_error(self.sums, self.sizes)[1] * math.sqrt(self.n)
        return float(self.values.std(ddof=1))

    def interval(self, level: float = 0.95) -> Interval:
        """The interval of the mean difference."""
        sums, sizes = self.sums, self.sizes
        if self.credits:
            sums, sizes = np.append(sums, (1.0, -1.0)), np.append(sizes, (1.0, 1.0))
        if self.credits and not self.grouped:
            middle = float(sums.mean())
            error, degrees = math.sqrt((float((sums**2).mean()) - middle**2) / len(sums)), self.n - 1
        else:
            middle, error = _robust_error(sums, sizes)
            degrees = len(sums) - 1
        half = student((1 + level) / 2, degrees) * error
        return Interval(low=middle - half, high=middle + half, level=level)


def _robust_error(sums: Floats, sizes: Floats) -> tuple[float, float]:
    """The mean over all questions and its standard error, which allows for correlation within groups (CR1)."""
    groups, n = len(sums), float(sizes.sum())
    mean = float(sums.sum()) / n
    return mean, math.sqrt(groups / (groups - 1) * float(((sums - sizes * mean) ** 2).sum())) / n


EXACT = 16

DRAWS = 20_000
_CHUNK = 4_000
_CLOSE = 1e-12


def p_value(differences: Differences, *, seed: int = 0) -> float:
    """The two-sided p value of the mean difference.

    McNemar's mid-p where each question is won, lost or even; else flips of the signs of group sums, exact up to 16 that
    are not 0; beyond, some are drawn by ``seed``.
    """
    if differences.credits and not differences.grouped and bool(np.isin(differences.values, (-1.0, 0.0, 1.0)).all()):
        return mcnemar(int((differences.values > 0).sum()), int((differences.values < 0).sum()))
    return sign_flip(differences.sums, seed=seed)


def mcnemar(up: int, down: int) -> float:
    """The two-sided mid-p value of the numbers of questions won and lost (Fagerland and others 2013)."""
    n, least = up + down, min(up, down)
    ways = [math.comb(n, k) for k in range(least + 1)]
    return min((2 * sum(ways) - ways[-1]) / 2**n, 1.0)


def sign_test(up: int, down: int) -> float:
    """The exact two-sided p value of the numbers of plus signs and minus signs."""
    n = up + down
    return min(2 * sum(math.comb(n, k) for k in range(min(up, down) + 1)) / 2**n, 1.0)


def sign_flip(sums: Floats, *, seed: int = 0) -> float:
    """The share of choices of signs whose sum is at least as far from 0 as the observed one.

    Where signs are drawn, the observed one counts as one more draw.
    """
    sizes = np.abs(sums[sums != 0])
    observed = abs(float(sums.sum())) - _CLOSE * float(sizes.sum())
    if len(sizes) <= EXACT:
        signs = np.array(list(product((1.0, -1.0), repeat=len(sizes))))
        return float((np.abs(signs @ sizes) >= observed).mean())
    # Equal values are drawn together: the number of plus signs among them is binomial.
    values, counts = np.unique(sizes, return_counts=True)
    single = bool((counts == 1).all())
    chance, hits = np.random.default_rng(seed), 0
    for _ in range(DRAWS // _CHUNK):
        shape = (_CHUNK, len(counts))
        plus = chance.integers(0, 2, shape) if single else chance.binomial(counts, 0.5, shape)
        hits += int((np.abs((2.0 * plus - counts) @ values) >= observed).sum())
    return (1 + hits) / (1 + DRAWS)
