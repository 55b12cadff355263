"""What a moderator may tell, and to whom, where turns are hidden from somebody."""

from collections.abc import Mapping

import pytest

from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Value
from folkmoot.core.brief import Brief, Participant, View
from folkmoot.core.errors import ProtocolError
from folkmoot.core.transcript import Transcript
from folkmoot.phases.base import State
from folkmoot.phases.choices import Choices, Extras, Mediation
from folkmoot.phases.speak import readers_of
from folkmoot.policy.rounds import NothingNew
from folkmoot.protocols.known import build
from folkmoot.testing.replay import Harness
from tests.kits.players import ANN, BOB, CHAIR, CY, Player, Script

HIDING = Participant(name="Ann", hide=("Bob round 1",))


async def run_debate(choices: Choices, *people: Participant, protocol: str = "round_robin", script: Script) -> Player:
    brief = Brief(topic="Tea?", participants=people)
    player = Player(script)
    place = Harness(brief=brief, protocol=build(protocol, brief, choices))
    await place.run({person.name: player for person in people})
    return player


def nothing(ask: Ask, context: Context) -> Mapping[str, Value]:
    return {}


async def test_words_about_hidden_turns_are_for_those_who_may_see_them() -> None:
    active = Choices(rounds=2, mediation=Mediation(kind="active"))
    player = await run_debate(active, HIDING, BOB, CY, CHAIR, script=nothing)
    assert [ask.audience for ask, _ in player.asked if ask.act == "guide"] == [("Bob", "Cy", "Chair")] * 2
    shown = {ask.to: [turn.act for turn in context.turns] for ask, context in player.asked if ask.act == "close"}
    assert ("guide" in shown["Ann"], "guide" in shown["Bob"]) == (False, True)


async def test_without_masks_all_hear_the_moderator() -> None:
    active = Choices(rounds=1, mediation=Mediation(kind="active"))
    player = await run_debate(active, ANN, BOB, CHAIR, script=nothing)
    assert [ask.audience for ask, _ in player.asked if ask.act == "guide"] == [()]


def test_who_has_seen_nothing_hidden_speaks_to_all() -> None:
    brief = Brief(topic="?", participants=(HIDING, BOB, CHAIR))
    table = State(brief=brief, transcript=Transcript(brief=brief))
    assert readers_of(table, "Chair", View()) == ()
    assert readers_of(table, "Bob", View()) == ()


def test_a_text_for_all_cannot_rest_on_what_is_hidden_from_some() -> None:
    brief = Brief(topic="?", participants=(HIDING, BOB, CHAIR))
    with pytest.raises(ProtocolError, match="hidden from Ann: leave out hide") as caught:
        build("round_robin", brief, Choices(mediation=Mediation(kind="consensus")))
    assert caught.value.about == "participants"


async def test_only_positions_are_offered_for_revision() -> None:
    def script(ask: Ask, context: Context) -> Mapping[str, Value]:
        if ask.act == "reconsider" and ask.form:
            return {"REPLACES": ask.form.fields[0].choices[-1]}
        return {"ANSWER": f"{ask.to}'s", "ARGUMENT": ask.act}

    choices = Choices(rounds=1, extras=Extras(revision=True))
    player = await run_debate(choices, ANN, BOB, CY, protocol="arena", script=script)
    laid = [turn.act for ask, context in player.asked if ask.act == "revise" and ask.replaces for turn in context.about]
    assert laid == ["revise"] * 3, "a critique is no proposal, and its revision would become one"


async def test_a_round_in_which_nobody_bids_brings_nothing_new() -> None:
    def script(ask: Ask, context: Context) -> Mapping[str, Value]:
        return {"URGENCY": 5 if ask.key.startswith("/debate/rounds/round-1/") or "round-1#" in ask.key else 0}

    until = Choices(rounds=6, until=("no_new_arguments",), strategy="no_consensus")
    player = await run_debate(until, ANN, BOB, CY, protocol="open_fight", script=script)
    rounds = {ask.key.split("/")[3].partition("#")[0] for ask, _ in player.asked if "/rounds/" in ask.key}
    assert rounds == {"round-1", "round-2"}
    assert NothingNew(acts=("argue",)).met(Transcript()) == ""
