"""What is said from outside reaches everybody from the next question on, whatever a protocol shows of its log."""

from dataclasses import replace

import pytest

from folkmoot.app.plan.simulation import Simulation
from folkmoot.app.run.people import say
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.errors import BriefError
from folkmoot.core.event import Entry, Interjected
from folkmoot.core.transcript import INTERJECTION
from folkmoot.phases.choices import Choices
from folkmoot.protocols.known import ALONE, KNOWN, build
from folkmoot.record.store import digest, encode
from folkmoot.testing.store_checks import InMemoryStore

PEOPLE = tuple(Participant(name=name, role="Debater") for name in ("Ann", "Bob", "Cy", "Di", "Eve", "Flo"))
BRIEF = Brief(topic="Tea or coffee?", participants=(*PEOPLE, Participant(name="Chair", duty="moderator")))


@pytest.mark.parametrize("protocol", [name for name in KNOWN if name not in ALONE])
def test_an_interjection_reaches_every_later_prompt(protocol: str) -> None:
    simulation = Simulation(BRIEF, build(protocol, BRIEF), agree=False)
    in_prompts, said = list[bool](), False
    for _, context, _ in simulation.play():
        if simulation.batches > 1:
            in_prompts.append(any(turn.act == INTERJECTION for turn in context.turns))
        elif not said:
            simulation.transcript.apply(Interjected(by="Guest", text="There is no milk."))
            said = True
    assert all(in_prompts)
    assert in_prompts


async def test_not_more_can_be_said_than_everybody_can_read() -> None:
    place = Workspace(InMemoryStore())
    people = (replace(PEOPLE[0], seat="human"), *PEOPLE[1:3])
    plan = place.plan(
        replace(BRIEF, participants=people), protocol="panel", choices=Choices(), models=("builtin:quotes",)
    )
    await place.run(plan, "tea")
    for n in range(1, 6):
        assert await say(place, "tea", "Zed", "x" * 20_000) == n
    with pytest.raises(BriefError, match="100,000 characters were added from outside; with these it would be more"):
        await say(place, "tea", "Zed", "x")


@pytest.mark.parametrize("protocol", KNOWN)
async def test_a_record_with_a_last_word_from_outside_plays_the_same_again(protocol: str) -> None:
    """What is said behind the last answer comes to the record before the end; the play must not care."""
    store = InMemoryStore()
    place = Workspace(store)
    plan = place.plan(BRIEF, protocol=protocol, choices=Choices(rounds=1), models=("builtin:quotes",))
    await place.run(plan, "tea")
    entries = await place.entries("tea")
    late = Interjected(by="Zed", text="One more thing.", letter=1)
    events = [*(entry.event for entry in entries[:-1]), late, entries[-1].event]
    lines: list[str] = []
    head = ""
    for seq, event in enumerate(events, start=1):
        lines.append(encode(Entry(seq=seq, at=0.0, event=event, prev=head)))
        head = digest(lines[-1])
    await store.append("late", lines, after=0)
    assert await place.verify("late") == (len(lines), head)
