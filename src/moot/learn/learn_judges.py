"""How a judge of pairs judges. This file owns the measures of verdicts that were given in both orders."""

from collections.abc import Sequence
from dataclasses import dataclass


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
    """What the order of showing does to a judge.

    Attributes:
        n: pairs.
        accuracy: the share of right verdicts over both orders; no verdict is not right.
        agree: the share of pairs with the same verdict in both orders.
        accuracy_agreeing: the share of those that are right; None where there are none.
        first: the share of verdicts for the one that was shown first; one half is fair. None where there are none.
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
    right = sum((each.straight == each.truth) + (each.swapped == each.truth) for each in verdicts)
    agreeing = [each for each in verdicts if each.straight and each.straight == each.swapped]
    given = sum(bool(each.straight) + bool(each.swapped) for each in verdicts)
    first = sum((each.straight == each.one) + (each.swapped == each.other) for each in verdicts)
    return OrderSwap(
        n=n,
        accuracy=right / (2 * n),
        agree=len(agreeing) / n,
        accuracy_agreeing=_share(sum(each.straight == each.truth for each in agreeing), len(agreeing)),
        first=_share(first, given),
    )


def _share(some: int, whole: int) -> float | None:
    return some / whole if whole else None
