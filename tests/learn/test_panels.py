"""Panels: plurality by size, weights, estimates without the truth, and what early stops save."""

import math
from random import Random

import pytest
from hypothesis import strategies as st

from folkmoot.learn.panels import (
    CAP,
    Marks,
    credit,
    log_odds_weights,
    tops,
)

Items = list[dict[str, str]]
VOTERS: tuple[str, ...] = ("a", "b", "c", "d", "e")


@st.composite
def items_of(draw: st.DrawFn) -> tuple[Items, list[str]]:
    answers = st.sampled_from(["1", "2", "3", ""])
    items = draw(st.lists(st.fixed_dictionaries(dict.fromkeys(VOTERS, answers)), min_size=1, max_size=6))
    return items, [draw(st.sampled_from(["1", "2"])) for _ in items]


def drawn(accuracies: dict[str, float], n: int, *, options: int = 2, seed: int = 1) -> tuple[Items, list[str]]:
    """Votes of independent voters with these accuracies, errors even on the other answers."""
    chance = Random(seed)
    items: Items = []
    truths: list[str] = []
    for _ in range(n):
        truth = str(chance.randrange(options))
        wrong = [str(number) for number in range(options) if str(number) != truth]
        items.append({voter: truth if chance.random() < p else chance.choice(wrong) for voter, p in accuracies.items()})
        truths.append(truth)
    return items, truths


@pytest.mark.parametrize(
    ("answers", "weights", "expected"),
    [
        ({"a": "x", "b": "y", "c": "x"}, None, ("x",)),
        ({"a": "y", "b": "x"}, None, ("x", "y")),
        ({"a": "", "b": ""}, None, ()),
        ({}, None, ()),
        ({"a": "", "b": "x"}, None, ("x",)),
        ({"a": "x", "b": "y", "c": "y"}, {"a": 3.0}, ("x",)),
        ({"a": "x", "b": "y"}, {"a": 0.0, "b": 0.0}, ("x", "y")),
        ({"a": "x", "b": "x", "c": "x", "d": "y"}, {"a": 0.1, "b": 0.1, "c": 0.1, "d": 0.3}, ("x", "y")),
        ({"a": "x", "b": "x", "c": "y"}, {"a": 0.1, "b": 0.2, "c": 0.3}, ("x", "y")),
    ],
)
def test_tops(answers: dict[str, str], weights: dict[str, float] | None, expected: tuple[str, ...]) -> None:
    assert tops(answers, weights) == expected


@pytest.mark.parametrize(("tied", "share"), [(("x",), 1.0), (("x", "y"), 0.5), (("y",), 0.0), ((), 0.0)])
def test_a_tie_is_worth_its_share(tied: tuple[str, ...], share: float) -> None:
    assert credit(tied, "x") == share


def accuracy(items: Items, truths: list[str]) -> float:
    """The mean credit of a panel's plurality."""
    return math.fsum(credit(tops(item), truth) for item, truth in zip(items, truths, strict=True)) / len(items)


@pytest.mark.parametrize(
    ("marks", "options", "weights"),
    [
        ({"a": (15, 18), "b": (40, 40)}, 2, {"a": 1.0, "b": 1.0}),
        ({"a": (10, 20), "b": (5, 40)}, 2, {"a": 1.0, "b": 1.0}),
        ({"a": (15, 20), "b": (8, 20)}, 2, {"a": math.log(16 / 6), "b": 0.0}),
        ({"a": (15, 20), "b": (8, 20)}, 4, {"a": math.log(16 / 6 * 3), "b": math.log(9 / 13 * 3)}),
        ({"a": (1000, 1000), "b": (15, 20)}, 2, {"a": CAP, "b": math.log(16 / 6)}),
        ({}, 2, {}),
    ],
)
def test_log_odds_weights(marks: dict[str, tuple[int, int]], options: int, weights: dict[str, float]) -> None:
    graded = {name: Marks(right=right, n=n) for name, (right, n) in marks.items()}
    assert log_odds_weights(graded, options=options) == pytest.approx(weights)


def test_an_accuracy_to_expect_is_shrunken() -> None:
    assert Marks(right=0, n=0).accuracy == 0.5
    assert Marks(right=9, n=10).accuracy == pytest.approx(10 / 12)
