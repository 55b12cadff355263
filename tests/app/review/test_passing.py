"""Whether a review passes: nothing severe that nobody has checked does."""

import pytest

from folkmoot.app.review.review_start import passing, unsettled
from folkmoot.core.ask import Ask
from folkmoot.protocols.known import build
from folkmoot.reviews.reviewed import Review, review_of
from folkmoot.testing.replay import Harness
from folkmoot.testing.scripted import Scripted
from tests.kits.reviewers import finding, reply, review_brief, verdict


async def reviewed(found: str, checked: str) -> Review:
    """A review in which R1 finds something, R2 checks it, and R1 holds on to it."""

    def answer(ask: Ask) -> str:
        if ask.act == "inspect":
            return found if ask.to == "R1" else "NO FINDINGS"
        return checked if ask.act == "refute" else reply("HOLD")

    brief = review_brief()
    agent = Scripted(lambda ask, context: answer(ask))
    place = Harness(brief=brief, protocol=build("findings", brief), name="findings")
    debate = await place.run({who.name: agent for who in brief.participants})
    return review_of(brief, debate.transcript)


@pytest.mark.parametrize(
    ("found", "checked", "expected"),
    [
        (finding(SEVERITY="critical"), verdict("AGREE"), "failed"),
        (finding(SEVERITY="critical"), verdict("CANNOT_TELL"), "incomplete"),
        (finding(SEVERITY="critical"), "I think so.", "incomplete"),
        (finding(SEVERITY="critical"), verdict("DISAGREE_EVIDENCE"), "passed"),
        (finding(SEVERITY="critical", quote="while the page is not the last"), "", "incomplete"),
        (finding("", SEVERITY="critical"), "", "incomplete"),
        (finding("line ten", SEVERITY="critical"), "", "incomplete"),
        (finding("1-99", SEVERITY="critical"), "", "incomplete"),
        (finding(SEVERITY="critical", FILE="src/a.py"), "", "incomplete"),
        (finding(SEVERITY="high", quote="gone"), "", "incomplete"),
        (finding(SEVERITY="unheard of", quote="gone"), "", "incomplete"),
        (finding(SEVERITY="medium", quote="gone"), "", "passed"),
        (finding(SEVERITY="medium"), verdict("CANNOT_TELL"), "passed"),
        (finding("50", "line 50", SEVERITY="critical"), verdict("AGREE"), "passed"),
    ],
)
async def test_a_severe_finding_that_nobody_has_checked_does_not_pass(found: str, checked: str, expected: str) -> None:
    review = await reviewed(found, checked)
    assert passing(review, "high") == expected
    assert passing(review, "high", strict=False) == ("failed" if expected == "failed" else "passed")
    if not review.missing:
        assert bool(unsettled(review, "high")) == (expected == "incomplete")
        assert passing(review, "never") == "passed"
