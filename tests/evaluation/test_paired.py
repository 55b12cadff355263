"""Quantiles, paired intervals and their p values, against tables and numbers worked out by hand."""

import math

import numpy as np
import pytest

from folkmoot.evaluation.paired import DRAWS, Differences, Interval, mcnemar, p_value, sign_flip, sign_test
from folkmoot.evaluation.quantiles import (
    beta,
    incomplete_beta,
    normal,
    student,
    student_share,
    wilson,
)
from folkmoot.evaluation.verdicts import compare, decide


def test_quantiles_are_those_of_the_tables() -> None:
    """Student's t and chi-square as in the NIST handbook, to more digits; the beta from a binomial sum."""
    assert student(0.975, 1) == pytest.approx(math.tan(0.475 * math.pi), abs=1e-9)
    assert student(0.975, 10) == pytest.approx(2.2281388519649385, abs=1e-9)
    assert student(0.95, 98) == pytest.approx(1.6605512170440576, abs=1e-9)
    assert student(0.975, 1e7) == pytest.approx(normal(0.975), abs=1e-6)
    assert beta(0.8, 1, 30) == pytest.approx(1 - 0.2 ** (1 / 30), abs=1e-10)
    assert incomplete_beta(0.3, 2, 3) == pytest.approx(0.3483, abs=1e-12)
    assert [incomplete_beta(0, 2, 3), incomplete_beta(1, 2, 3)] == [0, 1]
    assert student_share(-1.0, 1) == pytest.approx(0.25, abs=1e-12)


def test_the_interval_of_a_share_is_wilsons() -> None:
    assert wilson(8, 10) == pytest.approx((0.4901625, 0.9433178), abs=1e-7)
    assert (wilson(0, 10)[0], wilson(10, 10)[1]) == pytest.approx((0, 1), abs=1e-12)


def test_losses_have_students_interval() -> None:
    differences = Differences([1.0, 2.0, 3.0, 4.0])
    half = student(0.975, 3) * math.sqrt(5 / 3) / 2
    assert (differences.n, differences.mean, differences.spread) == (4, 2.5, pytest.approx(math.sqrt(5 / 3)))
    interval = differences.interval()
    assert (interval.low, interval.high) == (pytest.approx(2.5 - half), pytest.approx(2.5 + half))
    assert differences.interval(0.9).low > differences.interval().low


def test_credits_get_one_question_won_and_one_lost() -> None:
    """Bonett and Price: 3 won and 1 lost of 10 are 4 and 2 of 12."""
    interval = Differences([1, 1, 1, -1, 0, 0, 0, 0, 0, 0], credits=True).interval()
    middle = 2 / 12
    half = student(0.975, 9) * math.sqrt((6 / 12 - middle**2) / 12)
    assert (interval.low, interval.high) == (pytest.approx(middle - half), pytest.approx(middle + half))


def test_questions_of_a_group_count_together() -> None:
    values, groups = [1.0, 1.0, 0.0, 0.0, 2.0, 0.5], ["a", "a", "b", "b", "c", "c"]
    differences = Differences(values, groups)
    mean = 4.5 / 6
    error = math.sqrt(3 / 2 * sum((total - 2 * mean) ** 2 for total in (2.0, 0.0, 2.5))) / 6
    interval = differences.interval()
    assert (interval.low + interval.high) / 2 == pytest.approx(mean)
    assert (interval.high - interval.low) / 2 == pytest.approx(student(0.975, 2) * error)
    assert differences.spread == pytest.approx(error * math.sqrt(6))


def test_groups_of_credits_get_two_groups_more() -> None:
    values, groups = [1.0, 1.0, 0.0, -1.0], ["a", "a", "b", "c"]
    interval = Differences(values, groups, credits=True).interval()
    mean = 1 / 6
    parts = [2 - 2 * mean, 0 - mean, -1 - mean, 1 - mean, -1 - mean]
    half = student(0.975, 4) * math.sqrt(5 / 4 * sum(part**2 for part in parts)) / 6
    assert (interval.low, interval.high) == (pytest.approx(mean - half), pytest.approx(mean + half))


@pytest.mark.parametrize(("values", "groups"), [([1.0], ()), ([1.0, 2.0], ("a", "a")), ([1.0, 2.0], ("a",))])
def test_too_few_questions_are_refused(values: list[float], groups: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r"two questions|each question needs one"):
        Differences(values, groups)


def test_an_interval_knows_where_it_lies() -> None:
    assert Interval(low=0.1, high=0.2).beyond_zero
    assert Interval(low=-0.2, high=-0.1).beyond_zero
    assert not Interval(low=-0.1, high=0.1).beyond_zero


def test_won_against_lost_is_mcnemars_mid_p() -> None:
    """10 against 3: 2 (1 + 13 + 78 + 286 / 2) / 2^13."""
    assert mcnemar(10, 3) == pytest.approx(2 * (1 + 13 + 78 + 143) / 2**13)
    assert (mcnemar(0, 0), mcnemar(4, 4)) == (1, 1)
    assert sign_test(10, 3) == pytest.approx(2 * (1 + 13 + 78 + 286) / 2**13)
    assert (sign_test(0, 0), sign_test(4, 4)) == (1, 1)
    assert p_value(Differences([1] * 10 + [-1] * 3 + [0] * 7, credits=True)) == mcnemar(10, 3)


def test_signs_are_counted_where_there_are_few_of_them() -> None:
    """Of the 8 choices of signs for 1, 2 and 3 two reach a sum of 6; a 0 changes nothing."""
    assert sign_flip(np.array([1.0, 2.0, 3.0, 0.0])) == 0.25
    assert p_value(Differences([0.5, 0.5, 0.5, 0.0], credits=True)) == 0.25
    assert p_value(Differences([1, 0, 1, 0, 1, 1], ("a", "a", "b", "b", "c", "c"), credits=True)) == 0.25
    assert sign_flip(np.zeros(3)) == 1


def test_signs_are_drawn_where_there_are_many() -> None:
    """Twenty equal values: the chance of all plus or all minus is 2^-19; of 15 or more of one sign 0.0414."""
    assert sign_flip(np.ones(20)) == pytest.approx(1 / (1 + DRAWS), abs=1e-3)
    assert sign_flip(np.array([1.0] * 15 + [-1.0] * 5)) == pytest.approx(0.0414, abs=0.005)
    values = np.arange(1.0, 21.0)
    assert sign_flip(values - 10.0, seed=3) == sign_flip(values - 10.0, seed=3)


@pytest.mark.parametrize("groups", [(), ["a", "b", "c", "d", "e", "f"] * 10])
def test_rounding_of_scores_is_no_difference(groups: list[str]) -> None:
    """A mixture of equal scores may be one bit off; were that the same bit everywhere, an interval would exclude 0."""
    differences = Differences([2e-16] * 60, groups)
    assert (differences.mean, differences.spread) == (0, 0)
    assert not differences.interval().beyond_zero
    assert p_value(differences) == 1
    assert decide([compare("rival", differences)], margin=0.02).word == "no difference"
