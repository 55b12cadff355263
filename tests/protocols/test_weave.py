"""Phases made of phases, and phases woven into a protocol."""

from collections.abc import Mapping

import pytest

from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Value
from folkmoot.core.brief import Brief
from folkmoot.core.errors import ProtocolError
from folkmoot.phases.base import After, At, Phase, Rounds, Sequence
from folkmoot.phases.speak import Everyone, Floor, draft
from folkmoot.phases.vote import Count, Vote
from folkmoot.policy.rounds import Alike, Settled
from folkmoot.policy.rules import PLURALITY, Quorum
from folkmoot.protocols.compose import Interruption, after_rounds, after_turns, at_end, before_end
from folkmoot.protocols.spec import dump, load
from folkmoot.testing.replay import Harness
from tests.kits.players import ANN, BOB, Player, Script

RULE = Quorum(rule=PLURALITY)
OPEN = Everyone(act="open", task="Open.")
ARGUE = Floor(act="argue", task="Argue.")
NOTE = Everyone(act="note", task="Note.", who=("Ann",))
VOTE = Vote(rule=RULE, acts=("open",), task="Vote.")
CLOSE = Everyone(act="close", task="Close.")


def parts(*phases: Phase) -> Sequence:
    return Sequence(parts=phases)


def rounds(most: int, phase: Phase = ARGUE) -> Rounds:
    return Rounds(each=phase, most=most)


def quietly(ask: Ask, context: Context) -> Mapping[str, Value]:
    return {}


async def order(tree: Phase, script: Script = quietly) -> str:
    """Who did what, as the first letter of the name and of the act: ``Ao Bo``."""
    player = Player(script)
    debate = await Harness(brief=Brief(topic="?", participants=(ANN, BOB)), protocol=tree).run(
        {"Ann": player, "Bob": player}
    )
    assert debate.transcript.closed
    assert load(dump(tree)) == tree
    return " ".join(ask.to[0] + ask.act[0] for ask, _ in player.asked)


# ---- phases made of phases -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at", "spoken"),
    [
        (At(each=NOTE), "An An An An"),
        (At(each=NOTE, every=2), "An An"),
        (At(each=NOTE, every=3), "An"),
        (At(each=NOTE, rounds=(1, 4)), "An An"),
        (At(each=NOTE, every=2, rounds=(3,)), "An"),
        (At(each=NOTE, every=5), ""),
    ],
)
async def test_some_rounds_only(at: At, spoken: str) -> None:
    assert await order(rounds(4, parts(at))) == spoken


async def test_a_phase_of_some_rounds_stands_under_its_own_name() -> None:
    debate = await Harness(
        brief=Brief(topic="?", participants=(ANN, BOB)), protocol=rounds(2, parts(At(each=NOTE)))
    ).run({"Ann": Player(quietly)})
    assert [turn.key for turn in debate.transcript.turns()] == ["/debate/round-1/note#1", "/debate/round-2/note#1"]


async def test_after_each_batch_its_turns_are_in_focus() -> None:
    tree = parts(After(each=parts(OPEN, ARGUE), then=Interruption(), acts=("open", "argue")))
    player = Player(lambda ask, context: None if ask.key.endswith("floor#1") else {})
    brief = Brief(topic="?", participants=(ANN, BOB))
    debate = await Harness(brief=brief, protocol=tree).run({"Ann": player, "Bob": player})
    focus = [(turn.key.partition("/interruption-")[2], turn.about) for turn in debate.transcript.turns("bid")]
    assert focus == [
        ("1#1", ("/debate/sequence/open#1",)),
        ("1#2", ("/debate/sequence/open#2",)),
        ("2#1", ("/debate/sequence/floor#2",)),
    ]


def mute(*acts: str) -> Script:
    """Everybody answers but in these acts."""
    return lambda ask, context: None if {ask.act, f"{ask.to} {ask.act}"}.intersection(acts) else {}


@pytest.mark.parametrize(
    ("script", "spoken"),
    [
        (mute(), "Ao Bo An Aa An Ba An"),
        (mute("Ann argue"), "Ao Bo An Aa Ba An"),
        (mute("open"), "Ao Bo Aa An Ba An"),
    ],
)
async def test_a_turn_that_failed_is_followed_by_nothing(script: Script, spoken: str) -> None:
    assert (
        await order(
            parts(*(After(each=speaking_phase, then=NOTE, acts=("open", "argue")) for speaking_phase in (OPEN, ARGUE))),
            script,
        )
        == spoken
    )


async def test_the_same_phase_twice_has_two_places() -> None:
    debate = await Harness(brief=Brief(topic="?", participants=(ANN, BOB)), protocol=parts(NOTE, OPEN, NOTE)).run(
        dict.fromkeys(("Ann", "Bob"), Player(quietly))
    )
    assert debate.transcript.entered == ["/debate", "/debate/note", "/debate/open", "/debate/note-2"]


async def test_a_sequence_that_is_halted_ends() -> None:
    needed = Everyone(act="open", task="Open.", needs=2)
    assert await order(parts(needed, ARGUE), mute("Bob open")) == "Ao Bo"
    assert await order(parts(needed, ARGUE)) == "Ao Bo Aa Ba"


async def test_rounds_end_where_there_is_a_reason() -> None:
    until = Alike(acts=("argue",), field="")
    assert await order(Rounds(each=Everyone(act="argue", task="Argue."), most=2, until=until)) == "Aa Ba Aa Ba"
    answer = Everyone(act="open", task="Open.", form=draft(()))
    tree = parts(Rounds(each=answer, most=9, until=Alike(acts=("open",))))
    place = Harness(brief=Brief(topic="?", participants=(ANN, BOB)), protocol=tree)
    debate = await place.run(dict.fromkeys(("Ann", "Bob"), Player(lambda ask, context: {"ANSWER": "tea"})))
    assert debate.transcript.halts == {"/debate/rounds": "all 2 give the same answer"}
    assert len(debate.transcript.turns()) == 2


def test_what_cannot_be_made() -> None:
    with pytest.raises(ProtocolError, match="at least one phase"):
        Sequence(parts=())
    with pytest.raises(ProtocolError, match="-1 is not a number from 0 to 100"):
        Rounds(each=ARGUE, most=-1)


# ---- weaving ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tree", "acts", "spoken"),
    [
        (parts(OPEN, rounds(1)), ("open", "argue"), "Ao Bo An Aa An Ba An"),
        (parts(OPEN, rounds(1)), ("argue",), "Ao Bo Aa An Ba An"),
        (rounds(2, parts(ARGUE)), ("argue",), "Aa An Ba An Ba An Aa An"),
        (rounds(2, At(each=ARGUE, every=2)), ("argue",), "Ba An Aa An"),
        (ARGUE, ("argue",), "Aa An Ba An"),
        (parts(OPEN, VOTE), ("open", "vote"), "Ao Bo An Av Bv"),  # nothing behind a ballot
    ],
)
async def test_behind_each_turn(tree: Phase, acts: tuple[str, ...], spoken: str) -> None:
    assert await order(after_turns(tree, NOTE, acts)) == spoken


async def test_what_follows_a_turn_can_be_followed_itself() -> None:
    once = after_turns(ARGUE, NOTE, ("argue",))
    assert await order(after_turns(once, Everyone(act="rate", task="Rate.", who=("Bob",)), ("argue", "note"))) == (
        "Aa Br An Br Ba Br An Br"
    )


@pytest.mark.parametrize(
    ("most", "every", "midpoint", "spoken"),
    [
        (2, 1, False, "Ao An Ao An"),
        (3, 2, False, "Ao Ao An Ao"),
        (1, 1, True, "Ao An"),
        (2, 1, True, "Ao An Ao"),
        (3, 1, True, "Ao Ao An Ao"),
        (4, 1, True, "Ao Ao An Ao Ao"),
        (0, 1, True, ""),
    ],
)
async def test_behind_rounds(most: int, every: int, midpoint: bool, spoken: str) -> None:
    tree = rounds(most, Everyone(act="open", task="Open.", who=("Ann",)))
    for phase in (tree, replaced(tree)):
        assert await order(after_rounds(phase, NOTE, every=every, midpoint=midpoint)) == spoken


def replaced(tree: Rounds) -> Phase:
    """The same as part of a sequence, with a sequence in each round."""
    return parts(Rounds(each=parts(tree.each), most=tree.most, until=Settled()))


async def test_where_there_are_no_rounds_nothing_is_behind_them() -> None:
    assert after_rounds(parts(OPEN, CLOSE), NOTE) == parts(OPEN, CLOSE)
    assert after_rounds(OPEN, NOTE) == OPEN


COUNT = Count(rule=RULE, acts=("open",))


@pytest.mark.parametrize(
    ("tree", "woven"),
    [
        (parts(OPEN, rounds(1), CLOSE, VOTE), parts(OPEN, rounds(1), NOTE, CLOSE, VOTE)),
        (parts(rounds(1), OPEN, rounds(2), VOTE), parts(rounds(1), OPEN, rounds(2), NOTE, VOTE)),
        (parts(OPEN, rounds(1)), parts(OPEN, rounds(1), NOTE)),
        (parts(OPEN, VOTE, COUNT), parts(OPEN, NOTE, VOTE, COUNT)),
        (parts(OPEN, CLOSE, VOTE), parts(OPEN, NOTE, CLOSE, VOTE)),
        (parts(COUNT), parts(NOTE, COUNT)),
        (ARGUE, parts(ARGUE, NOTE)),
        (rounds(1), parts(rounds(1), NOTE)),
    ],
)
def test_before_the_end(tree: Phase, woven: Phase) -> None:
    assert before_end(tree, NOTE) == woven


def test_behind_everything() -> None:
    assert at_end(parts(OPEN, VOTE), NOTE, CLOSE) == parts(OPEN, VOTE, NOTE, CLOSE)
    assert at_end(OPEN, NOTE) == parts(OPEN, NOTE)
