"""Options are closed in every protocol: whoever answers what is none of them stands for nothing."""

import pytest

from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.decision import Decision
from folkmoot.phases.choices import Choices
from folkmoot.protocols.known import build
from folkmoot.protocols.spec import dump
from folkmoot.testing.replay import Harness, HeldDebate, SeededAgent
from folkmoot.testing.scripted import Scripted
from tests.kits.players import CHAIR, resume_everywhere

YES = ("yes", "no")
PEOPLE = tuple(Participant(name=name, role="r") for name in ("Ada", "Bo", "Cy"))


def brief(*others: Participant) -> Brief:
    return Brief(topic="Tea?", participants=(*PEOPLE, *others), options=YES)


def speak(ask: Ask, context: Context, first: str = "maybe") -> str:
    """Ada says what is no option, and everybody votes for Ada where that can be done."""
    if ask.act == "vote":
        assert ask.form
        shown = [turn.by for turn in context.about]
        if ask.form.name == "ranking":
            return "REASON: So.\nRANKING: " + ", ".join(ask.form.fields[-1].choices)
        label = ask.form.fields[-1].choices[shown.index("Ada")] if "Ada" in shown else ""
        reason = "REASON: So.\n" if ask.form.name == "verdict" else ""
        return reason + (f"I vote for: {label}" if label else "I abstain from voting")
    if ask.act == "critique":
        return "ISSUE: Weak.\nSEVERITY: 3"
    return f"ANSWER: {first if ask.to == 'Ada' else 'yes'}\nARGUMENT: Because {ask.to} says so.\nCLAIM: So."


async def hold(protocol: str, parsed_brief: Brief, choices: Choices | None = None, first: str = "maybe") -> HeldDebate:
    agent = Scripted(lambda ask, context: speak(ask, context, first))
    place = Harness(brief=parsed_brief, protocol=build(protocol, parsed_brief, choices), name=protocol)
    return await place.run({person.name: agent for person in parsed_brief.participants})


def decided(debate: HeldDebate) -> Decision:
    assert debate.transcript.decision
    return debate.transcript.decision


@pytest.mark.parametrize(
    ("protocol", "brief", "choices"),
    [
        ("arena", brief(), Choices(rounds=1)),
        ("arena", brief(), Choices(rounds=0, strategy="borda")),
        ("arena", brief(CHAIR), Choices(rounds=1, strategy="judge")),
        ("panel", brief(), None),
        ("panel", brief(), Choices(strategy="borda")),
        ("council", brief(), None),
        ("council", brief(CHAIR), Choices(strategy="moderator")),
        ("council", brief(), Choices(strategy="consensus", rounds=1)),
        ("round_robin", brief(), Choices(rounds=1, strategy="vote")),
        ("round_robin", brief(CHAIR), Choices(rounds=1, strategy="vote_based")),
    ],
)
async def test_what_is_no_option_is_no_candidate(protocol: str, brief: Brief, choices: Choices | None) -> None:
    decision = decided(await hold(protocol, brief, choices))
    texts = (decision.winner, decision.text, *decision.tally, *(minority.answer for minority in decision.minority))
    assert not any("maybe" in words or words == "Ada" for words in texts)
    assert decision.status in ("decided", "no_decision")
    if decision.status == "decided":
        assert decision.text == "yes"


async def test_a_council_with_options_decides_for_one_of_them() -> None:
    debate = await hold("council", brief(), first="no")
    decision = decided(debate)
    assert (decision.status, decision.winner, decision.text) == ("decided", "no", "no")
    assert dict(decision.tally) == {"no": 3.0, "yes": 0.0}
    assert [turn.fields["ANSWER"] for turn in debate.transcript.turns("propose")] == ["no", "yes", "yes"]
    assert decision.argument.startswith("Because Ada says so.")


async def test_a_council_in_which_all_take_one_option_holds_no_vote() -> None:
    debate = await hold("council", brief(), Choices(strategy="consensus"), first="yes")
    assert (decided(debate).winner, len(debate.transcript.turns("vote"))) == ("yes", 0)
    assert {turn.act for turn in debate.transcript.turns()} == {"propose"}


@pytest.mark.parametrize(("protocol", "field"), [("moderated", "DECISION"), ("round_robin", "VERDICT")])
@pytest.mark.parametrize(("choice", "text"), [("yes", "yes"), ("A third way.", "")])
async def test_a_moderator_decides_for_an_option_or_not_at_all(
    protocol: str, field: str, choice: str, text: str
) -> None:
    words = f"SUMMARY: All spoke.\nSTATUS: SETTLED\n{field}: {choice}"
    agent = Scripted(lambda ask, context: words if ask.to == "Chair" else speak(ask, context))
    parsed_brief = brief(CHAIR)
    place = Harness(brief=parsed_brief, protocol=build(protocol, parsed_brief, Choices(rounds=1)), name=protocol)
    debate = await place.run({person.name: agent for person in parsed_brief.participants})
    assert decided(debate).text == text


@pytest.mark.parametrize("protocol", ["arena", "council"])
async def test_cut_anywhere_it_is_the_same_debate(protocol: str) -> None:
    parsed_brief = brief()
    place = Harness(brief=parsed_brief, protocol=build(protocol, parsed_brief, Choices(rounds=1)), name=protocol)
    oracle = SeededAgent()
    whole = await place.run({person.name: oracle for person in parsed_brief.participants})
    await resume_everywhere(place, whole, step=3)


def test_without_options_trees_are_as_they_were() -> None:
    for protocol in ("arena", "council"):
        assert "closed" not in str(dump(build(protocol, Brief(topic="Tea?", participants=PEOPLE))))
