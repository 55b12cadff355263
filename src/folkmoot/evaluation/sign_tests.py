"""The p value of a paired difference: if neither arm were better, each difference could as well have the other sign."""

import math
from itertools import product

import numpy as np

from folkmoot.evaluation.paired import Differences, Floats

EXACT = 16
"""Up to this number of differences that are not 0, all choices of signs are counted; beyond, some are drawn."""

DRAWS = 20_000
_CHUNK = 4_000
_CLOSE = 1e-12


def p_value(differences: Differences, *, seed: int = 0) -> float:
    """The two-sided p value of the mean difference.

    McNemar's mid-p where each question is won, lost or even; else flips of the signs of group sums, exact up to 16 that
    are not 0.

    Args:
        differences: of two arms.
        seed: for the draws of signs.
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

    Args:
        sums: of the groups.
        seed: for the draws; where signs are drawn, the observed one counts as one more draw.
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
