"""The verdict of an evaluation in plain words: helped, hurt, no difference larger than m, not known; or no verdict.

A debate helped if it beat both rivals at equal cost: as many independent answers (uniform sampling), and answers bought
only where they differ (adaptive sampling). Each comparison is tested at the full level, since both must hold.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from folkmoot.evaluation.paired import Differences, Interval, p_value
from folkmoot.evaluation.power import ALPHA, questions_needed
from folkmoot.evaluation.quantiles import student

Word: TypeAlias = Literal["helped", "hurt", "no difference", "not known", "no verdict"]

COST_ROOM = 0.02
"""Costs are equal within so much."""

FAILED_AT_MOST = 0.05
FAILED_APART = 0.03
LEAST_GROUPS = 5

MATCHED, PLANNED, COMPLETE, ENOUGH_GROUPS, READABLE, WHOLE = (
    "cost not matched",
    "plan changed",
    "too many failures",
    "fewer than 5 groups of questions",
    "answers that are not readable decide the sign",
    "only a part of the questions",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A debate against a rival on the same questions."""

    rival: str
    n: int
    mean: float  # above 0 the debate is better
    interval: Interval  # at 1 - alpha
    narrow: Interval  # at 1 - 2 alpha, for the question whether all of it is within the margin
    p: float  # two-sided, as it is; a verdict needs the interval beside it
    spread: float
    groups: int  # how many questions where there are no groups
    cost_ratio: float = 1.0  # the debate's cost by the rival's
    alpha: float = ALPHA

    def side(self) -> int:
        """1 where the debate is better by interval and p value, -1 where it is worse, else 0."""
        if not self.interval.beyond_zero or self.p > self.alpha:
            return 0
        return 1 if self.interval.low > 0 else -1


def compare(
    rival: str, differences: Differences, *, cost_ratio: float = 1.0, seed: int = 0, alpha: float = ALPHA
) -> Comparison:
    """Compare a debate with a rival, by its score minus the rival's on each question.

    The seed is for draws of signs; a look before the end has a stricter level.
    """
    interval = differences.interval(1 - alpha)
    return Comparison(
        rival=rival,
        n=differences.n,
        mean=differences.mean,
        interval=interval,
        narrow=differences.interval(1 - 2 * alpha),
        p=p_value(differences, seed=seed),
        spread=differences.spread,
        groups=len(differences.sums),
        cost_ratio=cost_ratio,
        alpha=alpha,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Conduct:
    """How the run went, as far as a verdict needs it."""

    failed: Sequence[float] = ()  # of each arm the share of questions that failed
    plan_changed: bool = False  # after the first call
    unread_decide: bool = False  # a difference changes its sign where questions with unread answers are left out
    part: bool = False  # only some of the questions of the plan are looked at


AS_PLANNED: Final = Conduct()


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is said of a debate, and the figures that it rests on; "" where there are none."""

    word: Word
    says: str
    figures: str = ""

    @property
    def sentence(self) -> str:
        """The words, with the figures behind them."""
        return f"{self.says} ({self.figures})" if self.figures else self.says


def decide(
    comparisons: Sequence[Comparison], *, margin: float, conduct: Conduct = AS_PLANNED, name: str = "debate"
) -> Verdict:
    """The verdict on a debate, which must beat all of its rivals; ``name`` is what the sentence calls it."""
    failed = (0.0, *conduct.failed)
    checks = {
        WHOLE: conduct.part,
        MATCHED: not comparisons or any(abs(comparison.cost_ratio - 1) > COST_ROOM for comparison in comparisons),
        PLANNED: conduct.plan_changed,
        COMPLETE: max(failed) > FAILED_AT_MOST or max(failed) - min(conduct.failed, default=0.0) > FAILED_APART,
        ENOUGH_GROUPS: any(comparison.groups < LEAST_GROUPS for comparison in comparisons),
    }
    if obstacle := next((name for name, met in checks.items() if met), ""):
        return Verdict(word="no verdict", says=f"no verdict: {obstacle}")
    sides = {comparison.side() for comparison in comparisons}
    closest = min(comparisons, key=lambda comparison: abs(comparison.mean))
    if sides in ({1}, {-1}):
        if conduct.unread_decide:
            return Verdict(word="no verdict", says=f"no verdict: {READABLE}")
        word: Word = "helped" if sides == {1} else "hurt"
        rivals = {1: closest.rival, 2: "both rivals"}.get(len(comparisons), f"all {len(comparisons)} rivals")
        figures = f"{signed(closest)} at equal cost, against {rivals}"
        return Verdict(word=word, says=f"{name} {word}", figures=figures)
    figures = ", ".join(f"{signed(comparison)} against {comparison.rival}" for comparison in comparisons)
    # The advantage is below the margin if it is so against any rival, and above minus the margin if it is so against all.
    narrow = [comparison.narrow for comparison in comparisons]
    if all(interval.low > -margin for interval in narrow) and any(interval.high < margin for interval in narrow):
        return Verdict(word="no difference", says=f"no difference larger than {margin:g}", figures=figures)
    missing = max(_missing_questions(comparison, margin) for comparison in comparisons)
    return Verdict(word="not known", says=f"not known: {more(missing)}", figures=figures)


def more(missing: int) -> str:
    """How many more questions are needed, in words."""
    return f"about {missing:,} more question{'s' * (missing != 1)} needed"


def _missing_questions(comparison: Comparison, margin: float) -> int:
    """How many more questions would show the margin; if that number is reached, the difference that was seen.

    The spread is that of the interval, which stays wide where hardly any question has differed yet.
    """
    spread = spread_of_interval(comparison)
    needed = questions_needed(spread, margin) - comparison.n
    if needed <= 0 and comparison.side() == 0 and comparison.mean:
        needed = questions_needed(spread, min(abs(comparison.mean), margin)) - comparison.n
    return max(needed, 1)


def spread_of_interval(comparison: Comparison) -> float:
    """The standard deviation that the interval goes by: not 0 where no question has differed yet."""
    half = (comparison.narrow.high - comparison.narrow.low) / 2
    return half / student(1 - comparison.alpha, max(comparison.groups - 1, 1)) * math.sqrt(comparison.n)


def signed(comparison: Comparison) -> str:
    """A difference and its interval: ``+0.024 [+0.004, +0.046]``."""
    low, high = comparison.interval.low, comparison.interval.high
    return f"{comparison.mean:+.3f} [{low:+.3f}, {high:+.3f}]"
