"""The measure of `benchmarks/tokens.py`: with the full log in sight most of what is read has been read before."""

from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

import pytest

from tests.paths import ROOT

PATH = ROOT / "benchmarks" / "tokens.py"


def load() -> ModuleType:
    spec = spec_from_file_location("tokens", PATH)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TOKENS = load()


@pytest.mark.parametrize("protocol", TOKENS.FORMATS)
def test_the_smallest_table_repeats_most_of_its_log(protocol: str) -> None:
    """N = 3, R = 2 has the fewest old turns to repeat. The prompts of arena and panel hold no log."""
    tally = TOKENS.measure(protocol, "full_log", 3, 2)
    assert TOKENS.missed(protocol, "full_log", 3, 2, tally) == []
    assert (tally.log.part is None) == (protocol in ("arena", "panel"))
    # A ballot holds no log; the ranking of teams is no ballot.
    assert tally.log.of < tally.late.of or protocol == "bp_style"


def test_a_row_below_the_reach_and_one_above_its_formula_are_named() -> None:
    tally = TOKENS.Tally(read=10**9, log=TOKENS.Share(of=1000, hits=799))
    assert TOKENS.missed("socratic", "full_log", 3, 2, tally) == [
        "socratic, full_log, N=3, R=2: 79.9% of the prompts with a log are prefix hits"
    ]
    assert TOKENS.missed("round_robin", "last_n_turns", 3, 2, tally) == [
        "round_robin, last_n_turns, N=3, R=2: 250000000 tokens read, the formula gives 7200"
    ]


@pytest.mark.parametrize(
    ("one", "other", "same"), [("", "a", 0), ("abc", "abd", 2), ("abc", "abcd", 3), ("xab", "ab", 0), ("ab", "ab", 2)]
)
def test_what_two_prompts_share_is_their_beginning(one: str, other: str, same: int) -> None:
    assert TOKENS.shared(one, other) == same
