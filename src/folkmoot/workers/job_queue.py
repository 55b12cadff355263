"""The queue of the workers: submit debates, look at them and cancel them.

What is wanted is written to the database first, and Temporal is told then. Whoever only looks asks the database alone.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeVar

from folkmoot.app.plan.settings import load_config
from folkmoot.app.plan.settings_tables import TemporalSettings
from folkmoot.app.run.dispatcher import USUAL_PRIORITY, Cancelled, Dispatcher, Job, QueueAway, QueueStatus, State
from folkmoot.core.brief import QUEUE_DELAY, QUEUE_PRIORITY
from folkmoot.core.errors import BriefError
from folkmoot.core.packages import missing_library
from folkmoot.record.postgres import PostgresStore
from folkmoot.record.postgres_connection import Connection
from folkmoot.record.store import SCHEMES, Store
from folkmoot.workers import wanted
from folkmoot.workers.wanted import Step, Wanted

if TYPE_CHECKING:
    from folkmoot.workers.connection import Temporal

Result = TypeVar("Result")

NEEDED = ("asyncpg", "temporalio")
"""The packages of the extra."""


class Queue:
    """Submits debates to workers; see ``app.run.dispatcher.Dispatcher``.

    Args:
        store: the records, in whose database the queue is.
        settings: where Temporal is; None to read the user's settings when it is needed.
    """

    def __init__(self, store: PostgresStore, settings: TemporalSettings | None = None) -> None:
        self.store, self._settings = store, settings
        self._temporal: Temporal | None = None
        self._ready = False

    async def submit(self, debate: str, *, owner: str = "", priority: int = USUAL_PRIORITY, after: float = 0.0) -> Job:
        """See ``Dispatcher.submit``. Where Temporal is away, workers begin the debate when it is back."""
        first, last = QUEUE_PRIORITY
        if not first <= priority <= last:
            allowed = f"a whole number from {first} (first) to {last} (last)"
            raise BriefError(f"the priority must be {allowed}, not {priority}")
        if not QUEUE_DELAY.low <= after <= QUEUE_DELAY.high:
            raise BriefError("the delay of a debate must be from 0 seconds to one year")
        new = Wanted(debate=debate, owner=owner, priority=priority, state="queued")
        row = await self._change(debate, partial(wanted.submitted, new=new, after=after))
        assert row is not None
        try:
            await (await self._connected()).start(row, after)
        except QueueAway as error:
            raise QueueAway(f"{error}. {debate} is noted, and a worker begins it when Temporal is back") from error
        return row

    async def cancel(self, debate: str, *, now: bool = False) -> Cancelled:
        """See ``Dispatcher.cancel``."""
        known = await self.job(debate)
        if known is None or known.state not in ("queued", "running", "waiting"):
            return ""
        row = await self._change(debate, partial(wanted.cancelled, at_once=now))
        if row is None or row.state not in ("running", "cancelled"):
            return ""  # it has ended in the meantime
        await (await self._connected()).cancel(debate)
        return "cancelled" if row.state == "cancelled" else "stopping"

    async def job(self, debate: str) -> Job | None:
        """See ``Dispatcher.job``."""
        return await self._do(partial(wanted.find, debate=debate))

    async def jobs(self, *, state: State | None = None, owner: str | None = None, limit: int = 100) -> tuple[Job, ...]:
        """See ``Dispatcher.jobs``."""
        return await self._do(partial(wanted.select, state=state, owner=owner, limit=limit))

    async def forget(self, debate: str) -> bool:
        """See ``Dispatcher.forget``."""
        known = await self._do(lambda c: c.execute("delete from folkmoot_wanted where debate = $1", debate))
        if known == "DELETE 0":
            return False
        await (await self._connected()).cancel(debate)
        return True

    async def status(self) -> QueueStatus:
        """See ``Dispatcher.status``."""
        return await self._do(wanted.status)

    async def close(self) -> None:
        """See ``Dispatcher.close``; the store stays open."""

    async def _change(self, debate: str, step: Step) -> Wanted | None:
        return (await self._do(partial(wanted.change, debate=debate, step=step)))[0]

    async def _do(self, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        if not self._ready:
            await self.store.transaction(wanted.make_ready)
            self._ready = True
        return await self.store.transaction(work)

    async def _connected(self) -> "Temporal":
        """The connection to Temporal, made when it is first needed."""
        from folkmoot.workers.connection import Temporal  # here, since the SDK takes a moment and only few need it

        if self._temporal is None:
            temporal = Temporal(self._settings or load_config().temporal, self.store)
            await temporal.connect()
            self._temporal = temporal
        return self._temporal


def check_queue(address: str) -> None:
    """Refuse what needs a queue where there is none.

    Raises:
        BriefError: the store is a file, or the packages are missing.
    """
    if not address.startswith(SCHEMES):
        need = "a queue needs a store that many machines share: --store postgresql://user@host/database"
        raise BriefError(need, code="inconsistent")
    if not _is_installed():
        raise BriefError(missing_library("A queue of workers", "workers"), code="missing_extra")


def _is_installed() -> bool:
    return all(find_spec(name) is not None for name in NEEDED)


def find_queue(store: Store) -> Dispatcher | None:
    """The queue of a store that can have one; nothing is connected before it is used."""
    return Queue(store) if isinstance(store, PostgresStore) and _is_installed() else None


def open_queue(store: Store) -> Dispatcher:
    """The queue of a store; nothing is connected before it is used.

    Raises:
        BriefError: the store is a file, or the packages are missing.
    """
    check_queue(store.address if isinstance(store, PostgresStore) else "")
    assert isinstance(store, PostgresStore)
    return Queue(store)
