"""The workflows: a debate that runs in segments, and a schedule that begins one.

Temporal replays this file, so it imports nothing of Folkmoot, decides nothing by itself and calls activities by name. A
change of what it does needs the histories in ``tests/workers/histories`` to be replayed.
"""

import asyncio
from contextlib import suppress
from datetime import timedelta

from temporalio import workflow
from temporalio.common import Priority, RetryPolicy, SearchAttributeKey
from temporalio.exceptions import ActivityError, is_cancelled_exception
from temporalio.exceptions import TimeoutError as TimedOut
from temporalio.workflow import ActivityCancellationType

OWNER = SearchAttributeKey.for_keyword("FolkmootOwner")
STATE = SearchAttributeKey.for_keyword("FolkmootState")

NEXT = Priority(priority_key=1)
"""A debate that has begun goes before all that have not; users' priorities begin at 2."""

ONCE = RetryPolicy(maximum_attempts=1)
"""The server puts a retry behind the whole backlog, so the workflow schedules the next segment itself."""

LONGEST = timedelta(days=30)
"""Of one segment; heartbeats tell much earlier whether its worker is there."""


@workflow.defn(name="debate")
class DebateWorkflow:
    """Runs segments of a debate until none is to follow."""

    def __init__(self) -> None:
        self._messages = 0

    @workflow.signal
    def message(self) -> None:
        """Something was said to the debate, or it was submitted once more."""
        self._messages += 1

    @workflow.run
    async def run(self, debate: str, wait: float, silence: float) -> None:
        """Run it.

        Args:
            debate: its id.
            wait: seconds until the first segment.
            silence: seconds without a heartbeat after which another worker takes over.
        """
        if wait:
            await workflow.sleep(wait)
        priority, known = Priority.default, 0
        while True:
            known = self._messages
            state, pause = await self._run_segment(debate, silence, priority)
            workflow.upsert_search_attributes([STATE.value_set(state)])  # pyright: ignore[reportUnknownMemberType]
            priority = NEXT
            if self._messages == known:
                if pause is None:
                    return
                await self._wait_for_message(known, pause)
            if workflow.info().is_continue_as_new_suggested():
                workflow.continue_as_new(args=[debate, 0.0, silence])

    async def _run_segment(self, debate: str, silence: float, priority: Priority) -> tuple[str, float | None]:
        """What the debate is from now on, and the seconds until its next segment; None for no other."""
        try:
            return await workflow.execute_activity(
                "segment",
                debate,
                result_type=tuple[str, float | None],
                start_to_close_timeout=LONGEST,
                heartbeat_timeout=timedelta(seconds=silence),
                retry_policy=ONCE,
                cancellation_type=ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
                priority=priority,
            )
        except (ActivityError, asyncio.CancelledError) as error:
            if is_cancelled_exception(error):
                return "cancelled", None
            # A worker that is gone loses no time; an error that no segment should raise doesn't come back at once.
            gone = isinstance(error, ActivityError) and isinstance(error.cause, TimedOut)
            return "queued", 0.0 if gone else silence

    async def _wait_for_message(self, known: int, seconds: float) -> None:
        with suppress(TimeoutError):
            await workflow.wait_condition(lambda: self._messages > known, timeout=timedelta(seconds=seconds))


@workflow.defn(name="schedule")
class ScheduleWorkflow:
    """Puts the debate of a schedule on record and submits it."""

    @workflow.run
    async def run(self, name: str) -> str:
        """Begin the debate of the schedule of that name; the debate's id."""
        return await workflow.execute_activity(
            "begin_scheduled",
            name,
            result_type=str,
            start_to_close_timeout=timedelta(minutes=4),  # participants are generated first, where the brief has none
            schedule_to_close_timeout=timedelta(minutes=10),
            priority=NEXT,
        )
