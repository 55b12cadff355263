"""Scores of single forecasts, by hand."""

import math

import pytest

from folkmoot.learn.forecast_scores import scored, truth_of


@pytest.mark.parametrize(
    ("text", "probability", "truth"),
    [
        ("yes", True, 1.0),
        (" True ", True, 1.0),
        ("0", True, 0.0),
        ("no", True, 0.0),
        ("0.3", True, None),
        ("14.5", False, 14.5),
        ("many", False, None),
        ("inf", False, None),
    ],
)
def test_a_truth_is_yes_or_no_or_a_number(text: str, probability: bool, truth: float | None) -> None:
    assert truth_of(text, probability=probability) == truth


def test_probabilities_have_brier_and_log_score() -> None:
    right, wrong = scored("Ann", [0.8], 1.0, probability=True), scored("Ann", [0.8], 0.0, probability=True)
    assert dict(right.scores) == pytest.approx({"Brier": 0.04, "log score": -math.log(0.8)})
    assert dict(wrong.scores) == pytest.approx({"Brier": 0.64, "log score": -math.log(0.2)})
    sure = dict(scored("Ann", [1.0], 0.0, probability=True).scores)
    assert sure == pytest.approx({"Brier": 1.0, "log score": -math.log(0.01)})


def test_numbers_have_an_error_and_quantiles_the_pinball_loss() -> None:
    assert dict(scored("Ann", [90.0], 100.0, probability=False).scores) == {"error": 10.0}
    three = dict(scored("Ann", [80.0, 90.0, 120.0], 100.0, probability=False).scores)
    assert three == pytest.approx({"error": 10.0, "pinball loss": (0.1 * 20 + 0.5 * 10 + 0.1 * 20) / 3})
