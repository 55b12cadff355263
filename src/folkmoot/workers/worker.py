"""A worker: has Temporal bring it debates, runs them, and hands them on when it is asked to end."""

import asyncio
from contextlib import suppress
from datetime import timedelta
from functools import partial

import temporalio.worker
from temporalio.runtime import LogForwardingConfig, LoggingConfig, Runtime, TelemetryConfig, TelemetryFilter
from temporalio.worker import UnsandboxedWorkflowRunner

from folkmoot.app.plan.settings import Config
from folkmoot.app.run.dispatcher import QueueAway, QueueError
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.errors import RecordAway, RecordError
from folkmoot.models.transport import UsageMeter
from folkmoot.record.postgres import PostgresStore
from folkmoot.workers import wanted
from folkmoot.workers.connection import Temporal
from folkmoot.workers.job_queue import Queue
from folkmoot.workers.provider_limits import Allowed
from folkmoot.workers.schedules import Scheduled, put_schedules
from folkmoot.workers.segments import AWAY, Segments
from folkmoot.workers.worker_notes import LIBRARY, Outage, note
from folkmoot.workers.workflow import DebateWorkflow, ScheduleWorkflow

SWEEP = 60.0
"""Seconds between two looks of all workers together for debates that Temporal doesn't know."""


class Worker:
    """Runs debates of the queue until it is drained.

    Args:
        workspace: where debates run; its records are written behind a fence from now on.
        name: what it is called; no two workers are called the same.
        most: how many debates it runs in parallel.
        grace: seconds that the answers in progress have when it is asked to end.
        away: seconds after which a debate goes on whose providers could not be reached.
    """

    def __init__(
        self, workspace: Workspace, name: str, *, most: int = 8, grace: float = 30.0, away: float = AWAY
    ) -> None:
        assert isinstance(workspace.store, PostgresStore)
        self.workspace, self.name, self._store = workspace, name, workspace.store
        self._most, self._grace, self._config = most, grace, workspace.config or Config()
        self._temporal = Temporal(self._config.temporal, self._store)
        self._segments = Segments(workspace, self._store, name, self._temporal, away)
        workspace.pool.meter = self._meter
        self._limits: dict[str, Allowed] = {}
        self._leave = asyncio.Event()
        self._outage = Outage("Temporal")

    @property
    def leaving(self) -> bool:
        """Whether it was asked to end."""
        return self._leave.is_set()

    def drain(self) -> None:
        """Take nothing new, and hand on what it holds; ``run`` ends then."""
        self._leave.set()

    async def run(self) -> None:
        """Work until drained.

        Raises:
            QueueError: Temporal cannot be reached or used.
            RecordError: the database cannot be reached or used.
            BriefError: a schedule cannot be used.
        """
        await self._temporal.connect(runtime=_runtime())
        await put_schedules(self._temporal, self._config.schedules)
        async with asyncio.TaskGroup() as group:
            loops = [group.create_task(self._stay()), group.create_task(self._sweep())]
            await self._work()
            for task in loops:
                task.cancel()
        with suppress(RecordError):
            await self._store.transaction(partial(wanted.leave, worker=self.name))

    async def _work(self) -> None:
        """Run what Temporal brings, until drained."""
        scheduled = Scheduled(self.workspace, Queue(self._store, self._config.temporal))
        worker = temporalio.worker.Worker(
            self._temporal.client,
            task_queue=self._temporal.task_queue,
            identity=self.name,
            workflows=[DebateWorkflow, ScheduleWorkflow],
            workflow_runner=UnsandboxedWorkflowRunner(),  # the file is small, and a test replays histories
            activities=[self._segments.segment, scheduled.begin_scheduled],
            max_concurrent_activities=self._most,
            max_concurrent_activity_task_polls=1,  # a frozen worker takes with it what its polls are given
            max_concurrent_workflow_task_polls=1,
            max_cached_workflows=0,  # so that every worker can go on with every workflow
            graceful_shutdown_timeout=timedelta(seconds=self._grace + 5),
        )
        async with asyncio.TaskGroup() as group:
            self._segments.open(group)
            group.create_task(self._run(worker))
            await self._leave.wait()
            draining = group.create_task(self._segments.drain(self._grace))
            await worker.shutdown()
            draining.cancel()

    async def _run(self, worker: temporalio.worker.Worker) -> None:
        try:
            await worker.run()
        except Exception as error:
            raise QueueError(f"Temporal at {self._temporal.place} has refused this worker: {error}") from error

    async def _stay(self) -> None:
        """Say that it is alive, and notice when a server goes and comes back."""
        while True:
            try:
                await self._store.transaction(partial(wanted.stay, worker=self.name, places=self._most))
                self._segments.outage.end()
            except RecordAway as error:
                self._segments.outage.begin(error)
            try:
                await self._temporal.version()
                self._outage.end()
            except QueueAway as error:
                self._outage.begin(error)
            for limit in tuple(self._limits.values()):
                await limit.put_right()
            await asyncio.sleep(wanted.ALIVE / 3)

    async def _sweep(self) -> None:
        """Tell Temporal again what it doesn't know, if no other worker has lately."""
        while True:
            with suppress(QueueAway, RecordAway):
                if await self._store.transaction(partial(wanted.may_sweep, seconds=SWEEP * 0.9)):
                    await self._temporal.check()
                    await reconcile(self._store, self._temporal)
            await asyncio.sleep(SWEEP / 2)

    def _meter(self, provider: str, key: str) -> UsageMeter | None:
        allowance = self._config.limits.get(provider)
        if allowance is None:
            return None
        account = f"{provider} {key}".rstrip()  # each key has limits of its own
        limit = Allowed(self._store, self.name, account, allowance, wanted.ALIVE)
        return self._limits.setdefault(account, limit)


async def reconcile(store: PostgresStore, temporal: Temporal) -> int:
    """Start the workflow of each debate that is wanted and has none; how many these are.

    Whoever ran such a debate may still be at it, so it begins when that worker's fence has closed.

    Raises:
        QueueError: Temporal cannot be reached.
        RecordError: the database cannot be reached.
    """
    rows = await store.transaction(wanted.missed)
    known = await temporal.running() if rows else set[str]()
    missing = [(row, wait) for row, wait in rows if row.debate not in known]
    for row, wait in missing:
        await temporal.start(row, max(temporal.settings.timeout, wait), message=False)
        note("queued again", "queued again", debate=row.debate, state="queued")
    return len(missing)


async def move_here(workspace: Workspace, config: Config) -> int:
    """Have the database go with the Temporal of the settings from now on, and tell it what is wanted; see ``reconcile``."""
    assert isinstance(workspace.store, PostgresStore)
    temporal = Temporal(config.temporal, workspace.store)
    await temporal.connect(move=True)
    return await reconcile(workspace.store, temporal)


def _runtime() -> Runtime:
    """The SDK's runtime, whose core logs like the rest of it."""
    filters = TelemetryFilter(core_level="ERROR", other_level="ERROR")
    logs = LoggingConfig(filter=filters, forwarding=LogForwardingConfig(logger=LIBRARY))
    return Runtime(telemetry=TelemetryConfig(logging=logs), worker_heartbeat_interval=None)
