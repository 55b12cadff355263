"""Ties between models: one that rests on votes for oneself is no result."""

from collections.abc import Mapping

import pytest

from folkmoot.core.decision import Ballot, Decision
from tests.learn.lessons_kit import THREE, TWO, Paper
from tests.learn.test_lessons import teach

FOUR: Mapping[str, str] = {**THREE, "Dot": "groq:d"}


def tie(votes: Mapping[str, str]) -> Decision:
    """A tie that these votes have come to."""
    tally = dict.fromkeys(votes, 0.0)
    for choice in votes.values():
        tally[choice] += 1
    ballots = tuple(Ballot(voter=voter, choice=choice) for voter, choice in votes.items())
    return Decision(status="tie", tally=tally, ballots=ballots)


@pytest.mark.parametrize(
    ("people", "votes", "bouts"),
    [
        (TWO, {"Ann": "Ann", "Bob": "Bob"}, 0),
        (TWO, {"Ann": "Bob", "Bob": "Ann"}, 1),
        (THREE, {"Ann": "Ann", "Bob": "Bob", "Cy": "Cy"}, 0),
        (THREE, {"Ann": "Bob", "Bob": "Cy", "Cy": "Ann"}, 3),
        (FOUR, {"Ann": "Ann", "Bob": "Bob", "Cy": "Ann", "Dot": "Bob"}, 1),  # without their own votes 1 to 1
        (FOUR, {"Ann": "Bob", "Bob": "Bob", "Cy": "Ann", "Dot": "Ann"}, 0),  # without Bob's own vote Ann has won
    ],
)
def test_a_tie_counts_where_it_is_one_without_votes_for_oneself(
    people: Mapping[str, str], votes: Mapping[str, str], bouts: int
) -> None:
    paper = Paper(people)
    for name in people:
        paper.say(name, "propose", ANSWER=f"answer of {name}")
    assert len(teach(paper, tie(votes)).matches) == bouts
