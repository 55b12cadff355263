"""The past of a fork. This file owns what of its parent's record a fork keeps, and whether its own play leads there."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from moot.core.ask import Reply
from moot.core.event import (
    PLAY_EVENTS,
    Asked,
    Attempted,
    Called,
    Entry,
    Erred,
    Event,
    Failed,
    Interjected,
    Opened,
    Paused,
    Replied,
    Resumed,
)
from moot.core.transcript import Transcript, Turn, fold
from moot.phases.phases_base import Table, enter
from moot.protocols.spec import load
from moot.record.codec import digest, encode


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A turn and the answer that takes the place of what was said in it."""

    turn: Turn
    reply: Reply


def keep(past: Sequence[Entry], moved: Collection[str], given: Given | None, *, now: float) -> list[Entry]:
    """The entries that a fork takes over, in order, all behind the opening.

    Args:
        past: the parent's entries behind its opening, up to the fork.
        moved: the participants whom somebody else answers for: what was begun for them is begun anew.
        given: the answer that takes the place of another.
        now: when the questions that are still open are put, in seconds since 1970: a person's time begins anew.
    """
    entries, anew = _answered(past, given)
    transcript = fold(entries)
    open_ = [turn for turn in transcript.all() if not transcript.answered(turn.key)]
    anew.update(turn.key for turn in open_ if turn.by in moved)
    kept = _consistent([each for each in entries if not _is_call(each.event, anew)])
    put = {turn.key for turn in open_}
    return [
        replace(each, at=now) if isinstance(each.event, Asked) and each.event.ask.key in put else each for each in kept
    ]


def _is_call(event: Event, keys: Collection[str]) -> bool:
    return isinstance(event, Attempted | Called | Erred) and event.key in keys


def _answered(past: Sequence[Entry], given: Given | None) -> tuple[list[Entry], set[str]]:
    """The entries with the given answer among them, and the asks whose calls are none of this debate's."""
    if given is None:
        return list(past), set()
    key = given.turn.key
    replied = Replied(key=key, reply=given.reply)
    entries = [
        replace(each, event=replied) if isinstance(each.event, Replied | Failed) and each.event.key == key else each
        for each in past
    ]
    if not any(each.event is replied for each in entries):
        entries.append(replace(entries[-1], event=replied))
    return entries, {key}


def _consistent(entries: Sequence[Entry]) -> list[Entry]:
    """The entries without tries and pauses that have no end among them; letters that came to the parent are none here.

    A try that another one followed is lost in the parent as well, and stays.
    """
    kept: list[Entry] = []
    later: set[tuple[str, str]] = set()
    last = standing = True  # whether nothing but interjections comes behind it, and no resume
    for each in reversed(entries):
        match each.event:
            case Resumed() if last:
                continue
            case Paused() if standing:
                continue
            case Resumed():
                standing = False
            case Attempted(key=key, call=call) if (key, call) not in later:
                continue
            case Attempted(key=key, call=call) | Called(key=key, call=call) | Erred(key=key, call=call):
                later.add((key, call))
            case Interjected():
                kept.append(replace(each, event=replace(each.event, letter=0)))
                continue
            case _:
                pass
        last = False
        kept.append(each)
    return kept[::-1]


def stamp(entries: Sequence[Entry]) -> list[str]:
    """The lines of entries in a chain of their own. Each keeps its time."""
    lines: list[str] = []
    for seq, each in enumerate(entries, start=1):
        lines.append(encode(replace(each, seq=seq, prev=digest(lines[-1]) if lines else "")))
    return lines


def agreed(opened: Opened, events: Sequence[Event]) -> int:
    """How many of the events behind an opening are what its play makes, or come from outside."""
    transcript = Transcript()
    transcript.apply(opened)
    play = enter(load(opened.protocol), Table(brief=opened.brief, transcript=transcript))
    n = 0
    while True:
        while n < len(events) and not isinstance(events[n], PLAY_EVENTS):
            transcript.apply(events[n])
            n += 1
        step = next(play, None)
        if step is None:
            return n
        facts = [Asked(ask=ask) for ask in step] if isinstance(step, Sequence) else [step]
        for fact in facts:
            if n == len(events) or events[n] != fact:
                return n
            transcript.apply(fact)
            n += 1
