"""The figures of a scoreboard, counted by hand on small prepared results."""

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.app.evaluation.eval_files import save_result
from folkmoot.app.evaluation.scores import EvalResult, Score
from folkmoot.app.results.forecast_quality import perfect_ece
from folkmoot.app.results.score_tables import gate_table, screen
from folkmoot.app.results.scoreboard import Scoreboard
from folkmoot.app.results.scoring import measure
from folkmoot.core.errors import RecordError
from folkmoot.evaluation.contributions import shapley, vote_value
from tests.app.results.prepared import DEBATE, SINGLE, UNIFORM, arm, credits, forecast, plan, result, score, seat
from tests.cli.commands import folkmoot

NAMES = ("Ann", "Bob", "Cy")


def board_with_seats(n: int = 60) -> tuple[Scoreboard, EvalResult]:
    """Ann is always right; Bob learns on every second question; Cy forgets on every third. One of ten misses Bob."""
    seats = [
        seat(name, place, first, last)
        for place in range(n)
        for name, first, last in (
            ("Ann", True, True),
            ("Bob", None if place % 10 == 9 else place % 2 == 0, None if place % 10 == 9 else True),
            ("Cy", True, place % 3 > 0),
        )
    ]
    seats += [seat(f"draft {k}", place, k < 2, None, arm=UNIFORM) for place in range(n) for k in range(3)]
    seats += [seat(name, place, True, True, arm="rethink") for place in range(n) for name in NAMES]
    values = {**credits(n, uniform=(12, 0)), "rethink": [1.0] * n, SINGLE: [1.0, 0.0] * (n // 2)}
    measured = replace(result(values), seats=tuple(seats))
    return measure(measured), measured


def test_flips_are_counted_for_seats_and_for_the_decision_beside_rethink() -> None:
    board, _ = board_with_seats()
    lines = {(line.arm, line.of): line for line in board.flips}
    assert set(lines) == {(name, of) for name in (DEBATE, "rethink") for of in ("seats", "decision")}
    seats = lines[DEBATE, "seats"]
    assert (seats.to_right.turned, seats.to_right.n) == (24, 24)
    assert (seats.to_wrong.turned, seats.to_wrong.n) == (20, 60 + 30 + 60)
    assert {(item.before, item.after): item.n for item in seats.turned}["none", "none"] == 6
    decision = lines[DEBATE, "decision"]
    assert {(item.before, item.after): item.n for item in decision.turned} == {("right", "right"): 60}
    assert lines["rethink", "seats"].to_wrong.turned == 0


def test_contributions_are_those_of_recounts() -> None:
    board, measured = board_with_seats()
    lines = {line.seat: line for line in board.seats if (line.arm, line.moment) == (DEBATE, "last")}
    # Without Ann: Bob right and Cy wrong is a tie on 18 of 60, Cy wrong alone on 2, Cy right alone on 4.
    assert lines["Ann"].left_out == pytest.approx((18 * 0.5 + 2 * (0.5 - 0)) / 60)
    assert lines["Bob"].left_out == pytest.approx(18 * 0.5 / 60)
    values = [
        vote_value({name: "right", "Bob": bob, "Cy": cy}, "right")
        for place in range(60)
        for name in ("Ann",)
        for bob in ("" if place % 10 == 9 else "right",)
        for cy in ("right" if place % 3 else "wrong: no",)
    ]
    exact = [shapley(NAMES, value) for value in values]
    for name in NAMES:
        assert lines[name].shapley == pytest.approx(math.fsum(item[name] for item in exact) / 60, abs=1e-12)
    whole = math.fsum(value(NAMES) for value in values) / 60
    assert math.fsum(line.shapley or 0 for line in lines.values()) == pytest.approx(whole, abs=1e-12)
    assert (lines["Cy"].alone, lines["Bob"].alone, lines["Ann"].model) == (
        pytest.approx(40 / 60),
        54 / 60,
        "builtin:Ann",
    )
    assert measured.seats


def test_too_many_seats_for_exact_values_have_none() -> None:
    names = [f"seat {number}" for number in range(11)]
    seats = [seat(name, place, place % 2 == 0, True) for place in range(4) for name in names]
    board = measure(replace(result(credits(4, uniform=(1, 1))), seats=tuple(seats)))
    assert {line.shapley for line in board.seats} == {None}
    assert len(board.seats) == 22


def test_effective_votes_need_fifty_questions() -> None:
    board, _ = board_with_seats()
    few, _ = board_with_seats(30)
    line = next(line for line in board.voices if (line.arm, line.moment) == (DEBATE, "last"))
    assert line.effective is not None
    assert line.interval is not None
    assert line.interval.low <= line.effective <= line.interval.high
    assert {item.effective for item in few.voices} == {None}
    assert line.alpha is not None
    assert line.alpha < 1


def test_the_curve_is_the_mean_over_all_draws() -> None:
    """Two of three drafts are right: one draw 2/3, two draws 1/3 + 2/3 * 1/2, three draws 1."""
    board, _ = board_with_seats()
    assert [(point.k, point.score) for point in board.curve] == [
        (1, pytest.approx(2 / 3)),
        (2, pytest.approx(2 / 3)),
        (3, pytest.approx(1.0)),
    ]
    assert [point.cost for point in board.curve] == [pytest.approx(0.01 * k / 6) for k in (1, 2, 3)]
    assert board.front == ()
    cheap = replace(board_with_seats()[1])
    rows = [replace(row, usd=0.01 / 6 * 2.5) if row.arm == DEBATE else row for row in cheap.scores]
    front = measure(replace(cheap, scores=tuple(rows))).front
    assert [line.arm for line in front] == [DEBATE]
    assert front[0].difference == pytest.approx(1 - (0.5 * 2 / 3 + 0.5))


@pytest.mark.parametrize(("draws", "difference"), [(1 - 1e-13, 1 / 3), (3 + 1e-13, 0.0)])
def test_an_arm_that_costs_as_much_as_an_end_of_the_curve_is_compared_there(draws: float, difference: float) -> None:
    measured = board_with_seats()[1]
    rows = [replace(row, usd=0.01 / 6 * draws) if row.arm == DEBATE else row for row in measured.scores]
    front = measure(replace(measured, scores=tuple(rows))).front
    assert [line.difference for line in front] == [pytest.approx(difference)]


def test_without_draws_on_file_the_curve_is_that_of_shared_first_answers() -> None:
    _, measured = board_with_seats()
    seats = tuple(item for item in measured.seats if item.arm == DEBATE)
    board = measure(replace(measured, seats=seats))
    assert [(point.arm, point.k) for point in board.curve] == [(DEBATE, 1), (DEBATE, 2), (DEBATE, 3)]
    assert board.curve[0].score == pytest.approx((60 + 30 + 60) / 180)
    assert board.curve[0].cost == pytest.approx(0.01 / 6)
    own = [replace(item, own_drafts=True) for item in measured.plan.arms]
    assert measure(replace(measured, seats=seats, plan=plan(own, 60))).curve == ()


def test_a_difference_that_nobody_has_seen_is_not_excluded() -> None:
    pair = measure(result(credits(30, uniform=(0, 0)))).pairs[0]
    assert (pair.difference, pair.helped, pair.hurt) == (0.0, 0, 0)
    assert pair.smallest > 0.1
    assert pair.needed > 150


def test_a_gate_needs_a_hundred_questions_to_learn_a_threshold() -> None:
    for n, chosen in ((60, 0.20), (120, 1.0)):
        board, _ = board_with_seats(n)
        lines = {line.threshold: line for line in board.gates}
        assert [line.threshold for line in board.gates if line.chosen] == [chosen]
        assert (None in lines) == (n > 100)
        assert (lines[1.0].share, lines[1.0].calls, lines[1.0].score) == (0.0, 3.0, 1.0)
        assert lines[0.0].share == pytest.approx(0.5)
        assert lines[0.0].calls == pytest.approx(4.5)
    assert lines[None].score == pytest.approx(1.0, abs=0.05)
    assert "of other questions" in [row[1] for row in gate_table(board).rows]


def test_unread_answers_have_both_bounds() -> None:
    values = credits(100, uniform=(20, 5))
    rows = [
        replace(row, state="unread", credit=None, answer=None) if row.arm == DEBATE and place < 20 else row
        for place, row in enumerate(result(values).scores)
    ]
    board = measure(replace(result(values), scores=tuple(rows)))
    line = board.arms[0]
    assert (line.unread, line.score, line.without_unread, line.unread_right) == (10, 0.9, 1.0, 1.0)
    assert board.pairs[0].without_unread == pytest.approx(15 / 90)
    assert any("10 of 100 answers could not be read, which counts as wrong." in note for note in board.notes)


def test_repeats_are_averaged_and_groups_are_counted() -> None:
    values = credits(40, uniform=(8, 2))
    twice = [
        replace(row, epoch=epoch, group=f"g{int(row.question[1:]) // 4}", credit=row.credit if epoch == 1 else 0.0)
        for row in result(values).scores
        for epoch in (1, 2)
    ]
    seats = [
        replace(seat(name, place, True, True), epoch=epoch, group=f"g{place // 4}")
        for place in range(40)
        for epoch in (1, 2)
        for name in NAMES
    ]
    board = measure(
        replace(
            result(values),
            plan=plan([arm(DEBATE), arm(UNIFORM)], 40, epochs=2),
            scores=tuple(twice),
            seats=tuple(seats),
        )
    )
    assert (board.questions, board.groups, board.arms[0].rows, board.arms[0].score) == (40, 10, 80, 38 / 80)
    assert board.pairs[0].difference == pytest.approx(6 / 80)
    assert "The questions are 10 groups, and the intervals allow for that." in board.notes
    assert len(board.seats) == 6


def test_questions_that_are_not_complete_do_not_count() -> None:
    values = credits(40, uniform=(8, 2))
    rows = [row for row in result(values).scores if row.arm == DEBATE or row.question < "q0030"]
    assert measure(replace(result(values), scores=tuple(rows))).questions == 30
    with pytest.raises(RecordError, match="1 of 40 questions answered by all arms; a scoreboard needs at least 2"):
        measure(
            replace(result(values), scores=tuple(row for row in rows if row.arm == DEBATE or row.question < "q0001"))
        )


def test_an_arm_outside_the_plan_is_exploratory() -> None:
    values = credits(40, uniform=(8, 2))
    extra = [score("late", place, 1.0) for place in range(40)]
    board = measure(replace(result(values), scores=(*result(values).scores, *extra)))
    assert [line.title for line in board.arms if line.name == "late"] == ["exploratory: not in the plan"]
    assert [pair.matched for pair in board.pairs] == [True, False]


def test_what_a_reader_must_know_is_noted() -> None:
    seats = [seat(name, place, True, True, model="builtin:same") for place in range(40) for name in NAMES]
    values = credits(40, uniform=(8, 2))
    rows = tuple(replace(row, debated=False) for row in result(values).scores)
    arms = [replace(arm(DEBATE), own_drafts=True), arm(UNIFORM)]
    notes = measure(
        replace(result(values), plan=plan(arms, 40), seats=tuple(seats), scores=rows, judged_with_labels=True)
    ).notes
    assert "debate: no debate took place." in notes
    assert "debate: all participants are copies of one model, builtin:same." in notes
    assert "A model judged the answers; it was checked against labels of people." in notes
    assert any(note.startswith("debate: own drafts") for note in notes)
    assert any("(rethink)" in note for note in notes)
    for estimated in (False, True):
        notes = measure(replace(result(values), paid_estimated=estimated)).notes
        assert any("are estimates" in note for note in notes) is estimated


# ---- probabilities ---------------------------------------------------------------------------------------------------


def forecasts(n: int, measure_of: str = "log_loss") -> EvalResult:
    """Three of four questions come true. The debate says 75 %, or 10 % where they do not; sampling always 60 %."""
    rows: list[Score] = []
    for place in range(n):
        outcome = int(place % 4 > 0)
        rows += [forecast(DEBATE, place, 0.75 if outcome else 0.1, outcome), forecast(UNIFORM, place, 0.6, outcome)]
    seats = [
        replace(
            seat(name, place, True, True),
            first=first,
            last="0.75" if place % 4 else "10%",
            first_right=None,
        )
        for place in range(n)
        for name, first in (("Ann", "0.5"), ("Bob", "0.9" if place % 4 else "0.3"))
    ]
    seats += [
        replace(seat(f"draft {k}", place, None, None, arm=UNIFORM), first=("0.5", "0.7")[k])
        for place in range(n)
        for k in range(2)
    ]
    base = result(credits(n, uniform=(1, 1)))
    changed = plan([arm(DEBATE), arm(UNIFORM)], n, score=measure_of, margin=0.02)
    return replace(base, plan=changed, scores=tuple(rows), seats=tuple(seats))


@pytest.mark.parametrize("score_by", ["log_loss", "brier"])
def test_losses_are_turned_so_that_more_is_better(score_by: str) -> None:
    board = measure(forecasts(80, score_by))
    own, rival = (
        (0.25**2 * 0.75 + 0.1**2 * 0.25, 0.4**2 * 0.75 + 0.6**2 * 0.25)
        if score_by == "brier"
        else (-0.75 * math.log(0.75) - 0.25 * math.log(0.9), -0.75 * math.log(0.6) - 0.25 * math.log(0.4))
    )
    assert [line.score for line in board.arms] == [pytest.approx(own), pytest.approx(rival)]
    assert board.pairs[0].difference == pytest.approx(rival - own)
    assert board.verdicts[0].word == "helped"
    assert board.arms[0].interval.low < own < board.arms[0].interval.high
    decision = next(line for line in board.flips if line.of == "decision")
    assert sum(item.n for item in decision.turned if item.after == "right") == 80
    seats = {line.seat: line for line in board.seats if line.moment == "first"}
    assert seats["Bob"].left_out > 0 > seats["Ann"].left_out
    assert seats["Ann"].alone == pytest.approx(0.25 if score_by == "brier" else math.log(2))
    points = {point.k: point.score for point in board.curve}
    assert points[2] == pytest.approx(rival)
    assert points[1] > points[2]
    gates = {line.threshold: line for line in board.gates}
    assert (gates[0.15].share, gates[0.30].share, gates[0.50].share) == (1.0, 0.75, 0.0)
    assert board.liars == ()


def test_calibration_stands_beside_that_of_a_perfect_forecaster() -> None:
    line = measure(forecasts(80)).calibration[0]
    assert (line.arm, line.n, [item.n for item in line.bins]) == (DEBATE, 80, [20, 60])
    assert line.ece == pytest.approx(0.25 * 0.1 + 0.75 * 0.25)
    assert 0 < line.perfect_ece < 0.08
    assert line.brier == pytest.approx(line.reliability - line.resolution + line.uncertainty)
    assert line.log_loss == pytest.approx(-0.75 * math.log(0.75) - 0.25 * math.log(0.9))


def test_a_perfect_forecaster_has_the_published_error() -> None:
    """With ten bins about .165 at 30, .093 at 100, .054 at 300; how the forecasts lie matters a little."""
    for n, expected in ((30, 0.165), (100, 0.093), (300, 0.054)):
        even = tuple((place + 0.5) / n for place in range(n))
        assert perfect_ece(even) == pytest.approx(expected, abs=0.03)


def test_a_forecast_without_a_number_is_worst() -> None:
    changed = [
        replace(row, answer=None, loss=None, brier=None, state="failed") if row.arm == DEBATE and place < 2 else row
        for place, row in enumerate(forecasts(80).scores)
    ]
    board = measure(replace(forecasts(80), scores=tuple(changed)))
    assert board.arms[0].failed == 1
    assert board.arms[0].score > measure(forecasts(80)).arms[0].score


# ---- words -----------------------------------------------------------------------------------------------------------

ONE_OF_MANY = re.compile(r"\b1 (?!is\b|was\b)[a-z]+s\b|\b(?:[02-9]|\d\d+) (?:question|answer|group|repeat|model|run)\b")
"""One of something in plural, or several in singular."""


@pytest.mark.parametrize("n", [1, 2, 3])
def test_numbers_agree_with_their_nouns(n: int) -> None:
    whole = result({DEBATE: [1.0] * n, UNIFORM: [0.0] * n})
    unread = (replace(whole.scores[0], state="unread", credit=0.0), *whole.scores[1:])
    words: list[str] = []
    for variant in (whole, replace(whole, scores=unread), replace(whole, plan=replace(whole.plan, planned=n + 1))):
        try:
            words += screen(measure(variant), everything=True)
        except RecordError as error:
            words.append(str(error))
    none = replace(whole, scores=tuple(row for row in whole.scores if row.arm == DEBATE))
    with pytest.raises(RecordError) as raised:
        measure(none)
    words.append(str(raised.value))
    assert f"0 of {n} question{'s' * (n > 1)} answered by all arms" in words[-1]
    assert not [line for line in words if ONE_OF_MANY.search(line)]


# ---- files that were edited ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"credit": math.nan}, "arm 'debate', question 'q0000': credit is nan, and must be from 0 to 1"),
        ({"credit": 5.0}, "credit is 5, and must be from 0 to 1"),
        ({"loss": math.inf}, "loss is inf, and must be from 0 to 1000"),
        ({"usd": -1.0}, "usd is -1, and must be from 0 to 1e+09"),
        ({"usd": 1e308}, "usd is 1e+308"),
        ({"tokens": -1}, "tokens is -1"),
    ],
)
def test_a_row_that_cannot_be_is_one_sentence(changes: dict[str, float], problem: str) -> None:
    whole = result(credits(10, uniform=(2, 1)))
    row = replace(whole.scores[0], **changes)  # pyright: ignore[reportArgumentType]
    with pytest.raises(RecordError) as raised:
        measure(replace(whole, scores=(row, *whole.scores[1:])))
    assert problem in str(raised.value)
    assert str(raised.value).startswith("prepared: the scores cannot be: ")


def test_rows_that_stand_twice_are_refused(tmp_path: Path) -> None:
    whole = result(credits(10, uniform=(2, 1)))
    save_result(tmp_path / "run", replace(whole, scores=(*whole.scores, whole.scores[3])))
    shown = folkmoot(tmp_path, "eval", "show", "run")
    assert shown.exit_code == 1
    assert f"arm '{UNIFORM}', question 'q0001': repeat 1 stands twice" in shown.output


def test_participants_answer_in_repeats_that_have_a_score() -> None:
    whole = replace(result(credits(10, uniform=(2, 1))), seats=(seat("Ann", 0, True, True, epoch=2),))
    with pytest.raises(RecordError, match="participants answered in a repeat without a score: arm 'debate', "):
        measure(whole)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"margin": math.nan}, "the margin must be above 0"),
        ({"margin": 0.0}, "the margin must be above 0"),
        ({"alpha": 2.0}, "the level must be above 0 and below 0.5"),
        ({"looks": (math.nan,)}, "looks must be shares above 0, up to 1"),
        ({"epochs": 0}, "there must be at least one repeat"),
    ],
)
def test_a_plan_that_cannot_be_is_one_sentence(tmp_path: Path, changes: dict[str, object], problem: str) -> None:
    whole = result(credits(10, uniform=(2, 1)))
    save_result(tmp_path / "run", replace(whole, plan=replace(whole.plan, **changes)))  # pyright: ignore[reportArgumentType]
    shown = folkmoot(tmp_path, "eval", "show", "run")
    assert (shown.exit_code, shown.output) == (1, f"folkmoot: prepared: the plan cannot be: {problem}\n")
