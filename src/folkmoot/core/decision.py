"""Decisions and ballots: each vote as it was read, and the result that follows from the votes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Status: TypeAlias = Literal["decided", "tie", "no_decision", "failed"]
"""How a debate ended: with a decision, with a tie, without a decision, or without any answer."""

OutcomeStatus: TypeAlias = Literal[Status, "paused"]
"""How a run of a debate ended: the debate has ended, or is paused."""

RecordStatus: TypeAlias = Literal[OutcomeStatus, "open"]
"""How a debate stands by its record; ``open``: it runs, or was interrupted."""

ListStatus: TypeAlias = Literal[RecordStatus, "damaged"]
"""The same in a list, which shows records that cannot be read too."""

StoredStatus: TypeAlias = Literal[ListStatus, "casting"]
"""The same over the network, where a debate has an id before its record begins: while its participants are generated."""

LiveStatus: TypeAlias = Literal[StoredStatus, "running", "waiting"]
"""The same, with what is known of an open debate: it runs, or waits for a person."""

NO_DECISION = "the protocol came to no decision"
"""Why one ended without a decision in which none was to be made."""

Strength: TypeAlias = Literal["", "unanimous", "strong", "moderate", "weak", "split", "contested"]
BallotState: TypeAlias = Literal["cast", "abstained", "unread", "missing"]


PauseKind: TypeAlias = Literal["", "limit", "stopped", "unavailable", "waiting", "batch"]
"""Why a debate is paused; "" where it is not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballot:
    """One voter's ballot as it was read: the chosen candidate, or why there is none.

    ``ranks`` is a ranking, if one was asked for: tiers of candidates, the best first; those within a tier are equal.
    Candidates that are not listed rank below all that are. One exception: a voter that ranks the answers of others
    does not rank its own, which then counts as equal to each of them (``policy.rankings``). ``choice`` is the first
    of the best tier. ``confidence`` is the voter's confidence in its choice, 0 to 1; None if it gave none.
    ``scores`` are pairs of a candidate and its score, if scores were asked for; ``ranks`` then has the same order.
    """

    voter: str
    choice: str = ""
    state: BallotState = "cast"
    reason: str = ""
    weight: float = 1.0
    ranks: tuple[tuple[str, ...], ...] = ()
    confidence: float | None = None
    scores: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Minority:
    """An answer that lost: its text, its voters (or, without any vote, its authors), its share, its best argument."""

    answer: str
    by: tuple[str, ...] = ()
    share: float = 0.0
    argument: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The result of the debate, and how it was reached.

    Attributes:
        status: how the debate ended.
        winner: the chosen candidate: a participant's name or one of the options; "" if there is none.
        text: the decision in words.
        argument: the best argument given for it, if proposals have arguments.
        rule: the rule that was applied (``plurality``, ``supermajority``, ``moderator``).
        share: the winner's share of the weight of all ballots cast, 0 to 1.
        support: the voters for the winner.
        strength: the winner's share of all voters, as a word. Abstentions and ballots that were not readable count as
            not agreeing.
        how: one sentence on how the result was reached, with fallbacks named ("tie of Ann and Bob: first proposal").
        tally: a number for each candidate, in the candidates' order: mostly the weight of the votes for it. The winner
            has the most; where it is a tie, those who have the most are tied.
        first: the same for the first drafts, if they were counted.
        ballots: all ballots, in the voters' order.
        dissent: the voters for other candidates, with their reasons.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class NextStep:
    """What a user may do next.

    Attributes:
        command: the command.
        words: what it does, in a few words; "" where the command says it.
    """

    command: str
    words: str
