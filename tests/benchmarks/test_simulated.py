"""Simulated evaluations and voters: the shipped statistics keep what they promise, and the commands say so."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.simulated import voter_table
from benchmarks.simulated.__main__ import main
from benchmarks.simulated.simulations import (
    Check,
    check_coverage,
    check_gate,
    check_looks,
    check_null,
    check_power,
    draw_credits,
    draw_losses,
    expect_words,
)
from benchmarks.simulated.voter_table import (
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
from benchmarks.simulated.worlds import LURE, Talk, Voters, accuracy_of_votes
from folkmoot.protocols.known import KNOWN

SILENT = Talk(conform=0, learn=0, misled=0)
FIVE = Voters(accuracies=(0.7,) * 5)


# ---- evaluations -----------------------------------------------------------------------------------------------------


def test_drawn_credits_have_their_share_and_their_difference() -> None:
    drawn = draw_credits(np.random.default_rng(1), 40_000, share=0.15, effect=0.05)
    assert float(np.abs(drawn.values).mean()) == pytest.approx(0.15, abs=0.01)
    assert drawn.mean == pytest.approx(0.05, abs=0.01)


def test_questions_of_a_drawn_group_are_alike() -> None:
    drawn = draw_credits(np.random.default_rng(1), 20_000, share=0.5, group_size=2)
    pairs = drawn.values.reshape(-1, 2)
    assert float((pairs[:, 0] * pairs[:, 1]).mean()) / 0.5 == pytest.approx(0.3, abs=0.03)
    assert len(drawn.sums) == 10_000


def test_drawn_losses_are_worse_with_more_noise() -> None:
    chance = np.random.default_rng(1)
    assert draw_losses(chance, 40_000).mean() > 0.02
    assert draw_losses(chance, 40_000, (0.9, 0.9)).mean() == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize(
    ("checks", "runs"), [(check_coverage, 300), (check_power, 300), (check_looks, 300), (check_gate, 4)]
)
def test_what_is_promised_is_kept(checks: Callable[..., list[Check]], runs: int) -> None:
    assert [check for check in checks(runs=runs, seed=1) if not check.ok] == []


def test_false_verdicts_are_rare() -> None:
    checks = check_null(runs=200, seed=1, sizes=(30, 100))
    assert len(checks) == 14
    assert [check for check in checks if not check.ok] == []


def test_few_questions_say_little_and_many_say_much() -> None:
    few = expect_words(30, margin=0.05, share=0.15, effect=0.05, runs=100)
    many = expect_words(2_000, margin=0.05, share=0.15, effect=0.05, runs=50)
    none = expect_words(2_000, margin=0.05, share=0.15, effect=0.0, runs=50)
    worse = expect_words(2_000, margin=0.05, share=0.15, effect=-0.1, runs=20)
    assert few["not known"] > 0.9
    assert many["helped"] > 0.9
    assert none["no difference"] > 0.9
    assert worse["hurt"] > 0.9


def test_the_command_says_what_so_many_questions_could_tell(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluation", "--questions", "80", "--runs", "200"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "80 questions, of which 15% differ between the debate and a rival:"
    assert lines[1].endswith("in 4 of 5 runs: 12.1 points")
    assert lines[2].endswith("to find 5 points: 469")
    assert [line.split(" points")[0].strip() for line in lines[5:]] == ["0", "5", "10"]


def test_a_promise_that_is_not_kept_ends_with_one(capsys: pytest.CaptureFixture[str]) -> None:
    """One run finds the difference always or never, which is not 80 %."""
    assert main(["promise", "null", "--runs", "1"]) == 0
    assert main(["promise", "power", "--runs", "1"]) == 1
    assert "promised 0.770 to 0.830  NOT KEPT" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("evaluation", "--margin", "0.2"),
        ("evaluation", "--margin", "nan"),
        ("voters", "--liars", "6"),
        ("voters", "--accuracy", "1"),
        ("voters", "--table", "--voters", "2"),
    ],
)
def test_what_cannot_be_is_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2


# ---- voters ----------------------------------------------------------------------------------------------------------


def test_voters_are_as_right_as_they_are_said_to_be() -> None:
    drawn = Voters(accuracies=(0.5, 0.7, 0.9)).drafts(np.random.default_rng(1), 40_000, drafts_each=2)
    assert (drawn == 0).mean(axis=(0, 2)) == pytest.approx([0.5, 0.7, 0.9], abs=0.01)
    wrong = drawn[drawn > 0]
    assert float((wrong == LURE).mean()) == pytest.approx(0.6 + 0.4 / 3, abs=0.01)
    assert set(wrong) == {1, 2, 3}


def test_drafts_of_one_seat_are_more_alike_than_those_of_two() -> None:
    right = Voters(accuracies=(0.7, 0.7)).drafts(np.random.default_rng(1), 40_000, drafts_each=2) == 0
    same = float(np.corrcoef(right[:, 0, 0], right[:, 0, 1])[0, 1])
    other = float(np.corrcoef(right[:, 0, 0], right[:, 1, 0])[0, 1])
    assert 0.1 < other < same - 0.05


def test_conformity_leaves_the_seats_as_they_are_and_spoils_their_vote() -> None:
    """A vote needs errors that differ: who copies makes them alike."""
    voters = Voters(accuracies=(0.7,) * 5, shared=0, own=0, lure=1)
    rows = accuracy_of_votes(voters, Talk(conform=0.3, learn=0, misled=0), rounds=4)
    assert [seats for seats, _ in rows.values()] == pytest.approx([0.7] * 5, abs=0.01)
    votes = [vote for _, vote in rows.values()]
    assert votes == sorted(votes, reverse=True)
    assert votes[0] == pytest.approx(0.837, abs=0.01)
    assert votes[4] < 0.75


def test_who_learns_gains_and_who_is_misled_loses() -> None:
    voters = FIVE
    still = accuracy_of_votes(voters, SILENT, rounds=1)
    assert still["alone"] == still["round 1"]
    assert accuracy_of_votes(voters, Talk(conform=0, learn=0.5, misled=0), rounds=1)["round 1"] > still["alone"]
    assert accuracy_of_votes(voters, Talk(conform=0, learn=0, misled=0.5), rounds=1)["round 1"] < still["alone"]


def test_a_liar_costs_a_debate_more_than_a_vote() -> None:
    voters = FIVE
    honest = accuracy_of_votes(voters, SILENT, rounds=2)
    lied_to = accuracy_of_votes(voters, Talk(conform=0, learn=0, misled=0, liars=1), rounds=2)
    lost = {name: honest[name][1] - lied_to[name][1] for name in honest}
    assert 0.03 < lost["alone"] < lost["round 1"] < lost["round 2"]


def test_the_command_says_what_talk_and_liars_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["voters", "--rounds", "1", "--learn", "0", "--misled", "0", "--conform", "0.5"]) == 0
    _, alone, after = capsys.readouterr().out.splitlines()
    single, vote, lied_to = (float(share.rstrip("%")) for share in alone.split()[1:])
    assert single == pytest.approx(70, abs=1)
    assert lied_to + 5 < vote > single
    assert float(after.split()[3].rstrip("%")) < vote


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
        honest = outcomes(answers_after(shape, sure, SILENT, seed=1), shape, "plurality")
        assert honest == Outcomes(right=1.0, wrong=0.0)
        lying = replace(SILENT, liars=1, persuade=0.5)
        assert 1 - outcomes(answers_after(shape, sure, lying, seed=1), shape, "plurality").right == pytest.approx(
            lost, abs=0.02
        )


def test_a_liar_of_a_group_turns_its_own_group_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voter_table, "QUESTIONS", 2000)
    six, certain = Voters(accuracies=(1 - 1e-9,) * 6), replace(SILENT, liars=1, persuade=1.0)
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
    rows = list(table(FIVE, SILENT, seed=1))
    for row in rows:
        shares = [row.by_liars[liars].right for liars in LIARS]
        assert shares == sorted(shares, reverse=True)
    assert {row.voters for row in rows if "grouped" in row.protocols} == {6}
    assert {name for row in rows for name in row.protocols} == set(KNOWN) - set(NO_ANSWERS)


def test_the_command_prints_the_table(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voter_table, "QUESTIONS", 2000)
    assert main(["voters", "--table", "--voters", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    [line] = [line for line in lines if line.startswith("| `panel`, `gate` | `majority`")]
    right = [float(cell.split(" / ")[0]) for cell in line.split(" | ")[2:5]]
    lost = [float(part) for part in line.split(" | ")[5].rstrip(" |").split(" / ")]
    assert lost == pytest.approx([right[0] - right[1], right[0] - right[2]], abs=0.11)
    assert any(line.startswith("| `grouped` (6 voters) |") for line in lines)
