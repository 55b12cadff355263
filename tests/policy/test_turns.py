"""Who speaks next: the orders of speaking, on their own and in a debate."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Reply, Value
from folkmoot.core.brief import VOTED_ROUNDS, Brief, Participant
from folkmoot.core.errors import ProtocolError
from folkmoot.core.event import Asked, Failed, Opened, Replied
from folkmoot.core.transcript import Transcript, Turn
from folkmoot.phases.choices import OPEN_ORDER, ORDERS, Choices, Extras, Mediation, TurnMode
from folkmoot.policy.rounds import SHARE, ByPriority, Drawn, FloorView, Reacting, Turns
from folkmoot.protocols.known import KNOWN, build
from folkmoot.protocols.spec import dump, load
from folkmoot.testing.replay import Harness, SeededAgent
from tests.kits.players import Player, resume_everywhere

FOUR = tuple(Participant(name=name) for name in "abcd")


class Talk:
    """A debate in which turns are made one by one."""

    def __init__(self, people: Sequence[Participant] = FOUR) -> None:
        self.people = people
        self.transcript = Transcript()
        self.transcript.apply(Opened(brief=Brief(topic="Tea?", participants=tuple(people)), protocol={}))

    def say(
        self, by: str, to: str = "", *, act: str = "argue", audience: tuple[str, ...] = (), answered: bool = True
    ) -> Turn:
        """A turn that answers the newest turn of somebody."""
        key = f"/debate/floor#{len(self.transcript.all()) + 1}"
        newest = self.transcript.last(to) if to else None
        self.transcript.apply(Asked(ask=Ask(key=key, to=by, act=act, task="?", audience=audience)))
        if answered:
            fields = {"TARGET": newest.mark} if newest else {}
            self.transcript.apply(Replied(key=key, reply=Reply(text="so", fields=fields)))
        else:
            self.transcript.apply(Failed(key=key, kind="timeout", reason="late"))
        return self.transcript.get(key)

    def next(self, order: Turns, turns: Sequence[Turn], seed: int = 0) -> str:
        return order.next(turns, self.people, FloorView(round=1, transcript=self.transcript, chance=Random(seed)))

    def floor(self, order: Turns, seed: int = 0, wishes: Mapping[int, str] | None = None, fails: str = "") -> str:
        """Who speaks in a whole floor, where the n-th turn answers whom wishes name."""
        turns: list[Turn] = []
        while name := self.next(order, turns, seed):
            to = (wishes or {}).get(len(turns), "")
            turns.append(self.say(name, to, answered=name not in fails))
            assert len(turns) < 99
        return "".join(turn.by for turn in turns)


def test_everybody_once_in_an_order_that_is_drawn() -> None:
    drawn = {Talk().floor(Drawn(), seed) for seed in range(60)}
    assert {"".join(sorted(text)) for text in drawn} == {"abcd"}
    assert len(drawn) > 12
    assert Talk().floor(Drawn(), 3) == Talk().floor(Drawn(), 3)
    assert Talk(()).floor(Drawn()) == ""


@pytest.mark.parametrize(
    ("priorities", "order"),
    [((0, 0, 0), "abc"), ((1, 2, 3), "cba"), ((1, 5, 1), "bac"), ((-1, 0, -0.5), "bca")],
)
def test_by_priority(priorities: tuple[float, ...], order: str) -> None:
    people = [Participant(name=name, priority=priority) for name, priority in zip("abc", priorities, strict=True)]
    assert Talk(people).floor(ByPriority()) == order


@pytest.mark.parametrize(
    ("wishes", "order"),
    [
        ({}, "abcd"),
        ({1: "a"}, "abac"),  # b answers a, so a speaks again
        ({1: "a", 2: "b"}, "abab"),
        ({1: "a", 2: "b", 3: "a"}, "abab"),  # as many turns as people
        ({2: "a"}, "abca"),
        ({1: "b"}, "abcd"),  # to oneself
        ({3: "a"}, "abcd"),
    ],
)
def test_who_is_addressed_answers(wishes: Mapping[int, str], order: str) -> None:
    assert Talk().floor(Reacting(), wishes=wishes) == order


def test_nobody_has_more_than_a_share() -> None:
    talk = Talk(tuple(Participant(name=name) for name in "abcdef"))
    order = talk.floor(Reacting(), wishes={1: "a", 3: "a", 4: "a"})
    assert order == "abacde"
    assert order.count("a") == SHARE


def test_who_is_addressed_at_the_end_of_a_floor_begins_the_next() -> None:
    talk = Talk()
    assert talk.floor(Reacting(), wishes={3: "c"}) == "abcd"
    assert talk.floor(Reacting()) == "cabd"


def test_who_was_left_out_is_heard_first_in_the_next_floor() -> None:
    talk = Talk()
    assert talk.floor(Reacting(), wishes={1: "a", 2: "b"}) == "abab"
    assert talk.floor(Reacting()) == "cdab"


def test_a_failed_turn_addresses_nobody_and_is_not_asked_for_again_at_once() -> None:
    assert Talk().floor(Reacting(), wishes={1: "a"}, fails="b") == "abcd"
    talk = Talk()
    assert talk.floor(Reacting(), fails="abcd") == "abcd"


def test_what_is_private_addresses_nobody() -> None:
    talk = Talk()
    turns = [talk.say("a"), talk.say("b")]
    talk.say("b", "a", audience=("b",))
    assert talk.next(Reacting(), turns) == "c"


def test_a_summary_is_no_turn_in_the_talk() -> None:
    talk = Talk()
    talk.say("a", act="summarize")
    assert talk.floor(Reacting()) == "abcd"


def test_somebody_alone_answers_himself() -> None:
    talk = Talk(FOUR[:1])
    assert talk.floor(Reacting()) == "a"
    assert talk.floor(Reacting()) == "a"
    assert Talk(()).floor(Reacting()) == ""


@given(st.lists(st.sampled_from(("", *"abcd")), min_size=12, max_size=12), st.sets(st.sampled_from("abcd")))
def test_a_floor_is_fair_whatever_is_answered(wishes: list[str], fails: set[str]) -> None:
    talk = Talk()
    spoken = "".join(
        talk.floor(Reacting(), wishes=dict(enumerate(wishes[n:])), fails="".join(fails)) for n in (0, 4, 8)
    )
    assert len(spoken) == 12
    assert all(spoken[n : n + 4].count(name) <= SHARE for n in (0, 4, 8) for name in "abcd")
    assert all(text != other for text, other in pairwise(spoken))


# ---- in a debate -----------------------------------------------------------------------------------------------------

PEOPLE = (
    Participant(name="Ann", priority=1),
    Participant(name="Bob", priority=3),
    Participant(name="Cy", priority=2),
    Participant(name="Chair", duty="moderator"),
)


def runner(mode: TurnMode | None, seed: int = 7) -> Harness:
    brief = Brief(topic="Tea?", participants=PEOPLE, seed=seed)
    return Harness(brief=brief, protocol=build("round_robin", brief, Choices(turn_mode=mode, rounds=2)))


async def speakers(mode: TurnMode | None, seed: int = 7) -> list[str]:
    def script(ask: Ask, context: Context) -> Mapping[str, Value]:
        # Cy always answers Ann, everybody else nobody.
        theirs = [turn for turn in context.turns if turn.by == "Ann" and turn.act == "argue"]
        return {"TARGET": theirs[-1].mark} if ask.to == "Cy" and theirs else {}

    player = Player(script)
    await runner(mode, seed).run({person.name: player for person in PEOPLE})
    return [ask.to for ask, _ in player.asked if ask.act == "argue"]


@pytest.mark.parametrize(
    ("mode", "order"),
    [
        (None, "Ann Bob Cy Bob Cy Ann"),
        ("round_robin", "Ann Bob Cy Bob Cy Ann"),
        ("priority_order", "Bob Cy Ann Bob Cy Ann"),
        ("reaction_triggered", "Ann Bob Cy Ann Bob Cy"),
    ],
)
async def test_a_brief_chooses_the_order(mode: TurnMode | None, order: str) -> None:
    assert await speakers(mode) == order.split()


async def test_chance_comes_from_the_seed() -> None:
    orders = [await speakers("random", seed) for seed in (1, 2, 3, 1)]
    assert orders[0] == orders[3]
    assert len({tuple(order) for order in orders}) > 1
    assert all(sorted(order[n : n + 3]) == ["Ann", "Bob", "Cy"] for order in orders for n in (0, 3))


@pytest.mark.parametrize("mode", sorted(ORDERS))
async def test_cut_at_every_entry_and_resumed_it_is_the_same_debate(mode: TurnMode) -> None:
    place = runner(mode)
    assert load(dump(place.protocol)) == place.protocol
    whole = await place.run({person.name: SeededAgent() for person in PEOPLE})
    await resume_everywhere(place, whole)


def test_a_protocol_with_an_order_of_its_own_refuses_another() -> None:
    Choices().no_turn_mode("socratic")
    with pytest.raises(
        ProtocolError, match=r"^socratic has its own order of speaking; turn_mode works with round_robin"
    ) as caught:
        Choices(turn_mode="random").no_turn_mode("socratic")
    assert caught.value.about == "turn_mode"


def test_what_was_chosen_is_told_in_words() -> None:
    assert Choices(rounds=4).in_words() == ()
    full = Choices(
        strategy="vote_based",
        topology="ring",
        turn_mode="priority_order",
        until=("consensus_reached", "no_new_arguments"),
        summarize=2,
        mediation=Mediation(kind="active", when="midpoint"),
        extras=Extras(live_scoring=True, revision=True),
    )
    assert full.in_words() == (
        "decided by vote based",
        "critics ring",
        "turns priority order",
        "until consensus reached or no new arguments",
        "mediator active, midpoint, neutral",
        "summary every 2 rounds",
        "with live scoring, revision",
    )
    assert Choices(summarize=1).in_words() == ("summary every round",)


def test_a_number_of_rounds() -> None:
    assert Choices().at_least_one("socratic", 4) == 4
    assert Choices(rounds=1).at_least_one("socratic", 4) == 1
    with pytest.raises(ProtocolError, match="socratic needs at least 1 round, not 0") as caught:
        Choices(rounds=0).at_least_one("socratic", 4)
    assert caught.value.about == "rounds"


def test_extensions_call_the_choices_by_their_earlier_names() -> None:
    assert Choices(summarize=1).in_words() == ("summary every round",)
    assert Choices().rounds_before_vote("mine", 2) == 2
    with pytest.raises(ProtocolError, match=f"mine has at most {VOTED_ROUNDS.high} rounds, not 99"):
        Choices(rounds=99).rounds_before_vote("mine", 2)


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_a_protocol_takes_a_choice_of_who_speaks_next_or_refuses_it(name: str) -> None:
    brief = Brief(topic="?", participants=(*FOUR, PEOPLE[-1]))
    if name in OPEN_ORDER:
        assert build(name, brief, Choices(turn_mode="random")) != build(name, brief)
        return
    with pytest.raises(ProtocolError, match=f"^{name} has its own order of speaking"):
        build(name, brief, Choices(turn_mode="random"))
