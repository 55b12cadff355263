"""Statistical power: the smallest difference that n questions can show, and how many questions a difference needs.

Found means: with a chance of 80%, at the two-sided level of 5%.
"""

import math
from collections import Counter
from collections.abc import Sequence

from folkmoot.evaluation.quantiles import normal

ALPHA, POWER = 0.05, 0.8
_REJECT, _FIND = normal(1 - ALPHA / 2), normal(POWER)
_FACTOR = _REJECT + _FIND


def smallest_difference(spread: float, n: int) -> float:
    """The smallest difference that n questions show (minimum detectable difference).

    Args:
        spread: the standard deviation of the differences.
        n: how many questions.
    """
    return _FACTOR * spread / math.sqrt(n)


def questions_needed(spread: float, margin: float) -> int:
    """How many questions show a difference of the margin, where differences have this standard deviation."""
    return math.ceil((_FACTOR * spread / margin) ** 2)


def questions_needed_if_differ(share: float, margin: float) -> int:
    """How many questions show a difference of right answers.

    Args:
        share: of the questions on which exactly one of the two arms is right (the discordant share).
        margin: the difference, at most the share.

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
    """By which factor groups of questions raise the variance of a mean (Kish 1965), for groups of any sizes.

    Args:
        groups: the group of each question.
        correlation: of two differences in one group (intraclass correlation).
    """
    sizes = Counter(groups).values()
    return 1 + correlation * (sum(size**2 for size in sizes) / len(groups) - 1)
