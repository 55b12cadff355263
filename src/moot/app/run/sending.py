"""Debates that are begun here and held by workers. This file owns how one is handed over and followed."""

import asyncio
from dataclasses import replace

from moot.app.run.holding import Start
from moot.app.run.outcome import Outcome, outcome
from moot.app.run.queue_runner import LOOK, QueueHall
from moot.core.transcript import fold
from moot.engine.driver import Stop


async def hold_by_workers(hall: QueueHall, start: Start, debate: str, stop: Stop) -> Outcome:
    """Put a debate on record where it is not yet, have workers hold it, and wait until they let go of it.

    Args:
        hall: over the queue from which they take it.
        start: the debate, its participants made.
        debate: its id.
        stop: where its reason is set nobody waits any longer; the workers go on.

    Raises:
        MootError: the queue cannot be reached, or the workers have given the debate up.
    """
    if await hall.desk.store.read(debate, limit=1):
        await hall.resume(debate, start.ready.plan.brief.limits)
    else:
        await hall.begin(start, debate)
    while (await hall.look(debate)).by:
        if stop.reason:
            came = outcome(debate, fold(await hall.desk.entries(debate)))
            return replace(came, status="paused", kind="stopped", reason="the workers go on with it")
        await asyncio.sleep(LOOK)
    return await hall.wait(debate)
