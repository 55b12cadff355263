"""Independent answers at the cost of a debate: the mixture meets the cost exactly, or says what is missing."""

from fractions import Fraction

import pytest

from moot.app.evaluation.matching import (
    Missing,
    Mixture,
    levels,
    match_adaptive,
    match_uniform,
    spread_evenly,
    stop_at,
)

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
    ("votes", "level", "n"),
    [
        ("aaaaaa", Fraction(95, 100), 4),
        ("abaaaa", Fraction(95, 100), None),
        ("abababab", Fraction(95, 100), 8),
        ("aaa", Fraction(95, 100), None),
        ("aaaaaaaa", Fraction(1), 8),
        ("a", Fraction(0), 1),
    ],
)
def test_adaptive_sampling_stops_where_the_leader_is_ahead(votes: str, level: Fraction, n: int | None) -> None:
    assert stop_at(list(votes), level, most=8) == n


def test_answers_that_cannot_be_read_lead_nowhere() -> None:
    assert stop_at([None] * 8, Fraction(1, 2), most=8) == 8
    assert stop_at([None, "a", None, "a"], Fraction(80, 100), most=8) == 4


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


def test_levels_rise_from_one_answer_to_all() -> None:
    assert levels(3) == (0, Fraction(3, 4), Fraction(7, 8), 1)
    assert list(levels(12)) == sorted(set(levels(12)))


def test_whole_numbers_add_up_to_fractions() -> None:
    assert spread_evenly([0.4, 0.4, 0.4, 0.4, 0.4]) == (0, 1, 0, 1, 0)
    assert sum(spread_evenly([7.4] * 100)) == 740
    assert spread_evenly([]) == ()
