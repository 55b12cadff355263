"""Quantiles of Student's t and the beta distribution, to about 1e-10, by the standard library alone."""

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist

NORMAL = NormalDist()
"""The standard normal distribution."""

_TINY = 1e-300
_CLOSE = 1e-15


def incomplete_beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b), by its continued fraction (Lentz's method)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(1 - x, b, a)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x) - math.log(a)
    )
    numerator, denominator = 2.0, 1.0
    fraction, change, step = 2.0, 0.0, 0
    while abs(change - 1) >= _CLOSE:
        step += 1
        half = step // 2
        if step % 2:
            term = -(a + half) * (a + b + half) * x / ((a + 2 * half) * (a + 2 * half + 1))
        else:
            term = half * (b - half) * x / ((a + 2 * half - 1) * (a + 2 * half))
        denominator = 1 / (1 + term * denominator or _TINY)
        numerator = 1 + term / numerator or _TINY
        change = numerator * denominator
        fraction *= change
    return front * (fraction - 1)


def student_share(t: float, degrees: float) -> float:
    """The chance that a value of Student's t distribution is at most t."""
    tail = incomplete_beta(degrees / (degrees + t * t), degrees / 2, 0.5) / 2
    return 1 - tail if t > 0 else tail


@lru_cache(maxsize=4096)
def student(share: float, degrees: float) -> float:
    """The value below which this share of Student's t distribution lies; ``share`` is above one half."""
    return _invert(lambda t: student_share(t, degrees), share, 1.0)


@lru_cache(maxsize=4096)
def beta(share: float, a: float, b: float) -> float:
    """The value below which this share of the beta distribution lies."""
    return _invert(lambda x: incomplete_beta(x, a, b), share, 1.0)


def normal(share: float) -> float:
    """The value below which this share of the standard normal distribution lies."""
    return NORMAL.inv_cdf(share)


def wilson(right: float, n: float, *, level: float = 0.95) -> tuple[float, float]:
    """The interval of a share (Wilson 1927), a part of n. Neither needs to be a whole number."""
    z = normal((1 + level) / 2)
    share = right / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(centre - half, 0.0), min(centre + half, 1.0)


def _invert(share_below: Callable[[float], float], share: float, high: float) -> float:
    """Where a rising function of values from 0 on reaches a share, by bisection."""
    low = 0.0
    while share_below(high) < share:
        low, high = high, 2 * high
    while True:
        middle = (low + high) / 2
        if middle in (low, high) or high - low < 1e-13 * high:
            return middle
        low, high = (middle, high) if share_below(middle) < share else (low, middle)
