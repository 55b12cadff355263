"""Simulated evaluations of known truth: whether the intervals and verdicts keep what they promise, and what to expect.

Each simulation calls the functions that judge real evaluations. Differences are drawn directly: a question is won or
lost with a chance (the share that differs), or two forecasters are scored by their log loss.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from moot.evaluation.looks import FIRST_LOOK, holm, live_half_width, look_bounds
from moot.evaluation.paired import Differences, Floats
from moot.evaluation.power import ALPHA, questions_needed_if_differ, upper_share
from moot.evaluation.quantiles import NORMAL
from moot.evaluation.sign_tests import p_value
from moot.evaluation.verdicts import Word, compare, decide

LOOKS = (0.25, 0.5, 0.75, 1.0)
ALIKE = 0.3
"""The correlation of two questions of one group, in simulated groups."""

_MANY = 1_000_000
_NOISES = 0.6, 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A simulated figure, and where it has to lie; ``room`` is for the chance of so few runs."""

    name: str
    value: float
    low: float
    high: float
    room: float

    @property
    def ok(self) -> bool:
        """Whether the figure is where it has to be."""
        return self.low - self.room <= self.value <= self.high + self.room


def draw_credits(
    chance: np.random.Generator, n: int, *, share: float, effect: float = 0.0, group_size: int = 1
) -> Differences:
    """Questions of which a share is won or lost.

    Args:
        chance: the generator.
        n: how many questions.
        share: that differs.
        effect: the true difference, at most the share.
        group_size: how many questions a group has; 1 for no groups.
    """
    values = _won_or_lost(chance, n, share, effect)
    if group_size == 1:
        return Differences(values, credits=True)
    groups = np.arange(n) // group_size
    common = _won_or_lost(chance, int(groups[-1]) + 1, share, effect)[groups]
    values = np.where(chance.random(n) < math.sqrt(ALIKE), common, values)
    return Differences(values, [str(group) for group in groups], credits=True)


def _won_or_lost(chance: np.random.Generator, n: int, share: float, effect: float) -> Floats:
    draws = chance.random(n)
    return np.where(draws < (share + effect) / 2, 1.0, np.where(draws < share, -1.0, 0.0))


def draw_losses(chance: np.random.Generator, n: int, noises: tuple[float, float] = _NOISES) -> Floats:
    """The log loss of one forecaster minus that of another, of whom one hears the truth through less noise."""
    logits = chance.normal(0, 1.5, n)
    happened = chance.random(n) < 1 / (1 + np.exp(-logits))
    losses = [
        np.logaddexp(0, np.where(happened, -1, 1) * (logits + chance.normal(0, noise, n))) for noise in reversed(noises)
    ]
    return losses[0] - losses[1]


def check_coverage(*, runs: int = 4_000, seed: int = 0) -> list[Check]:
    """How often the 95 % interval holds the true difference."""
    checks: list[Check] = []
    truth = float(draw_losses(np.random.default_rng(seed), _MANY).mean())
    for n in (30, 100, 300):
        chance = np.random.default_rng([seed, n])
        hits = sum(_holds(Differences(draw_losses(chance, n)), truth) for _ in range(runs))
        checks.append(_check(f"losses, n {n}", hits, runs, 0.94, 0.97))
    for n, share, low in ((30, 0.15, 0.92), (100, 0.05, 0.94), (100, 0.15, 0.94), (300, 0.05, 0.94), (300, 0.15, 0.94)):
        chance = np.random.default_rng([seed, n])
        hits = sum(_holds(draw_credits(chance, n, share=share), 0.0) for _ in range(runs))
        checks.append(_check(f"credits, n {n}, {share:.0%} differ", hits, runs, low, 1.0))
    for groups in (6, 10, 30, 100):
        for share in (0.05, 0.15):
            chance = np.random.default_rng([seed, groups])
            hits = sum(_holds(draw_credits(chance, 5 * groups, share=share, group_size=5), 0.0) for _ in range(runs))
            checks.append(_check(f"credits in {groups} groups of 5, {share:.0%} differ", hits, runs, 0.94, 1.0))
    return checks


def check_null(*, runs: int = 4_000, seed: int = 0, sizes: Sequence[int] = (30, 100, 300, 1000)) -> list[Check]:
    """How often a verdict is spoken where no arm is better."""
    checks: list[Check] = []
    for n in sizes:
        chance = np.random.default_rng([seed, n])
        alone = sum(_side(draw_credits(chance, n, share=0.15), ALPHA) != 0 for _ in range(runs))
        losses = sum(_side(Differences(draw_losses(chance, n, (0.9, 0.9))), ALPHA) != 0 for _ in range(runs))
        arms = sum(_any_arm(chance, n) for _ in range(runs))
        looks = sum(_any_look(chance, n) for _ in range(runs))
        better = sum(_beats_both(chance, n) for _ in range(runs))
        for name, hits in (
            ("credits", alone),
            ("losses", losses),
            ("5 arms", arms),
            ("4 looks", looks),
            ("helped against both rivals, one as good", better),
        ):
            checks.append(_check(f"{name}, n {n}", hits, runs, 0.0, 0.055))
    return checks


def check_power(*, runs: int = 4_000, seed: int = 0) -> list[Check]:
    """How often a difference of 5 points is found, and whether a pilot of 30 questions plans enough of them."""
    needed = questions_needed_if_differ(0.15, 0.05)
    chance = np.random.default_rng(seed)
    hits = sum(_side(draw_credits(chance, needed, share=0.15, effect=0.05), ALPHA) == 1 for _ in range(runs))
    pilots = chance.binomial(30, 0.15, runs)
    planned = [questions_needed_if_differ(max(upper_share(int(differ), 30), 0.05), 0.05) for differ in pilots]
    enough = sum(n >= needed for n in planned)
    return [
        _check(f"+5 points found, 15 % differ, n {needed}", hits, runs, 0.77, 0.83),
        _check("planned from a pilot of 30: enough questions", enough, runs, 0.80, 1.0),
    ]


def check_looks(*, runs: int = 4_000, seed: int = 0, planned: int = 1_000) -> list[Check]:
    """How often a live page, looked at after each question, ever shows a difference that is not there."""
    chance = np.random.default_rng(seed)
    names = {"credits": 0.05, "skewed losses": 0.06}
    hits = dict.fromkeys(names, 0)
    truth = float(draw_losses(np.random.default_rng([seed, 1]), _MANY).mean())
    for _ in range(runs):
        hits["credits"] += _ever_beyond(draw_credits(chance, planned, share=0.15).values)
        hits["skewed losses"] += _ever_beyond(draw_losses(chance, planned) - truth)
    live = [_check(f"live page, {name}", hits[name], runs, 0.0, most) for name, most in names.items()]
    looks = sum(_any_look(chance, planned) for _ in range(runs))
    return [*live, _check("four planned looks", looks, runs, 0.0, 0.055)]


def expect_words(
    n: int, *, margin: float, share: float, effect: float, runs: int = 2_000, seed: int = 0
) -> Mapping[Word, float]:  # house: wide because it is one set-up
    """How often each word is the verdict, where the true difference from both rivals is known.

    On half of the questions both rivals answer alike.

    Args:
        n: how many questions.
        margin: the smallest difference that matters.
        share: of the questions on which a rival and the debate differ.
        effect: the true difference.
        runs: how many evaluations are simulated.
        seed: of the draws.
    """
    chance = np.random.default_rng([seed, n])
    words: dict[Word, int] = {"helped": 0, "hurt": 0, "no difference": 0, "not known": 0}
    for _ in range(runs):
        first, second = (_won_or_lost(chance, n, share, effect) for _ in range(2))
        second = np.where(chance.random(n) < 0.5, first, second)
        rivals = {"uniform sampling": first, "adaptive sampling": second}
        comparisons = [compare(rival, Differences(values, credits=True)) for rival, values in rivals.items()]
        words[decide(comparisons, margin=margin).word] += 1
    return {word: count / runs for word, count in words.items()}


def _check(name: str, hits: int, runs: int, low: float, high: float) -> Check:
    value = hits / runs
    return Check(name=name, value=value, low=low, high=high, room=3 * math.sqrt(value * (1 - value) / runs))


def _holds(differences: Differences, truth: float) -> bool:
    interval = differences.interval()
    return interval.low <= truth <= interval.high


def _side(differences: Differences, alpha: float) -> int:
    """The side of 0 on which a difference is by its interval and its p value; 0 where it is not known."""
    interval = differences.interval(1 - alpha)
    if not interval.beyond_zero or p_value(differences) > alpha:
        return 0
    return 1 if interval.low > 0 else -1


def _any_arm(chance: np.random.Generator, n: int) -> bool:
    """Whether one of five arms is called different from the same rival; Holm's adjustment."""
    arms = {str(arm): draw_credits(chance, n, share=0.15) for arm in range(5)}
    p_values = {name: p_value(arm) if arm.interval().beyond_zero else 1.0 for name, arm in arms.items()}
    return any(p <= ALPHA for p in holm(p_values).values())


def _any_look(chance: np.random.Generator, n: int) -> bool:
    """Whether a verdict is spoken at one of four planned looks."""
    values = draw_credits(chance, n, share=0.15).values
    for share, bound in zip(LOOKS, look_bounds(LOOKS), strict=True):
        part = Differences(values[: round(share * n)], credits=True)
        if _side(part, 2 * (1 - NORMAL.cdf(bound))):
            return True
    return False


def _beats_both(chance: np.random.Generator, n: int) -> bool:
    """Whether a debate is said to help which is as good as the better of two rivals, and 5 points above the other."""
    return all(_side(draw_credits(chance, n, share=0.15, effect=effect), ALPHA) == 1 for effect in (0.0, 0.05))


def _ever_beyond(values: Floats) -> bool:
    """Whether the live interval ever leaves 0 out."""
    n = np.arange(1, len(values) + 1)
    means = np.cumsum(values) / n
    spreads = np.sqrt(np.maximum(np.cumsum(values**2) / n - means**2, 0) * n / np.maximum(n - 1, 1))
    widths = np.array([live_half_width(1.0, int(count), len(values)) for count in n[FIRST_LOOK - 1 :]])
    return bool((np.abs(means)[FIRST_LOOK - 1 :] > widths * spreads[FIRST_LOOK - 1 :]).any())
