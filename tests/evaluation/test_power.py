"""What so many questions can show, several comparisons, and looks before the end."""

import math
from random import Random
from statistics import stdev

import numpy as np
import pytest

from folkmoot.evaluation.looks import holm, live_half_width, look_bounds
from folkmoot.evaluation.power import (
    design_effect,
    gain_of_repeats,
    interval_of_total,
    questions_needed,
    questions_needed_by,
    questions_needed_if_differ,
    smallest_difference,
    spread_in_pilot,
    spread_of_share,
    upper_share,
    upper_spread,
)


@pytest.mark.parametrize(("share", "n"), [(0.07, 217), (0.15, 469), (0.25, 783)])
def test_questions_for_five_points_by_how_many_differ(share: float, n: int) -> None:
    assert questions_needed_if_differ(share, 0.05) == pytest.approx(n, abs=1)


def test_a_difference_and_its_questions_belong_together() -> None:
    assert smallest_difference(0.17, 99) == pytest.approx(0.0479, abs=1e-4)
    assert questions_needed(0.17, 0.02) == 568
    assert smallest_difference(0.17, questions_needed(0.17, 0.02)) <= 0.02


def test_a_difference_larger_than_what_differs_is_refused() -> None:
    with pytest.raises(ValueError, match="not possible"):
        questions_needed_if_differ(0.04, 0.05)


def test_a_pilot_gives_an_upper_limit() -> None:
    assert upper_share(0, 30) == pytest.approx(1 - 0.2 ** (1 / 30))
    assert upper_share(30, 30) == 1
    assert upper_spread(1.0, 30) == pytest.approx(math.sqrt(29 / 22.475052), abs=1e-6)
    assert spread_of_share(0.15, 0.05) == pytest.approx(math.sqrt(0.1475))


def test_holm_never_lets_a_larger_p_pass_a_smaller() -> None:
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03}) == {"a": 0.03, "c": 0.06, "b": 0.06}
    assert holm({"a": 0.9, "b": 0.8}) == {"b": 1.0, "a": 1.0}


def test_early_looks_ask_for_more() -> None:
    """The first two bounds by hand: the first spends 2 (1 - Phi(1.96 / sqrt(t)))."""
    bounds = look_bounds((0.25, 0.5, 0.75, 1.0))
    assert bounds == pytest.approx((3.920, 2.774, 2.298, 2.043), abs=2e-3)
    assert look_bounds((1.0,)) == pytest.approx((1.959964,), abs=1e-6)


def test_a_live_interval_is_wider_than_one_look_and_narrowest_near_the_plan() -> None:
    widths = {n: live_half_width(1.0, n, 400) * math.sqrt(n) for n in (50, 400, 4000)}
    assert 1.96 < widths[400] < min(widths[50], widths[4000])
    assert live_half_width(1.0, 500, 1000) == pytest.approx(0.1379014, abs=1e-6)


def test_the_cost_of_all_is_inside_its_interval_in_four_of_five_runs() -> None:
    """Prices of questions with a long tail, 30 of 200 seen."""
    chance = np.random.default_rng(3)
    runs = 2000
    inside = 0
    for _ in range(runs):
        costs = chance.gamma(2.0, 0.01, 200)
        low, high = interval_of_total(costs[:30].tolist(), 200)
        inside += low <= costs.sum() <= high
    assert inside / runs == pytest.approx(0.8, abs=0.03)
    assert interval_of_total([1.0, 3.0], 2) == (4.0, 4.0)
    assert interval_of_total([1.0, 1.0], 5) == (5.0, 5.0)


def test_a_pilot_reads_the_upper_limit_of_the_spread() -> None:
    wins = [1.0, -1.0, -1.0] + [0.0] * 27
    assert spread_in_pilot(wins) == spread_in_pilot([-value for value in wins]), "who is ahead plays no part"
    assert spread_in_pilot(wins) ** 2 == pytest.approx(upper_share(3, 30))
    losses = [0.1 * n for n in range(30)]
    assert spread_in_pilot(losses) == upper_spread(stdev(losses), 30)


def test_questions_needed_by_a_spread_are_those_of_a_share_where_answers_are_right_or_wrong() -> None:
    assert questions_needed_by(math.sqrt(0.15), 0.05, by_share=True) == 469
    assert questions_needed_by(math.sqrt(0.15), 0.05, by_share=False) == questions_needed(math.sqrt(0.15), 0.05)
    assert questions_needed_by(math.sqrt(0.03), 0.05, by_share=True) == questions_needed(math.sqrt(0.03), 0.05)


def test_repeats_help_as_far_as_one_question_varies() -> None:
    alike = [[1.0, 1.0], [0.0, 0.0], [-1.0, -1.0]]
    assert gain_of_repeats(alike, 1) == pytest.approx(1.0), "a repeat tells nothing new"
    apart = [[1.0, -1.0], [-1.0, 1.0], [1.0, -1.0]]
    assert gain_of_repeats(apart, 1) == pytest.approx(math.sqrt(1 / 2)), "a repeat is as good as a question"
    chance = Random(5)
    drawn = [[b + chance.gauss(0, 2) for _ in range(4)] for b in (chance.gauss(0, 1) for _ in range(4000))]
    assert gain_of_repeats(drawn, 4) == pytest.approx(math.sqrt((1 + 4 / 8) / (1 + 4 / 4)), abs=0.02)
    for few in ([[1.0], [0.0]], [[1.0, 2.0]], [], [[0.0, 0.0]] * 5):
        assert gain_of_repeats(few, 1) is None


@pytest.mark.parametrize("sizes", [(1,) * 40, (10,) * 8, (1, 1, 2, 6, 10, 30)])
def test_groups_raise_the_variance_of_a_mean_by_the_design_effect(sizes: tuple[int, ...]) -> None:
    groups = [f"g{n}" for n, size in enumerate(sizes) for _ in range(size)]
    effect = design_effect(groups, 0.3)
    chance = np.random.default_rng(3)
    place = np.repeat(np.arange(len(sizes)), sizes)
    shared = chance.normal(size=(20_000, len(sizes)))[:, place]
    values = math.sqrt(0.3) * shared + math.sqrt(0.7) * chance.normal(size=(20_000, len(place)))
    assert values.mean(axis=1).var() * len(place) == pytest.approx(effect, rel=0.05)
    assert (effect == 1) == (set(sizes) == {1})
