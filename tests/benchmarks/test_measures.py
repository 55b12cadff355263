"""What the replays measure with: judges and stances, estimates without the truth, early stops, and how files are read."""

import math
from itertools import combinations, permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.replays.contests import ranked_pairs
from benchmarks.replays.dawid_skene import one_coin
from benchmarks.replays.figures import spearman
from benchmarks.replays.judges import Shift, Verdicts, count_flips, order_swap
from benchmarks.replays.panel_data import cross_fitted, mean_accuracy
from benchmarks.replays.recorded_files import read_json_lines, read_reference, read_rows, reading
from benchmarks.replays.stopping import RULES, Rule, ahead, savings
from benchmarks.replays.voices import effective_votes
from benchmarks.replays.vote_limit import most_votes
from folkmoot.core.errors import FolkmootError
from folkmoot.learn.panels import credit, tops
from tests.benchmarks.test_voices import panel, shared_panel
from tests.learn.test_panels import VOTERS, Items, accuracy, drawn, items_of


def verdicts(straight: str, swapped: str, truth: str = "1") -> Verdicts:
    return Verdicts(one="1", other="2", straight=straight, swapped=swapped, truth=truth)


def test_a_judge_of_places_agrees_never_and_is_right_by_half() -> None:
    swap_result = order_swap([verdicts("1", "2"), verdicts("1", "2", "2")])
    assert (
        swap_result.n,
        swap_result.accuracy,
        swap_result.agree,
        swap_result.accuracy_agreeing,
        swap_result.first,
    ) == (2, 0.5, 0.0, None, 1.0)


def test_a_judge_of_answers_agrees_always_whether_right_or_wrong() -> None:
    swap_result = order_swap([verdicts("1", "1"), verdicts("2", "2")])
    assert (swap_result.accuracy, swap_result.agree, swap_result.accuracy_agreeing, swap_result.first) == (
        0.5,
        1.0,
        0.5,
        0.5,
    )


def test_no_verdict_is_neither_right_nor_in_agreement() -> None:
    swap_result = order_swap([verdicts("", ""), verdicts("1", "")])
    assert (swap_result.accuracy, swap_result.agree, swap_result.accuracy_agreeing, swap_result.first) == (
        0.25,
        0.0,
        None,
        1.0,
    )
    assert order_swap([verdicts("", "")]).first is None


def test_flips_by_hand() -> None:
    shifts = [Shift(before=b, after=a, side=1) for b, a in ((-1, 1), (-1, -1), (2, -1), (2, 3), (0, 1))]
    flips = count_flips(shifts)
    assert (flips.n, flips.won, flips.lost, flips.flipped, flips.mean) == (5, 0.5, 0.5, 0.4, 0.2)
    assert sum(flips.paths.values()) == 5
    assert flips.paths["opposed", "aligned"] == 1
    alone = count_flips([Shift(before=0, after=1, side=1)])
    assert (alone.won, alone.lost, alone.flipped) == (None, None, 0.0)


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1))
def test_the_other_side_sees_wins_as_losses(stances: list[tuple[int, int]]) -> None:
    ours = count_flips([Shift(before=b, after=a, side=1) for b, a in stances])
    theirs = count_flips([Shift(before=b, after=a, side=-1) for b, a in stances])
    assert (ours.won, ours.lost, ours.flipped, ours.mean) == (theirs.lost, theirs.won, theirs.flipped, -theirs.mean)


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


@pytest.mark.parametrize("voters", [3, 5, 11])
def test_without_truth_there_is_a_limit_that_holds(voters: int) -> None:
    """It is never below what the truth says, and near the number of voters where they are independent."""
    for lure in (0.0, 0.1, 0.3):
        items, truths = shared_panel(300, voters=voters, lure=lure, seed=voters)
        voices, limit = effective_votes(items, truths), most_votes(items)
        assert voices
        assert limit is not None
        assert min(voices.effective, 0.95 * voters) <= limit <= voters


def test_copies_are_seen_without_truth() -> None:
    items, _ = shared_panel(300, voters=3, lure=0.0, seed=1)
    copies = [{f"{voter} {copy}": answer for voter, answer in item.items() for copy in "ab"} for item in items]
    limit = most_votes(copies)
    assert limit is not None
    assert limit < 4.5


def test_few_questions_and_voters_who_never_differ_have_no_limit_of_their_own() -> None:
    assert most_votes(panel(49)[0]) is None
    assert most_votes([{"Ada": "x", "Bo": "x", "Cy": ""}] * 50) == 3


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a,b\n1,2\n3\n", "t.csv, line 3: there are fewer cells than heads"),
        ("a,b\n1,2,3\n", "t.csv, line 2: there are more cells than heads"),
        ("a,b\n1,2\n", "t.csv has no column 'c'"),
        ('a,b\n"1\x00,2\n', "t.csv"),
        ("a,b\n1,\udcff\n", "t.csv is not UTF-8"),
    ],
)
def test_a_table_that_is_not_whole_names_its_line(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "t.csv").write_bytes(text.encode("utf-8", "surrogateescape"))

    def cells() -> list[str]:
        with reading(tmp_path, "forecasts"):
            return [row["c"] for row in read_rows(tmp_path / "t.csv")]

    with pytest.raises(FolkmootError) as error:
        cells()
    assert f"cannot be read as forecasts: {problem}" in str(error.value)


def test_lines_that_are_not_json_and_references_in_other_encodings(tmp_path: Path) -> None:
    (tmp_path / "e.jsonl").write_text('{"a": 1}\n\n{"a":\n', "utf-8")
    with pytest.raises(ValueError, match=r"e\.jsonl, line 3: this is not JSON"):
        read_json_lines(tmp_path / "e.jsonl")
    (tmp_path / "e.jsonl").write_text("[" * 100_000, "utf-8")
    with pytest.raises(ValueError, match=r"e\.jsonl, line 1: this is not JSON"):
        read_json_lines(tmp_path / "e.jsonl")
    (tmp_path / "reference.txt").write_bytes(b"\xff\xfe0")
    with pytest.raises(ValueError, match=r"reference\.txt is not UTF-8"):
        read_reference(tmp_path)


def test_a_ranking_is_a_match_for_each_pair() -> None:
    pairs = ranked_pairs([["a"], ["b", "c"], ["a"]], domain="games", weight=0.5)
    assert [(pair.one, pair.other, pair.score) for pair in pairs] == [
        ("a", "b", 1.0),
        ("a", "c", 1.0),
        ("b", "c", 0.5),
        ("b", "a", 1.0),
        ("c", "a", 1.0),
    ]
    assert {(pair.domain, pair.weight) for pair in pairs} == {("games", 0.5)}


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ({"a": 1, "b": 2, "c": 3}, {"a": 10, "b": 20, "c": 300, "d": 0}, 1.0),
        ({"a": 1, "b": 2, "c": 3}, {"a": 3, "b": 2, "c": 1}, -1.0),
        ({"a": 1, "b": 1, "c": 2}, {"a": 1, "b": 2, "c": 3}, math.sqrt(3) / 2),
        ({"a": 1, "b": 1}, {"a": 1, "b": 2}, None),
        ({"a": 1}, {"a": 1}, None),
    ],
)
def test_rank_correlation(one: dict[str, float], other: dict[str, float], expected: float | None) -> None:
    assert spearman(one, other) == (pytest.approx(expected) if expected is not None else None)


@given(items_of(), st.integers(1, 5))
def test_the_mean_over_panels_is_that_of_all_panels(votes: tuple[Items, list[str]], size: int) -> None:
    items, truths = votes
    panels = [
        accuracy([{voter: item[voter] for voter in members} for item in items], truths)
        for members in combinations(VOTERS, size)
    ]
    assert mean_accuracy(items, truths, size=size) == pytest.approx(math.fsum(panels) / len(panels))
