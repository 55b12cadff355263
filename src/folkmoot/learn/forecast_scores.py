"""What one forecast was worth once the truth is known: Brier and log score, pinball loss, or the error."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from folkmoot.learn.calibration import CLIP

LEVELS = (0.1, 0.5, 0.9)
"""The chances that the truth is below each of three quantiles."""

YES, NO = frozenset({"yes", "1", "true"}), frozenset({"no", "0", "false"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A forecast and its scores by name; less is better.

    Attributes:
        who: whose it is.
        values: the forecast: one number, or three quantiles.
        scores: ``Brier`` and ``log score`` of a probability, ``error`` of a number, and ``pinball loss`` of quantiles.
    """

    who: str
    values: tuple[float, ...]
    scores: tuple[tuple[str, float], ...]


def truth_of(text: str, *, probability: bool) -> float | None:
    """The truth as a number: 1 or 0 for yes or no, else the number itself; None if it is neither."""
    word = text.strip().casefold()
    if probability:
        return 1.0 if word in YES else 0.0 if word in NO else None
    try:
        value = float(word)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def scored(forecaster: str, values: Sequence[float], truth: float, *, probability: bool) -> Scored:
    """The scores of one forecast.

    Args:
        forecaster: whose it is.
        values: the probability of yes, the number, or three quantiles.
        truth: 1 or 0, or the number.
        probability: whether it is a probability.
    """
    if probability:
        hit = values[0] if truth else 1 - values[0]
        log = -math.log(min(max(hit, CLIP), 1 - CLIP))
        return Scored(who=forecaster, values=tuple(values), scores=(("Brier", (1 - hit) ** 2), ("log score", log)))
    error = ("error", abs(values[len(values) // 2] - truth))
    if len(values) < len(LEVELS):
        return Scored(who=forecaster, values=tuple(values), scores=(error,))
    losses = (
        max(level * (truth - value), (level - 1) * (truth - value)) for level, value in zip(LEVELS, values, strict=True)
    )
    return Scored(
        who=forecaster, values=tuple(values), scores=(error, ("pinball loss", math.fsum(losses) / len(LEVELS)))
    )
