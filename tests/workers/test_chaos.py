"""Chaos: workers are killed, frozen and cut off from their database, and the debates are those that nothing befell.

``make chaos`` runs the long form: four workers, 200 debates. ``FOLKMOOT_CHAOS_SEED`` chooses another plan.
"""

import asyncio
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path

import asyncpg
import pytest

from folkmoot.app.run.dispatcher import Job
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.event import PLAY_EVENTS, Attempted, Called, Entry, Resumed
from folkmoot.core.transcript import fold
from folkmoot.testing.replay import essence
from folkmoot.testing.wires import Wires
from folkmoot.workers.job_queue import Queue
from tests.record.pg import running
from tests.workers.chaos_kit import (
    MARK,
    Crew,
    Deed,
    Model,
    Sending,
    Size,
    Step,
    hold_unbroken,
    make_debates,
    make_plan,
    make_trouble,
    submit,
    until_over,
    working,
)

pytestmark = pytest.mark.alone

LONG = Size(debates=200, workers=4, most=8, lease=4.0, kills=16, freezes=5, outages=5, given_up=0, seconds=540)
SHORT = Size(debates=14, workers=3, most=3, lease=3.0, kills=3, freezes=1, outages=1, given_up=0, seconds=120)
SIZE = LONG if os.environ.get("FOLKMOOT_CHAOS") == "long" else SHORT
SEED = int(os.environ.get("FOLKMOOT_CHAOS_SEED", "7"))

PARALLEL = 4
"""The most calls of one debate at once."""

WAKING = 2.0
"""Seconds in which a woken worker may send what it was about to send when it was frozen."""

STARTING = 15.0
"""Seconds in which a worker that found no database ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What happened."""

    plan: tuple[Step, ...]
    jobs: tuple[Job, ...]
    epochs: dict[str, int]
    held: dict[str, tuple[Entry, ...]]
    sendings: tuple[Sending, ...]
    deeds: tuple[Deed, ...]

    def repeated(self) -> list[tuple[Sending, Sending]]:
        """Calls that were sent again, each with the sending before."""
        return [pair for same in by(self.sendings, lambda sending: sending.mark) for pair in pairwise(same)]

    def late(self) -> list[Sending]:
        """Calls that were sent though their answers were on record by then."""
        called = {
            mark: entry.at
            for entries in self.held.values()
            for entry in entries
            if isinstance(entry.event, Called)
            for mark in MARK.findall(entry.event.text)
        }
        return [sending for sending in self.sendings if sending.at > called.get(sending.mark, 0.0)]

    def of_woken(self, sending: Sending) -> bool:
        """Whether it comes from a worker that has just been woken."""
        return any(
            deed.kind == "freeze" and deed.worker == sending.worker and 0 <= sending.at - deed.ended < WAKING
            for deed in self.deeds
        )


def by(sendings: Sequence[Sending], key: Callable[[Sending], str]) -> list[list[Sending]]:
    """The same sendings in groups, each in the order of time."""
    ordered = sorted(sendings, key=lambda sending: (key(sending), sending.at))
    return [list(group) for _, group in groupby(ordered, key=key)]


def of_play(entries: Sequence[Entry]) -> list[object]:
    """What the play made and what the models said, without times and hashes."""
    values = {(e.event.key, e.event.call): e.event.text for e in entries if isinstance(e.event, Called)}
    return [
        *(e.event for e in entries if isinstance(e.event, PLAY_EVENTS)),
        sorted(values.items()),
        *essence(fold(entries)),
    ]


def check_same(story: Story, unbroken: dict[str, tuple[Entry, ...]]) -> list[str]:
    """Every debate is over, and is the debate that it is where nothing befalls it."""
    faults = [f"{job.debate} is {job.state}: {job.reason}" for job in story.jobs if job.state != "done"]
    if {job.debate for job in story.jobs} != set(unbroken):
        faults.append("debates were lost")
    for debate, whole in unbroken.items():
        if not fold(story.held[debate]).closed:
            faults.append(f"{debate} is not over")
        elif of_play(story.held[debate]) != of_play(whole):
            faults.append(f"{debate} is another debate")
    return faults


def check_calls(story: Story) -> list[str]:
    """No finished call is repeated; what is repeated was in flight when something befell its worker."""
    # What a frozen worker was about to send it sends when it is woken; all others know of the answer.
    known = [sending for sending in story.late() if not story.of_woken(sending)]
    faults = [f"{sending}: its answer was on record already, or never is" for sending in known]
    for first, second in story.repeated():
        if not (story.of_woken(second) or any(deed.touches(first, second) for deed in story.deeds)):
            faults.append(f"{second}: sent again though nothing befell {first.worker}")
    return faults


def check_drivers(story: Story) -> list[str]:
    """No debate has two drivers: who sends its calls changes no oftener than it is taken up."""
    faults: list[str] = []
    for sendings in by(
        [sending for sending in story.sendings if not story.of_woken(sending)], lambda sending: sending.debate
    ):
        debate = sendings[0].debate
        entries = story.held[debate]
        turns = [worker for worker, _ in groupby(sending.worker for sending in sendings)]
        resumed = sum(isinstance(entry.event, Resumed) for entry in entries)
        if not len(turns) <= resumed <= story.epochs[debate]:
            faults.append(f"{debate}: called by {turns}, resumed {resumed} times, held {story.epochs[debate]} times")
        keys = [(entry.event.key, entry.event.call) for entry in entries if isinstance(entry.event, Called)]
        if len(keys) != len(set(keys)):
            faults.append(f"{debate}: an answer is on record twice")
    for sendings in by(story.sendings, lambda sending: sending.debate):
        tries = sum(isinstance(entry.event, Attempted) for entry in story.held[sendings[0].debate])
        if len(sendings) > tries:
            faults.append(f"{sendings[0].debate}: {len(sendings)} calls, and {tries} tries on record")
    outages = [deed for deed in story.deeds if deed.kind == "outage"]
    faults += [
        f"{deed.worker} ended by itself"
        for deed in story.deeds
        if deed.kind == "ended" and not any(outage.began <= deed.began <= outage.ended + STARTING for outage in outages)
    ]
    given_up = [deed.debate for deed in story.deeds if deed.kind == "given up"]
    return faults + [f"given up: {given_up}"] * (len(given_up) > SIZE.given_up)


async def hold_in_trouble(folder: Path, model: Model, plan: tuple[Step, ...], crews: list[Crew]) -> Story:
    """Hold all debates by workers whom everything of the plan befalls."""
    with running() as server:
        async with Wires(script=model.answer).serve() as wires:
            address = server.make()
            workspace, queue = Workspace.at(address), Queue(address)
            try:
                await submit(workspace, queue, make_debates(workspace, SIZE))
                async with working(folder, address, wires.url, SIZE) as crew:
                    crews.append(crew)
                    async with asyncio.timeout(SIZE.seconds):
                        await make_trouble(plan, crew, model, server)
                        jobs = await until_over(queue, crew)
                    assert set(await crew.leave()) == {0}
                for job in jobs:
                    await workspace.verify(job.debate)
                entries = {job.debate: await workspace.entries(job.debate) for job in jobs}
                return Story(
                    plan=plan,
                    jobs=jobs,
                    epochs=await read_epochs(address),
                    held=entries,
                    sendings=tuple(model.sendings),
                    deeds=tuple(crew.deeds),
                )
            finally:
                await queue.close()
                await workspace.close()


async def read_epochs(address: str) -> dict[str, int]:
    """How often each debate was taken."""
    link = await asyncpg.connect(address)
    rows = await link.fetch("select debate, epoch from folkmoot_lease")
    await link.close()
    return {row["debate"]: row["epoch"] for row in rows}


def tell(plan: Sequence[Step], crews: Sequence[Crew]) -> str:
    """The seed, the plan, what happened, and what the workers said last."""
    deeds = [deed for crew in crews for deed in crew.deeds]
    lines = [line for crew in crews for line in crew.said[-60:]]
    return "\n".join([f"FOLKMOOT_CHAOS_SEED={SEED}", *map(str, plan), "", *map(str, deeds), "", *lines])


@pytest.mark.timeout(SIZE.seconds + 180)
async def test_whatever_befalls_the_workers_the_debates_are_the_same(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    began = asyncio.get_running_loop().time()
    undisturbed, model = Model(slow=False), Model(slow=True)
    async with Wires(script=undisturbed.answer).serve() as wires:
        unbroken = await hold_unbroken(SIZE, wires.url)
    plan = make_plan(SEED, SIZE, len(undisturbed.marks))
    assert len(undisturbed.sendings) == len(undisturbed.marks)
    crews: list[Crew] = []
    middle = asyncio.get_running_loop().time()
    try:
        story = await hold_in_trouble(tmp_path, model, plan, crews)
    except Exception as error:
        error.add_note(tell(plan, crews))
        raise
    faults = [*check_same(story, unbroken), *check_calls(story), *check_drivers(story)]
    assert not faults, "\n".join([*faults[:20], tell(plan, crews)])
    repeated = story.repeated()
    most = (SIZE.kills + SIZE.freezes + SIZE.outages * SIZE.workers) * SIZE.most * PARALLEL
    assert len(repeated) <= most
    late = len(story.late())
    assert late <= SIZE.freezes * SIZE.most * PARALLEL
    seconds = asyncio.get_running_loop().time() - middle
    record_property("chaos", summary(story, len(repeated), late, (middle - began, seconds)))


def summary(story: Story, repeated: int, late: int, seconds: tuple[float, float]) -> str:
    """The numbers of a run, in one line."""
    kinds = [deed.kind for deed in story.deeds]
    return (
        f"{len(story.jobs)} debates, {SIZE.workers} workers, {kinds.count('kill')} kills,"
        f" {kinds.count('freeze')} freezes, {kinds.count('outage')} stops of the database,"
        f" {kinds.count('ended')} workers ended by themselves, {kinds.count('let go')} debates let go,"
        f" {kinds.count('given up')} given up and submitted again,"
        f" {len(story.sendings)} calls, {repeated} repeated in flight ({late} by woken workers, too late),"
        f" {max(story.epochs.values())} holders of one debate at most, {seconds[1]:.0f} s"
        f" (in peace, one after the other, without waiting: {seconds[0]:.0f} s)"
    )
