"""How far the probabilities of each arm can be taken at their word: reliability, and the ECE that luck alone gives."""

from functools import lru_cache
from typing import Final

import numpy as np

from folkmoot.app.results.score_rows import ScoreRows, probability_of
from folkmoot.app.results.scoreboard import Bin, CalibrationLine
from folkmoot.evaluation.paired import Interval
from folkmoot.evaluation.quantiles import wilson
from folkmoot.learn.calibration import Forecast, ece, levels, measure

DRAWS: Final = 500
"""So often the outcomes of a perfect forecaster are drawn."""


def calibration_lines(rows: ScoreRows) -> tuple[CalibrationLine, ...]:
    """The calibration of each arm that gives probabilities."""
    lines: list[CalibrationLine] = []
    for arm in rows.arms:
        forecasts = [
            Forecast(confidence=probability, right=bool(rows.outcomes[row.question]))
            for row in rows.of(arm.name)
            if row.loss is not None
            and row.question in rows.outcomes
            and (probability := probability_of(row.answer)) is not None
        ]
        if (measured := measure(forecasts)) is None:
            continue
        brier = measured.brier
        lines.append(
            CalibrationLine(
                arm=arm.name,
                n=measured.n,
                log_loss=measured.log,
                brier=brier.score,
                reliability=brier.reliability,
                resolution=brier.resolution,
                uncertainty=brier.uncertainty,
                ece=measured.ece,
                perfect_ece=perfect_ece(tuple(item.confidence for item in forecasts), seed=rows.plan.seed),
                bins=tuple(_bin(level.confidence, level.accuracy, level.n) for level in levels(forecasts)),
            )
        )
    return tuple(lines)


def _bin(forecast: float, share: float, n: int) -> Bin:
    low, high = wilson(share * n, n)
    return Bin(forecast=forecast, share=share, interval=Interval(low=low, high=high), n=n)


@lru_cache(maxsize=64)
def perfect_ece(confidences: tuple[float, ...], *, seed: int = 0) -> float:
    """The mean ECE of a forecaster who is right: outcomes are drawn by its own probabilities, 500 times.

    Args:
        confidences: the probabilities.
        seed: of the draws.
    """
    chance = np.random.default_rng(seed)
    draws = chance.random((DRAWS, len(confidences))) < np.array(confidences)
    results = [
        ece([Forecast(confidence=p, right=bool(came)) for p, came in zip(confidences, row, strict=True)])
        for row in draws
    ]
    return float(np.mean(results))
