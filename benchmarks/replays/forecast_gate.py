"""Recorded forecasts as resolved questions on which a gate is learned or judged, as ``folkmoot eval gate`` does."""

import math
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np

from benchmarks.replays.forecast_data import DEBATE, Item, read_forecasts
from benchmarks.replays.forecast_replay import MARGIN
from benchmarks.replays.recorded_files import reading
from folkmoot.app.results.gate_folders import Resolved
from folkmoot.app.results.score_rows import forecast_loss
from folkmoot.evaluation.gates import Gated, Priced
from folkmoot.evaluation.paired import Floats


def read_forecast_gate(folder: Path) -> Resolved:
    """The resolved questions of a folder of forecasts.

    Raises:
        FolkmootError: they are not there or cannot be read.
    """
    with reading(folder, "deliberative_forecasts"):
        return _resolved(read_forecasts(folder).items)


def _resolved(items: Sequence[Item]) -> Resolved:
    if not items:
        raise ValueError(f"no question has both a debate {DEBATE} and independent forecasts")
    seats = {len(item.before) for item in items}
    drawn = {len(item.independent) for item in items}
    if len(seats) > 1 or len(drawn) > 1:
        raise ValueError("questions have different numbers of forecasts")
    n, many = seats.pop(), drawn.pop()

    def losses(values: Sequence[Sequence[float]]) -> Floats:
        pairs = zip(values, items, strict=True)
        return np.array([forecast_loss(math.fsum(own) / len(own), item.outcome) for own, item in pairs])

    def subsets(k: int) -> Floats:
        tables = [
            [forecast_loss(math.fsum(some) / k, item.outcome) for some in combinations(item.independent, k)]
            for item in items
        ]
        return np.array([math.fsum(own) / len(own) for own in tables])

    gated = Gated(
        spread=np.array([item.spread for item in items]),
        without=losses([item.before for item in items]),
        debated=losses([item.after for item in items]),
    )
    priced = Priced(
        gated=gated,
        alone=np.full(len(items), float(n)),
        debating=np.full(len(items), 2.0 * n),
        more=[(float(k), subsets(k)) for k in range(n + 1, many + 1)],
    )
    return Resolved(
        ids=[item.question for item in items],
        groups=[item.question for item in items],
        priced=priced,
        measure="log_loss",
        currency="calls",
        margin=MARGIN,
        sign=1.0,
    )
