"""Plans in which what chance rarely brings together happens.

Each is aimed at one promise of votes, of people or of the circuit breaker.
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
    SimulatedDebate,
    StoreFault,
)

NARROWED = 0.1
"""The share of wild plans that are aimed at something."""


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
