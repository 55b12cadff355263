"""List and cancel the batches that providers have of debates."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from folkmoot.app.run.workspace import Workspace
from folkmoot.core.errors import BriefError
from folkmoot.models.batches.batch_tray import Job

STATES: Mapping[str | None, str] = {
    None: "being sent",
    "sent": "at the provider",
    "unsent": "never sent",
    "refused": "refused",
    "ended": "ended",
}
"""What is known of a batch, in words."""

ALL = "all"
"""The word for every batch that is under way."""


async def job_lines(workspace: Workspace) -> list[str]:
    """All batches of a store, a line for each: our name, time, number of calls, model, the provider's name, state."""
    return [_line(job) for job in (await workspace.tray.jobs()).by_id.values()]


async def cancel_jobs(workspace: Workspace, names: Sequence[str]) -> list[str]:
    """Cancel batches at their providers; returns what the providers call them.

    Args:
        workspace: has the batches.
        names: ours or the provider's; ``all`` for every one that is under way.

    Raises:
        BriefError: there is no such batch, or it has ended.
        ModelError: a provider does not say that it does.
    """
    under_way = [job for job in (await workspace.tray.jobs()).by_id.values() if job.open and job.handle]
    by_name = {name: job for job in under_way for name in (job.id, job.handle)}
    if unknown := [name for name in names if name not in (*by_name, ALL)]:
        raise BriefError(f"no batch {unknown[0][:60]!r} is under way; see folkmoot batch --jobs", code="bad_enum")
    chosen = under_way if ALL in names else list({by_name[name].id: by_name[name] for name in names}.values())
    for job in chosen:
        workspace.pool.model(job.model)  # which makes its batches known to the tray
        await workspace.tray.cancel(job)
    return [job.handle for job in chosen]


def _line(job: Job) -> str:
    began = f"{datetime.fromtimestamp(job.at, UTC):%Y-%m-%d %H:%M}"
    state = STATES[job.state] + (f": {job.reason}" if job.reason else "")
    return f"{job.id}  {began} UTC  {len(job.items):>5}  {job.model}  {job.handle or '-'}  {state}"
