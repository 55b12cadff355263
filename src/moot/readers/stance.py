"""Positions over time. This file owns who answered what in which turn, and who changed. It compares wording only."""

from dataclasses import dataclass
from itertools import pairwise

from moot.core.transcript import Transcript, Turn, read_field
from moot.readers.wording import shown

_ANSWERS = ("ANSWER", "POSITION")
_REASONS = ("BECAUSE", "REASON")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stand:
    """What one participant answered in one turn: the answer, and the reason given for a change."""

    key: str
    answer: str
    because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A participant's answer that is not the one before: which turn, from what, to what, and the reason given."""

    by: str
    key: str
    before: str
    after: str
    because: str = ""


def stands(transcript: Transcript) -> dict[str, tuple[Stand, ...]]:
    """The answers of each participant in their fields ANSWER or POSITION, oldest first."""
    held: dict[str, tuple[Stand, ...]] = {}
    for turn in transcript.turns():
        if answer := _read(turn, _ANSWERS):
            held[turn.by] = (
                *held.get(turn.by, ()),
                Stand(key=turn.key, answer=answer, because=_read(turn, _REASONS)),
            )
    return held


def changes(held: dict[str, tuple[Stand, ...]]) -> tuple[Change, ...]:
    """Who changed the answer, where, and why."""
    return tuple(
        Change(by=by, key=new.key, before=old.answer, after=new.answer, because=new.because)
        for by, answers in held.items()
        for old, new in pairwise(answers)
        if not alike(old.answer, new.answer)
    )


def alike(one: str, other: str) -> bool:
    """Whether two answers have the same words, but for case, blanks, emphasis and a final stop."""
    return bare(one) == bare(other)


def bare(answer: str) -> str:
    """An answer as it is compared: without case, emphasis, superfluous blanks and a stop at the end."""
    return " ".join(answer.casefold().replace("*", "").split()).strip(" .!;:\"'`“”„«»")


def _read(turn: Turn, names: tuple[str, ...]) -> str:
    for name in names:
        if (value := read_field(turn, name)) is not None:
            return shown(value)
    return ""
