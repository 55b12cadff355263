"""The measure of `benchmarks/viewers.py` in small: many viewers of one debate, the slow ones too, miss nothing."""

from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

import pytest

from tests.paths import ROOT

PATH = ROOT / "benchmarks" / "viewers.py"


def load() -> ModuleType:
    spec = spec_from_file_location("viewers", PATH)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


VIEWERS = load()


@pytest.mark.system
def test_fifty_viewers_have_every_entry_once_and_in_order() -> None:
    figures = VIEWERS.measure(50, 3, slow=True)
    assert figures.whole == 50
    assert figures.entries > 100
    assert figures.late[1] < 4 * VIEWERS.MOST_MS, "whatever else the machine does"
    assert figures.grown < VIEWERS.MOST_GROWTH


def test_what_is_out_of_reach_is_named() -> None:
    good = VIEWERS.Measured(viewers=9, whole=9, entries=50, seconds=1.0, late=(1.0, 2.0), grown=0.0, peak=70.0)
    assert VIEWERS.missed(good, good) == []
    bad = replace(good, whole=8, seconds=1.2, late=(1.0, 251.0), grown=16.0)
    assert VIEWERS.missed(good, bad) == [
        "with slow ones: 1 of 9 viewers have a gap or a double",
        "with slow ones: 95 of 100 entries are there within 251 ms, not 250",
        "with slow ones: the server grew by 16.0 MB, 16 are allowed",
        "slow viewers make the debate 1.20 times as long, not 1.1",
    ]
