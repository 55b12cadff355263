"""What happens in one simulated world: the debates, and every fault by its place.

Faults are listed and not drawn while the world runs. So one of them can be left out and all others stay where they are,
which is what makes shrinking work, and a plan can be written as JSON.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import msgspec

from folkmoot.core.brief import Brief, Limits, Participant
from folkmoot.phases.choices import Choices

Mode: TypeAlias = Literal["same", "wild"]
"""``same``: only faults that must change nothing, so the debate is compared with the unbroken one. ``wild``: all."""
Twin: TypeAlias = Literal["", "named", "turned", "adverse"]
NAMES = ("Ann", "Bob", "Cyd", "Dov")
CHAIR = "Chair"
STEP = "debate_step"
"""The debate step of a council, which no brief can name: its vote falls back to the first proposal."""

STEP_VOTING: Mapping[str, str] = {"": "majority", "unanimous": "consensus"}
"""What a strategy is called in a debate step, where it is not called the same."""

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
    then on every append fails for some seconds. ``slow``: it takes seconds. ``unread``: a read fails. ``part``: only
    the first half of the lines is stored, and the append fails. No store may do so, but a resume gets along with it.
    """

    number: int
    kind: str
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessFault:
    """What happens to a process, some seconds after its start.

    ``kill``, ``freeze`` (for some seconds), ``cancel`` (Ctrl-C), ``end`` (its event loop ends and cancels all tasks),
    ``stop`` (pause after the batch), ``second`` (another process starts to drive the same debates).
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
        third: whether there are three of them instead of two.
        chair: whether there is a moderator.
        person: whether one debater is a person.
        deadline: seconds that the person has.
        stand_in: whether a model answers where the person is late.
        fallback: whether models have a fallback.
        hides: whether the first debater does not see the last one.
        strategy: the rule of the vote; "" for that of the protocol. With ``weighted`` the first debater weighs more.
        limits: what it may use.
        twin: what it is compared with another for: ``named`` answers by who is asked and not by the number of the
            question, ``turned`` the same with all participants in the other order, ``adverse`` where one says
            words that look like ballots and rulings; "" for nothing.
    """

    id: str
    protocol: str = "panel"
    debaters: int = 2
    rounds: int | None = None
    options: bool = False
    third: bool = False
    chair: bool = False
    person: bool = False
    deadline: float | None = None
    stand_in: bool = False
    fallback: bool = False
    hides: bool = False
    strategy: str = ""
    limits: Limits = field(default_factory=Limits)
    twin: Twin = ""

    @property
    def choices(self) -> Choices:
        """What is chosen about its protocol."""
        return Choices(rounds=self.rounds, strategy=self.strategy)


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
        ring: how many lines are kept for two who follow it, one of them from behind or later; 0 for one, and for many.
        counts: how many times its own number of tokens the provider counts for a prompt; with 3 each answer is
            longer than its cap, too.
        slow: seconds that whoever follows it takes for each line.
        remarks: how many remarks of people come from outside.
        shuffled: whether the seed orders the tasks that are ready.
        late: the most seconds after which a person answers.
    """

    seed: int
    mode: Mode = "wild"
    debates: tuple[SimulatedDebate, ...] = ()
    delay: float = 0.0
    store_delay: float = 0.0
    in_flight: int = 50
    places: int = 8
    viewer: bool = False
    ring: int = 0
    counts: int = 1
    slow: float = 0.0
    remarks: int = 0
    shuffled: bool = True
    late: float = 1.0
    models: tuple[ModelFault, ...] = ()
    store: tuple[StoreFault, ...] = ()
    processes: tuple[ProcessFault, ...] = ()
    jumps: tuple[ClockJump, ...] = ()

    def to_json(self) -> str:
        """The plan as JSON; see ``from_json``."""
        return msgspec.json.encode(self).decode()

    @property
    def faults(self) -> int:
        """How many faults it has."""
        return len(self.models) + len(self.store) + len(self.processes) + len(self.jumps)

    def unbroken(self) -> "Plan":
        """The same world without any fault."""
        return replace(self, models=(), store=(), processes=(), jumps=(), viewer=False, shuffled=False)


def from_json(text: str) -> Plan:
    """A plan from its JSON.

    Raises:
        ValueError: it is none.
    """
    return msgspec.json.decode(text, type=Plan)


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
                weight=2.5 if debate.strategy == "weighted" and name == names[0] else 1.0,
            )
        )
    if debate.chair:
        persona = f"Your mark is {mark(debate.id, CHAIR)}."
        people.append(Participant(name=CHAIR, duty="moderator", seat=FIRST, persona=persona))
    options = ("yes", "no", *(("later",) if debate.third else ())) if debate.options else ()
    return Brief(
        topic=f"Tea or coffee, in {debate.id}?",
        participants=tuple(reversed(people) if debate.twin == "turned" else people),
        options=options,
        limits=debate.limits,
        seed=plan.seed % 7,
    )


def mark(debate: str, who: str) -> str:
    """The secret mark of a participant."""
    return f"mark-{debate}-{who}-{sum(map(ord, debate + who)) * 7919 % 10**6:06d}"
