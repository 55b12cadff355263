"""The table of states, over its whole product, against one written by hand."""

from itertools import product

import pytest

from folkmoot.reviews.states import REPLIES, RULINGS, VERDICTS, Answers, Standing, Verdict, disputed, rows_for, state_of

CONTESTED, UNCHECKED = Standing("contested"), Standing("contested", unchecked=True)


def by_hand(answers: Answers) -> Standing:
    if not answers.basis:
        return Standing("no_basis")
    if answers.verdict in ("", "CANNOT_TELL"):
        return UNCHECKED
    if answers.verdict == "AGREE" and answers.proof:
        return Standing("survived")
    if answers.verdict == "DISAGREE_EVIDENCE" and answers.proof and answers.reply == "RETRACT":
        return Standing("retracted")
    return CONTESTED


def test_each_of_all_answers_has_exactly_one_row() -> None:
    whole = [Answers(*cells) for cells in product((True, False), VERDICTS, (True, False), REPLIES)]
    assert len(whole) == 60
    for answers in whole:
        assert rows_for(answers) == [by_hand(answers)] == [state_of(answers)]


@pytest.mark.parametrize("verdict", VERDICTS)
def test_without_a_valid_citation_nothing_is_confirmed_or_killed(verdict: Verdict) -> None:
    for reply in REPLIES:
        assert state_of(Answers(True, verdict, False, reply)).state == "contested"


def test_a_dispute_needs_a_ruling_with_a_valid_citation() -> None:
    for before, ruling in product((Standing("survived"), UNCHECKED), RULINGS):
        assert disputed(before, ruling, False) == before
    assert disputed(CONTESTED, "", True) == CONTESTED
    assert disputed(Standing("survived"), "WITHDRAWN", True) == Standing("retracted")
    assert disputed(UNCHECKED, "UPHELD", True) == Standing("survived")
    assert disputed(Standing("survived"), "SPLIT", True) == CONTESTED
