"""What the log says of each batch: a fold over its entries, which stand beside the records of the store.

A batch is on the log with the names of its requests before it is sent. So whoever comes later, in whatever process,
knows that a request may be at the provider, and sends none twice.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from folkmoot.core.event import Batched, BatchState, Gathered, SideEntry, SideEvent


class JobLog(Protocol):
    """The log of batches; all processes of a store write it, in one order."""

    async def read(self, after: int = 0) -> tuple[SideEntry, ...]:
        """Its entries."""
        ...

    async def post(self, event: SideEvent) -> int:
        """Add an event; it is durable when this returns."""
        ...

    async def post_what(self, make: Callable[[Sequence[SideEntry]], SideEvent | None]) -> SideEvent | None:
        """Add what follows from all entries before it; None adds nothing."""
        ...


@dataclass(slots=True, kw_only=True)
class Job:
    """One batch at a provider.

    Attributes:
        id: our name of it.
        model: ``provider:name``, which all of its requests ask.
        items: what its requests are called.
        at: when they were gathered, in seconds since 1970.
        state: what is known of it; "" where it was about to be sent.
        handle: what the provider calls it; "" where that is not known.
        kind: with ``refused``, the kind of the error.
        reason: with ``refused``, the error in a sentence.
    """

    id: str
    model: str
    items: tuple[str, ...]
    at: float
    state: BatchState | None = None
    handle: str = ""
    kind: str = ""
    reason: str = ""

    @property
    def open(self) -> bool:
        """Whether the provider may still be at work on it."""
        return self.state in (None, "sent")


@dataclass(slots=True)
class Jobs:
    """All batches of a log, by our names of them, the oldest first."""

    by_id: dict[str, Job] = field(default_factory=dict[str, Job])
    _of: dict[str, Job] = field(default_factory=dict[str, Job])
    _read: int = 0

    def take(self, entries: Iterable[SideEntry]) -> "Jobs":
        """Take entries that were not taken before."""
        for entry in entries:
            self._read = entry.seq
            match entry.event:
                case Gathered(job=name, model=model, items=items):
                    job = self.by_id[name] = Job(id=name, model=model, items=items, at=entry.at)
                    self._of.update(dict.fromkeys(items, job))
                case Batched(job=name) as news if name in self.by_id:
                    job = self.by_id[name]
                    job.state, job.handle = news.state, news.handle or job.handle
                    job.kind, job.reason = news.kind, news.reason
                case _:
                    pass
        return self

    @property
    def read(self) -> int:
        """The number of the last entry that was taken."""
        return self._read

    def of(self, item: str) -> Job | None:
        """The batch that has a request; None where no provider can have got it."""
        job = self._of.get(item)
        return None if job is None or job.state == "unsent" else job

    def handles(self) -> list[str]:
        """What providers call them."""
        return [job.handle for job in self.by_id.values() if job.handle]
