"""The percentile bootstrap over whole groups, for what has no formula: medians, ratios, curves."""

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

from folkmoot.evaluation.paired import Interval

Item = TypeVar("Item")


def percentile(
    items: Sequence[Item], measure: Callable[[Sequence[Item]], float], *, draws: int = 10_000, seed: int = 0
) -> Interval:
    """The 95% interval of a measure: items are drawn again with replacement, and the middle of the results is kept.

    For means of paired differences it covers less often than the interval of ``paired``.

    Args:
        items: questions, or groups of them; what depends on each other is one item.
        measure: of a draw of as many items.
        draws: how often.
        seed: of the draws.
    """
    chance = random.Random(seed)
    results = sorted(measure(chance.choices(items, k=len(items))) for _ in range(draws))
    return Interval(low=results[int(0.025 * draws)], high=results[int(0.975 * draws)])
