"""Independent voices of a panel: against numbers by hand or by brute force."""

import math
import statistics
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest

from benchmarks.replays.voices import effective_voters, effective_votes, krippendorff
from tests.learn.test_panels import VOTERS, drawn


def panel(questions: int) -> tuple[list[dict[str, str]], list[str]]:
    """Four voters: Di says what Cy says, and Ed is always right."""
    chance = np.random.default_rng(7)
    items: list[dict[str, str]] = []
    for _ in range(questions):
        ada, bo, cy = ("x" if chance.random() < 0.7 else "y" for _ in range(3))
        items.append({"Ada": ada, "Bo": bo, "Cy": cy, "Di": cy, "Ed": "x"})
    return items, ["x"] * questions


def test_independent_votes_have_the_interval_of_the_jackknife() -> None:
    items, truths = panel(60)
    voices = effective_votes(items, truths)
    assert voices
    value, shared = effective_voters(items, truths)
    assert (voices.effective, voices.correlation) == (value, shared)
    pseudo = [
        60 * value - 59 * effective_voters(items[:place] + items[place + 1 :], truths[1:])[0] for place in range(60)
    ]
    half = 2.0009953780882688 * float(np.std(pseudo, ddof=1)) / math.sqrt(60)
    assert voices.interval.low == pytest.approx(value - half, abs=1e-9)
    assert voices.interval.high == pytest.approx(value + half, abs=1e-9)


def test_few_questions_tell_nothing_of_independence() -> None:
    assert effective_votes(*panel(49)) is None


def shared_panel(questions: int, *, voters: int, lure: float, seed: int) -> tuple[list[dict[str, str]], list[str]]:
    """Voters of 70 % with four answers to choose from; on a share of the questions all of them err alike."""
    chance = np.random.default_rng(seed)
    items: list[dict[str, str]] = []
    for _ in range(questions):
        wrong = chance.random() < lure
        items.append(
            {
                f"voter {place}": "y" if wrong else "x" if chance.random() < 0.7 else str(chance.choice(list("yzw")))
                for place in range(voters)
            }
        )
    return items, ["x"] * questions


@pytest.mark.parametrize("lure", [0.0, 0.1, 0.3])
def test_effective_votes_are_those_of_an_independent_formula(lure: float) -> None:
    """Kish's formula over the correlations of the standard library, with the interval of the jackknife."""
    items, truths = shared_panel(200, voters=7, lure=lure, seed=3)
    voices = effective_votes(items, truths)
    right = [[float(answer == "x") for answer in item.values()] for item in items]

    def kish(table: Sequence[Sequence[float]]) -> float:
        voters = list(zip(*table, strict=True))
        mean = statistics.fmean(statistics.correlation(*pair) for pair in combinations(voters, 2))
        return 7 / (1 + 6 * max(mean, 0.0))

    without_one = [kish(right[:place] + right[place + 1 :]) for place in range(200)]
    error = math.sqrt(199 * statistics.pvariance(without_one))
    assert voices
    assert voices.effective == pytest.approx(kish(right), abs=0.01)
    assert (voices.interval.high - voices.interval.low) / 2 == pytest.approx(1.971957 * error, abs=0.01)


def test_agreement_beyond_chance_is_krippendorffs() -> None:
    """The example of Krippendorff (2011), table C: four observers, twelve units, alpha 0.743."""
    columns = ["111.", "2223", "3333", "3333", "2222", "1234", "4444", "1121", "2222", ".555", "..11", ".3.."]
    items = [
        {name: "" if answer == "." else answer for name, answer in zip("abcd", column, strict=True)}
        for column in columns
    ]
    assert krippendorff(items) == pytest.approx(0.743, abs=5e-4)
    assert krippendorff([{"a": "x", "b": "x"}]) is None


def test_effective_voters() -> None:
    alike = [{"a": str(n % 2), "b": str(n % 2), "c": str(n % 2)} for n in range(10)]
    assert effective_voters(alike, ["1"] * 10) == pytest.approx((1, 1))
    apart = [{"a": str(n % 2), "b": str(n // 2 % 2)} for n in range(8)]
    assert effective_voters(apart, ["1"] * 8) == pytest.approx((2, 0))
    against = [{"a": str(n % 2), "b": str(1 - n % 2)} for n in range(8)]
    assert effective_voters(against, ["1"] * 8) == (2, 0)
    assert effective_voters([{"a": "1", "b": "1"}], ["1"]) == (2, 0)
    items, truths = drawn(dict.fromkeys(VOTERS, 0.7), 500)
    assert effective_voters(items, truths)[0] > 4
