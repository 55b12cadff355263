"""Plans in which what chance rarely brings together happens.

With workers each is aimed at one promise of the queue, without them at one of votes or of the circuit breaker.
"""

from dataclasses import replace
from random import Random

from folkmoot.core.brief import Limits
from folkmoot.phases.choices import STRATEGIES
from folkmoot.policy.rules import MAJORITY, PLURALITY
from tests.simulator.fault_plan import (
    NAMES,
    ModelFault,
    Plan,
    ProcessFault,
    QueueFault,
    SimulatedDebate,
    StoreFault,
)

AIMS = ("", "", "", "lapse", "late", "limits", "tries", "schedule")
"""What a plan is aimed at: a lease that lapses while its worker is frozen, one whose answer comes late, calls of many
workers under one limit, workers that end one after the other before any answer, a schedule that several look at;
"" at nothing."""


TOKENS = 20_000
"""The tokens of a minute, where a world has such a limit."""

NARROWED = 0.1
"""The share of wild plans that are aimed at something."""


def aimed(random: Random, plan: Plan, aim: str) -> Plan:
    """The plan, changed so that what it is aimed at happens."""
    busy = replace(plan, delay=2.0, store_delay=0.05, allowance=0, models=plan.models[:4])
    match aim:
        case "lapse":
            freezes = [_fault(random, life, 12.0, "freeze", random.uniform(15, 24)) for life in (1, 2)]
            workers = random.choice((1, 1, 2))
            return replace(busy, workers=workers, processes=tuple(freezes), queue=(), delay=20.0)
        case "late":
            return _late(random, busy)
        case "limits":
            return _limited(random, busy)
        case "tries":
            ends = [_fault(random, life, 4.0, random.choice(("kill", "kill", "freeze")), 300.0) for life in range(1, 9)]
            return replace(plan, delay=20.0, processes=tuple(ends), queue=())
        case "schedule":
            missed = Random(f"missed {plan.seed}").choice((0.0, 0.0, 540.0, 720.0))
            plan = replace(
                plan, scheduled=True, missed=missed, workers=random.choice((2, 2, 3)), debates=plan.debates[:1]
            )
            return replace(plan, queue=_lost_answers(random)) if random.random() < 0.5 else plan
        case _:
            return plan


def narrowed(random: Random, plan: Plan) -> Plan:
    """The plan, or one of the few that are aimed at something: a close vote, a model that fails for a while, a person
    who is late, remarks just before the end, event loops that end."""
    if random.random() > NARROWED:
        return plan
    plan = replace(plan, debates=plan.debates[:1], processes=plan.processes[:1])
    match random.choice(("vote", "vote", "vote", "outage", "remarks", "ends", "person")):
        case "vote":
            return _close_vote(random, plan)
        case "outage":
            return _outage(random, plan)
        case "person":
            return _late_person(random, plan)
        case "remarks":
            quick = replace(plan.debates[0], rounds=1, person=False)
            return replace(plan, debates=(quick,), remarks=4, late=0.0, delay=0.05, store_delay=0.0, jumps=())
        case _:
            ends = [_fault(random, life, 6.0, "end", 0.0) for life in (1, 2, 3)]
            plan = replace(plan, processes=tuple(ends), delay=2.0, store_delay=3.0, viewer=True)
            return replace(plan, store=_parts(random)) if random.random() < 0.3 else plan


def _parts(random: Random) -> tuple[StoreFault, ...]:
    """Appends of which only a part is stored; some of them are on their way when an event loop ends."""
    return tuple(StoreFault(number=number, kind="part") for number in range(3, 30) if random.random() < 0.25)


def _close_vote(random: Random, plan: Plan) -> Plan:
    """A vote in which a leader may have exactly the share that the rule asks for.

    Every second one needs more than half, and all four answer: only then a leader can have just the half.
    """
    rules = sorted(name for name, rule in STRATEGIES.items() if rule != PLURALITY)
    halves = [name for name in rules if STRATEGIES[name] == MAJORITY]
    half = random.random() < 0.5
    rule = random.choice(halves if half else [name for name in rules if name not in halves])
    debate = SimulatedDebate(
        id="d0",
        debaters=4 if half else random.choice((2, 3, 4)),
        rounds=1,
        options=True,
        third=half or random.random() < 0.5,
        strategy=rule,
        limits=replace(plan.debates[0].limits, asks=Limits().asks, tokens=None, cost=None, total_seconds=None),
    )
    return replace(plan, debates=(debate,), models=() if half else plan.models[:3], jumps=())


def _outage(random: Random, plan: Plan) -> Plan:
    """All meet a model that answers nobody for a while, but for a person; so the debate does not pause.

    A slow one lets the cooldown of the circuit breaker go by, so that trials are let through. In four of ten of these
    worlds the model answers some, whose answers lie between the failures of the others.
    """
    debate = SimulatedDebate(id="d0", debaters=4, rounds=3, person=True)
    kind = random.choice(("500", "no connection", "reset"))
    names = NAMES[: 2 if Random(f"partial {plan.seed}").random() < 0.4 else debate.debaters]
    models = [ModelFault(debate="d0", who=who, send=send, kind=kind) for who in names for send in range(1, 13)]
    quiet = replace(plan, store=(), processes=(), jumps=(), store_delay=0.0, late=random.choice((plan.late, 100.0)))
    return replace(quiet, debates=(debate,), models=tuple(models))


def _late_person(random: Random, plan: Plan) -> Plan:
    """A person who takes long: longer than the whole debate may take, or than the person may."""
    timed = random.random() < 0.5
    limits = Limits(turn_seconds=120.0, total_seconds=None if timed else 60.0)
    debate = SimulatedDebate(
        id="d0", debaters=2, rounds=2, person=True, deadline=60.0 if timed else None, limits=limits
    )
    kills = [_fault(random, life, 30.0, "kill", 0.0) for life in (1, 2)] if timed else []
    quiet = replace(plan, models=(), store=(), jumps=(), delay=2.0, store_delay=0.0, late=400.0 if timed else 100.0)
    return replace(quiet, debates=(debate,), processes=tuple(kills))


def _fault(random: Random, life: int, most: float, kind: str, seconds: float) -> ProcessFault:
    return ProcessFault(life=life, at=round(random.uniform(0.5, most), 4), kind=kind, seconds=round(seconds, 4))


def _late(random: Random, plan: Plan) -> Plan:
    """Answers of the queue come late, and then it is away: who counts a lease from its answer writes too long."""
    debates = [replace(debate, rounds=2, limits=replace(debate.limits, parallel=1)) for debate in plan.debates]
    away = QueueFault(number=random.randint(10, 24), kind="away", seconds=40.0)
    late = [
        QueueFault(number=number, kind="late", seconds=random.choice((2.0, 8.0, 8.0)))
        for number in range(5, away.number)
        if random.random() < 0.7
    ]
    return replace(plan, debates=tuple(debates), processes=(), store=(), queue=(*late, away))


def _lost_answers(random: Random) -> tuple[QueueFault, ...]:
    """Answers of the queue are lost, also about the moments in which a schedule begins a debate."""
    share = random.choice((0.15, 0.3))
    return tuple(
        QueueFault(number=number, kind=random.choice(("unsure", "unsure", "away")), seconds=0.02)
        for number in range(65, 270)
        if random.random() < share
    )


def _limited(random: Random, plan: Plan) -> Plan:
    """Several workers have more calls than the limit of all of them, in flight or in a minute.

    In half of the former and all of the latter nothing else fails.
    """
    debates = tuple(replace(debate, limits=replace(debate.limits, parallel=16)) for debate in plan.debates)
    debates = debates if len(debates) > 1 else (*debates, *(replace(debate, id="d1") for debate in debates))
    if random.random() < 0.5:
        plan = replace(plan, queue=(), processes=())
    workers, allowance = random.choice((2, 3)), random.choice((1, 2))
    plan = replace(plan, debates=debates, workers=workers, places=1, in_flight=50, allowance=allowance)
    kind = Random(f"minutes {plan.seed}").choice(("", "requests", "tokens"))
    withdrawn = any(fault.life == 0 for fault in plan.processes)
    return _limited_by_minute(plan, kind) if kind and not withdrawn else plan


def _limited_by_minute(plan: Plan, kind: str) -> Plan:
    """Several workers have more requests or tokens than the limit of a minute; whoever waits has time for that."""
    debates = [replace(debate, limits=replace(debate.limits, turn_seconds=120.0)) for debate in plan.debates[:2]]
    quiet = replace(plan, debates=tuple(debates), allowance=0, models=(), store=(), processes=(), queue=())
    return replace(quiet, requests=8) if kind == "requests" else replace(quiet, tokens=TOKENS)
