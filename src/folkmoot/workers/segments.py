"""Run segments of debates: resume each from its record until it is over or waits, and note what becomes of it.

Temporal gives a debate to another worker when it has heard nothing for the timeout. The SDK never tells an activity that its
heartbeats fail, so each one is a call of ours: its acknowledgement keeps the fence open, counted from before the call, so
that the fence has closed before the server counts the timeout.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Literal, TypeAlias

from temporalio import activity
from temporalio.client import AsyncActivityCancelledError
from temporalio.service import RPCError, RPCStatusCode

from folkmoot.app.run.access import noted_allowance
from folkmoot.app.run.outcome import Outcome
from folkmoot.app.run.record_reader import read_open_asks
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.errors import PASSING_ERRORS, FolkmootError, RecordAway, RecordConflict, RecordError
from folkmoot.core.text import clean, hide
from folkmoot.engine.driver import StopRequest
from folkmoot.record.postgres import PostgresStore
from folkmoot.record.postgres_connection import Connection
from folkmoot.workers import wanted
from folkmoot.workers.connection import Temporal
from folkmoot.workers.fence import FencedStore
from folkmoot.workers.wanted import Ending, Wanted
from folkmoot.workers.worker_notes import Outage, note

BEATS = 5
"""How many heartbeats are sent in the timeout."""

AWAY, LONGEST = 30.0, 3600.0
"""Seconds after which a debate goes on whose providers could not be reached, twice that the next time; the most of them."""

AGAIN = 0.5
"""Seconds after which a database that was away is asked again."""

NEXT = Wanted(debate="", state="queued", begins=1.0), 1.0
"""What is noted of a debate that is no longer this worker's: another segment may begin at once."""

Why: TypeAlias = Literal["", "cancel", "drain", "lost"]
"""Why a segment is stopped."""


class Segments:
    """The segments that one worker runs.

    Args:
        workspace: where debates run; its records are written behind the fence from now on.
        store: its store, with the queue.
        name: the worker's.
        temporal: the connection to Temporal.
        away: see ``AWAY``.
    """

    def __init__(
        self, workspace: Workspace, store: PostgresStore, name: str, temporal: Temporal, away: float = AWAY
    ) -> None:
        self.workspace, self.store, self.name, self.temporal, self.away = workspace, store, name, temporal, away
        self.fence = workspace.writer = FencedStore(store)
        self.outage = Outage("the database")
        self.leaving = False
        self._group: asyncio.TaskGroup | None = None
        self._held: dict[str, Segment] = {}

    def open(self, group: asyncio.TaskGroup) -> None:
        """Run segments in that group from now on."""
        self._group = group

    @activity.defn(name="segment")
    async def segment(self, debate: str) -> tuple[str, float | None]:
        """See ``workflow.DebateWorkflow``: the debate's state from now on, and the seconds until its next segment."""
        while earlier := self._held.get(debate):  # an attempt that is no longer ours, and hasn't ended yet
            await earlier.over.wait()
        segment = self._held[debate] = Segment(self, debate)
        if self.leaving:
            segment.ask("drain")
        group = self._group
        assert group is not None
        task = group.create_task(segment.hold())
        # The SDK cancels an activity that is withdrawn, or that the server no longer knows, or that it takes for dead, or
        # whose worker ends. Each is noticed elsewhere, where it can be told from the others.
        while not task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.shield(task)
        self.fence.shut(debate)
        del self._held[debate]
        segment.over.set()
        return task.result()

    async def drain(self, grace: float) -> None:
        """Hand everything on: answers in progress have some seconds, then all is broken off."""
        self.leaving = True
        for segment in self._held.values():
            segment.ask("drain")
        await asyncio.sleep(grace)
        for segment in self._held.values():
            segment.ask("drain", now=True)


class Segment:
    """One segment; made and used inside its activity.

    Attributes:
        over: set when the worker holds the debate no longer.
    """

    def __init__(self, segments: Segments, debate: str) -> None:
        self._all, self._debate, self._fence = segments, debate, segments.fence
        self._stop = StopRequest()
        self._why: Why = ""
        self._known, self.over = asyncio.Event(), asyncio.Event()
        self._task: asyncio.Task[Ending] | None = None

    def ask(self, why: Why, *, now: bool = False) -> None:
        """Stop it, after the answers in progress or at once."""
        self._why = self._why or why
        self._stop.reason = self._stop.reason or ("stopped" if why == "cancel" else "handed on to another worker")
        self._known.set()
        if now and self._task:
            self._task.cancel()

    async def hold(self) -> tuple[str, float | None]:
        """Run it; the result for the workflow."""
        async with asyncio.TaskGroup() as group:
            beats = group.create_task(self._beat_on())
            row, now = await self._run(group)
            beats.cancel()
        return row.state, wanted.pause_of(row, now)

    async def _run(self, group: asyncio.TaskGroup) -> tuple[Wanted, float]:
        """Begin, run and end it; what is wanted of it then, and the time."""
        await self._known.wait()  # it was granted before it came here: only the first answer says that it's ours
        if self._why:
            return NEXT
        row, now = await self._in_database(partial(wanted.begin, debate=self._debate, worker=self._all.name))
        if row.state != "running":
            return row, now
        text = "taken" + (f", attempt {row.tries}" if row.tries > 1 else "")
        note("taken", text, debate=self._debate, state="running")
        self._task = group.create_task(self._resume(row.tries))
        with suppress(asyncio.CancelledError):
            await self._task
        ending = self._handed_on() if self._task.cancelled() else self._task.result()
        step = partial(wanted.ended, worker=self._all.name, ending=ending)
        row, now = await self._in_database(partial(wanted.change, debate=self._debate, step=step))
        if self._fence.lapsed(self._debate):
            text = "interrupted, because Temporal has not answered for too long; another worker may have it now"
            note("lost", text, debate=self._debate, level=logging.WARNING)
        else:
            level = logging.WARNING if row.state == "parked" else logging.INFO
            text = f"{row.state}: {row.reason}" if row.reason else row.state
            note("ended", text, debate=self._debate, state=row.state, level=level)
        return row, now

    async def _resume(self, tries: int) -> Ending:
        """Resume it; what goes wrong is an ending. It keeps its place while the database is away."""
        workspace = self._all.workspace
        while True:
            try:
                limits = await noted_allowance(workspace, self._debate)
                outcome = await workspace.resume(self._debate, limits=limits, stop=self._stop)
                return await self._ending(outcome, tries)
            except RecordAway as error:
                if self._why:
                    return self._handed_on()
                self._all.outage.begin(error)
                await asyncio.sleep(AGAIN)
            except RecordConflict:
                pause = self._all.temporal.settings.timeout
                return Ending(state="queued", reason="another process writes its record", pause=pause)
            except FolkmootError as error:
                return Ending(state="parked", reason=str(error))
            except Exception as error:  # noqa: BLE001 # a slip in one debate must not end the others
                return Ending(state="parked", reason=hide(clean(f"internal error: {type(error).__name__}: {error}")))

    async def _ending(self, outcome: Outcome, tries: int) -> Ending:
        workspace = self._all.workspace
        paused = outcome.transcript.paused
        match outcome.status, outcome.kind:
            case "paused", "waiting":
                # An answer may have come, and a time may be up, since the debate has paused: nobody tells of it again.
                asks = await read_open_asks(workspace, self._debate)
                pause = asks.until_next(workspace.clock())
                return Ending(state="waiting", reason=outcome.reason, pause=pause, fresh=True)
            case "paused", "batch":
                pause = workspace.tray.pace.most
                return Ending(state="waiting", reason=outcome.reason, pause=pause, fresh=True)
            case "paused", "unavailable" if paused and paused.cause in {"", *PASSING_ERRORS}:
                pause = min(self._all.away * 2 ** (tries - 1), LONGEST)
                return Ending(state="queued", reason=outcome.reason, pause=pause)
            case "paused", _ if self._why:
                return self._handed_on()
            case "paused", _:
                return Ending(state="parked", reason=outcome.reason)
            case _:
                return Ending(state="done")

    def _handed_on(self) -> Ending:
        """How it ends where it was stopped."""
        if self._why == "cancel":
            return Ending(state="cancelled", reason="it was cancelled")
        return Ending(state="queued", pause=0.0, fresh=True)

    async def _in_database(
        self, work: Callable[[Connection], Awaitable[tuple[Wanted | None, float]]]
    ) -> tuple[Wanted, float]:
        """The row of the debate after a step, which is tried again while the database is away."""
        while not self._fence.lapsed(self._debate):
            try:
                row, now = await self._all.store.transaction(work)
            except RecordAway as error:
                self._all.outage.begin(error)
                await asyncio.sleep(AGAIN)
            else:
                return row or Wanted(debate=self._debate, state="done"), now
        return NEXT

    # ---- heartbeats --------------------------------------------------------------------------------------------------

    async def _beat_on(self) -> None:
        """Beat until it is cancelled, or until the debate is no longer this worker's."""
        info = activity.info()
        assert info.heartbeat_timeout is not None
        timeout = info.heartbeat_timeout.total_seconds()
        handle = self._all.temporal.client.get_async_activity_handle(task_token=info.task_token)
        beat = partial(handle.heartbeat, rpc_timeout=timedelta(seconds=timeout / 3))
        closing: asyncio.TimerHandle | None = None
        while True:
            began, withdrawn = self._fence.clock(), False
            try:
                try:
                    await beat()
                except AsyncActivityCancelledError:
                    withdrawn = True
            except RPCError as error:
                if error.status == RPCStatusCode.NOT_FOUND:
                    self.ask("lost")  # what is in progress may end as long as the fence is open
                    return
            else:
                self._fence.open(self._debate, began + timeout)
                self._known.set()
                activity.heartbeat()  # otherwise the SDK takes it for dead by itself
                if closing:
                    closing.cancel()
                # At the moment itself: a call to a server that is away may take longer than what is left.
                left = began + timeout - self._fence.clock()
                closing = asyncio.get_running_loop().call_later(left, partial(self.ask, "lost", now=True))
            if withdrawn:
                await self._withdraw()
            await asyncio.sleep(timeout / BEATS)

    async def _withdraw(self) -> None:
        """Stop what somebody has cancelled, here or in Temporal."""
        with suppress(RecordError):
            row = await self._all.store.transaction(partial(wanted.find, debate=self._debate))
            self.ask("cancel", now=row is not None and row.at_once)
