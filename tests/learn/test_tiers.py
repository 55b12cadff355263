"""Memory fades with time and lasts with use: the tiers, their half-lives, promotion."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.learn.memory import DAY, HALF_LIFE, PROMOTED, score, strength, tier

AGES = st.floats(0, 20_000 * DAY)
USES = st.integers(0, 1000)


@pytest.mark.parametrize(
    ("uses", "expected"),
    [(0, "fast"), (1, "medium"), (2, "medium"), (3, "slow"), (6, "slow"), (7, "archival"), (500, "archival")],
)
def test_use_promotes(uses: int, expected: str) -> None:
    assert tier(uses) == expected


def test_every_tier_lasts_longer_than_the_one_before() -> None:
    lives = list(HALF_LIFE.values())
    assert lives == sorted(lives)
    assert list(HALF_LIFE) == list(PROMOTED)


@pytest.mark.parametrize(
    ("age", "uses", "half_life", "expected"),
    [(0.0, 0, 10.0, 1.0), (10.0, 0, 10.0, 0.5), (30.0, 0, 10.0, 0.125), (0.0, 1, 10.0, 2.0), (10.0, 3, 10.0, 1.5)],
)
def test_the_score_is_the_formula(age: float, uses: int, half_life: float, expected: float) -> None:
    assert score(age, uses, half_life) == pytest.approx(expected)


def test_a_memory_from_the_future_is_as_good_as_new() -> None:
    assert score(-50.0, -2, 10.0) == 1.0


@given(AGES, AGES, USES)
def test_time_never_makes_a_memory_stronger(one: float, other: float, uses: int) -> None:
    younger, older = sorted((one, other))
    assert strength(younger, uses) >= strength(older, uses) >= 0


@given(AGES, USES)
def test_use_never_makes_a_memory_weaker(age: float, uses: int) -> None:
    assert strength(age, uses + 1) > strength(age, uses) or strength(age, uses + 1) == 0.0
