"""Interruptions: who may cut in, with what, and who answers."""

from collections.abc import Mapping

import pytest

from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Value
from folkmoot.core.brief import Brief, Participant
from folkmoot.phases.base import Phase, Rounds, Sequence
from folkmoot.phases.choices import Choices
from folkmoot.phases.speak import Everyone, Floor
from folkmoot.protocols.compose import CUTTING_IN, INTERRUPTED, Interruption, with_interruptions
from folkmoot.protocols.known import KNOWN, build
from folkmoot.protocols.spec import dump, load
from folkmoot.testing.replay import Harness, SeededAgent
from tests.agents.prompts import check_words, prompt
from tests.kits.players import Player, resume_everywhere

PEOPLE = tuple(Participant(name=name) for name in "ABC")
CHAIR = Participant(name="Chair", duty="moderator")
FLOOR = Rounds(each=Floor(act="argue", task="Argue."), most=1)
ALL = Everyone(act="answer", task="Answer.")


async def play(
    tree: Phase, script: Mapping[str, Value | None], people: tuple[Participant, ...] = (*PEOPLE, CHAIR)
) -> Player:
    """Play it with urgencies by interrupted and bidder (``AB``), else 0; ``interrupt`` or ``answer B`` may fail."""

    def answer(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        if ask.act == "bid":
            urgency = script.get(f"{context.about[0].by}{ask.to}", 0)
            return None if urgency is None else {} if urgency == "?" else {"URGENCY": urgency}
        return None if {ask.act, f"{ask.act} {ask.to}"}.intersection(script) else {}

    brief = Brief(topic="Tea?", participants=people)
    player = Player(answer)
    await Harness(brief=brief, protocol=with_interruptions(tree)).run({person.name: player for person in people})
    return player


def order(player: Player) -> str:
    """Who was asked: speakers in capitals, bidders in small letters, an interruption as ``B>``."""
    return "".join(_short(ask) for ask, _ in player.asked)


def _short(ask: Ask) -> str:
    return ask.to.lower() if ask.act == "bid" else f"{ask.to}>" if ask.act == "interrupt" else ask.to


@pytest.mark.parametrize(
    ("script", "spoken"),
    [
        ({}, "AbcBacCab"),
        ({"AB": 5}, "AbcB>ABacCab"),
        ({"AB": 5, "AC": 6, "CA": 1}, "AbcC>ABacCabA>C"),
        ({"AB": 5, "AC": 5}, "AbcB>ABacCab"),  # both have said nothing so far: the first that was asked
        ({"AB": 5, "CA": 5, "CB": 5}, "AbcB>ABacCabA>C"),  # two turns each so far
        ({"AB": 0.9}, "AbcBacCab"),
        ({"AB": None, "AC": 2}, "AbcC>ABacCab"),
        ({"AB": "?", "AC": 2}, "AbcC>ABacCab"),
        ({"AB": 5, "interrupt": None}, "AbcB>BacCab"),  # nothing came: nothing to answer
        ({"AB": 5, "answer A": None}, "AbcB>ABacCab"),
        ({"argue B": None}, "AbcBCab"),  # whoever said nothing is not interrupted
    ],
)
async def test_who_speaks_in_which_order(script: dict[str, Value | None], spoken: str) -> None:
    assert order(await play(FLOOR, script)) == spoken


async def test_of_turns_made_at_once_each_may_be_interrupted() -> None:
    assert order(await play(ALL, {"BC": 4, "CA": 4})) == "ABC" + "bc" + "acC>B" + "abA>C"


async def test_where_nobody_else_may_see_a_turn_nobody_is_asked() -> None:
    private = Everyone(act="argue", task="Note.", private=True)
    assert order(await play(private, {})) == "ABC"
    masked = (PEOPLE[0], Participant(name="B", hide=("A",)), Participant(name="C", hide=("A", "B")))
    assert order(await play(FLOOR, {}, masked)) == "AB" + "a" + "C" + "ab"


async def test_whoever_may_not_see_the_interruption_does_not_answer_it() -> None:
    masked = (Participant(name="A", hide=("B",)), *PEOPLE[1:])
    assert order(await play(FLOOR, {"AB": 5}, masked)) == "AbcB>B" + "c" + "Cab"


async def test_only_arguments_and_answers_are_interrupted() -> None:
    acts = ("open", "question", "answer", "close")
    tree = Sequence(parts=tuple(Everyone(act=act, task="Speak.", who=("A",)) for act in acts))
    assert order(await play(tree, {})) == "AAAbcA"


async def test_what_is_asked() -> None:
    player = await play(FLOOR, {"AB": 5})
    turn, bid, _, cut, answer = [ask for ask, _ in player.asked[:5]]
    assert [ask.key.partition("round-1")[2] for ask in (turn, bid, cut, answer)] == [
        "#1",
        "/interruption-1#1",
        "/interruption-1#3",
        "/interruption-1#4",
    ]
    assert (bid.audience, bid.about) == (("B",), (turn.key,))
    assert (cut.act, cut.about, cut.audience) == ("interrupt", (turn.key, bid.key), ())
    assert (answer.act, answer.to, answer.about) == ("answer", "A", (cut.key,))
    targets = [
        field.choices for ask in (bid, cut, answer) if ask.form for field in ask.form.fields if field.kind == "choice"
    ]
    assert [target for target in targets if "ATTACK" not in target] == [("T1",), ("T1",), ("T4",)]
    assert [(field.name, field.required) for field in CUTTING_IN.fields] == [
        ("TARGET", True),
        ("QUOTE", True),
        ("RELATION", False),
        ("ARGUMENT", True),
        ("CLAIM", True),
    ]


async def test_an_answer_can_state_the_position_that_is_held_now() -> None:
    brief = Brief(topic="Tea?", participants=PEOPLE, options=("tea", "coffee"))
    player = Player(lambda ask, context: {"URGENCY": 3} if ask.act == "bid" else {})
    await Harness(brief=brief, protocol=with_interruptions(FLOOR)).run({person.name: player for person in PEOPLE})
    forms = {ask.act: ask.form for ask, _ in player.asked if "interruption" in ask.key and ask.form}
    assert forms["answer"].fields[-1].choices == ("tea", "coffee")
    assert "ANSWER" not in [field.name for field in forms["interrupt"].fields]


# ---- the tree and the record -----------------------------------------------------------------------------------------


def test_it_can_be_stored() -> None:
    tree = with_interruptions(FLOOR)
    assert load(dump(tree)) == tree
    assert load(dump(Interruption())) == Interruption()


@pytest.mark.parametrize("name", ["round_robin", "fishbowl", "open_fight"])
async def test_cut_at_every_entry_and_resumed_it_is_the_same_debate(name: str) -> None:
    brief = Brief(topic="Tea?", participants=PEOPLE)
    place = Harness(brief=brief, protocol=with_interruptions(build(name, brief, Choices(rounds=2))))
    names = [person.name for person in PEOPLE]
    whole = await place.run(dict.fromkeys(names, SeededAgent(1)))
    assert whole.transcript.turns("interrupt")
    assert whole.transcript.closed
    await resume_everywhere(place, whole, seed=1)


@pytest.mark.parametrize("name", sorted(KNOWN))
async def test_with_any_protocol_the_debate_is_held_to_its_end(name: str) -> None:
    people = (*PEOPLE, Participant(name="D"), CHAIR)
    brief = Brief(topic="Tea?", participants=people)
    tree = with_interruptions(build(name, brief, Choices(rounds=1)))
    debate = await Harness(brief=brief, protocol=tree).run({person.name: SeededAgent(2) for person in people})
    assert debate.transcript.closed
    turns = debate.transcript.turns()
    argued = {turn.key for turn in turns if turn.act in INTERRUPTED and "/interruption-" not in turn.key}
    argued -= {turn.key for turn in turns if turn.fields.get("Withdrawn") is True}  # who says so has left the table
    assert {turn.about[0] for turn in turns if turn.act == "bid" and "/interruption-" in turn.key} == argued


# ---- what a model reads ----------------------------------------------------------------------------------------------


async def test_the_prompts_of_an_interruption() -> None:
    player = await play(FLOOR, {"AB": 5})
    check_words(prompt(player, "interruption-1#1"), BID)
    check_words(prompt(player, "interruption-1#3"), CUT)


BID = """\
Topic: Tea?

At the table:
- A
- B
- C
- Chair

The debate so far:

--- Round 1 ---

T1 [A]:
  A argue /debate/round-1#1

A has just said what is above. Do you interrupt? Bid high only if words of it are false, unfair or beside \
the point and need an answer at once: quote them. Bid 0 to let the debate go on."""
CUT = """\
Topic: Tea?

At the table:
- A
- B
- C
- Chair

The debate so far:

--- Round 1 ---

T1 [A]:
  A argue /debate/round-1#1

T2 [B]:
  B bid /debate/round-1/interruption-1#1

You interrupt A. Quote the exact words above that you answer, and say in at most three sentences what is wrong \
with them."""
