"""Agents of a program as participants: functions, people, and agents of other packages (``moot.register``).

No package is imported to recognise its objects: an object can be one of a package's own only if that package is loaded
already.
"""

import inspect
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from moot.app.brief.field_values import seconds
from moot.app.program.in_place import Asking, InPlace, console
from moot.app.run.people import HUMAN
from moot.core.brief import Brief, Duty, Participant
from moot.core.errors import BriefError
from moot.models.base import Model
from moot.models.custom import FunctionAgent
from moot.models.custom_langchain import ChatModel
from moot.models.custom_pydantic_ai import PydanticAgent
from moot.models.pool import GUEST, Pool

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from pydantic_ai.agent import AbstractAgent

ALLOWED = "a function of one str that gives a str (async or plain), a PydanticAI Agent or a LangChain chat model"
"""What can be a guest, in words."""


def register(pool: Pool, name: str, agent: object) -> str:
    """Seat an agent of another package, or a function.

    Args:
        pool: the models of the workspace that runs the debate.
        name: what the seat is called; each guest of a pool needs a name of its own.
        agent: an async or plain function ``str -> str``, a PydanticAI ``Agent`` or a LangChain ``BaseChatModel``.

    Returns:
        The seat for ``Participant.seat``: ``guest:name``.

    Raises:
        BriefError: the agent is nothing that can be a guest, or another one has that name.
    """
    pool.lend(name, adapter(name, agent))
    return f"{GUEST}{name}"


def inside(brief: Brief) -> tuple[str, ...]:
    """The names of those who answer from within a program: their debate goes on there alone."""
    return tuple(participant.name for participant in brief.participants if participant.seat.startswith(GUEST))


def adapter(name: str, agent: object) -> Model:
    """The agent as a model called ``guest:name``.

    Raises:
        BriefError: it is nothing that can be a guest.
    """
    if not name.strip():
        raise BriefError("a guest needs a name", code="bad_name")
    if isinstance(agent, type):
        raise BriefError(f"{name} is the class {agent.__name__}; an agent is an object of it", code="bad_agent")
    if _is_a(agent, "langchain_core.language_models.chat_models", "BaseChatModel"):
        return ChatModel(name, cast("BaseChatModel", agent))
    if _is_a(agent, "pydantic_ai.agent.abstract", "AbstractAgent"):
        return _agent(name, cast("AbstractAgent[None, str]", agent))
    if not callable(agent):
        raise BriefError(f"{name} is an object of type {type(agent).__name__}; an agent is {ALLOWED}", code="bad_agent")
    if not _takes_text(agent):
        raise BriefError(f"{name} cannot be called with one text; an agent is {ALLOWED}", code="bad_agent")
    return FunctionAgent(name, agent)


def _is_a(agent: object, module: str, name: str) -> bool:
    """Whether the agent is an object of that class; it cannot be where the module is not loaded."""
    kind = getattr(sys.modules.get(module), name, None)
    return isinstance(kind, type) and isinstance(agent, kind)


def _agent(name: str, agent: "AbstractAgent[None, str]") -> Model:
    if agent.output_type is not str:
        kind = getattr(agent.output_type, "__name__", str(agent.output_type))
        raise BriefError(f"{name} gives a {kind}; an agent at the table must give a str", code="bad_agent")
    return PydanticAgent(name, agent)


def _takes_text(agent: object) -> bool:
    """Whether a function can be called with one argument, as far as it says what it takes."""
    try:
        signature = inspect.signature(agent)  # pyright: ignore[reportArgumentType]
    except ValueError:
        return True
    try:
        signature.bind("")
    except TypeError:
        return False
    return True


PERSON = "Human"
"""The name of a person who is given none."""


class HumanAgent:
    """A person: asked at the console, or by a function of the program.

    Args:
        name: what the person is called in the debate.
        input_handler: how the person is asked: the question in, the answer out, async or plain; None for the console.
        deadline: how long the person has for an answer: seconds, or in words as in a brief (``3d``); None: as long as
            it takes.
        stand_in: the seat that answers when the time is up (``ollama:llama3.2``); "" for nobody.

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


def _deadline(name: str, given: float | str | None) -> float | None:
    if given is None:
        return None
    found = seconds(given) if isinstance(given, str) else given
    if not 0 < found < math.inf:
        allowed = "seconds, more than 0, or a length of time such as 30s, 10m, 2h, 2d or 1w"
        raise BriefError(f"{name}: the deadline is {given!r}; it must be {allowed}", code="out_of_range")
    return float(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seating:
    """The agents of a program at their table.

    Attributes:
        participants: them as participants; guests have no seat yet.
        guests: those who answer from within the program, by name.
        people: how people are asked in place, by name.
    """

    participants: tuple[Participant, ...]
    guests: Mapping[str, object] = field(default_factory=dict[str, object])
    people: Mapping[str, Asking] = field(default_factory=dict[str, Asking])

    def seat(self, pool: Pool) -> tuple[Participant, ...]:
        """The participants with their seats; guests are lent to the pool.

        Raises:
            BriefError: something that can be no guest, or another guest of the pool has that name.
        """
        seats = {name: register(pool, name, agent) for name, agent in self.guests.items()}
        return tuple(
            replace(participant, seat=seats.get(participant.name, participant.seat))
            for participant in self.participants
        )

    @property
    def interface(self) -> InPlace | None:
        """The way to ask its people in place; None where nobody is asked so."""
        return InPlace(self.people) if self.people else None


def sitting(seated: Sequence[tuple[Participant, object]]) -> Seating:
    """Participants at a table, each with the agent that answers for it; None and a seat's name are no guests."""
    return Seating(
        participants=tuple(who for who, _ in seated),
        guests={who.name: agent for who, agent in seated if is_guest(agent)},
        people={who.name: agent.input_handler or console for who, agent in seated if isinstance(agent, HumanAgent)},
    )


def is_guest(agent: object) -> bool:
    """Whether an agent is neither described nor a person nor a seat's name, so that the program answers for it."""
    return agent is not None and not isinstance(agent, Participant | HumanAgent | str)


def described_by(name: str, agent: object, *, duty: Duty = "debater", weight: float | None = None) -> Participant:
    """An agent as a participant of that name; a guest has no seat yet.

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
            who = Participant(name=name, seat=HUMAN, duty=duty, weight=weight)
            return replace(who, deadline=agent.deadline, stand_in=agent.stand_in)
        case str():
            return Participant(name=name, seat=agent, duty=duty, weight=weight)
        case _:
            return Participant(name=name, duty=duty, weight=weight)
