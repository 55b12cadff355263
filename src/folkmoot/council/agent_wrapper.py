"""The agents of a council: which objects can be one, how each becomes a participant, and what it knows of the task."""

import json
import re
from collections.abc import Mapping, Sequence
from itertools import accumulate, permutations
from typing import Any, TypeAlias

from folkmoot.app.brief.names import check_name, skeleton
from folkmoot.app.brief.program_values import plain_participant
from folkmoot.app.plan.assignment import check_agent
from folkmoot.app.program.program_agents import (
    PERSON,
    HumanAgent,
    ProgramAgents,
    adapter,
    is_own_agent,
    participant_for,
    program_agents,
)
from folkmoot.app.program.program_calls import number, whole
from folkmoot.core.brief import Duty, Participant, Settings
from folkmoot.core.errors import BriefError
from folkmoot.core.text import clip

MARK = 40
"""The most characters of the mark that says how many are missing."""

CHARACTERS = 20_000
ENTRIES = 100
LEAST = 100
"""The fewest characters of an entry that is cut; where there is no room for that the oldest entries go."""


class Context:
    """Named entries that stand in every prompt, as much of them as there is room for.

    Args:
        initial_data: entries to begin with.
        characters: the most characters of a prompt that they take, from 100.
        entries: the most entries that are kept, from 1; beyond that the oldest goes.

    Raises:
        BriefError: a limit that cannot be.
    """

    def __init__(
        self, initial_data: Mapping[str, Any] | None = None, *, characters: int = CHARACTERS, entries: int = ENTRIES
    ) -> None:
        self._characters, self._most = whole("characters", characters, LEAST), whole("entries", entries, 1)
        self._entries: dict[str, Any] = {}
        self._dropped = 0
        for key, value in (initial_data or {}).items():
            self.add(key, value)

    def add(self, key: str, value: Any) -> None:
        """Add an entry, or give the one of that name another value and the newest place."""
        self._entries.pop(key, None)
        self._entries[key] = value
        while len(self._entries) > self._most:
            del self._entries[next(iter(self._entries))]
            self._dropped += 1

    def update(self, data: Mapping[str, Any]) -> None:
        """Add several entries, in their order; see ``add``."""
        for key, value in data.items():
            self.add(key, value)

    def clear(self) -> None:
        """Remove all entries."""
        self._entries.clear()
        self._dropped = 0

    def to_dict(self) -> dict[str, Any]:
        """The entries as a dictionary of its own, oldest first."""
        return dict(self._entries)

    def get(self, key: str, default: Any = None) -> Any:
        """The value of an entry as it was added, whole."""
        return self._entries.get(key, default)

    def copy(self) -> "Context":
        """Another context with the same entries and limits; what is added to one is not in the other."""
        twin = Context(self._entries, characters=self._characters, entries=self._most)
        twin._dropped = self._dropped
        return twin

    def to_prompt_context(self) -> str:
        """The entries as text, oldest first; "" where there are none. What was cut or left out is said in it.

        Short entries stand whole; long ones share the room that is left.
        """
        names, left = list(self._entries), self._dropped
        while names:
            head = f"({left} older {'entry is' if left == 1 else 'entries are'} left out)" if left else ""
            entries = [_entry(name, self._entries[name]) for name in names]
            sizes = [len(text) for text in entries]
            share = _share(sizes, self._characters - len(head) - 2 * (len(names) - (not head)))
            if share >= min(LEAST, max(sizes)) or len(names) == 1:
                return "\n\n".join(filter(None, (head, *(shorten(text, share) for text in entries))))
            names, left = names[1:], left + 1
        return ""


def shorten(text: str, limit: int) -> str:
    """At most ``limit`` characters, the mark included that says how many are missing; without room for it just cut."""
    if len(text) <= limit:
        return text
    return clip(text, limit - MARK) if limit > MARK else text[:limit]


def _entry(name: str, value: Any) -> str:
    """An entry under its name; its lines are indented, so that no value can pass for another entry."""
    if not isinstance(value, str):
        value = _as_text(value)
    lines = value.splitlines() or [""]
    return "\n".join((f"{' '.join(str(name).split())}:", *(f"  {line}" for line in lines)))


def _as_text(value: Any) -> str:
    if isinstance(value, Mapping | list | tuple):
        return json.dumps(value, ensure_ascii=False, default=str, indent=2)
    return str(value)


def _share(sizes: Sequence[int], room: int) -> int:
    """The most characters of one entry, so that all of them fit: the short ones leave the rest to the long ones."""
    ordered = sorted(sizes)
    for n, before in enumerate(accumulate(ordered, initial=0)):
        if n == len(ordered):
            break
        share = (room - before) // (len(ordered) - n)
        if share < ordered[n]:
            return share
    return max(ordered)


class AgentWrapper:
    """An agent with a name and a level of expertise.

    Args:
        agent: what ``create_agent`` gives, a ``folkmoot.Participant``, a seat (``ollama:llama3.2``), a function of one
            text (async or plain) that gives a text, a message or an object with a text, a PydanticAI ``Agent``, a
            LangChain chat model, or a HumanAgent.
        name: what it is called in the debate; None for the name that a participant or a person has.
        expertise_level: the weight of its vote, 0 to 1; None counts as 0.5 where votes are weighted.

    Raises:
        BriefError: something that can be no agent, an agent that does not exist, no name, or a level outside 0 to 1.
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
        participant, model = plain_participant(participant_for(self.name, agent))
        if model is not None or is_own_agent(agent):
            adapter(self.name, agent if model is None else model)
        elif participant.seat:
            check_agent(participant)


AgentLike: TypeAlias = AgentWrapper | HumanAgent | Participant
"""What a step takes as an agent; anything else is wrapped first."""


def create_agent(
    system_prompt: str, model: str | None = None, temperature: float | None = None, tools: Sequence[str] = ()
) -> Participant:
    """Describe an agent that Folkmoot runs; a wrapper gives it its name.

    Args:
        system_prompt: the instructions that are its own.
        model: who answers, ``provider:name``; None for your default model, as in ``folkmoot.debate``.
        temperature: of the model, 0 to 2; None leaves it to the model.
        tools: names of the tools it may use: ``search``, ``rag``, ``summarizer``, ``scorer``, ``mcp:NAME``.

    Raises:
        BriefError: texts that are none, a temperature or a tool that cannot be.
    """
    if not isinstance(system_prompt, str) or not isinstance(model, str | None):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BriefError("system_prompt and model of an agent are texts", code="wrong_type")
    if temperature is not None:
        number("the temperature", temperature, 0, 2)
    if isinstance(tools, str) or any(not isinstance(tool, str) for tool in tools):  # pyright: ignore[reportUnnecessaryIsInstance]
        problem = "tools is a list of names: search, rag, summarizer, scorer, mcp:NAME"
        raise BriefError(problem, code="bad_enum")
    settings = Settings(temperature=temperature)
    return Participant(name="", persona=system_prompt, seat=model or "", settings=settings, tools=tuple(tools))


def council_agents(agents: Sequence[object], moderator: object | None = None) -> ProgramAgents:
    """Agents as participants.

    Raises:
        BriefError: no agents, something that is none, or names that can be mistaken for each other.
    """
    if not agents:
        raise BriefError("a step needs at least one agent")
    debaters, chair = [wrap(agent) for agent in agents], [wrap(moderator)] if moderator else []
    check_names([agent_wrapper.name for agent_wrapper in (*debaters, *chair)])
    return program_agents(
        [
            *(_participant_entry(agent_wrapper, "debater") for agent_wrapper in debaters),
            *(_participant_entry(agent_wrapper, "moderator") for agent_wrapper in chair),
        ]
    )


def _participant_entry(wrapper: AgentWrapper, duty: Duty) -> tuple[Participant, object]:
    return participant_for(wrapper.name, wrapper.agent, duty=duty, weight=wrapper.expertise_level), wrapper.agent


def wrap(agent: object) -> AgentWrapper:
    """The agent in its wrapper.

    Raises:
        BriefError: it has no name of its own.
    """
    if isinstance(agent, AgentWrapper):
        return agent
    if isinstance(agent, HumanAgent | Participant):
        return AgentWrapper(agent)
    problem = f"an agent of a step is an AgentWrapper, a HumanAgent or a Participant, not {type(agent).__name__}"
    raise BriefError(f"{problem}; wrap it: AgentWrapper(agent, name)", code="bad_agent")


def check_names(names: Sequence[str]) -> None:
    """Refuse names that ballots or results could mix up.

    Raises:
        BriefError: two look alike, or one is what another's proposal of a round is called.
    """
    for name, other in permutations(names, 2):
        if skeleton(name) == skeleton(other):
            raise BriefError(f"two agents are called {name}; each needs a name of its own", code="duplicate_name")
        if "_round_" in name and re.fullmatch(rf"{re.escape(other)}_round_\d+", name):
            raise BriefError(f"{name} is the name of a proposal of {other} in the result", code="duplicate_name")
