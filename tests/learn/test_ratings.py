"""Ratings: Bradley and Terry's model against what is known of it, Elo, pairs, groups that never met."""

import math
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.learn.ratings import (
    SCALE,
    Match,
    Rating,
    bradley_terry,
    by_domain,
    connected_groups,
    elo,
    side_swapped,
)

NAMES = "abcde"


def match(text: str, other: str, score: float = 1.0, weight: float = 1.0, domain: str = "") -> Match:
    return Match(one=text, other=other, score=score, weight=weight, domain=domain)


def values(ratings: tuple[Rating, ...]) -> dict[str, float]:
    return {rating.name: rating.value for rating in ratings}


@st.composite
def one_match(draw: st.DrawFn) -> Match:
    text, other = draw(st.sampled_from(list(permutations(NAMES, 2))))
    return match(text, other, draw(st.sampled_from([0.0, 0.25, 0.5, 1.0])), draw(st.sampled_from([0.5, 1.0, 3.0])))


MATCHES = st.lists(one_match(), min_size=1, max_size=30)


@given(st.data())
def test_the_order_of_matches_does_not_change_one_bit(data: st.DataObject) -> None:
    matches = data.draw(MATCHES)
    assert bradley_terry(data.draw(st.permutations(matches))) == bradley_terry(matches)


@given(MATCHES)
def test_all_results_the_other_way_round_mirror_the_ratings(matches: list[Match]) -> None:
    turned = [match(match_.one, match_.other, 1 - match_.score, match_.weight) for match_ in matches]
    named = [match(match_.other, match_.one, 1 - match_.score, match_.weight) for match_ in matches]
    ours = values(bradley_terry(matches, level=0))
    for name, value in values(bradley_terry(turned, level=0)).items():
        assert value == pytest.approx(-ours[name], abs=1e-4)
    assert values(bradley_terry(named, level=0)) == pytest.approx(ours, abs=1e-9)


@given(MATCHES, st.sampled_from([0.5, 2.0, 10.0]))
def test_only_the_share_of_the_prior_matters(matches: list[Match], factor: float) -> None:
    more = [match(match_.one, match_.other, match_.score, match_.weight * factor) for match_ in matches]
    ratings, many = bradley_terry(matches, prior=1), bradley_terry(more, prior=factor)
    assert values(many) == pytest.approx(values(ratings), abs=1e-4)
    # So many times the results make intervals narrower by the root of it.
    narrow = {rating.name: rating.high - rating.low for rating in many}
    assert narrow == pytest.approx({r.name: (r.high - r.low) / math.sqrt(factor) for r in ratings}, rel=1e-4)


@given(MATCHES)
def test_at_the_solution_everybody_scores_what_is_expected(matches: list[Match]) -> None:
    """The slope is zero: what is missing to the expected score is what the games with one average player make up."""
    worth = {rating.name: rating.value / SCALE for rating in bradley_terry(matches, level=0)}
    average: list[float] = []
    for name, own in worth.items():
        gap = math.fsum(
            match_.weight * ((match_.score if name == match_.one else 1 - match_.score) - _chance(own, worth[foe]))
            for match_ in matches
            if name in (match_.one, match_.other)
            for foe in [match_.other if name == match_.one else match_.one]
        )
        average.append(own - math.log((0.5 + gap) / (0.5 - gap)))
    assert average == pytest.approx([average[0]] * len(average), abs=1e-4)


def _chance(own: float, other: float) -> float:
    return 1 / (1 + math.exp(other - own))


def test_three_wins_of_four_are_odds_of_three_to_one() -> None:
    ratings = values(bradley_terry([match("a", "b", weight=3000), match("b", "a", weight=1000)], anchor="b", level=0))
    assert ratings["b"] == 0
    assert ratings["a"] == pytest.approx(SCALE * math.log(3), abs=0.2)


def test_who_never_lost_has_a_finite_rating_that_rises_with_games() -> None:
    once = values(bradley_terry([match("a", "b")]))["a"]
    often = values(bradley_terry([match("a", "b")] * 10))["a"]
    assert 1500 < once < often < 3500


def test_the_mean_of_all_is_at_the_level_and_the_best_comes_first() -> None:
    ratings = bradley_terry([match("c", "a"), match("a", "b"), match("c", "b", 0.5)], level=1000)
    assert [rating.name for rating in ratings] == ["c", "a", "b"]
    assert math.fsum(rating.value for rating in ratings) == pytest.approx(3000)
    assert all(rating.low < rating.value < rating.high and rating.games == 2 for rating in ratings)


def test_equals_stand_by_name() -> None:
    assert [rating.name for rating in bradley_terry([match("b", "a", 0.5)])] == ["a", "b"]


def test_an_anchor_has_no_interval_and_all_others_are_measured_from_it() -> None:
    matches = [match("a", "b"), match("b", "c"), match("c", "a"), match("a", "c")]
    free, tied = bradley_terry(matches), bradley_terry(matches, anchor="c", level=1200)
    fixed = next(rating for rating in tied if rating.name == "c")
    assert (fixed.low, fixed.value, fixed.high) == pytest.approx((1200, 1200, 1200), abs=1e-4)
    gaps = [values(tied)[name] - values(free)[name] for name in "abc"]
    assert gaps == pytest.approx([gaps[0]] * 3)


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    """Games with even odds, drawn by a fixed rule: 95 % intervals of the difference cover zero in most of 200 sets."""
    covered = 0
    state = 7
    for _ in range(200):
        wins = 0
        for _ in range(40):
            state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
            wins += state >> 63
        matches = [match("a", "b", wins / 40, weight=40)]
        rating = next(row for row in bradley_terry(matches, anchor="b", level=0, prior=0.01) if row.name == "a")
        covered += rating.low <= 0 <= rating.high
    assert 180 <= covered <= 199


def test_no_match_no_rating() -> None:
    assert bradley_terry([]) == ()


@pytest.mark.parametrize(
    ("matches", "anchor", "prior", "words"),
    [
        ([match("a", "b")], "c", 1.0, "c has no match and cannot be the anchor; those who have: a, b"),
        ([match("a", "b")], "", 0.0, "a prior of 0 games"),
    ],
)
def test_what_cannot_be_rated_is_refused(matches: list[Match], anchor: str, prior: float, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        bradley_terry(matches, anchor=anchor, prior=prior)


@pytest.mark.parametrize(
    ("one", "score", "weight", "words"),
    [
        ("b", 1.0, 1.0, "b cannot play against b"),
        ("a", 1.5, 1.0, "a score of 1.5 is not a result"),
        ("a", math.nan, 1.0, "a score of nan is not a result"),
        ("a", 1.0, 0.0, "a weight of 0 cannot be used"),
        ("a", 1.0, math.inf, "a weight of inf cannot be used"),
    ],
)
def test_what_is_no_result_is_refused(one: str, score: float, weight: float, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        match(one, "b", score, weight)


def test_domains_do_not_mix() -> None:
    ratings = by_domain([match("a", "b", domain="law"), match("b", "a", domain="art"), match("b", "c", domain="art")])
    assert list(ratings) == ["art", "law"]
    assert [rating.name for rating in ratings["law"]] == ["a", "b"]
    assert [rating.name for rating in ratings["art"]] == ["b", "a", "c"]


def test_elo_moves_by_k_times_the_surprise() -> None:
    assert elo([match("b", "a")], k=32) == {"a": 1484.0, "b": 1516.0}
    strong = elo([match("a", "b")] * 50 + [match("b", "a")], k=32)
    assert strong["a"] + strong["b"] == pytest.approx(3000)
    # The order counts, which is why it is for display only.
    assert elo([match("a", "b"), match("b", "a")]) != elo([match("b", "a"), match("a", "b")])


@pytest.mark.parametrize(
    ("first", "second", "score"),
    [
        (match("a", "b"), match("b", "a"), 0.5),
        (match("a", "b"), match("b", "a", 0.0), 1.0),
        (match("a", "b"), match("a", "b", 0.0), 0.5),
        (match("a", "b", 0.5), match("b", "a", 0.0), 0.75),
    ],
)
def test_sides_swapped_are_one_result(first: Match, second: Match, score: float) -> None:
    assert side_swapped(first, second) == match("a", "b", score)


@pytest.mark.parametrize("other", [match("a", "c"), match("b", "a", domain="law")])
def test_only_the_return_match_belongs_to_it(other: Match) -> None:
    with pytest.raises(ValueError, match="is not the return of a against b"):
        side_swapped(match("a", "b"), other)


def test_groups_are_those_whom_no_match_joins() -> None:
    matches = [match("x", "y"), match("a", "b"), match("c", "b"), match("b", "a")]
    assert connected_groups(matches) == (("a", "b", "c"), ("x", "y"))
    assert connected_groups([]) == ()
