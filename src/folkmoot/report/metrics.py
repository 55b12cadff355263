"""Metrics of a debate (calls, tokens, cost, time) and its problems: missing turns, failed attempts, fallbacks, pauses.

A cost is the sum over answered calls. If one of them has no known price the sum is unknown, never smaller or 0.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from folkmoot.core.agent import UNMARKED, is_cut_off
from folkmoot.core.ask import Ask, Reply
from folkmoot.core.brief import GUEST, HUMAN
from folkmoot.core.event import (
    ASIDE,
    PLAY_EVENTS,
    Asked,
    Attempted,
    Called,
    Entry,
    Erred,
    Event,
    Failed,
    Halted,
    Opened,
    Paused,
    Replied,
    Resumed,
)
from folkmoot.core.labels import failure_in_words
from folkmoot.core.repetition import REPEATED
from folkmoot.core.text import listed
from folkmoot.core.transcript import Transcript, Turn
from folkmoot.report.gaps import turn_gaps


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """What one participant, one model or the whole debate did and used.

    Attributes:
        asks: questions put. For a model this, ``answers``, ``missing`` and ``open`` are 0.
        answers: questions that were answered.
        missing: questions that ended without an answer.
        open: questions that have not ended.
        calls: model calls with an answer.
        attempts: model calls that were sent.
        retries: attempts after the first of the same call.
        errors: attempts that ended without an answer.
        lost: attempts whose end is not on record; the provider may charge for them and for errors too.
        repairs: calls that asked again for fields that could not be read.
        input_tokens: tokens in; ``cached_tokens`` of them came from the provider's cache.
        output_tokens: tokens out.
        estimated: calls whose tokens the provider did not report.
        cost: US dollars; None if the price of at least one call is unknown.
        known: US dollars of the calls with a known price.
        unpriced: the models without a known price.
        seconds: time spent on answers, added up; answers made at once count each.
    """

    asks: int = 0
    answers: int = 0
    missing: int = 0
    open: int = 0
    calls: int = 0
    attempts: int = 0
    retries: int = 0
    errors: int = 0
    lost: int = 0
    repairs: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    estimated: int = 0
    cost: float | None = 0.0
    known: float = 0.0
    unpriced: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """The sums of one debate.

    Attributes:
        total: of everything.
        participants: of each participant who was asked, by name.
        models: of each model that was called, by ``provider:name``.
        seconds: from the first entry to the last, pauses left out.
        paused: the pauses, added up, in seconds.
    """

    total: Use
    participants: Mapping[str, Use]
    models: Mapping[str, Use]
    seconds: float = 0.0
    paused: float = 0.0


def measure(entries: Sequence[Entry]) -> Metrics:
    """Count a record, complete or not."""
    agents: dict[str, str] = {}
    people: dict[str, list[Event]] = {}
    models: dict[str, list[Event]] = {}
    tried: dict[tuple[str, str], str] = {}
    events = _without_tools(entries)
    for event in events:
        if isinstance(event, Asked):
            agents[event.ask.key] = event.ask.to
            people.setdefault(event.ask.to, []).append(event)
        elif isinstance(event, Replied | Failed | Attempted | Called | Erred):
            people.setdefault(agents[event.key], []).append(event)
        if isinstance(event, Attempted):
            tried[event.key, event.call] = event.model
        if isinstance(event, Attempted | Called | Erred):
            # An Erred does not name its model: it is that of the try before it.
            model = event.model if isinstance(event, Attempted | Called) else tried.get((event.key, event.call), "")
            models.setdefault(model, []).append(event)
    seconds, paused = elapsed(entries)
    return Metrics(
        total=use(events),
        participants={name: use(events) for name, events in people.items()},
        models={name: use(events) for name, events in models.items()},
        seconds=seconds,
        paused=paused,
    )


def _without_tools(entries: Sequence[Entry]) -> list[Event]:
    """All events but the uses of tools and the trees of searches, which are no calls of a model."""
    aside: set[tuple[str, str]] = set()
    events: list[Event] = []
    for entry in entries:
        event = entry.event
        if isinstance(event, Attempted | Called) and event.model.startswith(ASIDE):
            aside.add((event.key, event.call))
        elif not isinstance(event, Erred) or (event.key, event.call) not in aside:
            events.append(event)
    return events


def use(events: Iterable[Event]) -> Use:
    """Add up events."""
    counted_events = list(events)
    asks = sum(isinstance(event, Asked) for event in counted_events)
    replies = [event.reply for event in counted_events if isinstance(event, Replied)]
    missing = sum(isinstance(event, Failed) for event in counted_events)
    attempts = [event for event in counted_events if isinstance(event, Attempted)]
    errors = sum(isinstance(event, Erred) for event in counted_events)
    calls = [event for event in counted_events if isinstance(event, Called)]
    unpriced = dict.fromkeys(call.model or "a model without a name" for call in calls if call.usage.cost is None)
    known = math.fsum(call.usage.cost for call in calls if call.usage.cost is not None)
    return Use(
        asks=asks,
        answers=len(replies),
        missing=missing,
        open=max(0, asks - len(replies) - missing),
        calls=len(calls),
        attempts=len(attempts),
        retries=sum(attempt.n > 1 for attempt in attempts),
        errors=errors,
        lost=max(0, len(attempts) - len(calls) - errors),
        repairs=sum(call.call.startswith("repair") for call in calls),
        input_tokens=sum(call.usage.input_tokens for call in calls),
        output_tokens=sum(call.usage.output_tokens for call in calls),
        cached_tokens=sum(call.usage.cached_tokens for call in calls),
        estimated=sum(call.usage.estimated for call in calls),
        cost=None if unpriced else known,
        known=known,
        unpriced=tuple(unpriced),
        seconds=math.fsum(reply.seconds for reply in replies) if asks else math.fsum(call.seconds for call in calls),
    )


def elapsed(entries: Sequence[Entry]) -> tuple[float, float]:
    """Seconds of work and of pauses. A debate that was interrupted counts as paused from its last entry on.

    Its resumption is recorded after the first new questions, so the gap may be before those. Where the clock was set
    back so far that the end is before the beginning, the steps back are left out.
    """
    if not entries:
        return 0.0, 0.0
    now = still = gap = 0.0
    since: float | None = None
    before = entries[0].at
    for entry in entries:
        step = max(0.0, entry.at - before)
        now += step
        if isinstance(entry.event, Paused):
            since = entry.at
        elif isinstance(entry.event, Resumed):
            still += max(gap, step) if since is None else max(0.0, entry.at - since)
            since = None
        gap = max(gap, step) if isinstance(entry.event, PLAY_EVENTS) else 0.0
        before = entry.at
    took = entries[-1].at - entries[0].at
    return max(0.0, (took if took >= 0 else now) - still), still


Kind: TypeAlias = Literal[
    "missing",
    "open",
    "erred",
    "lost",
    "fallback",
    "served",
    "truncated",
    "unmarked",
    "filtered",
    "unread",
    "noted",
    "halted",
    "paused",
    "resumed",
    "estimated",
]
"""The kinds of problems, in order.

An ask without an answer, an ask that has not ended, an attempt without an answer, an attempt without a result; an
answer of another model than was asked, of another than was called, cut off, without a mark of its end, cut by a filter,
with fields that are not readable, with a remark; the debate ended early, paused, resumed; tokens that the provider did
not report."""

UNMARKED_ANSWER = (
    "the server ended the answer without a finish mark (finish_reason), so it counts as cut off; "
    "update the server, or the proxy before it, or use another"
)
"""What happened, and what to do."""

_DATED = re.compile(r"(?:[-@]\d{3,}[\d-]*|[:-]latest)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One problem.

    Attributes:
        kind: what it is.
        seq: the entry that says so.
        who: the participant; "" if it concerns all.
        key: the ask, or the path of the phase; "" if there is none.
        reason: why, in one sentence.
    """

    kind: Kind
    seq: int
    who: str = ""
    key: str = ""
    reason: str = ""


MOST_CAUSES = 3
"""The most different reasons that are given for a debate in which too few answered."""


def missing_causes(problems: Sequence[Fault]) -> Sequence[str]:
    """Why answers are missing, each reason once, the commonest first."""
    reasons = Counter(fault.reason for fault in problems if fault.kind == "missing" and fault.reason)
    return [reason for reason, _ in reasons.most_common(MOST_CAUSES)]


def faults(entries: Sequence[Entry]) -> tuple[Fault, ...]:
    """All problems, in the order of the record."""
    cut: dict[str, Fault] = {}
    return tuple(
        fault
        for fault in sorted(_faults(entries), key=lambda fault: fault.seq)
        # The provider and the agent report the same cut answer: it is one.
        if fault.kind not in ("truncated", "unmarked") or cut.setdefault(fault.key, fault) is fault
    )


def _faults(entries: Sequence[Entry]) -> Iterator[Fault]:
    seats: dict[str, str] = {}  # who answers for a participant
    kept: dict[str, str] = {}  # who gave an answer that a fork kept: an agent of its parent
    asks: dict[str, Ask] = {}
    unanswered: dict[str, int] = {}
    tries: dict[tuple[str, str], tuple[int, Attempted]] = {}

    def fault(kind: Kind, seq: int, key: str, reason: str) -> Fault:
        return Fault(kind=kind, seq=seq, who=asks[key].to, key=key, reason=reason)

    def lost(seq: int, attempt: Attempted) -> Fault:
        reason = f"a call of {attempt.model or 'a model'} has no result on record; it may have been charged"
        return fault("lost", seq, attempt.key, reason)

    for entry in entries:
        event, seq = entry.event, entry.seq
        match event:
            case Opened(brief=brief, forked=forked):
                seats = {participant.name: participant.seat for participant in brief.participants}
                replies = [entry.event for entry in entries if isinstance(entry.event, Replied)] if forked else ()
                kept = {replied.key: replied.reply.asked for replied in replies if replied.reply.asked}
            case Asked(ask=ask):
                asks[ask.key], unanswered[ask.key] = ask, seq
            case Attempted(key=key, call=call):
                if (key, call) in tries:
                    yield lost(*tries[key, call])
                tries[key, call] = (seq, event)
            case Erred(key=key, call=call, kind=kind, reason=reason):
                tries.pop((key, call), None)
                yield fault("erred", seq, key, failure_in_words(kind, reason))
            case Called(key=key, call=call):
                tries.pop((key, call), None)
                for kind, reason in _of_call(event, kept.get(key) or seats.get(asks[key].to, "")):
                    yield fault(kind, seq, key, reason)
            case Failed(key=key, kind=kind, reason=reason):
                unanswered.pop(key)
                yield fault("missing", seq, key, failure_in_words(kind, reason))
            case Replied(key=key, reply=reply):
                unanswered.pop(key)
                for kind, reason in _of_reply(asks[key], reply):
                    yield fault(kind, seq, key, reason)
            case Halted(path="/debate" as path, reason=reason):
                yield Fault(kind="halted", seq=seq, key=path, reason=reason)
            case Paused(reason=reason, kind=kind):
                yield Fault(kind="paused", seq=seq, reason=failure_in_words(kind, reason))
            case Resumed(by=by):
                yield Fault(kind="resumed", seq=seq, reason=f"by {by}" if by else "")
            case _:
                pass
    for seq, attempt in tries.values():
        yield lost(seq, attempt)
    for key, seq in unanswered.items():
        if (kept.get(key) or seats.get(asks[key].to)) != HUMAN:  # for a person the debate waits
            yield fault("open", seq, key, "there is no answer yet")


def same_model(requested: str, served: str) -> bool:
    """Whether a provider's name for the model that answered means the model that was asked for.

    A prefix of provider or vendor and a suffix of a date or ``latest`` are ignored: ``gpt-4o-2024-08-06`` is
    ``openai:gpt-4o``.
    """
    without_provider = requested.partition(":")[2] or requested
    names = [_DATED.sub("", name.rpartition("/")[2].casefold()) for name in (without_provider, served)]
    return names[0] == names[1]


_FINISHES: Mapping[str, tuple[Kind, str]] = {
    "length": ("truncated", "the answer reached its maximum length"),
    UNMARKED: ("unmarked", UNMARKED_ANSWER),
    REPEATED: ("truncated", "the answer said the same again and again, so the rest of it was not read"),
    "filter": ("filtered", "the provider's filter cut the answer"),
}
"""What is wrong with an answer that ended so."""


def _of_call(event: Called, seat: str) -> Iterator[tuple[Kind, str]]:
    if event.model.startswith(ASIDE):
        return
    # A tool may ask another model, such as one that makes vectors: nobody fell back on that. A guest's name says
    # nothing of its model, so whatever answers for it is no other than was asked for.
    guest = event.model.startswith(GUEST)
    asked = "" if event.call.startswith("tool-") or guest else seat
    # A seat may name its model alone, and its provider with a slash; a model's own name may have slashes as well.
    same = {asked, asked.replace("/", ":", 1)} & {event.model, event.model.partition(":")[2]}
    if asked and event.model and not same:
        yield "fallback", f"{event.model} was called instead of {asked}"
    if event.model and event.served and not guest and not same_model(event.model, event.served):
        yield "served", f"{event.served} answered for {event.model}"
    if event.finish in _FINISHES:
        yield _FINISHES[event.finish]
    elif is_cut_off(event):
        yield "truncated", f"the provider ended the answer with {event.finish!r}, which does not say that it is whole"
    if event.usage.estimated:
        yield "estimated", f"{event.model} reported no usable token counts".lstrip()


def _of_reply(ask: Ask, reply: Reply) -> Iterator[tuple[Kind, str]]:
    for gap in turn_gaps(Turn(key=ask.key, by=ask.to, act=ask.act, ask=ask, reply=reply)):
        yield "unread", f"{listed(gap.fields)}: {gap.why}"
    for note in reply.notes:
        if not note.startswith("fallback:"):  # the call itself says so, and is listed
            yield "truncated" if note.startswith("truncated") else "noted", note


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """A debate in numbers.

    Attributes:
        asked: questions to participants.
        done: questions that have ended, with an answer or without.
        missing: questions that ended without an answer.
        calls: calls of models that ended with an answer; the use of a tool is no call.
        tokens_in: tokens that models read.
        tokens_out: tokens that models wrote.
        cost: US dollars; None if a price is not known.
        estimated: whether tokens and cost are estimates, because the provider did not count the tokens of every call.
    """

    asked: int = 0
    done: int = 0
    missing: int = 0
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = 0.0
    estimated: bool = False

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.tokens_in + self.tokens_out


def sums_of(transcript: Transcript) -> Sums:
    """The numbers of a debate so far."""
    asked_turns = done = missing = 0
    for turn in transcript.all():  # a page asks for this after each entry, so it is one loop
        failed = bool(turn.failure)
        missing += failed
        if turn.ask:
            asked_turns += 1
            done += failed or turn.reply is not None
    usage = transcript.usage
    return Sums(
        asked=asked_turns,
        done=done,
        missing=missing,
        calls=transcript.calls,
        tokens_in=usage.input_tokens,
        tokens_out=usage.output_tokens,
        cost=usage.cost,
        estimated=usage.estimated,
    )
