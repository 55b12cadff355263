"""Budgets of owners: what each has used and reserved of a day's or a session's allowance.

Reservations are stored beside the records, in a mailbox ``@OWNER/till`` of the same store: the numbers of its messages
are one order for all processes. So a process writes its reservation first, and then reads those before it.

What was used is read from the records, so an allowance survives restarts. An open debate counts with the limit on cost
that it began with: so the allowance cannot be exceeded, also with several servers on one store. Generating participants
belongs to the owner of the debate that asked for it; a debate that reuses them later pays nothing for them.
"""

import asyncio
import math
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from folkmoot.app.plan.assignment import live_models
from folkmoot.app.plan.estimate import Estimate, estimate
from folkmoot.app.run.outcome import opening
from folkmoot.app.run.prepare import PreparedDebate
from folkmoot.app.run.record_reader import is_helper
from folkmoot.app.run.runner import Runner
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import Limits, is_within
from folkmoot.core.errors import BriefError, FolkmootError, LimitReached, Unpriced
from folkmoot.core.event import Called, Entry, Opened, Released, Reserved
from folkmoot.engine.calls import Budget
from folkmoot.protocols.spec import load_opened
from folkmoot.record.listing import ListQuery, find, page
from folkmoot.record.mailbox import SideStream
from folkmoot.record.store import Store
from folkmoot.record.summary_fold import Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """What was reserved for a debate.

    Attributes:
        amount: the most US dollars that it may use, with what it had used before.
        entries: how many entries its record had.
        at: when, in seconds since 1970.
        number: its place among all promises of its owner.
        own: whether it was made by this process.
    """

    amount: float
    entries: int
    at: float
    number: int
    own: bool


class Reservations:
    """What is reserved for the debates of all owners.

    Args:
        store: where it stands for all processes; None where it is this one's alone.
        clock: seconds since 1970.
    """

    def __init__(self, store: Store | None, clock: Callable[[], float]) -> None:
        self._store, self._clock = store, clock
        self._streams: dict[str, SideStream] = {}
        self._own: dict[str, dict[str, Reservation]] = {}
        self._made = 0

    async def make(self, owner: str, debate: str, amount: float, entries: int) -> Reservation:
        """Reserve money for a debate; this replaces its earlier reservation.

        Raises:
            RecordError: the store cannot be written.
        """
        self._made += 1
        number = self._made
        if self._store:
            event = Reserved(debate=debate, amount=amount, entries=entries)
            number = await self._stream(owner, self._store).post(event)
        reservation = Reservation(amount=amount, entries=entries, at=self._clock(), number=number, own=True)
        self._own.setdefault(owner, {})[debate] = reservation
        return reservation

    async def drop(self, owner: str, debate: str) -> None:
        """Cancel the reservation of a debate.

        Raises:
            RecordError: the store cannot be written.
        """
        self._own.get(owner, {}).pop(debate, None)
        if self._store:
            await self._stream(owner, self._store).post(Released(debate=debate))

    async def of(self, owner: str, before: int | None = None) -> dict[str, Reservation]:
        """What is reserved for the debates of an owner, by debate.

        Args:
            owner: whose they are.
            before: only what was reserved before the promise of that number; None for all.

        Raises:
            RecordError: the store cannot be read.
        """
        own = self._own.get(owner, {})
        if self._store is None:
            return {
                debate: reservation
                for debate, reservation in own.items()
                if before is None or reservation.number < before
            }
        reservations: dict[str, Reservation] = {}
        numbers = {reservation.number for reservation in own.values()}
        for entry in (await self._stream(owner, self._store).read())[: None if before is None else before - 1]:
            match entry.event:
                case Reserved(debate=debate, amount=amount, entries=entries):
                    reservations[debate] = Reservation(
                        amount=amount,
                        entries=entries,
                        at=entry.at,
                        number=entry.seq,
                        own=entry.seq in numbers,
                    )
                case Released(debate=debate):
                    reservations.pop(debate, None)
                case _:
                    pass
        return reservations

    def _stream(self, owner: str, store: Store) -> SideStream:
        if owner not in self._streams:
            self._streams[owner] = SideStream(store, f"@{owner}", "till", clock=self._clock)
        return self._streams[owner]


PLACING = 900.0
"""Seconds for which money counts that another process has reserved for a debate of which nothing is on record yet: it
may be having its participants made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Account:
    """The data from which one owner's spending is counted.

    Attributes:
        since: when the day or the session began.
        reservations: what was reserved, by debate.
        stored: the debates of the owner, and those for which something was reserved.
        running: the debates that are held, or are being begun here.
    """

    since: float
    reservations: Mapping[str, Reservation]
    stored: Mapping[str, Summary | None]
    running: frozenset[str]


class Spending:
    """The allowances of one server.

    Args:
        runner: where the debates run.
        limit: US dollars that each owner may use in a day, or in a session; None for no limit.
        session: when the session began, in seconds since 1970; None where each day is counted for itself. A session
            is one process's own: what others reserve is no part of it.
    """

    def __init__(self, runner: Runner, limit: float | None, *, session: float | None = None) -> None:
        self._runner, self._most, self._session = runner, limit, session
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._reservations = Reservations(
            None if session is not None else runner.workspace.store, runner.workspace.clock
        )
        self._placing: set[str] = set()  # promised, and not held yet

    def cap(self, prepared: PreparedDebate) -> float | None:
        """The limit on cost that a debate must get, because spending is limited; None if it has one, or needs none.

        Raises:
            Unpriced: the price of a model is unknown, so that no allowance could hold.
        """
        if self._most is None or prepared.plan.brief.limits.cost is not None:
            return None
        estimate = prepared.costing.most
        if estimate.cost is None or estimate.unpriced:
            unknown = ", ".join(estimate.unpriced) or "a model"
            raise Unpriced(f"spending is limited here, and the price of {unknown} is unknown")
        return estimate.cost

    def check(self, limits: Limits) -> None:
        """Refuse to resume a debate without a limit on cost if spending is limited.

        Raises:
            BriefError: it has none.
        """
        if self._most is not None and limits.cost is None:
            raise BriefError("spending is limited here; give the debate a limit on cost", code="missing_key")

    @asynccontextmanager
    async def reserving(self, owner: str, debate: str, amount: float) -> AsyncGenerator[None]:
        """Reserve what a debate may use while it is started; one debate of an owner after the other.

        One that runs already has been paid for. What is reserved stands in the store before anything is begun, in
        one order for all servers: of two who reserve at the same moment the second one sees the first.

        Args:
            owner: whose it is; "" for the person at the machine, who pays without a limit.
            debate: its id.
            amount: the most US dollars that it may still use.

        Raises:
            LimitReached: the allowance does not reach.
        """
        if not owner or self._most is None:
            yield
            return
        async with self._turns[owner]:
            if (await self._runner.running_state(debate)).sure:
                yield
                return
            self._check(await self.used(owner), amount)
            workspace = self._runner.workspace
            stored = await find(workspace.store, debate)
            before = await _spent_since(workspace, stored, self._session_start()) if stored else 0.0
            mine = await self._reservations.make(owner, debate, before + amount, stored.entries if stored else 0)
            try:
                self._check(await self._used_before(owner, mine.number), amount)
                self._placing.add(debate)
                yield
            except BaseException:
                await self._reservations.drop(owner, debate)
                raise
            finally:
                self._placing.discard(debate)

    def _check(self, used: float, amount: float) -> None:
        assert self._most is not None
        if not is_within(used + amount, self._most):
            whose = "today's" if self._session is None else "this session's"
            problem = f"${used:.2f} of {whose} ${self._most:.2f} are used or reserved; this needs up to ${amount:.2f}"
            raise LimitReached(problem)

    async def used(self, owner: str) -> float:
        """The US dollars that an owner has used and reserved: today (UTC), or in the session."""
        return await self._used_before(owner, None)

    async def _used_before(self, owner: str, before: int | None) -> float:
        """The same; ``before``: only with what was reserved before the promise of that number."""
        books = await self._open_books(owner, before)
        paid = self._runner.generations
        return sum([await self._count(books, debate) for debate in books.stored if debate not in paid])

    async def _open_books(self, owner: str, before: int | None) -> _Account:
        since, reservations = self._session_start(), await self._reservations.of(owner, before)
        store, holders = self._runner.workspace.store, await self._runner.where_debates_run()
        own = (await page(store, ListQuery(owner=owner, since=since))).debates
        stored: dict[str, Summary | None] = {summary.debate: summary for summary in own}
        for debate in reservations:
            if debate not in stored:
                stored[debate] = await find(store, debate)
        return _Account(
            since=since,
            reservations=reservations,
            stored=stored,
            running=frozenset(holders) | self._placing,
        )

    async def _count(self, books: _Account, debate: str) -> float:
        """What one debate has used and reserved."""
        stored, reservation, workspace = books.stored[debate], books.reservations.get(debate), self._runner.workspace
        used = await _spent_since(workspace, stored, books.since) if stored else 0.0
        if debate in books.running:
            return max(used, reservation.amount if reservation else 0.0)
        if reservation is None:
            unnoted = self._session is None and stored and _is_open(stored) and not is_helper(debate)
            return max(used, await _may_still_use(workspace, debate, books.since)) if unnoted else used
        return max(used, reservation.amount) if self._counts(books, stored, reservation) else used

    def _counts(self, books: _Account, stored: Summary | None, reservation: Reservation) -> bool:
        """Whether the reservation of a debate counts that does not run, as far as is known here."""
        if reservation.own:  # it was held here, and is no longer
            return False
        if stored and stored.entries > reservation.entries:
            return stored.status == "open" and max(stored.updated, reservation.at) >= books.since
        return self._runner.workspace.clock() - reservation.at < PLACING

    def _session_start(self) -> float:
        if self._session is not None:
            return self._session
        now = datetime.fromtimestamp(self._runner.workspace.clock(), UTC)
        return now.replace(hour=0, minute=0, second=0, microsecond=0).timestamp()


def _is_open(stored: Summary) -> bool:
    """Whether a debate was started and is neither over nor paused."""
    return stored.status == "open" and stored.entries > 1


async def _spent_since(workspace: Workspace, stored: Summary, since: float) -> float:
    """What a debate has used since then; only the record of one that was begun before is read."""
    if stored.status == "damaged" or stored.updated < since:
        return 0.0
    if stored.at >= since:
        return stored.spent
    try:
        entries = await workspace.entries(stored.debate)
    except FolkmootError:
        return 0.0
    return max(0.0, spent(entries) - spent([entry for entry in entries if entry.at < since]))


async def _may_still_use(workspace: Workspace, debate: str, since: float) -> float:
    """What an open debate may still use: its limit on cost, or its estimate, minus what it used before."""
    try:
        entries = await workspace.entries(debate)
        opened = opening(debate, entries)
        reserved = reserve(workspace, opened, opened.brief.limits.cost)
    except FolkmootError:
        return 0.0
    return max(0.0, reserved - spent([entry for entry in entries if entry.at < since]))


def reserve(workspace: Workspace, opened: Opened, cost_limit: float | None) -> float:
    """The US dollars to reserve for a debate: its limit on cost, else its estimate; nothing where it costs nothing.

    Args:
        workspace: where it runs.
        opened: how it began.
        cost_limit: its limit on cost.
    """
    live = live_models(opened.brief, workspace.pool.with_options(opened.options))
    costing = estimate(opened.brief, load_opened(opened), live).most
    return 0.0 if is_free(costing) else cost_limit if cost_limit is not None else costing.cost or 0.0


def is_free(estimate: Estimate) -> bool:
    """Whether no model that answers has a price."""
    return estimate.cost == 0 and not estimate.unpriced


def spent(entries: Sequence[Entry]) -> float:
    """The US dollars that a debate has used and reserved, of the calls whose price is known."""
    budget = Budget(Limits())
    for entry in entries:
        budget.apply(entry.event)
    return budget.cost


def lost(entries: Sequence[Entry]) -> float:
    """The US dollars of it that stay reserved for calls that never ended, such as those that a kill cut off.

    It is a billionth more, so that a limit which is raised by it is not missed by the rounding of a sum.
    """
    paid = math.fsum(entry.event.usage.cost or 0.0 for entry in entries if isinstance(entry.event, Called))
    return max(0.0, spent(entries) - paid) * (1 + 1e-9)
