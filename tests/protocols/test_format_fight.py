"""The format open_fight: bids decide who speaks; whoever does quotes the words that he answers."""

from collections.abc import Mapping

import pytest

from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Value
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.errors import ProtocolError
from folkmoot.core.event import Halted
from folkmoot.phases.base import Rounds
from folkmoot.phases.choices import Choices
from folkmoot.protocols.known import build
from folkmoot.protocols.open_fight import Fight
from folkmoot.protocols.spec import dump, load
from folkmoot.testing.replay import Harness, HeldDebate, SeededAgent
from tests.agents.prompts import check_words, prompt
from tests.kits.players import Player, resume_everywhere


def runner(count: int, rounds: int = 1) -> Harness:
    brief = Brief(topic="Tea or coffee?", participants=tuple(Participant(name="ABCDE"[n]) for n in range(count)))
    return Harness(brief=brief, protocol=build("open_fight", brief, Choices(rounds=rounds)), name="open_fight")


async def play(place: Harness, script: Mapping[str, Value | None], target: str = "") -> tuple[HeldDebate, Player]:
    """Play it with urgencies by round, exchange and bidder (``1.2B``), else 0; with a target each bid names it.

    None stands for a bid that fails, "?" for one without urgency; ``1.2B!`` is a turn that fails.
    """

    def answer(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        path = ask.key.partition("#")[0]
        spoken = [
            question.key
            for question, _ in player.asked[:-1]
            if question.act == "argue" and question.key.startswith(f"{path}#")
        ]
        place = f"{path[-1]}.{len(spoken) + 1}{ask.to}"
        if ask.act != "bid":
            return None if f"{place}!" in script else {}
        urgency = script.get(place, 0)
        aim: dict[str, Value] = {"TARGET": target} if target else {}
        return None if urgency is None else aim if urgency == "?" else {**aim, "URGENCY": urgency}

    player = Player(answer)
    return await place.run({participant.name: player for participant in place.brief.participants}), player


def order(player: Player) -> list[str]:
    """The rounds, each as bidders and who spoke: ``abc B ac C``."""
    values: dict[str, str] = {}
    for ask, _ in player.asked:
        if "/rounds/" in ask.key:
            path = ask.key.partition("#")[0]
            text = values.get(path, "")
            gap = " " if text and text[-1].islower() != (ask.act == "bid") else ""
            values[path] = text + gap + (ask.to.lower() if ask.act == "bid" else ask.to)
    return list(values.values())


@pytest.mark.parametrize(
    ("count", "script", "rounds"),
    [
        (2, {"1.1B": 5, "1.2A": 5, "2.1B": 1, "2.2A": 1}, ["ab B a A", "b B a A"]),
        (2, {"1.1A": 5, "1.2B": 5, "2.1A": 2}, ["ab A b B", "a A b"]),
        (2, {"1.1B": 5}, ["ab B a", "a"]),  # nobody bids: the round is over
        (3, {}, ["abc", "abc"]),
        (3, {"1.1B": 9, "1.2A": 1, "1.2C": 2, "1.3B": 7}, ["abc B ac C ab B", "ac"]),
        # A tie goes to whoever has spoken least, then to whoever was asked first.
        (3, {"1.1A": 3, "1.1B": 3, "1.2B": 3, "1.2C": 3, "1.3A": 3, "1.3C": 3}, ["abc A bc B ac C", "ab"]),
        (4, {f"1.{n}D": 8 for n in (1, 3)} | {f"1.{n}A": 2 for n in (2, 4)}, ["abcd D abc A bcd D abc A", "bcd"]),
        (4, {"2.1C": 1}, ["abcd", "abcd C abd"]),
    ],
)
async def test_who_speaks_in_which_order(count: int, script: dict[str, Value | None], rounds: list[str]) -> None:
    """S3: the format has an order of its own."""
    debate, player = await play(runner(count, 2), script)
    assert order(player) == rounds
    acts = [ask.act for ask, _ in player.asked]
    assert acts[:count] == ["open"] * count
    assert acts[-2 * count :] == ["close"] * count + ["vote"] * count
    assert debate.transcript.closed


@pytest.mark.parametrize(
    ("script", "rounds"),
    [
        ({"1.1A": None, "1.1B": 2}, ["abc B ac"]),
        ({"1.1A": "?", "1.1B": 2}, ["abc B ac"]),
        # Whoever won the floor has spoken last, even if nothing came.
        ({"1.1A": 2, "1.1A!": None, "1.2B": 1}, ["abc A bc B ac"]),
        ({"1.1A": None, "1.1B": None}, ["abc"]),
    ],
)
async def test_failures_and_unread_bids(script: dict[str, Value | None], rounds: list[str]) -> None:
    debate, player = await play(runner(3), script)
    assert order(player) == rounds
    assert debate.transcript.closed
    assert debate.transcript.closed.status != "failed"


async def test_a_round_in_which_nobody_answers_ends_the_debate() -> None:
    debate, player = await play(runner(2), {"1.1A": None, "1.1B": None})
    assert order(player) == ["ab"]
    halted = [entry.event for entry in debate.entries if isinstance(entry.event, Halted)]
    assert halted == [Halted(path="/debate", reason="none of 2 answered")]


def wanted(ask: Ask) -> dict[str, bool]:
    assert ask.form
    return {field.name: field.required for field in ask.form.fields}


async def test_whoever_bids_to_answer_a_turn_has_to_quote_it() -> None:
    _, player = await play(runner(2), {"1.1B": 5}, target="T1")
    (turn,) = [ask for ask, _ in player.asked if ask.act == "argue"]
    assert wanted(turn) == {
        "ANSWER": False, "CLAIM": True, "TARGET": True, "QUOTE": True, "RELATION": False, "ARGUMENT": True,
    }  # fmt: skip
    (bid,) = [ask for ask, _ in player.asked if ask.act == "bid" and ask.to == "B" and ask.key.endswith("#2")]
    assert turn.about == (bid.key,)
    assert bid.audience == ("B",)
    _, player = await play(runner(2), {"1.1B": 5})
    (turn,) = [ask for ask, _ in player.asked if ask.act == "argue"]
    assert [name for name, required in wanted(turn).items() if required] == ["ARGUMENT", "CLAIM"]


async def test_other_bids_stand_in_no_prompt() -> None:
    _, player = await play(runner(3), {"1.1B": 9, "1.2A": 1, "1.2C": 2, "1.3B": 7})
    for ask, context in player.asked:
        assert not [turn for turn in context.turns if turn.act == "bid" and turn.by != ask.to]
        if "/rounds/" in ask.key:
            assert "bid" not in [turn.act for turn in context.turns]


async def test_a_fight_needs_no_form() -> None:
    place = runner(2)
    fight = Rounds(each=Fight(bidding="Bid.", speaking="Speak."), most=1)
    _, player = await play(Harness(brief=place.brief, protocol=fight), {"1.1B": 5}, target="T1")
    assert [ask.form for ask, _ in player.asked if ask.act == "argue"] == [None]


# ---- the tree and the record -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choices", "about", "message"),
    [
        (Choices(turn_mode="random"), "turn_mode", "^open_fight has its own order of speaking"),
        (Choices(rounds=0), "rounds", "^open_fight needs at least 1 round, not 0$"),
    ],
)
def test_what_does_not_go_with_it(choices: Choices, about: str, message: str) -> None:
    with pytest.raises(ProtocolError, match=message) as caught:
        build("open_fight", runner(2).brief, choices)
    assert caught.value.about == about


@pytest.mark.parametrize("count", [2, 4])
async def test_cut_at_every_entry_and_resumed_it_is_the_same_debate(count: int) -> None:
    place = runner(count, 2)
    assert load(dump(place.protocol)) == place.protocol
    names = [participant.name for participant in place.brief.participants]
    whole = await place.run(dict.fromkeys(names, SeededAgent()))
    assert len(whole.transcript.turns("argue")) > count
    await resume_everywhere(place, whole)


# ---- what a model reads ----------------------------------------------------------------------------------------------


async def test_the_prompts_of_the_first_round() -> None:
    _, player = await play(runner(2), {"1.1B": 5}, target="T1")
    check_words(prompt(player, "/round-1#1"), BID)
    check_words(prompt(player, "/round-1#3"), TURN)


BID = """\
Topic: Tea or coffee?

At the table:
- A
- B

The debate so far:

---

T1 [A]:
  A open /debate/open#1

T2 [B]:
  B open /debate/open#2

Round 1. The floor is open to whoever bids highest. Bid high if somebody's words must be answered now: name the \
turn and quote the words. Bid 0 if you would only repeat what has been said."""
TURN = """\
Topic: Tea or coffee?

At the table:
- A
- B

The debate so far:

---

T1 [A]:
  A open /debate/open#1

T2 [B]:
  B open /debate/open#2

T4 [B]:
  B bid /debate/rounds/round-1#2

Round 1. Your bid above won the floor. Quote the exact words that you answer, say what is wrong or right with \
them, and why. Attack the argument, not the person. Be short; the others are waiting to bid."""
