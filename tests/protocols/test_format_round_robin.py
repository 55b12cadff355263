"""The format round_robin (conformance S3): who speaks in which order, and the first prompts to the letter."""

from collections.abc import Mapping

from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Value
from folkmoot.core.brief import Brief, Participant
from folkmoot.phases.choices import Choices
from folkmoot.protocols.known import build
from folkmoot.testing.replay import Harness
from tests.agents.prompts import check_words, prompt
from tests.kits.players import BOB, CY, Player

ANN = Participant(name="Ann", role="For tea", persona="You like it hot.")
HEAD = """\
Topic: Tea?

At the table:
- Ann: For tea
- Bob
- Cy

"""
OPENING = f"""{HEAD}

State your position on the topic and your main reasons."""
FLOOR = f"""{HEAD}The debate so far:

---

T1 [Ann]:
  Ann open /debate/open#1

T2 [Bob]:
  Bob open /debate/open#2

T3 [Cy]:
  Cy open /debate/open#3

Round 1: you have the floor. Answer what was said; add what is missing."""


def nothing(ask: Ask, context: Context) -> Mapping[str, Value]:
    return {}


async def run_debate(choices: Choices) -> Player:
    brief = Brief(topic="Tea?", participants=(ANN, BOB, CY))
    player = Player(nothing)
    place = Harness(brief=brief, protocol=build("round_robin", brief, choices))
    await place.run({participant.name: player for participant in brief.participants})
    return player


async def test_who_speaks_in_which_order() -> None:
    player = await run_debate(Choices(rounds=2, strategy="no_consensus"))
    assert [f"{ask.to} {ask.act}" for ask, _ in player.asked] == [
        *("Ann open", "Bob open", "Cy open"),
        *("Ann argue", "Bob argue", "Cy argue"),
        *("Bob argue", "Cy argue", "Ann argue"),
        *("Ann close", "Bob close", "Cy close"),
    ]


async def test_the_prompts_of_the_first_round() -> None:
    player = await run_debate(Choices(rounds=1))
    check_words(prompt(player, "/open#1"), OPENING)
    check_words(prompt(player, "/round-1#1"), FLOOR)
