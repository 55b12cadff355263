"""Flips: answers turned by a round, by answer and by question."""

from folkmoot.evaluation.flips import Change, flip_table, state_of

UP: Change = ("wrong", "right")
DOWN: Change = ("right", "wrong")
SAME: Change = ("right", "right")
NONE: Change = ("none", "right")


def test_flips_are_counted_by_answer_and_by_question() -> None:
    up, down, same = UP, DOWN, SAME
    table = flip_table([[up, up, same], [up, down, same], [down, same, same], [same, same, NONE]])
    assert table.counts["wrong to right"] == 3
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
