"""The agents of a council. This file owns what can be one, and how it becomes a participant."""

import re
from collections.abc import Sequence
from itertools import permutations
from typing import TypeAlias

from moot.app.brief.names import check_name, skeleton
from moot.app.plan.assignment import check_seat
from moot.app.program.arguments import number
from moot.app.program.guests import adapter
from moot.app.program.program_agents import PERSON, HumanAgent, Sitting, described_by, is_guest, sitting
from moot.core.brief import Duty, Participant, Settings
from moot.core.errors import BriefError


class AgentWrapper:
    """An agent with a name and a level of expertise.

    Args:
        agent: what ``create_agent`` gives, a ``moot.Participant``, a seat (``ollama:llama3.2``), a function
            ``str -> str`` (async or plain), a PydanticAI ``Agent``, a LangChain chat model, or a HumanAgent.
        name: what it is called at the table; None for the name that a participant or a person has.
        expertise_level: the weight of its vote, 0 to 1; None counts as 0.5 where votes are weighted.

    Raises:
        BriefError: something that can be no agent, a seat that there cannot be, no name, or a level outside 0 to 1.
    """

    def __init__(self, agent: object, name: str | None = None, expertise_level: float | None = None) -> None:
        own = agent.name if isinstance(agent, Participant | HumanAgent) else ""
        self.agent, self.name, self.expertise_level = agent, own if name is None else name, expertise_level
        if not isinstance(self.name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise BriefError(f"the name of an agent is {self.name!r}; it must be a text", code="bad_name")
        if not self.name:
            raise BriefError("an agent needs a name: AgentWrapper(agent, name)", code="bad_name")
        if expertise_level is not None:
            number(f"{self.name}: the level of expertise", expertise_level, 0, 1)
        if self.name != PERSON or not isinstance(agent, HumanAgent):
            self.name = check_name(self.name)
        if is_guest(agent):
            adapter(self.name, agent)
        elif (who := described_by(self.name, agent)).seat:
            check_seat(who)


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
        BriefError: texts that are none, a temperature or a tool that cannot be.
    """
    if not isinstance(system_prompt, str) or not isinstance(model, str | None):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BriefError("system_prompt and model of an agent are texts", code="wrong_type")
    if temperature is not None:
        number("the temperature", temperature, 0, 2)
    if isinstance(tools, str) or any(not isinstance(each, str) for each in tools):  # pyright: ignore[reportUnnecessaryIsInstance]
        found = "tools is a list of names: search, rag, summarizer, scorer, mcp:NAME"
        raise BriefError(found, code="bad_enum")
    settings = Settings(temperature=temperature)
    return Participant(name="", persona=system_prompt, seat=model or "", settings=settings, tools=tuple(tools))


def sit(agents: Sequence[object], moderator: object | None = None) -> Sitting:
    """Agents as participants.

    Raises:
        BriefError: no agents, something that is none, or names that can be mistaken for each other.
    """
    if not agents:
        raise BriefError("a step needs at least one agent")
    debaters, chair = [wrap(each) for each in agents], [wrap(moderator)] if moderator else []
    check_names([each.name for each in (*debaters, *chair)])
    return sitting([*(_seated(each, "debater") for each in debaters), *(_seated(each, "moderator") for each in chair)])


def _seated(wrapper: AgentWrapper, duty: Duty) -> tuple[Participant, object]:
    return described_by(wrapper.name, wrapper.agent, duty=duty, weight=wrapper.expertise_level), wrapper.agent


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
