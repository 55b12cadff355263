"""The scores of an evaluation by arm and question, with unread answers as wrong, left out, or right."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from folkmoot.app.evaluation.scores import EvalResult, Measure, Score, SeatScore
from folkmoot.app.questions.data_sets import tagged
from folkmoot.core.errors import RecordError
from folkmoot.core.text import counted, shorten
from folkmoot.evaluation.paired import Differences, Floats, Interval
from folkmoot.evaluation.quantiles import wilson
from folkmoot.learn.calibration import CLIP

BEST: Final[Mapping[Measure, float]] = {"credit": 1.0, "log_loss": -math.log(1 - CLIP), "brier": 0.0}
LEAST_QUESTIONS = 2


def only_tagged(result: EvalResult, tag: str) -> EvalResult:
    """The part of a result that is about questions with a tag.

    Raises:
        BriefError: no question has it.
    """
    chosen = tagged(result.tags, tag)
    rows = tuple(row for row in result.scores if row.question in chosen)
    seats = tuple(seat for seat in result.seats if seat.question in chosen)
    return replace(result, scores=rows, seats=seats, tag=tag)


class ScoreRows:
    """The rows of an evaluation, as far as all arms have answered.

    Attributes:
        plan: what was planned.
        arms: those of the plan.
        questions: the ids of all questions that every arm has answered, in the order of the rows.
        groups: the group of each question; empty where each stands for itself, or all are one group.
        group_count: how many groups there are.

    Args:
        result: of an evaluation.

    Raises:
        RecordError: fewer than two questions are complete, or a row stands twice.
    """

    def __init__(self, result: EvalResult) -> None:
        self.plan, self.arms = result.plan, result.plan.arms
        if result.tag:  # the plan has other questions, too; what is looked at is all that there will be
            self.plan = replace(result.plan, planned=len({row.question for row in result.scores}), looks=(1.0,))
        self._rows: dict[tuple[str, str], list[Score]] = {}
        for row in result.scores:
            known = self._rows.setdefault((row.arm, row.question), [])
            if row.epoch in [other.epoch for other in known]:
                subject = f"arm {row.arm!r}, question {shorten(row.question, 60)!r}, repeat {row.epoch}"
                raise RecordError(f"{result.plan.name}: the scores cannot be: {subject} stands twice")
            known.append(row)
        names, order = [arm.name for arm in self.arms], dict.fromkeys(row.question for row in result.scores)
        self.questions = tuple(question for question in order if all((arm, question) in self._rows for arm in names))
        if len(self.questions) < LEAST_QUESTIONS:
            many = f"{len(self.questions)} of {counted(len(order), 'question')} answered by all arms"
            raise RecordError(f"{result.plan.name}: {many}; a scoreboard needs at least {LEAST_QUESTIONS}")
        groups = [self._rows[names[0], question][0].group for question in self.questions]
        self.group_count = len(set(groups))
        self.groups = groups if 1 < self.group_count < len(groups) else []
        self._seats: dict[str, dict[tuple[str, int], list[SeatScore]]] = {}
        for seat in result.seats:
            self._seats.setdefault(seat.arm, {}).setdefault((seat.question, seat.epoch), []).append(seat)

    def of(self, arm: str) -> list[Score]:
        """All rows of an arm, by question and repeat."""
        return [row for question in self.questions for row in self.on(arm, question)]

    def on(self, arm: str, question: str) -> list[Score]:
        """The rows of an arm on one question, by repeat."""
        return self._rows[arm, question]

    def seats(self, arm: str) -> Mapping[tuple[str, int], list[SeatScore]]:
        """The participants of an arm for each question and repeat; empty unless all questions have some."""
        known, asked = self._seats.get(arm, {}), set(self.questions)
        own = {place: everybody for place, everybody in known.items() if place[0] in asked}
        return own if {question for question, _ in own} == asked else {}

    def scores(self, arm: str, *, unread_right: bool = False) -> Floats:
        """The mean score of an arm on each question; what could not be read is wrong, or right for a bound."""
        means: list[float] = []
        for question in self.questions:
            rows = self.on(arm, question)
            right = [unread_right and row.state == "unread" for row in rows]
            values = [
                BEST[self.plan.score] if each else self._value(row) for row, each in zip(rows, right, strict=True)
            ]
            means.append(math.fsum(values) / len(values))
        return np.array(means, dtype=np.float64)

    def _value(self, row: Score) -> float:
        return {"credit": row.credit, "log_loss": row.loss, "brier": row.brier}[self.plan.score] or 0.0

    def read(self, *arms: str) -> list[int]:
        """The places of the questions to which all of these arms have readable answers only."""
        return [
            place
            for place, question in enumerate(self.questions)
            if not any(row.state == "unread" for arm in arms for row in self.on(arm, question))
        ]

    def minus(self, arm: str, rival: str) -> Floats:
        """The difference on each question, more being better."""
        difference = self.scores(arm) - self.scores(rival)
        return difference if self.plan.score == "credit" else -difference

    def differences(self, values: Floats) -> Differences:
        """One value for each question, for an interval by groups; a single group counts as none."""
        return Differences(values, self.groups, credits=self.plan.score == "credit")

    def interval(self, values: Floats) -> Interval:
        """The 95% interval of the mean of one arm: Wilson's for credits, Student's t for losses."""
        plain = Differences(values, self.groups)
        if self.plan.score != "credit":
            return plain.interval()
        share, n = plain.mean, float(plain.n)
        error = plain.spread / math.sqrt(n)
        if (self.groups or not bool(np.isin(values, (0.0, 1.0)).all())) and error and 0 < share < 1:
            n = share * (1 - share) / error**2
        low, high = wilson(share * n, n)
        return Interval(low=low, high=high)

    def cost(self, arm: str) -> float | None:
        """The mean cost of a row in the currency of the plan; None where a price is unknown."""
        costs: list[float | None] = [getattr(row, self.plan.currency) for row in self.of(arm)]
        known = [cost for cost in costs if cost is not None]
        return math.fsum(known) / len(known) if known and len(known) == len(costs) else None
