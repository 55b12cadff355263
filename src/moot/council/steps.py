"""The debate step, and what all steps have in common. This file owns what can go into one."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from moot.app.program.arguments import whole
from moot.app.program.plans import VOTING, council_plan, step_choices
from moot.app.program.program_agents import Sitting
from moot.app.run.held import Plan
from moot.app.run.outcome import Outcome
from moot.app.run.workspace import Desk
from moot.core.brief import Brief, Limits
from moot.core.errors import BriefError, ProtocolError
from moot.council.agent_wrapper import AgentLike, sit
from moot.council.context import Context
from moot.council.playing import Kind, Venue, brief_of, hold, task_of
from moot.council.step_results import StepResult, debate_result

MOST_ROUNDS = 20


@runtime_checkable
class Step(Protocol):
    """A step of a council; one of your own needs no more than this."""

    async def execute(self, task: str, context: Context) -> Any:
        """Work on the task.

        Returns:
            A StepResult, another mapping, or a text.
        """
        ...


class RecordedStep(ABC):
    """A step that is a debate on record.

    Args:
        store: the record's file, or the address of its database; None for the council's, else the owner's.
        limits: what its debate may use; None for the council's, else the usual limits.
    """

    protocol: ClassVar[str]
    """What its debates are called in the record."""

    def __init__(self, store: Path | str | None, limits: Limits | None) -> None:
        self.store, self.limits = store, limits

    async def execute(self, task: str, context: Context | None = None) -> StepResult:
        """Hold the debate.

        Raises:
            BriefError: a task, an agent or a seat that cannot be; nothing was sent.
            LimitReached: a limit stands in the way; the debate can be resumed.
            Waiting: a person has to answer first; the debate can be resumed.
            Unavailable: no model could be reached; the debate can be resumed.
            ModelError: nobody answered.
        """
        return await self.hold(task, context or Context(), Venue())

    async def resume(self, debate: str, *, limits: Limits | None = None) -> StepResult:
        """Take a debate of this step up where its record ends; no finished call is made again.

        Args:
            debate: its id; the step must be of the same kind and have the same agents.
            limits: what it may use from now on, all in all; None for the limits on record.

        Raises:
            RecordError: there is no such debate.
            BriefError: it is another kind of debate, or one of other agents or with another voting strategy.
            MootError: as for ``execute``.
        """
        task = await task_of(self.store, debate)
        return await self.hold(task, Context(), Venue(debate=debate, raised=limits))

    async def hold(self, task: str, context: Context, venue: Venue) -> StepResult:
        """Hold the debate at a venue; what the step itself says of store and limits goes before it."""
        sitting = self._sit(task)
        brief = brief_of(task, context, sitting, venue.raised or self.limits or venue.limits)
        place = replace(venue, store=self.store or venue.store)
        kind = Kind(name=self.protocol, chosen=self._chosen(), make=self._plan)
        return self._result(await hold(place, brief, sitting, kind), brief.topic)

    def _chosen(self) -> tuple[str, ...]:
        """What is chosen about the protocol, in words."""
        return ()

    @abstractmethod
    def _sit(self, task: str) -> Sitting:
        """Who takes part."""

    @abstractmethod
    async def _plan(self, desk: Desk, brief: Brief) -> Plan:
        """The debate."""

    @abstractmethod
    def _result(self, outcome: Outcome, task: str) -> StepResult:
        """What came of it."""


class DebateStep(RecordedStep):
    """Agents propose, debate in rounds, and vote; see the documented debate step.

    Args:
        agents: who takes part, from one; their order is that of the proposals.
        moderator: who picks the winner with the strategy ``moderator``; otherwise nobody is asked.
        rounds: the number of rounds behind the proposals, 0 to 20.
        voting_strategy: ``majority``; ``weighted`` by level of expertise; ``consensus``, which ends early when all
            texts are alike and falls back to the majority; ``moderator``.
        ballot: which proposals stand for election: ``original``, as documented, or ``latest``.
        store: the record's file, or the address of its database; None for the council's, else the owner's.
        limits: what the debate may use; None for the council's, else the usual limits.

    Raises:
        BriefError: agents, names or a number that cannot be.
        ProtocolError: an unknown strategy, or ``moderator`` without one.
    """

    protocol = "debate_step"

    def __init__(  # house: wide because four of them stand in the document
        self,
        agents: Sequence[AgentLike],
        moderator: AgentLike | None = None,
        rounds: int = 2,
        voting_strategy: str = "majority",
        *,
        ballot: Literal["original", "latest"] = "original",
        store: Path | str | None = None,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(store, limits)
        self.agents, self.moderator, self.rounds = tuple(agents), moderator, rounds
        self.voting_strategy, self.ballot = voting_strategy, ballot
        if voting_strategy not in VOTING:
            found = f"no voting strategy is called {voting_strategy!r}; there are {', '.join(VOTING)}"
            raise ProtocolError(found, about="strategy")
        if voting_strategy == "moderator" and moderator is None:
            raise ProtocolError("the voting strategy moderator needs a moderator", about="participants")
        whole("rounds", rounds, 0, MOST_ROUNDS)
        if ballot not in ("original", "latest"):
            raise BriefError(f"ballot is {ballot!r}; it must be original or latest", code="bad_enum")
        sit(self.agents, moderator)

    def _sit(self, task: str) -> Sitting:
        return sit(self.agents, self.moderator if self.voting_strategy == "moderator" else None)

    def _chosen(self) -> tuple[str, ...]:
        return step_choices(self.voting_strategy, latest=self.ballot == "latest")

    async def _plan(self, desk: Desk, brief: Brief) -> Plan:
        latest = self.ballot == "latest"
        return await council_plan(desk, brief, voting=self.voting_strategy, rounds=self.rounds, latest=latest)

    def _result(self, outcome: Outcome, task: str) -> StepResult:
        return debate_result(outcome, self.voting_strategy)
