"""Several comparisons, and looks before the end: what keeps the chance of any false verdict at the level."""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from folkmoot.evaluation.quantiles import NORMAL, normal

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

    Args:
        shares: of the planned questions that are answered at each look, rising, the last 1: a tuple.
        alpha: the chance of a false verdict at any of the looks.
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

    It holds for all looks from question 50 on together, and is narrowest near the planned number.

    Args:
        spread: the standard deviation of the differences so far.
        n: questions so far.
        planned: questions in the plan.
        alpha: the chance that it ever misses the true mean.
    """
    scale = (-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / planned
    grown = n * scale + 1
    return spread * math.sqrt(2 * grown / (n * n * scale) * math.log(math.sqrt(grown) / alpha))
