"""How a debate ended. This file owns what a report says about the decision: nothing better than the record has it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from moot.core.decision import Ballot, Decision
from moot.core.event import ASIDE, Called, Entry
from moot.core.reasons import beside
from moot.core.text import listed
from moot.core.transcript import Transcript, read_field
from moot.core.weights import HOW, given, told

Ending: TypeAlias = Literal["decided", "tie", "no_decision", "failed", "paused", "unfinished"]

CONSENT, REJECT = "consent", "REJECT"
"""The rule by which nobody may be against a text, and what those say who are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A candidate in the tally.

    Attributes:
        candidate: who or what could be chosen.
        ballots: how many ballots were cast for it.
        votes: what the rule counted for it: ballots, or their weights.
        first: how many first drafts gave this answer; None where they were not counted.
    """

    candidate: str
    ballots: int
    votes: float
    first: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a debate ended.

    Attributes:
        status: how it ended; ``paused`` and ``unfinished`` where it has not.
        line: the status in one line.
        decision: the decision as it stands in the record.
        proposer: whose proposal won, where candidates are named by their authors.
        tally: the candidates with their votes.
        ballots: the ballots, with the voters' reasons.
        dissent: the ballots for other candidates than the winner, or than the one that led where none was reached.
        notes: what its votes weighed by where that was measured, and what makes it weaker than its numbers look.
    """

    status: Ending
    line: str
    decision: Decision | None = None
    proposer: str = ""
    tally: tuple[Row, ...] = ()
    ballots: tuple[Ballot, ...] = ()
    dissent: tuple[Ballot, ...] = ()
    notes: tuple[str, ...] = ()


def outcome(transcript: Transcript, entries: Sequence[Entry]) -> Outcome:
    """How the debate of a record ended."""
    status, line = _status(transcript)
    decision = transcript.decision
    if decision is None:
        return Outcome(status=status, line=line)
    ballots = tuple(_with_reason(ballot, transcript) for ballot in decision.ballots)
    names = [each.name for each in transcript.brief.participants] if transcript.brief else []
    return Outcome(
        status=status,
        line=line,
        decision=decision,
        proposer=decision.winner if decision.winner in names and decision.winner != decision.text else "",
        tally=_rows(decision),
        ballots=ballots,
        dissent=_against(decision, ballots),
        notes=(*_weighed(decision, transcript), *_overturned(decision), *_copies(decision, transcript, entries)),
    )


def _against(decision: Decision, ballots: Sequence[Ballot]) -> tuple[Ballot, ...]:
    """The ballots for others than the winner; where nobody won, for others than the one that led alone."""
    cast = [ballot for ballot in ballots if ballot.state == "cast"]
    if decision.rule == CONSENT:
        return tuple(ballot for ballot in cast if ballot.choice == REJECT)
    tops = _tops(decision.tally) if decision.status == "no_decision" else [decision.winner]
    led = tops[0] if len(tops) == 1 and tops[0] in decision.tally else None
    return () if led is None else tuple(ballot for ballot in cast if _dissents(ballot, led))


def _dissents(ballot: Ballot, winner: str) -> bool:
    """Whether a ballot is for somebody else; whoever ranks the others' answers cannot be for its own."""
    return winner not in (
        *(ballot.ranks[0] if ballot.ranks else (ballot.choice,)),
        ballot.voter if ballot.ranks else "",
    )


def _status(transcript: Transcript) -> tuple[Ending, str]:
    closed, paused, decision = transcript.closed, transcript.paused, transcript.decision
    if closed is None:
        if paused is None:
            return "unfinished", "not finished: the record breaks off before the end of the debate"
        return "paused", f"paused: {paused.reason or paused.kind}"
    how = (decision.how if decision else "") or closed.reason
    begun = {"decided": "decided", "tie": "tie", "no_decision": "no decision", "failed": "failed"}[closed.status]
    if closed.status == "decided" and decision and decision.rule:
        begun = f"decided by {decision.rule}"
    how = how.removeprefix("tie: ")
    return closed.status, f"{begun}: {how}" if how else begun


def _with_reason(ballot: Ballot, transcript: Transcript) -> Ballot:
    turn = transcript.last(ballot.voter, "vote")
    return ballot if ballot.reason or turn is None else replace(ballot, reason=beside(turn))


def _rows(decision: Decision) -> tuple[Row, ...]:
    cast = [ballot.choice for ballot in decision.ballots if ballot.state == "cast"]
    names = dict.fromkeys((*decision.tally, *decision.first))
    return tuple(
        Row(
            candidate=name,
            ballots=cast.count(name),
            votes=decision.tally.get(name, 0.0),
            first=decision.first.get(name, 0.0) if decision.first else None,
        )
        for name in names
    )


def _weighed(decision: Decision, transcript: Transcript) -> list[str]:
    """A note on what the votes weighed by, where a teller was asked for it."""
    turn = told(transcript.brief, transcript) if transcript.brief else None
    if turn is None or not decision.ballots:
        return []
    how = read_field(turn, HOW) if given(turn) else None
    return [f"Votes weighed {how}." if how else f"Votes weighed equally: {turn.by} gave no weights."]


def _overturned(decision: Decision) -> list[str]:
    """A note where the first drafts alone would have chosen something else."""
    tops = _tops(decision.first)
    if not tops or not decision.winner or tops == [decision.winner]:
        return []
    whole = math.fsum(decision.first.values())
    chosen = listed(tops)
    lead = f"{decision.first[tops[0]]:g} of {whole:g} first drafts{' each' if len(tops) > 1 else ''}"
    return [f"The first drafts say otherwise: {chosen} had {lead}. The discussion changed the result."]


def _tops(tally: Mapping[str, float]) -> list[str]:
    most = max(tally.values(), default=0.0)
    return [name for name, votes in tally.items() if votes == most and most > 0]


def _copies(decision: Decision, transcript: Transcript, entries: Sequence[Entry]) -> list[str]:
    """A note where all votes come from copies of one model."""
    voters = tuple(dict.fromkeys(ballot.voter for ballot in decision.ballots if ballot.state == "cast"))
    if len(voters) < 2 or transcript.brief is None:
        return []
    owner = {turn.key: turn.by for turn in transcript.all()}
    called = {(owner[entry.event.key], entry.event.model) for entry in entries if isinstance(entry.event, Called)}
    seats = {each.name: each.seat for each in transcript.brief.participants}
    models: set[str] = set()
    for voter in voters:
        own = {model for name, model in called if name == voter and model and not model.startswith(ASIDE)}
        models |= own or {seats.get(voter, "")}
    (model, *others) = sorted(models)
    if others or model in ("", "human"):
        return []
    return [f"All {len(voters)} votes come from {model}: agreement of copies is weak evidence."]
