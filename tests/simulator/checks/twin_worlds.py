"""Two worlds without faults that must have the same debate: what differs between them must make no difference."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from folkmoot.app.brief.participants import needs_moderator
from folkmoot.core.brief import Limits
from folkmoot.core.decision import Decision
from folkmoot.core.event import Asked, Called, Closed, Entered, Entry, Halted, Replied, Ruled
from tests.simulator.fault_plan import Plan, SimulatedDebate
from tests.simulator.invariants import Violation
from tests.simulator.plan_drawing import LONG, PROTOCOLS, STRATEGIES

EVERY = 384
"""Of so many seeds few have such a pair."""

KINDS: Mapping[int, str] = {3: "I24", 131: "I26", 259: "I32", 323: "I26"}
"""By the remainder of a seed the invariant that its pair shows."""

MOST_APART = 0.05
"""Seconds by which two virtual times may differ: each step of a loop takes a little."""

Entries = Mapping[str, Sequence[Entry]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Twins:
    """Two worlds.

    Attributes:
        number: the invariant that they show.
        one: the first world.
        other: the second one.
    """

    number: str
    one: Plan
    other: Plan

    @property
    def same_brief(self) -> bool:
        """Whether both have the same brief."""
        return self.number != "I24"

    def differ(self, entries: Entries, wanted: Entries) -> Violation | None:
        """The violation where their debates are not the same."""
        look = {"I24": _outcome, "I26": _course, "I32": _times}[self.number]
        for debate, record in entries.items():
            one, other = look(record), look(wanted[debate])
            for a, b in zip(one, other, strict=False):
                if not _same(a, b):
                    return Violation(self.number, f"{debate}: {str(a)[:300]} and {str(b)[:300]}")
            if len(one) != len(other):
                return Violation(self.number, f"{debate}: {len(one)} things and {len(other)}")
        return None


def twins_of(plan: Plan) -> Twins | None:
    """The pair of a seed; None for most."""
    number = KINDS.get(plan.seed % EVERY)
    if number is None or plan.mode != "same":
        return None
    random = Random(f"twins {plan.seed}")
    base = Plan(seed=plan.seed, mode="same", shuffled=False, delay=random.choice((0.05, 2.0)))
    if number == "I24":
        debate = _voting(random)
        return _pair(number, base, replace(debate, twin="named"), replace(debate, twin="turned"))
    protocol = random.choice([name for name, often in PROTOCOLS if often and name not in LONG])
    chair = bool(needs_moderator(protocol, "")) or random.random() < 0.3
    options = random.random() < 0.4
    debate = SimulatedDebate(
        id="d0", protocol=protocol, debaters=3, rounds=2, chair=chair, options=options, limits=_WIDE
    )
    if number == "I26":
        return _pair(number, base, debate, replace(debate, twin="adverse"))
    plain = replace(base, debates=(debate,), delay=2.0)
    return Twins(number=number, one=plain, other=replace(plain, viewer=True, slow=30.0))


_WIDE = Limits(turn_seconds=3_600.0)


def _voting(random: Random) -> SimulatedDebate:
    """A debate that does not depend on an order: all answer in parallel, and their answers are counted."""
    return SimulatedDebate(
        id="d0",
        debaters=random.choice((2, 3, 4)),
        rounds=random.choice((1, 2)),
        options=True,
        third=random.random() < 0.5,
        strategy=random.choice([name for name, _ in STRATEGIES]),
        limits=_WIDE,
    )


def _pair(number: str, base: Plan, one: SimulatedDebate, other: SimulatedDebate) -> Twins:
    return Twins(number=number, one=replace(base, debates=(one,)), other=replace(base, debates=(other,)))


# ---- what is compared ------------------------------------------------------------------------------------------------


def _outcome(record: Sequence[Entry]) -> list[object]:
    """What was asked and answered, by name, and the decision, without any order."""
    names = {entry.event.ask.key: entry.event.ask.to for entry in record if isinstance(entry.event, Asked)}
    questions = sorted(f"{key.partition('#')[0]} {name}" for key, name in names.items())
    answers = sorted(
        f"{key.partition('#')[0]} {names[key]}: {entry.event.reply.fields.get('ANSWER')}"
        for entry in record
        if isinstance(entry.event, Replied) and (key := entry.event.key)
    )
    decisions = [_decided(entry.event.decision) for entry in record if isinstance(entry.event, Ruled)]
    return [questions, answers, *decisions, *_closed(record)]


def _decided(decision: Decision) -> tuple[object, ...]:
    ballots = sorted((ballot.voter, ballot.choice, ballot.state, ballot.weight) for ballot in decision.ballots)
    result = decision.status, decision.winner, decision.rule, decision.strength
    return (*result, round(decision.share, 9), sorted(decision.tally.items()), sorted(decision.support), ballots)


def _closed(record: Sequence[Entry]) -> list[object]:
    return [entry.event.status for entry in record if isinstance(entry.event, Closed)]


def _course(record: Sequence[Entry]) -> list[object]:
    """Who was asked what, in which phases, with how many calls, and the decision."""
    steps: list[object] = []
    for entry in record:
        match entry.event:
            case Asked(ask=ask):
                steps.append((ask.key, ask.to, ask.act, ask.about, ask.audience))
            case Entered(path=path) | Halted(path=path):
                steps.append(path)
            case Called(key=key, call=call):
                steps.append((key, call))
            case Ruled(decision=decision):
                steps.append(_decided(decision))
            case _:
                pass
    return [*steps, *_closed(record)]


def _times(record: Sequence[Entry]) -> list[object]:
    """What happened, and when."""
    return [(str(entry.event), entry.at) for entry in record]


def _same(one: object, other: object) -> bool:
    match one, other:
        case (str(a), float(at)), (str(b), float(then)):
            return a == b and abs(at - then) <= MOST_APART
        case _:
            return one == other
