"""How long a memory stays near. This file owns the tiers, their half-lives, and what use does to a memory.

What is used again is forgotten more slowly. The strength of a memory halves at a fixed pace and never falls to 0, so
what is old is only harder to come by. The figures are our choice: debates of one owner come by the week.
"""

from collections.abc import Mapping
from math import log2
from typing import Literal, TypeAlias

Tier: TypeAlias = Literal["fast", "medium", "slow", "archival"]

DAY = 86_400.0

HALF_LIFE: Mapping[Tier, float] = {
    "fast": 7 * DAY,
    "medium": 30 * DAY,
    "slow": 180 * DAY,
    "archival": 1825 * DAY,
}
"""Seconds after which a memory that nobody has used is half as strong."""

PROMOTED: Mapping[Tier, int] = {"fast": 0, "medium": 1, "slow": 3, "archival": 7}
"""How many uses lift a memory into a tier."""


def tier(uses: int) -> Tier:
    """The tier of a memory that was used so often."""
    reached: Tier = "fast"
    for name, least in PROMOTED.items():
        if uses >= least:
            reached = name
    return reached


def score(age: float, uses: int, half_life: float) -> float:
    """How strong a memory is: ``2 ** (-age / half_life) * (1 + log2(1 + uses))``.

    Args:
        age: seconds since it was made or last used; below 0, for clocks differ, it counts as 0.
        uses: how often it was used.
        half_life: seconds, above 0.
    """
    return 2.0 ** (-max(0.0, age) / half_life) * (1 + log2(1 + max(0, uses)))


def strength(age: float, uses: int) -> float:
    """The score of a memory in the tier that its uses have lifted it to."""
    return score(age, uses, HALF_LIFE[tier(uses)])
