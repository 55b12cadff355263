"""Leases on debates: take, renew, release and take over, with a heartbeat and a fence around the record.

The engine decides which worker starts a segment, and when; a lease decides whether it may still run. A heartbeat renews
leases in a thread of its own, so that a busy event loop cannot starve it. Where the database does not answer, the
heartbeat tries again each time and the leases expire by themselves. The fence refuses writes under an expired lease.
"""

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

import psycopg
from dbos import DBOSClient
from psycopg import sql
from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError

from moot.app.run.dispatcher import State
from moot.core.errors import RecordConflict
from moot.record.store import Store, StreamInfo
from moot.workers.jobs import STOPS, Ending, Lease, answered, locked, move, park, put, row_of, workflow_of
from moot.workers.queue_tables import plain


def clock() -> float:
    """Seconds that never run backwards, and go on while the machine sleeps, where the system has such a clock."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class Fence:
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
            raise RecordConflict(f"the lease on {debate} has run out; another worker may hold it by now")
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

_LOST = """
select j.* from moot_job j left join moot_lease l using (debate)
    left join dbos.workflow_status w on w.workflow_uuid = j.debate || '@' || j.segment
where (j.state = 'running' and (l.until is null or l.until <= clock_timestamp()))
    or (j.state = 'waiting' and j.wake <= clock_timestamp())
    or (j.state = 'queued' and j.changed <= clock_timestamp() - :s * interval '1 s'
        and coalesce(w.status, '') not in ('ENQUEUED', 'DELAYED')
        and coalesce(w.updated_at, 0) <= (extract(epoch from clock_timestamp()) - :s) * 1000)
order by j.debate limit 100 for update of j skip locked
"""
"""Jobs that stand still: their worker's lease is past, their waiting is over, or the queue has lost them."""


class Leases:
    """The leases of one database, for use from any thread.

    Args:
        engine: the connections.
        client: the client of the queue over the same connections.
    """

    def __init__(self, engine: Engine, client: DBOSClient) -> None:
        self.engine, self.client = engine, client

    def claim(self, debate: str, segment: int, worker: str, seconds: float) -> Lease | None:
        """Take the lease of a debate; None where this segment is not to be held, or not by this worker."""
        with self.engine.begin() as c:
            job = locked(c, debate)
            if job is None or job["segment"] != segment or job["state"] not in ("queued", "running"):
                return None
            answers = answered(c, debate)
            tries = 0 if answers > job["answers"] else job["tries"]  # whoever comes on is not given up
            if tries >= TRIES:
                park(c, job)
                return None
            taken = c.execute(
                text(
                    "insert into moot_lease as l values (:debate, :worker, 1, clock_timestamp() + :s * interval '1 s')"
                    " on conflict (debate) do update set worker = excluded.worker, epoch = l.epoch + 1,"
                    " until = excluded.until where l.until <= clock_timestamp() returning epoch"
                ),
                {"debate": debate, "worker": worker, "s": seconds},
            ).scalar()
            if taken is None:
                return None
            move(c, debate, "running", job["reason"])
            c.execute(
                text("update moot_job set tries = :tries, answers = :answers where debate = :debate"),
                {"debate": debate, "tries": tries + 1, "answers": answers},
            )
        return Lease(debate=debate, segment=segment, epoch=taken, tries=tries + 1, stop=job["stop"])

    def end(self, lease: Lease, ending: Ending) -> State | None:
        """Give a lease back and say how the segment ended; None where the debate belongs to another by now."""
        with self.engine.begin() as c:
            locked(c, lease.debate)
            job = row_of(c, lease.debate)
            if job["segment"] != lease.segment or job["state"] != "running" or job["epoch"] != lease.epoch:
                return None
            c.execute(
                text("update moot_lease set until = clock_timestamp(), worker = '' where debate = :debate"),
                {"debate": lease.debate},
            )
            if ending.fresh:
                c.execute(text("update moot_job set tries = 0 where debate = :debate"), {"debate": lease.debate})
            state = ending.state
            if job["stop"] and state in ("queued", "waiting"):
                state = "cancelled"
            if job["again"] and state in ("waiting", "cancelled"):
                state = "queued"
            if state == "queued":
                put(c, self.client, lease.debate, ending.after, ending.reason)
            else:
                move(c, lease.debate, state, ending.reason, ending.wake)
        return state

    def beat(self, worker: str, debates: Sequence[str], seconds: float) -> dict[str, tuple[int, str]]:
        """Renew those of a worker's leases that have not run out; each with its epoch, and whether to stop."""
        with self.engine.begin() as c:
            c.execute(
                text("update moot_slice set until = clock_timestamp() + :s * interval '1 s' where worker = :worker"),
                {"worker": worker, "s": seconds},
            )
            rows = c.execute(
                text(
                    "update moot_lease l set until = clock_timestamp() + :s * interval '1 s' from moot_job j"
                    " where l.debate = any(:debates) and l.worker = :worker and l.until > clock_timestamp()"
                    " and j.debate = l.debate"
                    " returning l.debate, l.epoch, j.stop"
                ),
                {"worker": worker, "debates": list(debates), "s": seconds},
            ).mappings()
            return {str(row["debate"]): (int(row["epoch"]), str(row["stop"])) for row in rows}

    def watch(self, seconds: float) -> list[str]:
        """Queue again what nobody holds any longer, and what has waited long enough; the ids of these debates.

        Args:
            seconds: how long a lease lasts, and how long a worker may take to begin what it took out of the queue.
        """
        parts: list[str] = []
        left: list[str] = []
        with self.engine.begin() as c:
            for job in c.execute(text(_LOST), {"s": seconds}).mappings().all():
                left.append(workflow_of(job["debate"], job["segment"]))
                if job["stop"]:  # whoever should have stopped it is gone
                    move(c, job["debate"], "cancelled", "it was cancelled")
                    continue
                put(c, self.client, job["debate"], 0.0, job["reason"])
                parts.append(job["debate"])
        if left:
            self.client.cancel_workflows(left)
        return parts


Beaten = Mapping[str, tuple[int, str]]
"""For each debate whose lease was renewed the epoch, and whether it is to be stopped."""


class Heart:
    """Renews the leases of one worker until it is stopped.

    Args:
        leases: the leases.
        worker: the worker's name.
        seconds: how long a lease lasts; it is renewed three times in that time.
        fence: where renewed leases let their debates be written.
        told: told after each beat what was renewed, in the heart's thread.
    """

    def __init__(
        self, leases: Leases, worker: str, seconds: float, fence: Fence, told: Callable[[Beaten], None]
    ) -> None:
        self._leases, self._worker, self._seconds, self._fence, self._told = leases, worker, seconds, fence, told
        self._address = plain(leases.engine.url.render_as_string(hide_password=False))
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"heart of {worker}", daemon=True)

    def start(self) -> None:
        """Begin to beat."""
        self._thread.start()

    def stop(self) -> None:
        """Beat no longer."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(self._seconds)

    def _run(self) -> None:
        while not self._over.is_set():
            try:
                with psycopg.connect(self._address, autocommit=True, connect_timeout=5) as ear:
                    ear.execute(sql.SQL("listen {}").format(sql.Identifier(STOPS)))
                    while not self._over.is_set():
                        self._beat()
                        self._wait(ear)
            except (psycopg.Error, SQLAlchemyError):
                self._over.wait(self._seconds / 6)

    def _beat(self) -> None:
        began = self._fence.now()
        renewed = self._leases.beat(self._worker, self._fence.held, self._seconds)
        self._fence.extend(renewed, began + self._seconds)
        self._told(renewed)

    def _wait(self, ear: "psycopg.Connection[tuple[object, ...]]") -> None:
        """Wait for the next beat; it comes at once where a debate is to be stopped."""
        beat = self._fence.now() + self._seconds / 3
        while not self._over.is_set() and (left := beat - self._fence.now()) > 0:
            if list(ear.notifies(timeout=min(left, 0.2), stop_after=1)):
                return
