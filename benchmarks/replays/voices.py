"""How many independent votes a panel is worth, and how far its answers agree beyond chance."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from folkmoot.evaluation.paired import Floats, Interval
from folkmoot.evaluation.quantiles import student
from folkmoot.learn.panels import Answers
from folkmoot.learn.ratings import correlation

LEAST = 50
"""Questions below which the effective number of votes is not known."""


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
    half = half_width(right, value)
    return Voices(effective=value, interval=Interval(low=value - half, high=value + half), correlation=shared)


def effective_voters(items: Sequence[Answers], truths: Sequence[str]) -> tuple[float, float]:
    """How many independent voters a panel is worth, and the mean correlation of being right over all pairs of voters.

    n / (1 + (n - 1) r), Kish's effective sample size (1965). Pairs of which one is always or never right have no
    correlation and are left out. A correlation below 0 counts as 0.
    """
    voters = sorted(items[0])
    right = {
        voter: [float(item[voter] == truth) for item, truth in zip(items, truths, strict=True)] for voter in voters
    }
    pairs = [correlation(right[voter], right[other]) for voter, other in combinations(voters, 2)]
    known = [pair for pair in pairs if pair is not None]
    shared = max(math.fsum(known) / len(known), 0.0) if known else 0.0
    return len(voters) / (1 + (len(voters) - 1) * shared), shared


def half_width(right: Floats, value: float) -> float:
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
