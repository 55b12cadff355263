"""Who sits at a board's table. This file owns how a program describes members and timekeeper."""

from dataclasses import dataclass, field
from enum import Enum


class AgentType(Enum):
    """What somebody at a board's table does."""

    BOARD_MEMBER = "evaluates candidate"
    TIMEKEEPER = "manages process only"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeKeeper:
    """Whoever keeps the time and judges nothing.

    Attributes:
        name: what it is called at the table.
        agent: who answers for it, as for a member; None for the built-in one, which asks no model.
    """

    name: str = "TimeKeeper"
    agent: object = None
    type: AgentType = field(default=AgentType.TIMEKEEPER, init=False)


@dataclass(frozen=True, slots=True)
class BoardMember:
    """A member: the layer of instructions that is its own.

    Attributes:
        name: unique at the table.
        personality: what it is like.
        expertise: what it knows best; the others are told.
        speaking_style: how it talks.
        agent: who answers for it: a seat (``ollama:llama3.2``), a Participant, a function ``str -> str``, a PydanticAI
            Agent, a LangChain chat model, a HumanAgent, who is asked in place, or ``human`` for a person who answers
            from elsewhere (``moot answer``); None for the meeting's agent.
        weight: what its verdict weighs, with the strategy ``weighted``.
    """

    name: str
    personality: str = ""
    expertise: str = ""
    speaking_style: str = ""
    agent: object = None
    weight: float | None = None
    type: AgentType = field(default=AgentType.BOARD_MEMBER, init=False)
