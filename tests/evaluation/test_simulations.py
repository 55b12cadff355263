"""Simulated evaluations: the shipped intervals and verdicts keep what they promise; small, with seeds."""

from collections.abc import Callable

import numpy as np
import pytest

from folkmoot.evaluation.simulations import (
    Check,
    check_coverage,
    check_looks,
    check_null,
    check_power,
    draw_credits,
    draw_losses,
    expect_words,
)


def test_drawn_credits_have_their_share_and_their_difference() -> None:
    drawn = draw_credits(np.random.default_rng(1), 40_000, share=0.15, effect=0.05)
    assert float(np.abs(drawn.values).mean()) == pytest.approx(0.15, abs=0.01)
    assert drawn.mean == pytest.approx(0.05, abs=0.01)


def test_questions_of_a_drawn_group_are_alike() -> None:
    drawn = draw_credits(np.random.default_rng(1), 20_000, share=0.5, group_size=2)
    pairs = drawn.values.reshape(-1, 2)
    assert float((pairs[:, 0] * pairs[:, 1]).mean()) / 0.5 == pytest.approx(0.3, abs=0.03)
    assert len(drawn.sums) == 10_000


def test_drawn_losses_are_worse_with_more_noise() -> None:
    chance = np.random.default_rng(1)
    assert draw_losses(chance, 40_000).mean() > 0.02
    assert draw_losses(chance, 40_000, (0.9, 0.9)).mean() == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize("checks", [check_coverage, check_power, check_looks])
def test_what_is_promised_is_kept(checks: Callable[..., list[Check]]) -> None:
    broken = [check for check in checks(runs=300, seed=1) if not check.ok]
    assert broken == []


def test_false_verdicts_are_rare() -> None:
    checks = check_null(runs=200, seed=1, sizes=(30, 100))
    assert len(checks) == 14
    assert [check for check in checks if not check.ok] == []


def test_a_figure_out_of_its_range_is_not_ok() -> None:
    check = Check(name="x", value=0.07, low=0.0, high=0.055, room=0.01)
    assert not check.ok
    assert Check(name="x", value=0.06, low=0.0, high=0.055, room=0.01).ok


def test_few_questions_say_little_and_many_say_much() -> None:
    few = expect_words(30, margin=0.05, share=0.15, effect=0.05, runs=100)
    many = expect_words(2_000, margin=0.05, share=0.15, effect=0.05, runs=50)
    none = expect_words(2_000, margin=0.05, share=0.15, effect=0.0, runs=50)
    worse = expect_words(2_000, margin=0.05, share=0.15, effect=-0.1, runs=20)
    assert few["not known"] > 0.9
    assert many["helped"] > 0.9
    assert none["no difference"] > 0.9
    assert worse["hurt"] > 0.9


def test_a_run_in_which_nothing_shows_has_no_verdict() -> None:
    (check,) = [check for check in check_null(runs=1, seed=0, sizes=(30,)) if "losses" in check.name]
    assert check.value == 0.0
