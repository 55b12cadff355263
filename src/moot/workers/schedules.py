"""Debates that begin at set times. This file owns how a schedule becomes a debate, once over all workers.

The engine fires each time once, whichever workers run; the debate's id follows from the schedule's name and that time,
so that a firing which is done again finds the debate of the first.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from croniter import croniter
from dbos import DBOSClient
from dbos._sys_db import ClientScheduleInput

from moot.core.errors import BriefError, MootError, RecordConflict
from moot.desk.choosing import Wishes
from moot.desk.config import Config
from moot.desk.desk import Desk
from moot.desk.holding import Lent, lay_down, make_start, people_start
from moot.desk.intake import read_brief
from moot.desk.outcome import Outcome
from moot.desk.working import Schedule
from moot.engine.drive import Stop

FIRES = "moot.scheduled"
"""The workflow of a schedule."""


def put_schedules(client: DBOSClient, schedules: Sequence[Schedule]) -> None:
    """Make these the schedules of the store; a worker without any leaves those of the others.

    Raises:
        BriefError: a time or a brief that cannot be.
    """
    if not schedules:
        return
    client.apply_schedules([_input(each) for each in schedules])
    names = {each.name for each in schedules}
    for known in client.list_schedules(workflow_name=FIRES):
        if known["schedule_name"] not in names:
            client.delete_schedule(known["schedule_name"])


def _input(schedule: Schedule) -> ClientScheduleInput:
    place = f"schedules.{schedule.name}"
    if not croniter.is_valid(schedule.cron, second_at_beginning=True):
        raise BriefError(f'{place}.cron cannot be {schedule.cron[:60]!r}; write five fields, such as "0 9 * * mon"')
    path = Path(schedule.brief)
    try:
        words = path.read_text("utf-8")
        ZoneInfo(schedule.timezone or "UTC")
    except (OSError, ValueError, KeyError) as error:
        raise BriefError(f"{place} cannot be used: {error}") from None
    brief = {"name": path.name, "text": words, "folder": str(path.parent), "owner": schedule.owner}
    return {
        "schedule_name": schedule.name,
        "workflow_name": FIRES,
        "schedule": schedule.cron,
        "context": {"schedule": schedule.name, **brief},
        "cron_timezone": schedule.timezone or None,
    }


async def begin(desk: Desk, at: datetime, brief: dict[str, str], config: Config) -> str:
    """Put the debate of that time on record; its id.

    Raises:
        MootError: the brief cannot be used, or its participants could not be made.
    """
    debate = f"{brief['schedule']}-{at.astimezone(UTC):%Y%m%d-%H%M%S}"
    if await desk.count_entries(debate):
        return debate
    intake = read_brief(brief["text"], name=brief["name"], folder=Path(brief["folder"]))
    start = await make_start(desk, intake, Wishes(), config)
    peopled = await people_start(desk, start, debate, Lent(stop=Stop()))
    if isinstance(peopled, Outcome):
        raise MootError(f"no participants, so no debate: {peopled.reason} ({peopled.debate})")
    with suppress(RecordConflict):  # another worker has begun it at the same time
        await lay_down(desk, peopled, debate)
    return debate
