"""The job queue in PostgreSQL: submit debates to workers, and find the queue of a record store.

Its tables are made by the first submission. Errors name the packages that are missing.
"""

from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from typing import TypeVar

from folkmoot.app.run.dispatcher import USUAL_PRIORITY, Cancelled, Dispatcher, Job, QueueStatus, State
from folkmoot.core.brief import QUEUE_DELAY, QUEUE_PRIORITY
from folkmoot.core.errors import BriefError
from folkmoot.core.packages import missing_library
from folkmoot.record.postgres_connection import SCHEMES
from folkmoot.workers import jobs
from folkmoot.workers.queue_database import Connection, Database
from folkmoot.workers.queue_tables import has_tables, make_ready

Result = TypeVar("Result")

NEEDED = ("asyncpg", "croniter")
"""The packages of the extra that nothing else brings."""


class Queue:
    """Submits debates to workers; see ``app.run.dispatcher.Dispatcher``.

    The tables are made by the first submission; whoever only looks finds an empty queue before that.

    Args:
        address: the store's, ``postgresql://…``.
        database: the connections to it; None for new ones.
    """

    def __init__(self, address: str, database: Database | None = None) -> None:
        self.database = database or Database(address)
        self._ready = False

    async def submit(self, debate: str, *, owner: str = "", priority: int = USUAL_PRIORITY, after: float = 0.0) -> Job:
        """See ``Dispatcher.submit``."""
        first, last = QUEUE_PRIORITY
        if not first <= priority <= last:
            wanted = f"a whole number from {first} (first) to {last} (last)"
            raise BriefError(f"the priority must be {wanted}, not {priority}")
        if not QUEUE_DELAY.low <= after <= QUEUE_DELAY.high:
            raise BriefError("the delay of a debate must be from 0 seconds to one year")
        await self._make_ready()
        return await self.database.do(lambda c: jobs.submit(c, debate, owner, priority, after))

    async def cancel(self, debate: str, *, now: bool = False) -> Cancelled:
        """See ``Dispatcher.cancel``."""
        return await self._look(lambda c: jobs.cancel(c, debate, now=now)) or ""

    async def job(self, debate: str) -> Job | None:
        """See ``Dispatcher.job``."""
        return await self._look(lambda c: jobs.find(c, debate))

    async def jobs(self, *, state: State | None = None, owner: str | None = None, limit: int = 100) -> tuple[Job, ...]:
        """See ``Dispatcher.jobs``."""
        return await self._look(lambda c: jobs.select(c, state, owner, limit)) or ()

    async def forget(self, debate: str) -> bool:
        """See ``Dispatcher.forget``."""
        return await self._look(lambda c: jobs.forget(c, debate)) or False

    async def status(self) -> QueueStatus:
        """See ``Dispatcher.status``."""
        return await self._look(jobs.status) or QueueStatus()

    async def close(self) -> None:
        """See ``Dispatcher.close``."""
        await self.database.close()

    async def _look(self, work: Callable[[Connection], Awaitable[Result]]) -> Result | None:
        """What is there; None where the tables have not been made."""
        if not self._ready:
            if not await self.database.do(has_tables):
                return None
            await self._make_ready()
        return await self.database.do(work)

    async def _make_ready(self) -> None:
        if not self._ready:
            await make_ready(self.database)
            self._ready = True


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


def find_queue(address: str) -> Dispatcher | None:
    """The queue of a store that can have one; nothing is connected before it is used."""
    return Queue(address) if address.startswith(SCHEMES) and _is_installed() else None


def open_queue(address: str) -> Dispatcher:
    """The queue of a store; nothing is connected before it is used.

    Raises:
        BriefError: the store is a file, or the packages are missing.
    """
    check_queue(address)
    return Queue(address)
