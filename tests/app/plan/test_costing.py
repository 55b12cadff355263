"""What is told of an estimate: what to expect and the most, in this order, whatever the two ways of playing take."""

import pytest

from folkmoot.app.plan.estimate import Costing, Estimate


@pytest.mark.parametrize(
    ("least", "most", "expected", "span"),
    [
        ((2200, 9000), (6800, 19000), 4500, (2200, 6800)),
        ((40000, 90000), (39000, 95000), 39500, (39000, 40000)),
        ((0, 0), (0, 0), 0, (0, 0)),
        ((500, 300), (900, 400), 400, (400, 400)),
    ],
)
def test_what_is_expected_is_between_and_never_more_than_the_most(
    least: tuple[int, int], most: tuple[int, int], expected: int, span: tuple[int, int]
) -> None:
    low, high = (Estimate(expected=like, tokens=top, cost=top / 1e6) for like, top in (least, most))
    costing = Costing(least=low, most=high)
    assert (costing.expected, costing.expected_tokens) == (expected, span)
    assert costing.expected_cost is not None
    assert high.cost is not None
    assert 0 <= costing.expected_cost <= high.cost


def test_without_a_price_there_is_no_cost() -> None:
    costing = Costing(least=Estimate(), most=Estimate(tokens=10, expected=5, cost=None, unpriced=("x:y",)))
    assert costing.expected_cost is None
