"""The runner: runs several debates at the same time in one process, and says for each where it runs.

People answer by message: a debate that waits for somebody continues by itself when the message comes. Closing the
runner pauses its debates; each can be resumed, here or in another process.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Self

from folkmoot.app.brief.document_states import DocumentWatch, StaleDebates
from folkmoot.app.plan.settings import Config, load_config, lock_place
from folkmoot.app.run.access import Claim
from folkmoot.app.run.dispatcher import QueueStatus
from folkmoot.app.run.liveness import Liveness, waits_only
from folkmoot.app.run.outcome import Outcome, outcome
from folkmoot.app.run.prepare import PreparedDebate
from folkmoot.app.run.start import Generation, MessageInterface, run_start
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import Brief, Limits
from folkmoot.core.errors import FolkmootError
from folkmoot.core.text import clean, hide
from folkmoot.core.transcript import fold
from folkmoot.engine.driver import StopRequest
from folkmoot.record.ledger import is_running, locks_are_known
from folkmoot.record.sqlite import SqliteStore
from folkmoot.record.summary_fold import Summary

HERE = "here"
"""Where a debate runs: in this process."""

QUEUED = "queue"
"""Where a debate runs: nowhere yet, it is queued."""

ELSEWHERE = "elsewhere"
"""Where a debate runs: in another process, such as a command in a terminal."""


class RunnerFull(FolkmootError):
    """The runner already runs as many debates as it may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """Whether and where a debate runs.

    Attributes:
        by: where it runs now: ``HERE``, ``QUEUED``, ``ELSEWHERE``, or the name of a worker; "" for nowhere.
        generation: the debate that is generating its participants; "" where none is.
        error: the error that ended its last run; None where there was none.
        guessed: whether that it runs, or that it doesn't, is only seen from its record: another machine may run it.
    """

    by: str = ""
    generation: str = ""
    error: FolkmootError | None = None
    guessed: bool = False

    @property
    def sure(self) -> bool:
        """Whether it certainly runs; else it only looks so from its record."""
        return bool(self.by) and not self.guessed


@dataclass(slots=True, eq=False)
class RunTask:
    """A debate that runs in this runner.

    Attributes:
        owner: the user it runs for; "" for the person at the machine.
        generation: the debate that is generating its participants; "" where none is.
        pays: the same, from then on until this one ends; "" where the participants existed before.
        stop: the request to pause it.
        begun: set when its first entry, or that of the debate in ``generation``, is stored, or there will be none.
        over: set when it runs no longer.
        interface: lets people answer by message.
        job: the asyncio task.
    """

    owner: str = ""
    generation: str = ""
    pays: str = ""
    stop: StopRequest = field(default_factory=StopRequest)
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    interface: MessageInterface = field(default_factory=MessageInterface)
    job: "asyncio.Task[None] | None" = None

    def note_generation(self, generation: Generation) -> None:
        """Note that its participants are generated now, or were."""
        self.generation = generation.debate
        self.pays = "" if generation.earlier else generation.debate
        self.begun.set()


GRACE = 10.0
"""Seconds that the answers in progress have when the runner is closed."""

MOST = 8
"""The default number of debates in parallel."""

MOST_OWN = 100
"""The most debates of one owner that run or wait for people in this process."""

KEPT = 200
"""How many debates' errors are kept."""


class Runner:
    """Runs debates in parallel; use it as an async context manager, in one event loop.

    A debate that only waits for people takes no place, so that a silent person does not block others.

    Args:
        workspace: where they run. The runner does not close it.
        config: the user's settings; None to load them.
        limit: how many debates run in parallel.
        reserved: how many of these places are reserved for the person at the machine.
        grace: seconds that the answers in progress have when the runner is closed.

    Attributes:
        tell_error: is told of each debate that an error ended, such as a full disk, of which no record can tell.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        config: Config | None = None,
        limit: int = MOST,
        reserved: int = 0,
        grace: float = GRACE,
    ) -> None:
        self.workspace, self.most, self.room, self._reserved = workspace, limit, limit, reserved
        self.config = config or workspace.config or load_config()
        self._grace = grace
        self._tasks: dict[str, RunTask] = {}
        self._errors: dict[str, FolkmootError] = {}
        self._order: deque[str] = deque()
        self.tell_error: Callable[[str, FolkmootError], None] = lambda debate, error: None
        self._group: asyncio.TaskGroup = asyncio.TaskGroup()
        self._turn = asyncio.Lock()
        self._closing = False
        self._pulse = Liveness(workspace.store)
        self._locks = lock_place(workspace.store)
        self._documents = DocumentWatch(self.config.serve.documents)
        self._stale = StaleDebates(self.config.serve.documents)

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self.close()
        finally:
            await self._group.__aexit__(kind, error, trace)

    # ---- what runs ---------------------------------------------------------------------------------------------------

    @property
    def running(self) -> tuple[str, ...]:
        """The debates that run now, the oldest first."""
        return tuple(self._tasks)

    def generation_of(self, debate: str) -> str:
        """The debate that is generating the participants of this one; "" where none is."""
        task = self._tasks.get(debate)
        return task.generation if task else ""

    @property
    def generations(self) -> frozenset[str]:
        """The debates that generated participants for those that run now, which pay for them."""
        return frozenset(task.pays for task in self._tasks.values() if task.pays)

    def error(self, debate: str) -> FolkmootError | None:
        """The error that ended the last run of a debate here; None where there was none."""
        return self._errors.get(debate)

    async def running_state(self, debate: str) -> Running:
        """Whether and where a debate runs."""
        local = self._running_here(debate)
        if local.by:
            return local
        if self._is_locked(debate):
            return replace(local, by=ELSEWHERE)
        if self._locks_tell:
            return local
        return replace(local, by=ELSEWHERE if await self._pulse.is_alive(debate) else "", guessed=True)

    async def stale_warnings(self, debate: str, brief: Brief, place: str, claim: Claim) -> list[str]:
        """The warning that documents of a debate have changed since, if that is known.

        Files are compared only for debates of this machine: whoever comes over the network could else ask for names.
        """
        return await self._documents.warnings(debate, brief, place) if claim.at_hand else []

    async def stale_debates(self, page: Sequence[Summary]) -> frozenset[str]:
        """The ids of the debates of a list whose documents have changed since, as far as that is known.

        Files are compared only for debates of this machine, as for one debate.
        """
        at_hand = [row for row in page if Claim(owner=row.owner).at_hand]
        return await self._stale.among(at_hand, self.workspace.opening)

    async def where_debates_run(self) -> Mapping[str, str]:
        """Where each debate runs that this runner runs or has queued; see ``Running.by``."""
        return dict.fromkeys(self._tasks, HERE)

    def run_elsewhere(self, debates: Iterable[str]) -> frozenset[str]:
        """Those debates that another process on this machine runs."""
        return frozenset(debate for debate in debates if debate not in self._tasks and self._is_locked(debate))

    async def check(self) -> QueueStatus | None:
        """Raise an error if no debate can run, because the records or the queue cannot be reached.

        Returns:
            How the queue stands; None where there is none.
        """
        await self.workspace.store.read("ready", limit=1)
        return None

    # ---- what is done ------------------------------------------------------------------------------------------------

    async def begin(self, request: PreparedDebate, debate: str, *, owner: str = "") -> str:
        """Start a new debate; does nothing if one with that id runs already.

        Args:
            request: the debate, prepared.
            debate: its id.
            owner: the user it runs for; "" for the person at the machine.

        Returns:
            The id. The first entry of the debate, or of the one that generates its participants, is stored by then.

        Raises:
            Full: as many debates run as may.
            FolkmootError: it cannot run.
        """

        async def run(task: RunTask) -> Outcome:
            return await self._run_start(request, debate, task)

        task = await self._find_or_run(debate, owner, run)
        await task.begun.wait()
        if (error := self._errors.get(debate)) and not await self.workspace.count_entries(debate):
            raise error
        return debate

    async def resume(self, debate: str, limits: Limits | None = None, *, owner: str = "") -> None:
        """Resume a debate where its record ends; does nothing if it runs already or is over.

        Args:
            debate: its id.
            limits: what it may use in total, what it has used included; None for the limits of its brief.
            owner: the user it runs for; "" for the person at the machine.

        Raises:
            Full: as many debates run as may.
            RecordError: there is no such debate, or its record is damaged.
        """
        if debate in self._tasks or fold(await self.workspace.entries(debate)).closed:
            return

        async def run(task: RunTask) -> Outcome:
            return await self.workspace.resume(debate, limits=limits, stop=task.stop, interface=task.interface)

        await self._find_or_run(debate, owner, run)

    def stop(self, debate: str, *, now: bool = False) -> bool:
        """Pause a debate after the answers in progress; it waits no longer for people.

        Args:
            debate: its id.
            now: pause at once; answers in progress are lost.

        Returns:
            Whether it ran here.
        """
        task = self._tasks.get(debate)
        if task is None:
            return False
        task.stop.reason = task.stop.reason or "stopped"
        task.interface.leave()
        if now and task.job:
            task.job.cancel()
        return True

    async def pause(self, debate: str, *, now: bool = False) -> bool:
        """The same, wherever the debate runs."""
        return self.stop(debate, now=now)

    async def reads_messages(self, debate: str) -> bool:
        """Whether the process that runs a debate reads a message that has just been sent to it."""
        return debate in self._tasks

    async def wait(self, debate: str) -> Outcome:
        """The outcome of a debate, once it runs no longer.

        Raises:
            RecordError: there is no such debate, or its record is damaged.
            FolkmootError: it ended with an error.
        """
        if task := self._tasks.get(debate):
            await task.over.wait()
        if error := self._errors.get(debate):
            raise error
        return outcome(debate, fold(await self.workspace.entries(debate)))

    async def close(self) -> None:
        """Pause all debates: the answers in progress have some seconds, then they are cancelled."""
        self._closing = True
        for debate in self.running:
            self.stop(debate)
        try:
            async with asyncio.timeout(self._grace):
                for task in tuple(self._tasks.values()):
                    await task.over.wait()
        except TimeoutError:
            for debate in self.running:
                self.stop(debate, now=True)

    # ---- within ------------------------------------------------------------------------------------------------------

    async def _run_start(self, request: PreparedDebate, debate: str, task: RunTask) -> Outcome:
        return await run_start(
            self.workspace, request, debate, stop=task.stop, interface=task.interface, generating=task.note_generation
        )

    def _is_locked(self, debate: str) -> bool:
        return bool(self._locks) and is_running(self._locks, debate)

    @property
    def _locks_tell(self) -> bool:
        """Whether a debate without a lock runs nowhere: its store is a file of this machine."""
        return isinstance(self.workspace.store, SqliteStore) and locks_are_known(self._locks)

    def _running_here(self, debate: str) -> Running:
        by = HERE if debate in self._tasks else ""
        return Running(by=by, generation=self.generation_of(debate), error=self.error(debate))

    async def _find_or_run(self, debate: str, owner: str, run: Callable[[RunTask], Awaitable[Outcome]]) -> RunTask:
        """Run a debate, or find it running. One call runs after the other, so that the places are counted correctly."""
        async with self._turn:
            if debate in self._tasks:
                return self._tasks[debate]
            await self._check_places(owner)
            if self._closing:
                raise RunnerFull("no further debate is started: Folkmoot is shutting down")
            self._errors.pop(debate, None)
            task = self._tasks[debate] = RunTask(owner=owner)
            task.job = self._group.create_task(self._run(debate, task, run))
            task.job.add_done_callback(lambda _: self._release(debate))
            return task

    async def _check_places(self, owner: str) -> None:
        """Refuse another debate if no place is left; a debate that only waits for people takes none.

        Raises:
            Full: as many run as may.
        """
        places = max(1, self.most - self._reserved) if owner else self.most
        own = [debate for debate, task in self._tasks.items() if task.owner == owner]
        if owner and len(own) >= MOST_OWN:
            problem = f"the limit of your open debates is reached ({len(own)}); stop one, or answer its question"
            raise RunnerFull(problem)
        if len(self._tasks) < places:
            return
        busy = [debate for debate in self.running if not await waits_only(self.workspace, debate)]
        mine = sum(debate in own for debate in busy)
        if owner and mine >= self.most:
            raise RunnerFull(f"the limit of your running debates is reached ({mine}); stop one, or try again later")
        if len(busy) >= places:
            kept = f"{self.most - places} of all {self.most} places is kept for the person at the machine; "
            problem = f"the limit of running debates is reached ({len(busy)}); {kept if places < self.most else ''}"
            raise RunnerFull(f"{problem}stop one, or try again later")

    def _release(self, debate: str) -> None:
        """Forget a debate that has ended, even if it was stopped before its task ran."""
        task = self._tasks.pop(debate)
        self._pulse.forget(debate)
        if task.generation and debate not in self._errors:
            sentence = f"it was stopped while its participants were generated; start it again ({task.generation})"
            self._keep(debate, FolkmootError(sentence))
        task.begun.set()
        task.over.set()

    async def _run(self, debate: str, task: RunTask, run: Callable[[RunTask], Awaitable[Outcome]]) -> None:
        """Run one debate; an error becomes a value, so that it ends no other debate."""
        async with asyncio.TaskGroup() as group:
            first = group.create_task(self._see_first(debate, task))
            await self._note(debate, run(task))
            first.cancel()

    async def _note(self, debate: str, running: Awaitable[Outcome]) -> None:
        try:
            result = await running
        except FolkmootError as error:
            self._keep(debate, error)
        except Exception as error:  # noqa: BLE001 # a slip in one debate must not end the others
            self._keep(debate, FolkmootError(hide(clean(f"internal error: {type(error).__name__}: {error}"))))
        else:
            if result.debate != debate:  # the participants could not be generated
                problem = f"no participants were generated, so the debate did not start: {result.reason}"
                self._keep(debate, FolkmootError(f"{problem}; start it again ({result.debate})"))

    def _keep(self, debate: str, error: FolkmootError) -> None:
        self._errors[debate] = error
        self.tell_error(debate, error)
        self._order.append(debate)
        if len(self._order) > KEPT:
            self._errors.pop(self._order.popleft(), None)

    async def _see_first(self, debate: str, task: RunTask) -> None:
        """Signal that the first entry is stored."""
        # Broad, because whoever looks on must end neither the debate nor the others; it meets the same, or goes on.
        with contextlib.suppress(Exception):
            async with aclosing(self.workspace.hub.follow(debate, pieces=False)) as items:
                async for _ in items:
                    task.generation = ""
                    task.begun.set()
                    return
