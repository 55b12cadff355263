"""Simulated voters: they are as right, and as alike, as they are said to be; and what talk does to their vote."""

import numpy as np
import pytest

from folkmoot.evaluation.worlds import LURE, Talk, Voters, accuracy_of_votes, vote_credits

SILENT = Talk(conform=0, learn=0, misled=0)


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


def test_a_tie_is_worth_its_share() -> None:
    answers = np.array([[0, 0, 1], [0, 1, 2], [1, 1, 0], [0, 0, 0]])
    assert vote_credits(answers) == pytest.approx([1, 1 / 3, 0, 1])


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
    voters = Voters(accuracies=(0.7,) * 5)
    still = accuracy_of_votes(voters, SILENT, rounds=1)
    assert still["alone"] == still["round 1"]
    assert accuracy_of_votes(voters, Talk(conform=0, learn=0.5, misled=0), rounds=1)["round 1"] > still["alone"]
    assert accuracy_of_votes(voters, Talk(conform=0, learn=0, misled=0.5), rounds=1)["round 1"] < still["alone"]


def test_a_liar_costs_a_debate_more_than_a_vote() -> None:
    voters = Voters(accuracies=(0.7,) * 5)
    honest = accuracy_of_votes(voters, SILENT, rounds=2)
    lied_to = accuracy_of_votes(voters, Talk(conform=0, learn=0, misled=0, liars=1), rounds=2)
    lost = {name: honest[name][1] - lied_to[name][1] for name in honest}
    assert 0.03 < lost["alone"] < lost["round 1"] < lost["round 2"]
