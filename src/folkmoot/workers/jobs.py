"""Jobs in the database: submit, cancel and look, each in one transaction.

The row of a job is locked while it changes, so that a submission and a worker never undo each other.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from folkmoot.app.run.dispatcher import Cancelled, Job, QueueStatus, State
from folkmoot.workers.queue_database import CHANNEL, Connection

if TYPE_CHECKING:
    import asyncpg

BAND = 100_000_000
"""Ranks of one priority."""

SHOWN = """select j.*, extract(epoch from j.since)::float8 as submitted, extract(epoch from j.ready)::float8 as begins,
    case when j.state = 'running' then coalesce(l.worker, '') else '' end as worker, coalesce(l.epoch, 0) as epoch
    from folkmoot_job j left join folkmoot_lease l using (debate)"""

NEW, STOP, SLOTS = "job", "stop", "slots"
"""The first words of notifications: there is work; a debate is to be stopped; a provider has a slot left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to run a debate.

    Attributes:
        debate: its id.
        epoch: counts who has held the debate; a higher one is newer.
        tries: how often it was begun since it was submitted.
        stop: ``soft`` or ``now`` where it is to be stopped, else "".
    """

    debate: str
    epoch: int
    tries: int
    stop: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a segment ended.

    Attributes:
        state: what the job is from now on; ``queued`` where it is to be held again.
        reason: why, in one sentence.
        after: seconds until it is held again.
        wake: seconds after which a debate that waits is queued again by itself; None for never.
        fresh: whether its tries do not count.
    """

    state: State
    reason: str = ""
    after: float = 0.0
    wake: float | None = None
    fresh: bool = False


async def notify(c: Connection, kind: str, name: str = "") -> None:
    """Tell all workers once the transaction is done."""
    await c.execute("select pg_notify($1, $2)", CHANNEL, f"{kind}:{name}")


async def put(c: Connection, debate: str, after: float, reason: str = "") -> None:
    """Queue a debate; its row is locked."""
    await c.execute(
        "update folkmoot_job set state = 'queued', again = false, wake = null, stop = '', reason = $2,"
        " ready = clock_timestamp() + $3 * interval '1 s', changed = clock_timestamp() where debate = $1",
        debate,
        reason,
        after,
    )
    await notify(c, NEW)


async def park(c: Connection, job: "asyncpg.Record") -> None:
    """Give a debate up after too many tries."""
    reason = job["reason"] or "the workers that held it broke off"
    await move(c, job["debate"], "parked", f"given up after {job['tries']} tries: {reason}")


async def locked(c: Connection, debate: str) -> "asyncpg.Record | None":
    """A job, locked until the transaction ends; None where there is none."""
    return await c.fetchrow("select * from folkmoot_job where debate = $1 for update", debate)


async def row_of(c: Connection, debate: str) -> "asyncpg.Record":
    """A job with its lease."""
    row = await c.fetchrow(f"{SHOWN} where j.debate = $1", debate)
    assert row is not None
    return row


async def answered(c: Connection, debate: str) -> int:
    """How many finished calls a record holds; the kind of an entry stands in the head of its line, before all words."""
    count = await c.fetchval(
        'select count(*) from folkmoot_line where debate = $1 and position(\'"kind":"called"\' in left(text, 200)) > 0',
        debate,
    )
    return int(count)


async def rank_of(c: Connection, owner: str, priority: int) -> int:
    """A place in the line such that owners take turns: behind one's own, level with the first of the others."""
    rank = await c.fetchval(
        "select greatest(coalesce(min(rank), 0), coalesce(max(rank) filter (where owner = $1) + 1, 0))"
        " from folkmoot_job where state = 'queued' and priority = $2",
        owner,
        priority,
    )
    return min(int(rank), BAND - 1)


async def move(c: Connection, debate: str, state: State, reason: str, wake: float | None = None) -> None:
    """Say where a job stands from now on."""
    await c.execute(
        "update folkmoot_job set state = $2, reason = $3, wake = clock_timestamp() + $4::float8 * interval '1 s',"
        " again = false, changed = clock_timestamp() where debate = $1",
        debate,
        state,
        reason,
        wake,
    )


def job_of(row: "asyncpg.Record") -> Job:
    """A row as the port knows it."""
    return Job(
        debate=row["debate"],
        owner=row["owner"],
        state=row["state"],
        priority=row["priority"],
        tries=row["tries"],
        worker=row["worker"],
        reason=row["reason"],
        since=row["submitted"],
        begins=row["begins"] if row["state"] == "queued" else 0.0,
        stopping=row["state"] == "running" and bool(row["stop"]),
    )


async def submit(c: Connection, debate: str, owner: str, priority: int, after: float) -> Job:
    """See ``Dispatcher.submit``."""
    await c.execute(
        "insert into folkmoot_job (debate, owner, priority, state) values ($1, $2, $3, 'new') on conflict do nothing",
        debate,
        owner,
        priority,
    )
    job = await locked(c, debate)
    assert job is not None
    if job["state"] == "running":
        # It may be about to end; then it is held once more, so that nothing said meanwhile is overlooked.
        await c.execute("update folkmoot_job set again = true where debate = $1", debate)
    elif job["state"] != "queued":
        await c.execute(
            "update folkmoot_job set owner = $2, priority = $3, rank = $4, tries = 0, stop = '',"
            " since = clock_timestamp() where debate = $1",
            debate,
            owner,
            priority,
            await rank_of(c, owner, priority),
        )
        await put(c, debate, after)
    return job_of(await row_of(c, debate))


async def cancel(c: Connection, debate: str, *, now: bool) -> Cancelled:
    """See ``Dispatcher.cancel``."""
    job = await locked(c, debate)
    if job is None or job["state"] not in ("queued", "running", "waiting"):
        return ""
    if job["state"] != "running":
        await move(c, debate, "cancelled", "it was cancelled")
        return "cancelled"
    stop = "now" if now else "soft"
    await c.execute("update folkmoot_job set stop = $2, again = false where debate = $1", debate, stop)
    await notify(c, STOP, debate)
    return "stopping"


async def forget(c: Connection, debate: str) -> bool:
    """See ``Dispatcher.forget``."""
    job = await locked(c, debate)
    if job is None:
        return False
    await c.execute("delete from folkmoot_lease where debate = $1", debate)
    await c.execute("delete from folkmoot_job where debate = $1", debate)
    await notify(c, STOP, debate)
    return True


async def find(c: Connection, debate: str) -> Job | None:
    """See ``Dispatcher.job``."""
    row = await c.fetchrow(f"{SHOWN} where j.debate = $1", debate)
    return job_of(row) if row else None


async def select(c: Connection, state: State | None, owner: str | None, limit: int) -> tuple[Job, ...]:
    """See ``Dispatcher.jobs``."""
    rows = await c.fetch(
        f"{SHOWN} where $1 in ('', j.state) and ($2::text is null or j.owner = $2)"
        " order by j.since desc, j.debate limit $3",
        state or "",
        owner,
        limit,
    )
    return tuple(map(job_of, rows))


async def status(c: Connection) -> QueueStatus:
    """See ``Dispatcher.status``."""
    counts = {
        row["state"]: row["n"] for row in await c.fetch("select state, count(*) n from folkmoot_job group by state")
    }
    row = await c.fetchrow(
        "select count(*) as workers, coalesce(sum(places), 0) as places,"
        " (select extract(epoch from min(greatest(ready, since)))::float8 from folkmoot_job"
        " where state = 'queued' and ready <= clock_timestamp()) as oldest"
        " from folkmoot_worker where until > clock_timestamp()"
    )
    assert row is not None
    return QueueStatus(workers=row["workers"], places=int(row["places"]), counts=counts, oldest=row["oldest"])
