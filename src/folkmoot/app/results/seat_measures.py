"""What participants did: flips, contributions, independent votes; what a gate or planted liars would have changed."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import numpy as np

from folkmoot.app.evaluation.scores import PlannedArm
from folkmoot.app.results.score_rows import TRUTH, Ballots, ScoreRows, forecast_loss, probability_of
from folkmoot.app.results.scoreboard import (
    FIRST,
    LAST,
    FlipLine,
    GateLine,
    LiarLine,
    Moment,
    SeatLine,
    Turned,
    VoicesLine,
)
from folkmoot.evaluation.contributions import MOST_SEATS, Value, by_seat, leave_one_out, shapley, vote_value
from folkmoot.evaluation.flips import Change, State, flip_table, state_of
from folkmoot.evaluation.gates import CANDIDATES, DEFAULT, ENOUGH, Gated, choose, cross_validate
from folkmoot.evaluation.liars import points_lost
from folkmoot.evaluation.paired import Differences, Interval
from folkmoot.evaluation.verdicts import liar_sentence
from folkmoot.evaluation.voices import effective_votes, krippendorff
from folkmoot.learn.panels import Answers, tops

MOMENTS: Sequence[Moment] = (FIRST, LAST)
LIARS = (1, 2)
LIES: Mapping[Literal["run", "recount"], str] = {"run": "with a liar at the table", "recount": "by recount"}
"""How liars were put among the participants; what says more comes first."""
HALF = 0.5
DIGITS = 12
"""Of a distance: more would tell 1 - 0.7 from 0.3."""


def flip_lines(rows: ScoreRows) -> tuple[FlipLine, ...]:
    """What changed between first and last answers, for the arms whose participants answered twice."""
    lines: list[FlipLine] = []
    for arm in rows.arms:
        items = rows.drafts(arm.name)
        if {item.question for item in items} != set(rows.questions) or not _is_measured(arm):
            continue
        seats: dict[str, list[Change]] = {}
        decisions: dict[str, list[Change]] = {}
        for item in items:
            seats.setdefault(item.question, []).extend(
                (_state(item.first[seat]), _state(item.last[seat])) for seat in item.first
            )
            decisions.setdefault(item.question, []).append((_state_before(item), _state_after(rows, arm, item)))
        lines.append(_flips(arm.name, "seats", list(seats.values())))
        lines.append(_flips(arm.name, "decision", list(decisions.values())))
    return tuple(lines)


def _is_measured(arm: PlannedArm) -> bool:
    """Whether an arm has participants with first and last answers, all of them honest."""
    return arm.kind in ("rethink", "protocol") and not arm.liars


def _flips(arm: str, of: str, questions: Sequence[Sequence[Change]]) -> FlipLine:
    table = flip_table(questions)
    turned = [Turned(before=change[0], after=change[1], n=n) for change, n in sorted(table.counts.items())]
    return FlipLine(
        arm=arm,
        of="decision" if of == "decision" else "seats",
        turned=tuple(turned),
        to_right=table.to_right,
        to_wrong=table.to_wrong,
        questions_up=table.questions_up,
        questions_down=table.questions_down,
        p=table.p,
    )


def _state(ballot: str) -> State:
    return state_of(None if not ballot else ballot == TRUTH)


def _state_before(item: Ballots) -> State:
    """What the first answers would have decided; a tie decides nothing."""
    tied = tops(item.first)
    return state_of(tied[0] == TRUTH if len(tied) == 1 else None)


def _state_after(rows: ScoreRows, arm: PlannedArm, item: Ballots) -> State:
    """What was decided in the end."""
    row = next(row for row in rows.on(arm.name, item.question) if row.epoch == item.epoch)
    if row.state != "answered":
        return state_of(None)
    if row.credit is not None:
        return state_of(row.credit > HALF)
    probability, outcome = probability_of(row.answer), rows.outcomes.get(item.question)
    return state_of(None if probability is None or outcome is None else (probability > HALF) == bool(outcome))


# ---- the count -------------------------------------------------------------------------------------------------------


def seat_lines(rows: ScoreRows) -> tuple[SeatLine, ...]:
    """What each participant adds to the count of its arm's answers."""
    return tuple(
        line for arm in rows.arms if _is_measured(arm) for moment in MOMENTS for line in _seats(rows, arm.name, moment)
    )


def _seats(rows: ScoreRows, arm: str, moment: Moment) -> list[SeatLine]:
    items = rows.ballots(arm)
    values = [value for item in items if (value := _value(rows, item, moment)) is not None]
    if len(values) < len(items) or len(values) < 2 or len(items[0].first) < 2:
        return []
    seats = sorted(items[0].first)
    groups = rows.item_groups(items)
    left_out = by_seat([leave_one_out(seats, value) for value in values])
    exact = by_seat([shapley(seats, value) for value in values]) if len(seats) <= MOST_SEATS else {}
    return [
        SeatLine(
            arm=arm,
            moment=moment,
            seat=seat,
            model=", ".join(dict.fromkeys(item.models[seat] for item in items)),
            alone=rows.sign * math.fsum(value([seat]) for value in values) / len(values),
            left_out=_mean(left_out[seat]),
            left_out_interval=_interval(left_out[seat], groups, rows),
            shapley=_mean(exact[seat]) if exact else None,
            shapley_interval=_interval(exact[seat], groups, rows) if exact else None,
        )
        for seat in seats
    ]


def _interval(values: Sequence[float], groups: Sequence[str], rows: ScoreRows) -> Interval:
    return Differences(values, groups, credits=rows.credits).interval()


def _value(rows: ScoreRows, item: Ballots, moment: Moment) -> Value | None:
    """What the answers of some participants are worth together; None where that cannot be known."""
    if rows.credits:
        return vote_value(_ballots(item, moment), TRUTH)
    outcome = rows.outcomes.get(item.question)
    if outcome is None:
        return None
    index = MOMENTS.index(moment)
    forecasts = {seat: probability_of(texts[index]) for seat, texts in item.texts.items()}
    known = rows.outcomes.values()
    return _forecast_value(forecasts, outcome, base=sum(known) / len(known), brier=rows.plan.score == "brier")


def _forecast_value(forecasts: Mapping[str, float | None], outcome: int, *, base: float, brier: bool) -> Value:
    def value(seats: Sequence[str]) -> float:
        stated = [forecast for seat in seats if (forecast := forecasts[seat]) is not None]
        mean = math.fsum(stated) / len(stated) if stated else base
        return -((mean - outcome) ** 2) if brier else -forecast_loss(mean, outcome)

    return value


def voices_lines(rows: ScoreRows) -> tuple[VoicesLine, ...]:
    """How many independent votes the participants of each arm are worth."""
    lines: list[VoicesLine] = []
    for arm in rows.arms:
        items = rows.ballots(arm.name)
        if not items or not _is_measured(arm) or len(items[0].first) < 2:
            continue
        for moment in MOMENTS:
            answers = [_ballots(item, moment) for item in items]
            voices = effective_votes(answers, [TRUTH] * len(answers))
            lines.append(
                VoicesLine(
                    arm=arm.name,
                    moment=moment,
                    voters=len(items[0].first),
                    effective=voices.effective if voices else None,
                    interval=voices.interval if voices else None,
                    correlation=voices.correlation if voices else None,
                    alpha=krippendorff(answers),
                )
            )
    return tuple(lines)


def _ballots(item: Ballots, moment: Moment) -> Answers:
    return item.first if moment == FIRST else item.last


# ---- what would have been --------------------------------------------------------------------------------------------


def gate_lines(rows: ScoreRows) -> tuple[GateLine, ...]:
    """Each debate, had it taken place only where the first answers were further apart than a threshold."""
    return tuple(line for arm in rows.arms if arm.is_debate for line in _gate_lines(rows, arm.name))


def gated_of(rows: ScoreRows, arm: str) -> Gated | None:
    """Each answer of a debate beside the vote over its first answers; None where that vote cannot be counted."""
    items = rows.ballots(arm)
    values = [value for item in items if (value := _value(rows, item, FIRST)) is not None]
    if not items or len(values) < len(items):
        return None
    scores = dict(zip(rows.questions, rows.scores(arm), strict=True))
    return Gated(
        spread=np.array([_answer_spread(rows, item) for item in items]),
        without=np.array([-value(sorted(item.first)) for value, item in zip(values, items, strict=True)]),
        debated=np.array([-rows.sign * scores[item.question] for item in items]),
        groups=rows.item_groups(items),
    )


def _gate_lines(rows: ScoreRows, arm: str) -> list[GateLine]:
    gated, items = gated_of(rows, arm), rows.ballots(arm)
    if gated is None:
        return []
    rows_of = [next(row for row in rows.on(arm, item.question) if row.epoch == item.epoch) for item in items]
    chosen = choose(gated, cautious=True) if gated.n >= ENOUGH else DEFAULT
    calls, seats = np.array([float(row.calls) for row in rows_of]), len(items[0].first)
    ways = {threshold: (gated.spread > threshold, gated.losses(threshold)) for threshold in CANDIDATES}
    others = cross_validate(gated, cautious=True, seed=rows.plan.seed) if gated.n >= ENOUGH else None
    return [
        GateLine(
            arm=arm,
            threshold=threshold,
            share=float(debated.mean()),
            calls=float(np.where(debated, np.maximum(calls, seats), seats).mean()),
            score=-rows.sign * float(losses.mean()) + 0.0,  # so that minus 0 is 0
            chosen=threshold == chosen,
        )
        for threshold, (debated, losses) in (
            *ways.items(),
            *([(None, (others.debated, others.losses))] if others else ()),
        )
    ]


def _answer_spread(rows: ScoreRows, item: Ballots) -> float:
    """How far apart first answers are: of forecasts the largest minus the smallest, else the share outvoted."""
    if rows.credits:
        ballots = [ballot for ballot in item.first.values() if ballot]
        return round(1 - max((ballots.count(ballot) for ballot in ballots), default=0) / len(item.first), DIGITS)
    forecasts = [value for first, _ in item.texts.values() if (value := probability_of(first)) is not None]
    return round(max(forecasts, default=0.0) - min(forecasts, default=0.0), DIGITS)


def liar_lines(rows: ScoreRows) -> tuple[LiarLine, ...]:
    """What liars cost each debate: by recount, the vote over its first and its last answers; and in runs with liars."""
    recounted = (
        _liar_line(rows, arm.name, many, moment)
        for arm in rows.arms
        for many in LIARS
        if _can_lie(rows, arm, many)
        for moment in MOMENTS
    )
    names = {arm.name for arm in rows.arms}
    ran = (line for arm in rows.arms if arm.liars and arm.honest in names for line in _ran_with_liars(rows, arm))
    return (*recounted, *ran)


def _ran_with_liars(rows: ScoreRows, arm: PlannedArm) -> Iterator[LiarLine]:
    """What a debate with liars scored less than the honest one, and the vote over its first answers likewise."""
    lost = rows.differences(rows.minus(arm.honest, arm.name))
    honest, lying = (_votes(rows, name) for name in (arm.honest, arm.name))
    if honest and lying:
        votes = rows.differences([honest[question] - lying[question] for question in rows.questions])
        yield _line(arm, FIRST, votes)
    yield _line(arm, LAST, lost)


def _line(arm: PlannedArm, moment: Moment, lost: Differences) -> LiarLine:
    return LiarLine(arm=arm.honest, how="run", moment=moment, liars=arm.liars, lost=lost.mean, interval=lost.interval())


def _votes(rows: ScoreRows, arm: str) -> dict[str, float]:
    """What the count of all first answers is worth on each question; empty where that is not known."""
    worth: dict[str, list[float]] = {}
    for item in rows.ballots(arm):
        value = _value(rows, item, FIRST)
        if value is None:
            return {}
        worth.setdefault(item.question, []).append(value(sorted(item.first)))
    return {question: _mean(values) for question, values in worth.items()}


def _can_lie(rows: ScoreRows, arm: PlannedArm, liars: int) -> bool:
    items = rows.ballots(arm.name) if arm.is_debate and rows.credits else []
    return bool(items) and len(items[0].first) > liars + 1


def _liar_line(rows: ScoreRows, arm: str, liars: int, moment: Moment) -> LiarLine:
    items = rows.ballots(arm)
    lost = points_lost([_ballots(item, moment) for item in items], [TRUTH] * len(items), liars=liars)
    interval = Differences(lost, rows.item_groups(items), credits=True).interval()
    return LiarLine(arm=arm, how="recount", moment=moment, liars=liars, lost=_mean(lost), interval=interval)


def liar_sentences(lines: Sequence[LiarLine]) -> Iterator[str]:
    """For each debate what one liar costs it, and the vote over its first answers; the larger loss first.

    A run with a liar at the table says more than a recount, so a debate that has one gets no sentence of the recount.
    """
    lost = {(line.arm, line.how, line.moment): line.lost for line in lines if line.liars == 1}
    for arm in dict.fromkeys(arm for arm, _, _ in lost):
        ways = {way: words for way, words in LIES.items() if {(arm, way, FIRST), (arm, way, LAST)} <= set(lost)}
        for way, words in list(ways.items())[:1]:
            yield f"{arm}, {words}: {liar_sentence(lost[arm, way, LAST], lost[arm, way, FIRST])}"


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
