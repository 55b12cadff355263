"""Who stands how to whom. This file owns the counts between two participants; it reads fields and ballots alone."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from moot.core.decision import Ballot
from moot.core.transcript import Transcript
from moot.readers.agreement import Flip
from moot.readers.arguments import AGAINST, SPOKEN, answered, relation


@dataclass(frozen=True, slots=True, kw_only=True)
class Tie:
    """What one participant did towards another one.

    Attributes:
        by: who.
        to: towards whom.
        answers: turns that answer one of the other's, however they do it.
        supports: those that back it.
        attacks: those that deny it, or that its reasons bear it.
        questions: those that ask about it.
        votes: ballots for the other.
        together: decisions in which both voted for the same.
        apart: decisions in which both voted, for different candidates.
        moved: changed answers of the other that name a turn of this one as the cause.
    """

    by: str
    to: str
    answers: int = 0
    supports: int = 0
    attacks: int = 0
    questions: int = 0
    votes: int = 0
    together: int = 0
    apart: int = 0
    moved: int = 0


_COUNTS = ("answers", "supports", "attacks", "questions", "votes", "together", "apart", "moved")


def ties(transcript: Transcript, flips: Sequence[Flip]) -> tuple[Tie, ...]:
    """What participants did towards each other, in the order in which it began; pairs without anything are left out."""
    found: list[Tie] = []
    for turn in transcript.turns(*SPOKEN):
        met = answered(transcript, turn)
        if met is not None and met.by != turn.by:
            does = relation(turn)
            found.append(
                Tie(
                    by=turn.by,
                    to=met.by,
                    answers=1,
                    supports=int(does == "SUPPORT"),
                    attacks=int(does in AGAINST),
                    questions=int(does == "QUESTION"),
                )
            )
    found += [Tie(by=by, to=flip.by, moved=1) for flip in flips for by in flip.to]
    found += _votes(transcript.decision.ballots if transcript.decision else ())
    return add(found)


def add(found: Iterable[Tie]) -> tuple[Tie, ...]:
    """The sums for each pair, in the order in which the pairs come."""
    sums: dict[tuple[str, str], Tie] = {}
    for each in found:
        old = sums.get((each.by, each.to), Tie(by=each.by, to=each.to))
        both: Mapping[str, int] = {name: getattr(old, name) + getattr(each, name) for name in _COUNTS}
        sums[each.by, each.to] = replace(old, **both)
    return tuple(sums.values())


def _votes(ballots: Sequence[Ballot]) -> list[Tie]:
    cast = {each.voter: each.choice for each in ballots if each.state == "cast"}
    found = [Tie(by=voter, to=choice, votes=1) for voter, choice in cast.items() if choice in cast and choice != voter]
    for one, other in permutations(cast, 2):
        same = cast[one] == cast[other]
        found.append(Tie(by=one, to=other, together=int(same), apart=int(not same)))
    return found
