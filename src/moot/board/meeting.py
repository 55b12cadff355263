"""A meeting as a program holds it. This file owns how its arguments become a brief, and who answers for whom."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path

from moot.board.people import BoardMember, TimeKeeper
from moot.board.results import BoardResult, result
from moot.core.brief import Brief, Limits, Participant, Source
from moot.core.errors import BriefError, MootError
from moot.core.event import Entry
from moot.desk.boards import described, plan_board
from moot.desk.desk import Desk, Plan
from moot.desk.guests import invite
from moot.desk.plans import open_desk
from moot.desk.presets import PRESETS, Preset

VERDICTS = ("HIRE", "NO_HIRE")
"""The documented verdicts."""


@dataclass(frozen=True, slots=True)
class BoardMeeting:
    """A meeting of a board.

    Attributes:
        topic: the question that the board decides.
        members: who sits on it; empty for those of the preset.
        verdicts: the possible verdicts; empty for words of the members' own; None for the preset's, else HIRE, NO_HIRE.
        documents: texts that all are given, by the names under which they are cited.
        rules: the layer of instructions that all share; "" for the preset's.
        preset: one of PRESETS, for members, verdicts and rules; "" for none.
        timekeeper: who keeps the time; the built-in one where nobody else is named.
        agent: who answers for members without an agent of their own; None for the owner's model.
        rounds: the cap: so many messages for each member.
        strategy: the rule over the verdicts: ``majority``, ``supermajority``, ``unanimous`` or ``weighted``.
        seed: what all chance is drawn from.
        store: the file of the record; None for the owner's.
        limits: what the meeting may use; None for the usual limits.

    Raises:
        BriefError: there is no such preset, or neither members nor a preset.
    """

    topic: str
    members: Sequence[BoardMember] = ()
    _: KW_ONLY
    verdicts: Sequence[str] | None = None
    documents: Mapping[str, str] = field(default_factory=dict[str, str])
    rules: str = ""
    preset: str = ""
    timekeeper: TimeKeeper = TimeKeeper()  # noqa: RUF009 - it is frozen
    agent: object = None
    rounds: int = 8
    strategy: str = "majority"
    seed: int = 0
    store: Path | None = None
    limits: Limits | None = None

    def __post_init__(self) -> None:
        if self.preset and self.preset not in PRESETS:
            found = f"there is no preset {self.preset!r}; there are {', '.join(PRESETS)}"
            raise BriefError(found, code="bad_enum")
        if not self.members and not self.preset:
            found = f"a board needs members, or one of the presets {', '.join(PRESETS)}"
            raise BriefError(found, code="out_of_range")

    def _brief(self, people: Sequence[Participant]) -> Brief:
        ready = PRESETS.get(self.preset)
        known = ready.verdicts if ready else VERDICTS
        return Brief(
            topic=self.topic,
            background=tuple(Source(name=name, text=text) for name, text in self.documents.items()),
            rules=self.rules or (ready.rules if ready else ""),
            participants=tuple(people),
            options=known if self.verdicts is None else tuple(self.verdicts),
            limits=self.limits or Limits(),
            seed=self.seed,
        )

    async def hold(self) -> BoardResult:
        """Hold the meeting to its end, or until it pauses.

        Raises:
            BriefError: an agent or a name that cannot be used; nothing was asked.
            ProtocolError: fewer than two members, or a strategy that there is not; nothing was asked.
        """
        async with self._opened() as (desk, plan):
            return result(await desk.hold(plan, desk.new_id(plan)))

    def run(self) -> BoardResult:
        """The same as ``hold``, for programs without an event loop.

        Raises:
            MootError: an event loop is running: await ``hold`` there.
        """
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self.hold())
        raise MootError("an event loop is running: await BoardMeeting.hold() there")

    async def stream(self) -> AsyncGenerator[Entry | BoardResult, None]:
        """Hold the meeting and give each entry of its record as it comes, and the result last.

        Whoever stops listening stops the meeting; what was answered is on record.
        """
        async with self._opened() as (desk, plan):
            debate = desk.new_id(plan)
            async with asyncio.TaskGroup() as group:
                holding = group.create_task(desk.hold(plan, debate))
                try:
                    async with aclosing(desk.follow(debate)) as items:
                        async for item in items:
                            if isinstance(item, Entry):
                                yield item
                except GeneratorExit:
                    holding.cancel()
            if not holding.cancelled():
                yield result(holding.result())

    @asynccontextmanager
    async def _opened(self) -> AsyncGenerator[tuple[Desk, Plan], None]:
        async with open_desk(self.store) as desk:
            members = [self._member(desk, each) for each in self.members or _seated(PRESETS[self.preset])]
            brief = self._brief((*members, *self._keeper(desk)))
            yield desk, await plan_board(desk, brief, rounds=self.rounds, strategy=self.strategy)

    def _member(self, desk: Desk, member: BoardMember) -> Participant:
        agent = self.agent if member.agent is None else member.agent
        who = described(
            _as_participant(desk, member.name, agent),
            personality=member.personality,
            expertise=member.expertise,
            speaking_style=member.speaking_style,
        )
        return who if member.weight is None else replace(who, weight=member.weight)

    def _keeper(self, desk: Desk) -> tuple[Participant, ...]:
        if self.timekeeper.agent is None and self.timekeeper.name == TimeKeeper().name:
            return ()  # the desk has one
        agent = "builtin:clock" if self.timekeeper.agent is None else self.timekeeper.agent
        who = _as_participant(desk, self.timekeeper.name, agent)
        return (replace(who, duty="moderator", role=who.role or "Keeps the time and judges nothing"),)


def _seated(preset: Preset) -> list[BoardMember]:
    return [BoardMember(each.name, each.personality, each.expertise, each.speaking_style) for each in preset.members]


def _as_participant(desk: Desk, name: str, agent: object) -> Participant:
    """Who answers under that name; guests are lent to the desk's pool, each under the name of its member."""
    if isinstance(agent, Participant):
        return replace(agent, name=name)
    if agent is None or isinstance(agent, str):
        return Participant(name=name, seat=agent or "")
    return Participant(name=name, seat=invite(desk.pool, name, agent))
