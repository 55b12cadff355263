"""What was submitted. This file owns submitting and cancelling, each in one transaction.

A submission that is to be held is a segment: a workflow ``debate@N`` of the engine, put into its queue in the same
transaction in which the job changes. The row of the job is locked meanwhile, so a segment is made once, whoever asks.
"""

from dbos import DBOSClient
from sqlalchemy import Engine, text

from moot.app.run.dispatcher import Job, State
from moot.workers.workers_jobs import SHOWN, job_of, locked, move, put, rank_of, row_of, workflow_of

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
