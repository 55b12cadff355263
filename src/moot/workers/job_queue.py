"""The job queue over DBOS: submit debates to workers, and find the queue of a record store.

Its tables are made by the first submission. It blocks no event loop. Errors name the packages that are missing.
"""

import asyncio
import logging
from collections.abc import Callable
from importlib.util import find_spec
from typing import TypeVar

from sqlalchemy.exc import SQLAlchemyError

from moot.app.run.dispatcher import USUAL_PRIORITY, Dispatcher, Job, State
from moot.core.errors import BriefError
from moot.workers.jobs import Jobs
from moot.workers.queue_tables import client_of, engine_of, is_ready, make_ready, unreachable

Result = TypeVar("Result")

# The engine tells of its inner life on the terminal of whoever submits.
logging.getLogger("dbos").setLevel(logging.CRITICAL)


class Queue:
    """Submits debates to workers; see ``app.run.dispatcher.Dispatcher``.

    The tables are made by the first submission; whoever only looks finds an empty queue before that.

    Args:
        address: the store's, ``postgresql://…``.
    """

    def __init__(self, address: str) -> None:
        self._engine = engine_of(address)
        self._jobs: Jobs | None = None

    async def submit(self, debate: str, *, owner: str = "", priority: int = USUAL_PRIORITY, after: float = 0.0) -> Job:
        """See ``Dispatcher.submit``."""
        if not 1 <= priority <= 10:
            raise BriefError(f"a priority is a whole number from 1, first, to 10, last, not {priority}")
        if not 0 <= after <= 366 * 86_400:
            raise BriefError("a debate waits from 0 seconds to a year before it is begun")
        return await self._do(lambda: self._open().submit(debate, owner, priority, after))

    async def cancel(self, debate: str, *, now: bool = False) -> bool:
        """See ``Dispatcher.cancel``."""
        return await self._do(lambda: self._there() and self._look().cancel(debate, now=now))

    async def job(self, debate: str) -> Job | None:
        """See ``Dispatcher.job``."""
        return await self._do(lambda: self._look().job(debate) if self._there() else None)

    async def jobs(self, *, state: State | None = None, limit: int = 100) -> tuple[Job, ...]:
        """See ``Dispatcher.jobs``."""
        return await self._do(lambda: self._look().jobs(state, limit) if self._there() else ())

    async def close(self) -> None:
        """See ``Dispatcher.close``."""
        await asyncio.to_thread(self._engine.dispose)

    async def _do(self, work: Callable[[], Result]) -> Result:
        try:
            return await asyncio.to_thread(work)
        except SQLAlchemyError as error:
            raise unreachable(error) from None

    def _there(self) -> bool:
        if self._jobs:
            return True
        with self._engine.connect() as connection:
            return is_ready(connection)

    def _open(self) -> Jobs:
        """The jobs, for submitting; the tables are there then."""
        if self._jobs is None:
            make_ready(self._engine)
        return self._look()

    def _look(self) -> Jobs:
        """The jobs of tables that are there."""
        if self._jobs is None:
            self._jobs = Jobs(self._engine, client_of(self._engine))
        return self._jobs


EXTRA = 'pip install "moot[workers]"'

SCHEMES = ("postgresql://", "postgres://")


def check_queue(address: str) -> None:
    """Refuse what needs a queue where there is none.

    Raises:
        BriefError: the store is a file, or the packages are missing.
    """
    if not address.startswith(SCHEMES):
        found = "a queue needs a store that many machines share: --store postgresql://user@host/database"
        raise BriefError(found, code="inconsistent")
    if find_spec("dbos") is None:
        raise BriefError(f"workers and their queue need further packages: {EXTRA}", code="missing_extra")


def find_queue(address: str) -> Dispatcher | None:
    """The queue of a store that can have one; nothing is connected before it is used."""
    if not address.startswith(SCHEMES) or find_spec("dbos") is None:
        return None
    return open_queue(address)


def open_queue(address: str) -> Dispatcher:
    """The queue of a store; nothing is connected before it is used.

    Raises:
        BriefError: the store is a file, or the packages are missing.
    """
    check_queue(address)
    return Late(address)


class Late:
    """A queue that is loaded when it is first used, since its packages take long to load; see ``Dispatcher``."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._queue: Queue | None = None

    async def submit(self, debate: str, *, owner: str = "", priority: int = USUAL_PRIORITY, after: float = 0.0) -> Job:
        """See ``Dispatcher.submit``."""
        return await self._load().submit(debate, owner=owner, priority=priority, after=after)

    async def cancel(self, debate: str, *, now: bool = False) -> bool:
        """See ``Dispatcher.cancel``."""
        return await self._load().cancel(debate, now=now)

    async def job(self, debate: str) -> Job | None:
        """See ``Dispatcher.job``."""
        return await self._load().job(debate)

    async def jobs(self, *, state: State | None = None, limit: int = 100) -> tuple[Job, ...]:
        """See ``Dispatcher.jobs``."""
        return await self._load().jobs(state=state, limit=limit)

    async def close(self) -> None:
        """See ``Dispatcher.close``."""
        if self._queue:
            await self._queue.close()

    def _load(self) -> "Queue":
        if self._queue is None:
            self._queue = Queue(self._address)
        return self._queue
