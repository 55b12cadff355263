"""The gate: its threshold, learned on other questions."""

import numpy as np
import pytest

from folkmoot.evaluation.gates import Gated, choose, cross_validate, splits


def gated(n: int, *, gain: float = 0.2, noise: float = 0.0) -> Gated:
    """Questions in which a debate gains where answers are more than 0.3 apart, and costs as much elsewhere."""
    spread = np.linspace(0.005, 0.995, n)
    effect = np.where(spread > 0.3, -gain, gain) + np.random.default_rng(1).normal(0, noise or 1e-9, n)
    return Gated(spread=spread, without=np.full(n, 0.7), debated=0.7 + effect)


def test_the_threshold_is_that_of_the_least_loss() -> None:
    questions = gated(100)
    assert choose(questions) == 0.3
    assert questions.share(0.3) == 0.7
    assert questions.losses(0.3).mean() == pytest.approx(0.7 - 0.7 * 0.2, abs=1e-6)


def test_of_equal_thresholds_the_higher_is_taken() -> None:
    spread = np.array([0.1, 0.12, 0.6, 0.7])
    questions = Gated(spread=spread, without=np.full(4, 0.7), debated=np.array([0.7, 0.7, 0.5, 0.5]))
    assert choose(questions) == 0.5


def test_a_cautious_gate_debates_less() -> None:
    questions = gated(60, gain=0.01, noise=0.3)
    assert choose(questions, cautious=True) > choose(questions)


def test_each_question_is_judged_by_thresholds_of_others() -> None:
    questions = gated(100)
    learned = cross_validate(questions)
    assert learned.losses == pytest.approx(questions.losses(0.3))
    assert learned.share == pytest.approx(0.7)
    unclear = gated(60, gain=0.01, noise=0.3)
    assert (cross_validate(unclear, seed=4).losses != cross_validate(unclear).losses).any()


def test_a_group_is_learned_from_or_judged_as_a_whole() -> None:
    """All of a group gain by the same threshold; a fold that parted it would know the answer."""
    spread = np.tile(np.array([0.1, 0.9]), 10)
    groups = [f"g{place // 2}" for place in range(20)]
    without, debated = np.zeros(20), np.ones(20)
    alone = Gated(spread=spread, without=without, debated=debated)
    together = Gated(spread=spread, without=without, debated=debated, groups=groups)
    for folds in (2, 10, 50):
        for learn, judge in splits(together, folds, seed=1):
            assert learn
            assert judge
            assert {groups[place] for place in learn}.isdisjoint(groups[place] for place in judge)
    assert len(list(splits(together, 50, seed=1))) == 10
    assert len(list(splits(alone, 50, seed=1))) == 20
    assert together.only([0, 3]).groups == ["g0", "g1"]
    assert cross_validate(together, folds=5).losses.tolist() == [0.0] * 20


@pytest.mark.parametrize("cautious", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_what_a_question_turned_out_to_be_never_moves_its_own_threshold(cautious: bool, grouped: bool) -> None:
    """Any outcome of a question, or of all of its group, leaves open whether it itself is debated."""
    chance = np.random.default_rng(5)
    n = 60
    spread = np.round(chance.random(n), 2)
    without, debated = chance.random(n), chance.random(n)
    groups = [str(place // 3) for place in range(n)] if grouped else [str(place) for place in range(n)]
    before = cross_validate(
        Gated(spread=spread, without=without, debated=debated, groups=groups), cautious=cautious, seed=2
    )
    others_moved = 0
    for group in dict.fromkeys(groups):
        own = np.array([name == group for name in groups])
        for extreme in (-500.0, 500.0):
            changed = Gated(spread=spread, without=np.where(own, extreme, without), debated=debated, groups=groups)
            after = cross_validate(changed, cautious=cautious, seed=2)
            assert after.debated[own].tolist() == before.debated[own].tolist()
            others_moved += int((after.debated != before.debated)[~own].sum())
    assert others_moved > 0
