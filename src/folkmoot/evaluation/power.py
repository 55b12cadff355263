"""What n questions can show: the power of a comparison, several comparisons, and looks before the end.

A difference is found with a chance of 80%, at the two-sided level of 5%. Correction for several comparisons and bounds
for looks keep the chance of any false verdict at the level.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from folkmoot.evaluation.quantiles import NORMAL, normal

ALPHA, POWER = 0.05, 0.8
_REJECT, _FIND = normal(1 - ALPHA / 2), normal(POWER)
_FACTOR = _REJECT + _FIND


def smallest_difference(spread: float, n: int) -> float:
    """The smallest difference that n questions show, where differences have this standard deviation."""
    return _FACTOR * spread / math.sqrt(n)


def questions_needed(spread: float, margin: float) -> int:
    """How many questions show a difference of the margin, where differences have this standard deviation."""
    return math.ceil((_FACTOR * spread / margin) ** 2)


def questions_needed_if_differ(share: float, margin: float) -> int:
    """How many questions show a difference of right answers, where this share is right in exactly one of two arms.

    Raises:
        ValueError: the margin is larger than the share; no such difference is possible.
    """
    if not 0 < margin <= share <= 1:
        raise ValueError(f"a difference of {margin:g} is not possible where {share:g} of the questions differ")
    return math.ceil(((_REJECT * math.sqrt(share) + _FIND * math.sqrt(share - margin**2)) / margin) ** 2)


def spread_of_share(share: float, difference: float = 0.0) -> float:
    """The standard deviation of differences where this share of the questions is won or lost."""
    return math.sqrt(share - difference**2)


def design_effect(groups: Sequence[str], correlation: float) -> float:
    """By which factor groups raise the variance of a mean (Kish 1965): differences in a group have this correlation."""
    sizes = Counter(groups).values()
    return 1 + correlation * (sum(size**2 for size in sizes) / len(groups) - 1)


FIRST_LOOK = 50
"""A live page shows no interval before this number of questions."""

_POINTS = 501


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """The p values of several comparisons, adjusted so that the chance of any false verdict holds (Holm 1979)."""
    adjusted: dict[str, float] = {}
    highest = 0.0
    for smaller, (name, p) in enumerate(sorted(p_values.items(), key=lambda item: (item[1], item[0]))):
        highest = max(highest, min(p * (len(p_values) - smaller), 1.0))
        adjusted[name] = highest
    return adjusted


@lru_cache(maxsize=64)
def look_bounds(shares: Sequence[float], *, alpha: float = 0.05) -> tuple[float, ...]:
    """How far from 0 the z value must be at each planned look (Lan and DeMets 1983, O'Brien-Fleming spending).

    Each look is named by its share of the planned questions; they rise, and the last is 1.
    """
    bounds: list[float] = []
    spent, before = 0.0, 0.0
    places, density = np.zeros(1), np.ones(1)
    for share in shares:
        spend = 2 * (1 - NORMAL.cdf(normal(1 - alpha / 2) / math.sqrt(share))) - spent
        step = math.sqrt(share - before)
        low, high = 0.0, 10.0
        for _ in range(60):
            bound = (low + high) / 2
            edge = bound * math.sqrt(share)
            outside = sum(
                float(mass) * _chance_outside(edge, float(at), step) for at, mass in zip(places, density, strict=True)
            )
            low, high = (bound, high) if outside > spend else (low, bound)
        bounds.append(high)
        grid = np.linspace(-high * math.sqrt(share), high * math.sqrt(share), _POINTS)
        weights = np.full(_POINTS, grid[1] - grid[0])
        weights[[0, -1]] /= 2
        kernel = np.exp(-(((grid[:, None] - places[None, :]) / step) ** 2) / 2) / (step * math.sqrt(2 * math.pi))
        places, density = grid, (kernel @ density) * weights
        spent, before = spent + spend, share
    return tuple(bounds)


def _chance_outside(edge: float, start: float, step: float) -> float:
    """The chance that a sum which is at the start now is outside the edges after the step."""
    return NORMAL.cdf((start - edge) / step) + NORMAL.cdf((-edge - start) / step)


def live_half_width(spread: float, n: int, planned: int, *, alpha: float = 0.05) -> float:
    """Half the width of the asymptotic confidence sequence (Waudby-Smith and others 2021).

    It holds for all looks from question 50 on together, and is narrowest near the planned number. ``spread`` is the
    standard deviation of the differences so far.
    """
    scale = (-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / planned
    grown = n * scale + 1
    return spread * math.sqrt(2 * grown / (n * n * scale) * math.log(math.sqrt(grown) / alpha))
