"""Recorded elections with ranked ballots, counted under every rule."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict, cast

from folkmoot.core.decision import Ballot
from folkmoot.policy.rankings import METHODS, condorcet, elect

RULES = ("plurality", *METHODS)
"""The rules by which an election is counted."""


class ElectionLine(TypedDict):
    """One line of the file: candidates by number, and ballots as pairs of a count and tiers of numbers."""

    title: str
    candidates: Mapping[str, str]
    official_winner: str | None
    ballots: Sequence[tuple[int, Sequence[Sequence[int]]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Election:
    """An election with ranked ballots.

    Attributes:
        title: what was elected.
        official: the name of the official winner; "" where it is not known.
        candidates: all names.
        ballots: one for each way in which somebody ranked; its weight is how many did.
    """

    title: str
    official: str
    candidates: tuple[str, ...]
    ballots: tuple[Ballot, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The results of an election under every rule.

    Attributes:
        title: what was elected.
        official: the name of the official winner; "" where it is not known.
        winners: the winner under each of RULES; "" for a tie.
        condorcet: who wins every duel; "" where nobody does.
    """

    title: str
    official: str
    winners: Mapping[str, str]
    condorcet: str

    def matches(self, rule: str) -> bool:
        """Whether a rule elects the official winner; initials, accents and case of a name are ignored."""
        ours, official = _names(self.winners[rule]), _names(self.official)
        return bool(ours and official) and (ours <= official or official <= ours)


def read_elections(text: str) -> tuple[Election, ...]:
    """The elections in a text of JSON lines."""
    return tuple(_election(cast(ElectionLine, json.loads(row))) for row in text.splitlines() if row.strip())


def count_election(election: Election) -> Result:
    """Count an election under every rule."""
    ballots, candidates = election.ballots, election.candidates
    return Result(
        title=election.title,
        official=election.official,
        winners={rule: elect(rule, ballots, candidates).winner for rule in RULES},
        condorcet=condorcet(ballots, candidates, weighted=True),
    )


def _election(line: ElectionLine) -> Election:
    names = line["candidates"]
    ballots: list[Ballot] = []
    for n, (count, tiers) in enumerate(line["ballots"], start=1):
        ranks = tuple(tuple(names[str(number)] for number in tier) for tier in tiers)
        ballots.append(Ballot(voter=f"ballot {n}", choice=ranks[0][0], ranks=ranks, weight=float(count)))
    return Election(
        title=line["title"],
        official=line.get("official_winner") or "",
        candidates=tuple(names.values()),
        ballots=tuple(ballots),
    )


def _names(name: str) -> frozenset[str]:
    """The parts of a name, without initials where there is anything else."""
    parts = re.findall(r"[^\W_]+", name.casefold().replace("'", ""))
    return frozenset([part for part in parts if len(part) > 1] or parts)
