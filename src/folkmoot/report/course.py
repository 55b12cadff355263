"""What changed during a debate, and the scores of debaters.

Changes are revised turns, changed answers, what debaters say of themselves, and strategy notes. A change that a debater
reports is confirmed by the record if the two turns that it names are its own and give different answers. Answers are
compared by wording only.

A rating is an answer of the act ``score`` to a question about one turn. A number that could not be read is left out:
every mean says how many numbers it is of.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from folkmoot.arguments.positions import AnswerGiven, alike, answer_shifts, answers_given
from folkmoot.core.ask import Value, shown
from folkmoot.core.labels import label
from folkmoot.core.transcript import Transcript, Turn, read_field

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
class AnswerChange:
    """A participant's answer that is not the one before.

    Attributes:
        by: whose answer.
        old: the mark of the turn before.
        new: the mark of the turn that changes it.
        before: the answer before.
        after: the answer since.
        told: whether the participant reports it when looking back; None if it did not look back.
    """

    by: str
    old: str
    new: str
    before: str
    after: str
    told: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedChange:
    """A change of opinion as its author reports it, and whether the record shows it."""

    words: str
    shown: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflection:
    """What a debater says when looking back.

    Attributes:
        by: who.
        key: of the turn.
        changed: whether it says that its opinion changed; None if that could not be read.
        changes: the changes that it names.
        contradictions: the contradictions that it names, in its own words.
    """

    by: str
    key: str
    changed: bool | None
    changes: tuple[ReportedChange, ...] = ()
    contradictions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A participant's note on strategy to itself; the round is 0 outside rounds."""

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
    moves: tuple[AnswerChange, ...] = ()
    reflections: tuple[Reflection, ...] = ()
    notes: tuple[Note, ...] = ()
    translations: Mapping[str, str] = field(default_factory=dict[str, str])


def course(transcript: Transcript) -> Course:
    """What changed in a debate, complete or not."""
    answers_by_name = answers_given(transcript)
    numbers = {turn.key: turn.number for turn in transcript.all()}
    own = {by: {numbers[stand.key]: stand.answer for stand in answers} for by, answers in answers_by_name.items()}
    reflections = tuple(_reflection(turn, own.get(turn.by, {})) for turn in transcript.turns("reflect"))
    notes = transcript.turns("strategy")
    return Course(
        revisions=_revisions(transcript),
        moves=tuple(
            move
            for by, answers in answers_by_name.items()
            for move in _answer_changes(by, answers, numbers, reflections)
        ),
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
        changes=tuple(
            ReportedChange(words=words, shown=_differ(span(words), answers)) for words in _list(turn, "CHANGES")
        ),
        contradictions=_list(turn, "CONTRADICTIONS"),
    )


def span(words: str) -> tuple[int, int]:
    """The numbers of the first and the last turn that a report names; (0, 0) where it names fewer than two."""
    numbers = [int(number) for number in _MARK.findall(words)]
    return (min(numbers), max(numbers)) if len(numbers) > 1 else (0, 0)


def _differ(turns: tuple[int, int], answers: Mapping[int, str]) -> bool:
    first, last = turns
    return first in answers and last in answers and not alike(answers[first], answers[last])


def _answer_changes(
    by: str, answers: Sequence[AnswerGiven], numbers: Mapping[str, int], reflections: Sequence[Reflection]
) -> list[AnswerChange]:
    looked_back = [reflection for reflection in reflections if reflection.by == by]
    spans = [span(change.words) for reflection in looked_back for change in reflection.changes if change.shown]
    return [
        AnswerChange(
            by=by,
            old=f"T{numbers[old.key]}",
            new=f"T{numbers[new.key]}",
            before=old.answer,
            after=new.answer,
            told=any(first < numbers[new.key] <= last for first, last in spans) if looked_back else None,
        )
        for old, new in answer_shifts(answers)
    ]


def _list(turn: Turn, name: str) -> tuple[str, ...]:
    value: Value | None = read_field(turn, name)
    return value if isinstance(value, tuple) else ()


def _text(turn: Turn, name: str) -> str:
    return str(read_field(turn, name) or turn.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """What one rater gave one turn.

    Attributes:
        key: of the rating.
        by: who rates.
        of: whose turn is rated.
        on: the key of that turn.
        points: for each criterion the number given.
        reason: why, in words; "" if none could be read.
    """

    key: str
    by: str
    of: str
    on: str
    points: Mapping[str, float]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """An arithmetic mean, and of how many numbers it is."""

    value: float
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """All ratings of a debate, and their means.

    Attributes:
        ratings: every rating, in the order of asking.
        criteria: what was rated, in words, in the order of the form.
        debaters: for each who was rated the mean by criterion, over all raters and turns.
        raters: for each who rated the mean by criterion of what it gave; who is severe shows here.
    """

    ratings: tuple[Rating, ...] = ()
    criteria: tuple[str, ...] = ()
    debaters: Mapping[str, Mapping[str, Mean]] = field(default_factory=dict[str, Mapping[str, Mean]])
    raters: Mapping[str, Mapping[str, Mean]] = field(default_factory=dict[str, Mapping[str, Mean]])


def scores(transcript: Transcript) -> Scores:
    """The ratings in a transcript; empty if there are none."""
    # A ranking of all at once is no rating: it decides, and stands with the decision.
    turns = [turn for turn in transcript.turns("score") if len(turn.about) == 1]
    ratings = [_rating(turn, transcript.get(turn.about[0])) for turn in turns]
    debaters = dict.fromkeys(rating.of for rating in ratings)
    raters = dict.fromkeys(rating.by for rating in ratings)
    return Scores(
        ratings=tuple(ratings),
        criteria=tuple(dict.fromkeys(name for rating in ratings for name in rating.points)),
        debaters={name: _mean_ratings([rating for rating in ratings if rating.of == name]) for name in debaters},
        raters={name: _mean_ratings([rating for rating in ratings if rating.by == name]) for name in raters},
    )


def _rating(turn: Turn, on: Turn) -> Rating:
    return Rating(
        key=turn.key,
        by=turn.by,
        of=on.by,
        on=on.key,
        points={label(name): float(value) for name, value in turn.fields.items() if isinstance(value, int | float)},
        reason=shown(read_field(turn, "REASON") or ""),
    )


def _mean_ratings(ratings: Sequence[Rating]) -> dict[str, Mean]:
    points_by_name: dict[str, list[float]] = {}
    for rating in ratings:
        for name, points in rating.points.items():
            points_by_name.setdefault(name, []).append(points)
    return {name: Mean(value=math.fsum(points) / len(points), n=len(points)) for name, points in points_by_name.items()}
