"""Panels: plurality by size, weights, estimates without the truth, and what early stops save."""

import math
from itertools import combinations, permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.learn.dawid_skene import one_coin
from folkmoot.learn.panels import (
    CAP,
    RULES,
    Marks,
    Rule,
    ahead,
    credit,
    cross_fitted,
    effective_voters,
    log_odds_weights,
    mean_accuracy,
    savings,
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


@given(items_of(), st.integers(1, 5))
def test_the_mean_over_panels_is_that_of_all_panels(votes: tuple[Items, list[str]], size: int) -> None:
    items, truths = votes
    panels = [
        accuracy([{voter: item[voter] for voter in members} for item in items], truths)
        for members in combinations(VOTERS, size)
    ]
    assert mean_accuracy(items, truths, size=size) == pytest.approx(math.fsum(panels) / len(panels))


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


def test_weights_beat_equal_ones_where_voters_differ() -> None:
    items, truths = drawn({"a": 0.95, "b": 0.6, "c": 0.6, "d": 0.55, "e": 0.55}, 400)
    weighted = cross_fitted(items, truths)
    share = sum(credit(tied, truth) for tied, truth in zip(weighted, truths, strict=True)) / len(truths)
    assert share > accuracy(items, truths) + 0.05
    assert share > 0.93


def test_no_item_weighs_its_own_votes() -> None:
    """Voter a is right on even items only: learned on the odd ones, it weighs nothing on the even ones."""
    items = [{"a": "x" if n % 2 == 0 else "z", "b": "y"} for n in range(80)]
    truths = ["x" if n % 2 == 0 else "y" for n in range(80)]
    assert set(cross_fitted(items, truths)[0::2]) == {("y",)}
    assert set(cross_fitted(items, truths)[1::2]) == {("z",)}


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


def test_one_coin_finds_accuracies_and_answers_without_the_truth() -> None:
    items, truths = drawn({"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.6, "e": 0.35}, 600, options=4)
    estimate = one_coin(items, options=4)
    for voter, number in estimate.accuracies.items():
        right = sum(item[voter] == truth for item, truth in zip(items, truths, strict=True))
        assert number == pytest.approx(right / 600, abs=0.03)
    share = sum(credit(tied, truth) for tied, truth in zip(estimate.answers, truths, strict=True)) / len(truths)
    assert share > accuracy(items, truths)
    assert all(math.fsum(chance.values()) == pytest.approx(1) for chance in estimate.chances)


def test_estimates_are_the_same_bits_whatever_the_voters_order() -> None:
    items, _ = drawn({"a": 0.9, "b": 0.7, "c": 0.6}, 60)
    turned = [dict(reversed(item.items())) for item in items]
    assert one_coin(items) == one_coin(turned)


def test_silence_is_no_answer_and_equal_votes_tie() -> None:
    items = [{"a": "", "b": ""}, {"a": "x", "b": "y"}, {"a": "x", "b": ""}]
    estimate = one_coin(items[:2])
    assert estimate.answers == ((), ("x", "y"))
    assert estimate.chances[0] == {}
    assert one_coin(items).answers[2] == ("x",)
    assert one_coin([]).answers == ()


def test_a_chance_to_be_ahead() -> None:
    assert ahead(0, 0) == 0.5
    assert ahead(1, 0) == 0.75
    assert ahead(3, 0) == pytest.approx(1 - 0.5**4)
    assert ahead(2, 5) == pytest.approx(1 - ahead(5, 2))
    assert ahead(97, 61) > 0.99  # of no other test, so that it is not remembered


def walk(items: Items, truths: list[str], rule: Rule) -> tuple[float, float]:
    """Mean calls and credit by brute force over all orders of asking."""
    calls = share = 0.0
    orders = list(permutations(VOTERS))
    for item, truth in zip(items, truths, strict=True):
        for order in orders:
            for number in range(len(order) + 1):
                first_answers = {voter: item[voter] for voter in order[:number]}
                given_ = [answer for answer in first_answers.values() if answer]
                counts = sorted((given_.count(answer) for answer in dict.fromkeys(given_)), reverse=True)
                if number == len(order) or rule(counts, number, len(order) - number):
                    calls += number
                    share += credit(tops(first_answers), truth)
                    break
    n = len(orders) * len(items)
    return calls / n, share / n


@settings(max_examples=25)
@given(items_of(), st.sampled_from(sorted(RULES)))
def test_savings_are_the_means_over_all_orders(votes: tuple[Items, list[str]], name: str) -> None:
    items, truths = votes
    calls, share = walk(items, truths, RULES[name])
    saving = savings(items, truths, rules={name: RULES[name]})[name]
    assert (saving.calls, saving.accuracy) == pytest.approx((calls, share))
    assert saving.saved == pytest.approx(5 - calls)


@given(items_of())
def test_a_lead_that_cannot_be_overturned_loses_nothing(votes: tuple[Items, list[str]]) -> None:
    values = savings(*votes)
    assert values["lead cannot be overturned"].loss == pytest.approx(0, abs=1e-12)
    assert values["ask all"].saved == pytest.approx(0, abs=1e-12)
    assert values["lead cannot be overturned"].saved >= -1e-12


def test_two_who_agree_save_three_calls() -> None:
    items: Items = [dict.fromkeys(VOTERS, "1")]
    values = savings(items, ["1"])
    assert {name: round(saving.calls, 9) for name, saving in values.items()} == {
        "ask all": 5,
        "lead cannot be overturned": 3,
        "Beta 0.90": 3,
        "Beta 0.95": 4,
        "first two equal": 2,
        "first three alike, else all": 3,
    }
