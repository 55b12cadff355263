"""The scores of an evaluation by arm and question, with unread answers as wrong, left out, or right."""

import math
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from folkmoot.app.evaluation.scores import EvalPlan, EvalResult, Measure, PlannedArm, Score, SeatScore
from folkmoot.app.questions.data_sets import no_such_tag
from folkmoot.core.errors import RecordError
from folkmoot.core.text import counted, shorten
from folkmoot.core.transcript import normalise
from folkmoot.evaluation.paired import Differences, Floats, Interval
from folkmoot.evaluation.quantiles import wilson
from folkmoot.learn.calibration import CLIP
from folkmoot.learn.panels import Answers

TRUTH: Final = "right"
"""What stands for the right answer where ballots are counted: the truth itself is in no file of scores."""

WORST: Final[Mapping[Measure, float]] = {"credit": 0.0, "log_loss": -math.log(CLIP), "brier": 1.0}
BEST: Final[Mapping[Measure, float]] = {"credit": 1.0, "log_loss": -math.log(1 - CLIP), "brier": 0.0}
LEAST_QUESTIONS = 2
MOST: Final[Mapping[str, float]] = {"credit": 1, "loss": 1e3, "brier": 2, "usd": 1e9, "tokens": 1e15, "calls": 1e9}
"""The greatest values in a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballots:
    """What the participants of an arm answered to one question once, first and last: texts, and ballots to count."""

    question: str
    epoch: int
    models: Mapping[str, str]
    texts: Mapping[str, tuple[str | None, str | None]]
    first: Answers
    last: Answers


def only_some(result: EvalResult, questions: Container[str]) -> EvalResult:
    """The part of a result that is about some questions."""
    return replace(
        result,
        scores=tuple(row for row in result.scores if row.question in questions),
        seats=tuple(seat for seat in result.seats if seat.question in questions),
    )


def only_tagged(result: EvalResult, tag: str) -> EvalResult:
    """The part of a result that is about questions with a tag.

    Raises:
        BriefError: no question has it.
    """
    named = {name for name, facts in result.facts.items() if tag in facts.tags}
    if not named:
        raise no_such_tag(tag, [word for facts in result.facts.values() for word in facts.tags])
    return replace(only_some(result, named), tag=tag)


class ScoreRows:
    """The rows of an evaluation, as far as all arms have answered.

    Attributes:
        plan: what was planned.
        arms: those of the plan, then those that are not in it.
        questions: the ids of all questions that every planned arm has answered, in the order of the rows.
        groups: the group of each question; empty where each stands for itself, or all are one group.
        group_count: how many groups there are.
        credits: whether the score is a credit; else it is a loss.
        sign: 1 for credits, -1 for losses: times the score more is better.
        outcomes: whether each question came true, as far as a forecast and its loss say so.
    """

    def __init__(self, result: EvalResult) -> None:
        """Sort the rows.

        Args:
            result: of an evaluation.

        Raises:
            RecordError: fewer than two questions are complete, or a value cannot be.
        """
        if problem := next(_problems(result), ""):
            raise RecordError(f"{result.plan.name}: {problem}")
        self.plan: EvalPlan = result.plan
        if result.tag:  # the plan has other questions, too; what is looked at is all that there will be
            self.plan = replace(result.plan, planned=len({row.question for row in result.scores}), looks=(1.0,))
        self.credits = result.plan.score == "credit"
        self.sign = 1.0 if self.credits else -1.0
        self._rows: dict[tuple[str, str], list[Score]] = {}
        for row in result.scores:
            self._rows.setdefault((row.arm, row.question), []).append(row)
        planned = [arm.name for arm in result.plan.arms]
        order = dict.fromkeys(row.question for row in result.scores)
        self.questions = tuple(question for question in order if all((arm, question) in self._rows for arm in planned))
        if len(self.questions) < LEAST_QUESTIONS:
            many = f"{len(self.questions)} of {counted(len(order), 'question')} answered by all arms"
            raise RecordError(f"{result.plan.name}: {many}; a scoreboard needs at least {LEAST_QUESTIONS}")
        self.arms = (*result.plan.arms, *self._unplanned_arms(planned))
        groups = [self._rows[planned[0], question][0].group or question for question in self.questions]
        self.group_count = len(set(groups))
        self.groups = groups if 1 < self.group_count < len(groups) else []
        self._seats: dict[tuple[str, str], dict[int, list[SeatScore]]] = {}
        self.outcomes: Mapping[str, int] = self._outcomes()
        for seat in result.seats:
            self._seats.setdefault((seat.arm, seat.question), {}).setdefault(seat.epoch, []).append(seat)

    def _unplanned_arms(self, planned: Sequence[str]) -> list[PlannedArm]:
        """Arms that are not in the plan, as far as they answered the same questions."""
        others = dict.fromkeys(arm for arm, _ in self._rows if arm not in planned)
        return [
            PlannedArm(name=arm, kind="protocol", title="exploratory: not in the plan")
            for arm in others
            if all((arm, question) in self._rows for question in self.questions)
        ]

    def of(self, arm: str) -> list[Score]:
        """All rows of an arm on complete questions."""
        return [row for question in self.questions for row in self._rows[arm, question]]

    def on(self, arm: str, question: str) -> list[Score]:
        """The rows of an arm on one question, one for each repeat."""
        return self._rows[arm, question]

    def scores(self, arm: str, *, unread_right: bool = False) -> Floats:
        """The score of each question, the mean over its repeats; what cannot be read counts as wrong.

        Args:
            arm: its name.
            unread_right: count it as right instead, for a bound.
        """
        bound = (BEST if unread_right else WORST)[self.plan.score]
        means = [
            math.fsum(self._value(row, bound) for row in rows) / len(rows)
            for rows in (self._rows[arm, question] for question in self.questions)
        ]
        return np.array(means, dtype=np.float64)

    def _value(self, row: Score, bound: float) -> float:
        if row.state == "unread":
            return bound
        value = {"credit": row.credit, "log_loss": row.loss, "brier": row.brier}[self.plan.score]
        return WORST[self.plan.score] if value is None else value

    def read(self, *arms: str) -> list[int]:
        """The places of the questions to which all of these arms have readable answers only."""
        return [
            index
            for index, question in enumerate(self.questions)
            if not any(row.state == "unread" for arm in arms for row in self._rows[arm, question])
        ]

    def minus(self, arm: str, rival: str) -> Floats:
        """The difference on each question, more being better."""
        return self.sign * (self.scores(arm) - self.scores(rival))

    def differences(self, values: Sequence[float] | Floats) -> Differences:
        """One value for each question, for an interval by groups; a single group counts as none."""
        return Differences(values, self.groups, credits=self.credits)

    def interval(self, values: Floats, *, level: float = 0.95) -> Interval:
        """The interval of the mean of one arm: Wilson's for credits, Student's t for losses."""
        plain = Differences(values, self.groups)
        if not self.credits:
            return plain.interval(level)
        share, n = plain.mean, float(plain.n)
        error = plain.spread / math.sqrt(n)
        if (self.groups or not bool(np.isin(values, (0.0, 1.0)).all())) and error and 0 < share < 1:
            n = share * (1 - share) / error**2
        low, high = wilson(share * n, n, level=level)
        return Interval(low=low, high=high, level=level)

    def ballots(self, arm: str) -> list[Ballots]:
        """The answers of an arm's participants, by question and repeat; empty unless all have the same participants."""
        items = self.drafts(arm)
        names = {tuple(sorted(item.first)) for item in items}
        return items if len(names) == 1 and {item.question for item in items} == set(self.questions) else []

    def drafts(self, arm: str) -> list[Ballots]:
        """The answers of an arm's participants or draws, as many as there are, by question and repeat."""
        return [
            _ballots(question, epoch, seats)
            for question in self.questions
            for epoch, seats in sorted(self._seats.get((arm, question), {}).items())
        ]

    def item_groups(self, items: Sequence[Ballots]) -> list[str]:
        """The group of each of these: repeats of a question belong together."""
        if not self.groups and len(items) == len(self.questions):
            return []
        of = dict(zip(self.questions, self.groups or self.questions, strict=True))
        return [of[item.question] for item in items]

    def cost(self, arm: str) -> float | None:
        """The mean cost of a row in the currency of the plan; None where a price is unknown."""
        return mean_cost(self.of(arm), self.plan.currency)

    def _outcomes(self) -> dict[str, int]:
        """Whether each question came true, as far as a forecast and its loss say so."""
        results: dict[str, int] = {}
        for arm in self.arms:
            for row in self.of(arm.name):
                probability = probability_of(row.answer)
                if probability is None or row.loss is None or probability == 0.5:
                    continue
                gaps = [abs(row.loss - forecast_loss(probability, outcome)) for outcome in (0, 1)]
                results.setdefault(row.question, int(gaps[1] < gaps[0]))
        return results


def _problems(result: EvalResult) -> Iterator[str]:
    """What cannot be in a plan and in scores; files are edited, and two runs are put together."""
    plan = result.plan
    checks = {
        "the margin must be above 0": 0 < plan.margin < math.inf,
        "the level must be above 0 and below 0.5": 0 < plan.alpha < 0.5,
        "looks must be shares above 0, up to 1": all(0 < share <= 1 for share in plan.looks),
        "there must be at least one repeat": plan.epochs >= 1,
    }
    yield from (f"the plan cannot be: {problem}" for problem, fine in checks.items() if not fine)
    epochs: dict[tuple[str, str], set[int]] = {}
    for row in result.scores:
        known = epochs.setdefault((row.arm, row.question), set())
        subject = f"the scores cannot be: arm {row.arm!r}, question {shorten(row.question, 60)!r}"
        if row.epoch in known:
            yield f"{subject}: repeat {row.epoch} stands twice"
        known.add(row.epoch)
        for name, maximum in MOST.items():
            value = getattr(row, name)
            if value is not None and not 0 <= value <= maximum:
                yield f"{subject}: {name} is {value:g}, and must be from 0 to {maximum:g}"
    for seat in result.seats:
        if seat.epoch not in epochs.get((seat.arm, seat.question), {seat.epoch}):
            subject = f"arm {seat.arm!r}, question {shorten(seat.question, 60)!r}"
            yield f"participants answered in a repeat without a score: {subject}, repeat {seat.epoch}"


def mean_cost(rows: Sequence[Score], currency: str) -> float | None:
    """The mean cost of rows in a currency; None where a price is unknown."""
    costs = [row.usd if currency == "usd" else float(row.tokens if currency == "tokens" else row.calls) for row in rows]
    known = [cost for cost in costs if cost is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(costs) else None


def probability_of(text: str | None) -> float | None:
    """The probability in a text such as ``0.7`` or ``70 %``; None if it is none."""
    words = (text or "").strip()
    try:
        value = float(words.removesuffix("%")) / (100 if words.endswith("%") else 1)
    except ValueError:
        return None
    return value if 0 <= value <= 1 else None


def forecast_loss(probability: float, outcome: int) -> float:
    """The log loss of a probability in nats, clipped as ``learn.calibration`` clips it."""
    clipped = min(max(probability, CLIP), 1 - CLIP)
    return -math.log(clipped if outcome else 1 - clipped)


def _ballots(question: str, epoch: int, seats: Sequence[SeatScore]) -> Ballots:
    return Ballots(
        question=question,
        epoch=epoch,
        models={seat.seat: seat.model for seat in seats},
        texts={seat.seat: (seat.first, seat.last) for seat in seats},
        first={seat.seat: _ballot(seat.first, seat.first_right) for seat in seats},
        last={seat.seat: _ballot(seat.last, seat.last_right) for seat in seats},
    )


def _ballot(answer: str | None, right: bool | None) -> str:
    """A ballot to count: right answers are one, wrong ones go by their words; "" for none."""
    if answer is None:
        return ""
    return TRUTH if right else f"wrong: {normalise(answer)}"
