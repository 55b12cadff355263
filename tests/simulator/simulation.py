"""Run the world of a seed: processes that run debates and fail, people who answer, and the checks at the end."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from random import Random
from typing import TypeAlias, cast

from folkmoot.app.plan.settings import Config
from folkmoot.app.run.outcome import Outcome
from folkmoot.app.run.runner import Runner, RunnerFull
from folkmoot.app.run.start import MessageInterface
from folkmoot.app.run.workspace import Plan as DebatePlan
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import Limits
from folkmoot.core.errors import FolkmootError, RecordError, RecordMismatch
from folkmoot.core.event import Asked, Entry, Paused, Replied
from folkmoot.engine.driver import StopRequest
from folkmoot.models.layers import RetrySettings
from folkmoot.models.pool import Pool
from folkmoot.protocols.council import debate_step
from folkmoot.record.hub import Hub, StoredLine
from folkmoot.record.store import digest, encode
from tests.simulator.checks.record_state import RecordState
from tests.simulator.checks.twin_worlds import Twins, twins_of
from tests.simulator.fault_plan import STEP, STEP_VOTING, Mode, Plan, ProcessFault, SimulatedDebate, brief_of
from tests.simulator.garbage_collection import no_collection, take_apart
from tests.simulator.invariants import Violation, require
from tests.simulator.plan_drawing import make_plan
from tests.simulator.simulated_people import SimulatedPerson
from tests.simulator.simulated_wire import Provider, SimulatedWire
from tests.simulator.story import Story, differ
from tests.simulator.virtual_loop import Stuck, VirtualLoop
from tests.simulator.world import KEY, SimulatedStore, World

LIVES = 6
"""Processes that are started one after the other before all faults cease."""

MOST_LIVES = 40
"""Processes after which a debate that has not ended is one that never ends."""

LONGEST = 3e6
"""Virtual seconds that a process may run."""


def simulate(seed: int, *, mode: Mode | None = None, plan: Plan | None = None) -> Story:
    """Run the world of a seed.

    Args:
        seed: what everything is drawn from.
        mode: which faults there may be; None for that of the seed.
        plan: what happens instead of what the seed says.

    Returns:
        What came of it; the same for the same seed, whatever the machine.
    """
    plan = plan or make_plan(seed, mode)
    with no_collection():
        story, entries, plans = _run(plan)
        if story.violation is None and plan.mode == "same":
            unbroken, wanted, _ = _run(plan.unbroken(), plans)
            violation = unbroken.violation or differ(entries, wanted)
            if violation:
                story = replace(story, violation=violation)
        if story.violation is None and (twins := twins_of(plan)) and (violation := _differ_as_twins(twins)):
            story = replace(story, violation=violation)
    return story


def _differ_as_twins(twins: Twins) -> Violation | None:
    """The violation where two worlds have not the same debate though they should."""
    one, entries, plans = _run(twins.one, {})
    other, wanted, _ = _run(twins.other, plans if twins.same_brief else {})
    return one.violation or other.violation or twins.differ(entries, wanted)


_Ended: TypeAlias = tuple[Story, dict[str, tuple[Entry, ...]], Mapping[str, DebatePlan]]
"""The story of a world, the entries of its records, the plans of its debates."""

# ---- one world -------------------------------------------------------------------------------------------------------


def _run(plan: Plan, plans: Mapping[str, DebatePlan] | None = None) -> _Ended:
    """Run a world; with the plans of its debates, or with none made yet, it is one that another is compared with."""
    loop = VirtualLoop(f"order {plan.seed}" if plan.shuffled else "")
    world = World(plan, loop)
    simulation = Simulation(world, plans)
    asyncio.set_event_loop(loop)
    try:
        loop.run_until_complete(simulation.run())
        if plans is None:
            simulation.check_end()
    except Violation as violation:
        world.violation = world.violation or violation
    except Stuck as stuck:
        world.violation = world.violation or Violation("I33", str(stuck))
    except RuntimeError as error:  # the loop was stopped because of a violation
        if world.violation is None:
            raise Violation("I54", repr(error)) from error
    finally:
        asyncio.set_event_loop(None)
        loop.bury()
    story = Story(
        plan=plan,
        violation=world.violation,
        trace=tuple(world.trace),
        records={debate: tuple(record.lines) for debate, record in world.records.items()},
        steps=loop.steps,
        seconds=round(loop.time(), 4),
        sent=simulation.provider.sent,
        lives=simulation.process,
    )
    entries = {debate: tuple(record.entries) for debate, record in world.records.items()}
    built = simulation.plans
    simulation.take_apart()
    return story, entries, built


def _plan_of(workspace: Workspace, plan: Plan, debate: SimulatedDebate) -> DebatePlan:
    """The plan of a debate."""
    name = "council" if debate.protocol == STEP else debate.protocol
    built = workspace.plan(brief_of(plan, debate), protocol=name, choices=debate.choices)
    if debate.protocol != STEP:
        return built
    voting, rounds = STEP_VOTING.get(debate.strategy, debate.strategy), 1 if debate.rounds is None else debate.rounds
    return replace(built, name=STEP, protocol=debate_step(built.brief, voting=voting, rounds=rounds))


def _first_error(error: BaseException) -> BaseException:
    """The first error of a group."""
    if isinstance(error, BaseExceptionGroup):
        return cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error


MORE_SECONDS = 3600.0
"""Seconds for an answer with which debates are resumed in the end."""


class Simulation:
    """The course of one world."""

    def __init__(self, world: World, plans: Mapping[str, DebatePlan] | None = None) -> None:
        self.world, self.plan, self.loop = world, world.plan, world.loop
        self.provider = Provider(world)
        self.process = 0
        self.lives = 0
        self.raised = False
        self.plans: dict[str, DebatePlan] = dict(plans or {})
        self._news = asyncio.Event()
        self.cancelled: set[int] = set()
        self._workspaces: list[Workspace] = []

    async def run(self) -> None:
        """Start processes until all debates are over."""
        world, plan = self.world, self.plan
        helper = self.workspace(0)
        for debate in plan.debates:
            built = self.plans.get(debate.id)
            if built is None:
                built = _plan_of(helper, plan, debate)
                self.plans[debate.id] = built
            names = tuple(participant.name for participant in built.brief.participants)
            world.records[debate.id] = RecordState(debate.id, names, debate.limits)
            if len(plan.debates) > 1:
                line = encode(Entry(seq=1, at=world.wall(), event=built.opened()))
                world.commit(debate.id, [line])
            if debate.person or plan.remarks:
                self.loop.start(0, SimulatedPerson(self, debate).run())
        for jump in plan.jumps:
            self.loop.call_later(jump.at, world.jump, jump.seconds)
        while not self.is_over():
            self.lives += 1
            if self.lives > LIVES and not world.calm:
                world.calm = True
                world.note("the faults cease")
            require(self.lives <= MOST_LIVES, "I36", f"{self.lives} processes, and {self.open_debates()} is not over")
            await self._process_life()
            self._raise_limits()
            await asyncio.sleep(world.random.choice((0.5, 30.0, 90.0)))

    def open_debates(self) -> list[str]:
        return [debate for debate, record in self.world.records.items() if record.closed is None]

    def is_over(self) -> bool:
        return not self.open_debates()

    def _raise_limits(self) -> None:
        """Once faults have ceased, the owner raises the limits of debates that have reached them."""
        if not self.world.calm or self.raised:
            return
        paused = [self.world.records[debate].last for debate in self.open_debates()]
        if any(isinstance(event, Paused) and event.kind == "limit" for event in paused):
            self.raised = True
            for record in self.world.records.values():
                record.limits = None
            self.world.note("the owner raises the limits")

    def limits_of(self, debate: str) -> Limits | None:
        """The limits with which a debate is resumed; None for its own."""
        own = next(item.limits for item in self.plan.debates if item.id == debate)
        if not self.raised and not self.world.calm:
            return None
        limits = replace(own, asks=None, tokens=None, cost=None, total_seconds=None) if self.raised else own
        # Where nobody had time enough, it pauses until somebody gives more.
        return replace(limits, turn_seconds=MORE_SECONDS) if self.world.calm else limits

    # ---- processes -----------------------------------------------------------------------------------------------

    async def _process_life(self) -> None:
        """One process from its start to its end, with what befalls it; perhaps a second one beside it."""
        running = [self._start(self.lives)]
        faults = [] if self.world.calm else [fault for fault in self.plan.processes if fault.life == self.lives]
        began = self.loop.time()
        for fault in faults:
            self.loop.call_later(fault.at, self._inject_fault, fault, running)
        while any(life.runs for life in running):
            self._news.clear()
            try:
                async with asyncio.timeout(began + LONGEST - self.loop.time()):
                    await self._news.wait()
            except TimeoutError:
                raise Violation("I33", f"a process still runs after {LONGEST:.0f} virtual seconds") from None
        for life in running:
            self.check_life(life.process, life.task)

    def _start(self, number: int) -> "_SimulatedProcess":
        self.process += 1
        self.world.began[self.process] = self.loop.time()
        life = _SimulatedProcess(self, self.process)
        life.task = self.loop.start(self.process, life.run())
        life.task.add_done_callback(lambda _: self._news.set())
        self.world.note(f"process {self.process} starts")
        return life

    def _inject_fault(self, fault: ProcessFault, running: list["_SimulatedProcess"]) -> None:
        life = running[0]
        if not life.runs or self.world.calm:
            return
        self.world.note(f"{fault.kind} of process {life.process}")
        match fault.kind:
            case "kill":
                self.loop.kill(life.process)
                self._news.set()
            case "freeze":
                self.loop.freeze(life.process)
                self.loop.call_later(fault.seconds, self.loop.thaw, life.process)
            case "cancel":
                self.cancelled.add(life.process)
                life.task.cancel()
            case "end":
                self.cancelled.add(life.process)
                for task in self.loop.tasks_of(life.process):
                    task.cancel()
            case "stop":
                life.stop()
            case _:
                self.world.shared = True
                for record in self.world.records.values():
                    record.limits = None
                running.append(self._start(self.lives))

    def check_life(self, process: int, task: "asyncio.Task[None]") -> None:
        """Check how a process has ended."""
        world = self.world
        if self.loop.is_dead(process):
            return
        try:
            task.result()
        except asyncio.CancelledError:
            require(process in self.cancelled, "I54", f"process {process} was cancelled by nobody")
            world.note(f"process {process} is cancelled")
        except Violation:
            raise
        except FolkmootError as error:
            require(KEY not in str(error), "I39", str(error))
            require(isinstance(error, RecordError), "I54", f"{type(error).__name__}: {error}")
            require("Mismatch" not in type(error).__name__, "I27", str(error))
            caused = self.plan.store or world.shared
            require(caused, "I40", f"process {process}: the store has no fault, and {error}")
            world.note(f"process {process} ends: {type(error).__name__}: {error}")
        except BaseException as error:  # whatever else comes out is a violation
            inner = _first_error(error)
            if isinstance(inner, Violation):
                raise inner from error
            raise Violation("I54", f"{type(inner).__name__}: {inner}") from error
        left, timers = self.loop.tasks_of(process), self.loop.timers_of(process)
        require(not left, "I34", f"process {process} leaves {len(left)} tasks")
        require(not timers, "I97", f"process {process} leaves timers of {timers}")
        lost = [error for error in self.loop.errors if "never retrieved" in error]
        require(not lost, "I34", "; ".join(lost)[:300])

    def workspace(self, process: int) -> Workspace:
        pool = Pool(
            env={"OPENAI_API_KEY": KEY},
            retry=RetrySettings(chance=_Waits(self.plan.seed, process).draw),
            in_flight=self.plan.in_flight,
            clock=self.loop.time,
            http=lambda url, proxied: SimulatedWire(self.provider),
        )
        workspace = Workspace(SimulatedStore(self.world), pool=pool, clock=self.world.wall, config=Config(learn=False))
        if ring := self.plan.ring:
            workspace.hub = Hub(workspace.store, most=ring)
        self._workspaces.append(workspace)
        return workspace

    def take_apart(self) -> None:
        """Leave less to collect, once the world is over."""
        take_apart(*(workspace.pool for workspace in self._workspaces), *self._workspaces, self.world, self)

    # ---- the end -------------------------------------------------------------------------------------------------

    def check_end(self) -> None:
        """Check what only a whole debate shows."""
        world = self.world
        world.calm = True
        self.loop.errors.clear()
        for debate, record in world.records.items():
            before, sent = len(record.lines), self.provider.sent
            workspace = self.workspace(-1)
            try:
                if self.plan.seed % 2:
                    entries, head = self.loop.run_until_complete(workspace.verify(debate))
                    require(entries == before and head, "I27", f"{debate}: {entries} of {before} entries")
                else:
                    self.check_outcome(debate, self.loop.run_until_complete(workspace.resume(debate)))
            except FolkmootError as error:
                raise Violation("I27", f"{debate}: {type(error).__name__}: {error}") from error
            require(len(record.lines) == before and self.provider.sent == sent, "I57", debate)
            if self.plan.seed % 16 == 1:
                self._check_refused(workspace, record)

    def _check_refused(self, workspace: Workspace, record: RecordState) -> None:
        """Check that a record with another question is refused, whether its hashes fit or not."""
        lines = self.world.lines[record.debate]
        place = next((n for n, entry in enumerate(record.entries) if isinstance(entry.event, Asked)), None)
        if place is None:
            return
        entry = record.entries[place]
        assert isinstance(entry.event, Asked)
        changed = replace(entry, event=Asked(ask=replace(entry.event.ask, task="Say something else.")))
        original, forged, prev = list(lines), lines[:place], entry.prev
        for other in (changed, *record.entries[place + 1 :]):
            forged.append(encode(replace(other, prev=prev)))
            prev = digest(forged[-1])
        patched = [*original[:place], forged[place], *original[place + 1 :]]
        for wanted, tried in ((RecordMismatch, forged), (RecordError, patched)):
            lines[:] = tried
            try:
                self.loop.run_until_complete(workspace.verify(record.debate))
            except wanted:
                continue
            finally:
                lines[:] = original
            raise Violation("I83", f"{record.debate}: entry {place + 1} was changed")

    def check_outcome(self, debate: str, outcome: Outcome) -> None:
        """Check that what a run returns is what its record says."""
        record = self.world.records[debate]
        status = record.closed.status if record.closed else "paused"
        stored = [key for key in record.asked if isinstance(record.answered.get(key), Replied)]
        shown = [turn.key for turn in outcome.transcript.turns() if turn.key in record.asked]
        same = outcome.status == status and shown == stored
        require(same or self.world.shared, "I52", f"{debate}: {outcome.status} is told, {status} is stored")


class _Waits:
    """The chance in the pauses of a process, of its own; many a process needs none."""

    def __init__(self, seed: int, process: int) -> None:
        self._name = f"waits {seed} {process}"
        self._random: Random | None = None

    def draw(self, least: float, most: float) -> float:
        """Seconds between two bounds."""
        self._random = self._random or Random(self._name)
        return self._random.uniform(least, most)


class _SimulatedProcess:
    """One process: it runs or resumes the debates, and a viewer may follow them."""

    task: "asyncio.Task[None]"

    def __init__(self, simulation: Simulation, process: int) -> None:
        self._simulation, self.process = simulation, process
        self._stop, self._interface = StopRequest(), MessageInterface()
        self._asked_to_stop = asyncio.Event()

    @property
    def runs(self) -> bool:
        """Whether it has not ended."""
        return not self.task.done() and not self._simulation.loop.is_dead(self.process)

    def stop(self) -> None:
        """Ask it to pause."""
        if len(self._simulation.plan.debates) == 1:
            self._simulation.world.note_stop(self.process)
        self._stop.reason = "stopped"
        self._interface.leave()
        self._asked_to_stop.set()

    async def run(self) -> None:
        """Run what is not over."""
        simulation = self._simulation
        workspace = simulation.workspace(self.process)
        async with self._viewer(workspace):
            if len(simulation.plan.debates) == 1:
                outcome = await self._run_one(workspace, simulation.plan.debates[0].id)
                simulation.check_outcome(outcome.debate, outcome)
                simulation.world.note(f"process {self.process} ends: {outcome.status}, {outcome.reason}")
            else:
                await self._run_many(workspace)

    async def _run_one(self, workspace: Workspace, debate: str) -> Outcome:
        simulation = self._simulation
        # A person is waited for here in half of the processes; else the debate pauses.
        interface = self._interface if self.process % 2 or simulation.world.calm else None
        if simulation.world.lines.get(debate):
            return await workspace.resume(
                debate, limits=simulation.limits_of(debate), stop=self._stop, interface=interface
            )
        return await workspace.run(simulation.plans[debate], debate, stop=self._stop, interface=interface)

    async def _run_many(self, workspace: Workspace) -> None:
        simulation, world = self._simulation, self._simulation.world
        most = simulation.plan.places
        people = {debate.id for debate in simulation.plan.debates if debate.person}
        async with Runner(workspace, config=Config(learn=False), limit=most, grace=10.0) as runner:
            tried, ended = set[str](), set[str]()
            while not self._asked_to_stop.is_set():
                for debate in simulation.open_debates():
                    if debate not in runner.running and debate not in tried:
                        with contextlib.suppress(RunnerFull, RecordError):
                            await runner.resume(debate, limits=simulation.limits_of(debate))
                            tried.add(debate)
                before, ended = ended, {debate for debate in runner.running if runner.error(debate)}
                require(not before & ended, "I96", lambda: f"{before & ended} ended with an error")  # noqa: B023
                busy = [debate for debate in runner.running if debate not in people]
                require(len(busy) <= most, "I53", f"{busy} of {most}")
                if not runner.running:
                    break
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(5.0):
                        await self._asked_to_stop.wait()
            world.note_stop(self.process)  # it may have been busy with beginning a debate
        for debate in simulation.world.records:
            error = runner.error(debate)
            internal = error is not None and "internal error" in str(error)
            require(not internal, "I54", str(error))
            require(error is None or "RecordMismatch" not in repr(error), "I27", str(error))
        world.note(f"process {self.process} ends")

    @asynccontextmanager
    async def _viewer(self, workspace: Workspace) -> AsyncGenerator[None]:
        simulation = self._simulation
        if not simulation.plan.viewer:
            yield
            return
        try:
            async with asyncio.TaskGroup() as group:
                names = [debate.id for debate in simulation.plan.debates]
                viewers = [group.create_task(self._look(workspace, name)) for name in names]
                if simulation.plan.ring:
                    viewers += [group.create_task(self._look_again(workspace, name)) for name in names]
                try:
                    yield
                finally:
                    for viewer in viewers:
                        viewer.cancel()
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None

    async def _look_again(self, workspace: Workspace, debate: str) -> None:
        """Follow a debate beside another viewer: from the middle of what is stored, or only after some seconds."""
        late = self.process % 2 == 1
        if late:
            await asyncio.sleep(6.0)
        await self._look(workspace, debate, 0 if late else len(self._simulation.world.lines.get(debate, ())) // 2)

    async def _look(self, workspace: Workspace, debate: str, last: int = 0) -> None:
        world = self._simulation.world
        with contextlib.suppress(RecordError):
            async for item in workspace.follow_lines(debate, after=last):
                if not isinstance(item, StoredLine):
                    continue
                stored = world.lines.get(debate, [])
                try:
                    shown = item.seq <= len(stored) and stored[item.seq - 1] == item.text
                    require(shown, "I30", f"{debate}: line {item.seq} of {len(stored)}")
                    require(item.seq == last + 1, "I31", f"{debate}: line {item.seq} behind {last}")
                except Violation as violation:
                    world.fail(violation)
                last = item.seq
                if slow := self._simulation.plan.slow:
                    await asyncio.sleep(slow)
