"""The analysis of one debate, and the overview of many."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from folkmoot.analysis.agreement import Agreement, agreement
from folkmoot.analysis.disagreement import Disagreement, Interaction, add, disagreement, ties
from folkmoot.analysis.formal_claims import Checked
from folkmoot.analysis.grounds import Ground, grounds
from folkmoot.arguments.argument_map import argument_map, judge
from folkmoot.arguments.beliefs import Beliefs, beliefs
from folkmoot.arguments.positions import citations
from folkmoot.core.decision import RecordStatus
from folkmoot.core.errors import RecordError
from folkmoot.core.event import Entry
from folkmoot.core.transcript import fold
from folkmoot.report.conclusion import conclusion
from folkmoot.report.metrics import Use, measure


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """The analysis of one debate, computed from its record.

    Attributes:
        debate: its id.
        question: what was debated.
        protocol: its name.
        status: how it ended.
        line: the same in one line.
        notes: what makes the decision weaker than its numbers look.
        entries: how many entries the record has.
        seconds: from the first to the last, pauses left out.
        rounds: how many there were.
        use: calls, tokens and cost.
        people: the same for each participant who was asked.
        agreement: who gave which answer over time.
        ties: what participants did towards each other.
        disagreement: what was left open.
        grounds: what the decision rests on.
        beliefs: how strong the answers are on the argument map, and the cruxes.
        formal: results for claims stated formally; None if they were not checked.
    """

    debate: str
    question: str
    protocol: str
    status: RecordStatus
    line: str
    notes: tuple[str, ...]
    entries: int
    seconds: float
    rounds: int
    use: Use
    people: Mapping[str, Use]
    agreement: Agreement
    ties: tuple[Interaction, ...]
    disagreement: Disagreement
    grounds: tuple[Ground, ...]
    beliefs: Beliefs
    formal: tuple[Checked, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The totals over debates.

    Attributes:
        debates: how many.
        statuses: how many ended how.
        entries: of all records.
        seconds: of all debates, added up.
        rounds: added up.
        calls: of models, with an answer.
        tokens: in and out.
        cost: US dollars; None if the price of a call is unknown.
        answers: answers given in fields.
        flips: changed answers.
        stated: those that name a turn as the cause.
        claims: claims of decisions.
        supported: those supported by a source or another participant.
        ties: what participants did towards each other, by their names.
    """

    debates: int
    statuses: Mapping[str, int]
    entries: int
    seconds: float
    rounds: int
    calls: int
    tokens: int
    cost: float | None
    answers: int
    flips: int
    stated: int
    claims: int
    supported: int
    ties: tuple[Interaction, ...]


def analyse(entries: Sequence[Entry], *, debate: str) -> Analysis:
    """Analyse a record, complete or not.

    Args:
        entries: the whole record, from its first entry on.
        debate: its id.

    Raises:
        RecordError: the record does not begin with the opening of a debate.
    """
    transcript = fold(entries)
    brief = transcript.brief
    if brief is None:
        raise RecordError(
            f"The record of debate {debate} does not begin with its opening: there is nothing to analyse."
        )
    metrics, ending, course = measure(entries), conclusion(transcript), agreement(transcript)
    arguments = argument_map(transcript)
    judged = judge(arguments)
    return Analysis(
        debate=debate,
        question=brief.topic,
        protocol=transcript.protocol,
        status=ending.status,
        line=ending.line,
        notes=ending.notes,
        entries=len(entries),
        seconds=metrics.seconds,
        rounds=max((turn.round for turn in transcript.turns()), default=0),
        use=metrics.total,
        people=metrics.participants,
        agreement=course,
        ties=ties(transcript, course.flips),
        disagreement=disagreement(transcript, course.ledger, ending, arguments, judged),
        grounds=grounds(transcript, course.ledger, arguments, judged, citations(entries, transcript)),
        beliefs=beliefs(transcript, arguments, judged),
    )


def overview(analyses: Sequence[Analysis]) -> Overview:
    """Add up analyses."""
    costs = [analysis.use.cost for analysis in analyses]
    known = [cost for cost in costs if cost is not None]
    flips = [flip for analysis in analyses for flip in analysis.agreement.flips]
    claims = [ground for analysis in analyses for ground in analysis.grounds]
    return Overview(
        debates=len(analyses),
        statuses=dict(Counter(analysis.status for analysis in analyses)),
        entries=sum(analysis.entries for analysis in analyses),
        seconds=math.fsum(analysis.seconds for analysis in analyses),
        rounds=sum(analysis.rounds for analysis in analyses),
        calls=sum(analysis.use.calls for analysis in analyses),
        tokens=sum(analysis.use.input_tokens + analysis.use.output_tokens for analysis in analyses),
        cost=math.fsum(known) if len(known) == len(costs) else None,
        answers=sum(len(analysis.agreement.ledger) for analysis in analyses),
        flips=len(flips),
        stated=sum(bool(flip.causes) for flip in flips),
        claims=len(claims),
        supported=sum(ground.supported for ground in claims),
        ties=add(tie for analysis in analyses for tie in analysis.ties),
    )
