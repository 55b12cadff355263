"""What a debate was set to. This file owns how rounds, choices, limits and seed are said.

It reads the protocol as it is stored: ``{"is": "Rounds", "most": 3}``.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from moot.core.event import Entry, Opened


def settings(entries: Sequence[Entry]) -> tuple[str, ...]:
    """Rounds, limits and seed in words; a limit that the brief does not set is left out."""
    openings = [entry.event for entry in entries if isinstance(entry.event, Opened)]
    return tuple(words for opened in openings[:1] for words in _told(opened))


def _told(opened: Opened) -> Iterator[str]:
    limits = opened.brief.limits
    for most in list(_most(opened.protocol, "Rounds", "most", 3))[:1]:
        yield f"at most {most} {'round' if most == 1 else 'rounds'}"
    for most in list(_most(opened.protocol, "Meeting", "rounds", 8))[:1]:
        yield f"at most {most} {'message' if most == 1 else 'messages'} for each member"
    yield from opened.chosen
    for most, what in ((limits.asks, "questions"), (limits.tokens, "tokens")):
        if most is not None:
            yield f"at most {most:,} {what}"
    if limits.cost is not None:
        yield f"at most ${limits.cost:.2f}"
    if limits.total_seconds is not None:
        yield f"at most {limits.total_seconds:g} s in all"
    yield f"{limits.turn_seconds:g} s for an answer"
    yield f"seed {opened.brief.seed}"


def _most(part: object, kind: str, name: str, usual: int) -> Iterator[object]:
    """The greatest numbers in phases of a kind within a part of a protocol, from the outermost on."""
    if isinstance(part, Mapping):
        held = cast("Mapping[str, object]", part)
        if held.get("is") == kind:
            yield held.get(name, usual)
        part = list(held.values())
    if isinstance(part, list | tuple):
        for each in cast("Sequence[object]", part):
            yield from _most(each, kind, name, usual)
