"""What the tests of workers share: a desk over a real database with its queue, and a worker in this process."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from folkmoot.app.plan.settings import Config
from folkmoot.app.plan.settings_tables import TemporalSettings
from folkmoot.app.run.dispatcher import Job
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.cli.commands.worker import WorkerLog, logging_to
from folkmoot.core.agent import Recorder
from folkmoot.core.brief import Brief, Limits, Participant
from folkmoot.core.event import Called, Entry
from folkmoot.models.base import Request
from folkmoot.models.layers import RetrySettings
from folkmoot.models.pool import Pool
from folkmoot.protocols.known import Choices
from folkmoot.record.postgres import PostgresStore
from folkmoot.record.store import chain_lines
from folkmoot.testing.scripted import ScriptedModel
from folkmoot.workers.job_queue import Queue
from folkmoot.workers.worker import Worker

WORDS = "ANSWER: tea\nCONFIDENCE: 0.5\nARGUMENT: It is calm."
TIMEOUT = 2.0
"""Seconds without a heartbeat after which another worker takes over."""


class Turned(ScriptedModel):
    """A model that answers when it may: at once, or when ``go`` is set."""

    def __init__(self, *, waits: bool = False, fails: Callable[[], Exception | None] = lambda: None) -> None:
        super().__init__(lambda request: fails() or WORDS, name="guest:model")
        self.go, self.asked = asyncio.Event(), asyncio.Event()
        if not waits:
            self.go.set()

    async def _send(self, request: Request, recorder: Recorder) -> Called:
        self.asked.set()
        await self.go.wait()
        return await super()._send(request, recorder)


@dataclass(slots=True, kw_only=True)
class House:
    """A desk over a database, its queue, and what a worker here has said."""

    workspace: Workspace
    store: PostgresStore
    queue: Queue
    model: Turned
    settings: TemporalSettings
    said: list[str] = field(default_factory=list[str])

    async def lay(
        self,
        debate: str,
        *,
        person: bool = False,
        rounds: int = 1,
        limits: Limits | None = None,
        seat: str = "guest:model",
    ) -> str:
        """Put a debate on record; its id."""
        names = [("Ann", seat), ("Bob", seat)] + ([("Eve", "human")] if person else [])
        people = tuple(Participant(name=name, seat=seat) for name, seat in names)
        brief = Brief(topic="Tea or coffee?", participants=people, limits=limits or Limits())
        plan = self.workspace.plan(brief, protocol="round_robin", choices=Choices(rounds=rounds))
        await self.put(debate, plan)
        return debate

    async def put(self, debate: str, plan: Plan) -> None:
        """Put a debate on record."""
        first = Entry(seq=1, at=time.time(), event=plan.opened(), prev="")
        await self.store.append(debate, chain_lines([first]), after=0)

    async def until(self, debate: str, *states: str, seconds: float = 120.0) -> Job:
        """Wait until a job is in one of these states."""
        async with asyncio.timeout(seconds):
            while True:
                job = await self.queue.job(debate)
                if job and job.state in states:
                    return job
                await asyncio.sleep(0.02)

    async def tell(self, statement: str) -> None:
        """Do something to the tables that no port does."""
        await self.store.transaction(lambda c: c.execute(statement))

    def worker(self, *, name: str = "w1", most: int = 8, grace: float = 5.0, away: float = 0.05) -> Worker:
        """A worker that is not running yet."""
        self.workspace.config = replace(self.workspace.config or Config(), temporal=self.settings)
        return Worker(self.workspace, name, most=most, grace=grace, away=away)

    @asynccontextmanager
    async def working(self, **how: float) -> AsyncGenerator[Worker]:
        """A worker for as long as the block runs; it is drained in the end."""
        worker = self.worker(**how)  # pyright: ignore[reportArgumentType]
        log = WorkerLog(self.said.append, worker.name, as_json=False)
        with logging_to(log):
            async with asyncio.TaskGroup() as group:
                group.create_task(worker.run())
                try:
                    yield worker
                finally:
                    worker.drain()


def queue_at(address: str, temporal: str) -> Queue:
    """A queue over a store of its own; close that in the end."""
    return Queue(PostgresStore.open(address), TemporalSettings(address=temporal, timeout=TIMEOUT))


@asynccontextmanager
async def house(address: str, temporal: str, model: Turned | None = None) -> AsyncGenerator[House]:
    """A desk and a queue over that database, and a model that answers at once where no other is given."""
    model, store = model or Turned(), PostgresStore.open(address)
    workspace = Workspace(store, pool=Pool(retry=RetrySettings(tries=1)))
    workspace.pool.add_agent("model", model)
    settings = TemporalSettings(address=temporal, timeout=TIMEOUT)
    workspace.queue = queue = Queue(store, settings)
    try:
        yield House(workspace=workspace, store=store, queue=queue, model=model, settings=settings)
    finally:
        model.go.set()
        await workspace.close()


async def until(look: Callable[[], bool], seconds: float = 120.0) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(seconds):
        while not look():  # noqa: ASYNC110 - what is looked at sets no event
            await asyncio.sleep(0.02)
