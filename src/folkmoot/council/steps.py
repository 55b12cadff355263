"""The debate step of a council, what all steps share, and the events of a council.

The debate of a step is on record and can be resumed. ``step_start`` and ``step_end`` are the council's own events; the
others are entries of the record under their documented names.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, cast, runtime_checkable

from folkmoot.app.plan.settings import StorePlace
from folkmoot.app.program.program_agents import ProgramAgents
from folkmoot.app.program.program_calls import Tell, count_attempts, run_recorded, stop_streams, whole, words
from folkmoot.app.program.program_plans import VOTING, open_workspace, plan_council, step_choices
from folkmoot.app.run.outcome import Outcome, opening
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.brief import ROUNDS, Brief, Limits, Participant, Source
from folkmoot.core.errors import BriefError, ProtocolError
from folkmoot.core.event import Entry
from folkmoot.core.text import clean
from folkmoot.council.agent_wrapper import AgentLike, Context, council_agents
from folkmoot.council.step_results import StepResult, debate_result
from folkmoot.report.turn_text import Namer

EventType: TypeAlias = Literal[
    "step_start",
    "step_end",
    "debate_start",
    "round_start",
    "agent_message",
    "vote",
    "agent_error",
    "consensus",
    "debate_pause",
    "debate_end",
]
"""What a council tells of while it works."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CouncilEvent:
    """Something that happens in a council.

    Attributes:
        type: ``step_start``: ``task`` and ``kind``, the class of the step; ``step_end``: ``result``, or ``error`` in
            words. Of a debate on record: ``debate_start``: ``task``, ``agents``; ``round_start``: ``round``, from 1;
            ``agent_message``: ``agent``, ``act``, ``round``, ``text``; ``vote``: ``agent``, ``choice`` ("" where none
            was read), ``text``; ``agent_error``: ``agent``, ``act``, ``reason``; ``consensus``: ``winner``, ``rule``,
            ``how``, ``tally``; ``debate_pause`` and ``debate_end``: ``status``, ``reason``.
        step: which step of the council, from 0.
        data: what the type says.
        debate: the debate's id; "" for an event that stands in no record.
        seq: the number of the entry in the record; 0 for an event that stands in none.
    """

    type: EventType
    step: int
    data: dict[str, Any] = field(default_factory=dict[str, Any])
    debate: str = ""
    seq: int = 0


CONTEXT = "context"
"""What the context is called in the prompts and in the record."""

EventListener: TypeAlias = Tell[CouncilEvent]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepHost:
    """What a council says to a step of its own about the debate to run; see ``run_recorded``.

    Attributes:
        store: where it is recorded, unless the step says so itself.
        limits: what a new debate may use, unless the step says so itself.
        raised: what it may use from now on, also where it is resumed.
        debate: its id.
        tell: told of what happens; None for nobody.
        step: which step of the council it is.
        resume_with: how to resume the council.
    """

    store: StorePlace | None = None
    limits: Limits | None = None
    raised: Limits | None = None
    debate: str = ""
    tell: EventListener | None = None
    step: int = 0
    resume_with: str = "await step.resume({debate!r})"


async def count_tries(store: StorePlace | None, debate: str) -> int:
    """How many tries of a debate have ended without an answer."""
    async with open_workspace(store) as workspace:
        return await count_attempts(workspace, debate)


async def task_of(store: StorePlace | None, debate: str) -> str:
    """The task of a debate on record.

    Raises:
        RecordError: there is no such debate.
    """
    async with open_workspace(store) as workspace:
        return opening(debate, await workspace.entries(debate)).brief.topic


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
        store: the record's file, its database's address, or an open store; None for the council's, else the owner's.
        limits: what its debate may use; None for the council's, else the usual limits.
    """

    protocol: ClassVar[str]
    """What its debates are called in the record."""

    def __init__(self, store: StorePlace | None, limits: Limits | None) -> None:
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
        return await self._run(task, context or Context(), StepHost())

    async def resume(self, debate: str, *, limits: Limits | None = None) -> StepResult:
        """Take a debate of this step up where its record ends; no finished call is made again.

        Args:
            debate: its id; the step must be of the same kind and have the same agents.
            limits: what it may use from now on, in total; None for the limits on record.

        Raises:
            RecordError: there is no such debate.
            BriefError: it is another kind of debate, or one of other agents or with another voting strategy.
            FolkmootError: as for ``execute``.
        """
        await stop_streams(debate)
        return await self._run(await task_of(self.store, debate), Context(), StepHost(raised=limits), debate)

    async def hold(self, task: str, context: Context, host: StepHost) -> StepResult:
        """Run the debate for a council; where nobody answered in the one on record, another attempt begins."""
        return await self._run(task, context, host, host.debate, retry=True)

    async def _run(
        self, task: str, context: Context, host: StepHost, debate: str = "", *, retry: bool = False
    ) -> StepResult:
        agents = self._agents(task)
        known = clean(context.to_prompt_context())
        brief = Brief(
            topic=clean(words("the task", task)).strip(),
            background=(Source(name=CONTEXT, text=known),) if known else (),
            limits=host.raised or self.limits or host.limits or Limits(),
        )
        namer = Namer()

        async def make(workspace: Workspace, participants: tuple[Participant, ...]) -> Plan:
            return await self._plan(workspace, replace(brief, participants=participants))

        async def tell(debate: str, entry: Entry) -> None:
            if host.tell and (event := namer.name(entry)):
                kind = cast("EventType", event.type)
                await host.tell(
                    CouncilEvent(type=kind, step=host.step, data=dict(event.data), debate=debate, seq=event.seq)
                )

        outcome = await run_recorded(
            self.protocol,
            agents,
            make,
            store=self.store or host.store,
            debate=debate,
            retry=retry,
            limits=host.raised,
            chosen=self._chosen(),
            tell=tell if host.tell else None,
            resume_with=host.resume_with,
        )
        return self._result(outcome, brief.topic)

    def _chosen(self) -> tuple[str, ...]:
        """What is chosen about the protocol, in words."""
        return ()

    @abstractmethod
    def _agents(self, task: str) -> ProgramAgents:
        """Who takes part."""

    @abstractmethod
    async def _plan(self, workspace: Workspace, brief: Brief) -> Plan:
        """The debate."""

    @abstractmethod
    def _result(self, outcome: Outcome, task: str) -> StepResult:
        """The outcome of it."""


class DebateStep(RecordedStep):
    """Agents propose, debate in rounds, and vote.

    Args:
        agents: who takes part, from one; their order is that of the proposals.
        moderator: who picks the winner with the strategy ``moderator``; otherwise nobody is asked.
        rounds: the number of rounds behind the proposals, 0 to 20.
        voting_strategy: ``majority``; ``weighted`` by level of expertise; ``consensus``, which ends early when all
            texts are alike and falls back to the majority; ``moderator``.
        ballot: which text of the winner wins: ``original``, its first proposal, or ``latest``.
        store: the record's file, its database's address, or an open store; None for the council's, else the owner's.
        limits: what the debate may use; None for the council's, else the usual limits.

    Raises:
        BriefError: agents, names or a number that cannot be.
        ProtocolError: an unknown strategy, or ``moderator`` without one.
    """

    protocol = "debate_step"

    def __init__(
        self,
        agents: Sequence[AgentLike],
        moderator: AgentLike | None = None,
        rounds: int = 2,
        voting_strategy: str = "majority",
        *,
        ballot: Literal["original", "latest"] = "original",
        store: StorePlace | None = None,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(store, limits)
        self.agents, self.moderator, self.rounds = tuple(agents), moderator, rounds
        self.voting_strategy, self.ballot = voting_strategy, ballot
        if voting_strategy not in VOTING:
            problem = f"no voting strategy is called {voting_strategy!r}; there are {', '.join(VOTING)}"
            raise ProtocolError(problem, about="strategy")
        if voting_strategy == "moderator" and moderator is None:
            raise ProtocolError("the voting strategy moderator needs a moderator", about="participants")
        whole("rounds", rounds, *ROUNDS)
        if ballot not in ("original", "latest"):
            raise BriefError(f"ballot is {ballot!r}; it must be original or latest", code="bad_enum")
        council_agents(self.agents, moderator)

    def _agents(self, task: str) -> ProgramAgents:
        return council_agents(self.agents, self.moderator if self.voting_strategy == "moderator" else None)

    def _chosen(self) -> tuple[str, ...]:
        return step_choices(self.voting_strategy, latest=self.ballot == "latest")

    async def _plan(self, workspace: Workspace, brief: Brief) -> Plan:
        latest = self.ballot == "latest"
        return await plan_council(workspace, brief, voting=self.voting_strategy, rounds=self.rounds, latest=latest)

    def _result(self, outcome: Outcome, task: str) -> StepResult:
        return debate_result(outcome, self.voting_strategy)
