"""The debate step of a council, what all steps share, and the events of a council.

The debate of a step is on record and can be resumed. ``step_start`` and ``step_end`` are the council's own events; the
others are entries of the record under their documented names.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, cast, runtime_checkable

from folkmoot.app.plan.settings import StorePlace
from folkmoot.app.program.program_agents import ProgramAgents
from folkmoot.app.program.program_calls import (
    Tell,
    attempt_id,
    check_same,
    count_attempts,
    run_and_tell,
    stop_streams,
    whole,
    words,
)
from folkmoot.app.program.program_plans import VOTING, open_workspace, plan_council, step_choices
from folkmoot.app.run.outcome import Outcome, ended, opening
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.brief import ROUNDS, Brief, Limits, Source
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


@dataclass(slots=True)
class StepEvents:
    """Tells of one debate of a council.

    Attributes:
        step: which step it is.
        debate: its id.
    """

    step: int
    debate: str
    _namer: Namer = field(default_factory=Namer)

    def tell(self, entry: Entry) -> CouncilEvent | None:
        """The event that an entry is; None where it is none for a council."""
        named = self._namer.name(entry)
        if named is None:
            return None
        kind = cast("EventType", named.type)
        return CouncilEvent(type=kind, step=self.step, data=dict(named.data), debate=self.debate, seq=named.seq)


CONTEXT = "context"
"""What the context is called in the prompts and in the record."""

PlanMaker: TypeAlias = Callable[[Workspace, Brief], Awaitable[Plan]]
EventListener: TypeAlias = Tell[CouncilEvent]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepHost:
    """Where and how a step is held.

    Attributes:
        store: the record's file, its database's address, or an open store; None for the owner's.
        limits: what a new debate may use; None for the usual limits.
        raised: what it may use from now on, also where it goes on; None for the limits that it has.
        debate: the id of the debate; it is resumed where there is a record of it. "" for a new one.
        again: whether another debate runs where nobody answered in that one; its id ends with ``-try2``, and so on.
        tell: told of what happens, as it happens; None for nobody.
        step: which step of a council it is.
        hint: how to go on with a debate that stands still, in Python; "" for the step's own way.
    """

    store: StorePlace | None = None
    limits: Limits | None = None
    raised: Limits | None = None
    debate: str = ""
    again: bool = False
    tell: EventListener | None = None
    step: int = 0
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepKind:
    """What a step's debate is, so that no other one is resumed in its place.

    Attributes:
        name: what its protocol is called in the record.
        chosen: what was chosen about it, in words; () for nothing.
        make: makes its plan.
    """

    name: str
    chosen: tuple[str, ...] = ()
    make: PlanMaker


async def run_step(host: StepHost, brief: Brief, sitting: ProgramAgents, kind: StepKind) -> Outcome:
    """Run the debate of a step, or resume it where its record ends.

    Raises:
        BriefError: what is on record is another kind of debate, or one of others.
        FolkmootError: it does not come to its end; see ``app.run.outcome.ended``.
    """
    async with open_workspace(host.store) as workspace:
        seated = sitting.seat(workspace.pool)
        debate = attempt_id(host.debate, await count_attempts(workspace, host.debate)) if host.again else host.debate
        begun = bool(debate) and await workspace.count_entries(debate) > 0
        if begun:
            check_same(debate, await workspace.entries(debate), kind.name, sitting.participants, kind.chosen)
        plan = None if begun else await kind.make(workspace, replace(brief, participants=seated))
        debate = debate or (workspace.new_id(plan) if plan else "")

        async def go() -> Outcome:
            if plan is None:
                return await workspace.resume(debate, limits=host.raised, interface=sitting.interface)
            return await workspace.run(plan, debate, interface=sitting.interface)

        tell = _event_teller(host, debate, host.tell) if host.tell else None
        outcome = await (run_and_tell(workspace, debate, tell, go) if tell else go())
    return ended(outcome, host.hint or f"await step.resume({outcome.debate!r})")


def _event_teller(host: StepHost, debate: str, tell: EventListener) -> Tell[Entry]:
    """Tells of the entries of a record as of events of a council."""
    vote_weigher = StepEvents(step=host.step, debate=debate)

    async def say(entry: Entry) -> None:
        if event := vote_weigher.tell(entry):
            await tell(event)

    return say


async def count_tries(store: StorePlace | None, debate: str) -> int:
    """How many tries of a debate have ended without an answer."""
    async with open_workspace(store) as workspace:
        return await count_attempts(workspace, debate)


def brief_of(task: str, context: Context, sitting: ProgramAgents, limits: Limits | None) -> Brief:
    """The brief of a step: the task is its topic, the context stands behind it in every prompt.

    Raises:
        BriefError: there is no task.
    """
    known = clean(context.to_prompt_context())
    return Brief(
        topic=clean(words("the task", task)).strip(),
        background=(Source(name=CONTEXT, text=known),) if known else (),
        participants=sitting.participants,
        limits=limits or Limits(),
    )


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
        return await self.hold(task, context or Context(), StepHost())

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
        task = await task_of(self.store, debate)
        return await self.hold(task, Context(), StepHost(debate=debate, raised=limits))

    async def hold(self, task: str, context: Context, host: StepHost) -> StepResult:
        """Hold the debate at a venue; what the step itself says of store and limits goes before it."""
        sitting = self._sit(task)
        brief = brief_of(task, context, sitting, host.raised or self.limits or host.limits)
        own_host = replace(host, store=self.store or host.store)
        kind = StepKind(name=self.protocol, chosen=self._chosen(), make=self._plan)
        return self._result(await run_step(own_host, brief, sitting, kind), brief.topic)

    def _chosen(self) -> tuple[str, ...]:
        """What is chosen about the protocol, in words."""
        return ()

    @abstractmethod
    def _sit(self, task: str) -> ProgramAgents:
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

    def _sit(self, task: str) -> ProgramAgents:
        return council_agents(self.agents, self.moderator if self.voting_strategy == "moderator" else None)

    def _chosen(self) -> tuple[str, ...]:
        return step_choices(self.voting_strategy, latest=self.ballot == "latest")

    async def _plan(self, workspace: Workspace, brief: Brief) -> Plan:
        latest = self.ballot == "latest"
        return await plan_council(workspace, brief, voting=self.voting_strategy, rounds=self.rounds, latest=latest)

    def _result(self, outcome: Outcome, task: str) -> StepResult:
        return debate_result(outcome, self.voting_strategy)
