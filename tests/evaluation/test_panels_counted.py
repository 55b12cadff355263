"""Flips, contributions of seats, independent voices, liars: against numbers by hand or by brute force."""

import math
from itertools import permutations

import numpy as np
import pytest

from moot.evaluation.contributions import by_seat, leave_one_out, shapley, vote_value
from moot.evaluation.flips import Change, flip_table, state_of
from moot.evaluation.liars import credit_with_liars, lie, points_lost
from moot.evaluation.voices import effective_votes, krippendorff
from moot.learn.panels import effective_voters

UP: Change = ("wrong", "right")
DOWN: Change = ("right", "wrong")
SAME: Change = ("right", "right")
NONE: Change = ("none", "right")

ITEM = {"Ada": "x", "Bo": "y", "Cy": "x", "Di": "z", "Ed": ""}


def test_flips_are_counted_by_answer_and_by_question() -> None:
    up, down, same = UP, DOWN, SAME
    table = flip_table([[up, up, same], [up, down, same], [down, same, same], [same, same, NONE]])
    assert table.counts[up] == 3
    assert (table.to_right.turned, table.to_right.n, table.to_right.share) == (3, 3, 1.0)
    assert (table.to_wrong.turned, table.to_wrong.n) == (2, 8)
    assert (table.questions_up, table.questions_down, table.p) == (1, 1, 1.0)
    assert table.to_wrong.interval.low < 0.25 < table.to_wrong.interval.high
    assert [state_of(right) for right in (True, False, None)] == ["right", "wrong", "none"]


def test_flips_of_one_question_tell_less_than_flips_of_many() -> None:
    turned, stayed = DOWN, SAME
    together = flip_table([[turned] * 5, *[[stayed] * 5 for _ in range(9)]]).to_wrong.interval
    apart = flip_table([[turned, *[stayed] * 4] for _ in range(5)] + [[stayed] * 5 for _ in range(5)]).to_wrong.interval
    assert together.high > apart.high


def test_without_a_wrong_answer_nothing_is_known_of_it() -> None:
    rate = flip_table([[SAME]]).to_right
    assert (rate.share, rate.interval.low, rate.interval.high) == (0, 0, 1)


@pytest.mark.parametrize("seats", range(3, 7))
def test_shapley_values_are_the_mean_over_all_orders(seats: int) -> None:
    chance = np.random.default_rng(seats)
    answers = {f"seat {place}": str(chance.choice(["x", "y", "z", ""])) for place in range(seats)}
    value = vote_value(answers, "x", empty=0.25)
    names = list(answers)
    shares = dict.fromkeys(names, 0.0)
    for order in permutations(names):
        for place, name in enumerate(order):
            before, after = (sorted(order[:end], key=names.index) for end in (place, place + 1))
            shares[name] += (value(after) - value(before)) / math.factorial(seats)
    exact = shapley(names, value)
    assert exact == pytest.approx(shares, abs=1e-12)
    assert sum(exact.values()) == pytest.approx(value(names) - value([]), abs=1e-12)


def test_a_seat_left_out_takes_its_vote_with_it() -> None:
    value = vote_value({"Ada": "x", "Bo": "x", "Cy": "y"}, "x")
    assert leave_one_out(["Ada", "Bo", "Cy"], value) == {"Ada": 0.5, "Bo": 0.5, "Cy": 0.0}


def test_too_many_seats_are_refused() -> None:
    with pytest.raises(ValueError, match="11 seats are too many"):
        shapley([str(place) for place in range(11)], len)


def test_values_of_a_seat_over_questions() -> None:
    assert by_seat([{"Ada": 0.5, "Bo": 0.0}, {"Ada": 1.0, "Bo": 0.5}]) == {"Ada": [0.5, 1.0], "Bo": [0.0, 0.5]}
    assert by_seat([]) == {}


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


def test_agreement_beyond_chance_is_krippendorffs() -> None:
    """The example of Krippendorff (2011), table C: four observers, twelve units, alpha 0.743."""
    columns = ["111.", "2223", "3333", "3333", "2222", "1234", "4444", "1121", "2222", ".555", "..11", ".3.."]
    items = [
        {name: "" if answer == "." else answer for name, answer in zip("abcd", column, strict=True)}
        for column in columns
    ]
    assert krippendorff(items) == pytest.approx(0.743, abs=5e-4)
    assert krippendorff([{"a": "x", "b": "x"}]) is None


def test_a_liar_gives_the_wrong_answer_of_most() -> None:
    assert lie(ITEM, "x") == "y"
    assert lie(ITEM, "y") == "x"
    assert lie({"Ada": "x"}, "x") == "a lie"


def test_liars_are_planted_in_all_ways() -> None:
    """Of three who are right one may lie; of two right and one wrong a liar among the right turns the vote."""
    assert credit_with_liars({"a": "x", "b": "x", "c": "x"}, "x", liars=1) == 1
    assert credit_with_liars({"a": "x", "b": "x", "c": "y"}, "x", liars=1) == pytest.approx(1 / 3)
    assert points_lost([{"a": "x", "b": "x", "c": "y"}], ["x"], liars=2) == [1.0]
