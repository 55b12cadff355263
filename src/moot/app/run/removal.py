"""Delete a debate with everything that belongs to it.

That is its record, the messages and answers that were sent to it, whose it is and its links, its place in the queue,
and what was learned from it; ratings and standings are made of what was learned, so they change too. Debates that were
forked from it, what other debates have quoted of it, the debate in which its participants were generated, and reports
in files stay.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from moot.app.plan.learning import memory_place
from moot.app.plan.stores import lock_place
from moot.app.run.workspace import Workspace
from moot.core.errors import RecordConflict, RecordError
from moot.core.event import Closed, Opened, Paused
from moot.learn.memory_store import MemoryStore
from moot.record.ledger import is_running
from moot.record.store import Removing, Store, StreamInfo, decode


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
        raise RecordError("from this store nothing can be deleted")
    infos = {info.debate: info for info in await store.debates()}
    if debate not in infos:
        raise RecordError(f"there is no debate {debate!r}")
    if not force:
        await _check_still(workspace, infos[debate])
    if workspace.queue:
        await workspace.queue.forget(debate)  # before the record: a job without one would be tried in vain
    beside = [info for name, info in infos.items() if name.startswith(f"{debate}/")]
    await store.remove([debate, *(info.debate for info in beside)])
    return Removed(
        debate=debate,
        entries=infos[debate].entries,
        messages=sum(info.entries for info in beside),
        learned=await _unlearn(store, debate),
        forks=_forks(debate, list(infos.values())),
    )


async def _check_still(workspace: Workspace, info: StreamInfo) -> None:
    """Refuse a debate that some process may run."""
    job = await workspace.queue.job(info.debate) if workspace.queue else None
    if job and job.state in ("queued", "running", "waiting"):
        raise RecordConflict(f"{info.debate} is in the queue ({job.state}); cancel it first, or use --force")
    place = lock_place(workspace.store)
    if place and is_running(place, info.debate):
        raise RecordConflict(f"{info.debate} is being run by another process; stop it first")
    try:
        first, last = decode(info.first), decode(info.last)
    except RecordError:  # a damaged record can be deleted
        return
    if isinstance(first.event, Opened) and not isinstance(last.event, Closed | Paused):
        wait = first.event.brief.limits.turn_seconds - (workspace.clock() - last.at)
        if wait > 0:
            problem = f"{info.debate} is not over, and another machine may run it; wait {wait:.0f} s, or use --force"
            raise RecordConflict(problem)


async def _unlearn(store: Store, debate: str) -> bool:
    """Remove what was learned from a debate from the memory; returns whether there was anything."""
    place = memory_place(store)

    def drop() -> bool:
        assert place is not None
        with MemoryStore.open(place) as memory:
            return memory.remove(debate)

    return place is not None and await asyncio.to_thread(drop)


def _forks(debate: str, infos: Sequence[StreamInfo]) -> tuple[str, ...]:
    forks: list[str] = []
    for info in infos:
        with suppress(RecordError):
            event = decode(info.first).event
            if isinstance(event, Opened) and event.forked.rpartition("@")[0] == debate:
                forks.append(info.debate)
    return tuple(forks)
