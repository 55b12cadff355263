"""What planted liars do to a vote: they give the wrong answer that most others give."""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from folkmoot.learn.panels import Answers, credit, tops


def lie(answers: Answers, truth: str) -> str:
    """The wrong answer that most of the other voters give; the first by name of equals."""
    wrong = Counter(answer for answer in answers.values() if answer not in ("", truth))
    return min(wrong, key=lambda answer: (-wrong[answer], answer), default="a lie")


def credit_with_liars(answers: Answers, truth: str, *, liars: int) -> float:
    """The mean credit of the vote over all ways to choose this number of liars among the voters. Exact.

    Args:
        answers: by voter.
        truth: the right answer.
        liars: how many.
    """
    credits: list[float] = []
    for group in combinations(answers, liars):
        others = {voter: answer for voter, answer in answers.items() if voter not in group}
        credits.append(credit(tops({**others, **dict.fromkeys(group, lie(others, truth))}), truth))
    return math.fsum(credits) / len(credits)


def points_lost(items: Sequence[Answers], truths: Sequence[str], *, liars: int = 1) -> list[float]:
    """For each question the credit without liars minus the credit with them."""
    return [
        credit(tops(item), truth) - credit_with_liars(item, truth, liars=liars)
        for item, truth in zip(items, truths, strict=True)
    ]
