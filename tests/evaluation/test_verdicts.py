"""The verdict in plain words: prepared results give these words and figures."""

import pytest

from folkmoot.evaluation.paired import Differences
from folkmoot.evaluation.verdicts import (
    AS_PLANNED,
    COMPLETE,
    ENOUGH_GROUPS,
    MATCHED,
    PLANNED,
    READABLE,
    WHOLE,
    Comparison,
    Conduct,
    compare,
    decide,
)


def credits(won: int, lost: int, n: int, *, rival: str = "sampling", cost_ratio: float = 1.0) -> Comparison:
    """A comparison in which so many questions were won and lost."""
    values = [1.0] * won + [-1.0] * lost + [0.0] * (n - won - lost)
    return compare(rival, Differences(values, credits=True), cost_ratio=cost_ratio)


UNIFORM, ADAPTIVE = "uniform sampling", "adaptive sampling"
WON = credits(60, 20, 500, rival=UNIFORM)
GROUPED = compare(UNIFORM, Differences([1.0, 0.0, 1.0, 1.0] * 2, ("a", "b", "c", "d") * 2, credits=True))

PREPARED = {
    "helped": ([WON, credits(55, 20, 500, rival=ADAPTIVE)], AS_PLANNED, "helped", "+0.070 [+0.036, +0.104]"),
    "helped against one rival only": ([WON, credits(60, 45, 600, rival=ADAPTIVE)], AS_PLANNED, "not known", "1,617"),
    "equal to the better rival": ([WON, credits(30, 29, 500, rival=ADAPTIVE)], AS_PLANNED, "no difference", "0.05"),
    "a small difference": ([credits(49, 33, 520)], AS_PLANNED, "not known", "802"),
    "cost off by 3 %": ([credits(60, 20, 500, cost_ratio=1.03)], AS_PLANNED, "no verdict", MATCHED),
    "30 questions": ([credits(3, 1, 30)], AS_PLANNED, "not known", "511"),
    "6 % failed": ([WON], Conduct(failed=(0.06, 0.05)), "no verdict", COMPLETE),
    "arms that failed unequally": ([WON], Conduct(failed=(0.04, 0.005)), "no verdict", COMPLETE),
    "unread answers decide": ([WON], Conduct(unread_decide=True), "no verdict", READABLE),
    "plan edited": ([WON], Conduct(plan_changed=True), "no verdict", PLANNED),
    "only some questions": ([WON], Conduct(part=True), "no verdict", WHOLE),
    "all tied": ([credits(0, 0, 200)], AS_PLANNED, "no difference", "+0.000 [-0.014, +0.014]"),
    "all tied, few questions": ([credits(0, 0, 30)], AS_PLANNED, "not known", "154"),
    "four groups": ([GROUPED], AS_PLANNED, "no verdict", ENOUGH_GROUPS),
    "equal within the margin": ([credits(20, 20, 1000)], AS_PLANNED, "no difference", "+0.000 [-0.013, +0.013]"),
    "hurt": (
        [credits(20, 60, 500), credits(20, 70, 500, rival=ADAPTIVE)],
        AS_PLANNED,
        "hurt",
        "-0.080 [-0.114, -0.045]",
    ),
    "one rival": ([WON], AS_PLANNED, "helped", UNIFORM),
}


@pytest.mark.parametrize("name", PREPARED)
def test_a_result_has_its_word_and_its_figures(name: str) -> None:
    comparisons, conduct, word, figure = PREPARED[name]
    verdict = decide(comparisons, margin=0.05, conduct=conduct)
    assert verdict.word == word
    assert word in verdict.sentence
    assert figure in verdict.sentence


def test_a_verdict_needs_the_p_value_and_the_interval() -> None:
    beyond = compare("sampling", Differences([1.0] * 5 + [0.0]))
    assert (beyond.interval.beyond_zero, beyond.p, beyond.side()) == (True, 0.0625, 0)
    assert decide([beyond], margin=0.5).word == "not known"
    assert decide([beyond], margin=2.0).word == "no difference"


@pytest.mark.parametrize(("won", "lost", "p"), [(8, 4, 1093 / 4096), (6, 6, 1.0), (0, 0, 1.0)])
def test_a_p_value_is_shown_as_it_is_where_the_interval_holds_zero(won: int, lost: int, p: float) -> None:
    compared = credits(won, lost, 40)
    assert (compared.interval.beyond_zero, compared.side()) == (False, 0)
    assert compared.p == pytest.approx(p)
