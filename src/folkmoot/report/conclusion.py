"""How a debate stands and what came of it, for every screen, answer and report; ballots, tally and boards for reports.

Nothing is said beyond what the record contains.
"""

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, cast, get_args

from folkmoot.core.brief import HUMAN, Brief
from folkmoot.core.decision import Ballot, Decision, Minority, PauseKind, RecordStatus, Status
from folkmoot.core.families import families_of, family
from folkmoot.core.labels import ANSWERED_LINE, only_answered, rule_in_words, status_in_words
from folkmoot.core.roles import (
    HOW,
    RECALL,
    WITHDRAWN,
    Standing,
    artifacts,
    asked_fields,
    standings,
    verdicts_differ,
    weighing_turn,
    weights_given,
)
from folkmoot.core.text import every, listed
from folkmoot.core.transcript import Transcript, Turn, read_field, voter_reason, within
from folkmoot.report.gaps import NOT_READABLE, gaps, in_sentences, readable_ballots, why_uncounted
from folkmoot.report.metrics import Sums, sums_of
from folkmoot.reviews.artefact import artefact_of, unseen_in_words
from folkmoot.reviews.states import RULE

_NUMBERED = re.compile(r" #\d+$")
"""What stands behind the name of a voter who has several ballots."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionView(Decision):
    """A decision as it is told outside of its record: where nobody won, no answer is a minority.

    Attributes:
        answers: the answers that stand where nobody won; empty where one won.
    """

    answers: tuple[Minority, ...] = ()


def decision_view(decision: Decision) -> DecisionView:
    """The decision with the answers that lost as its minority, or, where nobody won, as answers."""
    values: dict[str, Any] = {field.name: getattr(decision, field.name) for field in fields(Decision)}
    if decision.status != "decided":
        values |= {"minority": (), "answers": decision.minority}
    return DecisionView(**values)


def answer_in_words(decision: Decision) -> str:
    """The decision in words: its text, else who won."""
    return decision.text or decision.winner


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeView:
    """How a debate stands, by its record alone.

    Attributes:
        status: see ``RecordStatus``.
        kind: why it is paused; "" where it is not.
        reason: why it ended or is paused, in one sentence; of an open debate, why it does not go on by itself.
        decision: the decision; None where there is none.
        answer: what was decided, in words; "" where nothing was.
        sums: the debate in numbers.
        warnings: what could not be read, who did not answer, and what makes the decision weaker than it looks, one
            sentence each.
    """

    status: RecordStatus
    kind: PauseKind
    reason: str
    decision: DecisionView | None
    answer: str
    sums: Sums
    warnings: tuple[str, ...] = ()

    @property
    def over(self) -> bool:
        """Whether the debate has ended."""
        return self.status in get_args(Status)


def outcome_view(transcript: Transcript) -> OutcomeView:
    """How a debate stands, from its record, folded."""
    closed, paused, decision = transcript.closed, transcript.paused, transcript.decision
    status: RecordStatus = closed.status if closed else "paused" if paused else "open"
    unended = "it was interrupted" if transcript.all() else "it has not begun"
    kind = paused.kind if paused and paused.kind in get_args(PauseKind) else "stopped"  # a record may know other kinds
    return OutcomeView(
        status=status,
        kind=cast("PauseKind", kind) if paused else "",
        reason=closed.reason if closed else paused.reason if paused else unended,
        decision=decision_view(decision) if decision else None,
        answer=answer_in_words(decision) if decision and status == "decided" else "",
        sums=sums_of(transcript),
        warnings=cautions(transcript),
    )


# ---- for reports -----------------------------------------------------------------------------------------------------


def cautions(transcript: Transcript, may_read: Callable[[Turn], bool] = lambda _: True) -> tuple[str, ...]:
    """The warnings about a debate, one sentence each: its gaps, then what makes the decision weaker than it looks.

    Recorded debates paid where different models, with the same documents
    before them, did not agree. So a reader is told where there are more votes than models or families of models,
    where nobody had a document, where no debate took place, and where what was reviewed holds signs that nobody sees.

    Args:
        transcript: of the debate.
        may_read: whether the reader may read a turn.
    """
    told = (*_unseated_note(transcript), *in_sentences(gaps(transcript, may_read)))
    if transcript.decision is None or transcript.brief is None:
        return told
    brief = transcript.brief
    return (
        *told,
        *_without_debate_warning(transcript),
        *_shared_model_warning(transcript, brief),
        *_from_memory(transcript, brief),
        *_unseen_signs(transcript, brief),
    )


def _unseated_note(transcript: Transcript) -> Iterator[str]:
    """A note where sections that look like people are background, so that others debated."""
    if names := [repr(name) for name in transcript.unseated[:10]]:
        yield (
            f"No participants were described, so others took part; {listed(names)}: background. "
            "A participant's section begins with a line such as 'role: …'."
        )


def _without_debate_warning(transcript: Transcript) -> Iterator[str]:
    """A warning where rounds ended before the first one."""
    for path, reason in transcript.halts.items():
        rounds = path.endswith("/rounds") and path in transcript.entered
        if rounds and not any(within(entered, f"{path}/round-1") for entered in transcript.entered):
            yield f"No debate took place: {reason.partition('; ')[0]}."


def _shared_model_warning(transcript: Transcript, brief: Brief) -> Iterator[str]:
    """A warning where votes or forecasts come from fewer models, or families of models, than there are votes."""
    decision = transcript.decision
    cast = [ballot for ballot in decision.ballots if ballot.state == "cast"] if decision else []
    cast_by = [ballot.voter for ballot in cast]
    pooled = decision.support if decision and decision.rule == MEAN else ()
    counted, unit = (cast_by, "votes") if cast_by else (pooled, "forecasts")
    seats = {participant.name: participant.seat for participant in brief.participants}
    voters = tuple(dict.fromkeys(_NUMBERED.sub("", voter) for voter in counted))
    if len(set(counted)) < 2:
        return
    answering = {model for voter in voters for model in transcript.models.get(voter) or {seats.get(voter, "")}}
    if answering & {"", HUMAN}:
        return
    apart = decision and decision.status != "decided" and len({on_top(ballot) for ballot in cast}) > 1
    if len(answering) == 1:
        so = "even copies of one model did not agree" if apart else "agreement of copies is weak evidence"
        yield f"{every(len(counted), unit)} come from {min(answering)}: {so}."
    elif len(families_of(answering)) == 1 and all(map(family, answering)):
        so = "even they did not agree" if apart else "they are likely to err alike"
        yield f"{every(len(counted), unit)} come from one family of models ({listed(sorted(answering))}): {so}."
    elif (sources := _sources(answering)) < len(counted):
        kind = "families of models" if sources < len(answering) else "models"
        unknown = [model for model in sorted(answering) if ":" in model and not family(model)]
        why = (
            f"which models answer for {listed(unknown)} is not known" if unknown else f"they come from {sources} {kind}"
        )
        yield f"Effective {unit}: at most about {sources} of {len(counted)} are independent, because {why}."


def _sources(answering: Collection[str]) -> int:
    """How many of those who answer are independent at most: families of models; helpers of a program are of none."""
    return len(families_of(answering)) or 1 if all(":" in model for model in answering) else len(answering)


def _from_memory(transcript: Transcript, brief: Brief) -> Iterator[str]:
    """A warning where several models answered and nobody had a document, a tool or a memory."""
    answered = [
        participant
        for participant in brief.participants
        if participant.duty == "debater" and transcript.models.get(participant.name)
    ]
    shared = brief.background or brief.library or transcript.turns(RECALL)
    if len(answered) > 1 and not shared and not any(participant.tools for participant in answered):
        yield "No document was shared: they judged from memory, where a debate has helped least."


def _unseen_signs(transcript: Transcript, brief: Brief) -> Iterator[str]:
    """A warning for each line of a review that holds signs which nobody sees."""
    if transcript.protocol == RULE:
        yield from (f"{line}." for line in unseen_in_words(artefact_of(brief)))


BALLOT_STATES: Mapping[str, str] = {"abstained": "abstained", "unread": NOT_READABLE, "missing": "no ballot"}
"""What reports say in place of a choice."""

MEAN = "mean"
"""The rule by which forecasts are pooled; it has no ballots."""

CONSENT = "consent"
"""The rule by which nobody may be against a text."""

REJECT = "REJECT"
"""What those say who are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A candidate in the tally.

    Attributes:
        candidate: who or what could be chosen.
        ballots: how many ballots were cast for it; of rankings, how many have it in the first place, also with others.
        votes: what the rule counted for it: ballots, or their weights.
        first: how many first drafts gave this answer; None if they were not counted.
    """

    candidate: str
    ballots: int
    votes: float
    first: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """How a debate ended.

    Attributes:
        status: how it ended; ``paused`` and ``open`` where it has not.
        line: the status in one line.
        decision: the decision as it stands in the record.
        proposer: whose proposal won, where candidates are named by their authors.
        tally: the candidates with their votes.
        ballots: the ballots, with the voters' reasons.
        unread: how many ballots could not be read.
        readable: the same beside all of them (``2 of 3 ballots readable``); "" where all could.
        dissent: the ballots for other candidates than the winner, or than the one that led where none was reached.
        notes: what its votes weighed by where that was measured, and what makes it weaker than its numbers look.
    """

    status: RecordStatus
    line: str
    decision: Decision | None = None
    proposer: str = ""
    tally: tuple[Row, ...] = ()
    ballots: tuple[Ballot, ...] = ()
    unread: int = 0
    readable: str = ""
    dissent: tuple[Ballot, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def weighed(self) -> bool:
        """Whether the rule counted something else than ballots: their weights, or points of rankings."""
        return any(row.votes != row.ballots for row in self.tally)


def conclusion(transcript: Transcript) -> Conclusion:
    """How the debate of a record ended."""
    view, decision = outcome_view(transcript), transcript.decision
    status, line = _status(view, transcript.protocol)
    if decision is None:
        return Conclusion(status=status, line=line, notes=view.warnings)
    names = [participant.name for participant in transcript.brief.participants] if transcript.brief else []
    return Conclusion(
        status=status,
        line=line,
        decision=decision,
        proposer=decision.winner if decision.winner in names and decision.winner != decision.text else "",
        tally=_rows(decision),
        ballots=_with_reasons(decision.ballots, transcript),
        unread=sum(ballot.state == "unread" for ballot in decision.ballots),
        readable=readable_ballots(decision),
        dissent=dissent(transcript),
        notes=(*_weight_notes(decision, transcript), *_overturned_note(decision), *view.warnings),
    )


def dissent(transcript: Transcript) -> tuple[Ballot, ...]:
    """The dissent of its conclusion."""
    decision = transcript.decision
    against = _ballots_against(decision, decision.ballots) if decision else ()
    return _with_reasons(against, transcript)


def _ballots_against(decision: Decision, ballots: Sequence[Ballot]) -> tuple[Ballot, ...]:
    """The ballots for others than the winner; if nobody won, for others than the only leader."""
    cast = [ballot for ballot in ballots if ballot.state == "cast"]
    if decision.rule == CONSENT:
        return tuple(ballot for ballot in cast if ballot.choice == REJECT)
    tops = _tops(decision.tally) if decision.status == "no_decision" else [decision.winner]
    led = tops[0] if len(tops) == 1 and tops[0] in decision.tally else None
    return () if led is None else tuple(ballot for ballot in cast if _dissents(ballot, led))


def _dissents(ballot: Ballot, winner: str) -> bool:
    """Whether a ballot is for somebody else; a voter who ranks the others' answers cannot vote for its own."""
    return winner not in (*on_top(ballot), ballot.voter if ballot.ranks else "")


def on_top(ballot: Ballot) -> tuple[str, ...]:
    """Whom a ballot prefers to all others: one candidate, or all that it ranks first or approves of."""
    return ballot.ranks[0] if ballot.ranks else (ballot.choice,)


def _status(outcome: OutcomeView, protocol: str) -> tuple[RecordStatus, str]:
    """How the debate stands, in a word and in one line."""
    if outcome.status == "open":
        return "open", "not finished: the record breaks off before the end of the debate"
    if outcome.status == "paused":
        return "paused", f"paused: {outcome.reason or outcome.kind}"
    decision = outcome.decision
    explanation = (decision.how if decision else "") or outcome.reason
    begun, explanation = status_in_words(outcome.status), explanation.removeprefix("tie: ")
    if outcome.status == "decided" and decision and decision.rule:
        begun = f"decided by {rule_in_words(decision.rule)}"
    line = ANSWERED_LINE if only_answered(protocol, outcome.status, outcome.reason) else f"{begun}: {explanation}"
    return outcome.status, line if explanation else begun


def _with_reasons(ballots: Sequence[Ballot], transcript: Transcript) -> tuple[Ballot, ...]:
    """The ballots with the words beside them, or with what stood in the way, in the words of every other surface."""
    why, reasons = why_uncounted(transcript), list[str]()
    for ballot in ballots:
        turn = transcript.last(ballot.voter, "vote")
        uncounted = why.get(ballot.voter) if ballot.state in ("unread", "missing") else None
        reasons.append(uncounted or ballot.reason or (voter_reason(turn) if turn else ""))
    return tuple(replace(ballot, reason=reason) for ballot, reason in zip(ballots, reasons, strict=True))


def _rows(decision: Decision) -> tuple[Row, ...]:
    cast = [name for ballot in decision.ballots if ballot.state == "cast" for name in on_top(ballot)]
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


def _weight_notes(decision: Decision, transcript: Transcript) -> list[str]:
    """A note on the weights of the votes, if a vote weigher was asked."""
    turn = weighing_turn(transcript.brief, transcript) if transcript.brief else None
    if turn is None or not decision.ballots:
        return []
    method = read_field(turn, HOW) if weights_given(turn) else None
    return [f"Votes weighed {method}." if method else f"Votes weighed equally: {turn.by} gave no weights."]


def _overturned_note(decision: Decision) -> list[str]:
    """A note where the first drafts alone would have chosen something else."""
    tops = _tops(decision.first)
    if not tops or not decision.winner or tops == [decision.winner]:
        return []
    total = math.fsum(decision.first.values())
    chosen = listed(tops)
    lead = f"{decision.first[tops[0]]:g} of {total:g} first drafts{' each' if len(tops) > 1 else ''}"
    return [f"The first drafts had another result: {chosen} had {lead}. The discussion changed the result."]


def _tops(tally: Mapping[str, float]) -> list[str]:
    highest = max(tally.values(), default=0.0)
    return [name for name, votes in tally.items() if votes == highest and highest > 0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """What a member attached: its mark, whose it is, its title and text, and who cited it in which turn."""

    mark: str
    by: str
    title: str
    text: str
    cited: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Whisper:
    """What a member said to one other alone: the turn's mark, who to whom ("" if it named nobody), the words."""

    mark: str
    by: str
    to: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """The outcome of a board.

    Attributes:
        members: each member's verdict and state, in the order of the brief.
        split: whether the verdicts differ.
        attachments: what was attached, in order.
        unknown: what was cited and is neither an artifact nor a document: the turn's mark, by whom, what.
        whispers: what was said to one alone, in order.
    """

    members: tuple[Standing, ...]
    split: bool
    attachments: tuple[Attachment, ...]
    unknown: tuple[tuple[str, str, str], ...]
    whispers: tuple[Whisper, ...]


def board(transcript: Transcript) -> Board | None:
    """The outcome of the board of a record; None if the debate was no board."""
    turns = [turn for turn in transcript.all() if WITHDRAWN in asked_fields(turn)]
    if transcript.brief is None or not turns:
        return None
    brief = transcript.brief
    members = tuple(standings(brief.names("debater"), transcript.all()).values())
    attached = artifacts(turns)
    marks = {artifact.mark.casefold(): artifact.mark for artifact in attached}
    known = {source.name.casefold() for source in (*brief.background, *brief.library)}
    cites = [(turn, words) for turn in turns for words in _cites(turn)]
    cited: Mapping[str, list[tuple[str, str]]] = {artifact.mark: [] for artifact in attached}
    unknown: list[tuple[str, str, str]] = []
    for turn, words in cites:
        if words.casefold() in marks:
            cited[marks[words.casefold()]].append((turn.by, turn.mark))
        elif words.casefold() not in known:
            unknown.append((turn.mark, turn.by, words))
    return Board(
        members=members,
        split=verdicts_differ(members),
        attachments=tuple(
            Attachment(
                mark=artifact.mark,
                by=artifact.turn.by,
                title=artifact.title,
                text=artifact.text,
                cited=tuple(cited[artifact.mark]),
            )
            for artifact in attached
        ),
        unknown=tuple(unknown),
        whispers=tuple(_whispers(turns)),
    )


def _cites(turn: Turn) -> tuple[str, ...]:
    value = read_field(turn, "Cites")
    return tuple(text.strip(" .") for text in value) if isinstance(value, tuple) else ()


def _whispers(turns: list[Turn]) -> Iterator[Whisper]:
    for turn in turns:
        if words := read_field(turn, "Whisper"):
            to = str(read_field(turn, "WhisperTo") or "")
            yield Whisper(mark=turn.mark, by=turn.by, to=to, text=str(words))
