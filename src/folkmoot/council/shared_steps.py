"""Council steps that divide a task: where it is split, and which agent works on which part.

Every piece of the task goes to one agent, in the order of the task; nothing is added or left out.
"""

import re
from abc import abstractmethod
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeAlias

from folkmoot.app.plan.settings import StorePlace
from folkmoot.app.program.program_agents import ProgramAgents
from folkmoot.app.program.program_calls import whole
from folkmoot.app.program.program_plans import plan_shares
from folkmoot.app.run.outcome import Outcome
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.brief import PARTICIPANTS, Brief, Limits
from folkmoot.core.errors import BriefError
from folkmoot.core.transcript import Turn
from folkmoot.council.agent_wrapper import AgentLike, AgentWrapper, council_agents, wrap
from folkmoot.council.step_results import StepResult, missing
from folkmoot.council.steps import RecordedStep

_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+\S")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")


def pieces(task: str) -> tuple[str, ...]:
    """The items of a list in the task, else its paragraphs, else its sentences; the first kind of which there are two.

    What stands before a list belongs to no item; lines behind an item belong to it. A task of one sentence is one
    piece.
    """
    for item in (_items(task), _paragraphs(task), _sentences(task)):
        if len(item) > 1:
            return item
    return tuple(filter(None, (task.strip(),)))


def divide(task_pieces: Sequence[str], agents: int) -> tuple[str, ...]:
    """Split the pieces into ``agents`` parts of nearly equal size, in order; no more parts than pieces."""
    parts = min(agents, len(task_pieces))
    ends = [len(task_pieces) * n // parts for n in range(parts + 1)]
    return tuple("\n".join(task_pieces[start:end]) for start, end in pairwise(ends))


def _items(task: str) -> tuple[str, ...]:
    items: list[list[str]] = []
    for line in task.splitlines():
        if _ITEM.match(line):
            items.append([line.strip()])
        elif items and line.strip():
            items[-1].append(line.rstrip())
    return tuple("\n".join(item) for item in items)


def _paragraphs(task: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in re.split(r"\n\s*\n", task) if part.strip())


def _sentences(task: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in _SENTENCE.split(task) if part.strip())


WHOLE = ""
"""The part of an agent that works on the whole task."""

Splitter: TypeAlias = Callable[[str, int], Sequence[str]]
"""A task and the number of agents to the part of each."""


class SharedStep(RecordedStep):
    """Agents that work at once, each on its part of the task."""

    async def _plan(self, workspace: Workspace, brief: Brief) -> Plan:
        names = brief.names("debater")
        parts = self._parts(brief.topic, len(names))
        if not 1 <= len(parts) <= len(names):
            raise BriefError(f"the task splitter gives {len(parts)} parts for {len(names)} agents")
        tasks = [(name, part_task(part)) for name, part in zip(names, parts, strict=False)]
        return await plan_shares(workspace, brief, self.protocol, tasks)

    def _result(self, outcome: Outcome, task: str) -> StepResult:
        turns = tuple(turn for turn in outcome.transcript.all() if turn.act == "share")
        output = "\n\n".join(f"[{turn.by}]:\n{turn.text}" for turn in turns if turn.reply)
        return StepResult({"output": output, **self._keys(turns, task), **missing(turns)}, outcome=outcome)

    @abstractmethod
    def _parts(self, task: str, agents: int) -> Sequence[str]:
        """The part of each agent, WHOLE for the whole task."""

    @abstractmethod
    def _keys(self, turns: Sequence[Turn], task: str) -> dict[str, object]:
        """The keys of the result that are this step's own."""


class ParallelStep(SharedStep):
    """Agents work at once, each on the whole task or on a part of its own.

    The result has ``output``, all answers under their authors' names, ``parallel_results``, the answers by name,
    ``agents_involved``, all names, and ``failed``, reasons by name, where somebody gave no answer.

    Args:
        agents: who takes part, from one.
        task_splitter: the task and the number of agents to their parts, in the agents' order; without one everybody
            works on the whole task. Agents for whom there is no part are not asked.
        store: the record's file, its database's address, or an open store; None for the council's, else the owner's.
        limits: what the debate may use; None for the council's, else the usual limits.

    Raises:
        BriefError: agents or names that cannot be.
    """

    protocol = "parallel_step"

    def __init__(
        self,
        agents: Sequence[AgentLike],
        task_splitter: Splitter | None = None,
        *,
        store: StorePlace | None = None,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(store, limits)
        self.agents, self.task_splitter = tuple(agents), task_splitter
        council_agents(self.agents)

    def _agents(self, task: str) -> ProgramAgents:
        return council_agents(self.agents)

    def _parts(self, task: str, agents: int) -> Sequence[str]:
        return tuple(self.task_splitter(task, agents)) if self.task_splitter else (WHOLE,) * agents

    def _keys(self, turns: Sequence[Turn], task: str) -> dict[str, object]:
        return {
            "parallel_results": {turn.by: turn.text for turn in turns if turn.reply},
            "agents_involved": [turn.by for turn in turns],
        }


class SplitStep(SharedStep):
    """A task in parts, each worked on by another agent made after one template.

    The task comes apart at the items of its list, else its paragraphs, else its sentences. Where it has fewer pieces
    than there must be agents, all of them work on the whole.

    The result has ``output``, all answers under their authors' names, ``split_results``, one answer for each part or
    None where there is none, ``subtasks``, the parts, ``num_agents``, ``strategy``, and ``failed`` as in ParallelStep.

    Args:
        agent_template: anything that can be an agent; its name, or ``Agent``, is numbered.
        min_agents: the fewest agents, from 1.
        max_agents: the most agents, to 100.
        split_strategy: ``auto``: as many agents as the task has pieces, between the two; ``fixed``: ``min_agents``.
        store: the record's file, its database's address, or an open store; None for the council's, else the owner's.
        limits: what the debate may use; None for the council's, else the usual limits.

    Raises:
        BriefError: an agent, a number or a strategy that cannot be.
    """

    protocol = "split_step"

    def __init__(
        self,
        agent_template: object,
        min_agents: int = 2,
        max_agents: int = 10,
        split_strategy: str = "auto",
        *,
        store: StorePlace | None = None,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(store, limits)
        self.agent_template, self.split_strategy = agent_template, split_strategy
        self.min_agents, self.max_agents = min_agents, max_agents
        whole("max_agents", max_agents, whole("min_agents", min_agents, 1, PARTICIPANTS.high), PARTICIPANTS.high)
        if split_strategy not in ("auto", "fixed"):
            raise BriefError(f"split_strategy is {split_strategy!r}; it must be auto or fixed", code="bad_enum")
        self._copies(1)

    def split(self, task: str) -> tuple[str, ...]:
        """The part of each agent, WHOLE for the whole task; the same task always comes apart in the same way."""
        task_pieces = pieces(task)
        count = self.min_agents if self.split_strategy == "fixed" else self.max_agents
        if len(task_pieces) < self.min_agents:
            return (WHOLE,) * self.min_agents
        return divide(task_pieces, count)

    def _copies(self, count: int) -> ProgramAgents:
        template = self.agent_template
        named = isinstance(template, AgentWrapper) or getattr(template, "name", "")
        first = wrap(template) if named else AgentWrapper(template, "Agent")  # type: ignore[arg-type]
        return council_agents(
            [AgentWrapper(first.agent, f"{first.name} {n}", first.expertise_level) for n in range(1, count + 1)]
        )

    def _agents(self, task: str) -> ProgramAgents:
        return self._copies(len(self.split(task)))

    def _parts(self, task: str, agents: int) -> Sequence[str]:
        return self.split(task)

    def _keys(self, turns: Sequence[Turn], task: str) -> dict[str, object]:
        return {
            "split_results": [turn.text if turn.reply else None for turn in turns],
            "subtasks": [part or task for part in self.split(task)],
            "num_agents": len(turns),
            "strategy": self.split_strategy,
        }


def part_task(part: str) -> str:
    """A part of a task as it is put to its agent, who has the whole task before it as well.

    Raises:
        BriefError: there is nothing in it.
    """
    if part == WHOLE:
        return "Work on the task."
    if not part.strip():
        raise BriefError("a part of the task is empty")
    return f"Do this part of the task, and only this part:\n\n{part}"
