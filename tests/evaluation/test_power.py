"""What so many questions can show, several comparisons, and looks before the end."""

import math

import numpy as np
import pytest

from folkmoot.evaluation.power import (
    design_effect,
    holm,
    live_half_width,
    look_bounds,
    questions_needed,
    questions_needed_if_differ,
    smallest_difference,
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
