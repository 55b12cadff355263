"""The figures of scripted worlds never move: what an evaluation says today it says tomorrow, to 1e-12."""

import json
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import cast

import pytest

from folkmoot.app.evaluation.scoreboard import measure
from tests.app.evaluation.frozen_worlds import FROZEN, WORLDS, figures, run_world

LARGE = pytest.mark.many
NAMES = [pytest.param(name, marks=LARGE) if world.n > 100 else name for name, world in WORLDS.items()]


@pytest.mark.parametrize("name", NAMES)
async def test_figures_and_calls_are_the_frozen_ones(name: str, tmp_path: Path) -> None:
    result, asked = await run_world(WORLDS[name], tmp_path)
    frozen = json.loads((FROZEN / f"{name}.json").read_text("utf-8"))
    different = list(_differences("", json.loads(json.dumps(figures(measure(result), asked))), frozen))
    assert not different


def _differences(place: str, ours: object, frozen: object) -> Iterator[str]:
    """Where two values of JSON differ, numbers by more than 1e-12."""
    if isinstance(ours, dict) and isinstance(frozen, dict) and ours.keys() == frozen.keys():
        known = cast("dict[str, object]", frozen)
        for name, value in cast("dict[str, object]", ours).items():
            yield from _differences(f"{place}/{name}", value, known[name])
    elif isinstance(ours, list) and isinstance(frozen, list):
        both = zip_longest(cast("list[object]", ours), cast("list[object]", frozen))
        for at, (one, other) in enumerate(both):
            yield from _differences(f"{place}/{at}", one, other)
    elif isinstance(ours, float) and isinstance(frozen, float | int):
        if abs(ours - frozen) > 1e-12 * max(1.0, abs(frozen)):
            yield f"{place}: {ours} is not {frozen}"
    elif ours != frozen:
        yield f"{place}: {ours} is not {frozen}"
