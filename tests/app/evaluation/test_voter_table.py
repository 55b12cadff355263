"""Simulated voters under all protocols and rules: which there are, and figures that follow by hand."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from folkmoot.app.evaluation import voter_table
from folkmoot.app.evaluation.voter_table import (
    LIARS,
    NO_ANSWERS,
    OPTIONS,
    Ending,
    Outcomes,
    Shape,
    answers_after,
    outcomes,
    shapes,
    table,
)
from folkmoot.evaluation.worlds import LURE, Talk, Voters
from folkmoot.protocols.known import KNOWN
from tests.cli.commands import folkmoot

FIVE = Voters(accuracies=(0.7,) * 5)
QUIET = Talk(conform=0.0, learn=0.0, misled=0.0)


def test_every_protocol_that_has_answers_is_there_with_its_rounds_and_who_decides() -> None:
    named = {name: shape for shape, names in shapes(5).items() for name in names}
    assert named["single"] == Shape(rounds=0, ending="one")
    assert named["sample"] == Shape(rounds=0)
    assert named["panel"] == named["gate"] == Shape(rounds=1, gated=True)
    assert named["council"] == Shape(rounds=2)
    assert named["grouped"] == Shape(rounds=2, grouped=True)
    assert named["board"] == Shape(rounds=7), "eight messages each, of which the first is before all reading"
    assert named["moderated"] == Shape(rounds=2, ending="judge")
    assert named["chaired"] == Shape(rounds=0, ending="judge")
    assert (named["select"].ending, named["critique"].ending) == ("pick", "critic")
    assert set(KNOWN) - set(named) == {"findings", "forecast", "bp_style"}


def test_one_decides_after_reading_the_others() -> None:
    """The right answer is 0. The last column is the judge's own answer after reading."""
    answers = np.array([[1, 1, 1, 0], [1, 0, 1, 0], [2, 2, 1, 3], [0, 0, 1, 2]])
    assert outcomes(answers, Shape(rounds=0, ending="judge"), "plurality") == Outcomes(right=0.5, wrong=0.5)
    picked = outcomes(answers, Shape(rounds=0, ending="pick"), "plurality")
    assert picked == Outcomes(right=0.5, wrong=0.5), "of the last line any is picked: that of the first voter"
    with_judge = answers[:, [0, 1, 3]]
    criticised = outcomes(with_judge, Shape(rounds=0, ending="critic"), "plurality")
    assert criticised == Outcomes(right=0.5, wrong=0.5), "the two agree on 1, differ, agree on 2, and agree on 0"


def test_a_judge_who_knows_is_turned_by_liars_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody errs; a liar of two in three chances sits with the judge, and persuades with a chance of 1/2."""
    monkeypatch.setattr(voter_table, "QUESTIONS", 20_000)
    sure = Voters(accuracies=(1 - 1e-9,) * 5)
    losses: Mapping[Ending, float] = {"judge": 0.5, "pick": 0.5, "critic": 2 / 5 * 0.5}
    for ending, lost in losses.items():
        shape = Shape(rounds=0, ending=ending)
        honest = outcomes(answers_after(shape, sure, QUIET, seed=1), shape, "plurality")
        assert honest == Outcomes(right=1.0, wrong=0.0)
        lying = replace(QUIET, liars=1, persuade=0.5)
        assert 1 - outcomes(answers_after(shape, sure, lying, seed=1), shape, "plurality").right == pytest.approx(
            lost, abs=0.02
        )


def test_a_liar_of_a_group_turns_its_own_group_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voter_table, "QUESTIONS", 2000)
    six, certain = Voters(accuracies=(1 - 1e-9,) * 6), replace(QUIET, liars=1, persuade=1.0)
    inside = answers_after(Shape(rounds=2, grouped=True), six, replace(certain, persuade=0.5), seed=1)
    assert 0.4 < (inside[:, 3:] == 0).mean() < 0.6, "the other group hears of it in the last round alone"
    assert (answers_after(Shape(rounds=1), six, certain, seed=1) == LURE).all()


def test_the_rules_that_ship_decide() -> None:
    votes = np.array([[0, 0, 0, 1, 2], [0, 0, 1, 1, 2], [1, 1, 1, 1, 0], [0, 0, 0, 0, 0]])
    plain = Shape(rounds=0)
    assert outcomes(votes, plain, "plurality") == Outcomes(right=0.5, wrong=0.25)
    assert outcomes(votes, plain, "supermajority") == Outcomes(right=0.25, wrong=0.25)
    assert outcomes(votes, plain, "unanimous") == Outcomes(right=0.25, wrong=0.0)
    alone = outcomes(votes, Shape(rounds=0, ending="one"), "plurality")
    assert (alone.right, alone.wrong) == pytest.approx((11 / 20, 9 / 20))


def test_a_gate_leaves_out_the_rounds_where_four_of_five_agree() -> None:
    everyone = Talk(conform=0.0, learn=1.0, misled=0.0)
    before = answers_after(Shape(rounds=0), FIVE, everyone, seed=3)
    gated = answers_after(Shape(rounds=1, gated=True), FIVE, everyone, seed=3)
    always = answers_after(Shape(rounds=1), FIVE, everyone, seed=3)
    most = np.stack([(before == answer).sum(axis=1) for answer in range(len(OPTIONS))]).max(axis=0)
    assert (gated[most >= 4] == before[most >= 4]).all()
    assert (gated[most < 4] == always[most < 4]).all()
    assert (always[(before == 0).any(axis=1)] == 0).all()


def test_liars_always_say_the_lure_and_each_costs_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voter_table, "QUESTIONS", 2000)
    lied = answers_after(Shape(rounds=2), FIVE, Talk(liars=2), seed=1)
    assert (lied[:, :2] == LURE).all()
    rows = list(table(FIVE, QUIET, seed=1))
    for row in rows:
        shares = [row.by_liars[liars].right for liars in LIARS]
        assert shares == sorted(shares, reverse=True)
    assert {row.voters for row in rows if "grouped" in row.protocols} == {6}
    assert {name for row in rows for name in row.protocols} == set(KNOWN) - set(NO_ANSWERS)


def test_the_command_prints_the_table_and_refuses_too_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voter_table, "QUESTIONS", 2000)
    shown = folkmoot(tmp_path, "eval", "voters", "--table", "--voters", "3")
    assert shown.exit_code == 0, shown.output
    lines = shown.output.splitlines()
    assert lines[0] == "| protocols | rule | no liar | 1 liar | 2 liars | points lost |"
    [line] = [line for line in lines if line.startswith("| `panel`, `gate` | `majority`")]
    right = [float(cell.split(" / ")[0]) for cell in line.split(" | ")[2:5]]
    lost = [float(part) for part in line.split(" | ")[5].rstrip(" |").split(" / ")]
    assert lost == pytest.approx([right[0] - right[1], right[0] - right[2]], abs=0.11)
    assert any(line.startswith("| `grouped` (6 voters) |") for line in lines)
    few = folkmoot(tmp_path, "eval", "voters", "--table", "--voters", "2")
    assert few.exit_code == 2
    assert "--table needs at least 3 voters, so that two can lie." in few.output
