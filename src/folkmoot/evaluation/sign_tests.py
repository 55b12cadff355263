"""The p value of a paired difference: if neither arm were better, each difference could as well have the other sign."""

import math
from itertools import product

import numpy as np
from numpy.typing import NDArray

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
    values, counts = np.unique(sizes, return_counts=True)
    return float(_share_as_extreme(values[None, :], counts, np.array([observed]), seed)[0])


def sign_flips(table: Floats, *, seed: int = 0) -> Floats:
    """``sign_flip`` of each row; rows of different values alone share their draws, which makes thousands quick."""
    sizes = np.sort(np.abs(table), axis=1)
    if len(sizes[0]) <= EXACT or not sizes[:, 0].all() or not np.diff(sizes, axis=1).all():
        return np.array([sign_flip(row, seed=seed) for row in table])
    observed = np.abs(table.sum(axis=1)) - _CLOSE * sizes.sum(axis=1)
    return _share_as_extreme(sizes, np.ones(len(sizes[0]), dtype=np.int64), observed, seed)


def _share_as_extreme(values: Floats, counts: NDArray[np.int64], observed: Floats, seed: int) -> Floats:
    """For each row of values the share of draws of signs whose sum is as far from 0 as the observed one."""
    chance = np.random.default_rng(seed)
    hits = np.zeros(len(values))
    for _ in range(DRAWS // _CHUNK):
        # Equal values are drawn together: the number of plus signs among them is binomial.
        shape = (_CHUNK, len(counts))
        plus = chance.integers(0, 2, shape) if bool((counts == 1).all()) else chance.binomial(counts, 0.5, shape)
        hits += (np.abs((2.0 * plus - counts) @ values.T) >= observed).sum(axis=0)
    return (1 + hits) / (1 + DRAWS)
