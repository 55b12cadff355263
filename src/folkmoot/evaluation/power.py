"""Statistical power: the smallest difference that n questions can show, and how many questions a difference needs.

Found means: with a chance of 80%, at the two-sided level of 5%.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev, variance

from folkmoot.evaluation.quantiles import beta, chi_square, normal, student

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


def upper_share(differing: int, n: int, *, chance: float = 0.8) -> float:
    """The upper limit of a share seen in a pilot (Clopper and Pearson 1934), which plans with the point do not have."""
    return 1.0 if differing == n else beta(chance, differing + 1, n - differing)


def upper_spread(spread: float, n: int, *, chance: float = 0.8) -> float:
    """The upper limit of a standard deviation seen in a pilot of n questions."""
    return spread * math.sqrt((n - 1) / chi_square(1 - chance, n - 1))


def interval_of_total(costs: Sequence[float], planned: int, *, chance: float = 0.8) -> tuple[float, float]:
    """What so many questions cost in all, with this chance, by the costs of the first ones (at least two)."""
    n, known = len(costs), math.fsum(costs)
    rest = planned - n
    if rest <= 0:
        return known, known
    half = student((1 + chance) / 2, n - 1) * stdev(costs) * rest * math.sqrt(1 / rest + 1 / n)
    middle = known + rest * fmean(costs)
    return max(known, middle - half), middle + half


@dataclass(frozen=True, slots=True, kw_only=True)
class Pilot:
    """What the first questions tell about all of them. Only costs and spreads are read, never who is ahead.

    Attributes:
        questions: how many they are.
        usd: what all questions cost with a chance of 80%, in US dollars; None where a price is unknown.
        tokens: the same in tokens, one of an answer counted as 5 of a prompt.
        smallest: the smallest difference that all questions show, by the upper limit of the spread.
        needed: how many questions show the margin, by the same limit.
        repeated: the smallest difference if each question were put twice as often; None where none was put twice.
    """

    questions: int
    usd: tuple[float, float] | None
    tokens: tuple[float, float]
    smallest: float
    needed: int
    repeated: float | None = None

    @property
    def doubled(self) -> float:
        """The smallest difference with twice as many questions, which cost as much as twice as many repeats."""
        return self.smallest / math.sqrt(2)


def gain_of_repeats(repeats: Sequence[Sequence[float]], times: int) -> float | None:
    """By which factor the spread of differences falls if each question is put twice as often.

    A one-way analysis parts the variance into that between questions, which repeats leave as it is, and that within
    one question, which they divide.

    Args:
        repeats: for each question its differences, as many for each.
        times: how often each question is put so far.

    Returns:
        The factor; None where no question has two differences, or nothing differs.
    """
    k = min(map(len, repeats), default=0)
    if k < 2 or len(repeats) < 2:
        return None
    within = fmean(variance(values) for values in repeats)
    between = max(0.0, variance([fmean(values) for values in repeats]) - within / k)
    now = between + within / times
    return math.sqrt((between + within / (2 * times)) / now) if now else None


def spread_in_pilot(differences: Sequence[float]) -> float:
    """The upper limit of the spread of differences (80%): that of the share where all are -1, 0 or 1."""
    if set(differences) <= {-1.0, 0.0, 1.0}:
        return spread_of_share(upper_share(sum(value != 0 for value in differences), len(differences)))
    return upper_spread(stdev(differences), len(differences))


def questions_needed_by(spread: float, margin: float, *, by_share: bool) -> int:
    """How many questions show the margin; of right answers by the share on which two arms differ."""
    if by_share and margin <= spread**2 <= 1:
        return questions_needed_if_differ(spread**2, margin)
    return questions_needed(spread, margin)
