"""A board meeting for a Python program: its arguments become a brief and a plan, which runs in a workspace."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from enum import StrEnum

from folkmoot.app.plan.settings import StorePlace
from folkmoot.app.program.program_agents import participant_for, program_agents
from folkmoot.app.program.program_calls import Tell, run_recorded, stream, whole
from folkmoot.app.program.program_plans import CLOCK, plan_board, with_character
from folkmoot.app.run.api import run_blocking
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.board.meeting_results import BoardResult, result
from folkmoot.board.members import PRESETS, BoardMember, TimeKeeper, VerdictType
from folkmoot.core.brief import INTERVAL, ROUNDS, Brief, Limits, Participant, Source
from folkmoot.core.errors import BriefError
from folkmoot.core.event import Entry

VERDICTS = tuple(verdict.value for verdict in VerdictType)
"""The documented verdicts."""


@dataclass(frozen=True, slots=True)
class BoardMeeting:
    """A meeting of a board.

    Attributes:
        topic: the question that the board decides.
        members: who sits on it; empty for those of the preset.
        verdicts: the possible verdicts, as words or an enumeration; empty for words of the members' own; None for the
            preset's, else HIRE, NO_HIRE.
        documents: texts that all are given, by the names under which they are cited.
        rules: the layer of instructions that all share; "" for the preset's.
        preset: one of PRESETS, for members, verdicts and rules; "" for none.
        timekeeper: who keeps the time, and how often it speaks; the built-in one where nobody else is named.
        agent: who answers for members without an agent of their own; None for the owner's model.
        rounds: the most messages of each member.
        strategy: the rule over the verdicts: ``majority``, ``supermajority``, ``unanimous`` or ``weighted``.
        seed: the random seed.
        store: the record's file, its database's address, or an open store; None for the owner's.
        limits: what the meeting may use; None for the usual limits.

    Raises:
        BriefError: there is no such preset, or neither members nor a preset.
    """

    topic: str
    members: Sequence[BoardMember] = ()
    _: KW_ONLY
    verdicts: Sequence[str] | type[StrEnum] | None = None
    documents: Mapping[str, str] = field(default_factory=dict[str, str])
    rules: str = ""
    preset: str = ""
    timekeeper: TimeKeeper = TimeKeeper()  # noqa: RUF009 - it is frozen
    agent: object = None
    rounds: int = 8
    strategy: str = "majority"
    seed: int = 0
    store: StorePlace | None = None
    limits: Limits | None = None

    def __post_init__(self) -> None:
        if self.preset and self.preset not in PRESETS:
            problem = f"there is no preset {self.preset!r}; there are {', '.join(PRESETS)}"
            raise BriefError(problem, code="bad_enum")
        if not self.members and not self.preset:
            problem = f"a board needs members, or one of the presets {', '.join(PRESETS)}"
            raise BriefError(problem, code="out_of_range")
        whole("rounds", self.rounds, *ROUNDS)
        whole("every", self.timekeeper.every, *INTERVAL)
        whole("deadline", self.timekeeper.deadline, *INTERVAL)

    def _brief(self, people: Sequence[Participant]) -> Brief:
        ready = PRESETS.get(self.preset)
        known = ready.verdicts if ready else VERDICTS
        return Brief(
            topic=self.topic,
            background=tuple(Source(name=name, text=text) for name, text in self.documents.items()),
            rules=self.rules or (ready.rules if ready else ""),
            participants=tuple(people),
            options=known if self.verdicts is None else tuple(str(verdict) for verdict in self.verdicts),
            limits=self.limits or Limits(),
            seed=self.seed,
        )

    async def hold(self) -> BoardResult:
        """Hold the meeting to its end.

        Raises:
            BriefError: an agent or a name that cannot be used; nothing was asked.
            ProtocolError: fewer than two members, or a strategy that there is not; nothing was asked.
            LimitReached: a limit stands in the way; Waiting: a person has to answer from elsewhere first; Unavailable:
                nobody can be reached. What was said is kept, and ``resume`` goes on.
            ModelError: nobody answered.
        """
        return await self._run()

    async def resume(self, debate: str, *, limits: Limits | None = None) -> BoardResult:
        """Take a meeting up where its record ends; no finished call is made again. One that is over is only read.

        Args:
            debate: its id, as in the ``debate`` of the error; it must have been a meeting of the same members.
            limits: what it may use from now on, in total; None for the limits on record.

        Raises:
            RecordError: there is no such debate, or its record is damaged.
            BriefError: it is no meeting of these members.
            FolkmootError: as for ``hold``.
        """
        return await self._run(debate, limits=limits)

    def run(self) -> BoardResult:
        """The same as ``hold``, for programs without an event loop.

        Raises:
            FolkmootError: an event loop is running: await ``hold`` there.
        """
        return run_blocking(self.hold(), "BoardMeeting.hold")

    def stream(self) -> AsyncGenerator[Entry | BoardResult, None]:
        """Hold the meeting and give each entry of its record as it comes, and the result last.

        Whoever leaves before the end stops the meeting, and ``resume`` goes on with it at once.

        Raises:
            FolkmootError: as for ``hold``.
        """

        async def work(tell: Tell[Entry | BoardResult]) -> None:
            await tell(await self._run(tell=tell))

        return stream(work)

    async def _run(
        self, debate: str = "", *, limits: Limits | None = None, tell: Tell[Entry | BoardResult] | None = None
    ) -> BoardResult:
        """Run a meeting, or resume the one with that id."""

        async def make(workspace: Workspace, participants: tuple[Participant, ...]) -> Plan:
            brief = self._brief(participants)
            return await plan_board(
                workspace,
                brief,
                rounds=self.rounds,
                strategy=self.strategy,
                reminder_interval=self.timekeeper.every,
                deadline_interval=self.timekeeper.deadline,
            )

        members = self.members or PRESETS[self.preset].members
        outcome = await run_recorded(
            "board",
            program_agents([*map(self._member, members), *self._timekeeper_entry()]),
            None if debate else make,
            store=self.store,
            debate=debate,
            limits=limits,
            tell=(lambda _, entry: tell(entry)) if tell else None,
            resume_with="await meeting.resume({debate!r})",
        )
        return result(outcome)

    def _member(self, member: BoardMember) -> tuple[Participant, object]:
        agent = self.agent if member.agent is None else member.agent
        participant = with_character(
            participant_for(member.name, agent, weight=member.weight),
            personality=member.personality,
            expertise=member.expertise,
            speaking_style=member.speaking_style,
        )
        return participant, agent

    def _timekeeper_entry(self) -> list[tuple[Participant, object]]:
        name, agent = self.timekeeper.name, self.timekeeper.agent
        if agent is None and name == TimeKeeper().name:
            return []  # the workspace adds the built-in one
        participant = participant_for(name, CLOCK if agent is None else agent, duty="moderator")
        return [(replace(participant, role=participant.role or "Keeps the time and judges nothing"), agent)]
