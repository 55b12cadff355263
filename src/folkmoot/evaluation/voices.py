"""How many independent votes a panel is worth, and how far its answers agree beyond chance.

Without known answers only a limit is told, never the number. Each voter is compared with the plurality of the others,
and what independent voters would show in the same comparison is taken off: their plurality errs too, and for all at
once. Uncorrected, the comparison makes 5 votes of eleven independent voters with two answers to choose from.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from folkmoot.evaluation.paired import Floats, Interval
from folkmoot.evaluation.quantiles import student
from folkmoot.learn.panels import Answers, effective_voters

LEAST = 50
"""Questions below which the effective number of votes is not known, and no limit of it either."""

OPEN = 20
"""Answers to choose from where the answer may be anything; more make no difference."""

DRAWN = 2_000
"""Questions that independent voters are drawn for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Voices:
    """The effective number of independent votes, with its interval, and the mean correlation of being right."""

    effective: float
    interval: Interval
    correlation: float


def effective_votes(items: Sequence[Answers], truths: Sequence[str]) -> Voices | None:
    """The effective number of independent votes, by truth; None for fewer than 50 questions: not known.

    The interval is Student's t over the jackknife: each question is left out once.

    Args:
        items: for each question the answers by voter.
        truths: the right answers.
    """
    if len(items) < LEAST:
        return None
    value, shared = effective_voters(items, truths)
    voters = sorted(items[0])
    right = np.array(
        [[item[voter] == truth for voter in voters] for item, truth in zip(items, truths, strict=True)], dtype=float
    )
    half = _half_width(right, value)
    return Voices(effective=value, interval=Interval(low=value - half, high=value + half), correlation=shared)


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
    return min(value + _half_width(agree, value), float(len(voters)))


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


def _half_width(right: Floats, value: float) -> float:
    """Half of the 95% interval of an effective number of votes, by Student's t over the jackknife."""
    n = len(right)
    pseudo = n * value - (n - 1) * _without_each(right)
    return student(0.975, n - 1) * float(pseudo.std(ddof=1)) / math.sqrt(n)


def _without_each(right: Floats) -> Floats:
    """The effective number of votes with each question left out: by sums, so that hundreds of questions are quick."""
    n, voters = len(right) - 1, right.shape[1]
    sums = right.sum(axis=0) - right
    both = right.T @ right - right[:, :, None] * right[:, None, :]
    spread = np.sqrt(n * sums - sums**2)
    scale = spread[:, :, None] * spread[:, None, :]
    pairs = np.triu(np.ones((voters, voters), dtype=bool), 1) & (scale > 0)
    across = n * both - sums[:, :, None] * sums[:, None, :]
    correlations = np.divide(across, scale, out=np.zeros_like(across), where=pairs).sum(axis=(1, 2))
    shared = np.maximum(correlations / np.maximum(pairs.sum(axis=(1, 2)), 1), 0)
    return voters / (1 + (voters - 1) * shared)


def krippendorff(items: Sequence[Answers]) -> float | None:
    """Krippendorff's alpha for names (2004): 1 is full agreement, 0 what chance gives; None where nothing can differ.

    Questions with fewer than two answers are left out, and so is a voter without an answer.
    """
    answered = [[answer for answer in item.values() if answer] for item in items]
    units = [answers for answers in answered if len(answers) > 1]
    totals = Counter(answer for answers in units for answer in answers)
    n = totals.total()
    expected = n * n - sum(count * count for count in totals.values())
    if not expected:
        return None
    observed = math.fsum(
        (len(answers) ** 2 - sum(count * count for count in Counter(answers).values())) / (len(answers) - 1)
        for answers in units
    )
    return 1 - (n - 1) * observed / expected
