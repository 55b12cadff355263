"""How many independent votes a panel is worth at most, where the right answers are not known.

Each voter is compared with the plurality of the others, and what independent voters would show in the same comparison
is taken off: their plurality errs too, and for all at once. Uncorrected, the comparison makes 5 votes of eleven
independent voters with two answers to choose from.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from benchmarks.replays.voices import LEAST, half_width
from folkmoot.evaluation.paired import Floats
from folkmoot.learn.panels import Answers

OPEN = 20
"""Answers to choose from where the answer may be anything; more make no difference."""

DRAWN = 2_000
"""Questions that independent voters are drawn for."""


def most_votes(items: Sequence[Answers]) -> float | None:
    """A limit of the effective number of independent votes, without truth; None for fewer than 50 questions.

    Voters who err alike in spite of the others cannot be told from voters who are right, so the number may be smaller.

    Args:
        items: for each question the answers by voter, at least two; "" for none.
    """
    if len(items) < LEAST:
        return None
    voters = sorted(items[0])
    answers = [[item[voter] for voter in voters] for item in items]
    agree = _agree_with_others(answers)
    options = min(len({answer for row in answers for answer in row} - {""}), OPEN)
    by_chance = _correlation(_agree_with_others(_independent(agree.mean(axis=0), options)))
    shared = max(_correlation(agree) - by_chance, 0.0)
    value = len(voters) / (1 + (len(voters) - 1) * shared)
    return min(value + half_width(agree, value), float(len(voters)))


def _agree_with_others(answers: Sequence[Sequence[str]]) -> Floats:
    """For each question and voter 1 where the answer is one that most of the others give, else 0."""
    rows: list[list[float]] = []
    for row in answers:
        counts = Counter(answer for answer in row if answer)
        rows.append([float(bool(own) and _leads_among_others(own, counts)) for own in row])
    return np.array(rows)


def _leads_among_others(own: str, counts: Counter[str]) -> bool:
    rest = max((count for answer, count in counts.items() if answer != own), default=0)
    return counts[own] - 1 >= max(rest, 1)


def _independent(accuracies: Floats, options: int) -> list[list[str]]:
    """Answers of independent voters of these accuracies, drawn with a fixed seed; "0" is right."""
    chance = np.random.default_rng(0)
    right = chance.random((DRAWN, len(accuracies))) < accuracies
    wrong = chance.integers(1, max(options, 2), size=right.shape)
    return [[str(answer) for answer in row] for row in np.where(right, 0, wrong).tolist()]


def _correlation(right: Floats) -> float:
    """The mean correlation of all pairs of voters, not below 0; pairs of which one never varies are left out."""
    varying = right[:, right.std(axis=0) > 0]
    voters = varying.shape[1]
    if voters < 2:
        return 0.0
    scores: Floats = (varying - varying.mean(axis=0)) / varying.std(axis=0)
    of_all = float((scores.sum(axis=1) ** 2).mean())  # the voters' own variances of 1, and each pair twice
    return max((of_all - voters) / (voters * (voters - 1)), 0.0)
