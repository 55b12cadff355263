"""Delete a debate with everything that belongs to it.

That is its record, the messages and answers that were sent to it, whose it is and its links, its place in the queue,
and what was learned from it; ratings and standings are made of what was learned, so they change too. Debates that were
forked from it, what other debates have quoted of it, the debate in which its participants were generated, and reports
in files stay.
"""

import asyncio
from dataclasses import dataclass
from math import ceil

from folkmoot.app.plan.learning import memory_place
from folkmoot.app.plan.settings import lock_place
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.errors import RecordConflict, RecordError
from folkmoot.core.event import Closed, Opened, Paused
from folkmoot.core.labels import duration
from folkmoot.learn.memory_store import MemoryStore
from folkmoot.record.ledger import is_running
from folkmoot.record.listing import ListQuery, last, page
from folkmoot.record.mailbox import streams_beside
from folkmoot.record.store import Removing, Store, count, decode


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """What was deleted.

    Attributes:
        debate: its id.
        entries: how many entries its record had.
        messages: how many messages, answers and links were beside it.
        learned: whether something had been learned from it.
        forks: the debates that were forked from it, which stay.
    """

    debate: str
    entries: int
    messages: int
    learned: bool
    forks: tuple[str, ...] = ()


async def remove(workspace: Workspace, debate: str, *, force: bool = False) -> Removed:
    """Delete a debate.

    Args:
        workspace: where it is.
        debate: its id.
        force: also where some process may run it.

    Raises:
        RecordError: there is no such debate, or the store cannot be written.
        RecordConflict: it is being run, or may be.
    """
    store = workspace.store
    if not isinstance(store, Removing):
        raise RecordError("nothing can be deleted from this store")
    first, newest = await store.read(debate, limit=1), await last(store, debate)
    if not first or newest is None:
        raise RecordError(f"there is no debate {debate!r}")
    if not force:
        await _check_still(workspace, debate, first[0], newest)
    if workspace.queue:
        await workspace.queue.forget(debate)  # before the record: a job without one would be tried in vain
    beside = streams_beside(debate)
    entries, messages = await count(store, debate), sum([await count(store, stream) for stream in beside])
    forks = [summary.debate for summary in (await page(store, ListQuery())).debates if _is_fork(summary.forked, debate)]
    await store.remove([debate, *beside])
    learned = await _remove_lessons(store, debate)
    return Removed(debate=debate, entries=entries, messages=messages, learned=learned, forks=tuple(forks))


def _is_fork(forked: str, debate: str) -> bool:
    return forked.rpartition("@")[0] == debate


async def _check_still(workspace: Workspace, debate: str, opening: str, newest: str) -> None:
    """Refuse a debate that some process may run."""
    job = await workspace.queue.job(debate) if workspace.queue else None
    if job and job.state in ("queued", "running", "waiting"):
        raise RecordConflict(f"{debate} is in the queue ({job.state}); cancel it first, or use --force")
    locks = lock_place(workspace.store)
    if locks and is_running(locks, debate):
        raise RecordConflict(f"{debate} is being run by another process; stop it first")
    try:
        opened, ended = decode(opening), decode(newest)
    except RecordError:  # a damaged record can be deleted
        return
    if isinstance(opened.event, Opened) and not isinstance(ended.event, Closed | Paused):
        wait = opened.event.brief.limits.turn_seconds - (workspace.clock() - ended.at)
        if wait > 0:
            problem = (
                f"{debate} is not over, and another machine may run it; wait {duration(ceil(wait))}, or use --force"
            )
            raise RecordConflict(problem)


async def _remove_lessons(store: Store, debate: str) -> bool:
    """Remove what was learned from a debate from the memory; returns whether there was anything."""
    location = memory_place(store)

    def drop() -> bool:
        assert location is not None
        with MemoryStore.open(location) as memory:
            return memory.remove(debate)

    return location is not None and await asyncio.to_thread(drop)
