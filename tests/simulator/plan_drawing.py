"""Draw the plan of a seed: the debates of a world and its faults."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

from folkmoot.app.brief.participants import needs_moderator
from folkmoot.core.brief import Limits
from tests.simulator.aimed_plans import narrowed
from tests.simulator.fault_plan import (
    CHAIR,
    LASTING,
    NAMES,
    PASSING,
    STEP,
    ClockJump,
    Mode,
    ModelFault,
    Plan,
    ProcessFault,
    SimulatedDebate,
    StoreFault,
)

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
    ("board", 2),
    (STEP, 0),
)
"""The protocols, and how often each is drawn; the debate step in place of some councils."""

STRATEGIES = (("", 3), ("weighted", 1), ("absolute", 1), ("supermajority", 1), ("unanimous", 1))
"""The rules of a vote, and how often each is drawn; "" is the protocol's own."""

MODES: Mapping[int, Mode] = {3: "same", 7: "same"}
"""By the remainder of a seed the mode that is not ``wild``."""

LONG = ("arena", "fishbowl")
"""Protocols that ask so much that a small world rarely has one of them."""

LARGE = 0.06
"""The share of worlds that have more participants and rounds; a small one finds nearly as much."""


def make_plan(seed: int, mode: Mode | None = None) -> Plan:
    """The plan of a seed: of eight seeds two are ``same`` and six are ``wild``, if no mode is given.

    Each seed has only some kinds of faults, so that rare pairs of them also occur alone.
    """
    mode = mode or MODES.get(seed % 8, "wild")
    random = Random(f"plan {seed} {mode}")
    number = random.choice((2, 2, 2, 3)) if random.random() < LARGE else 1
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
    plan = replace(
        plan,
        models=_model_faults(random, plan),
        store=_store_faults(random),
        processes=_process_faults(random),
        jumps=_jumps(random),
    )
    plan = _varied(Random(f"vary {seed} {mode}"), plan)
    return narrowed(Random(f"narrow {seed} {mode}"), plan) if mode == "wild" else plan


def _varied(random: Random, plan: Plan) -> Plan:
    """The plan, where a council may be a debate step, two may follow the debate, and a provider may count more."""
    if random.random() < 0.4:
        weighs = Random(f"weighted {plan.seed}").random() < 0.6
        debates = [
            _as_step(random, debate, weighs=weighs) if debate.protocol == "council" else debate
            for debate in plan.debates
        ]
        plan = replace(plan, debates=tuple(debates))
    if plan.viewer and random.random() < 0.3:
        plan = replace(plan, ring=random.choice((4, 12)))
    if plan.mode == "wild" and random.random() < 0.2:
        plan = replace(plan, counts=random.choice((2, 3)))
        if plan.counts == 3:  # two calls fit by their estimates, and only one by what they may use
            tokens, cost = Random(f"costs {plan.seed}").choice(((6_000, None), (None, 0.0035)))
            limits = replace(plan.debates[0].limits, tokens=tokens, cost=cost, parallel=16)
            plan = replace(plan, debates=(replace(plan.debates[0], limits=limits), *plan.debates[1:]), in_flight=50)
            plan = _busy(plan) if Random(f"busy {plan.seed}").random() < 0.5 else plan
    return plan


def _busy(plan: Plan) -> Plan:
    """The plan, where the provider asks to wait while other calls wait for the end of those in flight."""
    faults = [
        ModelFault(debate="d0", who=who, send=send, kind="429", seconds=7.0) for who in NAMES for send in (1, 3, 4)
    ]
    return replace(plan, models=tuple(faults), jumps=())


def _as_step(random: Random, debate: SimulatedDebate, *, weighs: bool) -> SimulatedDebate:
    strategy = random.choice(("weighted" if weighs else "", "", "unanimous"))
    return replace(debate, protocol=STEP, strategy=strategy, options=False, third=False)


def _debate(random: Random, name: str, mode: Mode, *, large: bool) -> SimulatedDebate:
    names = [one for one, _ in PROTOCOLS if large or one not in LONG or random.random() < LARGE]
    protocol = random.choices(names, [weight for one, weight in PROTOCOLS if one in names])[0]
    least = 3 if protocol == "fishbowl" else 2
    debaters = random.randint(least, 4) if large else max(least, 3 if random.random() < 0.12 else 2)
    wild = mode != "same"
    person = random.random() < 0.25
    deadline = random.choice((None, 5.0, 60.0)) if wild and person else None
    return SimulatedDebate(
        id=name,
        protocol=protocol,
        debaters=debaters,
        rounds=None if protocol == "arena" else random.choice((None, 1, 2) if large else (1, 1, 1, 1, 1, 1, 1, 2)),
        options=random.random() < 0.3,
        chair=bool(needs_moderator(protocol, "")) or random.random() < 0.15,
        person=person,
        deadline=deadline,
        stand_in=random.random() < 0.5,
        fallback=wild and random.random() < 0.25,
        hides=random.random() < 0.3,
        strategy=_weighted(random, STRATEGIES) if protocol in ("panel", "council") else "",
        limits=_limits(random, mode, debaters),
    )


def _weighted(random: Random, pairs: Sequence[tuple[str, int]]) -> str:
    """A name, drawn as often as its number says."""
    return random.choice([name for name, often in pairs for _ in range(often)])


def _limits(random: Random, mode: Mode, debaters: int) -> Limits:
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
    if debaters > 2 and random.random() < 0.5:
        limits = replace(limits, quorum=2, grace=random.choice((0.0, 0.5, 10.0)))
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
    kinds = random.sample(("refused", "unsure", "full", "slow", "unread", "part"), random.randint(1, 3))
    return tuple(
        StoreFault(number=number, kind=random.choice(kinds), seconds=random.choice((0.2, 3.0, 40.0)))
        for number in range(1, 60)
        if random.random() < 0.05
    )


def _process_faults(random: Random) -> tuple[ProcessFault, ...]:
    kinds = [kind for kind in ("kill", "kill", "freeze", "cancel", "stop", "second") if random.random() < 0.4]
    faults: list[ProcessFault] = []
    for life in range(1, random.choice((1, 1, 2, 2, 4)) + 1):
        for kind in kinds:
            if random.random() < 0.7:
                at = round(random.choice((random.uniform(0, 0.2), random.expovariate(1 / 8))), 4)
                seconds = random.choice((0.5, 20.0, 8_000.0)) if kind == "freeze" else 0.0
                faults.append(ProcessFault(life=life, at=at, kind=kind, seconds=seconds))
    return tuple(faults)


def _jumps(random: Random) -> tuple[ClockJump, ...]:
    if random.random() < 0.75:
        return ()
    return tuple(
        ClockJump(at=round(random.uniform(0, 30), 2), seconds=random.choice((-86_400.0, -30.0, 3_600.0, 1e6)))
        for _ in range(2)
    )
