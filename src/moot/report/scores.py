"""Scores of debaters. This file owns what the ratings of a debate add up to; it reads typed fields, never words.

A rating is an answer of the act ``score`` to a question about one turn. A number that could not be read is no number:
every mean says of how many it is.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from moot.core.form import shown
from moot.core.labels import label
from moot.core.transcript import Transcript, Turn, read_field


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """What one rater gave one turn.

    Attributes:
        key: of the rating.
        by: who rates.
        of: whose turn is rated.
        on: the key of that turn.
        points: for each criterion the number given.
        reason: why, in words; "" where none could be read.
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
    """The ratings that stand in a transcript; empty where there are none."""
    # A ranking of all at once is no rating: it decides, and stands with the decision.
    turns = [turn for turn in transcript.turns("score") if len(turn.about) == 1]
    ratings = [_rating(turn, transcript.get(turn.about[0])) for turn in turns]
    debaters = dict.fromkeys(each.of for each in ratings)
    raters = dict.fromkeys(each.by for each in ratings)
    return Scores(
        ratings=tuple(ratings),
        criteria=tuple(dict.fromkeys(name for each in ratings for name in each.points)),
        debaters={name: _means([each for each in ratings if each.of == name]) for name in debaters},
        raters={name: _means([each for each in ratings if each.by == name]) for name in raters},
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


def _means(ratings: Sequence[Rating]) -> dict[str, Mean]:
    given: dict[str, list[float]] = {}
    for each in ratings:
        for name, points in each.points.items():
            given.setdefault(name, []).append(points)
    return {name: Mean(value=math.fsum(points) / len(points), n=len(points)) for name, points in given.items()}
