"""Many voters on one question: what they answer together, and what each vote weighs.

An answer is a text, compared as it is; a voter without an answer abstains. Sums are ``math.fsum`` or in sorted order.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

ENOUGH = 20
"""Graded items that every voter of a panel needs before weights differ from 1."""

CAP = 3.0
"""The maximum of a voter's log-odds: 3 is an accuracy of 95%."""

Answers = Mapping[str, str]
"""The answers to one question by voter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """A voter's graded answers: how many were right, of how many."""

    right: int
    n: int

    @property
    def accuracy(self) -> float:
        """The accuracy to expect: (right + 1) / (n + 2), the mean of the Beta posterior over an even prior."""
        return (self.right + 1) / (self.n + 2)


def tops(answers: Answers, weights: Mapping[str, float] | None = None) -> tuple[str, ...]:
    """The answers with the most votes or weight, sorted; more than one is a tie, none is a panel without an answer.

    A voter without a weight weighs 1. Weights are added exactly, as the rules add them: three of 0.1 are one of 0.3.
    """
    tally: dict[str, Fraction] = {}
    for voter, answer in answers.items():
        if answer:
            weight = Fraction(str(weights.get(voter, 1.0))) if weights else Fraction(1)
            tally[answer] = tally.get(answer, Fraction(0)) + weight
    highest = max(tally.values(), default=Fraction(0))
    return tuple(sorted(answer for answer, weight in tally.items() if weight == highest))


def credit(tied: Sequence[str], truth: str) -> float:
    """1 for the right answer, a share of it where it ties with others, 0 for a wrong one."""
    return 1 / len(tied) if truth in tied else 0.0


def log_odds_weights(marks: Mapping[str, Marks], *, options: int = 2) -> dict[str, float]:
    """The weight of each vote: log(p / (1 - p)) of the voter's accuracy p, at most 3, plus log(k - 1).

    Optimal for independent voters (Nitzan and Paroush 1982, for two answers; k - 1 for k answers among which errors
    fall evenly). p is shrunken by an even Beta prior. A voter at chance or below weighs 0. As long as anybody has fewer
    than 20 graded items, and where nobody is above chance, all weigh 1.

    Args:
        marks: by voter.
        options: k, how many answers there are to choose from, 2 or more.
    """
    weights = {name: log_odds_weight(value, options=options) for name, value in sorted(marks.items())}
    if any(mark.n < ENOUGH for mark in marks.values()) or not any(weights.values()):
        return dict.fromkeys(weights, 1.0)
    return weights


def log_odds_weight(marks: Marks, *, options: int = 2) -> float:
    """The weight of one vote if enough is known of the others; see ``log_odds_weights``."""
    p = marks.accuracy
    return max(min(math.log(p / (1 - p)), CAP) + math.log(options - 1), 0.0)
