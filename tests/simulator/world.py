"""The world of one simulation: what is stored, what was sent, what time it is, and what has gone wrong.

``SimulatedStore`` is the store as one process has it open. An append takes time before it is stored and again before
it is acknowledged, so a process can be killed in each of these moments. As in a real store a cancelled append is stored
all the same, and a read waits for the appends of its own process that have begun.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random

from folkmoot.core.errors import RecordConflict, RecordError
from folkmoot.core.event import Asked, Attempted, Called, Closed, Event, Failed, Interjected, Replied
from folkmoot.models.names import parse
from folkmoot.models.prices import cost
from folkmoot.record.store import StreamInfo, check_lines, decode
from tests.simulator.checks.answer_totals import check_seconds
from tests.simulator.checks.breaker_checks import BreakerChecks
from tests.simulator.checks.people_checks import Times, check_times
from tests.simulator.checks.record_facts import TryId
from tests.simulator.checks.record_state import RecordState
from tests.simulator.fault_plan import PERSON, Plan
from tests.simulator.invariants import Violation, require
from tests.simulator.virtual_loop import PROCESS, VirtualLoop

EPOCH = 1.7e9
"""The wall clock's time at the beginning of a world."""

KEY = "sk-simulated-0123456789abcdef"
"""The key that is sent to the provider, and that must stand nowhere else."""

LOOKS = 0.5
"""More than the seconds between two looks for messages."""

QUICK = 0.4
"""The most seconds of an answer, and of the store, once the faults have ceased."""


@dataclass(eq=False)
class World:
    """One world.

    Attributes:
        plan: what happens in it.
        loop: its time.
        calm: whether faults have ceased.
        wall: the wall clock, in seconds since 1970.
        lines: what is stored, by stream.
        records: what the records say, by debate.
        trace: what has happened, in words.
        violation: the first invariant that did not hold.
        shared: the debates that two processes have driven at the same time.
        overtaken: the processes that have met a conflict, with the debate.
        stopped: for each process that was asked to stop the batches of each debate on record then.
        stopped_at: when that was.
        counted: the tokens that the provider has counted for a try.
        writers: for each stored line the process that has written it, by stream.
        landed_at: when the last line was stored, by stream; a slow store may land it when its process has ended.
        began: the virtual time at which a process began.
        asked_at: the virtual time at which a question was stored.
    """

    plan: Plan
    loop: VirtualLoop
    calm: bool = False
    lines: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    records: dict[str, RecordState] = field(default_factory=dict[str, RecordState])
    trace: list[str] = field(default_factory=list[str])
    violation: Violation | None = None
    shared: bool = False
    posted: dict[str, list[Interjected | Replied]] = field(default_factory=dict[str, "list[Interjected | Replied]"])
    acknowledged: Counter[str] = field(default_factory=Counter[str])
    overtaken: set[tuple[int, str]] = field(default_factory=set[tuple[int, str]])
    stopped: dict[int, dict[str, int]] = field(default_factory=dict[int, dict[str, int]])
    stopped_at: dict[int, float] = field(default_factory=dict[int, float])
    counted: dict[tuple[str, TryId], tuple[int, int]] = field(default_factory=dict[tuple[str, TryId], tuple[int, int]])
    began: dict[int, float] = field(default_factory=dict[int, float])
    asked_at: dict[tuple[str, str], float] = field(default_factory=dict[tuple[str, str], float])
    writers: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    landed_at: dict[str, float] = field(default_factory=dict[str, float])
    _posted_at: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    _answered_at: dict[str, float] = field(default_factory=dict[str, float])
    _jump: float = 0.0
    _operations: int = 0
    _full_until: float = -1.0

    def __post_init__(self) -> None:
        self.random = Random(f"world {self.plan.seed} {self.plan.mode}")
        self._breakers = BreakerChecks(self.plan)
        self._store_faults = {fault.number: fault for fault in self.plan.store}
        stopped = any(fault.kind == "freeze" for fault in self.plan.processes)
        slowed = any(fault.kind in ("slow", "full") for fault in self.plan.store)
        self._odd_times = bool(self.plan.jumps) or stopped or slowed

    def wall(self) -> float:
        """The wall clock, which jumps."""
        return EPOCH + self.loop.time() + self._jump

    def jump(self, seconds: float) -> None:
        """Set the wall clock."""
        self.note(f"the wall clock is set by {seconds:+g} s")
        self._jump += seconds

    def note(self, text: str) -> None:
        """Write a line of the story."""
        process = PROCESS.get()
        who = f"process {process}" if process else "world"
        self.trace.append(f"{self.loop.time():12.4f}  {who:<10}  {text}")

    def fail(self, violation: Violation) -> None:
        """Keep the first violation and stop the world."""
        if self.violation is None:
            self.violation = violation
            self.note(f"VIOLATION {violation}")
            self.loop.stop()

    def delay(self, most: float) -> float:
        """Seconds up to ``most``; sometimes none at all. Once the faults have ceased all comes within any turn.

        Else a debate with little time for a turn would pause for ever.
        """
        seconds = self.random.random() * most if most and self.random.random() < 0.9 else 0.0
        return min(seconds, QUICK) if self.calm else seconds

    def store_fault(self, *kinds: str) -> tuple[str, float]:
        """What is wrong with the next operation of the store, and for how many seconds."""
        self._operations += 1
        fault = self._store_faults.get(self._operations)
        if self.calm or fault is None or fault.kind not in kinds:
            full = "full" in kinds and not self.calm and self.loop.time() < self._full_until
            return ("full", 0.0) if full else ("", 0.0)
        if fault.kind == "full":
            self._full_until = self.loop.time() + fault.seconds
        self.note(f"the store's operation {self._operations}: {fault.kind}")
        return fault.kind, fault.seconds

    def note_stop(self, process: int) -> None:
        """Note how far the debates were when a process was asked to stop."""
        self.stopped_at[process] = self.loop.time()
        self.stopped[process] = {debate: record.batches for debate, record in self.records.items()}

    def commit(self, stream: str, lines: Sequence[str]) -> None:
        """Store lines, and check what they say."""
        self.lines.setdefault(stream, []).extend(lines)
        self.writers.setdefault(stream, []).extend([PROCESS.get()] * len(lines))
        for line in lines:
            if KEY in line:
                raise Violation("I39", f"a line of {stream}")
        record = self.records.get(stream)
        if record is None:
            for line in lines:
                event = decode(line).event
                assert isinstance(event, Interjected | Replied)
                self.posted.setdefault(stream.partition("/")[0], []).append(event)
                self._posted_at.setdefault(stream.partition("/")[0], []).append(self.loop.time())
            return
        if (PROCESS.get(), stream) in self.overtaken:
            raise Violation("I29", f"process {PROCESS.get()} writes {stream} behind its conflict")
        for line in lines:
            last_letter = record.letters
            event = record.add(line)
            self._check_message(record, event, last_letter)
            self._check_event(record, event)
            self._check_times(record)
            self._breakers.add(PROCESS.get(), stream, event, self.loop.time())
            begun = self.stopped.get(PROCESS.get(), {}).get(stream)
            is_more = begun is not None and isinstance(event, Asked) and record.batches > begun + 1
            # A slow store may hold what was noted before the stop.
            if is_more and record.entries[-1].at - EPOCH > self.stopped_at[PROCESS.get()]:
                raise Violation("I75", f"process {PROCESS.get()}: batch {record.batches} behind {begun}")
            shown = event.ask.key if isinstance(event, Asked) else str(getattr(event, "key", ""))
            self.note(f"{stream} {len(record.lines)}: {type(event).__name__} {shown}".rstrip())

    def _check_event(self, record: RecordState, event: Event) -> None:
        """Check what an event must be beside what else happens in the world."""
        match event:
            case Asked(ask=ask):
                self.asked_at[record.debate, ask.key] = self.loop.time()
                self._check_remarks(record, LOOKS)
            case Closed():
                self._check_remarks(record, 0.0)
            case Replied() | Failed():
                self._answered_at[record.debate] = record.entries[-1].at - EPOCH
            case Called():
                self._check_booked(record, event)
                check_seconds(event, self.loop.time() - self.asked_at[record.debate, event.key])
            case _:
                pass

    def _check_times(self, record: RecordState) -> None:
        """Check the times of people, where the clocks of this world tell them."""
        plan, process = self.plan, PROCESS.get()
        debate = plan.debates[0]
        alone = len(plan.debates) == 1 and not self.shared and process in self.began
        if not debate.person or not alone or self._odd_times:
            return
        times = Times(
            began=EPOCH + self.began[process],
            person=PERSON,
            deadline=debate.deadline,
            reading=16 * plan.store_delay,
        )
        check_times(record, record.entries[-1], times)
        self._check_late_answer(record, record.entries[-1].event, self.began[process])

    def _check_late_answer(self, record: RecordState, event: Event, began: float) -> None:
        """Nobody stands in for a person who has answered already, though the time was up."""
        if isinstance(event, Attempted | Failed) and record.asked[event.key].to == PERSON:
            messages = zip(self.posted.get(record.debate, []), self._posted_at.get(record.debate, []), strict=True)
            answers = [at for message, at in messages if isinstance(message, Replied) and message.key == event.key]
            early = bool(answers) and answers[0] < began
            require(not early, "I105", lambda: f"{event.key} was answered {began - answers[0]:.1f} s before")

    def _check_remarks(self, record: RecordState, pause: float) -> None:
        """Before questions messages are looked for with a pause between, and always before the close."""
        answered = self._answered_at.get(record.debate, -1.0)
        times = self._posted_at.get(record.debate, [])
        posted = self.posted.get(record.debate, [])
        for number, (message, at) in enumerate(zip(posted, times, strict=True), start=1):
            late = number > record.letters and isinstance(message, Interjected) and at + pause < answered
            if late and not self.shared and not self.plan.jumps:
                raise Violation("I82", f"message {number} of {record.debate}, {answered - at:.1f} s before an answer")

    def _check_booked(self, record: RecordState, event: Called) -> None:
        tried = event.key, event.call, record.tries(event.key, event.call)
        tokens, usage = self.counted.get((record.debate, tried)), event.usage
        if tokens is None or self.shared:
            return
        same = (usage.input_tokens, usage.output_tokens) == tokens and not usage.estimated
        require(same, "I80", lambda: f"{tried}: {tokens} tokens are booked as {usage}")
        price = cost(parse(event.model), usage)
        fits = price is None or (usage.cost is not None and abs(usage.cost - price) < 1e-9)
        require(fits, "I80", lambda: f"{tried}: ${price} is booked as ${usage.cost}")

    def _check_message(self, record: RecordState, event: object, last_letter: int) -> None:
        posted = self.posted.get(record.debate, [])
        if isinstance(event, Interjected):
            sent = posted[event.letter - 1] if event.letter <= len(posted) else None
            same = isinstance(sent, Interjected) and replace(sent, letter=event.letter) == event
            require(same, "I45", lambda: f"message {event.letter}: {event}")
            passed = [one for one in posted[last_letter : event.letter - 1] if isinstance(one, Interjected)]
            require(not passed, "I72", lambda: f"message {event.letter} behind {last_letter}, without {passed[0]}")
        if isinstance(event, Replied) and event.reply.asked == "human":
            first = next((m.reply for m in posted if isinstance(m, Replied) and m.key == event.key), None)
            require(
                first is not None and first.text == event.reply.text,
                "I48",
                lambda: f"{event.key}: {event.reply.text!r}",
            )


class SimulatedStore:
    """The store as one process has it open; see ``record.store.Store``.

    Args:
        world: where the lines are.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._begun: dict[str, list[asyncio.Future[None]]] = {}

    async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
        """Store lines, sooner or later."""
        check_lines(debate, lines)
        world, loop = self._world, self._world.loop
        writer = PROCESS.get()
        landed: asyncio.Future[None] = loop.create_future()
        outcome: asyncio.Future[RecordError | None] = loop.create_future()
        begun = self._begun.setdefault(debate, [])
        kind, seconds = world.store_fault("refused", "unsure", "full", "slow", "part")
        waits_for = begun[-1] if begun else None
        begun.append(landed)

        def land() -> None:
            try:
                error = self._append_lines(writer, debate, tuple(lines), after, kind)
            except Violation as violation:
                world.fail(violation)
                return
            begun.remove(landed)
            landed.set_result(None)
            loop.call_later(world.delay(world.plan.store_delay), _hand_on, outcome, error)

        def go(_: object = None) -> None:
            loop.call_later(world.delay(world.plan.store_delay) + (seconds if kind == "slow" else 0.0), land)

        if waits_for is None:
            go()
        else:
            waits_for.add_done_callback(go)
        if error := await outcome:
            raise error
        world.acknowledged[debate] = max(world.acknowledged[debate], after + len(lines))

    def _append_lines(
        self, writer: int, debate: str, lines: tuple[str, ...], after: int, kind: str
    ) -> RecordError | None:
        world = self._world
        if kind in ("refused", "full"):
            return RecordError(f"the simulated store is {'full' if kind == 'full' else 'not writable'}")
        stored = len(world.lines.get(debate, ()))
        acknowledged = world.acknowledged[debate]
        require(stored >= acknowledged, "I47", lambda: f"{debate}: {stored} of {acknowledged}")
        if stored != after:
            world.note(f"{debate}: a conflict, {stored} entries and not {after}")
            if debate in world.records and after:
                own = set(world.writers[debate][after:]) == {writer}
                require(not own, "I84", lambda: f"process {writer} has written {debate} from {after} on itself")
                require(stored > after, "I84", lambda: f"process {writer} writes behind {after} of {stored} entries")
                world.shared = True
                world.overtaken.add((writer, debate))
            elif world.landed_at.get(debate, 0.0) > world.began.get(writer, 0.0):
                world.shared = True
            return RecordConflict(f"Debate {debate} has {stored} entries, not {after}: somebody else has written.")
        if stored_lines := lines[: len(lines) // 2] if kind == "part" else lines:
            world.commit(debate, stored_lines)
            world.landed_at[debate] = world.loop.time()
        failed = kind in ("unsure", "part")
        return RecordError("the simulated store cannot say whether it has written") if failed else None

    async def read(self, debate: str, *, after: int = 0, limit: int | None = None) -> tuple[str, ...]:
        """The lines that are stored, once the appends that have begun here have ended."""
        world = self._world
        for landed in tuple(self._begun.get(debate, ())):
            await asyncio.shield(landed)
        kind, _ = world.store_fault("unread")
        if kind:
            raise RecordError("the simulated store cannot be read")
        if most := world.plan.store_delay:
            await asyncio.sleep(world.delay(most) / 4)
        first = max(0, after)
        return tuple(world.lines.get(debate, [])[first : None if limit is None else first + max(0, limit)])

    async def debates(self) -> tuple[StreamInfo, ...]:
        """All streams."""
        return tuple(
            StreamInfo(debate=debate, entries=len(lines), first=lines[0], last=lines[-1])
            for debate, lines in reversed(self._world.lines.items())
        )

    async def close(self) -> None:
        """Nothing to give back."""


def _hand_on(outcome: "asyncio.Future[RecordError | None]", error: RecordError | None) -> None:
    if not outcome.done():
        outcome.set_result(error)
