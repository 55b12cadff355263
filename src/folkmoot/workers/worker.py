"""A worker: has Temporal bring it debates, runs segments of them, and hands them on when it is asked to end.

A segment resumes a debate from its record until it is over or waits, and notes what becomes of it. Temporal gives a debate
to another worker when it has heard nothing for the timeout. The SDK never tells an activity that its heartbeats fail, so each
one is a call of ours: its acknowledgement keeps the fence open, counted from before the call, so that the fence has closed
before the server counts the timeout.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Literal, TypeAlias
from weakref import WeakValueDictionary

import temporalio.worker
from temporalio import activity
from temporalio.client import AsyncActivityCancelledError
from temporalio.runtime import LogForwardingConfig, LoggingConfig, Runtime, TelemetryConfig, TelemetryFilter
from temporalio.service import RPCError, RPCStatusCode
from temporalio.worker import UnsandboxedWorkflowRunner

from folkmoot.app.plan.settings import Config
from folkmoot.app.run.access import noted_allowance
from folkmoot.app.run.dispatcher import QueueAway, QueueError, State
from folkmoot.app.run.outcome import Outcome
from folkmoot.app.run.record_reader import read_open_asks
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.errors import PASSING_ERRORS, FolkmootError, RecordAway, RecordConflict, RecordError
from folkmoot.core.text import clean, counted, hide
from folkmoot.engine.driver import StopRequest
from folkmoot.models.transport import UsageMeter
from folkmoot.record.postgres import PostgresStore
from folkmoot.workers.connection import Temporal
from folkmoot.workers.fence import FencedStore, clock
from folkmoot.workers.job_queue import ALIVE, Queue
from folkmoot.workers.provider_limits import Allowed
from folkmoot.workers.schedules import begin_scheduled, put_schedules
from folkmoot.workers.wanted import Step, Wanted, ended, pause_of
from folkmoot.workers.worker_notes import LIBRARY, note
from folkmoot.workers.workflow import DebateWorkflow, ScheduleWorkflow

SWEEP = 60.0
"""Seconds between two looks of all workers together for debates that Temporal doesn't know."""

BEATS = 5
"""How many heartbeats are sent in the timeout."""

LONGEST = 3600.0
"""The most seconds after which a debate goes on whose providers could not be reached."""

AGAIN = 0.5
"""Seconds after which a database that was away is asked again."""

NEXT = Wanted(debate="", state="queued", begins=1.0), 1.0
"""What is noted of a debate that is no longer this worker's: another segment may begin at once."""

Why: TypeAlias = Literal["", "cancel", "drain", "lost"]
"""Why a segment is stopped."""


class Worker:
    """Runs debates of the queue until it is drained.

    Args:
        workspace: where debates run; its records are written behind a fence from now on.
        name: what it is called; no two workers are called the same.
        most: how many debates it runs in parallel.
        grace: seconds that the answers in progress have when it is asked to end.
        away: seconds after which a debate goes on whose providers could not be reached, twice that the next time.
    """

    temporal: Temporal
    _group: asyncio.TaskGroup

    def __init__(
        self, workspace: Workspace, name: str, *, most: int = 8, grace: float = 30.0, away: float = 30.0
    ) -> None:
        assert isinstance(workspace.store, PostgresStore)
        self.workspace, self.name, self._config = workspace, name, workspace.config or Config()
        self.grace, self.away, self._most = grace, away, most
        self.queue = Queue(workspace.store, self._config.temporal)
        self.fence = workspace.writer = FencedStore(workspace.store)
        workspace.pool.meter = self._meter
        self._limits: dict[str, Allowed] = {}
        self._turns = WeakValueDictionary[str, asyncio.Lock]()
        self._leave = asyncio.Event()

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
        # The SDK's core logs like the rest of it.
        filters = TelemetryFilter(core_level="ERROR", other_level="ERROR")
        logs = LoggingConfig(filter=filters, forwarding=LogForwardingConfig(logger=LIBRARY))
        runtime = Runtime(telemetry=TelemetryConfig(logging=logs), worker_heartbeat_interval=None)
        self.temporal = await self.queue.connected(runtime=runtime)
        await put_schedules(self.temporal, self._config.schedules)
        async with asyncio.TaskGroup() as self._group:
            loops = [self._group.create_task(self._stay()), self._group.create_task(self._sweep())]
            await self._work()
            for task in loops:
                task.cancel()
        with suppress(RecordError):
            await self.queue.leave(self.name)

    async def _work(self) -> None:
        """Run what Temporal brings, until drained."""
        worker = temporalio.worker.Worker(
            self.temporal.client,
            task_queue=self.temporal.task_queue,
            identity=self.name,
            workflows=[DebateWorkflow, ScheduleWorkflow],
            workflow_runner=UnsandboxedWorkflowRunner(),  # the file is small, and a test replays histories
            activities=[self.segment, self.begin_scheduled],
            max_concurrent_activities=self._most,
            max_concurrent_activity_task_polls=1,  # a frozen worker takes with it what its polls are given
            max_concurrent_workflow_task_polls=1,
            max_cached_workflows=0,  # so that every worker can go on with every workflow
            graceful_shutdown_timeout=timedelta(seconds=self.grace + 5),
        )
        try:
            async with worker:
                await self._leave.wait()
        except Exception as error:
            raise QueueError(f"Temporal at {self.temporal.place} has refused this worker: {error}") from error

    @activity.defn(name="segment")
    async def segment(self, debate: str) -> tuple[str, float | None]:
        """See ``workflow.DebateWorkflow``: the debate's state from now on, and the seconds until its next segment."""
        # An attempt that is no longer ours may not have ended yet.
        async with self._turns.setdefault(debate, asyncio.Lock()):
            task = self._group.create_task(Segment(self, debate).run())
            # The SDK cancels an activity that is withdrawn, or that the server no longer knows, or that it takes for dead,
            # or whose worker ends. Each is noticed elsewhere, where it can be told from the others.
            while not task.done():
                with suppress(asyncio.CancelledError):
                    await asyncio.shield(task)
            self.fence.until.pop(debate, None)
            return task.result()

    @activity.defn(name="begin_scheduled")
    async def begin_scheduled(self, name: str) -> str:
        """See ``workflow.ScheduleWorkflow``."""
        return await begin_scheduled(self.workspace, self.queue, name)

    async def _stay(self) -> None:
        """Say that it is alive, and note once that a server is away and once that it is back."""
        gone: dict[str, float] = {}
        while True:
            for server in ("the database", "Temporal"):
                try:
                    if server == "Temporal":
                        await self.temporal.version()
                    else:
                        await self.queue.stay(self.name, self._most)
                except (QueueAway, RecordAway) as error:
                    if server not in gone:
                        gone[server] = time.monotonic()
                        text = f"{server} is away: {error}; trying again until it is back"
                        note("away", text, level=logging.WARNING)
                else:
                    if server in gone:
                        seconds = round(time.monotonic() - gone.pop(server))
                        note("back", f"{server} is back after {counted(seconds, 'second')}")
            for limit in tuple(self._limits.values()):
                await limit.stay()
            await asyncio.sleep(ALIVE / 3)

    async def _sweep(self) -> None:
        """Tell Temporal again what it doesn't know, if no other worker has lately."""
        while True:
            with suppress(QueueAway, RecordAway):
                if await self.queue.may_sweep(SWEEP * 0.9):
                    await self.queue.reconcile()
            await asyncio.sleep(SWEEP / 2)

    def _meter(self, provider: str, key: str) -> UsageMeter | None:
        allowance = self._config.limits.get(provider)
        if allowance is None:
            return None
        account = f"{provider} {key}".rstrip()  # each key has limits of its own
        return self._limits.setdefault(account, Allowed(self.queue, self.name, account, allowance, ALIVE))


class Segment:
    """One segment; made and used inside its activity."""

    def __init__(self, worker: Worker, debate: str) -> None:
        self._worker, self._debate, self._fence = worker, debate, worker.fence
        self._stop = StopRequest()
        self._why: Why = ""
        self._known = asyncio.Event()
        self._task: asyncio.Task[Step] | None = None

    async def run(self) -> tuple[str, float | None]:
        """Run it; the result for the workflow."""
        async with asyncio.TaskGroup() as group:
            watching = [group.create_task(self._beat_on()), group.create_task(self._drain())]
            row, now = await self._run(group)
            for task in watching:
                task.cancel()
        return row.state, pause_of(row, now)

    def _ask(self, why: Why, *, now: bool = False) -> None:
        """Stop it, after the answers in progress or at once."""
        self._why = self._why or why
        self._stop.reason = self._stop.reason or ("stopped" if why == "cancel" else "handed on to another worker")
        self._known.set()
        if now and self._task:
            self._task.cancel()

    async def _drain(self) -> None:
        """Hand it on when its worker is to end: the answers in progress have some seconds, then all is broken off."""
        await activity.wait_for_worker_shutdown()
        self._ask("drain")
        await asyncio.sleep(self._worker.grace)
        self._ask("drain", now=True)

    async def _run(self, group: asyncio.TaskGroup) -> tuple[Wanted, float]:
        """Begin, run and end it; what is wanted of it then, and the time."""
        await self._known.wait()  # it was granted before it came here: only the first answer says that it's ours
        if self._why:
            return NEXT
        queue, debate, name = self._worker.queue, self._debate, self._worker.name
        row, now = await self._noted(partial(queue.begin, debate, name))
        if row.state != "running":
            return row, now
        text = "taken" + (f", attempt {row.tries}" if row.tries > 1 else "")
        note("taken", text, debate=debate, state="running")
        self._task = group.create_task(self._resume(row.tries))
        with suppress(asyncio.CancelledError):
            await self._task
        end = self._handed_on() if self._task.cancelled() else self._task.result()
        row, now = await self._noted(partial(queue.change, debate, end))
        if self._fence.lapsed(debate):
            text = "interrupted, because Temporal has not answered for too long; another worker may have it now"
            note("lost", text, debate=debate, level=logging.WARNING)
        else:
            level = logging.WARNING if row.state == "parked" else logging.INFO
            text = f"{row.state}: {row.reason}" if row.reason else row.state
            note("ended", text, debate=debate, state=row.state, level=level)
        return row, now

    async def _resume(self, tries: int) -> Step:
        """Resume it; what becomes of its row. It keeps its place while the database is away."""
        workspace = self._worker.workspace
        while True:
            try:
                limits = await noted_allowance(workspace, self._debate)
                outcome = await workspace.resume(self._debate, limits=limits, stop=self._stop)
                return await self._ending(outcome, tries)
            except RecordAway:
                if self._why:
                    return self._handed_on()
                await asyncio.sleep(AGAIN)
            except RecordConflict:
                pause = self._worker.temporal.settings.timeout
                return self._end("queued", "another process writes its record", pause)
            except FolkmootError as error:
                return self._end("parked", str(error))
            except Exception as error:  # noqa: BLE001 # a slip in one debate must not end the others
                return self._end("parked", hide(clean(f"internal error: {type(error).__name__}: {error}")))

    async def _ending(self, outcome: Outcome, tries: int) -> Step:
        workspace = self._worker.workspace
        paused = outcome.transcript.paused
        match outcome.status, outcome.kind:
            case "paused", "waiting":
                # An answer may have come, and a time may be up, since the debate has paused: nobody tells of it again.
                asks = await read_open_asks(workspace, self._debate)
                return self._end("waiting", outcome.reason, asks.until_next(workspace.clock()))
            case "paused", "batch":
                return self._end("waiting", outcome.reason, workspace.tray.pace.most)
            case "paused", "unavailable" if paused and paused.cause in {"", *PASSING_ERRORS}:
                return self._end("queued", outcome.reason, min(self._worker.away * 2 ** (tries - 1), LONGEST))
            case "paused", _ if self._why:
                return self._handed_on()
            case "paused", _:
                return self._end("parked", outcome.reason)
            case _:
                return self._end("done")

    def _handed_on(self) -> Step:
        """How it ends where it was stopped."""
        return self._end("cancelled", "it was cancelled") if self._why == "cancel" else self._end("queued", pause=0.0)

    def _end(self, state: State, reason: str = "", pause: float | None = None) -> Step:
        return partial(ended, worker=self._worker.name, state=state, reason=reason, pause=pause)

    async def _noted(self, step: Callable[[], Awaitable[tuple[Wanted | None, float]]]) -> tuple[Wanted, float]:
        """The row of the debate after a step, which is tried again while the database is away."""
        while not self._fence.lapsed(self._debate):
            try:
                row, now = await step()
            except RecordAway:
                await asyncio.sleep(AGAIN)
            else:
                return row or Wanted(debate=self._debate, state="done"), now
        return NEXT

    async def _beat_on(self) -> None:
        """Beat until it is cancelled, or until the debate is no longer this worker's."""
        info = activity.info()
        assert info.heartbeat_timeout is not None
        timeout = info.heartbeat_timeout.total_seconds()
        handle = self._worker.temporal.client.get_async_activity_handle(task_token=info.task_token)
        closing: asyncio.TimerHandle | None = None
        while True:
            began, withdrawn = clock(), False
            try:
                await handle.heartbeat(rpc_timeout=timedelta(seconds=timeout / 3))
            except AsyncActivityCancelledError:
                withdrawn = True
            except RPCError as error:
                if error.status == RPCStatusCode.NOT_FOUND:
                    self._ask("lost")  # what is in progress may end as long as the fence is open
                    return
                await asyncio.sleep(timeout / BEATS)
                continue
            self._fence.until[self._debate] = began + timeout
            self._known.set()
            activity.heartbeat()  # otherwise the SDK takes it for dead by itself
            if closing:
                closing.cancel()
            # At the moment itself: a call to a server that is away may take longer than what is left.
            left = began + timeout - clock()
            closing = asyncio.get_running_loop().call_later(left, partial(self._ask, "lost", now=True))
            if withdrawn:  # by somebody who has cancelled it, here or in Temporal
                with suppress(RecordError):
                    row = await self._worker.queue.job(self._debate)
                    self._ask("cancel", now=row is not None and row.at_once)
            await asyncio.sleep(timeout / BEATS)
