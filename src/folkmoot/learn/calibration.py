"""Calibration: how reliable stated confidence is (Brier score, ECE, AUROC, log score), and isotonic correction.

All sums are ``math.fsum``: the same forecasts in any order give the same bits.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

ENOUGH = 30
"""With this many graded items a recalibration is used alone; with fewer it is mixed with the base rate."""

CLIP = 0.01
"""The log score clips confidences to this distance from 0 and 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """A confidence from 0 to 1, stated before the truth was known, and whether the answer was right."""

    confidence: float
    right: bool

    def __post_init__(self) -> None:
        """Refuse a number that is no confidence."""
        if not 0 <= self.confidence <= 1:
            raise ValueError(f"a confidence of {self.confidence:g} cannot be used; it is 0 to 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """The forecasts of one bin: their mean confidence, the share that was right, how many there are."""

    confidence: float
    accuracy: float
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Brier:
    """The mean squared error of a confidence and its parts: score = reliability - resolution + uncertainty + within.

    Attributes:
        score: 0 is perfect; a constant base rate p scores p (1 - p).
        reliability: how far the confidence of a bin is from its accuracy; 0 is calibrated.
        resolution: how far the bins' accuracies are from the base rate; more is better.
        uncertainty: base rate times (1 - base rate): the task's, not the forecaster's.
        within: what differs inside the bins; 0 if a bin holds one confidence only.
        n: how many forecasts.
    """

    score: float
    reliability: float
    resolution: float
    uncertainty: float
    within: float
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """All measures of a set of forecasts.

    Attributes:
        n: how many; with fewer than about 200 the ECE is too high by chance alone.
        confidence: their mean.
        accuracy: the share that was right.
        brier: the Brier score in its parts.
        ece: the expected calibration error over 10 bins.
        auroc: the chance that a right answer carries more confidence than a wrong one; None if all are alike.
        log: the mean log score in nats, clipped.
    """

    n: int
    confidence: float
    accuracy: float
    brier: Brier
    ece: float
    auroc: float | None
    log: float


def measure(forecasts: Sequence[Forecast]) -> Calibration | None:
    """All measures; None if there is nothing to measure."""
    if not forecasts:
        return None
    return Calibration(
        n=len(forecasts),
        confidence=_mean([forecast.confidence for forecast in forecasts]),
        accuracy=_mean([forecast.right for forecast in forecasts]),
        brier=brier(forecasts),
        ece=ece(forecasts),
        auroc=auroc(forecasts),
        log=log_score(forecasts),
    )


def levels(forecasts: Sequence[Forecast], *, bins: int = 10) -> tuple[Level, ...]:
    """The reliability table: non-empty bins of equal width, from low to high; confidence 1 is in the last."""
    forecasts_by_bin: dict[int, list[Forecast]] = {}
    for forecast in forecasts:
        forecasts_by_bin.setdefault(_bin(forecast.confidence, bins), []).append(forecast)
    return tuple(
        Level(
            confidence=_mean([forecast.confidence for forecast in group]),
            accuracy=_mean([forecast.right for forecast in group]),
            n=len(group),
        )
        for _, group in sorted(forecasts_by_bin.items())
    )


def brier(forecasts: Sequence[Forecast], *, bins: int = 10) -> Brier:
    """The score of Brier (1950) with the parts of Murphy (1973, Journal of Applied Meteorology 12).

    ``within`` is the part that binning leaves over (Stephenson, Coelho and Jolliffe 2008, Weather and Forecasting 23).

    Args:
        forecasts: at least one.
        bins: bins of equal width.

    Raises:
        ValueError: there is no forecast.
    """
    n = _check_not_empty(forecasts)
    score = math.fsum((forecast.confidence - forecast.right) ** 2 for forecast in forecasts) / n
    table = levels(forecasts, bins=bins)
    base = _mean([forecast.right for forecast in forecasts])
    reliability = math.fsum(level.n * (level.confidence - level.accuracy) ** 2 for level in table) / n
    resolution = math.fsum(level.n * (level.accuracy - base) ** 2 for level in table) / n
    uncertainty = base * (1 - base)
    within = math.fsum((score, -reliability, resolution, -uncertainty))
    return Brier(
        score=score, reliability=reliability, resolution=resolution, uncertainty=uncertainty, within=within, n=n
    )


def ece(forecasts: Sequence[Forecast], *, bins: int = 10) -> float:
    """The expected calibration error (Naeini and others 2015): the mean gap of confidence and accuracy over bins.

    It is no proper score, and chance alone makes it larger with few items: give n beside it.

    Raises:
        ValueError: there is no forecast.
    """
    n = _check_not_empty(forecasts)
    return math.fsum(level.n * abs(level.confidence - level.accuracy) for level in levels(forecasts, bins=bins)) / n


def auroc(forecasts: Sequence[Forecast]) -> float | None:
    """How well confidence ranks right above wrong: 1 always, 0.5 as chance (Hanley and McNeil 1982); ties are half.

    None if all are right or all are wrong.
    """
    right = sorted(forecast.confidence for forecast in forecasts if forecast.right)
    wrong = sorted(forecast.confidence for forecast in forecasts if not forecast.right)
    if not right or not wrong:
        return None
    # Twice the number of pairs, in whole numbers: one for each place below, one more for each not above.
    above = sum(bisect_right(wrong, item) + bisect_left(wrong, item) for item in right)
    return above / (2 * len(right) * len(wrong))


def log_score(forecasts: Sequence[Forecast]) -> float:
    """The mean of -log of the probability that was given to what came true, in nats (Good 1952), clipped at 0.01.

    Raises:
        ValueError: there is no forecast.
    """
    n = _check_not_empty(forecasts)
    confidences = (min(max(forecast.confidence, CLIP), 1 - CLIP) for forecast in forecasts)
    return (
        -math.fsum(math.log(p if forecast.right else 1 - p) for p, forecast in zip(confidences, forecasts, strict=True))
        / n
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A map from stated confidence to the chance to be right: steps, mixed with a base rate.

    Attributes:
        base: the base rate, (right + 1) / (n + 2).
        trust: the share of the fit in the result: n / 30, at most 1; the rest is the base rate's.
        n: the number of graded items.
        steps: the isotonic fit: from which confidence on which chance holds; empty without items.
    """

    base: float
    trust: float
    n: int
    steps: tuple[tuple[float, float], ...] = ()

    def at(self, confidence: float) -> float:
        """The chance that an answer of this confidence is right; it stays 1 / (n + 2) away from 0 and 1."""
        index = bisect_right([start for start, _ in self.steps], confidence)
        fit = self.steps[max(index - 1, 0)][1] if self.steps else self.base
        edge = 1 / (self.n + 2)
        return min(max(self.trust * fit + (1 - self.trust) * self.base, edge), 1 - edge)


def isotonic(forecasts: Sequence[Forecast]) -> Curve:
    """The best map that never falls: pool adjacent violators (Ayer and others 1955; Zadrozny and Elkan 2002)."""
    rights_by_confidence: dict[float, list[bool]] = {}
    for forecast in forecasts:
        rights_by_confidence.setdefault(forecast.confidence, []).append(forecast.right)
    blocks: list[tuple[float, int, int]] = []
    for start, group in sorted(rights_by_confidence.items()):
        block = (start, sum(group), len(group))
        # Whole numbers are compared, so no rounding decides what is pooled.
        while blocks and blocks[-1][1] * block[2] >= block[1] * blocks[-1][2]:
            before = blocks.pop()
            block = (before[0], before[1] + block[1], before[2] + block[2])
        blocks.append(block)
    base, trust = _prior(forecasts)
    steps = tuple((start, right / n) for start, right, n in blocks)
    return Curve(base=base, trust=trust, n=len(forecasts), steps=steps)


def expected(forecasts: Sequence[Forecast]) -> tuple[tuple[Level, float], ...]:
    """The reliability table, and what to expect by the isotonic map of an answer of each of its confidences."""
    curve = isotonic(forecasts)
    return tuple((level, curve.at(level.confidence)) for level in levels(forecasts))


def document_weight(elo: float, calibration: float) -> float:
    """The vote weight of the phases document: (elo - 1000) / 500 times (0.5 + calibration).

    It is used only where somebody chooses it by name. Its faults: the weight is 0 at 1000 points, negative below, and
    doubles from 1500 to 2000, but points are differences and have no zero; and a linear bonus for calibration does not
    measure accuracy. See ``panels.log_odds_weights``.
    """
    return (elo - 1000) / 500 * (0.5 + calibration)


def _prior(forecasts: Sequence[Forecast]) -> tuple[float, float]:
    n = len(forecasts)
    return (sum(forecast.right for forecast in forecasts) + 1) / (n + 2), min(1.0, n / ENOUGH)


def _check_not_empty(forecasts: Sequence[Forecast]) -> int:
    if not forecasts:
        raise ValueError("there is no forecast to score; at least one is needed")
    return len(forecasts)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _bin(confidence: float, bins: int) -> int:
    return min(int(confidence * bins), bins - 1)
