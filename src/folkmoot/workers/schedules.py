"""Debates that begin at set times: schedules of Temporal, each of which starts a workflow that records a debate and submits it.

The debate's id follows from the schedule's name and the time, so that one that is begun twice is the same. Temporal is told
no brief: the worker that begins the debate takes it from its own settings.
"""

import copy
import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from temporalio import activity
from temporalio.client import (
    Schedule,
    ScheduleActionStartWorkflow,
    ScheduleAlreadyRunningError,
    ScheduleOverlapPolicy,
    SchedulePolicy,
    ScheduleSpec,
    ScheduleUpdate,
)
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode

from folkmoot.app.brief.reader import ParsedBrief, read_brief
from folkmoot.app.plan import settings_tables
from folkmoot.app.plan.settings import Config
from folkmoot.app.run.dispatcher import Dispatcher, QueueAway
from folkmoot.app.run.outcome import Outcome
from folkmoot.app.run.prepare import Overrides, prepare
from folkmoot.app.run.start import generate_participants, put_on_record
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.errors import BriefError, FolkmootError, RecordAway, RecordConflict
from folkmoot.workers.connection import Temporal
from folkmoot.workers.worker_notes import note
from folkmoot.workers.workflow import ScheduleWorkflow

LATE = timedelta(minutes=10)
"""A time that is longer past is skipped."""


async def put_schedules(temporal: Temporal, schedules: Sequence[settings_tables.Schedule] | None) -> None:
    """Make these the schedules of the installation, and no others; None leaves those that there are.

    Raises:
        BriefError: a time or a brief that cannot be.
        QueueError: Temporal cannot be reached.
    """
    if schedules is None:
        return
    for schedule in schedules:  # all are checked before one is set
        _read(schedule)
    names = [temporal.workflow(schedule.name) for schedule in schedules]

    async def put() -> None:
        async for found in await temporal.client.list_schedules():
            if found.id.endswith(temporal.workflow("")) and found.id not in names:
                await temporal.client.get_schedule_handle(found.id).delete()
        for schedule in schedules:
            await _put(temporal, schedule)

    await temporal.call(put())


def _read(schedule: settings_tables.Schedule) -> ParsedBrief:
    """The brief of a schedule, once all of it has been checked."""
    if len(schedule.cron.split()) != 5:  # Temporal takes other forms too
        raise _bad_time(schedule)
    path = Path(schedule.brief)
    try:
        ZoneInfo(schedule.timezone or "UTC")
        return read_brief(path.read_text("utf-8"), name=path.name, folder=path.parent)
    except (OSError, ValueError, KeyError, BriefError) as error:
        raise BriefError(f"schedules.{schedule.name} cannot be used: {error}") from None


def _bad_time(schedule: settings_tables.Schedule) -> BriefError:
    place = f"schedules.{schedule.name}.cron"
    return BriefError(
        f'{place} cannot be {schedule.cron[:60]!r}; write five fields of days that exist, such as "0 9 * * mon"'
    )


async def _put(temporal: Temporal, wanted: settings_tables.Schedule) -> None:
    schedule = Schedule(
        action=ScheduleActionStartWorkflow(
            ScheduleWorkflow.run, wanted.name, id=f"schedule/{wanted.name}", task_queue=temporal.task_queue
        ),
        spec=ScheduleSpec(cron_expressions=[wanted.cron], time_zone_name=wanted.timezone or "UTC"),
        policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.ALLOW_ALL, catchup_window=LATE),
    )
    handle = temporal.client.get_schedule_handle(temporal.workflow(wanted.name))
    try:
        await temporal.client.create_schedule(handle.id, schedule)
    except ScheduleAlreadyRunningError:
        await handle.update(lambda _: ScheduleUpdate(schedule))
    except RPCError as error:
        if error.status == RPCStatusCode.INVALID_ARGUMENT:
            raise _bad_time(wanted) from error
        raise
    if not (await handle.describe()).info.next_action_times:  # of 31 February, which Temporal takes
        await handle.delete()
        raise _bad_time(wanted)


async def begin_scheduled(workspace: Workspace, queue: Dispatcher, name: str) -> str:
    """Put the debate of a schedule on record and submit it; called in the activity of ``workflow.ScheduleWorkflow``."""
    # Temporal ends the id of the workflow with the time of the schedule.
    at = datetime.fromisoformat((activity.info().workflow_id or "")[-20:])
    debate = f"{name}-{at.astimezone(UTC):%Y%m%d-%H%M%S}"
    try:
        schedule = next((known for known in (workspace.config or Config()).schedules or () if known.name == name), None)
        if schedule is None:
            raise QueueAway(f"the settings of this worker have no schedules.{name}; give all workers the same")
        # Both may have been done before, and the debate may have ended meanwhile.
        if not await workspace.count_entries(debate):
            await _record(workspace, _read(schedule), debate)
        if await queue.job(debate) is None:
            await queue.submit(debate, owner=schedule.owner)
    except FolkmootError as error:
        again = isinstance(error, QueueAway | RecordAway)
        text = f"the schedule {name} began nothing{', and is tried again' if again else ''}: {error}"
        note("schedule", text, level=logging.ERROR)
        raise ApplicationError(str(error), non_retryable=not again) from error
    note("schedule", f"queued by the schedule {name}", debate=debate, state="queued")
    return debate


async def _record(workspace: Workspace, brief: ParsedBrief, debate: str) -> None:
    start = await prepare(workspace, brief, Overrides(), workspace.config or Config())
    casters = copy.copy(workspace)
    # A casting is no debate of the queue: no fence is around it, and nobody else drives it.
    casters.writer = workspace.store
    ready = await generate_participants(casters, start, debate)
    if isinstance(ready, Outcome):
        reason = f"no participants were generated, so the debate did not start: {ready.reason} ({ready.debate})"
        raise FolkmootError(reason)
    with suppress(RecordConflict):  # another worker has begun it at the same time
        await put_on_record(workspace, ready, debate)
