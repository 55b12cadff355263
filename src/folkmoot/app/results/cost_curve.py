"""What independent answers buy: the score of k of them for each k, and every arm against that curve at its own cost."""

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from folkmoot.app.evaluation.scores import PlannedArm
from folkmoot.app.results.score_rows import TRUTH, Ballots, ScoreRows, forecast_loss, probability_of
from folkmoot.app.results.scoreboard import CurvePoint, FrontLine
from folkmoot.core.brief import HAIR
from folkmoot.evaluation.paired import Floats
from folkmoot.learn.panels import mean_accuracy

MOST_SUBSETS = 2_000
"""The most subsets whose forecasts are averaged; beyond, the first of them in a fixed order of steps."""


def curve(rows: ScoreRows) -> tuple[tuple[CurvePoint, ...], tuple[FrontLine, ...]]:
    """The points of each arm that draws independent answers, and all other arms against the first of these curves."""
    points: list[CurvePoint] = []
    front: list[FrontLine] = []
    for arm in drawing(rows):
        table = _table(rows, arm)
        step = _cost_of_a_draw(rows, arm)
        for k, values in enumerate(table, 1):
            interval = rows.interval(values)
            cost = None if step is None else k * step
            points.append(CurvePoint(arm=arm.name, k=k, cost=cost, score=float(values.mean()), interval=interval))
        if table and step and not front:
            front = [line for other in rows.arms if (line := _minus_curve(rows, other, table, step)) is not None]
    return tuple(points), tuple(front)


def drawing(rows: ScoreRows) -> list[PlannedArm]:
    """The arms whose answers are independent draws; else the first arm whose shared first answers are such draws."""
    sampled = [arm for arm in rows.arms if arm.kind == "sample" and rows.drafts(arm.name)]
    shared = [arm for arm in rows.arms if arm.kind in ("rethink", "protocol") and not arm.own_drafts]
    return sampled or [arm for arm in shared if rows.ballots(arm.name)][:1]


def _table(rows: ScoreRows, arm: PlannedArm) -> list[Floats]:
    """For each k the score of each question: the mean over all ways to choose k of its answers."""
    items: dict[str, list[Ballots]] = {}
    for item in rows.drafts(arm.name):
        items.setdefault(item.question, []).append(item)
    if set(items) != set(rows.questions):
        return []
    draws = min(len(item.first) for group in items.values() for item in group)
    return [
        np.array([_mean([_score(rows, item, k) for item in items[question]]) for question in rows.questions])
        for k in range(1, draws + 1)
    ]


def _score(rows: ScoreRows, item: Ballots, k: int) -> float:
    if rows.credits:
        return mean_accuracy([item.first], [TRUTH], size=k)
    outcome = rows.outcomes.get(item.question, 0)
    forecasts = [value for first, _ in item.texts.values() if (value := probability_of(first)) is not None]
    losses = [_loss(rows, _mean(chosen), outcome) for chosen in _subsets(forecasts, min(k, len(forecasts)))]
    return _mean(losses) if losses else _loss(rows, 1.0 - outcome, outcome)


def _subsets(forecasts: Sequence[float], k: int) -> list[tuple[float, ...]]:
    many = math.comb(len(forecasts), k) if k else 0
    step = max(math.ceil(many / MOST_SUBSETS), 1)
    return [chosen for index, chosen in enumerate(combinations(forecasts, k)) if k and index % step == 0]


def _loss(rows: ScoreRows, forecast: float, outcome: int) -> float:
    return (forecast - outcome) ** 2 if rows.plan.score == "brier" else forecast_loss(forecast, outcome)


def _cost_of_a_draw(rows: ScoreRows, arm: PlannedArm) -> float | None:
    """The cost of one independent answer: the cost of an arm that samples by its calls."""
    arm = next((other for other in (arm, *rows.arms) if other.kind == "sample"), arm)
    cost, calls = rows.cost(arm.name), sum(row.calls for row in rows.of(arm.name)) / len(rows.of(arm.name))
    return cost / calls if cost is not None and calls else None


def _minus_curve(rows: ScoreRows, arm: PlannedArm, table: Sequence[Floats], step: float) -> FrontLine | None:
    """An arm minus the curve at its cost; None for arms that are on it, or beyond its ends."""
    cost = rows.cost(arm.name)
    draws = 0.0 if cost is None else _whole_where_nearly(cost / step)
    if arm.kind == "sample" or cost is None or not 1 <= draws <= len(table):
        return None
    full_draws = min(int(draws), len(table) - 1) if len(table) > 1 else 1
    part = draws - full_draws
    at_cost = table[full_draws - 1] if part == 0 else (1 - part) * table[full_draws - 1] + part * table[full_draws]
    differences = rows.differences(rows.sign * (rows.scores(arm.name) - at_cost))
    return FrontLine(arm=arm.name, cost=cost, difference=differences.mean, interval=differences.interval())


def _whole_where_nearly(draws: float) -> float:
    """The number of draws that a cost buys; a whole one where it is one but for the rounding of sums of floats."""
    return float(round(draws)) if math.isclose(draws, round(draws), rel_tol=HAIR) else draws


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
