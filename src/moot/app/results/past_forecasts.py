"""Past debates that ended in a probability, once it is known what came true: first forecasts, last ones, their mean."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moot.app.results.score_rows import forecast_loss
from moot.core.transcript import Transcript
from moot.evaluation.forecast_scores import truth_of
from moot.policy.rounds import THRESHOLD
from moot.protocols.measured.forecast import kind_of, newest_forecasts

HALF = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ForecastScores:
    """What a probability was worth: the share of right sides, log loss and Brier score."""

    credit: float
    loss: float
    brier: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecasts:
    """The probabilities of a debate and what came true.

    Attributes:
        outcome: 1 or 0.
        before: the first forecast of each.
        after: the last forecast of each.
        decided: the mean that was decided; None for none.
        debated: whether anybody forecast again after having read others.
    """

    outcome: int
    before: Mapping[str, float]
    after: Mapping[str, float]
    decided: float | None
    debated: bool

    @property
    def close(self) -> bool:
        """Whether the first forecasts are no further apart than the threshold of a gate."""
        return max(self.before.values()) - min(self.before.values()) <= THRESHOLD + 1e-12

    @property
    def first_mean(self) -> float:
        """The mean of the first forecasts."""
        return math.fsum(self.before.values()) / len(self.before)

    def worth(self, probabilities: Sequence[float]) -> ForecastScores:
        """The mean scores of these probabilities; 0.5 is half right."""
        hits = [value if self.outcome else 1 - value for value in probabilities]
        n = len(hits)
        return ForecastScores(
            credit=math.fsum(0.5 if hit == HALF else hit > HALF for hit in hits) / n,
            loss=math.fsum(forecast_loss(value, self.outcome) for value in probabilities) / n,
            brier=math.fsum((1 - hit) ** 2 for hit in hits) / n,
        )

    def right(self, probability: float | None) -> bool | None:
        """Whether a probability is on the right side; None for none."""
        return None if probability is None else (probability > HALF) == bool(self.outcome)


def read_forecasts(transcript: Transcript, truth: str) -> Forecasts | None:
    """The probabilities of a debate; None where it has none, or what came true is neither yes nor no."""
    outcome = truth_of(truth, probability=True)
    if kind_of(transcript) != "probability" or outcome is None:
        return None
    first = {who: values[0] for who, values in newest_forecasts(transcript, "probability", acts=("draft",)).items()}
    last = {who: values[0] for who, values in newest_forecasts(transcript, "probability").items()}
    decision = transcript.decision
    decided = float(decision.text) if decision is not None and decision.status == "decided" else None
    if not first:
        return None
    last = {who: last[who] for who in first}
    again = bool(transcript.turns("revise"))
    return Forecasts(outcome=int(outcome), before=first, after=last, decided=decided, debated=again)
