"""Simulated voters under all protocols and rules: which there are, and figures that follow by hand."""

from pathlib import Path

import numpy as np
import pytest

from moot.app.evaluation import voter_table
from moot.app.evaluation.voter_table import LIARS, OPTIONS, Outcomes, Shape, answers_after, outcomes, shapes, table
from moot.evaluation.worlds import LURE, Talk, Voters
from moot.protocols.known import FORMATS, KNOWN
from tests.cli.commands import moot

FIVE = Voters(accuracies=(0.7,) * 5)
QUIET = Talk(conform=0.0, learn=0.0, misled=0.0)


def test_every_protocol_that_counts_votes_of_all_is_there_with_its_rounds() -> None:
    named = {name: shape for shape, names in shapes(5).items() for name in names}
    assert named["single"] == Shape(rounds=0, alone=True)
    assert named["sample"] == Shape(rounds=0)
    assert named["panel"] == named["gate"] == Shape(rounds=1, gated=True)
    assert named["council"] == Shape(rounds=2)
    assert set(FORMATS) - set(named) == {"bp_style"}
    one_decides = {"moderated", "board", "chaired", "critique", "select"}
    assert set(KNOWN) - set(named) == one_decides | {"findings", "forecast", "grouped", "bp_style"}


def test_the_rules_that_ship_decide() -> None:
    votes = np.array([[0, 0, 0, 1, 2], [0, 0, 1, 1, 2], [1, 1, 1, 1, 0], [0, 0, 0, 0, 0]])
    plain = Shape(rounds=0)
    assert outcomes(votes, plain, "plurality") == Outcomes(right=0.5, wrong=0.25)
    assert outcomes(votes, plain, "supermajority") == Outcomes(right=0.25, wrong=0.25)
    assert outcomes(votes, plain, "unanimous") == Outcomes(right=0.25, wrong=0.0)
    alone = outcomes(votes, Shape(rounds=0, alone=True), "plurality")
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
    for row in table(FIVE, QUIET, seed=1):
        shares = [row.by_liars[liars].right for liars in LIARS]
        assert shares == sorted(shares, reverse=True)


def test_the_command_prints_the_table_and_refuses_too_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voter_table, "QUESTIONS", 2000)
    shown = moot(tmp_path, "eval", "voters", "--table", "--voters", "3")
    assert shown.exit_code == 0, shown.output
    lines = shown.output.splitlines()
    assert lines[0] == "| protocols | rule | no liar | 1 liar | 2 liars |"
    assert any(line.startswith("| `panel`, `gate` | `majority`") for line in lines)
    few = moot(tmp_path, "eval", "voters", "--table", "--voters", "2")
    assert few.exit_code == 2
    assert "--table needs at least 3 voters, so that two can lie." in few.output
