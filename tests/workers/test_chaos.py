"""Chaos: workers are killed, frozen and cut off from their servers, and the debates are those that nothing befell.

``make chaos`` runs the long form: four workers, 200 debates. ``FOLKMOOT_CHAOS_SEED`` chooses another plan.
"""

import asyncio
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from pathlib import Path

import pytest

from folkmoot.app.run.dispatcher import Job
from folkmoot.core.brief import Limits
from folkmoot.core.errors import RecordAway
from folkmoot.core.event import PLAY_EVENTS, Attempted, Called, Entry
from folkmoot.core.transcript import fold
from folkmoot.testing.replay import essence
from folkmoot.testing.wires import Wires
from tests.record.pg import running
from tests.workers.chaos_kit import (
    MARK,
    Crew,
    Deed,
    Model,
    Sending,
    Size,
    Step,
    make_debates,
    make_plan,
    make_trouble,
    run_unbroken,
    working,
)
from tests.workers.temporal_kit import TemporalServer, running_temporal
from tests.workers.workers_kit import House, Turned, house

pytestmark = pytest.mark.alone

LONG = Size(
    debates=200,
    workers=4,
    places=8,
    timeout=4.0,
    kills=16,
    freezes=(1.3, 2.0, 3.0, 4.0, 5.0),
    database=(0.5, 1.0, 1.5, 17.0, 60.0),
    temporal=(3.0, 40.0),
    seconds=900,
)
SHORT = Size(
    debates=12,
    workers=3,
    places=3,
    timeout=4.0,
    kills=3,
    freezes=(2.0,),
    database=(1.0,),
    temporal=(3.0,),
    seconds=180,
)
SIZE = LONG if os.environ.get("FOLKMOOT_CHAOS") == "long" else SHORT
SEED = int(os.environ.get("FOLKMOOT_CHAOS_SEED", "7"))

PARALLEL = 4
"""The most calls of one debate at once."""

WAKING = 2.0
"""Seconds in which a woken worker may send what it was about to send when it was frozen."""

SLACK = 5.0
"""Seconds beside the timeout after which a half-finished debate goes on, once a place is free."""

STARTING = 15.0
"""Seconds in which a worker that found no server ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What happened."""

    jobs: tuple[Job, ...]
    entries: dict[str, tuple[Entry, ...]]
    sendings: tuple[Sending, ...]
    deeds: tuple[Deed, ...]
    begun: int

    def repeated(self) -> list[tuple[Sending, Sending]]:
        """Calls that were sent again, each with the sending before."""
        return [pair for same in by(self.sendings, lambda sending: sending.mark) for pair in pairwise(same)]

    def late(self) -> list[Sending]:
        """Calls that were sent though their answers were on record by then, or never are."""
        called = {
            mark: entry.at
            for entries in self.entries.values()
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

    def between(self, first: Sending, second: Sending) -> list[Deed]:
        """What befell anybody, or that debate, between two calls."""
        known = [deed for deed in self.deeds if deed.debate in ("", first.debate) and deed.kind != "ended"]
        return [deed for deed in known if deed.began <= second.at and first.at <= deed.ended]

    @property
    def accidents(self) -> list[Deed]:
        """What befell workers and servers from outside."""
        return [deed for deed in self.deeds if deed.kind not in ("ended", "let go")]

    def peace(self, first: float, last: float) -> float:
        """The seconds of that time in which both servers were there."""
        gone = [deed for deed in self.accidents if not deed.worker]
        return last - first - sum(max(0.0, min(last, deed.ended) - max(first, deed.began)) for deed in gone)

    def gaps(self) -> list[tuple[float, float, int, str]]:
        """How long each debate stood still, how long it may have, in how many accidents, and what it was."""
        spans = [(same[0].at, same[-1].at) for same in by(self.sendings, lambda s: f"{s.debate} {s.worker}")]
        segment = max(self.peace(*span) for span in spans)
        found: list[tuple[float, float, int, str]] = []
        for same in by(self.sendings, lambda sending: sending.debate):
            for first, second in pairwise(same):
                deeds = len(self.between(first, second))
                allowed = max(1, deeds) * (SIZE.timeout + SLACK) + segment
                found.append((self.peace(first.at, second.at), allowed, deeds, f"{first} {second}"))
        return found


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
        if not fold(story.entries[debate]).closed:
            faults.append(f"{debate} is not over")
        elif of_play(story.entries[debate]) != of_play(whole):
            faults.append(f"{debate} is another debate")
    return faults


def check_calls(story: Story) -> list[str]:
    """No finished call is repeated, no answer is on record twice, and no question is put by one whose time is over."""
    # What a frozen worker was about to send it sends when it is woken; all others know of the answer.
    known = [sending for sending in story.late() if not story.of_woken(sending)]
    faults = [f"{sending}: its answer was on record already, or never is" for sending in known]
    for first, second in story.repeated():
        if not (story.of_woken(second) or story.between(first, second)):
            faults.append(f"{second}: sent again though nothing befell anybody")
    for sendings in by(story.sendings, lambda sending: sending.debate):
        debate = sendings[0].debate
        entries = story.entries[debate]
        keys = [(entry.event.key, entry.event.call) for entry in entries if isinstance(entry.event, Called)]
        if len(keys) != len(set(keys)):
            faults.append(f"{debate}: an answer is on record twice")
        tries = sum(isinstance(entry.event, Attempted) for entry in entries)
        if len(sendings) > tries:
            faults.append(f"{debate}: {len(sendings)} calls, and {tries} tries on record")
    return faults


def check_course(story: Story) -> list[str]:
    """Debates go on soon, few segments are begun for it, and no worker ends by itself."""
    faults = [f"stood still for {gap:.1f} s of {most:.1f}: {what}" for gap, most, _, what in story.gaps() if gap > most]
    hit = sum(SIZE.places * (1 if deed.worker else SIZE.workers) for deed in story.accidents)
    if story.begun > SIZE.debates + 2 * hit:
        faults.append(f"{story.begun} segments were begun")
    outages = [deed for deed in story.accidents if not deed.worker]
    return faults + [
        f"{deed.worker} ended by itself"
        for deed in story.deeds
        if deed.kind == "ended" and not any(outage.began <= deed.began <= outage.ended + STARTING for outage in outages)
    ]


def write_settings(folder: Path, temporal: TemporalServer, size: Size) -> None:
    """The settings of workers that have their home in a folder."""
    settings = folder / ".config" / "folkmoot" / "folkmoot.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f'[temporal]\naddress = "{temporal.address}"\ntimeout = {size.timeout}\n')


async def submit(place: House, size: Size) -> None:
    """Put the debates of a size on record and submit them."""
    for debate, plan in make_debates(place.workspace, size).items():
        await place.put(debate, plan)
        await place.queue.submit(debate, owner=f"owner {debate[-1]}")


async def lay_others(place: House) -> dict[str, str]:
    """Debates that nobody may begin again, with the states that they keep."""
    queue = place.queue
    await queue.submit(await place.lay("person", person=True, seat="builtin:quotes"))
    await queue.submit(await place.lay("limited", limits=Limits(asks=1), seat="builtin:quotes"))
    for debate in ("cancelled-1", "cancelled-2"):
        await queue.submit(await place.lay(debate), after=3600.0)
        await queue.cancel(debate)
    return {"person": "waiting", "limited": "parked", "cancelled-1": "cancelled", "cancelled-2": "cancelled"}


async def until_over(place: House, others: dict[str, str]) -> tuple[Job, ...]:
    """Wait until no debate is queued or running any longer; where the debates of the plan stand then."""
    while True:
        try:
            jobs = await place.queue.jobs(limit=1000)
            if all(job.state not in ("queued", "running") for job in jobs):
                states = {job.debate: job.state for job in jobs}
                assert {debate: states.pop(debate) for debate in others} == others
                return tuple([job for job in jobs if job.debate in states])
        except RecordAway:
            pass
        await asyncio.sleep(0.3)


async def run_in_trouble(folder: Path, model: Model, plan: tuple[Step, ...], crews: list[Crew]) -> Story:
    """Have all debates run by workers whom everything of the plan befalls."""
    mine = Turned(waits=True)
    with running() as server, running_temporal() as temporal:
        address = server.make()
        write_settings(folder, temporal, SIZE)
        async with (
            Wires(script=model.answer).serve() as wires,
            house(address, temporal.address, mine) as place,
            asyncio.timeout(SIZE.seconds),
        ):
            place.settings = replace(place.settings, timeout=SIZE.timeout)
            others = await lay_others(place)
            await submit(place, SIZE)
            async with asyncio.TaskGroup() as group, working(folder, address, wires.url, SIZE) as crew:
                crews.append(crew)
                await place.lay(
                    "mine", limits=Limits(turn_seconds=3600.0)
                )  # `run` in the same database, by somebody who has no queue
                local = group.create_task(run_mine(place))
                await make_trouble(plan, crew, model, server, temporal)
                jobs = await until_over(place, others)
                assert await place.queue.job("mine") is None
                assert not local.done()
                mine.go.set()
                await nothing_runs(place)
                assert set(await crew.leave()) == {0}
            assert local.result() != "paused"
            for job in jobs:
                await place.workspace.verify(job.debate)
            entries = {job.debate: await place.workspace.entries(job.debate) for job in jobs}
            begun = sum(bool(re.search(r" case-\d+: taken", line)) for line in crew.said)
            return Story(
                jobs=jobs,
                entries=entries,
                sendings=tuple(model.sendings),
                deeds=tuple(crew.deeds),
                begun=begun,
            )


async def run_mine(place: House) -> str:
    """Run a debate as ``folkmoot run`` does, by somebody who goes on with it when the database is back."""
    while True:
        try:
            return (await place.workspace.resume("mine")).status
        except RecordAway:
            await asyncio.sleep(0.5)


async def nothing_runs(place: House) -> None:
    """Wait until Temporal has no workflow any longer."""
    temporal = await place.queue.connected()
    async with asyncio.timeout(60):
        while await temporal.running():  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.2)


def tell(plan: Sequence[Step], crews: Sequence[Crew]) -> str:
    """The seed, the plan, what happened, and what the workers said last."""
    deeds = [deed for crew in crews for deed in crew.deeds]
    lines = [line for crew in crews for line in crew.said[-80:]]
    return "\n".join([f"FOLKMOOT_CHAOS_SEED={SEED}", *map(str, plan), "", *map(str, deeds), "", *lines])


@pytest.mark.timeout(SIZE.seconds + 180)
async def test_whatever_befalls_the_workers_the_debates_are_the_same(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    undisturbed, model = Model(slow=False), Model(slow=True)
    async with Wires(script=undisturbed.answer).serve() as wires:
        unbroken = await run_unbroken(SIZE, wires.url)
    plan = make_plan(SEED, SIZE, len(undisturbed.marks))
    assert len(undisturbed.sendings) == len(undisturbed.marks)
    crews: list[Crew] = []
    began = asyncio.get_running_loop().time()
    try:
        story = await run_in_trouble(tmp_path, model, plan, crews)
    except Exception as error:
        error.add_note(tell(plan, crews))
        raise
    record_property("chaos", summary(story, asyncio.get_running_loop().time() - began))
    faults = [*check_same(story, unbroken), *check_calls(story), *check_course(story)]
    assert not faults, "\n".join([*faults[:20], summary(story, 0), tell(plan, crews)])
    assert len(story.late()) <= len(SIZE.freezes) * SIZE.places * PARALLEL


def summary(story: Story, seconds: float) -> str:
    """The numbers of a run, in one line."""
    kinds = [deed.kind for deed in story.deeds]
    recorded = sum(isinstance(entry.event, Called) for entries in story.entries.values() for entry in entries)
    closed = sum(fold(entries).closed is not None for entries in story.entries.values())
    longest = max((gap for gap, _, deeds, _ in story.gaps() if deeds), default=0.0)
    return (
        f"{closed} of {SIZE.debates} debates closed by {SIZE.workers} workers, {kinds.count('kill')} kills,"
        f" {kinds.count('freeze')} freezes, PostgreSQL away {kinds.count('database')} times,"
        f" Temporal {kinds.count('temporal')} times and once without its state;"
        f" {kinds.count('ended')} workers ended by themselves, {kinds.count('let go')} debates let go,"
        f" {story.begun} segments begun,"
        f" {len(story.sendings)} calls, {len({s.mark for s in story.sendings})} different, {recorded} answers on record,"
        f" {len(story.repeated())} repeated in flight, {len(story.late())} of them by woken workers, too late;"
        f" a debate stood still for {longest:.1f} s at most, outages not counted; {seconds:.0f} s in all"
    )
