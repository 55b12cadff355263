"""The outcome of a debate as one value, and its summary for a list of debates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from moot.core.ask import Usage
from moot.core.decision import Decision
from moot.core.errors import LimitReached, ModelError, MootError, RecordError, Unavailable, Waiting
from moot.core.event import Closed, Entry, Opened, Paused
from moot.core.transcript import Transcript
from moot.record.codec import decode
from moot.record.store import StreamInfo

_PAUSED: Mapping[str, type[MootError]] = {"limit": LimitReached, "unavailable": Unavailable, "waiting": Waiting}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of a debate.

    Attributes:
        debate: its id.
        topic: what was debated.
        status: ``decided``, ``tie``, ``no_decision``, ``failed``, or ``paused``.
        decision: the decision, if there is one.
        reason: why it ended, or stands still, in one sentence.
        kind: with ``paused``: ``limit``, ``stopped``, ``unavailable``, ``waiting``.
        usage: tokens and cost of all calls.
        transcript: everything that was said.
        unlearned: why nothing could be learned from it, in a sentence; "" where that is not so.
    """

    debate: str
    topic: str
    status: str
    decision: Decision | None
    reason: str
    kind: str
    usage: Usage
    transcript: Transcript
    unlearned: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One line of a list of debates.

    Attributes:
        debate: its id.
        topic: what is debated.
        protocol: its name.
        status: as in Outcome, or ``open`` where it runs or was broken off, or ``damaged``.
        at: when it began, in seconds since 1970.
        entries: how many entries are stored.
        reason: why it ended, or stands still; "" where it is open.
        forked: the debate and the entry that it parted from (``depot-3f2a1c@17``); "" for one of its own.
    """

    debate: str
    topic: str
    protocol: str
    status: str
    at: float
    entries: int
    reason: str = ""
    forked: str = ""


def opening(debate: str, entries: Sequence[Entry]) -> Opened:
    """The first entry's event.

    Raises:
        RecordError: it is not the opening of a debate.
    """
    event = entries[0].event
    if not isinstance(event, Opened):
        raise RecordError(f"{debate}: the first entry is no opening of a debate")
    return event


def outcome(debate: str, transcript: Transcript) -> Outcome:
    """What a transcript comes to."""
    closed, paused = transcript.closed, transcript.paused
    return Outcome(
        debate=debate,
        topic=transcript.brief.topic if transcript.brief else "",
        status=closed.status if closed else "paused",
        decision=transcript.decision,
        reason=closed.reason if closed else paused.reason if paused else "it was broken off",
        kind="" if closed else paused.kind if paused else "stopped",
        usage=transcript.usage,
        transcript=transcript,
    )


def ended(outcome: Outcome, hint: str) -> Outcome:
    """The outcome of a program's debate, where it has come to its end and somebody has answered.

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
        error = _PAUSED.get(outcome.kind, MootError)(f"{outcome.reason}; resume it with {hint}")
    elif outcome.status == "failed":
        why = next((f"; {turn.by}: {turn.failure}" for turn in outcome.transcript.all() if turn.failure), "")
        error = ModelError(f"nobody answered: {outcome.reason}{why} ({outcome.debate})", kind="failed")
    else:
        return outcome
    error.debate = outcome.debate
    raise error


def damaged(listed: Listed, error: RecordError) -> Listed:
    """The line in a list of a debate whose record cannot be read."""
    return replace(listed, status="damaged", reason=str(error))


def list_one(info: StreamInfo) -> Listed:
    """One debate's line in a list; a damaged record is a line too, so that it hides no other."""
    try:
        first, last = decode(info.first), decode(info.last)
        opened = opening(info.debate, (first,))
    except RecordError as error:
        listed = Listed(debate=info.debate, topic="", protocol="", status="", at=0.0, entries=info.entries)
        return damaged(listed, error)
    match last.event:
        case Closed(status=status, reason=reason):
            word: str = status
        case Paused(reason=reason):
            word = "paused"
        case _:
            word, reason = "open", ""
    return Listed(
        debate=info.debate,
        topic=opened.brief.topic,
        protocol=opened.name,
        status=word,
        at=first.at,
        entries=info.entries,
        reason=reason,
        forked=opened.forked,
    )


def sums_of(transcript: Transcript, calls: int) -> dict[str, object]:
    """A debate in numbers.

    Args:
        transcript: the debate so far.
        calls: how many calls, of models and tools, have ended with an answer.
    """
    asked = [turn for turn in transcript.all() if turn.ask]
    usage = transcript.usage
    return {
        "asked": len(asked),
        "done": sum(transcript.answered(turn.key) for turn in asked),
        "missing": len(transcript.failures()),
        "calls": calls,
        "tokens_in": usage.input_tokens,
        "tokens_out": usage.output_tokens,
        "cost": usage.cost,
    }
