"""Leases on debates: take, renew, release and take over, with a heartbeat and a fence around the record.

Whoever takes a job out of the queue takes its lease in the same transaction. A lease decides whether it may still
run.
A heartbeat renews leases in a thread of its own, so that a busy event loop cannot starve it. Where the database gives
no answer, the heartbeat tries again each time and the leases expire by themselves. The fence refuses writes under an
expired lease.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from folkmoot.app.run.dispatcher import QueueError, State
from folkmoot.core.errors import RecordConflict
from folkmoot.record.store import Store, StreamInfo
from folkmoot.workers.jobs import Ending, Lease, answered, locked, move, park, put, row_of
from folkmoot.workers.queue_database import Connection, Database

if TYPE_CHECKING:
    import asyncpg


def clock() -> float:
    """Seconds that never run backwards, and go on while the machine sleeps, where the system has such a clock."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class FencedStore:
    """A store in which a debate is written only as long as its lease holds, by this machine's own clock.

    A worker that was stopped for a while cannot know what has happened meanwhile; but it knows that its lease has run
    out, for a lease begins, by its clock, before the database has granted it.

    Args:
        store: where the records are kept.
        clock: seconds that never run backwards, and go on while the process is stopped.
    """

    def __init__(self, store: Store, clock: Callable[[], float] = clock) -> None:
        self._store, self._clock = store, clock
        self._until: dict[str, float] = {}

    def now(self) -> float:
        """The time from which a lease that is asked for now counts."""
        return self._clock()

    @property
    def held(self) -> tuple[str, ...]:
        """The debates that are held, whether their lease has run out or not."""
        return tuple(self._until)

    def open(self, debate: str, until: float) -> None:
        """Let a debate be written until then."""
        self._until[debate] = until

    def extend(self, debates: Iterable[str], until: float) -> None:
        """Let those of these debates be written until then that may be written at all."""
        for debate in debates:
            if debate in self._until:
                self._until[debate] = until

    def lapsed(self, debate: str) -> bool:
        """Whether a debate may be written no longer."""
        return self._clock() >= self._until.get(debate, 0.0)

    def shut(self, debate: str) -> None:
        """Let a debate be written no longer."""
        self._until.pop(debate, None)

    async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
        """See ``Store.append``; behind the end of the lease it is refused as if another writer had appended."""
        if self.lapsed(debate):
            raise RecordConflict(f"the lease on {debate} has expired; another worker may have it now")
        await self._store.append(debate, lines, after=after)

    async def read(self, debate: str, *, after: int = 0, limit: int | None = None) -> tuple[str, ...]:
        """See ``Store.read``."""
        return await self._store.read(debate, after=after, limit=limit)

    async def debates(self) -> tuple[StreamInfo, ...]:
        """See ``Store.debates``."""
        return await self._store.debates()

    async def close(self) -> None:
        """Nothing of its own to give back."""


TRIES = 5
"""How often a debate is begun, one time after the other, without another answer on record; then it is parked."""

_NEXT = """
select * from folkmoot_job where state = 'queued' and ready <= clock_timestamp() and debate <> all($2::text[])
order by priority, rank, changed, debate limit $1 for update skip locked
"""
_LATER = """
select extract(epoch from min(ready) - clock_timestamp())::float8 from folkmoot_job
where state = 'queued' and ready > clock_timestamp()
"""
_LEASE = """
insert into folkmoot_lease as l values ($1, $2, 1, clock_timestamp() + $3 * interval '1 s')
on conflict (debate) do update set worker = excluded.worker, epoch = l.epoch + 1, until = excluded.until
where l.until <= clock_timestamp() returning epoch
"""
_LOST = """
select j.* from folkmoot_job j left join folkmoot_lease l using (debate)
where (j.state = 'running' and (l.until is null or l.until <= clock_timestamp()))
    or (j.state = 'waiting' and j.wake <= clock_timestamp())
order by j.debate limit 100 for update of j skip locked
"""
"""Jobs that stand still: their worker's lease is past, or their waiting is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What a look into the queue came to.

    Attributes:
        leases: the debates that were taken.
        later: seconds until the next one may be begun; None where none is put off.
    """

    leases: tuple[Lease, ...] = ()
    later: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """A debate that no longer belongs to the worker that ran it.

    Attributes:
        worker: who runs it now; "" for nobody.
        state: where its job stands now; "" where that is not known.
    """

    worker: str = ""
    state: State | Literal[""] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taker:
    """Who takes debates.

    Attributes:
        worker: its name.
        most: how many it takes.
        seconds: how long a lease lasts.
        held: the debates that it has not let go of yet; one of them may be queued again, if its lease has run out.
    """

    worker: str
    most: int
    seconds: float
    held: Sequence[str] = ()


async def take(c: Connection, taker: Taker) -> Taken:
    """Take debates out of the queue, with their leases."""
    jobs = await c.fetch(_NEXT, taker.most, list(taker.held))
    leases = [lease for job in jobs if (lease := await _claim(c, job, taker.worker, taker.seconds))]
    later = None if len(jobs) == taker.most else await c.fetchval(_LATER)
    return Taken(leases=tuple(leases), later=later)


async def _claim(c: Connection, job: "asyncpg.Record", worker: str, seconds: float) -> Lease | None:
    """Take the lease of a job, which is locked; None where it is given up, or another lease still holds."""
    debate = job["debate"]
    answers = await answered(c, debate)
    tries = 0 if answers > job["answers"] else job["tries"]  # whoever comes on is not given up
    if tries >= TRIES:
        await park(c, job)
        return None
    epoch = await c.fetchval(_LEASE, debate, worker, seconds)
    if epoch is None:
        query = "update folkmoot_job set ready = (select until from folkmoot_lease where debate = $1) where debate = $1"
        await c.execute(query, debate)
        return None
    await move(c, debate, "running", job["reason"])
    await c.execute("update folkmoot_job set tries = $2, answers = $3 where debate = $1", debate, tries + 1, answers)
    return Lease(debate=debate, epoch=epoch, tries=tries + 1, stop=job["stop"])


async def end(c: Connection, lease: Lease, ending: Ending) -> State | Lost:
    """Give a lease back and say how the segment ended; ``Lost`` where the debate belongs to others by now."""
    await locked(c, lease.debate)
    job = await row_of(c, lease.debate)
    if job["state"] != "running" or job["epoch"] != lease.epoch:
        return Lost(worker=job["worker"], state=job["state"])
    await c.execute(
        "update folkmoot_lease set until = clock_timestamp(), worker = '' where debate = $1",
        lease.debate,
    )
    if ending.fresh:
        await c.execute("update folkmoot_job set tries = 0 where debate = $1", lease.debate)
    state = ending.state
    if job["stop"] and state in ("queued", "waiting"):
        state = "cancelled"
    if job["again"] and state in ("waiting", "cancelled"):
        state = "queued"
    if state == "queued":
        await put(c, lease.debate, ending.after, ending.reason)
    else:
        await move(c, lease.debate, state, ending.reason, ending.wake)
    return state


async def watch(c: Connection) -> list[str]:
    """Queue again what nobody holds any longer, and what has waited long enough; the ids of these debates."""
    again: list[str] = []
    for job in await c.fetch(_LOST):
        if job["stop"] and not job["again"]:  # whoever should have stopped it is gone
            await move(c, job["debate"], "cancelled", "it was cancelled")
            continue
        await put(c, job["debate"], 0.0, job["reason"])
        again.append(job["debate"])
    return again


_ALIVE = """
insert into folkmoot_worker (worker, places, until) values ($1, $2, clock_timestamp() + $3 * interval '1 s')
on conflict (worker) do update set places = excluded.places, until = excluded.until
"""
_RENEWED = """
update folkmoot_lease set until = clock_timestamp() + $3 * interval '1 s'
where debate = any($2::text[]) and worker = $1 and until > clock_timestamp()
    and exists (select 1 from folkmoot_job j where j.debate = folkmoot_lease.debate)
returning debate, epoch, (select stop from folkmoot_job j where j.debate = folkmoot_lease.debate) as stop
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeartbeatSender:
    """Who beats.

    Attributes:
        worker: its name.
        places: how many debates it runs in parallel.
        seconds: how long a lease and a heartbeat last.
    """

    worker: str
    places: int
    seconds: float


async def beat(c: Connection, sender: HeartbeatSender, debates: Sequence[str]) -> "HeartbeatResult":
    """Note a heartbeat, and renew the leases of a worker that have not run out.

    Returns:
        Each debate with its epoch, and whether to stop.
    """
    await c.execute(_ALIVE, sender.worker, sender.places, sender.seconds)
    slices = "update folkmoot_slice set until = clock_timestamp() + $2 * interval '1 s' where worker = $1"
    await c.execute(slices, sender.worker, sender.seconds)
    rows = await c.fetch(_RENEWED, sender.worker, list(debates), sender.seconds) if debates else []
    return {row["debate"]: (row["epoch"], row["stop"]) for row in rows}


async def leave(c: Connection, worker: str) -> None:
    """Say that a worker has ended; forget those that were not heard of for a day."""
    await c.execute(
        "delete from folkmoot_worker where worker = $1 or until < clock_timestamp() - interval '1 day'", worker
    )
    await c.execute(
        "delete from folkmoot_slice where worker = $1 or until < clock_timestamp() - interval '1 day'", worker
    )


HeartbeatResult = Mapping[str, tuple[int, str]]
"""For each debate whose lease was renewed the epoch, and whether it is to be stopped."""


class Heartbeat:
    """Renews the leases of one worker, three times in the time that a lease lasts.

    Args:
        database: its own connection, so that it waits for no other.
        sender: the worker.
        fence: where renewed leases let their debates be written.
        report: is called after each beat, in the heartbeat's thread: what was renewed, or why that failed.
    """

    def __init__(
        self,
        database: Database,
        sender: HeartbeatSender,
        fence: FencedStore,
        report: Callable[[HeartbeatResult | QueueError], None],
    ) -> None:
        self._database, self._sender, self._fence, self._told = database, sender, fence, report
        self._soon = asyncio.Event()

    def beat_soon(self) -> None:
        """Beat at once; in the heart's thread."""
        self._soon.set()

    async def beat_on(self) -> None:
        """Beat until it is cancelled, in the thread of the connection."""
        while True:
            self._soon.clear()
            try:
                pause = await self._renew()
            except QueueError as error:
                self._told(error)
                pause = self._sender.seconds / 6
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._soon.wait()

    async def _renew(self) -> float:
        began = self._fence.now()
        renewed = await self._database.do(partial(beat, sender=self._sender, debates=self._fence.held))
        self._fence.extend(renewed, began + self._sender.seconds)
        self._told(renewed)
        return self._sender.seconds / 3
