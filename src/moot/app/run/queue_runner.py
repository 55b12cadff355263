"""The hall whose debates are held by workers. This file owns how its debates go through a queue.

Debates that are begun here and held by workers. This file owns how one is handed over and followed.

A debate is put on record here and submitted; some worker holds it. Participants that must be made first are made here,
which is one call. The queue is asked each time who holds a debate: whether a letter is taken in, or money is reserved
twice, is decided by the answer, and an old one would decide wrongly.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from moot.app.plan.settings import Config
from moot.app.run.access import allow, claimed
from moot.app.run.dispatcher import Dispatcher, Job
from moot.app.run.outcome import Outcome, outcome
from moot.app.run.runner import GRACE, MOST, QUEUED, Full, Held, Runner, Running
from moot.app.run.start import Start, generate_participants, put_on_record
from moot.app.run.workspace import Workspace
from moot.core.brief import Limits
from moot.core.errors import MootError, RecordConflict
from moot.core.transcript import fold
from moot.engine.driver import StopRequest

MOST_QUEUED = 1000
"""The most debates of one owner that are held or stand in the queue."""

LOOK = 0.5
"""Seconds between two looks at a debate whose end somebody waits for."""

_LISTED = 10_000
"""So many debates of the queue are listed."""


class QueueRunner(Runner):
    """Has debates held by workers.

    Args:
        desk: where their records are.
        queue: where they are submitted. The hall does not close it.
        config: the owner's settings; None to load them.
        most: for how many debates participants are made at once.
        grace: seconds that a casting in hand has when the hall is closed; what workers hold goes on.
    """

    def __init__(
        self,
        workspace: Workspace,
        queue: Dispatcher,
        *,
        config: Config | None = None,
        most: int = MOST,
        grace: float = GRACE,
    ) -> None:
        super().__init__(workspace, config=config, most=most, grace=grace)
        self.queue, self.room = queue, MOST_QUEUED

    async def look(self, debate: str) -> Running:
        """See ``Hall.look``; a debate is held as well while it stands in the queue."""
        here = self._here(debate)
        if here.by:
            return here
        job = await self.queue.job(debate)
        if job is None:
            return here
        parked = MootError(job.reason) if job.state == "parked" and job.reason else None
        return replace(here, by=_by(job), error=parked or here.error)

    async def holders(self) -> Mapping[str, str]:
        """See ``Hall.holders``."""
        jobs = await self._jobs_held()
        return {**{job.debate: _by(job) for job in jobs}, **await super().holders()}

    async def check(self) -> None:
        """See ``Hall.check``."""
        await super().check()
        await self.queue.jobs(limit=1)

    async def begin(self, start: Start, debate: str, *, owner: str = "") -> str:
        """Put a new debate on record and submit it; see ``Hall.begin``."""
        await self._check_room(owner)
        if start.ready.caster:
            return await super().begin(start, debate, owner=owner)
        await self._submit(start, debate, owner)
        return debate

    async def resume(self, debate: str, limits: Limits | None = None, *, owner: str = "") -> None:
        """Submit a debate again; see ``Hall.resume``. Its limits stand beside its record, for the worker."""
        if (await self.look(debate)).by or fold(await self.workspace.entries(debate)).closed:
            return
        await self._check_room(owner)
        if limits is not None:
            await allow(self.workspace, debate, limits)
        self._errors.pop(debate, None)
        await self.queue.submit(debate, owner=owner)

    async def pause(self, debate: str, *, now: bool = False) -> bool:
        """See ``Hall.pause``."""
        return self.stop(debate, now=now) or await self.queue.cancel(debate, now=now)

    async def takes_in(self, debate: str) -> bool:
        """See ``Hall.takes_in``; its worker may be about to let go, so it is submitted for once more."""
        by = (await self.look(debate)).by
        if by and debate not in self.held:
            await self.queue.submit(debate, owner=(await claimed(self.workspace, debate)).owner)
        return bool(by)

    async def wait(self, debate: str) -> Outcome:
        """See ``Hall.wait``."""
        while (hold := await self.look(debate)).by:  # noqa: ASYNC110 # it is held by another process
            await asyncio.sleep(LOOK)
        if hold.error and not await self.workspace.count_entries(debate):
            raise hold.error
        transcript = fold(await self.workspace.entries(debate))
        if hold.error and not (transcript.closed or transcript.paused):
            raise hold.error
        return outcome(debate, transcript)

    async def _hold_start(self, start: Start, debate: str, held: Held) -> Outcome:
        """Have the participants made here, and the debate held by a worker."""
        peopled = await generate_participants(self.workspace, start, debate, self._lend(held))
        if isinstance(peopled, Outcome):
            return peopled
        await self._submit(peopled, debate, held.owner)
        return outcome(debate, fold(await self.workspace.entries(debate)))

    async def _submit(self, start: Start, debate: str, owner: str) -> None:
        with suppress(RecordConflict):  # the same was asked for at the same time
            await put_on_record(self.workspace, start, debate)
        await self.queue.submit(debate, owner=owner)

    async def _check_room(self, owner: str) -> None:
        own = Counter(job.owner for job in await self._jobs_held())[owner] if owner else 0
        if own >= self.room:
            raise Full(f"{own} debates of yours are held already, as many as may be; stop one, or come back later")

    async def _jobs_held(self) -> tuple[Job, ...]:
        running = await self.queue.jobs(state="running", limit=_LISTED)
        return (*await self.queue.jobs(state="queued", limit=_LISTED), *running)


def _by(job: Job) -> str:
    """Who holds a debate of the queue."""
    match job.state:
        case "running":
            return job.worker or QUEUED
        case "queued":
            return QUEUED
        case _:
            return ""


def open_runner(
    workspace: Workspace, config: Config, *, most: int, kept: int = 0, queue: Dispatcher | None = None
) -> Runner:
    """A hall: with a queue its debates are held by workers, without one in this process.

    Args:
        desk: where they are held, or their records are.
        config: the owner's settings.
        most: how many debates this process holds at once.
        kept: how many of these places are for whoever is at the machine alone.
        queue: where debates are submitted; None for none.
    """
    if queue is None:
        return Runner(workspace, config=config, most=most, kept=kept)
    return QueueRunner(workspace, queue, config=config, most=most)


async def hold_by_workers(runner: QueueRunner, start: Start, debate: str, stop: StopRequest) -> Outcome:
    """Put a debate on record where it is not yet, have workers hold it, and wait until they let go of it.

    Args:
        hall: over the queue from which they take it.
        start: the debate, its participants made.
        debate: its id.
        stop: where its reason is set nobody waits any longer; the workers go on.

    Raises:
        MootError: the queue cannot be reached, or the workers have given the debate up.
    """
    if await runner.workspace.store.read(debate, limit=1):
        await runner.resume(debate, start.ready.plan.brief.limits)
    else:
        await runner.begin(start, debate)
    while (await runner.look(debate)).by:
        if stop.reason:
            came = outcome(debate, fold(await runner.workspace.entries(debate)))
            return replace(came, status="paused", kind="stopped", reason="the workers go on with it")
        await asyncio.sleep(LOOK)
    return await runner.wait(debate)
