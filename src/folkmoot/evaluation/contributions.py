"""What each participant adds to the count: leave one out, and Shapley values, by counting the ballots without it.

They speak of the count, not of the talk: what a participant's words did to the others needs a run without it.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

from folkmoot.learn.panels import Answers, credit, tops

MOST_SEATS = 10
"""Shapley values are exact and take 2 to the number of participants recounts. Beyond this number that is too much."""

Value = Callable[[Sequence[str]], float]


def vote_value(answers: Answers, truth: str, *, empty: float = 0.0) -> Value:
    """The credit of a recount with some of the seats.

    Args:
        answers: by seat.
        truth: the right answer.
        empty: what is worth to ask nobody: chance, or the base rate.
    """

    def value(seats: Sequence[str]) -> float:
        return credit(tops({seat: answers[seat] for seat in seats}), truth) if seats else empty

    return value


def shapley(seats: Sequence[str], value: Value) -> dict[str, float]:
    """The mean of what each seat adds, over all orders in which the seats could come (Shapley 1953). Exact.

    Raises:
        ValueError: more than ten seats.
    """
    n = len(seats)
    if n > MOST_SEATS:
        raise ValueError(f"{n} seats are too many for exact Shapley values; {MOST_SEATS} are possible")
    worth = {group: value(group) for size in range(n + 1) for group in combinations(seats, size)}
    shares: dict[str, float] = {}
    for seat in seats:
        parts = [
            (after - worth[tuple(other for other in group if other != seat)]) / (n * math.comb(n - 1, len(group) - 1))
            for group, after in worth.items()
            if seat in group
        ]
        shares[seat] = math.fsum(parts)
    return shares


def leave_one_out(seats: Sequence[str], value: Value) -> dict[str, float]:
    """What the count loses without each seat."""
    full_value = value(seats)
    return {seat: full_value - value([other for other in seats if other != seat]) for seat in seats}


def by_seat(questions: Sequence[Mapping[str, float]]) -> dict[str, list[float]]:
    """The values of each seat over all questions, for an interval of their mean."""
    return {seat: [question[seat] for question in questions] for seat in (questions[0] if questions else ())}
