"""What went wrong. This file owns the list: every missing turn, failed try, substitute, gap and pause of a record."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from moot.core.ask import Ask, Reply
from moot.core.event import (
    ASIDE,
    Asked,
    Attempted,
    Called,
    Entry,
    Erred,
    Failed,
    Halted,
    Opened,
    Paused,
    Replied,
    Resumed,
)
from moot.core.labels import because

Kind: TypeAlias = Literal[
    "missing",
    "open",
    "erred",
    "lost",
    "fallback",
    "served",
    "truncated",
    "filtered",
    "unread",
    "noted",
    "halted",
    "paused",
    "resumed",
    "estimated",
]
"""An ask without an answer, an ask that has not ended, a try without an answer, a try without an end, an answer of
another model than was asked, of another than was called, cut off, cut by a filter, with fields that could not be
read, with a remark; the debate ended early, paused, resumed; tokens that the provider did not report."""

_ROOT = "/debate"
_PERSON = "human"
_DATED = re.compile(r"(?:[-@]\d{3,}[\d-]*|[:-]latest)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that went wrong.

    Attributes:
        kind: what it is.
        seq: the entry that says so.
        who: the participant; "" where it concerns all.
        key: the ask, or the path of the phase; "" where there is none.
        reason: why, in one sentence.
    """

    kind: Kind
    seq: int
    who: str = ""
    key: str = ""
    reason: str = ""


def faults(entries: Sequence[Entry]) -> tuple[Fault, ...]:
    """Everything that went wrong, in the order of the record."""
    asks = {entry.event.ask.key: entry.event.ask for entry in entries if isinstance(entry.event, Asked)}
    seats = _seats(entries, asks)
    found: list[Fault] = []
    for entry in entries:
        found.extend(_of_debate(entry))
        found.extend(_of_call(entry, asks, seats))
        found.extend(_of_answer(entry, asks))
    found.extend(_without_end(entries, seats))
    return _once(sorted(found, key=lambda fault: fault.seq))


def same_model(asked: str, served: str) -> bool:
    """Whether a provider's name for the model that answered means the model that was asked for.

    Provider and vendor in front, a date or ``latest`` behind do not matter: ``gpt-4o-2024-08-06`` is ``openai:gpt-4o``.
    """
    bare = asked.partition(":")[2] or asked
    names = [_DATED.sub("", name.rpartition("/")[2].casefold()) for name in (bare, served)]
    return names[0] == names[1]


def _once(found: Sequence[Fault]) -> tuple[Fault, ...]:
    """The list without the second mention of a cut answer: the provider's word and the seat's are the same fault."""
    cut: dict[str, Fault] = {}
    return tuple(fault for fault in found if fault.kind != "truncated" or cut.setdefault(fault.key, fault) is fault)


def _seats(entries: Sequence[Entry], asks: Mapping[str, Ask]) -> dict[str, str]:
    """Who was to answer each ask; what a fork has kept was answered by those who were seated in its parent."""
    openings = [entry.event for entry in entries if isinstance(entry.event, Opened)]
    seats = {each.name: each.seat for opened in openings for each in opened.brief.participants}
    found = {key: seats.get(ask.to, "") for key, ask in asks.items()}
    if any(opened.forked for opened in openings):
        replies = [entry.event for entry in entries if isinstance(entry.event, Replied)]
        found.update({each.key: each.reply.asked for each in replies if each.reply.asked})
    return found


def _of_debate(entry: Entry) -> Iterator[Fault]:
    match entry.event:
        case Halted(path=path, reason=reason) if path == _ROOT:
            yield Fault(kind="halted", seq=entry.seq, key=path, reason=reason)
        case Paused(reason=reason, kind=kind):
            yield Fault(kind="paused", seq=entry.seq, reason=because(kind, reason))
        case Resumed(by=by):
            yield Fault(kind="resumed", seq=entry.seq, reason=f"by {by}" if by else "")
        case _:
            pass


def _of_call(entry: Entry, asks: Mapping[str, Ask], seats: Mapping[str, str]) -> Iterator[Fault]:
    event = entry.event
    if not isinstance(event, Called | Erred):
        return
    who, seq, key = asks[event.key].to, entry.seq, event.key
    if isinstance(event, Erred):
        yield Fault(kind="erred", seq=seq, who=who, key=key, reason=because(event.kind, event.reason))
        return
    if event.model.startswith(ASIDE):
        return
    # A tool may ask another model, such as one that makes vectors: nobody fell back on that. A guest's name says
    # nothing of its model, so whatever answers for it is no other than was asked for.
    guest = event.model.startswith("guest:")
    seat = "" if event.call.startswith("tool-") or guest else seats[key]
    if seat and event.model and seat.replace("/", ":", 1) not in (event.model, event.model.partition(":")[2]):
        yield Fault(kind="fallback", seq=seq, who=who, key=key, reason=f"{event.model} was called instead of {seat}")
    if event.model and event.served and not guest and not same_model(event.model, event.served):
        reason = f"{event.served} answered for {event.model}"
        yield Fault(kind="served", seq=seq, who=who, key=key, reason=reason)
    if event.finish == "length":
        yield Fault(kind="truncated", seq=seq, who=who, key=key, reason="the answer reached its longest length")
    if event.finish == "filter":
        yield Fault(kind="filtered", seq=seq, who=who, key=key, reason="the provider's filter cut the answer")
    if event.usage.estimated:
        yield Fault(
            kind="estimated",
            seq=seq,
            who=who,
            key=key,
            reason=f"{event.model} reported no usable token counts".lstrip(),
        )


def _of_answer(entry: Entry, asks: Mapping[str, Ask]) -> Iterator[Fault]:
    match entry.event:
        case Failed(key=key, kind=kind, reason=reason):
            yield Fault(kind="missing", seq=entry.seq, who=asks[key].to, key=key, reason=because(kind, reason))
        case Replied(key=key, reply=reply):
            yield from _of_reply(entry.seq, asks[key], reply)
        case _:
            pass


def _of_reply(seq: int, ask: Ask, reply: Reply) -> Iterator[Fault]:
    for reason in reply.unread:
        yield Fault(kind="unread", seq=seq, who=ask.to, key=ask.key, reason=reason)
    for note in reply.notes:
        if note.startswith("fallback:"):  # The call itself says so, and is listed.
            continue
        kind = "truncated" if note.startswith("truncated") else "noted"
        yield Fault(kind=kind, seq=seq, who=ask.to, key=ask.key, reason=note)


def _without_end(entries: Sequence[Entry], seats: Mapping[str, str]) -> Iterator[Fault]:
    """Tries and asks that the record leaves open, and tries that a later try replaced.

    A person who has not answered yet is no fault: the debate waits.
    """
    asks: dict[str, tuple[int, Ask]] = {}
    owners: dict[str, str] = {}
    tries: dict[tuple[str, str], tuple[int, Attempted]] = {}
    lost: list[tuple[int, Attempted]] = []
    for entry in entries:
        match entry.event:
            case Asked(ask=ask):
                asks[ask.key] = (entry.seq, ask)
                owners[ask.key] = ask.to
            case Replied(key=key) | Failed(key=key):
                asks.pop(key)
            case Attempted(key=key, call=call):
                lost.extend([tries[key, call]] if (key, call) in tries else [])
                tries[key, call] = (entry.seq, entry.event)
            case Erred(key=key, call=call) | Called(key=key, call=call):
                tries.pop((key, call), None)
            case _:
                pass
    for seq, attempt in (*lost, *tries.values()):
        reason = f"a call of {attempt.model or 'a model'} has no end on record; it may have been paid for"
        yield Fault(kind="lost", seq=seq, who=owners[attempt.key], key=attempt.key, reason=reason)
    for seq, ask in asks.values():
        if seats[ask.key] == _PERSON:
            continue
        yield Fault(kind="open", seq=seq, who=ask.to, key=ask.key, reason="there is no answer yet")
