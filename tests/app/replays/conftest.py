"""The replays of sets in miniature draw less often; those of recorded data draw as often as their references."""

import pytest

from folkmoot.app.replays import forecast_replay


@pytest.fixture(autouse=True)
def draw_seldom(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """One replay in miniature draws as often as a user's: ``test_a_debate_is_compared_with_forecasts_alone``."""
    whole = request.node.name == "test_a_debate_is_compared_with_forecasts_alone"
    if not whole and not request.node.get_closest_marker("skipif"):
        monkeypatch.setattr(forecast_replay, "DRAWS", 200)
        monkeypatch.setattr(forecast_replay, "HALVES", 200)
