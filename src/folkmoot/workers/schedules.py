"""Start debates at set times: a schedule becomes a debate once across all workers.

Whichever worker looks first takes a time that has come, in one transaction with setting the next one. The debate's id
follows from the schedule's name and that time, so that a firing which is repeated after a failure finds the debate of
the first. A firing is forgotten in the transaction that queues its debate. One that is left, because an answer of the
database was lost or its worker has died, is taken again at the next look.
"""

import asyncio
import copy
import json
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from croniter import CroniterBadDateError, croniter

from folkmoot.app.brief.reader import read_brief
from folkmoot.app.plan.settings import Config
from folkmoot.app.plan.settings_tables import Schedule
from folkmoot.app.run.dispatcher import USUAL_PRIORITY, Job, QueueError
from folkmoot.app.run.outcome import Outcome
from folkmoot.app.run.prepare import Overrides
from folkmoot.app.run.start import HostHooks, generate_participants, prepare_start, put_on_record
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.errors import BriefError, FolkmootError, RecordConflict, RecordError
from folkmoot.engine.driver import StopRequest
from folkmoot.workers.jobs import find, submit
from folkmoot.workers.queue_database import Connection

PATIENCE, AGAIN = 600.0, 1.0
"""Seconds for which a firing goes on while the database is away, and after which a time counts as missed; seconds
between two tries."""

MOST = 100
"""Firings that a worker takes at one look."""

_PUT = """
insert into folkmoot_schedule as s (name, cron, timezone, brief, next) values ($1, $2, $3, $4, $5)
on conflict (name) do update set cron = excluded.cron, timezone = excluded.timezone, brief = excluded.brief,
    next = case when (s.cron, s.timezone) = (excluded.cron, excluded.timezone) then s.next else excluded.next end
"""
_DUE = """
select *, clock_timestamp() as now, next < clock_timestamp() - $1 * interval '1 s' as missed from folkmoot_schedule
where next <= clock_timestamp() order by name for update skip locked
"""
_FIRED = """
insert into folkmoot_firing (name, at, brief, worker) values ($1, $2, $3, $4) on conflict do nothing
"""
_LEFT = """
select name, at, brief from folkmoot_firing g where g.worker = $1 or not exists (
    select 1 from folkmoot_worker w where w.worker = g.worker and w.until > clock_timestamp()
) order by at limit $2 for update skip locked
"""
_TAKEN = """
update folkmoot_firing set worker = $1 where name = $2 and at = $3
"""
_SOON = "select extract(epoch from min(next) - clock_timestamp())::float8 from folkmoot_schedule"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledRun:
    """A debate that is to begin.

    Attributes:
        name: of the schedule.
        at: the time that has come.
        brief: the brief: its ``text``, ``name`` and ``folder``, and the ``owner`` of the debate.
    """

    name: str
    at: datetime
    brief: dict[str, str]


async def put_schedules(c: Connection, schedules: Sequence[Schedule] | None) -> None:
    """Make these the schedules of the store, and no others; None leaves those that there are.

    Raises:
        BriefError: a time or a brief that cannot be.
    """
    if schedules is None:
        return
    now = await c.fetchval("select clock_timestamp()")
    for schedule in schedules:
        brief = _read(schedule)
        first = following(schedule.cron, schedule.timezone, now)
        await c.execute(_PUT, schedule.name, schedule.cron, schedule.timezone, json.dumps(brief), first)
    await c.execute("delete from folkmoot_schedule where name <> all($1::text[])", [row.name for row in schedules])


def _read(schedule: Schedule) -> dict[str, str]:
    """The brief of a schedule, once all of it has been checked."""
    key = f"schedules.{schedule.name}"
    _check_cron(f"{key}.cron", schedule.cron)
    path = Path(schedule.brief)
    try:
        words = path.read_text("utf-8")
        ZoneInfo(schedule.timezone or "UTC")
        read_brief(words, name=path.name, folder=path.parent)
    except (OSError, ValueError, KeyError, BriefError) as error:
        raise BriefError(f"{key} cannot be used: {error}") from None
    return {"name": path.name, "text": words, "folder": str(path.parent), "owner": schedule.owner}


def _check_cron(place: str, cron: str) -> None:
    if len(cron.split()) != 5 or not croniter.is_valid(cron):
        raise BriefError(f'{place} cannot be {cron[:60]!r}; write five fields, such as "0 9 * * mon"')
    try:
        croniter(cron, datetime.now(UTC)).get_next()
    except CroniterBadDateError:
        raise BriefError(f'{place} cannot be {cron[:60]!r}: there is no such day; write "0 9 * * mon"') from None


def following(cron: str, timezone: str, now: datetime) -> datetime:
    """The next time of a schedule."""
    return croniter(cron, now.astimezone(ZoneInfo(timezone or "UTC"))).get_next(datetime)


async def due(c: Connection, worker: str, begun: Collection[ScheduledRun]) -> tuple[list[ScheduledRun], float | None]:
    """Take the times that have come, and what nobody begins: its worker has died, or never heard of it.

    Args:
        c: the connection.
        worker: who takes them.
        begun: the firings that this worker begins already.

    Returns:
        The firings, and the seconds until the next time; None where there is no schedule.
    """
    for row in await c.fetch(_DUE, PATIENCE):
        following_ = following(row["cron"], row["timezone"], row["now"])
        await c.execute("update folkmoot_schedule set next = $2 where name = $1", row["name"], following_)
        if not row["missed"]:
            await c.execute(_FIRED, row["name"], row["next"], row["brief"], "")
    known = {(scheduled_run.name, scheduled_run.at) for scheduled_run in begun}
    scheduled_runs: list[ScheduledRun] = []
    for row in await c.fetch(_LEFT, worker, MOST + len(known)):
        if (row["name"], row["at"]) not in known:
            await c.execute(_TAKEN, worker, row["name"], row["at"])
            scheduled_runs.append(ScheduledRun(name=row["name"], at=row["at"], brief=json.loads(row["brief"])))
    return scheduled_runs, await c.fetchval(_SOON)


async def finish(c: Connection, scheduled_run: ScheduledRun) -> None:
    """Forget a firing whose debate is queued, or cannot begin."""
    await c.execute("delete from folkmoot_firing where name = $1 and at = $2", scheduled_run.name, scheduled_run.at)


async def submit_once(c: Connection, debate: str, scheduled_run: ScheduledRun) -> Job:
    """Forget a firing and queue its debate, unless that was done before: it may have ended meanwhile.

    Of two workers that do so the second one waits for the row of the firing, and finds the job of the first one.
    """
    await finish(c, scheduled_run)
    return await find(c, debate) or await submit(c, debate, scheduled_run.brief["owner"], USUAL_PRIORITY, 0.0)


async def fire(
    workspace: Workspace, scheduled_run: ScheduledRun, config: Config, enqueue: Callable[[str], Awaitable[Job]]
) -> Job:
    """Begin the debate of that time and queue it; where that cannot be stored, again, for some minutes.

    Raises:
        FolkmootError: see ``begin``; or it could not be stored for too long.
    """
    until = asyncio.get_running_loop().time() + PATIENCE
    while True:
        try:
            return await enqueue(await begin(workspace, scheduled_run, config))
        except (QueueError, RecordError):  # it may be stored all the same; then the next try finds it
            if asyncio.get_running_loop().time() >= until:
                raise
        await asyncio.sleep(AGAIN)


async def begin(workspace: Workspace, scheduled_run: ScheduledRun, config: Config) -> str:
    """Put the debate of that time on record; its id.

    Raises:
        FolkmootError: the brief cannot be used, or its participants could not be made.
    """
    debate, brief = f"{scheduled_run.name}-{scheduled_run.at.astimezone(UTC):%Y%m%d-%H%M%S}", scheduled_run.brief
    if await workspace.count_entries(debate):
        return debate
    parsed = read_brief(brief["text"], name=brief["name"], folder=Path(brief["folder"]))
    start = await prepare_start(workspace, parsed, Overrides(), config)
    casters = copy.copy(workspace)
    # A casting is no debate of the queue: no lease is held on it, and nobody else drives it.
    casters.writer = workspace.store
    peopled = await generate_participants(casters, start, debate, HostHooks(stop=StopRequest()))
    if isinstance(peopled, Outcome):
        raise FolkmootError(
            f"no participants were generated, so the debate did not start: {peopled.reason} ({peopled.debate})"
        )
    with suppress(RecordConflict):  # another worker has begun it at the same time
        await put_on_record(workspace, peopled, debate)
    return debate
