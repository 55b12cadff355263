"""Agents of a program as participants: functions, people, and agents of other packages."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from folkmoot.app.brief.program_values import plain_participant
from folkmoot.app.brief.values import seconds
from folkmoot.app.plan.own_agents import adapter, register
from folkmoot.app.program.in_place import Asking, ProgramInterface, ask_at_console
from folkmoot.app.run.people import HUMAN
from folkmoot.core.brief import GUEST, Brief, Duty, Participant
from folkmoot.core.errors import BriefError
from folkmoot.models.pool import Pool

__all__ = ["adapter", "register"]


def names_inside(brief: Brief) -> tuple[str, ...]:
    """The names of the participants whose agents are in a program: only that program can continue their debate."""
    return tuple(participant.name for participant in brief.participants if participant.seat.startswith(GUEST))


PERSON = "Human"
"""The name of a person who is given none."""


class HumanAgent:
    """A person: asked at the console, or by a function of the program.

    Args:
        name: what the person is called in the debate.
        input_handler: how the person is asked: the question in, the answer out, async or plain; None for the console.
        deadline: how long the person has for an answer: seconds, or in words as in a brief (``3d``); None: as long as
            it takes.
        stand_in: the agent that answers when the time is up (``ollama:llama3.2``); "" for nobody.

    Raises:
        BriefError: a deadline that cannot be.
    """

    def __init__(
        self,
        name: str = PERSON,
        input_handler: Asking | None = None,
        *,
        deadline: float | str | None = None,
        stand_in: str = "",
    ) -> None:
        self.name, self.input_handler = name, input_handler
        self.deadline, self.stand_in = _deadline(name, deadline), stand_in


def _deadline(name: str, deadline: float | str | None) -> float | None:
    if deadline is None:
        return None
    limit = seconds(deadline) if isinstance(deadline, str) else deadline
    if not 0 < limit < math.inf:
        allowed = "seconds, more than 0, or a length of time such as 30s, 10m, 2h, 2d or 1w"
        raise BriefError(f"{name}: the deadline is {deadline!r}; it must be {allowed}", code="out_of_range")
    return float(limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramAgents:
    """The agents of a program as participants of a debate.

    Attributes:
        participants: them as participants; guests have no seat yet.
        guests: those who answer from within the program, by name.
        people: how people are asked in place, by name.
    """

    participants: tuple[Participant, ...]
    guests: Mapping[str, object] = field(default_factory=dict[str, object])
    people: Mapping[str, Asking] = field(default_factory=dict[str, Asking])

    def seat(self, pool: Pool) -> tuple[Participant, ...]:
        """The participants with the names of their agents; the program's own agents are registered in the pool.

        Raises:
            BriefError: something that can be no guest, or another guest of the pool has that name.
        """
        seats = {name: register(pool, name, agent) for name, agent in self.guests.items()}
        return tuple(
            replace(participant, seat=seats.get(participant.name, participant.seat))
            for participant in self.participants
        )

    @property
    def interface(self) -> ProgramInterface | None:
        """The interface that asks the program's people; None if it has none."""
        return ProgramInterface(self.people) if self.people else None


def program_agents(seated: Sequence[tuple[Participant, object]]) -> ProgramAgents:
    """Participants, each with its agent. None and the name of a model are no agents of the program."""
    people = [(*plain_participant(participant), agent) for participant, agent in seated]
    return ProgramAgents(
        participants=tuple(participant for participant, _, _ in people),
        guests={
            participant.name: agent if model is None else model
            for participant, model, agent in people
            if model is not None or is_own_agent(agent)
        },
        people={
            participant.name: agent.input_handler or ask_at_console
            for participant, agent in seated
            if isinstance(agent, HumanAgent)
        },
    )


def is_own_agent(agent: object) -> bool:
    """Whether the program itself answers for an agent: it is neither a description, a person nor a model's name."""
    return agent is not None and not isinstance(agent, Participant | HumanAgent | str)


def participant_for(name: str, agent: object, *, duty: Duty = "debater", weight: float | None = None) -> Participant:
    """The participant for an agent; the program's own agents are not registered yet.

    Args:
        name: what it is called in the debate.
        agent: a Participant, a HumanAgent, a seat (``ollama:llama3.2``, ``human``), or a guest.
        duty: what it does there.
        weight: what its vote weighs; None for what the agent itself says.
    """
    match agent:
        case Participant():
            return replace(agent, name=name, duty=duty, weight=agent.weight if weight is None else weight)
        case HumanAgent():
            participant = Participant(name=name, seat=HUMAN, duty=duty, weight=weight)
            return replace(participant, deadline=agent.deadline, stand_in=agent.stand_in)
        case str():
            return Participant(name=name, seat=agent, duty=duty, weight=weight)
        case _:
            return Participant(name=name, duty=duty, weight=weight)
