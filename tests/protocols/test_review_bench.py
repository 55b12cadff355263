"""The benchmark of planted faults in small: the same seed gives the same figures, which the protocol explains."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

import pytest

from tests.paths import ROOT


def load() -> ModuleType:
    spec = spec_from_file_location("review_bench", ROOT / "benchmarks" / "review.py")
    assert spec
    assert spec.loader
    module = sys.modules["review_bench"] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BENCH = load()


async def test_cross_examination_by_those_who_never_err_leaves_the_planted_faults() -> None:
    rates = BENCH.Rates(hit=0.5, alarm=0.9, error=0.0, hold=0.0)
    counts = await BENCH.measure((BENCH.people(1, 2), rates), 3, seed=1)
    again = await BENCH.measure((BENCH.people(1, 2), rates), 3, seed=1)
    assert counts == again
    reported, right = counts.reported
    assert 0 < right < reported
    assert counts.survived == [right, right]
    assert counts.states["retracted"][1] == counts.states["no_basis"][1] == 0
    assert counts.invalid == 0
    assert "contested" not in counts.states


async def test_checkers_who_always_err_let_no_fault_survive_and_finders_who_hold_leave_it_contested() -> None:
    rates = BENCH.Rates(hit=1.0, alarm=0.0, error=1.0, stand=1.0)
    counts = await BENCH.measure((BENCH.people(2, 1), rates), 1, seed=1)
    assert counts.survived == [0, 0]
    assert counts.states == {"contested": [8, 8]}


def test_the_table_says_what_has_to_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    rates = BENCH.Rates(hit=0.0, alarm=0.0)
    monkeypatch.setattr(BENCH, "SETTINGS", {"nobody sees": (BENCH.people(1, 1), rates)})
    rows, holds = BENCH.table(2, 7)
    assert holds
    assert rows[-2].split() == ["nobody", "sees", "0.000", "-", "0.000", "-", "-"]
    assert rows[-1].endswith("0; those who never err are perfect: True")
