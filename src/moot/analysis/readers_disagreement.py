"""What was left open between the participants. This file owns the camps, the dissent and the unanswered points."""

from collections.abc import Sequence
from dataclasses import dataclass

from moot.analysis.agreement import Held
from moot.arguments.argument_map import ArgumentMap, Judgement, Relation
from moot.arguments.stance import bare
from moot.core.decision import Ballot
from moot.core.form import shown
from moot.core.transcript import Transcript, read_field
from moot.report.conclusion import Outcome


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


def disagreement(
    transcript: Transcript, ledger: Sequence[Held], came: Outcome, found: ArgumentMap, judged: Judgement
) -> Disagreement:
    """What was left open in a debate, complete or not.

    Args:
        transcript: of the debate.
        ledger: all answers, in the order of asking.
        came: how it ended.
        found: its argument map.
        judged: which points of it nobody answered.
    """
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
    return Disagreement(camps=_camps(transcript, ledger), dissent=came.dissent, points=tuple(points))


def _camps(transcript: Transcript, ledger: Sequence[Held]) -> tuple[Camp, ...]:
    """The camps, the greatest first; those of one size in the order in which their members first answered."""
    last = {each.by: each for each in ledger}
    camps: dict[str, list[Held]] = {}
    for each in last.values():
        camps.setdefault(bare(each.answer), []).append(each)
    found = [
        Camp(
            answer=held[0].answer,
            by=tuple(each.by for each in held),
            share=len(held) / len(last),
            argument=_argument(transcript, held),
        )
        for held in camps.values()
    ]
    return tuple(sorted(found, key=lambda camp: -len(camp.by)))


def _argument(transcript: Transcript, held: Sequence[Held]) -> str:
    given = [read_field(transcript.get(each.key), "ARGUMENT") for each in held]
    return next((shown(each) for each in reversed(given) if each), "")
