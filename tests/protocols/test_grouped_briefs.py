"""Briefs with many debaters: how many each protocol takes, and the exact words that members of a group are given."""

import pytest

from folkmoot.app.brief.reader import read_brief
from folkmoot.app.run.api import read_brief_argument
from folkmoot.app.run.prepare import Overrides, make_choices
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Value
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.errors import BriefError
from folkmoot.protocols.known import build
from folkmoot.testing.replay import Harness
from tests.agents.prompts import check_words, prompt
from tests.kits.players import Player


def crowd(count: int, protocol: str = "grouped") -> str:
    names = ", ".join(f"P{n}" for n in range(count))
    return f"---\nprotocol: {protocol}\nparticipants: [{names}]\n---\n# Tea?\n"


@pytest.mark.parametrize(
    ("text", "overrides", "message"),
    [
        (
            crowd(5),
            Overrides(),
            "b.md:3: grouped needs at least 6 debaters, not 5: list them; with fewer, use the protocol panel",
        ),
        ("---\nprotocol: grouped\n---\n# Tea?\n", Overrides(), "b.md:2: grouped needs at least 6 debaters, not 3"),
        (crowd(11, "panel"), Overrides(), "b.md:3: 11 debaters are too many for panel: at most 10; use the protocol"),
        (crowd(11), Overrides(protocol="council"), "b.md:3: 11 debaters are too many for council"),
        (crowd(101), Overrides(), "b.md:3: 101 debaters"),
    ],
)
def test_how_many_may_take_part(text: str, overrides: Overrides, message: str) -> None:
    with pytest.raises(BriefError) as caught:
        make_choices(read_brief(text, name="b.md"), overrides)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(("count", "protocol"), [(6, "grouped"), (30, "grouped"), (10, "panel")])
def test_so_many_may(count: int, protocol: str) -> None:
    assert make_choices(read_brief(crowd(count, protocol), name="b.md"), Overrides()).strategy == ""


def test_a_program_may_seat_more_at_one_table() -> None:
    brief = Brief(topic="?", participants=tuple(Participant(name=f"P{n}") for n in range(12)))
    assert make_choices(read_brief_argument(brief), Overrides(protocol="panel"))
    assert build("panel", brief)


LAID = """
[Proposal A]:
  Cy revise /debate/groups/round-1/group-1#2

[Proposal B]:
  Fay revise /debate/groups/round-1/group-1#3

[Proposal C]:
  Bob revise /debate/groups/round-1/group-1#1
"""

REPORTING = """

Above are the newest answers of your group, without names. Report them to the other groups, who have read nothing of \
yours. Report every answer listed below, also one that a single member holds: how many give it, and the best argument \
for it, put as its holders would put it. Say nothing about which answer is right.

Answer 1 is that of Proposal A: 1 in all.
Answer 2 is that of Proposals B and C: 2 in all."""

RECONSIDERING = """
[Proposal A]:
  Ann report /debate/report#2

[Proposal B]:
  Bob report /debate/report#1

The groups have debated apart. Above, each under a letter, they report every answer that they give, its best argument, \
and how many give it; none is marked as the report of your group. How many hold an answer is no reason for it; an \
argument is. Keep your answer unless a claim in the reports gives you a reason to change it. Then answer again.

How many give each answer, by the record:
Proposal A: answer 1 by 2; an answer that it does not name by 1
Proposal B: answer 1 by 1; an answer that it does not name by 2"""


async def test_the_words_that_members_are_given() -> None:
    holds = {"Ann": "yes", "Bob": "no", "Cy": "yes", "Dan": "no", "Eve": "yes", "Fay": "no"}
    people = tuple(Participant(name=name) for name in holds)
    brief = Brief(topic="Tea?", participants=people, options=("yes", "no"), seed=2)

    def script(ask: Ask, context: Context) -> dict[str, Value]:
        if ask.act == "report":
            return {"ANSWER 1": context.about[0].fields["ANSWER"]}
        return {"ANSWER": holds[ask.to], "ARGUMENT": "So."}

    player = Player(script)
    await Harness(brief=brief, protocol=build("grouped", brief)).run(dict.fromkeys(holds, player))
    check_words(prompt(player, "/report#1"), LAID + REPORTING)
    check_words(prompt(player, "/reconsider#1"), RECONSIDERING)
    shared = prompt(player, "/report#1").partition("<user>")[0]
    assert prompt(player, "/reconsider#1").startswith(shared), "what all share comes first"
