"""Trouble for workers: real processes, real servers, and a seeded plan of what befalls them.

A worker is killed, or frozen until its time is over and then woken; PostgreSQL or Temporal is away for a while, or Temporal
comes back without its state. Each falls when so many calls have come, so that it meets work, however fast the machine is.
"""

import asyncio
import hashlib
import json
import os
import random
import re
import signal
import sys
import time
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.event import Entry
from folkmoot.models.pool import Pool
from folkmoot.protocols.known import Choices
from folkmoot.record.store import read
from folkmoot.testing import wire_formats
from folkmoot.testing.store_checks import InMemoryStore
from folkmoot.testing.wires import Call
from tests.record.pg import Postgres
from tests.workers.temporal_kit import TemporalServer

Kind = Literal["kill", "freeze", "database", "temporal", "forget"]

ARRIVING = 0.5
"""Seconds in which the model server still reads calls that a worker sent before it was killed."""

RECENT = 12
"""So many of the last calls tell who is at work."""

LATE = 5.0
"""The most seconds from what a worker does to its line about it that is read here."""

CASE = re.compile(r"case (\d{4})")
MARK = re.compile(r"mark ([0-9a-f]{16})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much is run, by whom, and what befalls them: how often, or for how many seconds or timeouts each time."""

    debates: int
    workers: int
    places: int
    timeout: float
    kills: int
    freezes: tuple[float, ...]
    database: tuple[float, ...]
    temporal: tuple[float, ...]
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Something that befalls the workers once so many different calls have come."""

    after: int
    kind: Kind
    pick: int
    lasts: float


@dataclass(slots=True, kw_only=True)
class Deed:
    """What befell whom, and from when until when; "" stands for all workers, and for all debates."""

    kind: str
    worker: str = ""
    debate: str = ""
    began: float = field(default_factory=time.time)
    ended: float = float("inf")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    """A call as the model server got it."""

    at: float
    worker: str
    debate: str
    mark: str


def make_plan(seed: int, size: Size, calls: int) -> tuple[Step, ...]:
    """What befalls the workers of debates that make so many calls, the first first."""
    chance = random.Random(seed)
    lasting: list[tuple[Kind, float]] = [("forget", 1.0)]
    lasting.extend(("kill", 0.0) for _ in range(size.kills))
    lasting.extend(("freeze", size.timeout * times) for times in size.freezes)
    lasting.extend(("database", seconds) for seconds in size.database)
    lasting.extend(("temporal", seconds) for seconds in size.temporal)
    chance.shuffle(lasting)
    return tuple(
        Step(
            after=int(calls * (0.04 + 0.8 * (n + chance.random()) / len(lasting))),
            kind=kind,
            pick=chance.randrange(1000),
            lasts=lasts,
        )
        for n, (kind, lasts) in enumerate(lasting)
    )


class Model:
    """What the model server says: words that depend on the request alone, and carry its mark.

    Args:
        slow: whether an answer takes 50 to 300 ms, which depends on the request as well.
    """

    def __init__(self, *, slow: bool) -> None:
        self.slow = slow
        self.sendings: list[Sending] = []
        self.marks: set[str] = set()

    def answer(self, call: Call) -> wire_formats.Plan:
        """See ``testing.wires.Script``."""
        words = json.dumps([call.body["model"], call.body["messages"]])
        digest = hashlib.sha256(words.encode())
        mark = digest.hexdigest()[:16]
        (debate,) = set(CASE.findall(words))
        worker = call.headers.get("authorization", "").removeprefix("Bearer ")
        self.sendings.append(Sending(at=time.time(), worker=worker, debate=f"case-{debate}", mark=mark))
        self.marks.add(mark)
        text = f"ANSWER: answer {mark[0]}\nCONFIDENCE: 0.5\nARGUMENT: It is so, mark {mark}."
        if "I vote for" in call.prompt:
            text = f"Because of mark {mark}.\nI vote for: Proposal A"
        delay = 0.05 + 0.25 * digest.digest()[0] / 255 if self.slow else 0.0
        return wire_formats.Plan(text=text, piece=400, delay=delay)


def make_debates(workspace: Workspace, size: Size) -> dict[str, Plan]:
    """Debates of different topics and sizes, by their ids."""
    plans: dict[str, Plan] = {}
    for n in range(size.debates):
        names = ("Ann", "Bob", "Cy", "Di")[: 3 + n % 2]
        people = tuple(Participant(name=name, seat="ollama:tiny") for name in names)
        brief = Brief(topic=f"Tea or coffee, case {n:04}?", participants=people)
        plans[f"case-{n:04}"] = workspace.plan(brief, protocol="panel", choices=Choices(rounds=1 + n % 3))
    return plans


async def run_unbroken(size: Size, url: str) -> dict[str, tuple[Entry, ...]]:
    """The same debates in this process, one after the other, over a store in memory."""
    workspace = Workspace(InMemoryStore(), pool=Pool(env={"OLLAMA_HOST": url}))
    values: dict[str, tuple[Entry, ...]] = {}
    for debate, plan in make_debates(workspace, size).items():
        await workspace.run(plan, debate)
        values[debate] = read(await workspace.lines(debate))
    await workspace.close()
    return values


class Crew:
    """Workers as processes, each in a place of its own; whoever ends by itself is started again.

    Args:
        folder: where they run; settings are in it.
        address: of the records.
        url: of the model server; a worker's name is its key there.
        size: how many there are, and how they work.
        group: reads what they say, as long as they live.
    """

    def __init__(self, folder: Path, address: str, url: str, size: Size, group: asyncio.TaskGroup) -> None:
        self.folder, self.address, self.url, self.size, self.group = folder, address, url, size, group
        self.processes: list[tuple[str, Process]] = []
        self.frozen: set[int] = set()
        self.deeds: list[Deed] = []
        self.said: list[str] = []
        self._begun = set[str]()
        self._started = 0
        self._leaving = False

    def words(self, *words: str, name: str = "") -> tuple[tuple[str, ...], dict[str, str]]:
        """A command of ours, and its environment."""
        env = {key: os.environ[key] for key in ("PATH", "PYTHONPATH") if key in os.environ}
        env |= {"HOME": str(self.folder), "OLLAMA_HOST": self.url, "OLLAMA_API_KEY": name}
        return (sys.executable, "-m", "folkmoot", "--store", self.address, *words), env

    async def start(self, slot: int) -> None:
        """Start a worker at that place."""
        self._started += 1
        name = f"w{slot}n{self._started}"
        words, env = self.words("worker", "--name", name, "--parallel", str(self.size.places), name=name)
        process = await asyncio.create_subprocess_exec(*words, stdout=PIPE, stderr=STDOUT, env=env, cwd=self.folder)
        self.processes[slot : slot + 1] = [(name, process)]
        self.group.create_task(self._attend(slot, name, process))

    async def kill(self, slot: int) -> None:
        """Kill a worker, and start another at its place."""
        name, process = self.processes[slot]
        deed = Deed(kind="kill", worker=name)
        self.deeds.append(deed)
        process.kill()
        await process.wait()
        deed.ended = time.time() + ARRIVING
        await self.start(slot)

    async def freeze(self, slot: int, seconds: float) -> None:
        """Freeze a worker for some time."""
        self.frozen.add(slot)
        name, process = self.processes[slot]
        deed = Deed(kind="freeze", worker=name)
        self.deeds.append(deed)
        process.send_signal(signal.SIGSTOP)
        await asyncio.sleep(seconds)
        deed.ended = time.time()
        process.send_signal(signal.SIGCONT)
        self.frozen.discard(slot)

    async def away(self, kind: Kind, stop: Callable[[], None], start: Callable[[], None], seconds: float) -> None:
        """Have a server be away for some time."""
        deed = Deed(kind=kind)
        self.deeds.append(deed)
        await asyncio.to_thread(stop)
        await asyncio.sleep(seconds)
        await asyncio.to_thread(start)
        deed.ended = time.time()

    async def reconcile(self) -> None:
        """Have Temporal told again, as a person would."""
        words, env = self.words("worker", "reconcile")
        process = await asyncio.create_subprocess_exec(*words, stdout=PIPE, stderr=STDOUT, env=env, cwd=self.folder)
        said, _ = await process.communicate()
        self.said.append(f"{time.time():.2f} {said.decode()}")
        assert process.returncode == 0, said.decode()

    async def leave(self) -> list[int]:
        """Ask all to end, once each can hear it; their exit codes."""
        self._leaving = True
        while any(process.returncode is None and name not in self._begun for name, process in self.processes):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        for _, process in self.processes:
            if process.returncode is None:
                process.send_signal(signal.SIGTERM)
        return [await process.wait() for _, process in self.processes]

    def end(self) -> None:
        """End all at once."""
        self._leaving = True
        for _, process in self.processes:
            if process.returncode is None:
                process.kill()

    def busy(self, sendings: Sequence[Sending]) -> list[int]:
        """The places of those who are at work, as the calls that came last say; else of all who are awake."""
        last = {sending.worker for sending in sendings[-RECENT:]}
        awake = [
            (slot, name)
            for slot, (name, process) in enumerate(self.processes)
            if process.returncode is None and slot not in self.frozen
        ]
        return [slot for slot, name in awake if name in last] or [slot for slot, _ in awake]

    async def _attend(self, slot: int, name: str, process: Process) -> None:
        assert process.stdout
        while line := (await process.stdout.readline()).decode().strip():
            self._begun.add(name)
            self.said.append(f"{time.time():.2f} {name} {line}")
            # On a machine that is too slow heartbeats come too late, and a worker lets a debate go.
            if let_go := re.search(r" (case-\d{4}): (?!taken|done)", line):
                now = time.time()
                self.deeds.append(Deed(kind="let go", worker=name, debate=let_go[1], began=now - LATE, ended=now))
        code = await process.wait()
        if not self._leaving and code != -signal.SIGKILL:
            self.deeds.append(Deed(kind="ended", worker=name, ended=time.time()))
            await asyncio.sleep(0.3)
            await self.start(slot)


@asynccontextmanager
async def working(folder: Path, address: str, url: str, size: Size) -> AsyncGenerator[Crew]:
    """Workers, as long as the context lasts."""
    async with asyncio.TaskGroup() as group:
        crew = Crew(folder, address, url, size, group)
        try:
            for slot in range(size.workers):
                await crew.start(slot)
            yield crew
        finally:
            crew.end()


async def make_trouble(
    plan: Sequence[Step], crew: Crew, model: Model, database: Postgres, temporal: TemporalServer
) -> None:
    """Let everything of a plan befall the workers, in its order."""
    async with asyncio.TaskGroup() as freezing:
        for step in plan:
            while len(model.marks) < step.after:  # noqa: ASYNC110 - a count, not an event
                await asyncio.sleep(0.01)
            while not (busy := crew.busy(model.sendings)):  # noqa: ASYNC110 - what processes do
                await asyncio.sleep(0.01)
            slot = busy[step.pick % len(busy)]
            match step.kind:
                case "kill":
                    await crew.kill(slot)
                case "freeze":
                    freezing.create_task(crew.freeze(slot, step.lasts))
                case "database":
                    await crew.away("database", lambda: stop(database), lambda: start(database), step.lasts)
                case "temporal":
                    await crew.away("temporal", temporal.kill, temporal.start, step.lasts)
                case "forget":
                    await crew.away(
                        "forget", lambda: (temporal.kill(), temporal.forget())[0], temporal.start, step.lasts
                    )
                    await crew.reconcile()


def stop(server: Postgres) -> None:
    """Stop a database's server at once; whoever is connected is cut off."""
    postmaster = server.server.get_postmaster_info().process
    assert postmaster
    postmaster.send_signal(signal.SIGINT)
    postmaster.wait(120)


def start(server: Postgres) -> None:
    """Start it again, on the same data and address."""
    server.server.ensure_postgres_running()
