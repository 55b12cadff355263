"""The protocol ``findings``: who is asked what, which states follow, and that nothing is lost by a kill."""

from collections.abc import Callable

import pytest

from folkmoot.app.plan.estimate import estimate
from folkmoot.core.ask import Ask
from folkmoot.core.brief import Brief
from folkmoot.core.decision import Decision
from folkmoot.phases import base
from folkmoot.phases.choices import Choices
from folkmoot.protocols.known import build
from folkmoot.protocols.measured.findings import Arbitrate, Conclude, Inspect, Refute, Respond
from folkmoot.reviews.reviewed import Review, review_of
from folkmoot.testing.replay import Harness, HeldDebate
from folkmoot.testing.scripted import Scripted
from tests.kits.reviewers import ARTEFACT, TWO, finding, person, reply, review_brief, ruling, verdict

Answer = Callable[[Ask], str | Exception]


async def run(brief: Brief, answer: Answer, tree: base.Phase | None = None) -> tuple[HeldDebate, Review, Scripted]:
    agent = Scripted(lambda ask, context: answer(ask))
    place = Harness(brief=brief, protocol=tree or build("findings", brief), name="findings")
    debate = await place.run({who.name: agent for who in brief.participants})
    return debate, review_of(brief, debate.transcript), agent


def saying(inspect: str | Exception, refute: str | Exception = "", respond: str | Exception = "") -> Answer:
    """Only R1 finds something."""

    def answer(ask: Ask) -> str | Exception:
        if ask.act == "inspect":
            return inspect if ask.to == "R1" else "NO FINDINGS"
        return {"refute": refute, "respond": respond}[ask.act]

    return answer


def decision_of(debate: HeldDebate) -> Decision:
    assert debate.transcript.decision
    return debate.transcript.decision


BROKEN = ValueError("it broke")

CASES: list[tuple[str, str | Exception, str | Exception, str, bool]] = [
    (finding(quote="gone"), "", "", "no_basis", False),
    (finding(), verdict("AGREE"), "", "survived", False),
    (finding(), verdict("AGREE", quote="gone"), "", "contested", False),
    (finding(), verdict("AGREE", cite=""), "", "contested", False),
    (finding(), verdict("DISAGREE_EVIDENCE"), reply("RETRACT"), "retracted", False),
    (finding(), verdict("DISAGREE_EVIDENCE"), reply("HOLD"), "contested", False),
    (finding(), verdict("DISAGREE_EVIDENCE"), "well", "contested", False),
    (finding(), verdict("DISAGREE_EVIDENCE"), BROKEN, "contested", False),
    (finding(), verdict("DISAGREE_EVIDENCE", cite="c.py:1"), "", "contested", False),
    (finding(), verdict("DISAGREE_CONCERN"), "", "contested", False),
    (finding(), verdict("CANNOT_TELL"), "", "contested", True),
    (finding(), "It is right.", "", "contested", True),
    (finding(), f"{verdict('AGREE')}\n{verdict('CANNOT_TELL')}", "", "contested", True),
    (finding(), BROKEN, "", "contested", True),
]


@pytest.mark.parametrize(("inspect", "refute", "respond", "state", "unchecked"), CASES)
async def test_states_follow_from_what_is_answered(
    inspect: str, refute: str | Exception, respond: str | Exception, state: str, unchecked: bool
) -> None:
    debate, review, _ = await run(review_brief(), saying(inspect, refute, respond))
    (item,) = review.findings
    assert (item.state, item.standing.unchecked) == (state, unchecked)
    assert decision_of(debate).text.startswith("1 finding ")
    assert bool(review.missing) == (item.refutation is not None and not item.refutation.verdict)
    assert review.counts[item.state] == 1


async def test_a_refutation_touches_only_the_fault_that_it_is_about() -> None:
    faults = {"R1": finding(quote="while", CLAIM="It never ends."), "R2": finding(quote="page:", CLAIM="No such name.")}
    brief = review_brief((*TWO, person("C", "three", "juror")))

    def answer(ask: Ask) -> str:
        if ask.act == "inspect":
            return faults[ask.to]
        if ask.act == "refute":
            return verdict("DISAGREE_EVIDENCE" if "It never ends." in ask.task else "AGREE")
        return reply("RETRACT")

    _, review, agent = await run(brief, answer)
    assert {item.finding.claim: (item.state, item.agreement) for item in review.findings} == {
        "It never ends.": ("retracted", ""),
        "No such name.": ("survived", ""),
    }
    tasks = [ask.task for ask, _ in agent.history if ask.act == "refute"]
    assert [sum(words in task for words in ("It never ends.", "No such name.")) for task in tasks] == [1, 1]


async def test_one_fault_of_two_reviewers_is_one_finding_that_says_what_the_agreement_rests_on() -> None:
    faults = {"R1": finding(quote="while ..."), "R2": finding(CATEGORY="concurrency", SEVERITY="P0")}

    def answer(ask: Ask) -> str:
        return faults[ask.to] if ask.act == "inspect" else verdict("AGREE", SEVERITY="blocker")

    for vendors, words in ((TWO, "2 vendors"), ((person("R1", "one"), person("R2", "one")), "one vendor")):
        brief = review_brief((*vendors, person("C", "three", "juror")))
        _, review, agent = await run(brief, answer)
        (item,) = review.findings
        assert (item.state, item.finding.severity, review.missing) == ("survived", "critical", ())
        assert all(part in item.agreement for part in ("R1", "R2", words, "correctness", "concurrency", "quotations"))
        assert item.refutation
        assert item.refutation.severity == "critical"
        assert len([ask for ask, _ in agent.history if ask.act == "refute"]) == 1


async def test_a_block_that_cannot_be_read_costs_no_other_one() -> None:
    blocks = (
        finding(SEVERITY="blocker"),
        finding(LINES="?"),
        finding("30", "line thirty", SEVERITY="Major"),
        "FINDING",
    )
    _, review, _ = await run(review_brief(), saying("\n".join(blocks), verdict("AGREE")))
    assert [(item.finding.severity, item.state) for item in review.findings] == [
        ("critical", "survived"),
        ("high", "survived"),
    ]
    (lack,) = review.missing
    assert "FINDING 2" in lack
    assert "FINDING 4" in lack


async def test_reviewers_are_blind_and_a_refuter_sees_one_finding_without_names() -> None:
    brief = review_brief(words="Trust me, it ends.")
    two = f"{finding()}\n{finding('30', 'line thirty', CLAIM='Another thing.', WHY='It shows.')}"
    _, review, agent = await run(brief, saying(two, verdict("AGREE")))
    for ask, context in agent.history:
        assert (context.turns, context.about) == ((), ())
        assert "R1" not in ask.task
        assert ("Trust me" in ask.task) == (ask.act == "refute")
    tasks = [ask.task for ask, _ in agent.history if ask.act == "refute"]
    assert ["It never ends." in task for task in tasks] == [True, False]
    assert ["Another thing." in task for task in tasks] == [False, True]
    assert {ask.to for ask, _ in agent.history if ask.act == "refute"} == {"R2"}
    assert review.reviewers == {"R1": 2, "R2": 0}


async def test_a_refuter_is_of_another_vendor_where_there_is_one() -> None:
    jurors = (person("C1", "one", "juror"), person("C2", "two", "juror"), person("C3", "three", "juror"))

    async def refuters(brief: Brief, both: bool) -> list[tuple[str, bool]]:
        def answer(ask: Ask) -> str:
            if ask.act == "refute":
                return verdict("AGREE")
            return finding() if both or ask.to == "R1" else "NO FINDINGS"

        _, review, _ = await run(brief, answer)
        return [(item.refutation.by, item.refutation.same_vendor) for item in review.findings if item.refutation]

    assert await refuters(review_brief((*TWO, *jurors)), both=False) == [("C2", False)]
    assert await refuters(review_brief((*TWO, *jurors)), both=True) == [("C3", False)]
    assert await refuters(review_brief((*TWO, *jurors[:2])), both=True) == [("C2", True)]
    assert await refuters(review_brief(), both=False) == [("R2", False)]
    alike = (person("R1", "one"), person("R2", "one"))
    assert await refuters(review_brief(alike), both=False) == [("R2", True)]


async def test_the_worst_twelve_are_checked_and_the_others_stay_unchecked() -> None:
    many = "\n".join(
        finding(str(n), f"line {n}", SEVERITY="critical" if n > 50 else "low", FILE="b.md") for n in range(1, 75, 5)
    )
    _, review, agent = await run(review_brief(), saying(many, verdict("AGREE")))
    assert [ask.key.rpartition("#")[2] for ask, _ in agent.history if ask.act == "refute"] == [
        str(n) for n in range(1, 13)
    ]
    assert [item.finding.severity for item in review.findings[:5]] == ["critical"] * 5
    assert [item.finding.id for item in review.findings if item.standing.unchecked] == ["F13", "F14", "F15"]
    assert len(review.at_least("critical")) == 5
    assert (review.find("f13"), review.find("F99")) == (review.findings[12], None)


async def test_a_review_says_what_it_lacks() -> None:
    def answer(ask: Ask) -> str | Exception:
        return {"R1": f"{finding()}\nFINDING\nFILE: x\nEND", "R2": "I saw nothing odd."}.get(ask.to, BROKEN)

    brief = review_brief((*TWO, person("R3", "three"), person("C1", "four", "juror")))
    debate, review, _ = await run(brief, answer)
    wanted = (("R2", "no findings"), ("R3", "it broke"), ("R1", "FINDING 2 LINES"), ("F1", "it broke"))
    told = zip(review.missing, wanted, strict=True)
    assert all(each in sentence for sentence, words in told for each in words)
    assert decision_of(debate).how == "; ".join(review.missing)
    assert review.reviewers == {"R1": 1, "R2": None, "R3": None}


async def test_without_a_reviewer_there_is_no_review() -> None:
    debate, review, _ = await run(review_brief(), lambda ask: BROKEN)
    assert debate.transcript.closed
    assert debate.transcript.closed.status == "failed"
    assert (str(review), len(review.missing)) == ("no findings", 2)
    debate, _, _ = await run(review_brief(), lambda ask: "Fine.")
    assert decision_of(debate).status == "no_decision"
    debate, review, _ = await run(review_brief(), lambda ask: "NO FINDINGS")
    assert (decision_of(debate).text, review.missing) == ("No findings.", ())


@pytest.mark.parametrize(
    ("word", "cite", "state"),
    [
        ("WITHDRAWN", "a.py:10", "retracted"),
        ("UPHELD", "a.py:10", "survived"),
        ("SPLIT", "a.py:10", "contested"),
        ("UPHELD", "a.py:999", "contested"),
        ("PERHAPS", "a.py:10", "contested"),
    ],
)
async def test_a_dispute_is_judged_once_with_a_citation(word: str, cite: str, state: str) -> None:
    judge = person("J", "three", "juror")
    brief = review_brief((*TWO, judge))
    dispute = Arbitrate(finding=1, because="It ends:\n\nThe author cites: b.md:1", cite="a.py:9-10", by="J")
    tree = base.Sequence(parts=(Inspect(), Refute(), Respond(), dispute, Conclude()))

    def answer(ask: Ask) -> str:
        if ask.act == "dispute":
            return ruling(word, cite)
        return verdict("DISAGREE_CONCERN") if ask.act == "refute" else finding() if ask.to == "R1" else "NO FINDINGS"

    _, review, _ = await run(brief, answer, tree)
    (item,) = review.findings
    assert item.state == state
    assert item.dispute
    assert (item.dispute.by, str(item.dispute.cite)) == ("J", "a.py:9-10")
    assert item.dispute.because == "It ends:\n\nThe author cites: b.md:1"


async def test_a_review_cut_anywhere_and_resumed_is_the_same() -> None:
    answer = saying(finding(), verdict("DISAGREE_EVIDENCE"), reply("RETRACT"))
    whole, review, _ = await run(review_brief(), answer)
    assert len(review.by_state("retracted")) == 1
    place = Harness(brief=review_brief(), protocol=build("findings", review_brief()), name="findings")
    for cut in range(1, len(whole.lines)):
        agent = Scripted(lambda ask, context: answer(ask))
        resumed = await place.run({who.name: agent for who in TWO}, whole.lines[:cut])
        assert resumed.transcript.decision == whole.transcript.decision
        assert len(resumed.transcript.all()) == len(whole.transcript.all())


def test_an_estimate_counts_every_check_and_reply() -> None:
    costing = estimate(review_brief(), build("findings", review_brief()), {})
    assert (costing.least.asks, costing.most.asks) == (2, 2 + 12 + 12)


def test_a_number_of_rounds_changes_nothing() -> None:
    assert build("findings", review_brief(), Choices(rounds=2)) == build("findings", review_brief())
    assert ARTEFACT.sha256 in review_brief().background[0].text
