"""Independent answers at the cost of a debate: the mixture meets the cost exactly, or says what is missing."""

from fractions import Fraction
from random import Random

import pytest

from folkmoot.app.evaluation.matching import (
    Missing,
    Mixture,
    levels_reached,
    match_adaptive,
    match_uniform,
    spread_evenly,
)
from folkmoot.policy.early_stop import chance_ahead

COSTS = [[1.0] * 10, [3.0] * 10]


def cost(mixture: Mixture, costs: list[list[float]]) -> float:
    low, high = (
        sum(sum(known[:count]) for known, count in zip(costs, counts, strict=True))
        for counts in (mixture.low, mixture.high)
    )
    return (1 - mixture.share) * low + mixture.share * high


@pytest.mark.parametrize(
    ("target", "low", "high", "share"),
    [(12.0, 2, 3, 1.0), (13.0, 3, 4, 0.25), (4.0, 1, 1, 1.0), (2.0, 1, 1, 1.0), (0.0, 1, 1, 1.0)],
)
def test_uniform_sampling_takes_k_or_between_k_and_one_more(target: float, low: int, high: int, share: float) -> None:
    assert match_uniform(COSTS, target) == Mixture(low=(low, low), high=(high, high), share=share)


def test_uniform_sampling_says_what_is_missing() -> None:
    matched = match_uniform([[1.0], [3.0, 3.0]], 9.0)
    assert matched == Missing(needed=((0, 2),), nearest=Mixture(low=(1, 1), high=(1, 1), share=1.0))


def test_answers_that_cost_nothing_never_reach_a_cost() -> None:
    assert match_uniform([[0.0] * 5], 3.0) == Mixture(low=(1,), high=(1,), share=1.0)


@pytest.mark.parametrize(
    ("votes", "reached"),
    [
        ("aaa", {1: Fraction(3, 4), 2: Fraction(7, 8), 3: Fraction(15, 16)}),
        ("abaaaa", {1: Fraction(3, 4), 4: Fraction(13, 16), 5: Fraction(57, 64), 6: Fraction(15, 16)}),
        ("abab", {1: Fraction(3, 4)}),
        ("-a-a", {2: Fraction(3, 4), 4: Fraction(7, 8)}),
        ("----", {}),
    ],
)
def test_a_level_is_reached_where_the_leader_is_further_ahead_than_before(
    votes: str, reached: dict[int, Fraction]
) -> None:
    known = levels_reached(tuple(None if vote == "-" else vote for vote in votes))
    assert known == ((Fraction(0), 1), *((level, n) for n, level in reached.items()))


def test_adaptive_sampling_meets_the_cost_between_two_levels() -> None:
    votes = [list("aaaaaaaaaaaa"), list("abababababab"), list("aabaabaabaab")]
    costs = [[1.0, 2.0, 1.5] * 4 for _ in votes]
    for target in (4.0, 9.0, 16.2, 30.0):
        matched = match_adaptive(votes, costs, target, most=12)
        assert isinstance(matched, Mixture)
        assert cost(matched, costs) == pytest.approx(target)
        assert matched.high[1] >= matched.high[0], "more answers are bought where they differ"
    rich = match_adaptive(votes, costs, 1e9, most=12)
    assert rich == Mixture(low=(12, 12, 12), high=(12, 12, 12), share=1.0)
    poor = match_adaptive(votes, costs, 0.5, most=12)
    assert poor == Mixture(low=(1, 1, 1), high=(1, 1, 1), share=1.0)


def test_adaptive_sampling_says_what_is_missing() -> None:
    matched = match_adaptive([list("aa"), list("ab")], [[1.0, 1.0], [1.0, 1.0]], 100.0, most=9)
    assert isinstance(matched, Missing)
    assert matched.needed == ((1, 3),)
    assert cost(matched.nearest, [[1.0, 1.0], [1.0, 1.0]]) == 2.0


def level_by_level(votes: list[str], costs: list[float], target: float, most: int) -> Mixture | Missing:
    """The definition, for one price a question: each level in turn, and each question's answers one by one."""
    ahead = {chance_ahead(first, n - first) for n in range(1, most) for first in range(n // 2 + 1, n + 1)}
    low: tuple[int, ...] = ()
    before = 0.0
    for level in (Fraction(0), *sorted(ahead), Fraction(1)):
        counts = [stop_at(known, level, most) for known in votes]
        if missing := tuple((place, len(votes[place]) + 1) for place, count in enumerate(counts) if not count):
            return Missing(needed=missing, nearest=Mixture(low=low, high=low, share=1.0))
        high, total = tuple(counts), sum(price * count for price, count in zip(costs, counts, strict=True))
        if total >= target:
            share = (target - before) / (total - before) if low and total > before else 1.0
            return Mixture(low=low or high, high=high, share=share)
        low, before = high, total
    return Mixture(low=low, high=low, share=1.0)


def stop_at(votes: str, level: Fraction, most: int) -> int:
    """After how many answers a question has reached a level; 0 if more must be known."""
    for n in range(1, min(len(votes), most) + 1):
        first, second = sorted((*(votes[:n].count(vote) for vote in set(votes[:n])), 0))[-1:-3:-1]
        if level == 0 or chance_ahead(first, second) >= level:
            return n
    return most if len(votes) >= most else 0


@pytest.mark.parametrize("seed", range(60))
def test_adaptive_sampling_is_what_its_definition_says(seed: int) -> None:
    chance = Random(seed)
    most = chance.randint(2, 9)
    votes = ["".join(chance.choices("abc", (6, 3, 1), k=chance.randint(1, most + 1))) for _ in range(4)]
    costs, target = [chance.choice((1.0, 2.0, 3.5)) for _ in votes], chance.uniform(0.5, 40.0)
    costs_each = [[price] * len(known) for price, known in zip(costs, votes, strict=True)]
    assert match_adaptive([list(known) for known in votes], costs_each, target, most=most) == level_by_level(
        votes, costs, target, most
    )


def test_many_answers_are_matched_at_once() -> None:
    """A debate of thirty calls: its rival may take hundreds of answers to a question."""
    chance = Random(1)
    votes = [chance.choices("abc", (5, 3, 2), k=300) for _ in range(40)]
    matched = match_adaptive(votes, [[1.0] * 300] * 40, 40 * 75.0, most=300)
    assert isinstance(matched, Mixture)
    assert cost(matched, [[1.0] * 300] * 40) == pytest.approx(40 * 75)
    assert max(matched.high) > 250
    assert min(matched.high) < 75


def test_whole_numbers_add_up_to_fractions() -> None:
    assert spread_evenly([0.4, 0.4, 0.4, 0.4, 0.4]) == (0, 1, 0, 1, 0)
    assert sum(spread_evenly([7.4] * 100)) == 740
    assert spread_evenly([]) == ()
