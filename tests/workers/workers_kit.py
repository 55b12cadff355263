"""What the tests of workers share: a desk over a real database with its queue, and a worker in this process."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from folkmoot.app.run.dispatcher import Job
from folkmoot.app.run.fork import chain_lines
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.agent import Recorder
from folkmoot.core.brief import Brief, Limits, Participant
from folkmoot.core.event import Called, Entry
from folkmoot.models.base import Request
from folkmoot.models.layers import RetrySettings
from folkmoot.models.pool import Pool
from folkmoot.protocols.known import Choices
from folkmoot.record.postgres import PostgresStore
from folkmoot.testing.scripted import ScriptedModel
from folkmoot.workers.job_queue import Queue
from folkmoot.workers.lease_runs import WorkerSettings
from folkmoot.workers.queue_database import Connection
from folkmoot.workers.worker import Worker

WORDS = "ANSWER: tea\nCONFIDENCE: 0.5\nARGUMENT: It is calm."
LEASE = 1.5


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

    address: str
    workspace: Workspace
    queue: Queue
    model: Turned
    said: list[str] = field(default_factory=list[str])

    async def lay(self, debate: str, *, person: bool = False, rounds: int = 1, limits: Limits | None = None) -> str:
        """Put a debate on record; its id."""
        names = [("Ann", "guest:model"), ("Bob", "guest:model")] + ([("Eve", "human")] if person else [])
        people = tuple(Participant(name=name, seat=seat) for name, seat in names)
        brief = Brief(topic="Tea or coffee?", participants=people, limits=limits or Limits())
        plan = self.workspace.plan(brief, protocol="round_robin", choices=Choices(rounds=rounds))
        await self.workspace.store.append(
            debate, chain_lines([Entry(seq=1, at=1.0, event=plan.opened(), prev="")]), after=0
        )
        return debate

    async def until(self, debate: str, *states: str, seconds: float = 120.0) -> Job:
        """Wait until a job is in one of these states."""
        async with asyncio.timeout(seconds):
            while True:
                job = await self.queue.job(debate)
                if job and job.state in states:
                    return job
                await asyncio.sleep(0.02)

    def worker(self, *, most: int = 8, lease: float = LEASE, grace: float = 5.0, away: float = 0.05) -> Worker:
        """A worker that is not running yet."""
        wanted = WorkerSettings(
            address=self.address,
            name="w1",
            most=most,
            lease=lease,
            grace=grace,
            away=away,
            say=lambda note: self.said.append(note.line),
        )
        return Worker(self.workspace, wanted)

    @asynccontextmanager
    async def working(self, **how: float) -> AsyncGenerator[Worker]:
        """A worker for as long as the block runs; it is drained in the end."""
        worker = self.worker(**how)  # pyright: ignore[reportArgumentType]
        async with asyncio.TaskGroup() as group:
            group.create_task(worker.run())
            try:
                yield worker
            finally:
                worker.drain()

    async def tell(self, statement: str, *values: object) -> list[Sequence[object]]:
        """Do something to the tables that no port does."""

        async def ask(c: Connection) -> list[Sequence[object]]:
            return [tuple(row.values()) for row in await c.fetch(statement, *values)]

        return await self.queue.database.do(ask)


@asynccontextmanager
async def house(address: str, model: Turned | None = None) -> AsyncGenerator[House]:
    """A desk and a queue over that database, and a model that answers at once where no other is given."""
    model = model or Turned()
    workspace = Workspace(PostgresStore.open(address), pool=Pool(retry=RetrySettings(tries=1)))
    workspace.pool.add_agent("model", model)
    queue = Queue(address)
    workspace.queue = queue
    try:
        yield House(address=address, workspace=workspace, queue=queue, model=model)
    finally:
        model.go.set()
        await workspace.close()


async def until(look: Callable[[], bool], seconds: float = 120.0) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(seconds):
        while not look():  # noqa: ASYNC110 - what is looked at sets no event
            await asyncio.sleep(0.02)
