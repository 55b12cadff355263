"""Calibration: scores, their parts, and the maps that mend a confidence."""

import math
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.learn.calibration import (
    Forecast,
    auroc,
    brier,
    document_weight,
    ece,
    expected,
    isotonic,
    levels,
    log_score,
    measure,
)


def forecasts_of(*pairs: tuple[float, bool]) -> list[Forecast]:
    return [Forecast(confidence=confidence, right=right) for confidence, right in pairs]


LEVELS = [0.0, 0.1, 0.25, 0.5, 0.6, 0.75, 0.8, 0.9, 0.95, 1.0]


@st.composite
def one_forecast(draw: st.DrawFn) -> Forecast:
    confidence = draw(st.sampled_from(LEVELS) | st.floats(0, 1))
    return Forecast(confidence=confidence, right=draw(st.booleans()))


FORECASTS = st.lists(one_forecast(), min_size=1, max_size=60)


@given(FORECASTS, st.integers(1, 20))
def test_the_parts_add_up_to_the_score(forecasts: list[Forecast], bins: int) -> None:
    parts = brier(forecasts, bins=bins)
    whole = parts.reliability - parts.resolution + parts.uncertainty + parts.within
    assert parts.score == pytest.approx(whole, abs=1e-12)
    assert min(parts.reliability, parts.resolution, parts.uncertainty) >= 0
    assert parts.resolution <= parts.uncertainty + 1e-12


@given(st.lists(st.tuples(st.sampled_from([0.05, 0.35, 0.65, 0.95]), st.booleans()), min_size=1))
def test_nothing_is_left_within_bins_of_one_confidence(pairs: list[tuple[float, bool]]) -> None:
    assert brier(forecasts_of(*pairs)).within == pytest.approx(0, abs=1e-12)


@given(st.data())
def test_the_order_of_forecasts_does_not_change_one_bit(data: st.DataObject) -> None:
    forecasts = data.draw(FORECASTS)
    mixed = data.draw(st.permutations(forecasts))
    assert measure(mixed) == measure(forecasts)
    assert isotonic(mixed) == isotonic(forecasts)


def test_figures_by_hand() -> None:
    figures = measure(forecasts_of((0.9, True), (0.9, False), (0.3, False), (1.0, True)))
    assert figures is not None
    assert (figures.n, figures.accuracy) == (4, 0.5)
    assert figures.confidence == pytest.approx(0.775)
    assert figures.brier.score == pytest.approx((0.01 + 0.81 + 0.09 + 0) / 4)
    assert figures.brier.uncertainty == 0.25
    # The bin from 0.9 on holds three of mean 2.8 / 3, two of them right; 0.3 stands alone.
    assert figures.ece == pytest.approx(0.75 * (2.8 / 3 - 2 / 3) + 0.25 * 0.3)
    assert figures.auroc == pytest.approx(3.5 / 4)
    assert figures.log == pytest.approx(-(math.log(0.9) + math.log(0.1) + math.log(0.7) + math.log(0.99)) / 4)


def test_bins_from_low_to_high() -> None:
    table = levels(forecasts_of((1.0, True), (0.0, False), (0.99, False), (0.05, True)))
    assert [(level.n, level.accuracy) for level in table] == [(2, 0.5), (2, 0.5)]
    assert [level.confidence for level in table] == pytest.approx([0.025, 0.995])


@given(FORECASTS)
def test_the_ranking_measure_is_that_of_all_pairs(forecasts: list[Forecast]) -> None:
    right = [forecast.confidence for forecast in forecasts if forecast.right]
    wrong = [forecast.confidence for forecast in forecasts if not forecast.right]
    won = [1.0 if a > b else 0.5 if a == b else 0.0 for a, b in product(right, wrong)]
    assert auroc(forecasts) == (pytest.approx(sum(won) / len(won)) if won else None)


def test_no_forecast_no_figure() -> None:
    assert measure([]) is None
    assert auroc([]) is None
    assert levels([]) == ()
    for score in (brier, ece, log_score):
        with pytest.raises(ValueError, match="there is no forecast to score"):
            score([])


@pytest.mark.parametrize("confidence", [-0.1, 1.1, math.nan])
def test_what_is_no_confidence_is_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="it is 0 to 1"):
        Forecast(confidence=confidence, right=True)


@settings(max_examples=20)
@given(st.lists(one_forecast(), min_size=30, max_size=40))
def test_the_isotonic_map_never_falls_and_no_other_such_map_is_nearer(forecasts: list[Forecast]) -> None:
    curve = isotonic(forecasts)
    assert curve.trust == 1
    heights = [height for _, height in curve.steps]
    assert all(low < high for low, high in pairwise(heights))
    # The defining property (Robertson, Wright and Dykstra 1988): the height is the largest, over starts at or below,
    # of the smallest mean up to an end at or above.
    xs = sorted({forecast.confidence for forecast in forecasts})
    for x in xs:
        best = max(min(_mean(forecasts, start, end) for end in xs if end >= x) for start in xs if start <= x)
        step = [height for start, height in curve.steps if start <= x][-1]
        assert step == pytest.approx(best)


def _mean(forecasts: list[Forecast], start: float, end: float) -> float:
    inside = [forecast.right for forecast in forecasts if start <= forecast.confidence <= end]
    return sum(inside) / len(inside)


@given(FORECASTS)
def test_a_map_never_falls_and_never_promises_certainty(forecasts: list[Forecast]) -> None:
    curve = isotonic(forecasts)
    heights = [curve.at(confidence) for confidence in [n / 20 for n in range(21)]]
    assert all(low <= high + 1e-12 for low, high in pairwise(heights))
    edge = 1 / (len(forecasts) + 2)
    assert edge <= min(heights) <= max(heights) <= 1 - edge


@pytest.mark.parametrize("n", [0, 1, 10, 29, 30, 60])
def test_few_items_are_drawn_to_the_base_rate(n: int) -> None:
    forecasts = forecasts_of(*[(0.9, True)] * (n - n // 2), *[(0.2, False)] * (n // 2))
    curve = isotonic(forecasts)
    assert curve.trust == min(1, n / 30)
    assert curve.base == pytest.approx((n - n // 2 + 1) / (n + 2))
    assert abs(curve.at(0.9) - curve.base) <= curve.trust
    assert isotonic([]).at(0.99) == 0.5


def test_a_map_shows_what_was_overconfident() -> None:
    """At 0.9 six of ten are right, at 0.6 five of ten: the map gives what was seen, not what was said."""
    forecasts = forecasts_of(*[(0.9, n < 60) for n in range(100)], *[(0.6, n < 50) for n in range(100)])
    assert isotonic(forecasts).at(0.9) == 0.6
    assert isotonic(forecasts).at(0.95) == 0.6
    assert isotonic(forecasts).at(0.7) == 0.5
    assert isotonic(forecasts).at(0.1) == 0.5


@pytest.mark.parametrize(
    ("elo", "calibration", "weight"),
    [(1500, 0.5, 1.0), (1500, 1.0, 1.5), (1000, 1.0, 0.0), (900, 0.5, -0.2), (2000, 0.0, 1.0)],
)
def test_the_documents_weight(elo: float, calibration: float, weight: float) -> None:
    assert document_weight(elo, calibration) == pytest.approx(weight)


def test_what_to_expect_stands_beside_each_confidence_that_was_given() -> None:
    forecasts = [Forecast(confidence=0.9, right=n < 20) for n in range(40)]
    forecasts += [Forecast(confidence=0.6, right=n < 4) for n in range(10)]
    rows = expected(forecasts)
    assert [(level.n, level.accuracy, chance) for level, chance in rows] == [(10, 0.4, 0.4), (40, 0.5, 0.5)]
    assert expected([]) == ()
