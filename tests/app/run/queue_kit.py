"""A queue and its worker in this process: the port ``Dispatcher``, whose debates are held at a desk of its own."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from folkmoot.app.run.access import noted_allowance
from folkmoot.app.run.dispatcher import USUAL_PRIORITY, Cancelled, Job, QueueError, QueueStatus, State
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.errors import FolkmootError
from folkmoot.engine.driver import StopRequest


@dataclass(slots=True)
class Hand:
    """A debate in the hands of the worker."""

    stop: StopRequest = field(default_factory=StopRequest)
    task: "asyncio.Task[None] | None" = None
    again: bool = False


class Worker:
    """Holds what is submitted, as soon as it is open; use it as it is made by ``working``.

    Args:
        workspace: where its debates run, over the store of those who submit.
        group: runs them.
        name: what it is called.
    """

    def __init__(self, workspace: Workspace, group: asyncio.TaskGroup, name: str = "w1") -> None:
        self.workspace, self.name = workspace, name
        self.open = asyncio.Event()
        self.open.set()
        self.away = False
        self.found: dict[str, Job] = {}
        self._hands: dict[str, Hand] = {}
        self._group: asyncio.TaskGroup = group

    async def submit(self, debate: str, *, owner: str = "", priority: int = USUAL_PRIORITY, after: float = 0.0) -> Job:
        """See ``Dispatcher.submit``."""
        self._check()
        job = self.found.get(debate)
        if job and job.state == "running":
            self._hands[debate].again = True
        elif job is None or job.state != "queued":
            self._queue(debate, owner, priority)
        return self.found[debate]

    async def cancel(self, debate: str, *, now: bool = False) -> Cancelled:
        """See ``Dispatcher.cancel``."""
        self._check()
        job = self.found.get(debate)
        if job is None or job.state not in ("queued", "running", "waiting"):
            return ""
        hand = self._hands[debate]
        hand.stop.reason, hand.again = "stopped", False
        if job.state != "running":
            self._move(debate, "cancelled")
        if hand.task and (now or job.state == "queued"):
            hand.task.cancel()
        return "stopping" if job.state == "running" else "cancelled"

    async def job(self, debate: str) -> Job | None:
        """See ``Dispatcher.job``."""
        self._check()
        return self.found.get(debate)

    async def jobs(self, *, state: State | None = None, owner: str | None = None, limit: int = 100) -> tuple[Job, ...]:
        """See ``Dispatcher.jobs``."""
        self._check()
        jobs = [job for job in reversed(self.found.values()) if owner in (None, job.owner)]
        return tuple(job for job in jobs if state in (None, job.state))[:limit]

    async def forget(self, debate: str) -> bool:
        """See ``Dispatcher.forget``."""
        self._check()
        hand = self._hands.pop(debate, None)
        if hand and hand.task:
            hand.task.cancel()
        return self.found.pop(debate, None) is not None

    async def status(self) -> QueueStatus:
        """See ``Dispatcher.status``."""
        self._check()
        waiting = [job.since for job in self.found.values() if job.state == "queued"]
        counts: dict[State, int] = Counter(job.state for job in self.found.values())
        return QueueStatus(workers=1, places=8, counts=counts, oldest=min(waiting, default=None))

    async def reconcile(self, *, move: bool = False) -> int:
        """See ``Dispatcher.reconcile``; nothing is lost between the two here."""
        self._check()
        return 0

    def end(self) -> None:
        """Let everything fall."""
        for hand in self._hands.values():
            if hand.task:
                hand.task.cancel()

    def _check(self) -> None:
        if self.away:
            raise QueueError("the queue cannot be reached: nobody answers")

    def _queue(self, debate: str, owner: str, priority: int) -> None:
        self.found[debate] = Job(debate=debate, owner=owner, state="queued", priority=priority, since=time.time())
        hand = self._hands[debate] = Hand()
        hand.task = self._group.create_task(self._hold(debate, hand))

    def _move(self, debate: str, state: State, reason: str = "") -> None:
        worker = self.name if state == "running" else ""
        self.found[debate] = replace(self.found[debate], state=state, worker=worker, reason=reason)

    async def _hold(self, debate: str, hand: Hand) -> None:
        await self.open.wait()
        self._move(debate, "running")
        try:
            came = await self.workspace.resume(
                debate, limits=await noted_allowance(self.workspace, debate), stop=hand.stop
            )
        except FolkmootError as error:
            self._move(debate, "parked", str(error))
        except asyncio.CancelledError:
            self._move(debate, "cancelled")
            raise
        else:
            over = {"waiting": "waiting", "stopped": "cancelled"}.get(came.kind, "parked")
            state: State = over if came.status == "paused" else "done"  # pyright: ignore[reportAssignmentType]
            self._move(debate, state, came.reason)
            if state == "waiting" and hand.again:
                self._queue(debate, self.found[debate].owner, USUAL_PRIORITY)


@asynccontextmanager
async def working(workspace: Workspace) -> AsyncGenerator[Worker]:
    """A worker with that desk, as long as the context lasts; it lets everything fall then."""
    async with asyncio.TaskGroup() as group:
        worker = Worker(workspace, group)
        try:
            yield worker
        finally:
            worker.end()
