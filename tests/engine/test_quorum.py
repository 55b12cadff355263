"""Quorum with grace: whoever is late is missing, on record, and a replay needs no clock; ballots wait for all."""

import asyncio
from collections.abc import Mapping
from functools import partial

import pytest

from folkmoot.core.agent import Agent, Context, Recorder
from folkmoot.core.ask import Ask
from folkmoot.core.brief import HUMAN, Brief, Limits, Participant
from folkmoot.core.errors import Unavailable
from folkmoot.core.transcript import fold
from folkmoot.engine.driver import DriverOptions, replay
from folkmoot.phases.base import Phase
from folkmoot.phases.speak import Everyone
from folkmoot.protocols.spec import load_opened
from folkmoot.record.ledger import Ledger
from folkmoot.testing.replay import Harness, HeldDebate
from folkmoot.testing.store_checks import InMemoryStore
from tests.kits.acting import Act, Acts, failed, just

PEOPLE = tuple(Participant(name=name, seat="x") for name in ("Ann", "Bob", "Cy"))
DRAFT = Everyone(act="draft", task="Answer.")
QUICK = Limits(quorum=2, grace=0)


async def never(ask: Ask, context: Context, recorder: Recorder) -> str:
    await asyncio.Event().wait()
    return "never"


FINE = just("fine")
FEW = Everyone(act="draft", task="Answer.", who=("Ann", "Cy"))


async def hold(last: Act, *, limits: Limits = QUICK, phase: Phase = DRAFT, second: Act = FINE) -> HeldDebate:
    brief = Brief(topic="Tea?", participants=PEOPLE, limits=limits)
    agents: Mapping[str, Agent] = {"Ann": Acts(just("fine")), "Bob": Acts(second), "Cy": Acts(last)}
    return await Harness(brief=brief, protocol=phase).run(agents)


async def test_the_table_goes_on_without_whoever_is_late() -> None:
    debate = await hold(never)
    (late,) = failed(debate)
    assert (late.key, late.kind) == ("/debate#3", "late")
    assert late.reason == "the debate continued after 2 of 3 answers and 0 s"
    assert [turn.by for turn in debate.transcript.turns()] == ["Ann", "Bob"]
    store = InMemoryStore()
    await store.append("d", debate.lines, after=0)
    ledger = Ledger(store, "d", clock=lambda: 0.0)
    await ledger.open()
    opened = debate.entries[0].event
    again = replay(opened, load_opened(opened), ledger=ledger)  # type: ignore[arg-type]
    assert again.failures() == fold(debate.entries).failures()


async def test_an_answer_within_the_grace_counts() -> None:
    debate = await hold(just("late but fine"), limits=Limits(quorum=2, grace=3600))
    assert failed(debate) == []


async def test_failures_make_no_quorum() -> None:
    reached = asyncio.Event()

    async def slow(ask: Ask, context: Context, recorder: Recorder) -> str:
        for _ in range(50):
            await asyncio.sleep(0)
        reached.set()
        return "fine"

    debate = await hold(slow, second=just(Unavailable("no connection", kind="server")))
    assert reached.is_set()
    assert [event.kind for event in failed(debate)] == ["server"]


@pytest.mark.parametrize("phase", [Everyone(act="vote", task="Vote."), FEW])
async def test_ballots_and_small_batches_wait_for_all(phase: Phase) -> None:
    limits = Limits(quorum=2, grace=0, turn_seconds=0.02)
    debate = await hold(never, limits=limits, phase=phase)
    assert [event.kind for event in failed(debate)] == ["timeout"]


async def test_moderators_are_waited_for() -> None:
    people = (*PEOPLE, Participant(name="Mo", duty="moderator", seat="x"))
    brief = Brief(topic="Tea?", participants=people, limits=Limits(quorum=2, grace=0, turn_seconds=0.02))
    agents = {who.name: Acts(never if who.name == "Mo" else just("fine")) for who in people}
    tree = Everyone(act="draft", task="Answer.", who=tuple(who.name for who in people))
    debate = await Harness(brief=brief, protocol=tree).run(agents)
    assert [event.kind for event in failed(debate)] == ["timeout"]


async def test_who_is_late_is_cut_also_where_a_person_speaks_and_the_person_never() -> None:
    people = (*PEOPLE, Participant(name="Eve", seat=HUMAN))
    brief = Brief(topic="Tea?", participants=people, limits=QUICK)
    late = asyncio.Event()

    async def slow_person(ask: Ask, context: Context, recorder: Recorder) -> str:
        await late.wait()
        return "by hand"

    async def until_cancelled(ask: Ask, context: Context, recorder: Recorder) -> str:
        try:
            return await never(ask, context, recorder)
        finally:
            late.set()

    agents = {"Ann": Acts(FINE), "Bob": Acts(FINE), "Cy": Acts(until_cancelled), "Eve": Acts(slow_person)}
    hosting = partial(DriverOptions, untimed=frozenset({"Eve"}))
    debate = await Harness(brief=brief, protocol=DRAFT, hosting=hosting).run(agents)
    assert [event.key for event in failed(debate)] == ["/debate#3"]
    assert [turn.by for turn in debate.transcript.turns()] == ["Ann", "Bob", "Eve"]
