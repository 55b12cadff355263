"""Going on with debates that were submitted. This file owns when a queue is told that it can go on."""

from moot.app.run.workspace import Desk


async def go_on(desk: Desk, debate: str) -> bool:
    """Have workers go on with a debate, where it was submitted to them; else nothing is done.

    Call it whenever something has come in that a debate waits for.

    Returns:
        Whether workers go on with it.

    Raises:
        QueueError: the queue cannot be reached.
    """
    job = await desk.queue.job(debate) if desk.queue else None
    if job is None or job.state in ("done", "cancelled") or desk.queue is None:
        return False
    await desk.queue.submit(debate, owner=job.owner, priority=job.priority)
    return True
