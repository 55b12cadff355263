"""A worker: takes debates from the queue, runs them, and drains when it is asked to stop.

It looks into the queue when it is told that there is work, when it has a place again, and now and then. A database that
goes away is told once, and once more when it is back.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar

from folkmoot.app.plan.settings import Config
from folkmoot.app.run.dispatcher import Job, QueueAway, QueueError, State
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.errors import FolkmootError
from folkmoot.models.transport import UsageMeter
from folkmoot.workers import jobs, leases, schedules
from folkmoot.workers.jobs import SLOTS, STOP, Ending, Lease
from folkmoot.workers.lease_runs import AGAIN, LeasedDebate, LeaseRuns, WorkerSettings, handed_over
from folkmoot.workers.leases import FencedStore, Heartbeat, HeartbeatResult, HeartbeatSender, Lost, Taker
from folkmoot.workers.provider_limits import Allowed
from folkmoot.workers.queue_database import CONNECTIONS, Connection, Database
from folkmoot.workers.queue_tables import make_ready
from folkmoot.workers.schedules import ScheduledRun, fire
from folkmoot.workers.worker_log import Note
from folkmoot.workers.worker_outage import Outage

Result = TypeVar("Result")


class Worker:
    """Runs debates of the queue until it is drained.

    Args:
        workspace: where debates run; its records are written behind a fence from now on.
        wanted: how it works.
        connect: opens so many connections to the queue; None for those to the address.
        clock: what its leases go by; see ``FencedStore``.
    """

    def __init__(
        self,
        workspace: Workspace,
        wanted: WorkerSettings,
        *,
        connect: Callable[[int], Database] | None = None,
        clock: Callable[[], float] = leases.clock,
    ) -> None:
        self.workspace, self.wanted = workspace, wanted
        connect = connect or (lambda connections: Database(wanted.address, connections=connections))
        self.database = connect(CONNECTIONS)
        self.fence = FencedStore(workspace.store, clock)
        self._segments = LeaseRuns(workspace, wanted, self.fence, self._probe)
        workspace.writer = self.fence
        workspace.pool.meter, workspace.pool.is_lasting = self._meter, True
        self._held: dict[str, LeasedDebate] = {}
        self._scheduled: dict[asyncio.Task[None], ScheduledRun] = {}
        self._limits: dict[str, Allowed] = {}
        self._leave, self._lease_change = asyncio.Event(), asyncio.Event()
        self._outage = Outage(wanted.say, wanted.lease, self.fence.now)
        # A connection of its own, so that the heartbeat waits for nobody.
        self._heartbeat_database = connect(1)
        sender = HeartbeatSender(worker=wanted.name, places=wanted.most, seconds=wanted.lease)
        self._heartbeat = Heartbeat(self._heartbeat_database, sender, self.fence, self._report_heartbeat)
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
        self._lease_change.set()

    async def run(self) -> None:
        """Work until drained.

        Raises:
            QueueError: the database cannot be reached.
            BriefError: a schedule cannot be used.
        """
        self._loop = asyncio.get_running_loop()
        try:
            await make_ready(self.database)
            config = self.workspace.config or Config()
            await self.database.do(partial(schedules.put_schedules, schedules=config.schedules))
            self._heartbeat_database.listen(self._on_notification)
            self._heartbeat_database.keep(self._heartbeat.beat_on())
            async with asyncio.TaskGroup() as group:
                group.create_task(self._take_debates(group))
                group.create_task(self._watch(group))
                group.create_task(self._look_at_leases())
                await self._leave.wait()
                await self._give_back()
            # The heart stops first: one more beat would say that the worker is there, until that has run out.
            await self._heartbeat_database.close()
            with suppress(QueueError):
                await self.database.do(partial(leases.leave, worker=self.wanted.name))
        finally:
            for leased in self._held.values():
                leased.ask("drain", now=True)
            await self._heartbeat_database.close()
            await self.database.close()

    # ---- a segment --------------------------------------------------------------------------------------------------

    async def _take_debates(self, group: asyncio.TaskGroup) -> None:
        """Take debates out of the queue whenever there is a place for one."""
        while not self.leaving:
            self._lease_change.clear()
            pause, room = self.wanted.poll, self.wanted.most - len(self._held)
            if room > 0:
                began = self.fence.now()
                taker = Taker(worker=self.wanted.name, most=room, seconds=self.wanted.lease, held=self.held)
                try:
                    grant = await self._in_database(partial(leases.take, taker=taker))
                except QueueError:
                    pause = min(pause, self.wanted.lease / 3)  # whoever comes back tells of it before
                else:
                    pause = min(pause, self.wanted.poll if grant.later is None else max(grant.later, 0.0))
                    for lease in grant.leases:
                        self._open(lease, began)
                        group.create_task(self._segment(lease))
            await self._pause(self._lease_change, pause)

    def _open(self, lease: Lease, began: float) -> None:
        """Let a debate be written from now on."""
        debate = lease.debate
        self.fence.open(debate, began + self.wanted.lease)
        leased = self._held[debate] = LeasedDebate(lease=lease)
        text = "taken" + (f", attempt {lease.tries}" if lease.tries > 1 else "")
        self.wanted.say(Note(event="taken", debate=debate, text=text, state="running"))
        if lease.stop or self.leaving:
            leased.ask("cancel" if lease.stop else "drain", now=False)

    async def _segment(self, lease: Lease) -> None:
        """Run a debate from where its record ends, and say what became of it."""
        debate = lease.debate
        leased = self._held[debate]
        try:
            ending = await self._run_leased(debate, leased)
            state = await self._end(lease, ending)
        finally:
            del self._held[debate]
            self.fence.shut(debate)
            self._lease_change.set()  # there is a place again
        if isinstance(state, Lost):
            text = self._outage.explain(state)
            self.wanted.say(Note(event="lost", debate=debate, text=text, level="WARNING"))
            return
        level = "WARNING" if state == "parked" else "INFO"
        text = f"{state}: {ending.reason}" if ending.reason else state
        self.wanted.say(Note(event="ended", debate=debate, text=text, state=state, level=level))

    async def _end(self, lease: Lease, ending: Ending) -> State | Lost:
        """Say how it ended; where the database is away, again, as long as the lease holds."""
        while True:
            try:
                return await self._in_database(partial(leases.end, lease=lease, ending=ending))
            except QueueError:
                if self.fence.lapsed(lease.debate):
                    return Lost()
                await asyncio.sleep(AGAIN)

    async def _run_leased(self, debate: str, leased: LeasedDebate) -> Ending:
        async with asyncio.TaskGroup() as group:
            leased.task = group.create_task(self._segments.run(debate, leased))
        if not leased.task.cancelled():
            return leased.task.result()
        return Ending(state="cancelled", reason="it was cancelled") if leased.why == "cancel" else handed_over()

    # ---- what the others and the signals want ------------------------------------------------------------------------

    def _report_heartbeat(self, result: HeartbeatResult | QueueError) -> None:
        """Pass on what it reported; runs in the heartbeat's thread."""
        self._call(self._on_heartbeat, result)

    def _on_notification(self, words: str) -> None:
        """Pass on what other processes report; runs in the heartbeat's thread."""
        kind, _, name = words.partition(":")
        if kind in ("", STOP):
            self._heartbeat.beat_soon()
        if kind != STOP:
            self._call(self._wake, kind, name)

    def _call(self, act: Callable[..., None], *arguments: object) -> None:
        if self._loop and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(act, *arguments)

    def _wake(self, kind: str, name: str) -> None:
        if kind != SLOTS:
            self._lease_change.set()
        for account, limit in self._limits.items():
            if kind == "" or (kind, name) == (SLOTS, account):
                limit.line.news.set()

    def _on_heartbeat(self, result: HeartbeatResult | QueueError) -> None:
        if isinstance(result, QueueAway):
            self._outage.begin(result)
        elif not isinstance(result, QueueError) and self._outage.end():
            self._lease_change.set()
        self._let_go()
        for debate, leased in self._held.items():
            epoch, stop = (0, "") if isinstance(result, QueueError) else result.get(debate, (0, ""))
            if epoch == leased.lease.epoch and stop:
                leased.ask("cancel", now=stop == "now")

    def _let_go(self) -> None:
        """Stop what it may run no longer, by its own clock: it needs no database to know."""
        for debate, leased in tuple(self._held.items()):
            if self.fence.lapsed(debate):
                leased.ask("lost", now=True)

    async def _look_at_leases(self) -> None:
        while not self.leaving:
            await self._pause(self._leave, self.wanted.lease / 3)
            self._let_go()

    async def _watch(self, group: asyncio.TaskGroup) -> None:
        """Queue again what others have let fall, and begin what is due."""
        while not self.leaving:
            pause = self.wanted.lease / 3
            with suppress(QueueError):  # the database is away, and leases run out; the next look may find it
                for debate in await self._in_database(leases.watch):
                    self.wanted.say(Note(event="queued again", debate=debate, text="queued again", state="queued"))
            with suppress(QueueError):
                begun = tuple(self._scheduled.values())
                look = partial(schedules.due, worker=self.wanted.name, begun=begun)
                scheduled_runs, soon = await self._in_database(look)
                pause = pause if soon is None else min(pause, max(soon, 0.0))
                for scheduled_run in scheduled_runs:
                    task = group.create_task(self._begin(scheduled_run))
                    self._scheduled[task] = scheduled_run
                    task.add_done_callback(self._scheduled.pop)
            for limit in tuple(self._limits.values()):
                await limit.put_right()
            await self._pause(self._leave, pause)

    async def _pause(self, sooner: asyncio.Event, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await sooner.wait()

    async def _give_back(self) -> None:
        """Give everything back: the answers in progress have some seconds, then all is broken off."""
        for leased in tuple(self._held.values()):
            leased.ask("drain", now=False)
        end = self.fence.now() + self.wanted.grace
        while self._held or self._scheduled:
            if self.fence.now() >= end:
                end = float("inf")
                for leased in tuple(self._held.values()):
                    leased.ask("drain", now=True)
                for task in self._scheduled:
                    task.cancel()
            await asyncio.sleep(0.05)

    async def _begin(self, scheduled_run: ScheduledRun) -> None:
        """Begin the debate of a schedule; what goes wrong is told, for nobody waits for it."""

        async def submit(debate: str) -> Job:
            return await self._in_database(partial(schedules.submit_once, debate=debate, scheduled_run=scheduled_run))

        try:
            job = await fire(self.workspace, scheduled_run, self.workspace.config or Config(), submit)
            text = f"{job.state} by the schedule {scheduled_run.name}"
            self.wanted.say(Note(event="schedule", debate=job.debate, text=text, state=job.state))
        except FolkmootError as error:
            text = f"the schedule {scheduled_run.name} began nothing: {error}"
            self.wanted.say(Note(event="schedule", text=text, level="ERROR"))
            with suppress(QueueError):  # then the next look takes it again
                await self._in_database(partial(schedules.finish, scheduled_run=scheduled_run))

    def _meter(self, provider: str, key: str) -> UsageMeter | None:
        allowance = (self.workspace.config or Config()).limits.get(provider)
        if allowance is None:
            return None
        account = f"{provider} {key}".rstrip()  # each key has limits of its own
        limit = Allowed(self.database, self.wanted.name, account, allowance, self.wanted.lease)
        return self._limits.setdefault(account, limit)

    async def _probe(self) -> None:
        await self._in_database(lambda c: jobs.find(c, ""))

    async def _in_database(self, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        try:
            return await self.database.do(work)
        except QueueAway as error:
            self._outage.begin(error)
            raise
