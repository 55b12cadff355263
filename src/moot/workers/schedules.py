"""Start debates at set times: a schedule becomes a debate once across all workers.

The engine fires each time once, whichever workers run. The debate's id follows from the schedule's name and that time,
so that a firing which is repeated after a failure finds the debate of the first.
"""

import asyncio
import copy
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from croniter import CroniterBadDateError, croniter
from dbos import DBOSClient
from dbos._sys_db import ClientScheduleInput
from sqlalchemy import Engine, text

from moot.app.brief.reader import read_brief
from moot.app.plan.settings import Config, Schedule
from moot.app.run.dispatcher import Job, QueueError
from moot.app.run.outcome import Outcome
from moot.app.run.prepare import Wishes
from moot.app.run.start import HostHooks, generate_participants, make_start, put_on_record
from moot.app.run.workspace import Workspace
from moot.core.errors import BriefError, MootError, RecordConflict, RecordError
from moot.engine.driver import StopRequest

FIRES = "moot.scheduled"
"""The workflow of a schedule."""


PATIENCE, AGAIN = 600.0, 1.0
"""Seconds for which a firing goes on while the database is away, and seconds between two tries."""

_ALIVE = """
insert into moot_slice as s values ('', :worker, 0, clock_timestamp() + :s * interval '1 s')
    on conflict (provider, worker) do update set until = excluded.until
"""
"""A worker's sign of life, of no provider; it is renewed with its leases."""

_BROKEN_OFF = """
select w.workflow_uuid from dbos.workflow_status w
where w.name = :name and w.status = 'PENDING'
    and w.updated_at <= (extract(epoch from clock_timestamp()) - 2 * :s) * 1000
    and not exists (
        select from moot_slice s where s.provider = '' and s.worker = w.executor_id and s.until > clock_timestamp()
    )
order by w.created_at limit 100
"""


def put_schedules(client: DBOSClient, schedules: Sequence[Schedule] | None) -> None:
    """Make these the schedules of the store, and no others; None leaves those that there are.

    Raises:
        BriefError: a time or a brief that cannot be.
    """
    if schedules is None:
        return
    if wanted := [_input(schedule) for schedule in schedules]:
        client.apply_schedules(wanted)
    names = {schedule.name for schedule in schedules}
    for known in client.list_schedules(workflow_name=FIRES):
        if known["schedule_name"] not in names:
            client.delete_schedule(known["schedule_name"])


def _input(schedule: Schedule) -> ClientScheduleInput:
    place = f"schedules.{schedule.name}"
    _check_cron(f"{place}.cron", schedule.cron)
    path = Path(schedule.brief)
    try:
        words = path.read_text("utf-8")
        ZoneInfo(schedule.timezone or "UTC")
        read_brief(words, name=path.name, folder=path.parent)
    except (OSError, ValueError, KeyError, BriefError) as error:
        raise BriefError(f"{place} cannot be used: {error}") from None
    brief = {"name": path.name, "text": words, "folder": str(path.parent), "owner": schedule.owner}
    return {
        "schedule_name": schedule.name,
        "workflow_name": FIRES,
        "schedule": schedule.cron,
        "context": {"schedule": schedule.name, **brief},
        "cron_timezone": schedule.timezone or None,
    }


def _check_cron(place: str, cron: str) -> None:
    if len(cron.split()) != 5 or not croniter.is_valid(cron):
        raise BriefError(f'{place} cannot be {cron[:60]!r}; write five fields, such as "0 9 * * mon"')
    try:
        croniter(cron, datetime.now(UTC)).get_next()
    except CroniterBadDateError:
        raise BriefError(f'{place} cannot be {cron[:60]!r}: there is no such day; write "0 9 * * mon"') from None


def recover(engine: Engine, client: DBOSClient, worker: str, seconds: float) -> list[str]:
    """Give a sign of life, and have those firings begun again whose worker gives none; their ids.

    Args:
        engine: the connections.
        client: the client of the queue over the same connections.
        worker: who calls this.
        seconds: how long a lease lasts, and so a sign of life.
    """
    with engine.begin() as c:
        c.execute(text(_ALIVE), {"worker": worker, "s": seconds})
    with engine.begin() as c:
        if not c.execute(text("select pg_try_advisory_xact_lock(hashtext(:name))"), {"name": FIRES}).scalar_one():
            return []  # Another worker is looking.
        c.execute(text("delete from moot_slice where provider = '' and until < clock_timestamp() - interval '1 day'"))
        left = [str(scalar) for scalar in c.execute(text(_BROKEN_OFF), {"name": FIRES, "s": seconds}).scalars()]
        if left:
            client.resume_workflows(left)
    return left


async def fire(
    workspace: Workspace, at: datetime, brief: dict[str, str], config: Config, submit: Callable[[str], Awaitable[Job]]
) -> Job:
    """Begin the debate of that time and queue it; where the database is away, again, for some minutes.

    Raises:
        MootError: see ``begin``; or the database was away for too long.
    """
    until = asyncio.get_running_loop().time() + PATIENCE
    while True:
        try:
            return await submit(await begin(workspace, at, brief, config))
        except (QueueError, RecordError):
            if asyncio.get_running_loop().time() >= until:
                raise
        await asyncio.sleep(AGAIN)


async def begin(workspace: Workspace, at: datetime, brief: dict[str, str], config: Config) -> str:
    """Put the debate of that time on record; its id.

    Raises:
        MootError: the brief cannot be used, or its participants could not be made.
    """
    debate = f"{brief['schedule']}-{at.astimezone(UTC):%Y%m%d-%H%M%S}"
    if await workspace.count_entries(debate):
        return debate
    intake = read_brief(brief["text"], name=brief["name"], folder=Path(brief["folder"]))
    start = await make_start(workspace, intake, Wishes(), config)
    casters = copy.copy(workspace)
    casters.pen = (
        workspace.store
    )  # A casting is no debate of the queue: no lease is held on it, and nobody else drives it.
    peopled = await generate_participants(casters, start, debate, HostHooks(stop=StopRequest()))
    if isinstance(peopled, Outcome):
        raise MootError(f"no participants, so no debate: {peopled.reason} ({peopled.debate})")
    with suppress(RecordConflict):  # another worker has begun it at the same time
        await put_on_record(workspace, peopled, debate)
    return debate
