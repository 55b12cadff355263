"""Counts: what was asked, answered, called, used and paid. This file owns these sums.

A cost is the sum over answered calls. Where one of them has no known price the sum is unknown, never smaller or 0.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from moot.core.event import (
    ASIDE,
    PLAY_EVENTS,
    Asked,
    Attempted,
    Called,
    Entry,
    Erred,
    Event,
    Failed,
    Paused,
    Replied,
    Resumed,
)


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
        cost: US dollars; None where the price of at least one call is unknown.
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
    who: dict[str, str] = {}
    people: dict[str, list[Event]] = {}
    models: dict[str, list[Event]] = {}
    tried: dict[tuple[str, str], str] = {}
    events = _without_tools(entries)
    for event in events:
        if isinstance(event, Asked):
            who[event.ask.key] = event.ask.to
            people.setdefault(event.ask.to, []).append(event)
        elif isinstance(event, Replied | Failed | Attempted | Called | Erred):
            people.setdefault(who[event.key], []).append(event)
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
    kept: list[Event] = []
    for entry in entries:
        event = entry.event
        if isinstance(event, Attempted | Called) and event.model.startswith(ASIDE):
            aside.add((event.key, event.call))
        elif not isinstance(event, Erred) or (event.key, event.call) not in aside:
            kept.append(event)
    return kept


def use(events: Iterable[Event]) -> Use:
    """Add up events."""
    found = list(events)
    asks = sum(isinstance(event, Asked) for event in found)
    replies = [event.reply for event in found if isinstance(event, Replied)]
    missing = sum(isinstance(event, Failed) for event in found)
    attempts = [event for event in found if isinstance(event, Attempted)]
    errors = sum(isinstance(event, Erred) for event in found)
    calls = [event for event in found if isinstance(event, Called)]
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
    """Seconds of work and of pauses. A debate that broke off without a pause stood still from its last entry on.

    Whoever takes it up says so behind the questions that are put first, so the gap may lie before those.
    """
    if not entries:
        return 0.0, 0.0
    still = gap = 0.0
    since: float | None = None
    before = entries[0].at
    for entry in entries:
        step = max(0.0, entry.at - before)
        if isinstance(entry.event, Paused):
            since = entry.at
        elif isinstance(entry.event, Resumed):
            still += max(gap, step) if since is None else max(0.0, entry.at - since)
            since = None
        gap = max(gap, step) if isinstance(entry.event, PLAY_EVENTS) else 0.0
        before = entry.at
    return max(0.0, entries[-1].at - entries[0].at - still), still
