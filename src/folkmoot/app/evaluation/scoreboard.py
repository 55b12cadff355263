"""The scoreboard of an evaluation, as data, and how it is made of the scores: verdicts, arms, paired differences, flips.

``measure`` makes it once; the terminal, the page and the JSON show the same values. Differences are turned so that more
is better. All intervals name their level.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from folkmoot.app.evaluation.questions import tagged
from folkmoot.app.evaluation.responses import exact_sum
from folkmoot.app.evaluation.scores import EvalPlan, EvalResult, RunState, Score, SeatScore, State
from folkmoot.app.evaluation.setup import RETHINK, Arm, Measure
from folkmoot.core.errors import RecordError
from folkmoot.core.text import counted, listed, shorten
from folkmoot.core.transcript import normalise
from folkmoot.evaluation.flips import Change, FlipTable, flip_table, state_of
from folkmoot.evaluation.paired import Differences, Floats, Interval
from folkmoot.evaluation.power import (
    FIRST_LOOK,
    holm,
    live_half_width,
    look_bounds,
    questions_needed,
    smallest_difference,
)
from folkmoot.evaluation.quantiles import NORMAL, wilson
from folkmoot.evaluation.verdicts import (
    Comparison,
    Conduct,
    Verdict,
    compare,
    decide,
    more,
    spread_of_interval,
)
from folkmoot.learn.calibration import CLIP
from folkmoot.learn.panels import tops

VERSION: Final = 4
"""Of the JSON. New fields do not change it."""

BEST: Final[Mapping[Measure, float]] = {"credit": 1.0, "log_loss": -math.log(1 - CLIP), "brier": 0.0}
LEAST_QUESTIONS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmLine:
    """How one arm did; what it cost is as charged, a question."""

    arm: Arm
    score: float  # the mean over all questions, an unread answer counting as wrong
    interval: Interval  # of the score alone; two arms are compared by their differences and never by these
    without_unread: float | None  # the score without the questions it left unread; None where nothing is left
    unread_right: float  # the score if unread answers had been right
    rows: int  # how many answers were due: questions times repeats
    states: Mapping[State, int]  # how many of them were answered, tied, unread, failed
    debated: int  # in how many of the rows participants saw answers of others
    usd: float | None  # None where a price is unknown
    tokens: float
    calls: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairLine:
    """A debate minus another arm, on the same questions."""

    arm: str
    compared: Comparison  # with the other arm, by this line alone
    planned: bool  # whether that is a rival of the plan, bought for the cost of this debate
    corrected: Interval | None  # at alpha by the number of verdicts; None where there is one
    adjusted: float | None  # the p value that the verdict goes by, adjusted for all verdicts (Holm); None for no rival
    won: int  # questions on which the debate was better
    lost: int
    smallest: float  # the smallest difference that this data could show
    needed: int  # how many questions the margin needs, by the spread that was seen
    without_unread: float | None  # the difference without the questions that any of the two left unread
    live: Interval | None  # may be looked at after every question; None below 50 questions


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictLine:
    """The verdict on a debate, or on a debate and another one that is held as often as it costs (``rival``)."""

    arm: str
    rival: str
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipLine:
    """First answers against last answers of an arm: those of participants, or the decision that follows from them."""

    arm: str
    of: Literal["seats", "decision"]
    flips: FlipTable


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionLine:
    """One question: the debate's score minus the rival's, and the id of the debate on record."""

    question: str
    group: str
    arm: str
    rival: str
    difference: float
    record: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoreboard:
    """All that is shown of an evaluation."""

    version: int
    plan: EvalPlan  # of one tag, as far as it is about its questions
    plan_hash: str  # of the whole plan
    run: RunState  # with what was paid, shared answers once
    questions: int  # how many all arms have answered
    groups: int
    charged_usd: float | None  # what all arms would have cost alone; None where a price is unknown
    verdicts: tuple[VerdictLine, ...]
    arms: tuple[ArmLine, ...]
    pairs: tuple[PairLine, ...]
    flips: tuple[FlipLine, ...]
    by_question: tuple[QuestionLine, ...]
    notes: tuple[str, ...]  # what a reader must know


def only_tagged(result: EvalResult, tag: str) -> EvalResult:
    """The part of a result that is about questions with a tag.

    Raises:
        BriefError: no question has it.
    """
    chosen = tagged(result.tags, tag)
    return replace(result, scores=tuple(row for row in result.scores if row.question in chosen), tag=tag)


class ScoreRows:
    """The rows of an evaluation by arm and question, as far as all arms have answered.

    Raises:
        RecordError: fewer than two questions are complete, or a row is there twice.
    """

    def __init__(self, result: EvalResult) -> None:
        self.plan, self.arms = result.plan, result.plan.arm
        if result.tag:  # the plan has other questions, too; what is looked at is all that there will be
            self.plan = replace(result.plan, planned=len({row.question for row in result.scores}), looks=(1.0,))
        self._rows: dict[tuple[str, str], list[Score]] = {}
        for row in result.scores:
            known = self._rows.setdefault((row.arm, row.question), [])
            if row.epoch in [other.epoch for other in known]:
                subject = f"arm {row.arm!r}, question {shorten(row.question, 60)!r}, repeat {row.epoch}"
                raise RecordError(f"{result.plan.name}: the scores cannot be: {subject} is there twice")
            known.append(row)
        order = dict.fromkeys(row.question for row in result.scores)
        self.questions = [name for name in order if all((arm.name, name) in self._rows for arm in self.arms)]
        if len(self.questions) < LEAST_QUESTIONS:
            many = f"{len(self.questions)} of {counted(len(order), 'question')} answered by all arms"
            raise RecordError(f"{result.plan.name}: {many}; a scoreboard needs at least {LEAST_QUESTIONS}")
        groups = [self.on(self.arms[0].name, question)[0].group for question in self.questions]
        self.group_count = len(set(groups))
        self.groups = groups if 1 < self.group_count < len(groups) else []  # a single group counts as none

    def on(self, arm: str, question: str) -> list[Score]:
        """The rows of an arm on one question, by repeat."""
        return self._rows[arm, question]

    def of(self, arm: str) -> list[Score]:
        """All rows of an arm, by question and repeat."""
        return [row for question in self.questions for row in self.on(arm, question)]

    def seats(self, arm: str) -> Mapping[tuple[str, int], Sequence[SeatScore]]:
        """The participants of an arm for each question and repeat; empty unless all questions have some."""
        own = {(row.question, row.epoch): row.seats for row in self.of(arm) if row.seats}
        return own if {question for question, _ in own} == set(self.questions) else {}

    def scores(self, arm: str, *, unread_right: bool = False) -> Floats:
        """The mean score of an arm on each question; what could not be read is wrong, or right for a bound."""
        field = {"credit": "credit", "log_loss": "loss", "brier": "brier"}[self.plan.score]

        def value(row: Score) -> float:
            is_best = unread_right and row.state == "unread"
            return BEST[self.plan.score] if is_best else getattr(row, field) or 0.0

        by_question = [[value(row) for row in self.on(arm, question)] for question in self.questions]
        return np.array([math.fsum(values) / len(values) for values in by_question], dtype=np.float64)

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

    def without_unread(self, arm: str, rival: str) -> float | None:
        """The mean difference without questions that one of the two left unread; None where none is left."""
        places = self.read(arm, rival)
        return float(self.minus(arm, rival)[places].mean()) if places else None

    def differences(self, values: Floats) -> Differences:
        """One value for each question, for an interval by groups."""
        return Differences(values, self.groups, credits=self.plan.score == "credit")

    def cost(self, arm: str) -> float | None:
        """The mean cost of a row in the currency of the plan; None where a price is unknown."""
        rows = self.of(arm)
        total = exact_sum([getattr(row, self.plan.currency) for row in rows])
        return None if total is None else total / len(rows)


def measure(result: EvalResult) -> Scoreboard:
    """The scoreboard of an evaluation.

    Raises:
        RecordError: fewer than two questions are answered by all arms.
    """
    rows = ScoreRows(result)
    plan, arms, debates = rows.plan, rows.arms, [arm.name for arm in rows.arms if arm.is_debate]
    alpha, missing = _look(plan, len(rows.questions))
    # A debate is tested against independent answers at its cost, and against each other debate that meets its cost.
    tests: list[tuple[str, list[str], str]] = []
    for debate in debates:
        matching = [arm for arm in arms if arm.match == debate]
        tests.append((debate, [arm.name for arm in matching if arm.is_drawn], ""))
        tests += [(debate, [arm.name], arm.name) for arm in matching if arm.is_protocol]
    compared = {  # not with what has the cost of another debate, and not two debates twice
        (debate, other.name): _compare(rows, debate, other.name, alpha)
        for number, debate in enumerate(debates, start=1)
        for other in sorted(arms, key=lambda arm: arm.match != debate)
        if other.match in ("", debate) and other.name not in debates[:number]
    }
    # A verdict stands if it does against every rival: its p value is the largest one; Holm corrects for the verdicts.
    worst = {str(n): max(compared[test[0], rival].p for rival in test[1]) for n, test in enumerate(tests) if test[1]}
    adjusted, verdicts = dict[tuple[str, str], float](), list[VerdictLine]()
    holms = holm(worst)
    for n, (debate, rivals, versus) in enumerate(tests):
        adjusted |= {(debate, rival): max(compared[debate, rival].p, holms[str(n)]) for rival in rivals}
        against = [replace(compared[debate, rival], p=adjusted[debate, rival]) for rival in rivals]
        name = debate if versus else "debate"
        verdict = decide(against, margin=plan.margin, conduct=_conduct(rows, result, debate, against), name=name)
        if missing and verdict.word != "no verdict":
            verdict = Verdict(word="not known", says=f"not known: {more(missing)} until the next look of the plan")
        verdicts.append(VerdictLine(arm=debate, rival=versus, verdict=verdict))
    lines = tuple(
        _pair_line(rows, debate, comparison, adjusted.get((debate, other)), len(tests))
        for (debate, other), comparison in compared.items()
    )
    arm_lines = tuple(_arm_line(rows, arm) for arm in arms)
    return Scoreboard(
        version=VERSION,
        plan=plan,
        plan_hash=result.plan.hash,
        run=result.run,
        questions=len(rows.questions),
        groups=rows.group_count,
        charged_usd=exact_sum([row.usd for arm in arms for row in rows.of(arm.name)]),
        verdicts=tuple(verdicts),
        arms=arm_lines,
        pairs=lines,
        flips=tuple(_flip_lines(rows)),
        by_question=tuple(_question_lines(rows)),
        notes=tuple(_notes(rows, result, arm_lines, lines, missing)),
    )


def _look(plan: EvalPlan, n: int) -> tuple[float, int]:
    """The level now, stricter at a look before the end; and how many questions are missing until the next look."""
    shares = (*(share for share in plan.looks if share < 1), 1.0)
    if len(shares) == 1:
        return plan.alpha, max(plan.planned - n, 0)
    dues = [math.ceil(share * plan.planned - 1e-9) for share in shares]
    index = next((index for index, due in enumerate(dues) if n <= due), len(dues) - 1)
    bound = look_bounds(shares, alpha=plan.alpha)[index]
    return 2 * (1 - NORMAL.cdf(bound)), max(dues[index] - n, 0)


def _compare(rows: ScoreRows, debate: str, other: str, alpha: float) -> Comparison:
    own, theirs = rows.cost(debate), rows.cost(other)
    ratio = own / theirs if own is not None and theirs else math.inf
    differences = rows.differences(rows.minus(debate, other))
    comparison = compare(other, differences, cost_ratio=ratio, seed=rows.plan.seed, alpha=alpha)
    return replace(comparison, groups=rows.group_count)


def _conduct(rows: ScoreRows, result: EvalResult, debate: str, against: Sequence[Comparison]) -> Conduct:
    """How the run went for a debate and its rivals."""
    states = [[row.state for row in rows.of(arm)] for arm in (debate, *(comparison.rival for comparison in against))]
    bounds = [(rows.without_unread(debate, comparison.rival), comparison.mean) for comparison in against]
    return Conduct(
        failed=[own.count("failed") / len(own) for own in states],
        plan_changed=result.run.plan_changed,
        part=bool(result.tag),
        unread_decide=any(bound is None or bound * mean < 0 for bound, mean in bounds),
    )


def _pair_line(rows: ScoreRows, debate: str, comparison: Comparison, adjusted: float | None, verdicts: int) -> PairLine:
    values, n, alpha = rows.minus(debate, comparison.rival), comparison.n, rows.plan.alpha
    spread, middle = spread_of_interval(comparison), comparison.mean
    live = live_half_width(float(values.std(ddof=1)), n, max(rows.plan.planned, n), alpha=alpha)
    level = 1 - comparison.alpha / verdicts
    return PairLine(
        arm=debate,
        compared=comparison,
        planned=adjusted is not None,
        corrected=rows.differences(values).interval(level) if verdicts > 1 else None,
        adjusted=adjusted,
        won=int((values > 0).sum()),
        lost=int((values < 0).sum()),
        smallest=smallest_difference(spread, n),
        needed=questions_needed(spread, rows.plan.margin),
        without_unread=rows.without_unread(debate, comparison.rival),
        live=Interval(low=middle - live, high=middle + live, level=1 - alpha) if n >= FIRST_LOOK else None,
    )


def _arm_line(rows: ScoreRows, arm: Arm) -> ArmLine:
    values, due, readable = rows.scores(arm.name), rows.of(arm.name), rows.read(arm.name)
    charged = exact_sum([row.usd for row in due])
    plain = Differences(values, rows.groups)
    interval = plain.interval()
    if rows.plan.score == "credit":  # Wilson's; with groups or parts of credits for as many as the error is worth
        share, n = plain.mean, float(plain.n)
        error = plain.spread / math.sqrt(n)
        if (rows.groups or not bool(np.isin(values, (0.0, 1.0)).all())) and error and 0 < share < 1:
            n = share * (1 - share) / error**2
        low, high = wilson(share * n, n)
        interval = Interval(low=low, high=high)
    return ArmLine(
        arm=arm,
        score=float(values.mean()),
        interval=interval,
        without_unread=float(values[readable].mean()) if readable else None,
        unread_right=float(rows.scores(arm.name, unread_right=True).mean()),
        rows=len(due),
        states=Counter(row.state for row in due),
        debated=sum(row.debated for row in due),
        usd=None if charged is None else charged / len(due),
        tokens=sum(row.tokens for row in due) / len(due),
        calls=sum(row.calls for row in due) / len(due),
    )


def _flip_lines(rows: ScoreRows) -> Iterator[FlipLine]:
    """What changed between first and last answers, for the arms whose participants answered twice."""

    def ballot(seat: SeatScore) -> str:
        """A first answer to count: right ones are one, wrong ones go by their words; "" for none."""
        right = "right" if seat.first_right else f"wrong: {normalise(seat.first or '')}"
        return "" if seat.first is None else right

    for arm in rows.arms:
        if arm.is_drawn or arm.match:
            continue
        seats, decisions = defaultdict[str, list[Change]](list), defaultdict[str, list[Change]](list)
        for (question, epoch), everybody in rows.seats(arm.name).items():
            seats[question].extend((state_of(seat.first_right), state_of(seat.last_right)) for seat in everybody)
            tied = tops({seat.seat: ballot(seat) for seat in everybody})
            before = state_of(tied[0] == "right" if len(tied) == 1 else None)  # a tie decides nothing
            row = next(row for row in rows.on(arm.name, question) if row.epoch == epoch)
            decisions[question].append((before, state_of(row.credit > 0.5 if row.state == "answered" else None)))
        if seats:
            yield FlipLine(arm=arm.name, of="seats", flips=flip_table(list(seats.values())))
            yield FlipLine(arm=arm.name, of="decision", flips=flip_table(list(decisions.values())))


def _question_lines(rows: ScoreRows) -> Iterator[QuestionLine]:
    """Each question for each debate and rival, the largest loss first."""
    for rival in (arm for debate in rows.arms if debate.is_debate for arm in rows.arms if arm.match == debate.name):
        debate, name = rival.match, rival.name
        for value, question in sorted(zip(rows.minus(debate, name).tolist(), rows.questions, strict=True)):
            row = rows.on(debate, question)[0]
            group, record = row.group, row.record
            yield QuestionLine(question=question, group=group, arm=debate, rival=name, difference=value, record=record)


def _notes(
    rows: ScoreRows, result: EvalResult, arms: Sequence[ArmLine], pairs: Sequence[PairLine], missing: int
) -> Iterator[str]:
    """What a reader must know: how the run went, and what limits the figures."""
    n = counted(len(rows.questions), "question")
    if result.run.plan_changed:
        yield (
            "Exploratory: the plan was changed after the first call. To test the new plan, run it under a name of its "
            "own (--name): it gets its own hash and its own answers."
        )
    if result.tag:
        yield f"Exploratory: only the {n} with the tag {result.tag[:60]!r}. The plan's verdict is over all of them."
    if missing:
        yield f"So far {n} of {rows.plan.planned} answered: {missing} more until the next look."
        live = [
            f"{pair.arm} - {pair.compared.rival} [{pair.live.low:+.3f}, {pair.live.high:+.3f}]"
            for pair in pairs
            if pair.planned and pair.live
        ]
        if live:
            yield f"Until then only these wider intervals may be looked at, as often as you like: {'; '.join(live)}."
    if result.run.paid_estimated:
        yield "A provider did not count the tokens of every call: the tokens and the costs here are estimates."
    if rows.group_count == 1:
        yield "All questions are one group, so the intervals are too narrow: they count them as independent."
    elif rows.groups:
        yield f"The questions are {rows.group_count} groups, and the intervals allow for that."
    unread: list[str] = []
    for line in arms:
        if unread_here := line.states.get("unread", 0):
            without = "no question left" if line.without_unread is None else f"{line.without_unread:.3f}"
            bounds = f"score without them: {without}; if they were right: {line.unread_right:.3f}"
            unread.append(f"{line.arm.name} {unread_here} of {counted(line.rows, 'answer')} ({bounds})")
    if unread:
        yield f"What could not be read counts as wrong: {', '.join(unread)}."
    for line in arms:
        arm, name = line.arm, line.arm.name
        if arm.is_debate and not line.debated:
            yield f"{name}: no debate took place."
        if arm.own_drafts:
            yield f"{name}: own drafts; its first answers are not those that the other arms share."
        seats = [seat for everybody in rows.seats(name).values() for seat in everybody] if arm.is_debate else []
        models = {seat.model for seat in seats if seat.model}
        if len({seat.seat for seat in seats}) > 1 and len(models) == 1:
            yield f"{name}: all participants are copies of one model, {listed(sorted(models))}."
    if not any(arm.kind == RETHINK for arm in rows.arms):
        again = "There is no arm that asks again without showing other answers (rethink)"
        yield f"{again}: some flips are what a second look alone gives."
