"""Disagreement and relations between participants: camps, dissent, unanswered points, and counts for each pair.

The counts read typed fields and ballots only.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, permutations
from typing import TypeAlias

from folkmoot.arguments.argument_map import SPOKEN, ArgumentMap, Judgement, Relation, answered, relation
from folkmoot.arguments.positions import AnswerGiven, Change, bare
from folkmoot.core.ask import shown
from folkmoot.core.decision import Ballot
from folkmoot.core.transcript import Transcript, read_field
from folkmoot.report.conclusion import Conclusion


@dataclass(frozen=True, slots=True, kw_only=True)
class Camp:
    """The participants with the same final answer: the answer, their names and share, the newest argument."""

    answer: str
    by: tuple[str, ...]
    share: float
    argument: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """An attack or a question that nobody answered: its mark, who makes it, what it does to which mark, its words."""

    mark: str
    by: tuple[str, ...]
    relation: Relation
    target: str
    claim: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """Final answers, votes against the winner with reasons, and points that nobody answered."""

    camps: tuple[Camp, ...] = ()
    dissent: tuple[Ballot, ...] = ()
    points: tuple[Point, ...] = ()


def disagreement(
    transcript: Transcript,
    ledger: Sequence[AnswerGiven],
    ending: Conclusion,
    argument_map: ArgumentMap,
    judged: Judgement,
) -> Disagreement:
    """Find the open points of a debate, complete or not.

    Args:
        transcript: of the debate.
        ledger: all answers, in the order of asking.
        ending: how it ended.
        argument_map: its argument map.
        judged: which points of it nobody answered.
    """
    points = [
        Point(
            mark=edge.source,
            by=argument_map.node(edge.source).by,
            relation=edge.relation,
            target=edge.target,
            claim=argument_map.node(edge.source).claim,
        )
        for edge in judged.unanswered
    ]
    return Disagreement(camps=_camps(transcript, ledger), dissent=ending.dissent, points=tuple(points))


def _camps(transcript: Transcript, ledger: Sequence[AnswerGiven]) -> tuple[Camp, ...]:
    """The camps, the greatest first; those of one size in the order in which their members first answered."""
    last = {item.by: item for item in ledger}
    camps: dict[str, list[AnswerGiven]] = {}
    for item in last.values():
        camps.setdefault(bare(item.answer), []).append(item)
    unsorted_camps = [
        Camp(
            answer=camp[0].answer,
            by=tuple(item.by for item in camp),
            share=len(camp) / len(last),
            argument=_argument(transcript, camp),
        )
        for camp in camps.values()
    ]
    return tuple(sorted(unsorted_camps, key=lambda camp: -len(camp.by)))


def _argument(transcript: Transcript, answers: Sequence[AnswerGiven]) -> str:
    arguments = [read_field(transcript.get(item.key), "ARGUMENT") for item in answers]
    return next((shown(item) for item in reversed(arguments) if item), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """What one participant did towards another: attacks, support, votes, changed answers.

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
"""One count of a pair: by, to, the name of the count, the number."""


def ties(transcript: Transcript, flips: Sequence[Change]) -> tuple[Interaction, ...]:
    """What participants did towards each other, for each pair, in the order in which it began."""
    return _sums(chain(_answers(transcript), _persuasions(flips), _votes(transcript)))


def add(interactions: Iterable[Interaction]) -> tuple[Interaction, ...]:
    """The sums for each pair, in the order in which the pairs come."""
    return _sums(
        (tie.by, tie.to, name, n) for tie in interactions for name, n in zip(_COUNTS, counts(tie), strict=True)
    )


def counts(tie: Interaction) -> tuple[int, ...]:
    """All counts of a pair, in the order of its fields."""
    return tuple(getattr(tie, name) for name in _COUNTS)


def _sums(done: Iterable[Done]) -> tuple[Interaction, ...]:
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for by, to, name, n in done:
        setdefault = counts.setdefault((by, to), {})
        setdefault[name] = setdefault.get(name, 0) + n
    return tuple(Interaction(by=by, to=to, **value) for (by, to), value in counts.items())


def _answers(transcript: Transcript) -> Iterator[Done]:
    for turn in transcript.turns(*SPOKEN):
        met = answered(transcript, turn)
        if met is not None and met.by != turn.by:
            yield turn.by, met.by, "answers", 1
            if (does := relation(turn)) in _KINDS:
                yield turn.by, met.by, _KINDS[does], 1


def _persuasions(flips: Sequence[Change]) -> Iterator[Done]:
    for flip in flips:
        for by in flip.to:
            yield by, flip.by, "moved", 1


def _votes(transcript: Transcript) -> Iterator[Done]:
    ballots = transcript.decision.ballots if transcript.decision else ()
    cast = {ballot.voter: ballot.choice for ballot in ballots if ballot.state == "cast"}
    for voter, choice in cast.items():
        if choice in cast and choice != voter:
            yield voter, choice, "votes", 1
    for name, other in permutations(cast, 2):
        yield name, other, "together" if cast[name] == cast[other] else "apart", 1
