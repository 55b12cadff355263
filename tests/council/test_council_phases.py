"""The debate step as a phase tree: its rules, its tree as data, masks, and the play cut anywhere."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Value
from folkmoot.core.brief import Brief
from folkmoot.core.decision import Ballot
from folkmoot.core.errors import ProtocolError
from folkmoot.policy.rules import PLURALITY, UNANIMITY, WEIGHTED
from folkmoot.protocols.council import PICK, VOTING, OrElse, Weighed, debate_step
from folkmoot.protocols.spec import dump, load
from folkmoot.testing.replay import Harness, SeededAgent
from tests.kits.players import ANN, BOB, CHAIR, CY, Player, resume_everywhere

BRIEF = Brief(topic="Tea?", participants=(ANN, BOB, CY, CHAIR))


@pytest.mark.parametrize("voting", VOTING)
@pytest.mark.parametrize("latest", [False, True])
async def test_the_debate_step_resumes_from_anywhere(voting: str, latest: bool) -> None:
    tree = debate_step(BRIEF, voting=voting, rounds=2, latest=latest)
    assert load(dump(tree)) == tree
    place = Harness(brief=BRIEF, protocol=tree)
    oracle = SeededAgent()
    whole = await place.run({participant.name: oracle for participant in BRIEF.participants})
    assert whole.transcript.decision
    assert whole.transcript.decision.status == "decided"
    await resume_everywhere(place, whole, step=3)


@pytest.mark.parametrize("voting", ["bogus", "moderator"])
def test_a_debate_step_that_cannot_be_played_is_refused(voting: str) -> None:
    with pytest.raises(ProtocolError, match=r"bogus|one moderator"):
        debate_step(replace(BRIEF, participants=(ANN, BOB)), voting=voting, rounds=0)


async def test_masked_proposals_cannot_be_picked_or_voted_for() -> None:
    blind = replace(CHAIR, hide=("propose",))
    half = replace(ANN, hide=("Bob",))
    brief = replace(BRIEF, participants=(half, BOB, CY, blind))
    moderated = Harness(brief=brief, protocol=debate_step(brief, voting="moderator", rounds=0))
    oracle = SeededAgent()
    seats = {participant.name: oracle for participant in brief.participants}
    debate = await moderated.run(seats)
    assert (debate.transcript.turns("vote"), debate.transcript.decision and debate.transcript.decision.winner) == (
        (),
        "Ann",
    )
    voted = await Harness(brief=brief, protocol=debate_step(brief, voting="majority", rounds=0)).run(seats)
    (first, *_) = [turn.ask for turn in voted.transcript.turns("vote") if turn.ask and turn.ask.form]
    assert first.form
    assert first.form.fields[0].choices == ("Ann", "Cy")


async def test_the_moderators_choice_is_on_record_as_the_ballot() -> None:
    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        return {PICK: "Cy"} if ask.to == "Chair" else {}

    place = Harness(brief=BRIEF, protocol=debate_step(BRIEF, voting="moderator", rounds=0))
    player = Player(script)
    debate = await place.run({participant.name: player for participant in BRIEF.participants})
    assert debate.transcript.decision
    assert (debate.transcript.decision.winner, debate.transcript.decision.rule) == ("Cy", "moderator")
    assert debate.transcript.decision.support == ("Chair",)


def ballots(words: str, weights: tuple[float, ...] = (1.0, 1.0, 1.0)) -> list[Ballot]:
    counted_ballots: list[Ballot] = []
    for n, (word, weight) in enumerate(zip(words.split(), weights, strict=True)):
        ballot = Ballot(voter=str(n), choice=word, weight=weight)
        counted_ballots.append(replace(ballot, choice="", state="abstained") if word == "-" else ballot)
    return counted_ballots


def test_one_rule_takes_over_from_another() -> None:
    rule = OrElse(first=UNANIMITY, then=PLURALITY)
    agreed, split = rule.decide(ballots("A A -"), "AB"), rule.decide(ballots("A B B"), "AB")
    assert (rule.name, agreed.rule, agreed.winner) == ("unanimity", "unanimity", "A")
    assert (split.rule, split.winner) == ("plurality", "B")
    assert split.how == "B has 2 of 3; unanimity needs all; fallback: plurality: B has 2 of 3"


def test_votes_without_weight_decide_nothing() -> None:
    rule = Weighed(rule=WEIGHTED)
    none = rule.decide(ballots("A B B", (0.0, 0.0, 0.0)), "AB")
    assert (rule.name, none.status, none.tally, none.how) == (
        "weighted plurality",
        "no_decision",
        {"A": 0.0, "B": 0.0},
        "the votes of 3 voters weigh nothing",
    )
    assert rule.decide(ballots("A - -", (0.0, 0.0, 0.0)), "AB").how == "the only vote weighs nothing"
    assert rule.decide(ballots("A B -", (0.1, 0.0, 0.0)), "AB").winner == "A"
    assert rule.decide(ballots("- - -"), "AB").how == "all 3 voters abstained"


async def test_one_proposal_is_elected_without_a_vote() -> None:
    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        return {} if ask.to == "Bob" else None

    tree = debate_step(BRIEF, voting="majority", rounds=0)
    player = Player(script)
    debate = await Harness(brief=BRIEF, protocol=tree).run(
        {participant.name: player for participant in BRIEF.participants}
    )
    assert debate.transcript.decision
    assert (debate.transcript.decision.winner, debate.transcript.turns("vote")) == ("Bob", ())
    assert debate.transcript.decision.how.endswith("fallback: first proposal")
