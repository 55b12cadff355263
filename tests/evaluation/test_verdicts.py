"""The verdict in plain words: prepared results give exactly these sentences."""

import pytest

from folkmoot.evaluation.paired import Differences
from folkmoot.evaluation.verdicts import AS_PLANNED, Comparison, Conduct, compare, decide, liar_sentence


def credits(won: int, lost: int, n: int, *, rival: str = "sampling", cost_ratio: float = 1.0) -> Comparison:
    """A comparison in which so many questions were won and lost."""
    values = [1.0] * won + [-1.0] * lost + [0.0] * (n - won - lost)
    return compare(rival, Differences(values, credits=True), cost_ratio=cost_ratio)


UNIFORM, ADAPTIVE = "uniform sampling", "adaptive sampling"
WON = credits(60, 20, 500, rival=UNIFORM)
GROUPED = compare(UNIFORM, Differences([1.0, 0.0, 1.0, 1.0] * 2, ("a", "b", "c", "d") * 2, credits=True))

CASES = {
    "helped": (
        [WON, credits(55, 20, 500, rival=ADAPTIVE)],
        AS_PLANNED,
        "debate helped (+0.070 [+0.036, +0.104] at equal cost, against both rivals)",
    ),
    "helped against one rival only": (
        [WON, credits(60, 45, 600, rival=ADAPTIVE)],
        AS_PLANNED,
        "not known: n too small by 1617 (+0.080 [+0.045, +0.114] against uniform sampling, "
        "+0.025 [-0.009, +0.059] against adaptive sampling)",
    ),
    "equal to the better rival": (
        [WON, credits(30, 29, 500, rival=ADAPTIVE)],
        AS_PLANNED,
        "no difference larger than 0.05 (+0.080 [+0.045, +0.114] against uniform sampling, "
        "+0.002 [-0.029, +0.033] against adaptive sampling)",
    ),
    "a small difference": (
        [credits(49, 33, 520)],
        AS_PLANNED,
        "not known: n too small by 802 (+0.031 [-0.004, +0.065] against sampling)",
    ),
    "cost off by 3 %": ([credits(60, 20, 500, cost_ratio=1.03)], AS_PLANNED, "no verdict: cost not matched"),
    "30 questions": (
        [credits(3, 1, 30)],
        AS_PLANNED,
        "not known: n too small by 511 (+0.067 [-0.092, +0.217] against sampling)",
    ),
    "6 % failed": ([WON], Conduct(failed=(0.06, 0.05)), "no verdict: too many failures"),
    "arms that failed unequally": ([WON], Conduct(failed=(0.04, 0.005)), "no verdict: too many failures"),
    "judge unchecked": ([WON], Conduct(judge_unchecked=True), "no verdict: judge not checked"),
    "unread answers decide": (
        [WON],
        Conduct(unread_decide=True),
        "no verdict: answers that are not readable decide the sign",
    ),
    "plan edited": ([WON], Conduct(plan_changed=True), "no verdict: plan changed"),
    "all tied": (
        [credits(0, 0, 200)],
        AS_PLANNED,
        "no difference larger than 0.05 (+0.000 [-0.014, +0.014] against sampling)",
    ),
    "all tied, few questions": (
        [credits(0, 0, 30)],
        AS_PLANNED,
        "not known: n too small by 154 (+0.000 [-0.090, +0.090] against sampling)",
    ),
    "four groups": ([GROUPED], AS_PLANNED, "no verdict: fewer than 5 groups of questions"),
    "equal within the margin": (
        [credits(20, 20, 1000)],
        AS_PLANNED,
        "no difference larger than 0.05 (+0.000 [-0.013, +0.013] against sampling)",
    ),
    "hurt": (
        [credits(20, 60, 500), credits(20, 70, 500, rival=ADAPTIVE)],
        AS_PLANNED,
        "debate hurt (-0.080 [-0.114, -0.045] at equal cost, against both rivals)",
    ),
    "one rival": ([WON], AS_PLANNED, "debate helped (+0.080 [+0.045, +0.114] at equal cost, against uniform sampling)"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_result_has_its_sentence(name: str) -> None:
    comparisons, conduct, sentence = CASES[name]
    verdict = decide(comparisons, margin=0.05, conduct=conduct)
    assert verdict.sentence == sentence
    assert verdict.word in sentence


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


def test_the_larger_loss_to_a_liar_stands_first() -> None:
    assert liar_sentence(0.354, 0.106) == "one liar costs the debate 35.4 points, its own first vote 10.6 points"
    assert liar_sentence(0.05, 0.106) == "one liar costs its own first vote 10.6 points, the debate 5.0 points"
