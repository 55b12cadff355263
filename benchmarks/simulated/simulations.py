"""Simulated evaluations of known truth: whether the intervals and verdicts keep what they promise, and what to expect.

Each simulation calls the functions that judge real evaluations. Differences are drawn directly: a question is won or
lost with a chance (the share that differs), or two forecasters are scored by their log loss. What follows from the
numbers of questions won and lost alone is judged once for each pair of numbers, so 20,000 runs take seconds.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from folkmoot.evaluation.paired import Differences, Floats, p_value
from folkmoot.evaluation.power import ALPHA, FIRST_LOOK, holm, live_half_width, look_bounds, questions_needed_if_differ
from folkmoot.evaluation.quantiles import NORMAL, beta
from folkmoot.evaluation.verdicts import Comparison, Word, compare, decide

LOOKS = (0.25, 0.5, 0.75, 1.0)
ALIKE = 0.3
"""The correlation of two questions of one group, in simulated groups."""

SHARES = (0.05, 0.15, 0.3)
"""Of the questions on which two arms differ, where no arm is better."""

_MANY = 1_000_000
_CHUNK = 500
"""How many runs are drawn at once."""

_NOISES = 0.6, 0.9

Counts = NDArray[np.int64]
Value = TypeVar("Value", int, float, Comparison)


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


def _won_or_lost(chance: np.random.Generator, shape: int | tuple[int, int], share: float, effect: float) -> Floats:
    draws = chance.random(shape)
    return np.where(draws < (share + effect) / 2, 1.0, np.where(draws < share, -1.0, 0.0))


def draw_losses(
    chance: np.random.Generator, shape: int | tuple[int, int], noises: tuple[float, float] = _NOISES
) -> Floats:
    """The log loss of one forecaster minus that of another, of whom one hears the truth through less noise."""
    logits = chance.normal(0, 1.5, shape)
    happened = chance.random(shape) < 1 / (1 + np.exp(-logits))
    losses = [
        np.logaddexp(0, np.where(happened, -1, 1) * (logits + chance.normal(0, noise, shape)))
        for noise in reversed(noises)
    ]
    return losses[0] - losses[1]


def check_coverage(*, runs: int = 4_000, seed: int = 0) -> list[Check]:
    """How often the 95% interval holds the true difference."""
    checks: list[Check] = []
    truth = float(draw_losses(np.random.default_rng(seed), _MANY).mean())
    for n in (30, 100, 300):
        chance = np.random.default_rng([seed, n])
        hits = sum(_covers_truth(Differences(draw_losses(chance, n)), truth) for _ in range(runs))
        checks.append(_check(f"losses, n {n}", hits, runs, 0.94, 0.97))
    for n, share, low in ((30, 0.15, 0.92), (100, 0.05, 0.94), (100, 0.15, 0.94), (300, 0.05, 0.94), (300, 0.15, 0.94)):
        chance = np.random.default_rng([seed, n])
        hits = sum(_covers_truth(draw_credits(chance, n, share=share), 0.0) for _ in range(runs))
        checks.append(_check(f"credits, n {n}, {share:.0%} differ", hits, runs, low, 1.0))
    for groups in (6, 10, 30, 100):
        for share in (0.05, 0.15):
            chance = np.random.default_rng([seed, groups])
            hits = sum(
                _covers_truth(draw_credits(chance, 5 * groups, share=share, group_size=5), 0.0) for _ in range(runs)
            )
            checks.append(_check(f"credits in {groups} groups of 5, {share:.0%} differ", hits, runs, 0.94, 1.0))
    return checks


def check_null(*, runs: int = 4_000, seed: int = 0, sizes: Sequence[int] = (30, 100, 300, 1000)) -> list[Check]:
    """How often a verdict is spoken where no arm is better."""
    checks: list[Check] = []
    for n in sizes:
        chance = np.random.default_rng([seed, n])
        figures = {
            **{f"credits, {share:.0%} differ": _single_sides(chance, runs, n, share) != 0 for share in SHARES},
            "losses": np.concatenate([_sides_of_losses(chance, some, n) != 0 for some in _chunks(runs)]),
            "5 arms": _any_arm(chance, runs, n),
            "4 looks": _any_look(chance, runs, n),
            "helped against both rivals, one as good": _beats_both(chance, runs, n),
        }
        checks += [_check(f"{name}, n {n}", int(hits.sum()), runs, 0.0, 0.055) for name, hits in figures.items()]
    return checks


def check_power(*, runs: int = 4_000, seed: int = 0) -> list[Check]:
    """How often a difference of 5 points is found, and whether a pilot of 30 questions plans enough of them."""
    needed = questions_needed_if_differ(0.15, 0.05)
    chance = np.random.default_rng(seed)
    hits = int((_single_sides(chance, runs, needed, 0.15, effect=0.05) == 1).sum())
    pilots = chance.binomial(30, 0.15, runs)
    planned = [questions_needed_if_differ(max(upper_share(int(differ), 30), 0.05), 0.05) for differ in pilots]
    enough = sum(n >= needed for n in planned)
    return [
        _check(f"+5 points found, 15% differ, n {needed}", hits, runs, 0.77, 0.83),
        _check("planned from a pilot of 30: enough questions", enough, runs, 0.80, 1.0),
    ]


def upper_share(differing: int, n: int) -> float:
    """The upper limit (80%) of a share seen in a pilot (Clopper and Pearson 1934), which its point does not have."""
    return 1.0 if differing == n else beta(0.8, differing + 1, n - differing)


def check_looks(*, runs: int = 4_000, seed: int = 0, planned: int = 1_000) -> list[Check]:
    """How often a live page, looked at after each question, ever shows a difference that is not there."""
    chance = np.random.default_rng(seed)
    truth = float(draw_losses(np.random.default_rng([seed, 1]), _MANY).mean())
    credits = losses = 0
    for some in _chunks(runs):
        credits += int(_ever_beyond(_won_or_lost(chance, (some, planned), 0.15, 0.0)).sum())
        losses += int(_ever_beyond(draw_losses(chance, (some, planned)) - truth).sum())
    return [
        _check("live page, credits", credits, runs, 0.0, 0.05),
        _check("live page, skewed losses", losses, runs, 0.0, 0.06),
        _check("four planned looks", int(_any_look(chance, runs, planned).sum()), runs, 0.0, 0.055),
    ]


def expect_words(
    n: int, *, margin: float, share: float, effect: float, runs: int = 2_000, seed: int = 0
) -> Mapping[Word, float]:
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
    alike = chance.binomial(n, 0.5, runs)
    shared, first, second = (_draw_counts(chance, sizes, share, effect) for sizes in (alike, n - alike, n - alike))
    rivals = [
        _by_counts(shared + own, n, lambda differences, name=name: compare(name, differences))
        for name, own in (("uniform sampling", first), ("adaptive sampling", second))
    ]
    for comparisons in zip(*rivals, strict=True):
        words[decide(comparisons, margin=margin).word] += 1
    return {word: count / runs for word, count in words.items()}


def _check(name: str, hits: int, runs: int, low: float, high: float) -> Check:
    value = hits / runs
    return Check(name=name, value=value, low=low, high=high, room=3 * math.sqrt(value * (1 - value) / runs))


def _covers_truth(differences: Differences, truth: float) -> bool:
    interval = differences.interval()
    return interval.low <= truth <= interval.high


# ---- questions won and lost ------------------------------------------------------------------------------------------


def _draw_counts(
    chance: np.random.Generator, sizes: int | Counts, share: float, effect: float = 0.0, *, runs: int | None = None
) -> Counts:
    """The numbers of questions won and lost in each run: two columns."""
    return chance.multinomial(sizes, [(share + effect) / 2, (share - effect) / 2, 1 - share], size=runs)[:, :2]


def _by_counts(counts: Counts, n: int, judge: Callable[[Differences], Value]) -> list[Value]:
    """What is judged of each run; runs with as many questions won and lost are judged once."""
    pairs, places = np.unique(counts, axis=0, return_inverse=True)
    judged = [
        judge(Differences(np.repeat((1.0, -1.0, 0.0), (up, down, n - up - down)), credits=True)) for up, down in pairs
    ]
    return [judged[index] for index in places.ravel()]


def _single_sides(chance: np.random.Generator, runs: int, n: int, share: float, *, effect: float = 0.0) -> Counts:
    """In each run the side of 0 on which one difference is."""
    return _significant_sides(_draw_counts(chance, n, share, effect, runs=runs), n, ALPHA)


def _significant_sides(counts: Counts, n: int, alpha: float) -> Counts:
    return np.array(_by_counts(counts, n, lambda differences: _side(differences, alpha)))


def _side(differences: Differences, alpha: float) -> int:
    """The side of 0 on which a difference is by its interval and its p value; 0 where it is not known."""
    interval = differences.interval(1 - alpha)
    if not interval.beyond_zero or p_value(differences) > alpha:
        return 0
    return 1 if interval.low > 0 else -1


def _any_arm(chance: np.random.Generator, runs: int, n: int) -> NDArray[np.bool_]:
    """Whether one of five arms is called different from the same rival; Holm's adjustment."""
    arms = [
        _by_counts(
            _draw_counts(chance, n, 0.15, runs=runs),
            n,
            lambda differences: p_value(differences) if differences.interval().beyond_zero else 1.0,
        )
        for _ in range(5)
    ]
    adjusted = (holm({str(arm): p for arm, p in enumerate(run)}) for run in zip(*arms, strict=True))
    return np.array([any(p <= ALPHA for p in run.values()) for run in adjusted])


def _any_look(chance: np.random.Generator, runs: int, n: int) -> NDArray[np.bool_]:
    """Whether a verdict is spoken at one of four planned looks."""
    spoken = np.zeros(runs, dtype=bool)
    counts, before = np.zeros((runs, 2), dtype=np.int64), 0
    for share, bound in zip(LOOKS, look_bounds(LOOKS), strict=True):
        now = round(share * n)
        counts = counts + _draw_counts(chance, now - before, 0.15, runs=runs)
        spoken |= _significant_sides(counts, now, 2 * (1 - NORMAL.cdf(bound))) != 0
        before = now
    return spoken


def _beats_both(chance: np.random.Generator, runs: int, n: int) -> NDArray[np.bool_]:
    """Whether a debate is said to help which is as good as the better of two rivals, and 5 points above the other."""
    return (_single_sides(chance, runs, n, 0.15) == 1) & (_single_sides(chance, runs, n, 0.15, effect=0.05) == 1)


# ---- whole tables of runs and questions ------------------------------------------------------------------------------


def _chunks(runs: int) -> Iterator[int]:
    """How many runs to draw at once, so that they fit into memory."""
    yield from (min(_CHUNK, runs - start) for start in range(0, runs, _CHUNK))


def _sides_of_losses(chance: np.random.Generator, runs: int, n: int) -> Counts:
    """In each run the side of 0 on which the difference of two equal forecasters is."""
    table = draw_losses(chance, (runs, n), (0.9, 0.9))
    sides = np.array([_side_of_zero(Differences(row)) for row in table])
    for at in np.flatnonzero(sides):
        if p_value(Differences(table[at])) > ALPHA:
            sides[at] = 0
    return sides


def _side_of_zero(differences: Differences) -> int:
    interval = differences.interval(1 - ALPHA)
    return (interval.low > 0) - (interval.high < 0)


def _ever_beyond(table: Floats) -> NDArray[np.bool_]:
    """Whether the live interval ever leaves 0 out, for each run."""
    planned = len(table[0])
    n: Floats = np.arange(1, planned + 1, dtype=np.float64)
    means = np.cumsum(table, axis=1) / n
    spreads = np.sqrt(np.maximum(np.cumsum(table**2, axis=1) / n - means**2, 0) * n / np.maximum(n - 1, 1))
    widths = np.array([live_half_width(1.0, int(count), planned) for count in n[FIRST_LOOK - 1 :]])
    outside = np.abs(means)[:, FIRST_LOOK - 1 :] > widths * spreads[:, FIRST_LOOK - 1 :]
    return np.array([bool(run.any()) for run in outside])
