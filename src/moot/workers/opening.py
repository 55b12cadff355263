"""The way to the queue of a store. This file owns when there is one, and what is said where packages are missing."""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from moot.app.run.dispatcher import USUAL_PRIORITY, Dispatcher, Job, State
from moot.core.errors import BriefError

if TYPE_CHECKING:
    from moot.workers.job_queue import Queue

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
            from moot.workers.job_queue import Queue  # here, for start-up time

            self._queue = Queue(self._address)
        return self._queue
