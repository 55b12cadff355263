"""Recorded elections. This file owns how ranked ballots are read from a file and set beside the official results."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict, cast

from moot.core.decision import Ballot
from moot.policy.rankings import METHODS, condorcet, elect

RULES = ("plurality", *METHODS)
"""The rules by which an election is counted."""


class Line(TypedDict):
    """One line of the file: candidates by number, and ballots as pairs of a count and tiers of numbers."""

    title: str
    candidates: Mapping[str, str]
    official_winner: str
    ballots: Sequence[tuple[int, Sequence[Sequence[int]]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Election:
    """An election with ranked ballots.

    Attributes:
        title: what was elected.
        official: the name of the official winner.
        candidates: all names.
        ballots: one for each way in which somebody ranked; its weight is how many did.
    """

    title: str
    official: str
    candidates: tuple[str, ...]
    ballots: tuple[Ballot, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What the rules make of an election.

    Attributes:
        title: what was elected.
        official: the name of the official winner.
        winners: the winner under each of RULES; "" for a tie.
        condorcet: who wins every duel; "" where nobody does.
    """

    title: str
    official: str
    winners: Mapping[str, str]
    condorcet: str

    def matches(self, rule: str) -> bool:
        """Whether a rule has the official winner, whose name may be spelled with other marks and capitals."""
        return _plain(self.winners[rule]) == _plain(self.official)


def read_elections(text: str) -> tuple[Election, ...]:
    """The elections in a text of JSON lines."""
    return tuple(_election(cast(Line, json.loads(row))) for row in text.splitlines() if row.strip())


def hold(election: Election) -> Result:
    """Count an election under every rule."""
    ballots, candidates = election.ballots, election.candidates
    return Result(
        title=election.title,
        official=election.official,
        winners={rule: elect(rule, ballots, candidates).winner for rule in RULES},
        condorcet=condorcet(ballots, candidates, weighted=True),
    )


def _election(line: Line) -> Election:
    names = line["candidates"]
    ballots: list[Ballot] = []
    for n, (count, tiers) in enumerate(line["ballots"], start=1):
        ranks = tuple(tuple(names[str(number)] for number in tier) for tier in tiers)
        ballots.append(Ballot(voter=f"ballot {n}", choice=ranks[0][0], ranks=ranks, weight=float(count)))
    return Election(
        title=line["title"],
        official=line["official_winner"],
        candidates=tuple(names.values()),
        ballots=tuple(ballots),
    )


def _plain(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())
