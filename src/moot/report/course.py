"""What changed in the course of a debate: revised turns, opinions, what debaters say of themselves, their notes.

This file owns how a self-report is set beside the record. A reported change is shown by the record where the two turns
that it names are the debater's own and give different answers; answers are compared by wording only.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from moot.arguments.stance import Stand, alike, shifts, stands
from moot.core.form import Value
from moot.core.transcript import Transcript, Turn, read_field

_MARK = re.compile(r"\bT([0-9]{1,9})\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """A turn that replaces an earlier one of the same speaker; both by mark and key."""

    by: str
    mark: str
    key: str
    old: str
    old_key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A participant's answer that is not the one before.

    Attributes:
        by: whose answer.
        old: the mark of the turn before.
        new: the mark of the turn that changes it.
        before: the answer before.
        after: the answer since.
        told: whether the participant reports it when looking back; None where it did not look back.
    """

    by: str
    old: str
    new: str
    before: str
    after: str
    told: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A change of opinion as its author reports it, and whether the record shows it."""

    words: str
    shown: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflection:
    """What a debater says when looking back.

    Attributes:
        by: who.
        key: of the turn.
        changed: whether it says that its opinion changed; None where that could not be read.
        changes: the changes that it names.
        contradictions: the contradictions that it names, in its own words.
    """

    by: str
    key: str
    changed: bool | None
    changes: tuple[Told, ...] = ()
    contradictions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A note on strategy that somebody wrote to itself; the round is 0 outside rounds."""

    by: str
    key: str
    round: int
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """What changed, and what debaters say of it.

    Attributes:
        revisions: which turn replaces which.
        moves: the changes of opinion that the record shows.
        reflections: what debaters say of themselves.
        notes: their notes on strategy.
        translations: turns in the language of the topic, by the keys of the turns.
    """

    revisions: tuple[Revision, ...] = ()
    moves: tuple[Move, ...] = ()
    reflections: tuple[Reflection, ...] = ()
    notes: tuple[Note, ...] = ()
    translations: Mapping[str, str] = field(default_factory=dict[str, str])


def course(transcript: Transcript) -> Course:
    """What changed in a debate, complete or not."""
    held = stands(transcript)
    numbers = {turn.key: turn.number for turn in transcript.all()}
    own = {by: {numbers[each.key]: each.answer for each in answers} for by, answers in held.items()}
    reflections = tuple(_reflection(turn, own.get(turn.by, {})) for turn in transcript.turns("reflect"))
    notes = transcript.turns("strategy")
    return Course(
        revisions=_revisions(transcript),
        moves=tuple(move for by, answers in held.items() for move in _moves(by, answers, numbers, reflections)),
        reflections=reflections,
        notes=tuple(Note(by=turn.by, key=turn.key, round=turn.round, words=_text(turn, "NOTE")) for turn in notes),
        translations={
            turn.about[0]: _text(turn, "TRANSLATION") for turn in transcript.turns("translate") if turn.about
        },
    )


def _revisions(transcript: Transcript) -> tuple[Revision, ...]:
    keys = {turn.mark: turn.key for turn in transcript.all()}
    return tuple(
        Revision(by=turn.by, mark=turn.mark, key=turn.key, old=old, old_key=keys[old])
        for turn in transcript.turns("revise")
        if turn.ask and (old := turn.ask.replaces) in keys
    )


def _reflection(turn: Turn, answers: Mapping[int, str]) -> Reflection:
    changed = read_field(turn, "CHANGED")
    return Reflection(
        by=turn.by,
        key=turn.key,
        changed=None if changed is None else changed == "YES",
        changes=tuple(Told(words=words, shown=_differ(span(words), answers)) for words in _list(turn, "CHANGES")),
        contradictions=_list(turn, "CONTRADICTIONS"),
    )


def span(words: str) -> tuple[int, int]:
    """The numbers of the first and the last turn that a report names; (0, 0) where it names fewer than two."""
    found = [int(number) for number in _MARK.findall(words)]
    return (min(found), max(found)) if len(found) > 1 else (0, 0)


def _differ(turns: tuple[int, int], answers: Mapping[int, str]) -> bool:
    first, last = turns
    return first in answers and last in answers and not alike(answers[first], answers[last])


def _moves(
    by: str, answers: Sequence[Stand], numbers: Mapping[str, int], reflections: Sequence[Reflection]
) -> list[Move]:
    looked_back = [each for each in reflections if each.by == by]
    spans = [span(told.words) for each in looked_back for told in each.changes if told.shown]
    return [
        Move(
            by=by,
            old=f"T{numbers[old.key]}",
            new=f"T{numbers[new.key]}",
            before=old.answer,
            after=new.answer,
            told=any(first < numbers[new.key] <= last for first, last in spans) if looked_back else None,
        )
        for old, new in shifts(answers)
    ]


def _list(turn: Turn, name: str) -> tuple[str, ...]:
    value: Value | None = read_field(turn, name)
    return value if isinstance(value, tuple) else ()


def _text(turn: Turn, name: str) -> str:
    return str(read_field(turn, name) or turn.text)
