"""The format ``chain_of_thought``: who sees what when, which steps a chain has, and the exact prompts."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from folkmoot.agents.prompt import compose
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Value
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.errors import ProtocolError
from folkmoot.models.base import Traits
from folkmoot.phases.choices import Choices
from folkmoot.protocols.formats import STEPS, chain, chain_of_thought, checked
from folkmoot.testing.replay import Harness, HeldDebate, SeededAgent
from folkmoot.testing.scripted import Scripted
from tests.agents.prompts import check_words
from tests.kits.players import ANN, BOB, CHAIR, CY, Player, Script, resume_everywhere

DEE = Participant(name="Dee")
TWO_ROUNDS = Choices(strategy="vote", rounds=2)


def runner(people: tuple[Participant, ...], options: tuple[str, ...] = (), choices: Choices = TWO_ROUNDS) -> Harness:
    brief = Brief(topic="Tea?", participants=people, options=options)
    return Harness(brief=brief, protocol=chain_of_thought(brief, choices), name="chain_of_thought")


async def hold(
    people: tuple[Participant, ...], script: Script, choices: Choices = TWO_ROUNDS
) -> tuple[HeldDebate, Player]:
    player = Player(script)
    return await runner(people, choices=choices).run(dict.fromkeys([person.name for person in people], player)), player


def fields(ask: Ask, context: Context) -> Mapping[str, Value] | None:
    """Everything is read."""
    form_fields = list(ask.form.fields) if ask.form and ask.act != "vote" else []
    return {field.name: field.choices[0] if field.choices else f"{ask.to}'s {field.name}" for field in form_fields}


def unread(ask: Ask, context: Context) -> Mapping[str, Value] | None:
    """Nothing is read."""
    return {}


@pytest.mark.parametrize("script", [fields, unread])
@pytest.mark.parametrize("rounds", [1, 2, 4])
@pytest.mark.parametrize("people", [(ANN, BOB), (ANN, CHAIR, BOB, CY, DEE)])
async def test_the_order_of_speaking(people: tuple[Participant, ...], rounds: int, script: Script) -> None:
    """S3: all at once: chains without sight of each other, then in every round checks with sight of all before."""
    debate, player = await hold(people, script, Choices(strategy="vote", rounds=rounds))
    names = [person.name for person in people if person.duty == "debater"]
    opening = debate.transcript.turns("open")
    assert [(turn.by, turn.round) for turn in opening] == [(name, 0) for name in names]
    for n in range(1, rounds + 1):
        turns = debate.transcript.turns("argue", under=f"/debate/rounds/round-{n}")
        assert [(turn.by, turn.round) for turn in turns] == [(name, n) for name in names]
    sights = [len(context.turns) for ask, context in player.asked if ask.act in ("open", "argue")]
    assert sights == [n * len(names) for n in range(rounds + 1) for _ in names]
    assert [turn.by for turn in debate.transcript.turns("close")] == names


async def test_the_marks_of_the_others_are_what_can_be_checked() -> None:
    _, player = await hold((ANN, BOB, CY), fields)
    marks = [
        next(field.choices for field in ask.form.fields if field.name == "TARGET")
        for ask, _ in player.asked
        if ask.act == "argue" and ask.form
    ]
    assert marks[:3] == [("T2", "T3"), ("T1", "T3"), ("T1", "T2")]
    assert marks[3] == ("T2", "T3", "T5", "T6")


def test_the_steps_of_a_chain_are_fields_and_only_they_are_worth_a_repair() -> None:
    first, later = chain(("yes", "no")), checked(("yes", "no"))
    assert [field.name for field in first.fields] == [*STEPS, "ANSWER"]
    assert [field.name for field in later.fields] == ["TARGET", "RELATION", "STEP", "CHECK", *STEPS, "ANSWER"]
    assert [field.name for field in first.fields if field.required] == [*STEPS]
    assert [field.name for field in later.fields if field.required] == [*STEPS]
    assert later.fields[2].choices == STEPS
    assert later.fields[-1].choices == ("yes", "no")


async def test_who_fails_in_the_opening_speaks_in_the_first_round() -> None:
    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        return None if (ask.to, ask.act) == ("Ann", "open") else fields(ask, context)

    debate, _ = await hold((ANN, BOB), script, Choices(strategy="vote", rounds=1))
    assert [turn.by for turn in debate.transcript.turns("open", "argue")] == ["Bob", "Ann", "Bob"]
    assert debate.transcript.halts == {}


@pytest.mark.parametrize("act", ["open", "argue"])
async def test_an_opening_or_a_round_in_which_nobody_answers_ends_the_debate(act: str) -> None:
    debate, player = await hold((ANN, BOB), lambda ask, context: None if ask.act == act else fields(ask, context))
    assert debate.transcript.halted("/debate") == "0 of 2 answered, 1 is needed to go on"
    assert player.asked[-1][0].act == act


async def test_with_the_same_answer_of_all_behind_the_opening_there_may_be_no_round() -> None:
    debate, _ = await hold((ANN, BOB), lambda ask, context: {"ANSWER": "yes"}, Choices(until=("consensus_reached",)))
    assert debate.transcript.halted("/debate/rounds") == "all 2 give the same answer"
    assert debate.transcript.turns("argue") == ()


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        (Choices(rounds=0), "chain_of_thought needs at least 1 round, not 0"),
        (Choices(turn_mode="random"), "chain_of_thought has its own order of speaking"),
    ],
)
def test_what_cannot_be_played_is_refused(choices: Choices, message: str) -> None:
    with pytest.raises(ProtocolError, match=message):
        runner((ANN, BOB), choices=choices)


async def test_cut_at_every_entry_and_resumed_it_is_the_same_debate() -> None:
    people = (ANN, BOB, CY, CHAIR)
    place = runner(people, ("yes", "no"), Choices(rounds=3))
    names = [person.name for person in people]
    whole = await place.run(dict.fromkeys(names, SeededAgent()))
    assert whole.transcript.closed
    await resume_everywhere(place, whole)


async def prompts() -> list[str]:
    """The whole message lists of a debate of two, each as one text."""
    people = (replace(ANN, role="Nurse", persona="You count hours."), replace(BOB, role="Brewer"))
    seat = Scripted(lambda ask, context: f"CLAIM: {ask.to} knows.\nEVIDENCE: e\nREASONING: r\nCONCLUSION: c")
    await runner(people).run({"Ann": seat, "Bob": seat})
    lists = [compose(ask, context, Traits()) for ask, context in seat.history]
    return ["\n".join(f"<{message.role}>\n{message.text}" for message in messages) + "\n" for messages in lists]


SHARED = """\
Topic: Tea?

At the table:
- Ann: Nurse
- Bob: Brewer

"""

OPENING = """\

Build your argument as a chain of four steps. Keep them apart: what you claim, the facts it rests on, how the facts \
lead there, and what follows. The chain is as strong as its weakest step.
"""

LATER = """\
The debate so far:

---

T1 [Ann]:
  CLAIM: Ann knows.
  EVIDENCE: e
  REASONING: r
  CONCLUSION: c

T2 [Bob]:
  CLAIM: Bob knows.
  EVIDENCE: e
  REASONING: r
  CONCLUSION: c

Round 1: choose the chain above that speaks most strongly against yours, and check the step on which most of it \
depends. Is the evidence true and to the point? Does the reasoning follow? Then give your own chain anew, mended \
where somebody found a fault in it.
"""


async def test_the_prompts_to_the_letter() -> None:
    first, _, _, later, *_ = await prompts()
    check_words(first, SHARED + OPENING)
    check_words(later, SHARED + LATER)
