"""Judges that saw both orders, and stances before and after."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.learn.judges import Shift, Verdicts, count_flips, order_swap


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


def test_nothing_to_measure_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no verdict to measure"):
        order_swap([])
    with pytest.raises(ValueError, match="there is no stance to follow"):
        count_flips([])


@pytest.mark.parametrize(
    ("before", "after", "side", "start", "end", "towards"),
    [
        (-1, 2, 1, "opposed", "aligned", 3),
        (-1, 2, -1, "aligned", "opposed", -3),
        (0, -0.5, -1, "neutral", "aligned", 0.5),
        (1, 0, 1, "aligned", "neutral", -1),
    ],
)
def test_a_shift_is_seen_from_the_side(
    before: float, after: float, side: int, start: str, end: str, towards: float
) -> None:
    shift = Shift(before=before, after=after, side=side)
    assert (shift.start, shift.end, shift.towards) == (start, end, towards)


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
