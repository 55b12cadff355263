"""Dawid-Skene estimation (one coin): the accuracy of voters and the right answers, from the votes alone.

It assumes that voters err independently: errors that they share are taken for the truth. Sums are in sorted order.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_CLOSE = 1e-7
_PASSES = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The estimate from the votes.

    Attributes:
        answers: for each item the likeliest answers, sorted; more than one is a tie, none an item without a vote.
        chances: for each item the posterior chance of each answer.
        accuracies: for each voter the estimated chance to be right.
        passes: the number of EM passes.
    """

    answers: tuple[tuple[str, ...], ...]
    chances: tuple[Mapping[str, float], ...]
    accuracies: Mapping[str, float]
    passes: int


def one_coin(items: Sequence[Mapping[str, str]], *, options: int = 2) -> Estimate:
    """One accuracy for each voter; errors fall evenly on the other answers (one-coin form, Dawid and Skene 1979).

    For open answers too: the candidates of an item are the answers that were given to it.

    Args:
        items: for each item the answers by voter; "" abstains and says nothing of the voter.
        options: how many answers there are to choose from, 2 or more.
    """
    voted_items = [_votes(item) for item in items]
    voters = sorted({voter for item in voted_items for voter, _ in item})
    chances = [_shares(item) for item in voted_items]
    accuracies: dict[str, float] = {}
    passes, moved = 0, math.inf
    while moved > _CLOSE and passes < _PASSES:
        passes += 1
        accuracies = _accuracies(voted_items, chances, voters)
        new = [_weigh(item, accuracies, options) for item in voted_items]
        moved = _distance(chances, new)
        chances = new
    return Estimate(answers=_most_likely(chances), chances=tuple(chances), accuracies=accuracies, passes=passes)


def _votes(item: Mapping[str, str]) -> list[tuple[str, str]]:
    return sorted((voter, answer) for voter, answer in item.items() if answer)


def _shares(item: Sequence[tuple[str, str]]) -> dict[str, float]:
    answers = [answer for _, answer in item]
    return {answer: answers.count(answer) / len(answers) for answer in sorted(set(answers))}


def _accuracies(
    voted_items: Sequence[Sequence[tuple[str, str]]], chances: Sequence[Mapping[str, float]], voters: Sequence[str]
) -> dict[str, float]:
    """(expected right + 1) / (n + 2) of each voter: an even Beta prior keeps everybody from 0 and 1."""
    right: dict[str, list[float]] = {voter: [] for voter in voters}
    for item, chance in zip(voted_items, chances, strict=True):
        for voter, answer in item:
            right[voter].append(chance[answer])
    return {voter: (math.fsum(parts) + 1) / (len(parts) + 2) for voter, parts in right.items()}


def _weigh(item: Sequence[tuple[str, str]], accuracies: Mapping[str, float], options: int) -> dict[str, float]:
    logs = {
        answer: math.fsum(
            math.log(accuracies[voter] if choice == answer else (1 - accuracies[voter]) / (options - 1))
            for voter, choice in item
        )
        for answer in sorted({answer for _, answer in item})
    }
    return _normalise(logs)


def _normalise(logs: Mapping[str, float]) -> dict[str, float]:
    highest = max(logs.values(), default=0.0)
    parts = {answer: math.exp(value - highest) for answer, value in logs.items()}
    total = math.fsum(parts.values())
    return {answer: part / total for answer, part in parts.items()}


def _distance(old: Sequence[Mapping[str, float]], new: Sequence[Mapping[str, float]]) -> float:
    pairs = zip(old, new, strict=True)
    return max((abs(before[answer] - p) for before, after in pairs for answer, p in after.items()), default=0.0)


def _most_likely(chances: Sequence[Mapping[str, float]]) -> tuple[tuple[str, ...], ...]:
    """The answers whose chance is the largest; what differs by rounding alone is equal."""
    return tuple(
        tuple(answer for answer, p in chance.items() if p >= max(chance.values()) - _CLOSE) for chance in chances
    )
