"""Phases where somebody may see nothing, or where it is not their round."""

from dataclasses import replace

from folkmoot.core.brief import Brief
from folkmoot.phases.base import At, Rounds, Sequence
from folkmoot.phases.speak import Everyone
from folkmoot.phases.vote import BALLOT, Vote
from folkmoot.policy.rules import PLURALITY
from folkmoot.testing.replay import Harness
from tests.kits.players import ANN, BOB, CY, Player, hold


async def test_whoever_may_see_no_proposal_gets_no_ballot() -> None:
    people = (ANN, BOB, replace(CY, hide=("Ann", "Bob", "Cy")))
    brief = Brief(topic="Tea?", participants=people)
    vote = Vote(rule=PLURALITY, acts=("propose",), task="Vote.")
    player = Player(lambda ask, context: {BALLOT: "Proposal A"} if ask.act == "vote" else {})
    propose = Everyone(act="propose", task="Propose.", who=("Ann", "Bob"))
    place = Harness(brief=brief, protocol=Sequence(parts=(propose, vote)))
    debate = await place.run({person.name: player for person in people})
    assert [ask.to for ask, _ in player.asked if ask.act == "vote"] == ["Ann", "Bob"]
    assert debate.transcript.decision
    assert [ballot.state for ballot in debate.transcript.decision.ballots] == ["cast", "cast", "missing"]


async def test_a_phase_whose_round_it_is_not_is_not_entered() -> None:
    late = At(each=Everyone(act="argue", task="Argue."), rounds=(2,))
    debate, _ = await hold(Rounds(each=Sequence(parts=(late,)), most=2), lambda ask, context: {})
    assert debate.transcript.entered == [
        "/debate",
        "/debate/round-1",
        "/debate/round-2",
        "/debate/round-2/argue",
    ]
