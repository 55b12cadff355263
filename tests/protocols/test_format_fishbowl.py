"""The format fishbowl: who sits inside, who takes the free chair, who speaks when."""

import re
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Value
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.errors import ProtocolError
from folkmoot.core.event import Asked, Halted
from folkmoot.core.transcript import Transcript
from folkmoot.phases.base import State, is_batch
from folkmoot.phases.choices import Choices
from folkmoot.protocols.fishbowl import Bowl, circles
from folkmoot.protocols.known import build
from folkmoot.protocols.spec import dump, load
from folkmoot.testing.replay import Harness, HeldDebate, SeededAgent
from tests.agents.prompts import check_words, prompt
from tests.kits.players import Player, resume_everywhere


def runner(count: int, rounds: int = 2, *, moderator: bool = False) -> Harness:
    people = [Participant(name="ABCDEFG"[n]) for n in range(count)]
    chair = [Participant(name="Chair", duty="moderator")] if moderator else []
    brief = Brief(topic="Tea or coffee?", participants=(*people, *chair))
    return Harness(brief=brief, protocol=build("fishbowl", brief, Choices(rounds=rounds)), name="fishbowl")


async def play(
    place: Harness, bids: Mapping[tuple[int, str], Value] | None = None, fails: tuple[str, ...] = ()
) -> tuple[HeldDebate, Player]:
    """Play it with the urgencies by round and bidder (0 for the others); who fails, in an act or in all."""

    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        if {ask.to, f"{ask.to} {ask.act}"}.intersection(fails):
            return None
        number = re.search(r"round-(\d+)", ask.key)
        urgency = (bids or {}).get((int(number[1]), ask.to), 0) if number else 0
        return {"URGENCY": urgency} if ask.act == "bid" and urgency != "?" else {}

    player = Player(script)
    return await place.run({participant.name: player for participant in place.brief.participants}), player


def order(player: Player) -> list[str]:
    """The rounds, each as speakers inside, bidders, and who took the chair: ``AB cd C``."""
    values: dict[str, list[str]] = {}
    for ask, _ in player.asked:
        if "/rounds/" in ask.key:
            parts = values.setdefault(ask.key.partition("#")[0], ["", "", ""])
            at = 1 if ask.act == "bid" else 2 if parts[1] else 0
            parts[at] += ask.to.lower() if at == 1 else ask.to
    return [" ".join(filter(None, parts)) for parts in values.values()]


@pytest.mark.parametrize(
    ("count", "bids", "rounds"),
    [
        (3, {}, ["AB c", "AB c", "AB c"]),
        (3, {(1, "C"): 5}, ["AB c C", "BC a", "BC a"]),
        (3, {(1, "C"): 5, (2, "A"): 1, (3, "B"): 9}, ["AB c C", "BC a A", "CA b B"]),
        (4, {(1, "D"): 5}, ["AB cd D", "BD ac", "BD ac"]),
        (4, {(1, "C"): 5, (1, "D"): 5}, ["AB cd C", "BC ad", "BC ad"]),
        (4, {(1, "C"): 5, (1, "D"): 6, (3, "C"): 2}, ["AB cd D", "BD ac", "BD ac C"]),
        # A tie goes to whoever has spoken least: A was inside before.
        (4, {(1, "C"): 5, (2, "A"): 5, (2, "D"): 5}, ["AB cd C", "BC ad D", "CD ab"]),
        (5, {(1, "E"): 1}, ["ABC de E", "BCE ad", "BCE ad"]),
        (6, {(2, "D"): 0.5}, ["ABC def", "ABC def", "ABC def"]),
        (7, {(1, "G"): 10}, ["ABCD efg G", "BCDG aef", "BCDG aef"]),
    ],
)
async def test_who_speaks_in_which_order(count: int, bids: dict[tuple[int, str], Value], rounds: list[str]) -> None:
    """S3: the format has an order of its own."""
    debate, player = await play(runner(count, 3), bids)
    assert order(player) == rounds
    acts = [ask.act for ask, _ in player.asked]
    assert acts[:count] == ["open"] * count
    assert acts[-2 * count :] == ["close"] * count + ["vote"] * count
    assert debate.transcript.closed


async def test_the_moderator_sits_in_no_circle() -> None:
    _, player = await play(runner(3, 1, moderator=True), {(1, "C"): 3})
    assert order(player) == ["AB c C"]
    assert player.asked[-1][0].act == "moderate"


async def test_a_listener_is_told_who_sits_inside_and_a_bid_is_private() -> None:
    _, player = await play(runner(5, 1), {(1, "E"): 4})
    inner, bid, chair = ([ask for ask, _ in player.asked if "/rounds/" in ask.key][n] for n in (0, 3, 5))
    assert all("In the inner circle sit A, B and C" in ask.task for ask in (inner, bid))
    assert "you sit down beside A, B and C" in chair.task
    assert (bid.to, bid.audience, chair.to, chair.act) == ("D", ("D",), "E", "argue")
    mine = next(ask for ask, _ in player.asked if ask.act == "bid" and ask.to == "E")
    assert chair.about == (mine.key,)
    shown = {turn.act for ask, context in player.asked if ask.act == "argue" for turn in context.turns}
    assert shown == {"open", "argue"}


@pytest.mark.parametrize(
    ("fails", "bids", "rounds"),
    [
        (("A",), {(1, "C"): 2}, ["AB cd C", "BC ad"]),
        (("C argue",), {(1, "C"): 2}, ["AB cd C", "BC ad"]),  # the chair was his, even if he said nothing
        (("C bid",), {(1, "C"): 9, (1, "D"): 1}, ["AB cd D", "BD ac"]),
        (("C bid", "D bid"), {}, ["AB cd", "AB cd"]),
        ((), {(1, "C"): "?", (1, "D"): 1}, ["AB cd D", "BD ac"]),
        (("A argue", "B argue"), {}, ["AB cd", "AB cd"]),
    ],
)
async def test_failures_and_unread_bids(
    fails: tuple[str, ...], bids: dict[tuple[int, str], Value], rounds: list[str]
) -> None:
    debate, player = await play(runner(4), bids, fails)
    assert order(player) == rounds
    assert debate.transcript.closed
    assert debate.transcript.closed.status != "failed"


async def test_a_round_in_which_nobody_answers_ends_the_debate() -> None:
    fails = tuple(f"{name} {act}" for name in "ABC" for act in ("argue", "bid"))
    debate, player = await play(runner(3), {}, fails)
    assert order(player) == ["AB c"]
    halted = [entry.event for entry in debate.entries if isinstance(entry.event, Halted)]
    assert halted == [Halted(path="/debate", reason="none of 3 answered")]


# ---- the circles -----------------------------------------------------------------------------------------------------


@given(st.integers(2, 9), st.data())
def test_the_circles_follow_from_who_took_the_chair(count: int, data: st.DataObject) -> None:
    names = "ABCDEFGHI"[:count]
    brief = Brief(topic="?", participants=tuple(Participant(name=name) for name in names))
    transcript = Transcript(brief=brief)
    waiting = list(circles(State(brief=brief, transcript=transcript, path="/debate/rounds/round-1"), "argue")[0])
    for n in range(1, 13):
        table = State(brief=brief, transcript=transcript, path=f"/debate/rounds/round-{n}")
        inside, outside = circles(table, "argue")
        assert inside == tuple(waiting)
        assert sorted(inside + outside) == list(names)
        assert outside == tuple(sorted(outside))
        assert len(outside) >= 1
        if came := data.draw(st.sampled_from(("", *outside))):
            transcript.apply(Asked(ask=Ask(key=table.key(7), to=came, act="argue", task="?")))
            waiting = [*waiting[1:], came]
        # What others do in the round moves nobody.
        for act, path in (("bid", table.path), ("argue", table.path + "/interruption-1"), ("interrupt", table.path)):
            transcript.apply(Asked(ask=Ask(key=f"{path}#{act}", to=outside[0], act=act, task="?")))


def test_nobody_else_than_one_debater_sits_outside() -> None:
    brief = Brief(topic="?", participants=(Participant(name="Ann"),))
    table = State(brief=brief, transcript=Transcript(brief=brief))
    assert circles(table, "argue") == ((), ("Ann",))
    step = next(Bowl(inner="", bidding="sit {inside}.", chair="").play(table))
    assert is_batch(step)
    assert [ask.task for ask in step] == ["sit ."]


# ---- the tree and the record -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "choices", "about", "message"),
    [
        (2, Choices(), "participants", "^fishbowl needs at least 3 debaters, not 2$"),
        (3, Choices(turn_mode="random"), "turn_mode", "^fishbowl has its own order of speaking"),
        (3, Choices(rounds=0), "rounds", "^fishbowl needs at least 1 round, not 0$"),
    ],
)
def test_what_does_not_go_with_it(count: int, choices: Choices, about: str, message: str) -> None:
    brief = Brief(topic="?", participants=tuple(Participant(name=name) for name in "ABC"[:count]))
    with pytest.raises(ProtocolError, match=message) as caught:
        build("fishbowl", brief, choices)
    assert caught.value.about == about


@pytest.mark.parametrize("count", [3, 5])
async def test_cut_at_every_entry_and_resumed_it_is_the_same_debate(count: int) -> None:
    place = runner(count)
    assert load(dump(place.protocol)) == place.protocol
    names = [participant.name for participant in place.brief.participants]
    whole = await place.run(dict.fromkeys(names, SeededAgent(3)))
    assert [turn for turn in whole.transcript.turns("argue") if turn.about]
    await resume_everywhere(place, whole, seed=3)


# ---- what a model reads ----------------------------------------------------------------------------------------------


async def test_the_prompts_of_the_first_round() -> None:
    _, player = await play(runner(3, 1), {(1, "C"): 3})
    check_words(prompt(player, "/round-1#2"), INNER)
    check_words(prompt(player, "/round-1#3"), BID)


INNER = """\
Topic: Tea or coffee?

At the table:
- A
- B
- C

The debate so far:

---

T1 [A]:
  A open /debate/open#1

T2 [B]:
  B open /debate/open#2

T3 [C]:
  C open /debate/open#3

--- Round 1 ---

T4 [A]:
  A argue /debate/rounds/round-1#1

Round 1. In the inner circle sit A and B; the others listen. You are inside and have the floor: talk to those \
who sit with you. Take up what one of them said and go deeper into it, rather than repeat your position."""
BID = """\
Topic: Tea or coffee?

At the table:
- A
- B
- C

The debate so far:

---

T1 [A]:
  A open /debate/open#1

T2 [B]:
  B open /debate/open#2

T3 [C]:
  C open /debate/open#3

--- Round 1 ---

T4 [A]:
  A argue /debate/rounds/round-1#1

T5 [B]:
  B argue /debate/rounds/round-1#2

Round 1. In the inner circle sit A and B; you listen outside. One chair inside is free for one turn: bid for it. \
Bid high only if those inside overlook or mistake something that matters; bid 0 if you would repeat them."""
