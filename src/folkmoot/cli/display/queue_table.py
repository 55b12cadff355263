"""How ``folkmoot queue`` shows the queue: the workers, how many debates are in each state, and a table of debates."""

from collections.abc import Mapping, Sequence

from rich.table import Table
from rich.text import Text

from folkmoot.app.run.dispatcher import Job, QueueStatus
from folkmoot.cli.display.text_layout import BAD, FAINT, GOOD, WARN, console_for, line, local_time, short
from folkmoot.core.text import counted

WIDTH, REASON = 160, 60
"""Columns of the table where the output has no width, and columns of a reason."""

STYLES: Mapping[str, str] = {"done": GOOD, "parked": BAD, "waiting": WARN, "stopping": WARN, "cancelled": FAINT}

ORDER = ("queued", "running", "waiting", "parked", "done", "cancelled")


def status_lines(status: QueueStatus, now: float) -> list[str]:
    """How a queue stands, in lines.

    Args:
        status: of the queue.
        now: seconds since 1970.
    """
    workers = f"{counted(status.workers, 'worker')} with {counted(status.places, 'place')}"
    lines = [workers if status.workers else "No worker is running. Start one with: folkmoot worker"]
    counts = ", ".join(f"{number} {state}" for state in ORDER if (number := status.counts.get(state)))
    lines.append(f"debates: {counts}" if counts else "The queue is empty. Start with: folkmoot submit BRIEF")
    if status.oldest is not None:
        minutes = max(0, int((now - status.oldest) // 60))
        lines.append(f"the oldest waits since {local_time(status.oldest)} ({counted(minutes, 'minute')})")
    return lines


def queue_table(jobs: Sequence[Job]) -> None:
    """Print debates of a queue."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style=FAINT)
    for name in ("state", "debate", "owner", "priority", "worker", "attempts", "since"):
        table.add_column(name, no_wrap=True)
    table.add_column("reason", overflow="fold")
    for job in jobs:
        state = "stopping" if job.stopping else job.state
        begins = f"begins {local_time(job.begins)}" if job.begins > job.since + 1 else ""
        reason = "; ".join(filter(None, (begins, short(job.reason, REASON))))
        table.add_row(
            Text(state, style=STYLES.get(state, "")),
            Text(job.debate),
            Text(line(job.owner)),
            Text(str(job.priority)),
            Text(job.worker),
            Text(str(job.tries)),
            Text(local_time(job.since), style=FAINT),
            Text(reason, style=FAINT),
        )
    console_for(width=WIDTH).print(table)
