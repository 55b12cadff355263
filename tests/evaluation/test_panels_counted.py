"""Flips, contributions of seats, independent voices, liars: against numbers by hand or by brute force."""

import math
import statistics
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations, permutations

import numpy as np
import pytest

from folkmoot.evaluation.contributions import by_seat, leave_one_out, shapley, vote_value
from folkmoot.evaluation.flips import Change, flip_table, state_of
from folkmoot.evaluation.liars import credit_with_liars, lie, points_lost
from folkmoot.evaluation.voices import effective_votes, krippendorff
from folkmoot.learn.panels import effective_voters

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


def by_all_orders(names: Sequence[str], worth: Mapping[frozenset[str], float]) -> dict[str, float]:
    """What each adds to those before it, the mean over all orders: the definition, word for word."""
    added: dict[str, list[float]] = {name: [] for name in names}
    for order in permutations(names):
        before: frozenset[str] = frozenset()
        for name in order:
            after = before | {name}
            added[name].append(worth[after] - worth[before])
            before = after
    return {name: math.fsum(parts) / math.factorial(len(names)) for name, parts in added.items()}


def vote_by_hand(answers: Mapping[str, str], group: Collection[str]) -> float:
    """The credit of a vote for x: 1, a share of a tie, or 0; 0.25 where nobody is asked."""
    texts = [answers[name] for name in group if answers[name]]
    leading = {answer for answer in texts if texts.count(answer) == max(map(texts.count, texts))}
    return (("x" in leading) / len(leading) if leading else 0.0) if group else 0.25


@pytest.mark.parametrize("seats", range(3, 9))
@pytest.mark.parametrize("kind", ["vote", "anything"])
def test_shapley_values_are_the_mean_over_all_orders(seats: int, kind: str) -> None:
    chance = np.random.default_rng(seats)
    answers = {f"seat {place}": str(chance.choice(["x", "y", "z", ""])) for place in range(seats)}
    names = list(answers)
    groups = [frozenset(group) for size in range(seats + 1) for group in combinations(names, size)]
    by_hand = {group: vote_by_hand(answers, group) if kind == "vote" else chance.random() for group in groups}

    def drawn(group: Sequence[str]) -> float:
        return by_hand[frozenset(group)]

    value = vote_value(answers, "x", empty=0.25) if kind == "vote" else drawn
    exact = shapley(names, value)
    assert exact == pytest.approx(by_all_orders(names, by_hand), abs=1e-12)
    whole = by_hand[frozenset(names)] - by_hand[frozenset()]
    assert math.fsum(exact.values()) == pytest.approx(whole, abs=1e-12)


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


def test_a_liar_gives_the_wrong_answer_of_most() -> None:
    assert lie(ITEM, "x") == "y"
    assert lie(ITEM, "y") == "x"
    assert lie({"Ada": "x"}, "x") == "a lie"


def test_liars_are_planted_in_all_ways() -> None:
    """Of three who are right one may lie; of two right and one wrong a liar among the right turns the vote."""
    assert credit_with_liars({"a": "x", "b": "x", "c": "x"}, "x", liars=1) == 1
    assert credit_with_liars({"a": "x", "b": "x", "c": "y"}, "x", liars=1) == pytest.approx(1 / 3)
    assert points_lost([{"a": "x", "b": "x", "c": "y"}], ["x"], liars=2) == [1.0]
