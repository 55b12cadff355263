"""A worker: takes debates from the queue, runs them, and drains when it is asked to stop.

It runs one segment for each debate: one workflow of the engine; the engine's own steps are not used.
"""

import asyncio
import threading
from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from dbos import DBOS, DBOSConfig
from dbos._serialization import DBOSPortableJSONSerializer
from sqlalchemy.exc import SQLAlchemyError

from moot.app.plan.settings import Config
from moot.app.run.dispatcher import USUAL_PRIORITY, Job, QueueError, State
from moot.app.run.workspace import Workspace
from moot.core.errors import MootError
from moot.models.transport import Meter
from moot.workers.jobs import Ending, Jobs, Lease
from moot.workers.lease_runs import AGAIN, Held, Segments, Wanted, handed_on
from moot.workers.leases import Beaten, Fence, Heart, Leases
from moot.workers.provider_limits import Allowed
from moot.workers.queue_tables import (
    APPLICATION,
    CONNECTIONS,
    QUEUE,
    SCHEMA,
    SEGMENT,
    VERSION,
    client_of,
    engine_of,
    make_ready,
    plain,
    unreachable,
)
from moot.workers.schedules import FIRES, fire, put_schedules, recover

Result = TypeVar("Result")


class Worker:
    """Holds debates of the queue until it is drained. A process has one worker at a time, in one event loop.

    Args:
        workspace: where debates run; its records are written behind a fence from now on.
        wanted: how it works.
    """

    def __init__(self, workspace: Workspace, wanted: Wanted) -> None:
        self.workspace, self.wanted = workspace, wanted
        engine = engine_of(wanted.address)
        self.jobs = Jobs(engine, client_of(engine))
        self.leases = Leases(engine, self.jobs.client)
        self.fence = Fence(workspace.store)
        self._segments = Segments(workspace, wanted, self.fence, self._reach)
        workspace.pen = self.fence
        workspace.pool.meter = self._meter
        self._held: dict[str, Held] = {}
        self._leave = asyncio.Event()
        self._beats = engine_of(wanted.address)  # the heart waits for no connection that others have
        beating = Leases(self._beats, self.jobs.client)
        self._heart = Heart(beating, wanted.name, wanted.lease, self.fence, self._hear)
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def held(self) -> tuple[str, ...]:
        """The debates that it holds now."""
        return tuple(self._held)

    @property
    def leaving(self) -> bool:
        """Whether it was asked to end."""
        return self._leave.is_set()

    def drain(self) -> None:
        """Take nothing new, and give back what it holds; ``run`` ends then."""
        self._leave.set()

    async def run(self) -> None:
        """Work until drained.

        Raises:
            QueueError: the database cannot be reached.
        """
        self._loop = asyncio.get_running_loop()
        try:
            await self._do(lambda: make_ready(self.jobs.engine))
            self._launch()
            self._heart.start()
            async with asyncio.TaskGroup() as group:
                watch = group.create_task(self._watch())
                await self._leave.wait()
                watch.cancel()
            await self._give_back()
        except SQLAlchemyError as error:
            raise unreachable(error) from None
        finally:
            for item in self._held.values():
                item.ask("drain", now=True)
            DBOS.destroy(destroy_registry=True)
            self._heart.stop()
            self._beats.dispose()
            self.jobs.engine.dispose()

    def _launch(self) -> None:
        """Begin to take segments; the engine runs them in this event loop."""
        config: DBOSConfig = {
            "name": APPLICATION,
            "system_database_url": plain(self.jobs.engine.url.render_as_string(hide_password=False)),
            "dbos_system_schema": SCHEMA,
            "application_version": VERSION,
            "executor_id": self.wanted.name,
            "serializer": DBOSPortableJSONSerializer(),
            "sys_db_pool_size": CONNECTIONS,
            "log_level": "CRITICAL",
            "run_migrations": False,
        }
        DBOS(config=config)

        @DBOS.workflow(name=SEGMENT, max_recovery_attempts=1000)
        async def segment(debate: str, number: int) -> str:  # pyright: ignore[reportUnusedFunction]
            return await self._segment(debate, number)

        @DBOS.workflow(name=FIRES, max_recovery_attempts=1000)
        async def scheduled(at: datetime, brief: dict[str, str]) -> None:  # pyright: ignore[reportUnusedFunction]
            await self._begin(at, brief)

        put_schedules(self.jobs.client, (self.workspace.config or Config()).schedules)
        DBOS.launch()
        wanted = self.wanted
        self.jobs.client.register_queue(QUEUE, worker_concurrency=wanted.most, polling_interval_sec=wanted.poll)

    # ---- a segment --------------------------------------------------------------------------------------------------

    async def _segment(self, debate: str, number: int) -> str:
        """The workflow: run a debate from where its record ends; in one word what became of it."""
        began = self.fence.now()
        lease = await self._do(lambda: self.leases.claim(debate, number, self.wanted.name, self.wanted.lease))
        if lease is None:
            return "gone"
        self.fence.open(debate, began + self.wanted.lease)
        held = self._held[debate] = Held(lease=lease)
        self.wanted.say(f"{debate}: taken" + (f", try {lease.tries}" if lease.tries > 1 else ""))
        if lease.stop or self._leave.is_set():
            held.ask("cancel" if lease.stop else "drain", now=False)
        try:
            ending = await self._hold(debate, held)
            state = await self._end(lease, ending)
        finally:
            if self._held.get(debate) is held:  # else it was taken anew meanwhile
                del self._held[debate]
                self.fence.shut(debate)
        told = f"{state}" if state else "lost to another worker"
        self.wanted.say(f"{debate}: {told}" + (f": {ending.reason}" if state and ending.reason else ""))
        return state or "lost"

    async def _end(self, lease: Lease, ending: Ending) -> State | None:
        """Say how it ended; where the database is away, again, as long as the lease holds."""
        while True:
            try:
                return await self._do(lambda: self.leases.end(lease, ending))
            except QueueError:
                if self.fence.lapsed(lease.debate):
                    return None
                await asyncio.sleep(AGAIN)

    async def _hold(self, debate: str, held: Held) -> Ending:
        async with asyncio.TaskGroup() as group:
            held.task = group.create_task(self._segments.hold(debate, held))
        if not held.task.cancelled():
            return held.task.result()
        return Ending(state="cancelled", reason="it was cancelled") if held.why == "cancel" else handed_on()

    # ---- what the others and the signals want ------------------------------------------------------------------------

    def _hear(self, beaten: Beaten) -> None:
        """In the heart's thread: hand on what it was told."""
        if self._loop and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._heed, beaten)

    def _heed(self, beaten: Beaten) -> None:
        for debate, item in tuple(self._held.items()):
            epoch, stop = beaten.get(debate, (0, ""))
            if self.fence.lapsed(debate):
                item.ask("lost", now=True)
            elif epoch == item.lease.epoch and stop:
                item.ask("cancel", now=stop == "now")

    async def _watch(self) -> None:
        """Queue again what others have let fall."""
        while True:
            try:
                for debate in await self._do(lambda: self.leases.watch(self.wanted.lease)):
                    self.wanted.say(f"{debate}: queued again")
                await self._do(lambda: recover(self.jobs.engine, self.jobs.client, self.wanted.name, self.wanted.lease))
            except MootError:
                self._heed({})  # The database is away, and leases run out; the next look may find it.
            await asyncio.sleep(self.wanted.lease / 3)

    async def _give_back(self) -> None:
        """Give everything back: the answers in progress have some seconds, then all is broken off."""
        destroyed = threading.Thread(
            target=lambda: DBOS.destroy(
                workflow_completion_timeout_sec=int(self.wanted.grace) + 5, destroy_registry=True
            )
        )
        destroyed.start()
        for item in tuple(self._held.values()):
            item.ask("drain", now=False)
        end = self.fence.now() + self.wanted.grace
        while self._held or destroyed.is_alive():
            if self.fence.now() >= end:
                end = float("inf")
                for item in tuple(self._held.values()):
                    item.ask("drain", now=True)
            await asyncio.sleep(0.05)

    async def _begin(self, at: datetime, brief: dict[str, str]) -> None:
        """Begin the debate of a schedule; what goes wrong is told, for nobody waits for it."""

        async def submit(debate: str) -> Job:
            return await self._do(lambda: self.jobs.submit(debate, brief["owner"], USUAL_PRIORITY, 0.0))

        try:
            job = await fire(self.workspace, at, brief, self.workspace.config or Config(), submit)
            self.wanted.say(f"{job.debate}: {job.state} by the schedule {brief['schedule']}")
        except MootError as error:
            self.wanted.say(f"the schedule {brief['schedule']} began nothing: {error}")

    def _meter(self, provider: str, key: str) -> Meter | None:
        allowance = (self.workspace.config or Config()).limits.get(provider)
        if allowance is None:
            return None
        account = f"{provider} {key}".rstrip()  # each key has limits of its own
        return Allowed(self.jobs.engine, self.wanted.name, account, allowance, self.wanted.lease)

    async def _reach(self) -> None:
        await self._do(lambda: self.jobs.job(""))

    async def _do(self, work: Callable[[], Result]) -> Result:
        try:
            return await asyncio.to_thread(work)
        except SQLAlchemyError as error:
            raise unreachable(error) from None
