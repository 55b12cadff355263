"""The receipt of a decision, as data and in Markdown: who decided what, on which grounds, at which cost.

The hash of the record's last entry ties it to the record. It is signed elsewhere.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from folkmoot.arguments.positions import citations
from folkmoot.core.brief import Brief, Duty
from folkmoot.core.decision import Ballot, Decision, Minority, RecordStatus
from folkmoot.core.errors import RecordError
from folkmoot.core.event import ASIDE, Called, Entry, Replied
from folkmoot.core.labels import duty_in_words
from folkmoot.core.text import about, counted
from folkmoot.core.transcript import Transcript, fold
from folkmoot.report.conclusion import BALLOT_STATES, cautions, conclusion, decision_view
from folkmoot.report.gaps import NOT_READABLE
from folkmoot.report.markdown_text import LONG
from folkmoot.report.metrics import Use, measure
from folkmoot.report.report import utc_time
from folkmoot.report.templates import render_markdown, safe_inline


@dataclass(frozen=True, slots=True, kw_only=True)
class Seated:
    """A participant: its agent (``seat``), the models that were called for it, and those that reported answering."""

    name: str
    role: str
    duty: Duty
    seat: str
    weight: float | None = None
    models: tuple[str, ...] = ()
    served: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A source and the marks of the turns that cite it.

    ``sha256`` is the hash of a text of the brief in UTF-8, "" for a source that a tool gave. ``unfound`` are the turns
    that quote words which that text does not hold.
    """

    source: str
    turns: tuple[str, ...] = ()
    unfound: tuple[str, ...] = ()
    sha256: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Calls and tokens; ``cost`` in US dollars is None if the price of a call is unknown, ``known`` is the rest.

    ``estimated`` are the calls whose tokens the provider did not count; tokens and cost are then estimates.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = 0.0
    known: float = 0.0
    estimated: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What is certified about a debate.

    Attributes:
        debate: its id.
        question: what was to be decided.
        options: the closed set of answers, if there was one.
        participants: who took part.
        protocol: its name.
        status: how the debate ended.
        line: the same in one line.
        winner: the chosen candidate; "" if there is none.
        decision: the decision in words.
        rule: the rule that was applied.
        share: the winner's share of the weight of all ballots cast, 0 to 1.
        strength: the share in a word.
        tally: votes by candidate.
        ballots: every ballot with its reason.
        dissent: the ballots for other candidates than the winner.
        minority: the answers that lost, with their best arguments.
        answers: the answers that stand where nobody won, with their best arguments.
        warnings: what makes the decision weaker than it looks, one sentence each.
        evidence: the sources that were given or cited.
        paid: calls, tokens and cost.
        began: UTC, ISO 8601.
        ended: the same, of the last entry.
        seconds: from the first entry to the last, pauses left out.
        entries: how many entries the record has.
        head: the SHA-256 of the last one.
    """

    debate: str
    question: str
    options: tuple[str, ...]
    participants: tuple[Seated, ...]
    protocol: str
    status: RecordStatus
    line: str
    winner: str
    decision: str
    rule: str
    share: float
    strength: str
    tally: Mapping[str, float]
    ballots: tuple[Ballot, ...]
    dissent: tuple[Ballot, ...]
    minority: tuple[Minority, ...]
    answers: tuple[Minority, ...] = ()
    warnings: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...]
    paid: Spent
    began: str
    ended: str
    seconds: float
    entries: int
    head: str


def receipt(entries: Sequence[Entry], *, debate: str, head: str) -> Receipt:
    """The receipt of a whole record, complete or not; ``head`` is the hash of its last entry.

    Raises:
        RecordError: the record does not begin with the opening of a debate.
    """
    transcript = fold(entries)
    brief = transcript.brief
    if brief is None:
        raise RecordError(f"The record of debate {debate} does not begin with its opening: there is nothing to attest.")
    outcome, metrics = conclusion(transcript), measure(entries)
    decision = decision_view(outcome.decision or Decision(status="no_decision"))
    return Receipt(
        debate=debate,
        question=brief.topic,
        options=brief.options,
        participants=_seats_of(brief, transcript, entries),
        protocol=transcript.protocol,
        status=outcome.status,
        line=outcome.line,
        winner=decision.winner,
        decision=decision.text,
        rule=decision.rule,
        share=decision.share,
        strength=decision.strength,
        tally=decision.tally,
        ballots=outcome.ballots,
        dissent=outcome.dissent,
        minority=decision.minority,
        answers=decision.answers,
        warnings=cautions(transcript),
        evidence=_evidence(brief, transcript, entries),
        paid=_spent_of(metrics.total),
        began=utc_time(entries[0].at),
        ended=utc_time(entries[-1].at),
        seconds=metrics.seconds,
        entries=len(entries),
        head=head,
    )


def _spent_of(total: Use) -> Spent:
    return Spent(
        calls=total.calls,
        input_tokens=total.input_tokens,
        output_tokens=total.output_tokens,
        cost=total.cost,
        known=total.known,
        estimated=total.estimated,
    )


def _seats_of(brief: Brief, transcript: Transcript, entries: Sequence[Entry]) -> tuple[Seated, ...]:
    models: dict[str, dict[str, None]] = {participant.name: {} for participant in brief.participants}
    served: dict[str, dict[str, None]] = {participant.name: {} for participant in brief.participants}
    for entry in entries:
        event = entry.event
        if isinstance(event, Called) and not event.model.startswith(ASIDE):
            by = transcript.get(event.key).by
            models[by][event.model] = served[by][event.served] = None
        elif isinstance(event, Replied):
            served[transcript.get(event.key).by][event.reply.served] = None
    return tuple(
        Seated(
            name=participant.name,
            role=participant.role,
            duty=participant.duty,
            seat=participant.seat,
            weight=participant.weight,
            models=tuple(filter(None, models[participant.name])),
            served=tuple(filter(None, served[participant.name])),
        )
        for participant in brief.participants
    )


def _evidence(brief: Brief, transcript: Transcript, entries: Sequence[Entry]) -> tuple[Evidence, ...]:
    """The texts of the brief, cited or not, then the sources that tools gave and turns name."""
    hashes = {
        source.name: source.file.sha256 if source.file else hashlib.sha256(source.text.encode()).hexdigest()
        for source in (*brief.background, *brief.library)
    }
    cited = citations(entries, transcript)
    return tuple(
        Evidence(
            source=source,
            turns=tuple(
                dict.fromkeys(citation.mark for citation in cited if citation.source == source and citation.found)
            ),
            unfound=tuple(
                dict.fromkeys(citation.mark for citation in cited if citation.source == source and not citation.found)
            ),
            sha256=hashes.get(source, ""),
        )
        for source in dict.fromkeys((*hashes, *(citation.source for citation in cited)))
    )


def receipt_page(receipt: Receipt) -> str:
    """A page to read, to print and to file; it ends with a line break."""
    unread = sum(ballot.state == "unread" for ballot in receipt.ballots)
    tally: list[Sequence[object]] = [[name, f"{n:g}"] for name, n in receipt.tally.items()]
    tally += [[Markup(f"*{NOT_READABLE}*"), f"{unread}"]] if unread else []
    people = [
        [
            safe_inline(cell, LONG) or "–"
            for cell in (
                person.name,
                person.role,
                duty_in_words(person.duty),
                person.seat,
                ", ".join(person.models),
                ", ".join(person.served),
            )
        ]
        for person in receipt.participants
    ]
    return render_markdown(
        "report/receipt.md.jinja",
        receipt=receipt,
        spent=_spent_in_words(receipt.paid),
        tally=tally,
        people=people,
        states=BALLOT_STATES,
    )


def _spent_in_words(paid: Spent) -> str:
    known = paid.known if paid.cost is None else paid.cost
    money = about(f"${known:.4f}", paid.estimated and known)
    cost = f"{money} and calls whose price is unknown" if paid.cost is None else money
    estimated = f" (estimated for {counted(paid.estimated, 'call')})" if paid.estimated else ""
    tokens = about(f"{paid.input_tokens:,} in, {paid.output_tokens:,} out", paid.estimated)
    return f"Calls: {paid.calls:,}; tokens: {tokens}{estimated}; cost: {cost}"
