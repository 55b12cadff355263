"""Measures of judges: consistency of pairwise verdicts in both orders, and flips of stances after a debate."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """One judge on one pair, shown as (one, other) and then as (other, one).

    Attributes:
        one: the name of the first.
        other: the name of the second.
        straight: who won as (one, other); "" for no verdict.
        swapped: who won as (other, one); "" for no verdict.
        truth: who is better.
    """

    one: str
    other: str
    straight: str
    swapped: str
    truth: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderSwap:
    """How much the order of presentation changes a judge's verdicts.

    Attributes:
        n: pairs.
        accuracy: the share of right verdicts over both orders; no verdict is not right.
        agree: the share of pairs with the same verdict in both orders.
        accuracy_agreeing: the share of those that are right; None if there are none.
        first: the share of verdicts for the one that was shown first; one half is fair. None if there are none.
    """

    n: int
    accuracy: float
    agree: float
    accuracy_agreeing: float | None
    first: float | None


def order_swap(verdicts: Sequence[Verdicts]) -> OrderSwap:
    """The measures over at least one pair.

    Raises:
        ValueError: there is no pair.
    """
    if not verdicts:
        raise ValueError("there is no verdict to measure; at least one pair is needed")
    n = len(verdicts)
    right = sum((verdict.straight == verdict.truth) + (verdict.swapped == verdict.truth) for verdict in verdicts)
    agreeing = [verdict for verdict in verdicts if verdict.straight and verdict.straight == verdict.swapped]
    unswapped = sum(bool(verdict.straight) + bool(verdict.swapped) for verdict in verdicts)
    first = sum((verdict.straight == verdict.one) + (verdict.swapped == verdict.other) for verdict in verdicts)
    return OrderSwap(
        n=n,
        accuracy=right / (2 * n),
        agree=len(agreeing) / n,
        accuracy_agreeing=_share(sum(verdicts.straight == verdicts.truth for verdicts in agreeing), len(agreeing)),
        first=_share(first, unswapped),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


Label: TypeAlias = Literal["aligned", "neutral", "opposed"]
"""A stance relative to a side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """A stance before and after, on any scale whose 0 is neutral, and the side that was argued: 1 or -1."""

    before: float
    after: float
    side: int

    @property
    def towards(self) -> float:
        """How far the stance moved towards the side; negative if it moved away."""
        return (self.after - self.before) * self.side

    @property
    def start(self) -> Label:
        """The stance before."""
        return _label(self.before * self.side)

    @property
    def end(self) -> Label:
        """The stance after."""
        return _label(self.after * self.side)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flips:
    """How many stances changed, and in which direction.

    Attributes:
        n: how many.
        paths: how many for each start and end.
        won: the share of the opposed who end aligned; None if nobody was opposed.
        lost: the share of the aligned who end opposed; None if nobody was aligned.
        flipped: the share of all who end on the other side.
        mean: the mean shift towards the side.
    """

    n: int
    paths: Mapping[tuple[Label, Label], int]
    won: float | None
    lost: float | None
    flipped: float
    mean: float


def count_flips(shifts: Sequence[Shift]) -> Flips:
    """The figures over at least one shift.

    Raises:
        ValueError: there is no shift.
    """
    if not shifts:
        raise ValueError("there is no stance to follow; at least one is needed")
    n = len(shifts)
    paths: Counter[tuple[Label, Label]] = Counter(
        (shift.start, shift.end) for shift in sorted(shifts, key=lambda shift: (shift.start, shift.end))
    )
    won, lost = paths["opposed", "aligned"], paths["aligned", "opposed"]
    starts = Counter(shift.start for shift in shifts)
    return Flips(
        n=n,
        paths=dict(paths),
        won=won / starts["opposed"] if starts["opposed"] else None,
        lost=lost / starts["aligned"] if starts["aligned"] else None,
        flipped=(won + lost) / n,
        mean=math.fsum(shift.towards for shift in shifts) / n,
    )


def _label(stance: float) -> Label:
    return "aligned" if stance > 0 else "opposed" if stance < 0 else "neutral"
