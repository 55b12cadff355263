"""The runner whose debates workers run: puts each debate on record, submits it to a queue and follows it.

Participants that must be generated first are generated here, which is one model call. The queue is asked each time
where a debate runs, because the answer decides whether a message is read and whether money is reserved twice.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from folkmoot.app.plan.settings import Config
from folkmoot.app.run.access import claimed, note_allowance
from folkmoot.app.run.dispatcher import Dispatcher, Job, QueueStatus
from folkmoot.app.run.outcome import Outcome, outcome
from folkmoot.app.run.prepare import PreparedDebate
from folkmoot.app.run.runner import GRACE, MOST, QUEUED, Runner, RunnerFull, Running, RunTask
from folkmoot.app.run.start import generate_participants, put_on_record
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import Limits
from folkmoot.core.errors import FolkmootError, RecordConflict
from folkmoot.core.transcript import fold
from folkmoot.engine.driver import StopRequest

MOST_QUEUED = 1000
"""The most debates of one owner that run or are queued."""

LOOK = 0.5
"""Seconds between two looks at a debate whose end is waited for."""

_LISTED = 10_000
"""How many debates of the queue are listed."""


class QueueRunner(Runner):
    """Has workers run debates.

    Args:
        workspace: where their records are.
        queue: where they are submitted. The runner does not close it.
        config: the user's settings; None to load them.
        limit: for how many debates participants are generated in parallel.
        grace: seconds that generating participants has when the runner is closed; debates at workers continue.
    """

    def __init__(
        self,
        workspace: Workspace,
        queue: Dispatcher,
        *,
        config: Config | None = None,
        limit: int = MOST,
        grace: float = GRACE,
    ) -> None:
        super().__init__(workspace, config=config, limit=limit, grace=grace)
        self.queue, self.room = queue, MOST_QUEUED

    async def running_state(self, debate: str) -> Running:
        """See ``Runner.look``; a debate counts as running while it is queued."""
        local = self._running_here(debate)
        if local.by:
            return local
        job = await self.queue.job(debate)
        if job is None:
            return local
        parked = FolkmootError(job.reason) if job.state == "parked" and job.reason else None
        return replace(local, by=_runner_of(job), error=parked or local.error)

    async def where_debates_run(self) -> Mapping[str, str]:
        """See ``Runner.holders``."""
        jobs = await self._open_jobs()
        return {**{job.debate: _runner_of(job) for job in jobs}, **await super().where_debates_run()}

    async def check(self) -> QueueStatus:
        """See ``Runner.check``."""
        await super().check()
        return await self.queue.status()

    async def begin(self, request: PreparedDebate, debate: str, *, owner: str = "") -> str:
        """Put a new debate on record and submit it; see ``Runner.begin``."""
        await self._check_room(owner)
        if request.generator:
            return await super().begin(request, debate, owner=owner)
        await self._submit(request, debate, owner)
        return debate

    async def resume(self, debate: str, limits: Limits | None = None, *, owner: str = "") -> None:
        """Submit a debate again; see ``Runner.resume``. Its limits are stored beside its record, for the worker."""
        if (await self.running_state(debate)).by or fold(await self.workspace.entries(debate)).closed:
            return
        await self._check_room(owner)
        if limits is not None:
            await note_allowance(self.workspace, debate, limits)
        self._errors.pop(debate, None)
        await self.queue.submit(debate, owner=owner)

    async def pause(self, debate: str, *, now: bool = False) -> bool:
        """See ``Runner.pause``."""
        return self.stop(debate, now=now) or bool(await self.queue.cancel(debate, now=now))

    async def reads_messages(self, debate: str) -> bool:
        """See ``Runner.reads_messages``; its worker may be about to stop, so it is submitted once more."""
        by = (await self.running_state(debate)).by
        if by and debate not in self.running:
            await self.queue.submit(debate, owner=(await claimed(self.workspace, debate)).owner)
        return bool(by)

    async def wait(self, debate: str) -> Outcome:
        """See ``Runner.wait``."""
        while (known := await self.running_state(debate)).by:  # noqa: ASYNC110 # it runs in another process
            await asyncio.sleep(LOOK)
        if known.error and not await self.workspace.count_entries(debate):
            raise known.error
        transcript = fold(await self.workspace.entries(debate))
        if known.error and not (transcript.closed or transcript.paused):
            raise known.error
        return outcome(debate, transcript)

    async def _run_start(self, request: PreparedDebate, debate: str, task: RunTask) -> Outcome:
        """Generate the participants here, and have a worker run the debate."""
        generated = await generate_participants(
            self.workspace, request, debate, stop=task.stop, generating=task.note_generation
        )
        if isinstance(generated, Outcome):
            return generated
        await self._submit(generated, debate, task.owner)
        return outcome(debate, fold(await self.workspace.entries(debate)))

    async def _submit(self, request: PreparedDebate, debate: str, owner: str) -> None:
        with suppress(RecordConflict):  # the same was asked for at the same time
            await put_on_record(self.workspace, request, debate)
        await self.queue.submit(debate, owner=owner)

    async def _check_room(self, owner: str) -> None:
        own = Counter(job.owner for job in await self._open_jobs())[owner] if owner else 0
        if own >= self.room:
            raise RunnerFull(f"the limit of your running debates is reached ({own}); stop one, or try again later")

    async def _open_jobs(self) -> tuple[Job, ...]:
        running = await self.queue.jobs(state="running", limit=_LISTED)
        return (*await self.queue.jobs(state="queued", limit=_LISTED), *running)


def _runner_of(job: Job) -> str:
    """Where a debate of the queue runs."""
    match job.state:
        case "running":
            return job.worker or QUEUED
        case "queued":
            return QUEUED
        case _:
            return ""


def open_runner(
    workspace: Workspace, config: Config, *, limit: int, reserved: int = 0, queue: Dispatcher | None = None
) -> Runner:
    """A runner: with a queue workers run its debates, without one this process does.

    Args:
        workspace: where they run, or their records are.
        config: the user's settings.
        limit: how many debates this process runs in parallel.
        reserved: how many of these places are reserved for the person at the machine.
        queue: where debates are submitted; None for none.
    """
    if queue is None:
        return Runner(workspace, config=config, limit=limit, reserved=reserved)
    return QueueRunner(workspace, queue, config=config, limit=limit)


async def run_by_workers(runner: QueueRunner, request: PreparedDebate, debate: str, stop: StopRequest) -> Outcome:
    """Put a debate on record where it is not yet, have workers run it, and wait until they have stopped.

    Args:
        runner: the runner over the queue from which workers take the debate.
        request: the debate, with its participants.
        debate: its id.
        stop: set its reason to wait no longer; the workers continue.

    Raises:
        FolkmootError: the queue cannot be reached, or the workers have given the debate up.
    """
    if await runner.workspace.store.read(debate, limit=1):
        await runner.resume(debate, request.plan.brief.limits)
    else:
        await runner.begin(request, debate)
    while (await runner.running_state(debate)).by:
        if stop.reason:
            result = outcome(debate, fold(await runner.workspace.entries(debate)))
            return replace(result, status="paused", kind="stopped", reason="the workers continue with it")
        await asyncio.sleep(LOOK)
    return await runner.wait(debate)
