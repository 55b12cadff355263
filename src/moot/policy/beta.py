"""How sure a lead is. This file owns the posterior of a share after some votes, in exact fractions.

Each vote counts as an independent draw and every share as equally likely before the first. Votes of models of one
family are not independent, so what is reckoned here is an upper bound on how sure one can be.
"""

from fractions import Fraction
from math import comb


def incomplete_beta(x: Fraction, a: int, b: int) -> Fraction:
    """The regularised incomplete beta function I_x(a, b), exactly.

    For whole parameters it is a tail of the binomial distribution: the chance of a or more successes in a + b - 1
    draws with the chance x each (NIST Digital Library of Mathematical Functions, 8.17.5).

    Args:
        x: from 0 to 1.
        a: a whole number, at least 1.
        b: a whole number, at least 1.
    """
    n = a + b - 1
    return sum((comb(n, j) * x**j * (1 - x) ** (n - j) for j in range(a, n + 1)), Fraction(0))


def chance_ahead(leader: int, second: int) -> Fraction:
    """How probable it is that more than half of all would choose the first of two, after so many votes for each.

    The share has the posterior Beta(1 + leader, 1 + second) after a uniform prior.

    Args:
        leader: votes for the one.
        second: votes for the other.
    """
    return 1 - incomplete_beta(Fraction(1, 2), 1 + leader, 1 + second)
