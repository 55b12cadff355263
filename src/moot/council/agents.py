"""The agents of a council. This file owns what can be one, and how it becomes a participant."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import TypeAlias

from moot.core.brief import Duty, Participant, Settings
from moot.core.errors import BriefError
from moot.desk.guests import adapter
from moot.desk.inplace import Asking, console
from moot.desk.names import check_name, skeleton

PERSON = "Human"
"""The name of a person who is given none."""


class HumanAgent:
    """A person: asked at the console, or by a function of the program.

    Args:
        name: what the person is called at the table.
        input_handler: how the person is asked: the question in, the answer out, async or plain; None for the console.
        deadline: seconds that the person has for an answer; None: as long as it takes.
        stand_in: the seat that answers when the time is up (``ollama:llama3.2``); "" for nobody.
    """

    def __init__(
        self,
        name: str = PERSON,
        input_handler: Asking | None = None,
        *,
        deadline: float | None = None,
        stand_in: str = "",
    ) -> None:
        self.name, self.input_handler = name, input_handler
        self.deadline, self.stand_in = deadline, stand_in


class AgentWrapper:
    """An agent with a name and a level of expertise.

    Args:
        agent: what ``create_agent`` gives, a ``moot.Participant``, a seat (``ollama:llama3.2``), a function
            ``str -> str`` (async or plain), a PydanticAI ``Agent``, a LangChain chat model, or a HumanAgent.
        name: what it is called at the table; None for the name that a participant or a person has.
        expertise_level: the weight of its vote, 0 to 1; None counts as 0.5 where votes are weighted.

    Raises:
        BriefError: something that can be no agent, no name, or a level outside 0 to 1.
    """

    def __init__(self, agent: object, name: str | None = None, expertise_level: float | None = None) -> None:
        own = agent.name if isinstance(agent, Participant | HumanAgent) else ""
        self.agent, self.name, self.expertise_level = agent, own if name is None else name, expertise_level
        if expertise_level is not None and not 0 <= expertise_level <= 1:
            found = f"{self.name}: the level of expertise is {expertise_level}; it must be a number from 0 to 1"
            raise BriefError(found, code="out_of_range")
        if not self.name:
            raise BriefError("an agent needs a name: AgentWrapper(agent, name)", code="bad_name")
        if self.name != PERSON or not isinstance(agent, HumanAgent):
            self.name = check_name(self.name)
        if not isinstance(agent, Participant | HumanAgent | str):
            adapter(self.name, agent)


AgentLike: TypeAlias = AgentWrapper | HumanAgent | Participant
"""What a step takes as an agent; anything else is wrapped first."""


def create_agent(
    system_prompt: str, model: str | None = None, temperature: float | None = None, tools: Sequence[str] = ()
) -> Participant:
    """Describe an agent that Moot runs; a wrapper gives it its name.

    Args:
        system_prompt: the instructions that are its own.
        model: who answers, ``provider:name``; None for your default model, as in ``moot.debate``.
        temperature: of the model, 0 to 2; None leaves it to the model.
        tools: names of the tools it may use: ``search``, ``rag``, ``summarizer``, ``scorer``, ``mcp:NAME``.

    Raises:
        BriefError: a temperature or a tool that cannot be.
    """
    if temperature is not None and not 0 <= temperature <= 2:
        raise BriefError(f"the temperature is {temperature}; it must be a number from 0 to 2", code="out_of_range")
    if any(not isinstance(each, str) for each in tools):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BriefError("tools are named: search, rag, summarizer, scorer, mcp:NAME", code="bad_enum")
    settings = Settings(temperature=temperature)
    return Participant(name="", persona=system_prompt, seat=model or "", settings=settings, tools=tuple(tools))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitting:
    """The agents of a step at their table.

    Attributes:
        participants: them as participants; guests have no seat yet.
        guests: those who answer from within the program, by name.
        people: how people are asked, by name.
    """

    participants: tuple[Participant, ...]
    guests: Mapping[str, object] = field(default_factory=dict[str, object])
    people: Mapping[str, Asking] = field(default_factory=dict[str, Asking])


def sit(agents: Sequence[object], moderator: object | None = None) -> Sitting:
    """Agents as participants.

    Raises:
        BriefError: no agents, something that is none, or names that can be mistaken for each other.
    """
    if not agents:
        raise BriefError("a step needs at least one agent")
    wrapped = [(wrap(each), "debater") for each in agents] + [
        (wrap(each), "moderator") for each in (moderator,) if each
    ]
    check_names([each.name for each, _ in wrapped])
    people = {
        each.name: each.agent.input_handler or console for each, _ in wrapped if isinstance(each.agent, HumanAgent)
    }
    inside = [each for each, _ in wrapped if not isinstance(each.agent, Participant | HumanAgent | str)]
    return Sitting(
        participants=tuple(_participant(each, duty) for each, duty in wrapped),  # type: ignore[arg-type]
        guests={each.name: each.agent for each in inside},
        people=people,
    )


def wrap(agent: object) -> AgentWrapper:
    """The agent in its wrapper.

    Raises:
        BriefError: it has no name of its own.
    """
    if isinstance(agent, AgentWrapper):
        return agent
    if isinstance(agent, HumanAgent | Participant):
        return AgentWrapper(agent)
    found = f"an agent of a step is an AgentWrapper, a HumanAgent or a Participant, not {type(agent).__name__}"
    raise BriefError(f"{found}; wrap it: AgentWrapper(agent, name)", code="bad_agent")


def check_names(names: Sequence[str]) -> None:
    """Refuse names that ballots or results could mix up.

    Raises:
        BriefError: two look alike, or one is what another's proposal of a round is called.
    """
    for one, other in permutations(names, 2):
        if skeleton(one) == skeleton(other):
            raise BriefError(f"two agents are called {one}; each needs a name of its own", code="duplicate_name")
        if re.fullmatch(rf"{re.escape(other)}_round_\d+", one):
            raise BriefError(f"{one} is the name of a proposal of {other} in the result", code="duplicate_name")


def _participant(wrapper: AgentWrapper, duty: Duty) -> Participant:
    name, agent = wrapper.name, wrapper.agent
    level = wrapper.expertise_level
    match agent:
        case Participant():
            weight = agent.weight if level is None else level
            return replace(agent, name=name, duty=duty, weight=weight)
        case HumanAgent():
            return Participant(
                name=name,
                seat="human",
                duty=duty,
                weight=level,
                deadline=agent.deadline,
                stand_in=agent.stand_in,
            )
        case str():
            return Participant(name=name, seat=agent, duty=duty, weight=level)
        case _:
            return Participant(name=name, duty=duty, weight=level)
