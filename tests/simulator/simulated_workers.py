"""Workers of a simulated world: real ones, which take debates out of the simulated queue, and who owns the debates."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Protocol

from folkmoot.app.plan.settings_tables import Allowance
from folkmoot.app.run.dispatcher import QueueError
from folkmoot.app.run.people import queue_again
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.errors import RecordError
from folkmoot.core.event import Asked
from folkmoot.record.store import decode
from folkmoot.workers.job_queue import Queue
from folkmoot.workers.lease_runs import LEASE, WorkerSettings
from folkmoot.workers.worker import Worker
from folkmoot.workers.worker_log import Note
from tests.simulator.fault_plan import Plan, ProcessFault
from tests.simulator.invariants import Violation, require
from tests.simulator.simulated_queue import ADDRESS, SimulatedDatabase, SimulatedQueue, name_of, number_of
from tests.simulator.virtual_loop import PROCESS, VirtualLoop
from tests.simulator.world import EPOCH, World

LIVES = 8
"""Workers that are started one after the other before all faults cease."""

FAULTY = 900.0
"""Virtual seconds after which all faults cease."""

LONGEST = 20_000.0
"""Virtual seconds after that within which all debates must be over."""

DRAINING = 300.0
"""Virtual seconds within which a worker must have given everything back."""

SETTLED, SETTLING = 15.0, 60.0
"""The least and the most virtual seconds after the last debate in which workers give back the places of its calls."""

SCHEDULED = 130.0
"""Virtual seconds for which a schedule begins debates."""

HEARING = 1.0
"""Virtual seconds in which a worker that has heard of a withdrawal may put a last question."""

LOOK = 5.0
"""Virtual seconds between two looks of whoever starts workers, and of the owner."""


class Course(Protocol):
    """The course of one world, as its workers need it; see ``simulation.Simulation``."""

    world: World
    plan: Plan
    loop: VirtualLoop
    process: int
    cancelled: set[int]
    news_of: set[str]

    def workspace(self, process: int) -> Workspace:
        """What a process works with."""
        ...

    def open_debates(self) -> list[str]:
        """The debates that are not over."""
        ...

    def is_over(self) -> bool:
        """Whether all are over."""
        ...

    def check_life(self, process: int, task: "asyncio.Task[None]") -> None:
        """Check how a process has ended."""
        ...


async def run_workers(simulation: Course) -> None:
    """Run the debates of a world by workers until all are over."""
    group = _WorkerGroup(simulation)
    await group.run()


class _WorkerLife:
    """One worker in one process."""

    task: "asyncio.Task[None]"

    def __init__(self, simulation: Course, queue: SimulatedQueue, process: int) -> None:
        self._simulation, self.process = simulation, process
        plan, world = simulation.plan, simulation.world
        workspace = simulation.workspace(process)
        limit = Allowance(in_flight=plan.allowance or None, requests=plan.requests or None, tokens=plan.tokens or None)
        if limit != Allowance() and workspace.config:
            workspace.config = replace(workspace.config, limits={"openai": limit})
        wanted = WorkerSettings(address=ADDRESS, name=name_of(process), most=plan.places, say=self._log_note)
        self.worker = Worker(
            workspace, wanted, connect=lambda connections: SimulatedDatabase(queue, process), clock=world.loop.time
        )

    @property
    def runs(self) -> bool:
        """Whether it has not ended."""
        return not self.task.done() and not self._simulation.loop.is_dead(self.process)

    async def run(self) -> None:
        """Work until it is drained."""
        try:
            await self.worker.run()
        except QueueError as error:
            self._simulation.world.note(f"worker {self.process} ends: {error}")

    def _log_note(self, note: Note) -> None:
        self._simulation.world.note(f"{note.debate} {note.text}".strip())
        most = self._simulation.plan.places
        if len(self.worker.held) > most:
            self._simulation.world.fail(Violation("I65", f"{self.worker.held} of {most}"))


class _WorkerGroup:
    """All workers of a world, and the owner of its debates."""

    def __init__(self, simulation: Course) -> None:
        self.simulation, self.world, self.plan = simulation, simulation.world, simulation.plan
        self.queue = SimulatedQueue(self.world)
        for debate, lines in self.world.lines.items():
            self.queue.add_lines(debate, lines)
        self.world.on_append, self.world.on_commit = self._check_writer, self._add_lines
        self._owner: Workspace = simulation.workspace(0)
        self._owner.queue = Queue(ADDRESS, SimulatedDatabase(self.queue, 0))
        self._lives: list[_WorkerLife] = []
        self._submits: Counter[str] = Counter()  # by debate, how often it was to be queued
        self._submitting: Counter[str] = Counter()  # by debate, how often that is being done now

    async def run(self) -> None:
        """Start workers, and again where they end, until all debates are over."""
        for fault in self.plan.processes:
            if fault.life == 0:
                self.world.loop.call_later(fault.at, self._begin_withdrawal, fault.kind)
        new, ceased = {debate.id for debate in self.plan.debates}, 0.0
        if self.plan.scheduled:
            self.queue.begin_schedule(SCHEDULED)
        while not self.simulation.is_over() or self.queue.scheduled:
            now = self.world.loop.time()
            if not self.world.calm and (now > FAULTY or self.simulation.process > LIVES):
                self.world.calm, ceased = True, now
                self.world.note("the faults cease")
            late = self.world.calm and now > ceased + LONGEST
            require(not late, "I36", lambda: f"{self.simulation.open_debates()} is not over: {self.queue.states()}")
            if sum(life.runs for life in self._lives) < self.plan.workers:
                self._start()
            await asyncio.sleep(LOOK)
            self._check_ended()
            if not self.queue.scheduled:
                self.queue.check_schedule()
            await self._look_after(new)
        await self._drain()

    def _start(self) -> None:
        simulation = self.simulation
        simulation.process += 1
        number = simulation.process
        life = _WorkerLife(simulation, self.queue, number)
        life.task = simulation.loop.start(number, life.run())
        self._lives.append(life)
        self.world.note(f"worker {number} starts")
        for fault in self.plan.processes:
            if fault.life == number:
                simulation.loop.call_later(fault.at, self._inject_fault, fault, life)

    def _inject_fault(self, fault: ProcessFault, life: _WorkerLife) -> None:
        loop = self.world.loop
        if not life.runs or self.world.calm:
            return
        self.world.note(f"{fault.kind} of worker {life.process}")
        match fault.kind:
            case "kill":
                loop.kill(life.process)
            case "freeze":
                self.world.miscounted = True
                loop.freeze(life.process)
                loop.call_later(fault.seconds, loop.thaw, life.process)
            case "cancel":
                self.world.miscounted = True
                self.simulation.cancelled.add(life.process)
                life.task.cancel()
            case _:
                life.worker.drain()

    async def _drain(self) -> None:
        """Ask all workers to end, and check that nothing of them is left."""
        self.world.calm = True
        live = [life for life in self._lives if life.runs]
        for life in live:
            self.world.loop.thaw(life.process)
        slots = await self._settle([name_of(life.process) for life in live])
        require(not slots, "I65", f"nobody calls, and these calls count as being in flight: {slots}")
        for life in live:
            life.worker.drain()
        waited = 0.0
        while waited < DRAINING and any(life.runs for life in live):
            await asyncio.sleep(LOOK)
            waited += LOOK
        ended = {name_of(life.process) for life in live if not life.runs}
        left = [row for row in self.queue.left() if ended.intersection(map(str, row))]
        require(not left, "I67", lambda: f"{sorted(ended)} have ended, and this is left: {left}")
        for life in live:
            require(not life.runs, "I33", f"worker {life.process} still runs, {DRAINING:g} s after it was asked to end")
        self._check_ended()
        await asyncio.sleep(60.0)
        require(not self.queue.left(), "I67", lambda: str(self.queue.left()))

    async def _settle(self, workers: list[str]) -> list[tuple[object, ...]]:
        """Wait until the queue is quiet; the places that are not given back then."""
        began = self.world.loop.time()
        while True:
            await asyncio.sleep(LOOK)
            slots, seconds = self.queue.slots(workers), self.world.loop.time() - began
            if seconds >= SETTLING or (seconds >= SETTLED and not slots and self.queue.is_quiet()):
                return slots

    def _check_ended(self) -> None:
        for life in tuple(self._lives):
            if not life.runs:
                self._lives.remove(life)
                self.simulation.check_life(life.process, life.task)

    # ---- the owner ---------------------------------------------------------------------------------------------------

    async def _try_to_submit(self, debate: str) -> bool:
        """Submit a debate; whether it is known to be submitted."""
        assert self._owner.queue is not None
        with contextlib.suppress(QueueError), self._queueing(debate):
            await self._owner.queue.submit(debate)
            return True
        return False

    @contextlib.contextmanager
    def _queueing(self, debate: str) -> Generator[None]:
        """Note that a debate is being queued, which takes a withdrawal back."""
        self.queue.withdrawn.pop(debate, None)
        self._submits[debate] += 1
        self._submitting[debate] += 1
        try:
            yield
        finally:
            self._submitting[debate] -= 1

    async def _look_after(self, new: set[str]) -> None:
        """Queue what is new, and again what waits and has news, and what was given up or withdrawn."""
        simulation = self.simulation
        for debate in sorted(new):
            if await self._try_to_submit(debate):
                new.discard(debate)
        for debate, state in self.queue.states().items():
            if state in ("parked", "cancelled") and (self.world.calm or self.world.random.random() < 0.2):
                await self._try_to_submit(debate)
        for debate in sorted(simulation.news_of):
            simulation.news_of.discard(debate)  # before it is awaited: more may come meanwhile
            try:
                with self._queueing(debate):
                    await queue_again(self._owner, debate)
            except (QueueError, RecordError):
                simulation.news_of.add(debate)

    def _begin_withdrawal(self, kind: str) -> None:
        self.world.loop.start(0, self._withdraw(kind))

    async def _withdraw(self, kind: str) -> None:
        """Withdraw the first debate; it may be that its worker dies before it has heard of that."""
        assert self._owner.queue is not None
        debate = self.plan.debates[0].id
        self.world.note(f"the owner: {kind} {debate}")
        self.queue.withdrawals.add(debate)
        alone, submits = not self._submitting[debate], self._submits[debate]
        with contextlib.suppress(QueueError):
            done = await self._owner.queue.cancel(debate, now=kind == "withdraw now")
            if done and alone and submits == self._submits[debate]:
                self.queue.withdrawn[debate] = self.world.loop.time()
        holder = self.queue.holder(debate)
        if kind == "withdraw, and it dies" and holder and not self.world.calm:
            self.world.note(f"kill of {holder}")
            self.world.loop.kill(number_of(holder))

    # ---- what must hold ----------------------------------------------------------------------------------------------

    def _add_lines(self, stream: str, lines: Sequence[str]) -> None:
        """Pass on what is stored; where the debate is withdrawn it may be no further question."""
        self.queue.add_lines(stream, lines)
        since = self.queue.withdrawn.get(stream)
        if since is None or self.plan.jumps or self.plan.store:
            return  # a stop is heard between two steps, and a store that fails holds the first one up
        for entry in map(decode, lines):
            late = entry.at - EPOCH - since
            # Its worker hears of it from the next heartbeat; without one its lease has run out by then.
            if isinstance(entry.event, Asked) and late > LEASE + HEARING:
                raise Violation("I102", f"{stream}: {entry.event.ask.key} is put {late:.1f} s behind its withdrawal")

    def _check_writer(self, stream: str, after: int) -> None:
        process = PROCESS.get()
        if process and after and stream in self.world.records:
            holder = self.queue.holder(stream)
            if holder != name_of(process):
                how = f"{name_of(process)} writes {stream}, which {holder or 'nobody'} holds"
                self.world.fail(Violation("I63", how))
