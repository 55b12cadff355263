"""The figures of a scoreboard, counted by hand on small prepared results."""

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.app.evaluation.folder import save_result
from folkmoot.app.evaluation.output import screen
from folkmoot.app.evaluation.scoreboard import Scoreboard, measure, only_tagged
from folkmoot.app.evaluation.scores import EvalResult, RunState, Score
from folkmoot.core.errors import BriefError, RecordError
from tests.app.evaluation.prepared import DEBATE, SINGLE, UNIFORM, arm, credits, forecast, plan, result, seat, seated
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
    seats += [seat(name, place, True, True, arm="rethink") for place in range(n) for name in NAMES]
    values = {**credits(n, uniform=(12, 0)), "rethink": [1.0] * n, SINGLE: [1.0, 0.0] * (n // 2)}
    measured = seated(result(values), seats)
    return measure(measured), measured


def test_flips_are_counted_for_seats_and_for_the_decision_beside_rethink() -> None:
    board, _ = board_with_seats()
    lines = {(line.arm, line.of): line.flips for line in board.flips}
    assert set(lines) == {(name, of) for name in (DEBATE, "rethink") for of in ("seats", "decision")}
    seats = lines[DEBATE, "seats"]
    assert (seats.to_right.turned, seats.to_right.n) == (24, 24)
    assert (seats.to_wrong.turned, seats.to_wrong.n) == (20, 60 + 30 + 60)
    assert seats.counts["none to none"] == 6
    decision = lines[DEBATE, "decision"]
    assert decision.counts == {"right to right": 60}
    assert lines["rethink", "seats"].to_wrong.turned == 0


def test_unread_answers_have_both_bounds() -> None:
    values = credits(100, uniform=(20, 5))
    rows = [
        replace(row, state="unread", credit=0.0, answer=None) if row.arm == DEBATE and place < 20 else row
        for place, row in enumerate(result(values).scores)
    ]
    board = measure(replace(result(values), scores=tuple(rows)))
    line = board.arms[0]
    assert (line.states["unread"], line.score, line.without_unread, line.unread_right) == (10, 0.9, 1.0, 1.0)
    assert board.pairs[0].without_unread == pytest.approx(15 / 90)
    assert any("10 of 100 answers" in note and "1.000" in note for note in board.notes)


def test_repeats_are_averaged_and_groups_are_counted() -> None:
    values = credits(40, uniform=(8, 2))
    twice = [
        replace(row, epoch=epoch, group=f"g{int(row.question[1:]) // 4}", credit=row.credit if epoch == 1 else 0.0)
        for row in result(values).scores
        for epoch in (1, 2)
    ]
    seats = [seat(name, place, True, True, epoch=epoch) for place in range(40) for epoch in (1, 2) for name in NAMES]
    board = measure(
        seated(
            replace(result(values), plan=plan([arm(DEBATE), arm(UNIFORM)], 40, epochs=2), scores=tuple(twice)), seats
        )
    )
    assert (board.questions, board.groups, board.arms[0].rows, board.arms[0].score) == (40, 10, 80, 38 / 80)
    assert board.pairs[0].compared.mean == pytest.approx(6 / 80)
    assert "The questions are 10 groups, and the intervals allow for that." in board.notes


def test_questions_that_are_not_complete_do_not_count() -> None:
    values = credits(40, uniform=(8, 2))
    rows = [row for row in result(values).scores if row.arm == DEBATE or row.question < "q0030"]
    assert measure(replace(result(values), scores=tuple(rows))).questions == 30
    with pytest.raises(RecordError, match="1 of 40 questions answered by all arms; a scoreboard needs at least 2"):
        measure(
            replace(result(values), scores=tuple(row for row in rows if row.arm == DEBATE or row.question < "q0001"))
        )


def test_what_a_reader_must_know_is_noted() -> None:
    seats = [seat(name, place, True, True, model="builtin:same") for place in range(40) for name in NAMES]
    values = credits(40, uniform=(8, 2))
    rows = tuple(replace(row, debated=False) for row in result(values).scores)
    arms = [replace(arm(DEBATE), own_drafts=True), arm(UNIFORM)]
    noted = measure(seated(replace(result(values), plan=plan(arms, 40), scores=rows), seats))
    for words in ("no debate took place", "copies of one model, builtin:same", "own drafts", "(rethink)"):
        assert any(words in note for note in noted.notes), words
    for estimated in (False, True):
        notes = measure(replace(result(values), run=RunState(paid_estimated=estimated))).notes
        assert any("estimates" in note for note in notes) is estimated


def test_a_scoreboard_of_one_tag_is_exploratory() -> None:
    whole = result(credits(40, uniform=(8, 2)))
    tagged = replace(whole, tags={f"q{n:04}": ("law", "hard")[: 1 + n % 2] for n in range(20)})
    board = measure(only_tagged(tagged, "law"))
    assert (board.questions, board.plan.planned, board.plan_hash) == (20, 20, whole.plan.hash)
    assert [line.verdict.word for line in board.verdicts] == ["no verdict"]
    with pytest.raises(BriefError, match="'art'; there are hard and law"):
        only_tagged(tagged, "art")
    with pytest.raises(BriefError, match="none has any"):
        only_tagged(whole, "law")


# ---- probabilities ---------------------------------------------------------------------------------------------------


def forecasts(n: int, measure_of: str = "log_loss") -> EvalResult:
    """Three of four questions come true. The debate says 75 %, or 10 % where they do not; sampling always 60 %."""
    rows: list[Score] = []
    for place in range(n):
        outcome = int(place % 4 > 0)
        rows += [forecast(DEBATE, place, 0.75 if outcome else 0.1, outcome), forecast(UNIFORM, place, 0.6, outcome)]
    seats = [
        seat(name, place, True, True, first=first, last="0.75" if place % 4 else "10%", first_right=None)
        for place in range(n)
        for name, first in (("Ann", "0.5"), ("Bob", "0.9" if place % 4 else "0.3"))
    ]
    base = result(credits(n, uniform=(1, 1)))
    changed = plan([arm(DEBATE), arm(UNIFORM)], n, score=measure_of, margin=0.02)
    return seated(replace(base, plan=changed, scores=tuple(rows)), seats)


@pytest.mark.parametrize("score_by", ["log_loss", "brier"])
def test_losses_are_turned_so_that_more_is_better(score_by: str) -> None:
    board = measure(forecasts(80, score_by))
    own, rival = (
        (0.25**2 * 0.75 + 0.1**2 * 0.25, 0.4**2 * 0.75 + 0.6**2 * 0.25)
        if score_by == "brier"
        else (-0.75 * math.log(0.75) - 0.25 * math.log(0.9), -0.75 * math.log(0.6) - 0.25 * math.log(0.4))
    )
    assert [line.score for line in board.arms] == [pytest.approx(own), pytest.approx(rival)]
    assert board.pairs[0].compared.mean == pytest.approx(rival - own)
    assert board.verdicts[0].verdict.word == "helped"
    assert board.arms[0].interval.low < own < board.arms[0].interval.high
    decision = next(line for line in board.flips if line.of == "decision")
    assert sum(n for change, n in decision.flips.counts.items() if change.endswith(" to right")) == 80


def test_a_forecast_without_a_number_is_worst() -> None:
    changed = [
        replace(row, answer=None, loss=-math.log(0.01), brier=1.0, state="failed")
        if row.arm == DEBATE and place < 2
        else row
        for place, row in enumerate(forecasts(80).scores)
    ]
    board = measure(replace(forecasts(80), scores=tuple(changed)))
    assert board.arms[0].states["failed"] == 1
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


def test_rows_that_stand_twice_are_refused(tmp_path: Path) -> None:
    whole = result(credits(10, uniform=(2, 1)))
    save_result(tmp_path / "run", replace(whole, scores=(*whole.scores, whole.scores[3])))
    shown = folkmoot(tmp_path, "eval", "show", "run")
    assert shown.exit_code == 1
    assert f"arm '{UNIFORM}', question 'q0001', repeat 1 is there twice" in shown.output
