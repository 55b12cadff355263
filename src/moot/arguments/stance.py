"""Positions over time. This file owns who answered what in which turn, and who changed. It compares wording only.

Answers are compared as rules compare them (``core.matching``): who changed is who would be counted elsewhere.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from moot.core.form import shown
from moot.core.matching import normalise
from moot.core.transcript import Transcript, Turn, read_field

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


def shifts(answers: Sequence[Stand]) -> Iterator[tuple[Stand, Stand]]:
    """Each answer of one participant that is not the one before, behind that one."""
    return ((old, new) for old, new in pairwise(answers) if not alike(old.answer, new.answer))


def changes(held: Mapping[str, Sequence[Stand]]) -> tuple[Change, ...]:
    """Who changed the answer, where, and why."""
    return tuple(
        Change(by=by, key=new.key, before=old.answer, after=new.answer, because=new.because)
        for by, answers in held.items()
        for old, new in shifts(answers)
    )


def alike(one: str, other: str) -> bool:
    """Whether two answers are the same."""
    return bare(one) == bare(other)


def bare(answer: str) -> str:
    """An answer, or a claim, as it is compared."""
    return normalise(answer)


def _read(turn: Turn, names: tuple[str, ...]) -> str:
    for name in names:
        if (value := read_field(turn, name)) is not None:
            return shown(value)
    return ""
