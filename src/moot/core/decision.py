"""Decisions: ballots as they were read, and what followed from them. This file owns these values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Status: TypeAlias = Literal["decided", "tie", "no_decision", "failed"]
"""How a debate ended: with a decision, with equal tops, without a decision, without anybody who answered."""

Strength: TypeAlias = Literal["", "unanimous", "strong", "moderate", "weak", "split", "contested"]
BallotState: TypeAlias = Literal["cast", "abstained", "unread", "missing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballot:
    """One voter's ballot as it was read: the chosen candidate, or why there is none.

    ``ranks`` is a ranking, where one was asked for: tiers of candidates, the best first, those within a tier equal;
    who is not in it stands below all who are, but for one: whoever ranks the answers of others says nothing about its
    own, which then counts as equal to each of them (``policy.rankings``). ``choice`` is then the first of the best
    tier. ``confidence`` is what the voter gave for its choice, 0 to 1; None where it gave none.
    """

    voter: str
    choice: str = ""
    state: BallotState = "cast"
    reason: str = ""
    weight: float = 1.0
    ranks: tuple[tuple[str, ...], ...] = ()
    confidence: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Minority:
    """An answer that lost: its text, who voted for it (without any vote: who gave it), its share, its best argument."""

    answer: str
    by: tuple[str, ...] = ()
    share: float = 0.0
    argument: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What follows from the debate, and how it followed.

    Attributes:
        status: how it ended.
        winner: the chosen candidate: a participant's name or a closed answer; "" where there is none.
        text: the decision in words.
        argument: the best argument given for it, where proposals carry arguments.
        rule: the rule that was applied (``plurality``, ``supermajority``, ``moderator``).
        share: the winner's share of the weight of all ballots cast, 0 to 1.
        support: the voters for the winner.
        strength: the winner's share of all voters in a word; who abstained or was not read has not agreed.
        how: in one sentence, how it followed, fallbacks named ("tie of Ann and Bob: first proposal").
        tally: weight of votes for each candidate, in the candidates' order.
        first: the same over the first drafts, where they were counted.
        ballots: all ballots, in the voters' order.
        dissent: who voted otherwise, with their reasons.
        minority: the answers that lost.
    """

    status: Status
    winner: str = ""
    text: str = ""
    argument: str = ""
    rule: str = ""
    share: float = 0.0
    support: tuple[str, ...] = ()
    strength: Strength = ""
    how: str = ""
    tally: Mapping[str, float] = field(default_factory=dict[str, float])
    first: Mapping[str, float] = field(default_factory=dict[str, float])
    ballots: tuple[Ballot, ...] = ()
    dissent: tuple[str, ...] = ()
    minority: tuple[Minority, ...] = ()
