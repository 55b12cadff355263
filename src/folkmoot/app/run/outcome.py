"""The outcome of a debate as one value, and its summary for a list of debates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypedDict, cast

from folkmoot.core.ask import Usage
from folkmoot.core.brief import LogMode
from folkmoot.core.decision import BallotState, Decision, OutcomeStatus, PauseKind, Status, Strength
from folkmoot.core.errors import FolkmootError, LimitReached, ModelError, RecordError, Unavailable, Waiting
from folkmoot.core.event import Entry, Opened
from folkmoot.core.text import clip, flat
from folkmoot.core.transcript import Transcript
from folkmoot.record.summary_fold import Summary, Verdict

_PAUSED: Mapping[str, type[FolkmootError]] = {
    "limit": LimitReached,
    "unavailable": Unavailable,
    "waiting": Waiting,
    "batch": Waiting,
}


class UsageData(TypedDict):
    """What calls used, as plain data; ``estimated`` where the provider did not count the tokens of every call."""

    input_tokens: int
    output_tokens: int
    cost: float | None
    estimated: bool


class TurnData(TypedDict):
    """A turn, as plain data: who was asked for what in which round, and the answer."""

    mark: str
    by: str
    act: str
    round: int
    text: str
    fields: dict[str, object]
    failure: str


class BallotData(TypedDict):
    """A ballot as it was read, as plain data; see ``Ballot``."""

    voter: str
    choice: str
    state: BallotState
    reason: str
    weight: float
    ranks: list[list[str]]
    confidence: float | None


class AnswerData(TypedDict):
    """An answer that did not win: its text, its voters, its share of the votes, its best argument."""

    answer: str
    by: list[str]
    share: float
    argument: str


class DecisionData(TypedDict):
    """A decision, as plain data; see ``Decision``. Where nobody won, ``minority`` is empty and ``answers`` has them."""

    status: Status
    winner: str
    text: str
    argument: str
    rule: str
    share: float
    support: list[str]
    strength: Strength
    how: str
    tally: dict[str, float]
    first: dict[str, float]
    ballots: list[BallotData]
    dissent: list[str]
    minority: list[AnswerData]
    answers: list[AnswerData]


class OutcomeData(TypedDict):
    """The outcome of a debate, as plain data for ``json.dumps``."""

    debate: str
    topic: str
    protocol: str
    status: OutcomeStatus
    kind: PauseKind
    reason: str
    decision: DecisionData | None
    usage: UsageData
    turns: list[TurnData]
    warnings: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of a debate.

    Attributes:
        debate: its id.
        topic: what was debated.
        status: ``decided``, ``tie``, ``no_decision``, ``failed``, or ``paused``.
        decision: the decision, if there is one.
        reason: why it ended, or stands still, in one sentence.
        kind: with ``paused``: ``limit``, ``stopped``, ``unavailable``, ``waiting``, ``batch``.
        usage: tokens and cost of all calls.
        transcript: everything that was said.
        unlearned: why nothing could be learned from it, in a sentence; "" where that is not so.
        record: what a report is written from; None where the record was not at hand.
    """

    debate: str
    topic: str
    status: OutcomeStatus
    decision: Decision | None
    reason: str
    kind: PauseKind
    usage: Usage
    transcript: Transcript = field(repr=False)
    unlearned: str = ""
    record: "Recorded | None" = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        """One or two lines: how it ended, the decision, why, and the debate's id."""
        from folkmoot.report.conclusion import answer_in_words  # here for start-up time: a list needs no outcome

        status = self.status.replace("_", " ")
        reason = self.reason.removeprefix(f"{status}: ")
        words = answer_in_words(self.decision) if self.decision and self.status == "decided" else ""
        head = f"{status}: {clip(flat(words), SHOWN)} ({reason})" if words else f"{status}: {reason}"
        return f"{head} [{self.debate}]"

    def to_dict(self) -> OutcomeData:
        """The outcome as plain data, which ``json.dumps`` takes."""
        from folkmoot.report.report import as_data  # here for start-up time: a list needs no report

        turns = [
            TurnData(
                mark=turn.mark,
                by=turn.by,
                act=turn.act,
                round=turn.round,
                text=turn.text,
                fields=as_data(turn.fields),
                failure=turn.failure,
            )
            for turn in self.transcript.all()
        ]
        used = self.usage
        return OutcomeData(
            debate=self.debate,
            topic=self.topic,
            protocol=self.transcript.protocol,
            status=self.status,
            kind=self.kind,
            reason=self.reason,
            decision=cast("DecisionData", as_data(self.decision)) if self.decision else None,
            usage=UsageData(
                input_tokens=used.input_tokens,
                output_tokens=used.output_tokens,
                cost=used.cost,
                estimated=used.estimated,
            ),
            turns=turns,
            warnings=list(self.warnings),
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        """What makes the decision weaker than it looks, such as copies of one model; one sentence each."""
        from folkmoot.report.conclusion import cautions  # here for start-up time: a list needs no outcome

        return cautions(self.transcript)

    def report(self, mode: LogMode | Literal[""] = "") -> str:
        """The report as a text.

        Args:
            mode: ``full_markdown``, ``summary_only``, ``json_log``, ``verbose`` or ``visual_tree``; "" for the brief's
                ``logging_mode``, else the full report, as ``folkmoot report`` writes it.

        Raises:
            FolkmootError: the outcome was made without its record.
        """
        from folkmoot.app.plan.next_steps import ways_to_decide  # here for start-up time: few programs write one
        from folkmoot.report.logs import write
        from folkmoot.report.report import report

        if self.record is None:
            raise FolkmootError(f"this outcome has no record to report; read it with folkmoot.show({self.debate!r})")
        stored = self.record
        full_report = report(stored.entries, debate=self.debate, where=stored.place, head=stored.head)
        full_report = replace(full_report, ways=ways_to_decide(stored.entries, self.debate))
        opened = stored.entries[0].event
        wanted = opened.log if isinstance(opened, Opened) else ""
        texts = write(mode or cast("LogMode", wanted) or "full_markdown", full_report, stored.entries)
        return next(iter(texts.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """The record of a debate as an outcome carries it: its entries, the hash of the last, and where it is kept."""

    entries: tuple[Entry, ...]
    head: str
    place: str


SHOWN = 200
"""The most characters of a decision that are printed with an outcome."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One line of a list of debates.

    Attributes:
        debate: its id.
        topic: what is debated.
        name: what its owner calls it since; "" for its topic.
        protocol: its name.
        status: as in Outcome, or ``open`` where it runs or was broken off, or ``damaged``.
        at: when it began, in seconds since 1970.
        entries: how many entries are stored.
        reason: why it ended, or stands still; "" where it is open.
        forked: the debate and the entry that it parted from (``depot-3f2a1c@17``); "" for one of its own.
        waits_for: the people who still have to answer, each once.
        winner: who or what won; "" where nobody did.
        decision: the decision in words, at most 1,000 characters; "" where nothing was decided.
        models: the models of its participants, and others that answered for them, in alphabetical order.
        cost: US dollars of all calls; None where a price is unknown.
        tokens: of all calls, input and output.
        estimated: whether tokens and cost are estimates, because the provider did not count the tokens of every call.
        stale: whether a document of it in the current folder has changed since; only ``folkmoot.list`` looks.
    """

    debate: str
    topic: str
    protocol: str
    status: str
    at: float
    entries: int
    name: str = ""
    reason: str = ""
    forked: str = ""
    waits_for: tuple[str, ...] = ()
    winner: str = ""
    decision: str = ""
    models: tuple[str, ...] = ()
    cost: float | None = 0.0
    tokens: int = 0
    estimated: bool = False
    stale: bool = False


def opening(debate: str, entries: Sequence[Entry]) -> Opened:
    """The first entry's event.

    Raises:
        RecordError: it is not the opening of a debate.
    """
    event = entries[0].event if entries else None
    if not isinstance(event, Opened):
        raise RecordError(f"{debate}: the first entry does not open a debate")
    return event


def outcome(debate: str, transcript: Transcript) -> Outcome:
    """The outcome of a transcript."""
    from folkmoot.report.conclusion import outcome_view  # here for start-up time: a list needs no outcome

    view = outcome_view(transcript)
    return Outcome(
        debate=debate,
        topic=transcript.brief.topic if transcript.brief else "",
        # Nobody runs it: a debate that was interrupted is resumed like a paused one.
        status="paused" if view.status == "open" else view.status,
        decision=transcript.decision,
        reason=view.reason,
        kind="stopped" if view.status == "open" else view.kind,
        usage=transcript.usage,
        transcript=transcript,
    )


def ended(outcome: Outcome, hint: str) -> Outcome:
    """The outcome of a program's debate that has ended with at least one answer.

    Args:
        outcome: its outcome.
        hint: how to go on where it stands still, in Python.

    Raises:
        LimitReached: a limit stands in the way.
        Waiting: a person has to answer first.
        Unavailable: nobody could be reached.
        ModelError: nobody answered.
    """
    if outcome.status == "paused":
        error = _PAUSED.get(outcome.kind, FolkmootError)(f"{outcome.reason}; resume it with {hint}")
    elif outcome.status == "failed":
        failure = next((f"; {turn.by}: {turn.failure}" for turn in outcome.transcript.all() if turn.failure), "")
        error = ModelError(f"nobody answered: {outcome.reason}{failure} ({outcome.debate})", kind="failed")
    else:
        return outcome
    error.debate = outcome.debate
    raise error


def damaged(listed: Listed, error: RecordError) -> Listed:
    """The line in a list of a debate whose record cannot be read."""
    return replace(listed, status="damaged", reason=str(error))


def list_one(summary: Summary) -> Listed:
    """A debate's line in a list. A damaged record is a line too, so that it hides no other."""
    verdict = summary.decision or Verdict()
    return Listed(
        debate=summary.debate,
        topic=summary.topic,
        name=summary.name,
        protocol=summary.protocol,
        status=summary.status,
        at=summary.at,
        entries=summary.entries,
        reason=summary.reason,
        forked=summary.forked,
        waits_for=tuple(dict.fromkeys(ask.name for ask in summary.waits)),
        winner=verdict.winner,
        decision=verdict.text,
        models=summary.models,
        cost=summary.cost,
        tokens=summary.tokens,
        estimated=summary.estimated,
    )
