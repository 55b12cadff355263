"""One process of `benchmarks/scale.py`: it runs debates, or the baselines that they are compared with.

``python scale.py KIND PLACE WANTED``: it prints "ready", starts at the next line of input, and prints the results as a
line of JSON. Its processor time is counted from the start of its first debate to the end of its last one.
"""

import asyncio
import json
import logging
import os
import random
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise

from folkmoot.app.plan.settings import Config, Where, open_store, read_where
from folkmoot.app.run.fork import chain_lines
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.agent import Quote, Recorder
from folkmoot.core.brief import Brief, Limits, Participant, View
from folkmoot.core.event import Called, Entry
from folkmoot.models.base import Request, Traits
from folkmoot.phases.base import Rounds
from folkmoot.phases.speak import Everyone
from folkmoot.record.store import Store
from folkmoot.testing.store_checks import InMemoryStore

PEOPLE, ROUNDS = 5, 3
ASKS = PEOPLE * ROUNDS
WORDS = "word " * 60
TRAITS = Traits()


_chance = random.Random(1)  # every process draws the same row of times


def spread() -> float:
    """From half to one and a half: no two calls take the same time."""
    return _chance.uniform(0.5, 1.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What one process is to do: debates in all and at once, the most seconds, about the seconds of a call."""

    debates: int
    parallel: int
    seconds: float
    pause: float


class Meter:
    """When a process began its first debate and ended its last one, and what that took of the processor."""

    def __init__(self) -> None:
        self.done, self.first, self.last, self.cpu = 0, 0.0, 0.0, 0.0
        self._cpu = 0.0

    def begin(self) -> None:
        """A debate begins."""
        if not self.first:
            self.first, self._cpu = time.monotonic(), time.process_time()

    def end(self) -> None:
        """A debate is done."""
        self.done, self.last, self.cpu = self.done + 1, time.monotonic(), time.process_time() - self._cpu

    def told(self) -> str:
        """What was measured, as a line."""
        figures = {"done": self.done, "asks": self.done * ASKS, "first": self.first, "last": self.last, "cpu": self.cpu}
        return json.dumps(figures)


@dataclass(frozen=True, slots=True)
class Talker:
    """A model that takes its time and then says the same."""

    pause: float
    name: str = "guest:talker"
    traits: Traits = TRAITS
    drops: tuple[str, ...] = ()

    def quote(self, request: Request) -> Quote:
        """A few tokens."""
        return Quote(model=self.name, tokens=100)

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """Answer after a while."""
        await asyncio.sleep(self.pause * spread())
        return Called(key="", call=request.call, text=WORDS, model=self.name, served=self.name, finish="stop")

    async def close(self) -> None:
        """Nothing to give back."""


def debate() -> Plan:
    """The debate."""
    people = tuple(Participant(name=f"P{n}", seat="guest:talker") for n in range(PEOPLE))
    brief = Brief(topic="What does it cost?", participants=people, limits=Limits(parallel=PEOPLE))
    protocol = Rounds(each=Everyone(act="argue", task="Argue.", view=View(last=0)), most=ROUNDS)
    return Plan(brief=brief, name="bench", protocol=protocol)


def desk_over(store: Store, pause: float) -> Workspace:
    """A workspace that does not learn from its debates, with the model."""
    workspace = Workspace(store, config=Config(learn=False))
    workspace.pool.add_agent("talker", Talker(pause))
    return workspace


async def sample() -> list[str]:
    """The lines of one debate; holding it once also loads whatever is loaded late."""
    workspace = desk_over(InMemoryStore(), 0.0)
    await workspace.run(debate(), "warm")
    return list(await workspace.lines("warm"))


async def begun() -> None:
    """Wait until the others are ready, too."""
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)


async def many(work: Callable[[str], Awaitable[object]], wanted: Wanted, meter: Meter) -> None:
    """All debates, as many at once as are wanted, until the time is over."""
    gate = asyncio.Semaphore(wanted.parallel)

    async def one(n: int) -> None:
        async with gate:
            meter.begin()
            await work(f"d{n}")
            meter.end()

    with suppress(TimeoutError):
        async with asyncio.timeout(wanted.seconds), asyncio.TaskGroup() as group:
            for n in range(wanted.debates):
                group.create_task(one(n))


async def be_floor(_: Where, wanted: Wanted, meter: Meter) -> None:
    """The same sleeps in bare asyncio."""

    async def work(_name: str) -> None:
        for _ in range(ROUNDS):
            async with asyncio.TaskGroup() as group:
                for _ in range(PEOPLE):
                    group.create_task(asyncio.sleep(wanted.pause * spread()))

    await begun()
    await many(work, wanted, meter)


async def be_appends(place: Where, wanted: Wanted, meter: Meter) -> None:
    """The same lines in bare appends, one for each ask."""
    lines, store = await sample(), open_store(place)
    await store.read("warm")
    cuts = [len(lines) * n // ASKS for n in range(ASKS + 1)]

    async def work(name: str) -> None:
        for first, last in pairwise(cuts):
            await store.append(name, lines[first:last], after=first)

    await begun()
    await many(work, wanted, meter)
    await store.close()


async def be_desk(place: Where, wanted: Wanted, meter: Meter) -> None:
    """Whole debates without a queue."""
    await sample()
    workspace = desk_over(open_store(place), wanted.pause)
    await workspace.store.read("warm")
    await begun()
    await many(lambda name: workspace.run(debate(), name), wanted, meter)
    await workspace.close()


async def be_submit(place: Where, wanted: Wanted, meter: Meter) -> None:
    """Debates on record and into the queue."""
    from folkmoot.record.postgres import PostgresStore
    from folkmoot.workers.job_queue import Queue

    store = open_store(place)
    assert isinstance(store, PostgresStore)
    queue = Queue(store)
    await queue.submit("warm")  # which makes the tables
    await queue.cancel("warm")
    first = chain_lines([Entry(seq=1, at=time.time(), event=debate().opened(), prev="")])

    async def work(name: str) -> None:
        await store.append(name, first, after=0)
        await queue.submit(name)

    await begun()
    await many(work, wanted, meter)
    await store.close()


class Heard(logging.Handler):
    """Counts the debates that a worker begins and ends."""

    def __init__(self, meter: Meter) -> None:
        super().__init__()
        self._meter = meter

    def emit(self, record: logging.LogRecord) -> None:
        """See ``logging.Handler``."""
        if getattr(record, "event", "") == "taken":
            self._meter.begin()
        elif getattr(record, "state", "") == "done":
            self._meter.end()


async def be_worker(place: Where, wanted: Wanted, meter: Meter) -> None:
    """One worker, until nothing is queued and nothing runs."""
    from folkmoot.record.postgres import PostgresStore
    from folkmoot.workers.job_queue import Queue
    from folkmoot.workers.worker import Worker
    from folkmoot.workers.worker_notes import LOG

    async def end() -> None:
        idle, until = 0, time.monotonic() + wanted.seconds
        while idle < 2 and time.monotonic() < until:
            await asyncio.sleep(0.2)
            counts = (await queue.status()).counts
            idle = 0 if counts.keys() & {"queued", "running"} else idle + 1
        worker.drain()

    await sample()
    workspace = desk_over(open_store(place), wanted.pause)
    assert isinstance(workspace.store, PostgresStore)
    queue = Queue(workspace.store)
    LOG.setLevel(logging.INFO)
    LOG.addHandler(Heard(meter))
    worker = Worker(workspace, f"w{os.getpid()}", most=wanted.parallel, grace=0.5)
    await begun()
    async with asyncio.TaskGroup() as group:
        group.create_task(end())
        await worker.run()
    await workspace.close()


async def be_steps(place: Where, wanted: Wanted, meter: Meter) -> None:
    """The engine with a step for each call."""
    from dbos import DBOS

    @DBOS.step()
    async def call() -> str:
        await asyncio.sleep(wanted.pause * spread())
        return WORDS

    @DBOS.workflow()
    async def whole() -> int:
        calls: list[asyncio.Task[str]] = []
        for _ in range(ROUNDS):
            async with asyncio.TaskGroup() as group:
                calls += [group.create_task(call()) for _ in range(PEOPLE)]
        return len(calls)

    async def work(_: str) -> None:
        assert await (await DBOS.start_workflow_async(whole)).get_result() == ASKS

    DBOS(config={"name": "bench", "system_database_url": str(place), "log_level": "CRITICAL"})
    DBOS.launch()
    await work("warm")
    await begun()
    await many(work, wanted, meter)
    print(meter.told(), flush=True)
    os._exit(0)  # what was broken off would be waited for


PARTS = (be_floor, be_appends, be_desk, be_submit, be_worker, be_steps)


def be(kind: str, place: str, wanted: Wanted) -> None:
    """Be one of the processes; it ends by itself, whatever happens."""
    late = threading.Timer(wanted.seconds + 60, os._exit, (1,))
    late.daemon = True
    late.start()
    meter = Meter()
    asyncio.run(next(part for part in PARTS if part.__name__ == f"be_{kind}")(read_where(place), wanted, meter))
    print(meter.told(), flush=True)


if __name__ == "__main__":
    be(sys.argv[1], sys.argv[2], Wanted(**json.loads(sys.argv[3])))
