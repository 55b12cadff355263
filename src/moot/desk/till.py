"""The money of others. This file owns how much of a day's or a session's allowance somebody has used and reserved.

What was used is read from the records of that time, so a day's allowance holds over restarts. A debate that runs counts
with the limit on cost that it began with, which is set where its brief has none: so the allowance cannot be overrun.
A casting belongs to whoever's debate had it held, and is counted like any other debate; while that debate runs it is
within its limit. Whose debate takes the same participants over later pays nothing for them.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from moot.core.brief import Limits
from moot.core.errors import BriefError, LimitReached, RecordError
from moot.core.event import Entry
from moot.desk.access import owners
from moot.desk.desk import Desk
from moot.desk.hall import Hall
from moot.desk.prepare import Ready
from moot.engine.limits import Purse
from moot.record.codec import decode
from moot.record.store import Spine


class Till:
    """The allowances of one process.

    Args:
        hall: where the debates are held.
        most: US dollars that each owner may use in a day, or in a session; None for no limit.
        session: when the session began, in seconds since 1970; None where each day is counted for itself.
    """

    def __init__(self, hall: Hall, most: float | None, *, session: float | None = None) -> None:
        self._hall, self._most, self._session = hall, most, session
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._promised: dict[str, tuple[str, float]] = {}
        self._placing: set[str] = set()  # promised, and not held yet

    def cap(self, ready: Ready) -> float | None:
        """The limit on cost that a debate must have, because spending has one; None where it has one, or needs none.

        Raises:
            LimitReached: the price of a model is unknown, so that no allowance could hold.
        """
        if self._most is None or ready.plan.brief.limits.cost is not None:
            return None
        most = ready.costing.most
        if most.cost is None or most.unpriced:
            unknown = ", ".join(most.unpriced) or "a model"
            raise LimitReached(f"spending is limited here, and the price of {unknown} is unknown")
        return most.cost

    def check(self, limits: Limits) -> None:
        """Refuse to go on with a debate without a limit on cost where spending is limited.

        Raises:
            BriefError: it has none.
        """
        if self._most is not None and limits.cost is None:
            raise BriefError("spending is limited here; give the debate a limit on cost", code="missing_key")

    @asynccontextmanager
    async def paying(self, owner: str, debate: str, amount: float) -> AsyncGenerator[None]:
        """Reserve what a debate may use, while it is begun; of each owner one after the other.

        One that is held already has been paid for.

        Args:
            owner: whose it is; "" for whoever is at the machine, who pays without a limit.
            debate: its id.
            amount: the most US dollars that it may still use.

        Raises:
            LimitReached: the allowance does not reach.
        """
        if not owner or self._most is None:
            yield
            return
        async with self._turns[owner]:
            held = self._hall.held
            if debate in held:
                yield
                return
            self._promised = {name: each for name, each in self._promised.items() if each[0] != owner or name in held}
            used = await self.used(owner)
            before = await _spent(self._hall.desk, debate, self._since())
            if used + amount > self._most:
                whose = "today's" if self._session is None else "this session's"
                found = f"${used:.2f} of {whose} ${self._most:.2f} are used or reserved; this needs up to ${amount:.2f}"
                raise LimitReached(found)
            self._promised[debate] = (owner, before + amount)
            self._placing.add(debate)
            try:
                yield
            except BaseException:
                self._promised.pop(debate, None)
                raise
            finally:
                self._placing.discard(debate)

    async def used(self, owner: str) -> float:
        """The US dollars that somebody has used and reserved: today, by Greenwich time, or in the session."""
        desk, since, running = self._hall.desk, self._since(), self._placing.union(self._hall.held)
        promised = {
            debate: amount for debate, (name, amount) in self._promised.items() if name == owner and debate in running
        }
        total, counted = sum(promised.values()), self._hall.castings.union(promised)
        spines = await desk.store.debates()
        whose = owners(spines)
        for spine in spines:
            if whose.get(spine.debate) == owner and spine.debate not in counted and _at(spine) >= since:
                total += await _spent(desk, spine.debate, since)
        return total

    def _since(self) -> float:
        if self._session is not None:
            return self._session
        now = datetime.fromtimestamp(self._hall.desk.clock(), UTC)
        return now.replace(hour=0, minute=0, second=0, microsecond=0).timestamp()


def _at(spine: Spine) -> float:
    """When the last entry was made; 0 where it cannot be read."""
    try:
        return decode(spine.last).at
    except RecordError:
        return 0.0


async def _spent(desk: Desk, debate: str, since: float) -> float:
    """What a debate has used since then; nothing where there is none yet."""
    try:
        entries = await desk.entries(debate)
    except RecordError:
        return 0.0
    if entries[-1].at < since:
        return 0.0
    return max(0.0, spent(entries) - spent([each for each in entries if each.at < since]))


def spent(entries: Sequence[Entry]) -> float:
    """The US dollars that a debate has used and reserved, of the calls whose price is known."""
    purse = Purse(Limits())
    for entry in entries:
        purse.apply(entry.event)
    return purse.cost
