"""What happens in one simulated world: the debates, and every fault by its place, drawn from a seed.

Faults are listed and not drawn while the world runs. So one of them can be left out and all others stay where they are,
which is what makes shrinking work, and a plan can be written as JSON.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Literal, TypeAlias

import msgspec

from moot.core.brief import Brief, Limits, Participant

Mode: TypeAlias = Literal["same", "wild", "workers"]
"""``same``: only faults that must change nothing, so the debate is compared with the unbroken one. ``wild``: all.
``workers``: all, and the debates are run by workers out of a queue."""

PROTOCOLS = (
    ("panel", 6),
    ("council", 4),
    ("moderated", 3),
    ("round_robin", 2),
    ("socratic", 2),
    ("chain_of_thought", 1),
    ("fishbowl", 1),
    ("arena", 1),
    ("chaired", 1),
    ("grouped", 1),
)
"""The protocols, and how often each is drawn."""

MODES: Mapping[int, Mode] = {3: "same", 7: "same", 5: "workers"}
"""By the remainder of a seed the mode that is not ``wild``."""

LONG = ("arena", "fishbowl")
"""Protocols that ask so much that a small world rarely has one of them."""

LARGE = 0.06
"""The share of worlds that have more participants and rounds; a small one finds nearly as much."""

NAMES = ("Ann", "Bob", "Cyd", "Dov")
CHAIR = "Chair"
PERSON = "Bob"
"""The participant that is a person, where there is one."""

FIRST, SECOND = "openai:gpt-4o-mini", "openai:gpt-4o"
"""The models; the second one is the fallback of the first."""

PASSING = ("500", "429", "429 long", "no connection", "cut", "reset", "slow", "drip", "html")
"""Faults of a model that the next try mends."""

LASTING = (
    *("silence", "stall", "401", "refused", "empty", "wrong form", "quoted ballot", "half character", "too long"),
    *("length", "no usage", "absurd usage", "negative usage", "fractional usage", "garbage"),
)
"""Faults of a model that may change the debate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFault:
    """What is wrong with one request of a participant: its ``send``-th, from 1."""

    debate: str
    who: str
    send: int
    kind: str
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreFault:
    """What is wrong with one operation of the store.

    ``refused``: the append fails before it is stored. ``unsure``: it is stored, and fails all the same. ``full``: from
    then on every append fails for some seconds. ``slow``: it takes seconds. ``unread``: a read fails.
    """

    number: int
    kind: str
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueFault:
    """What is wrong with one transaction of the queue.

    ``away``: from then on the database gives no answer for some seconds, and notifications are lost. ``unsure``: the
    transaction is done, and fails all the same. ``slow``: it takes seconds.
    """

    number: int
    kind: str
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessFault:
    """What happens to a process, some seconds after its start.

    ``kill``, ``freeze`` (for some seconds), ``cancel`` (Ctrl-C), ``stop`` (pause after the batch), ``second`` (another
    process starts to drive the same debates). With workers, those of life 0 are what the owner of the first debate
    does: ``withdraw`` and ``withdraw now``.
    """

    life: int
    at: float
    kind: str
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockJump:
    """The wall clock is set by some seconds."""

    at: float
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedDebate:
    """One debate of a world.

    Attributes:
        id: its id.
        protocol: the name of its protocol.
        debaters: how many debaters.
        rounds: how many rounds; None for the protocol's own number.
        options: whether the brief has options.
        chair: whether there is a moderator.
        person: whether one debater is a person.
        deadline: seconds that the person has.
        stand_in: whether a model answers where the person is late.
        fallback: whether models have a fallback.
        hides: whether the first debater does not see the last one.
        limits: what it may use.
    """

    id: str
    protocol: str = "panel"
    debaters: int = 2
    rounds: int | None = None
    options: bool = False
    chair: bool = False
    person: bool = False
    deadline: float | None = None
    stand_in: bool = False
    fallback: bool = False
    hides: bool = False
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One world.

    Attributes:
        seed: what the order of tasks, all delays and all answers are drawn from.
        mode: which faults there may be.
        debates: what runs; several run in one runner.
        delay: the most seconds that a model takes.
        store_delay: the most seconds that the store takes.
        in_flight: the most requests of a process at once.
        places: how many debates the runner runs at once.
        viewer: whether somebody follows the debate.
        remarks: how many remarks of people come from outside.
        shuffled: whether the seed orders the tasks that are ready.
        late: the most seconds after which a person answers.
        workers: how many workers run the debates; 0 for none.
        allowance: the most requests that all workers may have in flight together; 0 for any number.
    """

    seed: int
    mode: Mode = "wild"
    debates: tuple[SimulatedDebate, ...] = ()
    delay: float = 0.0
    store_delay: float = 0.0
    in_flight: int = 50
    places: int = 8
    viewer: bool = False
    remarks: int = 0
    shuffled: bool = True
    late: float = 1.0
    models: tuple[ModelFault, ...] = ()
    store: tuple[StoreFault, ...] = ()
    processes: tuple[ProcessFault, ...] = ()
    jumps: tuple[ClockJump, ...] = ()
    workers: int = 0
    allowance: int = 0
    queue: tuple[QueueFault, ...] = ()

    def to_json(self) -> str:
        """The plan as JSON; see ``from_json``."""
        return msgspec.json.encode(self).decode()

    @property
    def faults(self) -> int:
        """How many faults it has."""
        return len(self.models) + len(self.store) + len(self.processes) + len(self.jumps) + len(self.queue)

    def unbroken(self) -> "Plan":
        """The same world without any fault."""
        return replace(self, models=(), store=(), processes=(), jumps=(), viewer=False, shuffled=False)


def from_json(text: str) -> Plan:
    """A plan from its JSON.

    Raises:
        ValueError: it is none.
    """
    return msgspec.json.decode(text, type=Plan)


def make_plan(seed: int, mode: Mode | None = None) -> Plan:
    """The plan of a seed: of eight seeds two are ``same``, one has ``workers``, five are ``wild``, if no mode is given.

    Each seed has only some kinds of faults, so that rare pairs of them also occur alone.
    """
    mode = mode or MODES.get(seed % 8, "wild")
    random = Random(f"plan {seed} {mode}")
    number = random.choice((2, 2, 2, 3)) if random.random() < LARGE else 1
    number = random.choice((1, 1, 2, 3)) if mode == "workers" else number
    large = number == 1 and random.random() < LARGE
    debates = tuple(_debate(random, f"d{n}", mode, large=large) for n in range(number))
    plan = Plan(
        seed=seed,
        mode=mode,
        debates=debates,
        delay=random.choice((0.0, 0.05, 2.0, 20.0)),
        store_delay=random.choice((0.0, 0.002, 0.05, 3.0)),
        in_flight=random.choice((1, 2, 3, 50, 50)),
        places=random.choice((1, 2, 8)),
        viewer=random.random() < 0.3,
        remarks=random.randint(1, 4) if mode != "same" and random.random() < 0.3 else 0,
        late=random.choice((0.5, 0.5, 5.0, 5.0, 20.0, 100.0 if large else 5.0)),
    )
    if mode == "workers":
        plan = replace(plan, workers=random.choice((1, 2, 2, 3)), allowance=random.choice((0, 0, 1, 2)))
        plan = replace(plan, queue=_queue_faults(random))
    return replace(
        plan,
        models=_model_faults(random, plan),
        store=_store_faults(random),
        processes=_process_faults(random, mode),
        jumps=_jumps(random),
    )


def brief_of(plan: Plan, debate: SimulatedDebate) -> Brief:
    """The brief of a debate; each persona has a mark that nobody else may see."""
    people: list[Participant] = []
    names = NAMES[: debate.debaters]
    for name in names:
        if debate.person and name == PERSON:
            stand_in = SECOND if debate.stand_in and debate.deadline else ""
            persona = f"Your mark is {mark(debate.id, name)}."
            person = Participant(name=name, seat="human", persona=persona, deadline=debate.deadline, stand_in=stand_in)
            people.append(person)
            continue
        people.append(
            Participant(
                name=name,
                seat=FIRST,
                persona=f"Your mark is {mark(debate.id, name)}.",
                fallback=(SECOND,) if debate.fallback else (),
                hide=(names[-1],) if debate.hides and name == names[0] else (),
            )
        )
    if debate.chair:
        persona = f"Your mark is {mark(debate.id, CHAIR)}."
        people.append(Participant(name=CHAIR, duty="moderator", seat=FIRST, persona=persona))
    options = ("yes", "no") if debate.options else ()
    return Brief(
        topic=f"Tea or coffee, in {debate.id}?",
        participants=tuple(people),
        options=options,
        limits=debate.limits,
        seed=plan.seed % 7,
    )


def mark(debate: str, who: str) -> str:
    """The secret mark of a participant."""
    return f"mark-{debate}-{who}-{sum(map(ord, debate + who)) * 7919 % 10**6:06d}"


def _debate(random: Random, name: str, mode: Mode, *, large: bool) -> SimulatedDebate:
    names = [one for one, _ in PROTOCOLS if large or one not in LONG or random.random() < LARGE]
    protocol = random.choices(names, [weight for one, weight in PROTOCOLS if one in names])[0]
    least = 3 if protocol == "fishbowl" else 2
    debaters = random.randint(least, 4) if large else max(least, random.choice((2, 2, 2, 2, 3)))
    wild = mode != "same"
    person = random.random() < 0.25
    deadline = random.choice((None, 5.0, 60.0)) if wild and person else None
    return SimulatedDebate(
        id=name,
        protocol=protocol,
        debaters=debaters,
        rounds=None if protocol == "arena" else random.choice((None, 1, 2) if large else (1, 1, 1, 1, 2)),
        options=random.random() < 0.3,
        chair=protocol in ("moderated", "chaired") or random.random() < 0.15,
        person=person,
        deadline=deadline,
        stand_in=random.random() < 0.5,
        fallback=wild and random.random() < 0.25,
        hides=random.random() < 0.3,
        limits=_limits(random, mode),
    )


def _limits(random: Random, mode: Mode) -> Limits:
    limits = Limits(turn_seconds=3_600.0 if mode == "same" else random.choice((3.0, 30.0, 120.0)))
    limits = replace(limits, parallel=random.choice((1, 2, 16)))
    if mode != "wild":
        return limits
    if random.random() < 0.3:
        limits = replace(limits, tokens=random.choice((6_000, 12_000, 40_000)))
    if random.random() < 0.2:
        limits = replace(limits, cost=random.choice((0.004, 0.01, 0.05)))
    if random.random() < 0.15:
        limits = replace(limits, asks=random.choice((3, 8, 20)))
    if random.random() < 0.15:
        limits = replace(limits, total_seconds=random.choice((5.0, 60.0, 600.0)))
    return limits


def _model_faults(random: Random, plan: Plan) -> tuple[ModelFault, ...]:
    if random.random() < 0.3:
        return ()
    kinds = [kind for kind in PASSING + (LASTING if plan.mode != "same" else ()) if random.random() < 0.3]
    share = random.choice((0.05, 0.15, 0.3, 0.3 if plan.mode == "same" else 0.8))
    faults: list[ModelFault] = []
    for debate in plan.debates:
        for who in (*NAMES[: debate.debaters], CHAIR):
            for send in range(1, 13):
                if kinds and random.random() < share:
                    seconds = random.choice((0.0, 0.5, 7.0, 50.0))
                    faults.append(
                        ModelFault(debate=debate.id, who=who, send=send, kind=random.choice(kinds), seconds=seconds)
                    )
    return tuple(faults)


def _store_faults(random: Random) -> tuple[StoreFault, ...]:
    if random.random() < 0.5:
        return ()
    kinds = random.sample(("refused", "unsure", "full", "slow", "unread"), random.randint(1, 3))
    return tuple(
        StoreFault(number=number, kind=random.choice(kinds), seconds=random.choice((0.2, 3.0, 40.0)))
        for number in range(1, 60)
        if random.random() < 0.05
    )


def _queue_faults(random: Random) -> tuple[QueueFault, ...]:
    if random.random() < 0.4:
        return ()
    kinds = random.sample(("away", "unsure", "slow"), random.randint(1, 2))
    share = random.choice((0.02, 0.1))
    return tuple(
        QueueFault(number=number, kind=random.choice(kinds), seconds=random.choice((0.5, 6.0, 40.0)))
        for number in range(1, 80)
        if random.random() < share
    )


def _process_faults(random: Random, mode: Mode) -> tuple[ProcessFault, ...]:
    if mode == "workers":
        return _worker_faults(random)
    kinds = [kind for kind in ("kill", "kill", "freeze", "cancel", "stop", "second") if random.random() < 0.4]
    faults: list[ProcessFault] = []
    for life in range(1, random.choice((1, 1, 2, 2, 4)) + 1):
        for kind in kinds:
            if random.random() < 0.7:
                at = round(random.choice((random.uniform(0, 0.2), random.expovariate(1 / 8))), 4)
                seconds = random.choice((0.5, 20.0, 8_000.0)) if kind == "freeze" else 0.0
                faults.append(ProcessFault(life=life, at=at, kind=kind, seconds=seconds))
    return tuple(faults)


def _worker_faults(random: Random) -> tuple[ProcessFault, ...]:
    kinds = [kind for kind in ("kill", "kill", "freeze", "cancel", "stop") if random.random() < 0.4]
    faults: list[ProcessFault] = []
    for life in range(1, random.choice((1, 3, 6)) + 1):
        if kinds and random.random() < 0.7:
            at = round(random.choice((random.uniform(0, 1), random.expovariate(1 / 10))), 4)
            seconds = random.choice((2.0, 20.0, 300.0))
            faults.append(ProcessFault(life=life, at=at, kind=random.choice(kinds), seconds=seconds))
    if random.random() < 0.25:
        kind = random.choice(("withdraw", "withdraw now"))
        faults.append(ProcessFault(life=0, at=round(random.expovariate(1 / 10), 4), kind=kind))
    return tuple(faults)


def _jumps(random: Random) -> tuple[ClockJump, ...]:
    if random.random() < 0.75:
        return ()
    return tuple(
        ClockJump(at=round(random.uniform(0, 30), 2), seconds=random.choice((-86_400.0, -30.0, 3_600.0, 1e6)))
        for _ in range(2)
    )
