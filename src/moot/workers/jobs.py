"""Jobs in the database: submit and cancel debates, each in one transaction.

A submission becomes a workflow ``debate@N`` of the engine, called a segment, in the same transaction in which the job
changes. The row of the job is locked meanwhile, so each segment is made once.
"""

from dataclasses import dataclass

from dbos import DBOSClient, EnqueueOptions
from sqlalchemy import Connection, Engine, RowMapping, text

from moot.app.run.dispatcher import Job, State
from moot.workers.queue_tables import APPLICATION, QUEUE, SEGMENT, VERSION

BAND = 100_000_000
"""Ranks of one priority."""

SHOWN = """select j.*, extract(epoch from j.since)::float8 as submitted,
    case when j.state = 'running' then coalesce(l.worker, '') else '' end as worker, coalesce(l.epoch, 0) as epoch
    from moot_job j left join moot_lease l using (debate)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to run a debate.

    Attributes:
        debate: its id.
        segment: the number of the segment.
        epoch: counts who has held the debate; a higher one is newer.
        tries: how often it was begun since it was submitted.
        stop: ``soft`` or ``now`` where it is to be stopped, else "".
    """

    debate: str
    segment: int
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
        wake: seconds since 1970 at which a debate that waits goes on without the answer; None for never.
        fresh: whether its tries do not count.
    """

    state: State
    reason: str = ""
    after: float = 0.0
    wake: float | None = None
    fresh: bool = False


def put(c: Connection, client: DBOSClient, debate: str, after: float, reason: str = "") -> None:
    """Put the next segment of a debate into the queue; its row is locked."""
    row = c.execute(
        text(
            "update moot_job set segment = segment + 1, state = 'queued', again = false, wake = null, stop = '',"
            " reason = :reason, changed = clock_timestamp() where debate = :debate"
            " returning segment, priority, rank"
        ),
        {"debate": debate, "reason": reason},
    ).one()
    options: EnqueueOptions = {
        "workflow_name": SEGMENT,
        "queue_name": QUEUE,
        "workflow_id": workflow_of(debate, row.segment),
        "priority": row.priority * BAND + row.rank,
        "app_version": VERSION,
        "application_name": APPLICATION,
    }
    if after > 0:
        options["delay_seconds"] = after
    client.enqueue_in_transaction(c, options, debate, row.segment)


def park(c: Connection, job: RowMapping) -> None:
    """Give a debate up after too many tries."""
    why = job["reason"] or "the workers that held it broke off"
    move(c, job["debate"], "parked", f"given up after {job['tries']} tries: {why}")


def workflow_of(debate: str, segment: int) -> str:
    """The id of a segment's workflow."""
    return f"{debate}@{segment}"


def locked(c: Connection, debate: str) -> RowMapping | None:
    """A job, locked until the transaction ends; None where there is none."""
    cursor_result = c.execute(text("select * from moot_job where debate = :debate for update"), {"debate": debate})
    return cursor_result.mappings().first()


def row_of(c: Connection, debate: str) -> RowMapping:
    """A job with its lease."""
    return c.execute(text(f"{SHOWN} where j.debate = :debate"), {"debate": debate}).mappings().one()


def answered(c: Connection, debate: str) -> int:
    """How many finished calls a record holds; the kind of an entry stands in the head of its line, before all words."""
    cursor_result = c.execute(
        text(
            "select count(*) from moot_line where debate = :debate"
            ' and position(\'"kind":"called"\' in left(text, 200)) > 0'
        ),
        {"debate": debate},
    )
    return int(cursor_result.scalar_one())


def rank_of(c: Connection, owner: str, priority: int) -> int:
    """A place in the line such that owners take turns: behind one's own, level with the first of the others."""
    scalar_one = c.execute(
        text(
            "select greatest(coalesce(min(rank), 0), coalesce(max(rank) filter (where owner = :owner) + 1, 0))"
            " from moot_job where state = 'queued' and priority = :priority"
        ),
        {"owner": owner, "priority": priority},
    ).scalar_one()
    return min(int(scalar_one), BAND - 1)


def move(c: Connection, debate: str, state: State, reason: str, wake: float | None = None) -> None:
    """Say where a job stands from now on."""
    c.execute(
        text(
            "update moot_job set state = :state, reason = :reason, wake = to_timestamp(:wake), again = false,"
            " changed = clock_timestamp() where debate = :debate"
        ),
        {"debate": debate, "state": state, "reason": reason, "wake": wake},
    )


def job_of(row: RowMapping) -> Job:
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
    )


STOPS = "moot_stop"
"""The channel on which workers are told that a debate is to be stopped."""


class Jobs:
    """The jobs of one database, for use from any thread.

    Args:
        engine: the connections.
        client: the client of the queue over the same connections.
    """

    def __init__(self, engine: Engine, client: DBOSClient) -> None:
        self.engine, self.client = engine, client

    def submit(self, debate: str, owner: str, priority: int, after: float) -> Job:
        """See ``Dispatcher.submit``."""
        with self.engine.begin() as c:
            c.execute(
                text(
                    "insert into moot_job (debate, owner, priority, state) values (:debate, :owner, :priority, 'new')"
                    " on conflict do nothing"
                ),
                {"debate": debate, "owner": owner, "priority": priority},
            )
            locked(c, debate)
            job = row_of(c, debate)
            if job["state"] == "running":
                # It may be about to end; then it is held once more, so that nothing said meanwhile is overlooked.
                c.execute(text("update moot_job set again = true where debate = :debate"), {"debate": debate})
            elif job["state"] != "queued":
                rank = rank_of(c, owner, priority)
                told = {"debate": debate, "owner": owner, "priority": priority, "rank": rank}
                c.execute(
                    text(
                        "update moot_job set owner = :owner, priority = :priority, rank = :rank, tries = 0, stop = '',"
                        " since = clock_timestamp() where debate = :debate"
                    ),
                    told,
                )
                put(c, self.client, debate, after)
            return job_of(row_of(c, debate))

    def cancel(self, debate: str, *, now: bool) -> bool:
        """See ``Dispatcher.cancel``."""
        with self.engine.begin() as c:
            job = locked(c, debate)
            if job is None or job["state"] not in ("queued", "running", "waiting"):
                return False
            if job["state"] == "running":
                c.execute(
                    text("update moot_job set stop = :stop, again = false where debate = :debate"),
                    {"debate": debate, "stop": "now" if now else "soft"},
                )
                c.execute(text("select pg_notify(:channel, :debate)"), {"channel": STOPS, "debate": debate})
                return True
            move(c, debate, "cancelled", "it was cancelled")
        self.client.cancel_workflow(workflow_of(debate, job["segment"]))
        return True

    def job(self, debate: str) -> Job | None:
        """See ``Dispatcher.job``."""
        with self.engine.begin() as c:
            row = c.execute(text(f"{SHOWN} where j.debate = :debate"), {"debate": debate}).mappings().first()
        return job_of(row) if row else None

    def jobs(self, state: State | None, limit: int) -> tuple[Job, ...]:
        """See ``Dispatcher.jobs``."""
        wanted = {"state": state or "", "most": limit}
        asked = f"{SHOWN} where :state in ('', j.state) order by j.since desc, j.debate limit :most"
        with self.engine.begin() as c:
            return tuple(job_of(row) for row in c.execute(text(asked), wanted).mappings())
