"""The interface of the queue that passes debates to workers on many machines: submit, cancel, look.

Where records are in one file, the process that starts a debate runs it, and there is no queue. Where they are in a
shared database, a debate is put on record first and then submitted: some worker runs it until it is over or waits for
a person. The record alone is the truth of a debate; a queue only knows which worker should read it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from folkmoot.core.errors import FolkmootError

State: TypeAlias = Literal["queued", "running", "waiting", "parked", "done", "cancelled"]
"""``waiting``: for a person, and no worker is held; ``parked``: given up after too many tries, with the reason."""

Cancelled: TypeAlias = Literal["", "cancelled", "stopping"]
"""What cancelling came to: nothing; it is cancelled; or its worker has been told to stop it."""

USUAL_PRIORITY = 5
"""From 1, first, to 10, last; among equals the owners take turns."""


class QueueError(FolkmootError):
    """The queue cannot be used."""


class QueueAway(QueueError):
    """The database of the queue cannot be reached now; it may come back by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A debate in a queue.

    Attributes:
        debate: its id.
        owner: who submitted it; "" for the person at the machine.
        state: where it stands.
        priority: from 1, first, to 10, last.
        tries: how often a worker began to hold it, this segment.
        worker: who holds it; "" where nobody does.
        reason: why it is parked, in one sentence; "" otherwise.
        since: seconds since 1970 of its last submission.
        begins: seconds since 1970 at which it may begin, where it is queued.
        stopping: whether the worker that runs it has been told to stop it.
    """

    debate: str
    owner: str = ""
    state: State
    priority: int = USUAL_PRIORITY
    tries: int = 0
    worker: str = ""
    reason: str = ""
    since: float = 0.0
    begins: float = 0.0
    stopping: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueStatus:
    """The state of a queue.

    Attributes:
        workers: how many workers are alive.
        places: how many debates they can run in parallel.
        counts: how many debates are in each state; a state without any is missing.
        oldest: seconds since 1970 since when the debate waits that waits longest and may begin; None where none does.
    """

    workers: int = 0
    places: int = 0
    counts: Mapping[State, int] = field(default_factory=dict["State", int])
    oldest: float | None = None


class Dispatcher(Protocol):
    """Has workers run debates that are on record."""

    async def submit(self, debate: str, *, owner: str = "", priority: int = USUAL_PRIORITY, after: float = 0.0) -> Job:
        """Have a worker run a debate from where its record ends, until it is over or waits for a person.

        One that is queued or running already is that one; a parked, waiting or cancelled one is queued again. One
        that is running is run once more if it is about to wait, so that no message is overlooked.

        Args:
            debate: its id; its first entry is on record.
            owner: who has it held; owners take turns.
            priority: from 1, first, to 10, last.
            after: seconds to wait before it is begun.

        Raises:
            FolkmootError: the queue cannot be reached.
        """
        ...

    async def cancel(self, debate: str, *, now: bool = False) -> Cancelled:
        """Stop a debate: remove it from the queue, or have its worker pause it.

        Args:
            debate: its id.
            now: at once, answers in progress are lost; else after them.

        Returns:
            What that came to; "" where it was neither queued nor running nor waiting.
        """
        ...

    async def job(self, debate: str) -> Job | None:
        """The job of a debate; None if it was never submitted."""
        ...

    async def jobs(self, *, state: State | None = None, owner: str | None = None, limit: int = 100) -> tuple[Job, ...]:
        """The submitted jobs, the newest first; if given, only those in a state or of an owner."""
        ...

    async def forget(self, debate: str) -> bool:
        """Take a debate out of the queue for good, whatever its state; a worker that runs it loses it.

        Returns:
            Whether it was there.
        """
        ...

    async def status(self) -> QueueStatus:
        """How many workers are alive, and how many debates are in each state.

        Raises:
            QueueError: the queue cannot be reached.
        """
        ...

    async def reconcile(self, *, move: bool = False) -> int:
        """Tell the engine again of each debate that is wanted and that it doesn't know; how many these are.

        Args:
            move: whether the database goes with the engine of the settings from now on, whatever it went with before.

        Raises:
            QueueError: the queue cannot be reached, or another engine goes with the database.
        """
        ...
