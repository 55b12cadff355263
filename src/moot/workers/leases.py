"""Who holds a debate. This file owns when a lease is taken, renewed, given back, and taken from whoever fell silent.

The engine decides which worker begins a segment, and when; whether it may still be held is decided here.
"""

from collections.abc import Sequence

from dbos import DBOSClient
from sqlalchemy import Engine, text

from moot.app.run.dispatcher import State
from moot.workers.workers_jobs import Ending, Lease, answered, locked, move, park, put, row_of, workflow_of

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
        found: list[str] = []
        left: list[str] = []
        with self.engine.begin() as c:
            for job in c.execute(text(_LOST), {"s": seconds}).mappings().all():
                left.append(workflow_of(job["debate"], job["segment"]))
                if job["stop"]:  # whoever should have stopped it is gone
                    move(c, job["debate"], "cancelled", "it was cancelled")
                    continue
                put(c, self.client, job["debate"], 0.0, job["reason"])
                found.append(job["debate"])
        if left:
            self.client.cancel_workflows(left)
        return found
