"""What was left open between the participants. This file owns the camps, the dissent and the unanswered points."""

from collections.abc import Sequence
from dataclasses import dataclass

from moot.core.decision import Ballot
from moot.core.transcript import Transcript, read_field
from moot.readers.arguments import ArgumentMap, Judgement, Relation
from moot.readers.outcome import Outcome
from moot.readers.stance import bare, stands
from moot.readers.wording import shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Camp:
    """Those who hold the same answer in the end: the answer, who, their share, the newest argument given for it."""

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
    """Who still holds what, who voted against the winner and why, and which points nobody answered."""

    camps: tuple[Camp, ...] = ()
    dissent: tuple[Ballot, ...] = ()
    points: tuple[Point, ...] = ()


def disagreement(transcript: Transcript, came: Outcome, found: ArgumentMap, judged: Judgement) -> Disagreement:
    """What was left open in a debate, complete or not."""
    points = [
        Point(
            mark=edge.source,
            by=found.node(edge.source).by,
            relation=edge.relation,
            target=edge.target,
            claim=found.node(edge.source).claim,
        )
        for edge in judged.unanswered
    ]
    return Disagreement(camps=_camps(transcript), dissent=came.dissent, points=tuple(points))


def _camps(transcript: Transcript) -> tuple[Camp, ...]:
    """The camps, the greatest first; those of one size in the order in which their answers came."""
    last = {by: held[-1] for by, held in stands(transcript).items()}
    camps: dict[str, list[str]] = {}
    for by, stand in last.items():
        camps.setdefault(bare(stand.answer), []).append(by)
    found = [
        Camp(
            answer=last[by[0]].answer,
            by=tuple(by),
            share=len(by) / len(last),
            argument=_argument(transcript, [last[each].key for each in by]),
        )
        for by in camps.values()
    ]
    return tuple(sorted(found, key=lambda camp: -len(camp.by)))


def _argument(transcript: Transcript, keys: Sequence[str]) -> str:
    given = [read_field(transcript.get(key), "ARGUMENT") for key in keys]
    return next((shown(each) for each in reversed(given) if each), "")
