"""Who stands how to whom. This file owns the counts between two participants; it reads fields and ballots alone."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, permutations
from typing import TypeAlias

from moot.analysis.agreement import Flip
from moot.arguments.argument_map import SPOKEN, answered, relation
from moot.core.transcript import Transcript


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
_KINDS: Mapping[str, str] = {"SUPPORT": "supports", "ATTACK": "attacks", "REBUT": "attacks", "QUESTION": "questions"}
Done: TypeAlias = tuple[str, str, str, int]
"""Who did how often what towards whom: by, to, one of the counts, the number."""


def ties(transcript: Transcript, flips: Sequence[Flip]) -> tuple[Tie, ...]:
    """What participants did towards each other, in the order in which it began; pairs without anything are left out."""
    return _sums(chain(_answers(transcript), _moves(flips), _votes(transcript)))


def add(found: Iterable[Tie]) -> tuple[Tie, ...]:
    """The sums for each pair, in the order in which the pairs come."""
    return _sums((each.by, each.to, name, getattr(each, name)) for each in found for name in _COUNTS)


def _sums(done: Iterable[Done]) -> tuple[Tie, ...]:
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for by, to, name, n in done:
        held = counts.setdefault((by, to), {})
        held[name] = held.get(name, 0) + n
    return tuple(Tie(by=by, to=to, **held) for (by, to), held in counts.items())


def _answers(transcript: Transcript) -> Iterator[Done]:
    for turn in transcript.turns(*SPOKEN):
        met = answered(transcript, turn)
        if met is not None and met.by != turn.by:
            yield turn.by, met.by, "answers", 1
            if (does := relation(turn)) in _KINDS:
                yield turn.by, met.by, _KINDS[does], 1


def _moves(flips: Sequence[Flip]) -> Iterator[Done]:
    for flip in flips:
        for by in flip.to:
            yield by, flip.by, "moved", 1


def _votes(transcript: Transcript) -> Iterator[Done]:
    ballots = transcript.decision.ballots if transcript.decision else ()
    cast = {each.voter: each.choice for each in ballots if each.state == "cast"}
    for voter, choice in cast.items():
        if choice in cast and choice != voter:
            yield voter, choice, "votes", 1
    for one, other in permutations(cast, 2):
        yield one, other, "together" if cast[one] == cast[other] else "apart", 1
