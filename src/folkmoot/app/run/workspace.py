"""The workspace: settings, record store and models in one place, to run, resume, follow, list and verify debates.

A ``Plan`` is a debate that can run. A ``Watcher`` is told of every entry of the debates that run in a workspace, as
telemetry is.
"""

import asyncio
import copy
import logging
import os
import re
import secrets
import time
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from contextlib import aclosing, nullcontext
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Protocol

from folkmoot.agents.human import Contacts, Interface
from folkmoot.app.brief.program_values import plain
from folkmoot.app.plan.assignment import assign, live_models, make_agents, names_of_people
from folkmoot.app.plan.checks import check_brief
from folkmoot.app.plan.estimate import estimate
from folkmoot.app.plan.learning import learn_at_end, memory_place
from folkmoot.app.plan.own_agents import register
from folkmoot.app.plan.settings import Config, load_config, lock_place
from folkmoot.app.plan.toolbox import check_packages, open_tools, packages_of
from folkmoot.app.run.claims import claimed
from folkmoot.app.run.outcome import Outcome, Recorded, opening, outcome
from folkmoot.app.run.record_reader import RecordReader
from folkmoot.core.ask import Fields, Value
from folkmoot.core.brief import GUEST, QUOTES, Brief, Limits
from folkmoot.core.errors import PackageMissing, ProtocolError
from folkmoot.core.event import (
    Asked,
    Closed,
    Entry,
    Erred,
    Failed,
    Opened,
    Paused,
    Replied,
    Resumed,
    Signal,
    extension_options,
)
from folkmoot.core.extensions import check_named_options
from folkmoot.core.labels import act_of, noun
from folkmoot.core.text import clean_data, counted, slug
from folkmoot.core.transcript import fold
from folkmoot.engine.driver import DriverOptions, StopRequest, debate, replay
from folkmoot.learn.tables import Place
from folkmoot.models.batches.batch_tray import BatchTray, pace_of
from folkmoot.models.pool import Pool
from folkmoot.phases.base import Phase
from folkmoot.protocols.known import DEFAULT, Choices, build
from folkmoot.protocols.spec import dump, load_opened, naming_packages
from folkmoot.record.hub import Hub, StoredLine
from folkmoot.record.ledger import NO_LINES, Ledger, ReadLines, running
from folkmoot.record.mailbox import Mailbox, SideStream
from folkmoot.record.store import Store, decode, digest, read

if TYPE_CHECKING:
    from folkmoot.app.run.dispatcher import Dispatcher

__all__ = ["decode", "read"]


class Watcher(Protocol):
    """Receives the entries of every debate that runs. It must not raise: an error in it would end the debate."""

    def take(self, debate: str, entries: Sequence[Entry]) -> None:
        """Receive entries that have just been stored."""
        ...

    def end(self, debate: str) -> None:
        """The debate no longer runs."""
        ...


LOG = logging.getLogger("folkmoot")
"""Says what happens to a program that asks for it: at INFO how debates go, at DEBUG each question and try besides."""


def _log(debate: str, entries: Sequence[Entry]) -> None:
    for entry in entries:
        match entry.event:
            case Opened(brief=brief):
                LOG.info("%s started: %s", debate, brief.topic)
            case Resumed():
                LOG.info("%s resumed", debate)
            case Paused(reason=reason):
                LOG.info("%s paused: %s", debate, reason)
            case Closed(status=status, reason=reason):
                LOG.info("%s ended: %s, %s", debate, status, reason)
            case Failed(key=key, reason=reason):
                LOG.info("%s has no answer to %s: %s", debate, key, reason)
            case Asked(ask=ask):
                LOG.debug("%s asks %s: %s", debate, ask.to, ask.act)
            case Replied(key=key):
                LOG.debug("%s has an answer to %s", debate, key)
            case Erred(key=key, kind=kind, reason=reason):
                LOG.debug("%s: a try of %s failed: %s: %s", debate, key, kind, reason)
            case _:
                pass


@dataclass(slots=True)
class Watchers:
    """All watchers of a workspace."""

    each: list[Watcher] = field(default_factory=list[Watcher])

    def take(self, debate: str, lines: Sequence[str]) -> None:
        """Pass on the entries that have just been stored."""
        logs = LOG.isEnabledFor(logging.INFO)
        entries = [decode(line) for line in lines] if self.each or logs else []
        if logs:
            _log(debate, entries)
        for watcher in self.each:
            watcher.take(debate, entries)

    def end(self, debate: str) -> None:
        """Tell all watchers that a debate no longer runs."""
        for watcher in self.each:
            watcher.end(debate)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that a debate needs to run: the brief with its agents, and the phase tree of its protocol.

    Attributes:
        brief: the brief with a model or another agent for each participant.
        name: the protocol's name.
        protocol: its phase tree.
        settings: those of a brief's header that hold; see ``Opened.settings``.
        chosen: what was chosen about the protocol, in words.
        place: tells the folder of the documents from others; see ``Opened.place``.
        unseated: headings of the brief that look like people; see ``Opened.unseated``.
    """

    brief: Brief
    name: str
    protocol: Phase
    settings: Fields = field(default_factory=dict[str, Value])
    chosen: tuple[str, ...] = ()
    place: str = ""
    unseated: tuple[str, ...] = ()

    @property
    def options(self) -> Fields:
        """The settings for extensions."""
        return extension_options(self.settings)

    def opened(self) -> Opened:
        """The first entry of the record."""
        tree = dump(self.protocol)
        return Opened(
            brief=self.brief,
            protocol=tree,
            name=self.name,
            settings=self.settings,
            chosen=self.chosen,
            packages=packages_of(self.brief, self.name, tree),
            place=self.place,
            unseated=self.unseated,
        )


class Workspace(RecordReader):
    """Runs debates and reads their records.

    Args:
        store: where the records are kept.
        pool: the models; None for a new one.
        clock: seconds since 1970, for the labels of entries.
        config: the user's settings of tools; None to load them when a debate has tools.

    Attributes:
        watchers: are called for every debate that runs here.
        writer: the store to which the debates that run here are written; a worker wraps it to check its lease.
        queue: passes debates to workers; None where records are in a file.
    """

    def __init__(
        self,
        store: Store,
        *,
        pool: Pool | None = None,
        clock: Callable[[], float] = time.time,
        config: Config | None = None,
    ) -> None:
        super().__init__(store, clock=clock)
        self.config = config
        self.writer: Store = store
        self.queue: Dispatcher | None = None
        self.pool = pool or Pool()
        self._open_tray = self.pool.open_tray or cache(partial(_new_tray, store, clock))
        self.pool.open_tray = self._open_tray
        self.pool.programs = lambda: (self.config or load_config()).acp
        self.hub = Hub(store)
        self.watchers = Watchers()
        self._running: set[str] = set()
        self._registered: dict[str, object] = {}

    def starting_only(self, programs: Collection[str]) -> "Workspace":
        """The same workspace for a caller over the network; see ``Pool.starting_only``."""
        other = copy.copy(self)
        other.pool = self.pool.starting_only(programs)
        return other

    @property
    def tray(self) -> BatchTray:
        """Gathers the calls that a provider's batch answers; made when it is first used.

        Raises:
            BriefError: the environment names no number of seconds for the looks at a batch.
        """
        return self._open_tray()

    @property
    def memory_place(self) -> Place | None:
        """The file or database of the memory, which is that of the records; None if the records are in neither."""
        return memory_place(self.store)

    async def close(self) -> None:
        """Close connections and files."""
        await self.pool.close()
        await super().close()

    # ---- running debates ---------------------------------------------------------------------------------------

    def plan(
        self, brief: Brief, *, protocol: str = DEFAULT, choices: Choices | None = None, models: Sequence[str] = ()
    ) -> Plan:
        """Make a plan from a brief: assign an agent to each participant and build the protocol.

        Args:
            brief: what is debated, and by whom.
            protocol: its name.
            choices: what is chosen about it; None for its defaults.
            models: for participants without a model, taken in turn; the built-in debater where there are none.

        Raises:
            BriefError: a name, an option or a weight that is not valid, or a model that cannot exist.
            ProtocolError: the protocol cannot run with these participants.
        """
        choices, stored = choices or Choices(), self.store_agents(brief)
        check_brief(stored)
        seated = assign(clean_data(stored), models or (QUOTES,))
        tree, options = build(protocol, seated, choices), choices.options()
        if choices.other_options:
            check_named_options(choices.other_options)
        live_models(seated, self.pool.with_options(options))  # which refuses agents that cannot answer
        return Plan(brief=seated, name=protocol, protocol=tree, settings=options, chosen=choices.in_words())

    def store_agents(self, brief: Brief) -> Brief:
        """The brief as it is stored, checked; the functions that answer for participants join the pool.

        Raises:
            BriefError: a value that does not fit, or something that cannot answer.
        """
        stored, agents = plain(brief)
        seats = {name: self.register(name, agent) for name, agent in agents.items()}
        if not seats:
            return stored
        people = [
            replace(participant, seat=seats.get(participant.name, participant.seat))
            for participant in stored.participants
        ]
        return replace(stored, participants=tuple(people))

    def register(self, name: str, agent: object) -> str:
        """Register an agent of this program under a name; returns the name of its model, ``guest:name``.

        Raises:
            BriefError: it cannot answer, or another agent has that name.
        """
        if name not in self._registered or self._registered[name] is not agent:
            register(self.pool, name, agent)
            self._registered[name] = agent
        return f"{GUEST}{name}"

    def new_id(self, plan: Plan) -> str:
        """A new debate's id: words of the topic and some random characters."""
        return f"{slug(plan.brief.topic, 32)}-{secrets.token_hex(3)}"

    async def run(
        self, plan: Plan, debate: str, *, stop: StopRequest | None = None, interface: Interface | None = None
    ) -> Outcome:
        """Run a new debate to its end, or until it pauses.

        Args:
            plan: the debate.
            debate: its id.
            stop: set its reason to pause after the answers in progress.
            interface: asks people in place; without one the debate pauses where a person has to answer.

        Returns:
            The outcome.

        Raises:
            RecordConflict: there is another debate of that id.
        """
        return await self._session(debate, plan.opened(), plan.protocol, stop=stop, interface=interface)

    async def resume(
        self,
        debate: str,
        *,
        limits: Limits | None = None,
        stop: StopRequest | None = None,
        interface: Interface | None = None,
    ) -> Outcome:
        """Resume a debate where its record ends; one that is over is only read.

        Args:
            debate: its id.
            limits: what it may use in total, what it has used included; None for the limits of its brief.
            stop: set its reason to pause after the answers in progress.
            interface: asks people in place; see ``run``.

        Returns:
            The outcome.

        Raises:
            RecordError: there is no such debate, or its record is damaged.
            RecordConflict: another process of this machine runs it; nothing was asked.
            RecordMismatch: this version of Folkmoot would run the debate differently.
        """
        known = await self.read_lines(debate)
        if (transcript := fold(known[1])).closed:
            return await self._with_lessons(outcome(debate, transcript), known[1], digest(known[0][-1]))
        opened = opening(debate, known[1])
        check_packages(opened.packages)
        protocol = load_opened(opened)
        return await self._session(debate, opened, protocol, limits=limits, stop=stop, interface=interface, known=known)

    async def _session(
        self,
        debate_id: str,
        opened: Opened,
        protocol: Phase,
        *,
        limits: Limits | None = None,
        stop: StopRequest | None = None,
        interface: Interface | None = None,
        known: ReadLines = NO_LINES,
    ) -> Outcome:
        """Open a record, run its debate from where the record ends, close it, and learn from it."""
        brief, store = opened.brief, self.store
        locks = lock_place(store) if self.writer is store else ""  # a worker has its lease
        with running(locks, debate_id) if locks else nullcontext():  # no other process of this machine can run it
            ledger = Ledger(self.writer, debate_id, clock=self.clock, publish=self._publish, known=known)
            asked = [(entry.event, entry.at) for entry in await ledger.open()]
            mailbox = Mailbox(store, debate_id, clock=self.clock)
            gate = asyncio.Semaphore((limits or brief.limits).parallel)
            contacts = Contacts(
                debate=debate_id,
                mailbox=mailbox,
                interface=interface,
                called=lambda ask: noun(act_of(ask)),
                clock=self.clock,
                asked_at={event.ask.key: at for event, at in asked if isinstance(event, Asked)},
                gate=gate,
            )
            options = DriverOptions(
                limits=limits,
                show=lambda signal: self.hub.signal(debate_id, signal),
                watched=lambda: self.hub.watched(debate_id),
                stop=stop or StopRequest(),
                mailbox=mailbox,
                untimed=names_of_people(brief),
                gate=gate,
                prepare=self.pool.warm,
            )
            self._running.add(debate_id)
            self.hub.begin(debate_id)
            try:
                async with open_tools(brief, self.config, opened.options) as give:
                    pool = self.pool.with_options(opened.options)
                    if not (
                        await claimed(self, debate_id)
                    ).at_hand:  # whoever runs it: a worker, or the owner's command
                        pool = pool.starting_only(())
                    agents = make_agents(
                        brief,
                        pool,
                        give,
                        store=store,
                        limits=limits,
                        contacts=contacts,
                        config=self.config,
                        clock=self.clock,
                    )
                    with naming_packages():
                        transcript = await debate(opened, protocol, agents, ledger=ledger, options=options)
            finally:
                self._running.discard(debate_id)
                self.hub.finish(debate_id)
                self.watchers.end(debate_id)
            if self._open_tray.cache_info().currsize and not self.tray.held:  # one that nobody has opened is empty
                await self.tray.submit()
            return await self._with_lessons(outcome(debate_id, transcript), ledger.entries, ledger.head)

    async def _with_lessons(self, ended: Outcome, entries: Sequence[Entry], head: str) -> Outcome:
        """The outcome with its record; if the debate is over, its lessons are learned, once."""
        record = Recorded(entries=tuple(entries), head=head, place=self.place)
        if ended.status == "paused":
            return replace(ended, record=record)
        fault = await learn_at_end(self.store, ended.debate, self.config, entries, head, ended.transcript)
        return replace(ended, record=record, unlearned=fault)

    async def outcome(self, debate: str) -> Outcome:
        """The outcome of a debate as its record stands; nothing is run.

        Raises:
            RecordError: there is no such debate, or its record is damaged.
        """
        lines, entries = await self.read_lines(debate)
        record = Recorded(entries=entries, head=digest(lines[-1]), place=self.place)
        return replace(outcome(debate, fold(entries)), record=record)

    def _publish(self, debate: str, lines: Sequence[str], first: int) -> None:
        self.hub.publish(debate, [StoredLine(seq, line) for seq, line in enumerate(lines, start=first)])
        self.watchers.take(debate, lines)

    # ---- following and verifying; see RecordReader for the rest ----------------------------------------------------

    async def follow(
        self, debate: str, *, after: int = 0, live: bool = True, pieces: bool = True
    ) -> AsyncGenerator[Entry | Signal, None]:
        """Entries after ``after``, stored and then live, without a gap, until the debate is closed or paused.

        Args:
            debate: its id.
            after: the number of the last entry that is known.
            live: whether to wait for new ones.
            pieces: whether the pieces of unfinished answers are wanted; where nobody wants them, they come late.
        """
        async with aclosing(self.follow_lines(debate, after=after, live=live, pieces=pieces)) as items:
            async for item in items:
                yield decode(item.text) if isinstance(item, StoredLine) else item

    async def follow_lines(
        self, debate: str, *, after: int = 0, live: bool = True, pieces: bool = True
    ) -> AsyncGenerator[StoredLine | Signal, None]:
        """As ``follow``, with the stored lines as they are."""
        async with aclosing(self.hub.follow(debate, after=after, live=live, pieces=pieces)) as items:
            async for item in items:
                yield item
                if live and isinstance(item, StoredLine) and await self._nothing_follows(debate, item):
                    return

    async def _nothing_follows(self, debate: str, line: StoredLine) -> bool:
        """Whether nothing follows that line for now, even if another process runs the debate."""
        if not _MAY_END.search(line.text):
            return False
        match decode(line.text).event:
            case Closed():
                return True
            case Paused():
                return debate not in self._running and not await self.store.read(debate, after=line.seq, limit=1)
            case _:
                return False

    async def count_asks(self, debate: str) -> int:
        """How many questions the debate would ask at most in total; 0 where its protocol cannot be loaded here.

        Raises:
            RecordError: there is no such debate, or its record is damaged.
        """
        opened = opening(debate, await self.entries(debate))
        try:
            return estimate(opened.brief, load_opened(opened), {}).most.asks
        except ProtocolError:
            return 0

    async def verify(self, debate: str) -> tuple[int, str]:
        """Check a record: every hash, and that its protocol makes the same entries again.

        Returns:
            The number of entries and the hash of the last line.

        Raises:
            RecordError: the record is damaged; the message names the entry.
            RecordMismatch: the record has other entries than its protocol makes.
            PackageMissing: every hash is right, but a package that its protocol needs is not installed, or is broken.
        """
        known = await self.read_lines(debate)
        entries = known[1]
        opened = opening(debate, entries)
        ledger = Ledger(self.store, debate, clock=self.clock, known=known)
        await ledger.open()
        try:
            tree = load_opened(opened)
        except ProtocolError as error:
            sound = f"{debate}: {counted(len(entries), 'entry', 'entries')}, every hash is right, head {ledger.head}"
            raise PackageMissing(f"{sound}; it was not played again: {error}") from error
        with naming_packages():
            replay(opened, tree, ledger=ledger)
        return len(entries), ledger.head


_MAY_END = re.compile(r'"kind": ?"(?:closed|paused)"')
"""What stands in every line that may be the last one."""


def _new_tray(store: Store, clock: Callable[[], float]) -> BatchTray:
    """The tray of batches of a store."""
    return BatchTray(SideStream(store, "@", "jobs", clock=clock), clock=clock, pace=pace_of(os.environ))
