"""What must hold of the jobs and the schedule of a simulated queue, seen in how one transaction changes their rows."""

import sqlite3
from collections.abc import Mapping

from folkmoot.core.event import Paused
from tests.simulator.checks.record_state import RecordState
from tests.simulator.invariants import require

AWAY, LONGEST_AWAY = 30.0, 3600.0
"""Seconds before a debate goes on whose providers could not be reached; twice that the next time, and no more than
the second number."""

MISSED = 600.0
"""Seconds after which a time of a schedule counts as missed."""

MINUTE = 60.0
CLOSE = 1e-3


def check_end(before: sqlite3.Row, row: sqlite3.Row, record: RecordState, now: float) -> None:
    """Check what becomes of a job whose debate has run until now."""
    debate, state = row["debate"], row["state"]
    overlooked = before["again"] and state in ("waiting", "cancelled")
    require(not overlooked, "I101", lambda: f"{debate} was submitted while it ran, and is {state}")
    last = record.entries[-1].event if record.entries else None
    if state != "queued" or not isinstance(last, Paused) or last.kind != "unavailable" or row["reason"] != last.reason:
        return
    if (before["until"] or 0.0) <= now:
        return  # its worker was lost and has not said how it ended
    wait, wanted = row["ready"] - now, min(AWAY * 2 ** (before["tries"] - 1), LONGEST_AWAY)
    require(
        abs(wait - wanted) < CLOSE,
        "I100",
        lambda: f"{debate}: {wait:.1f} s after try {before['tries']}, not {wanted:g}",
    )


def check_taking(before: sqlite3.Row, now: float) -> None:
    """Check that a debate is not taken before its time."""
    early = before["ready"] - now
    require(early < CLOSE, "I100", lambda: f"{before['debate']} is taken {early:.1f} s too early")


class ScheduleTimes:
    """The times of the schedule of a world, which come each minute.

    Attributes:
        taken: those that have begun a debate, or must.
        next: the one that comes next; 0 where there is no schedule.
    """

    def __init__(self) -> None:
        self.taken: set[float] = set()
        self.next = 0.0

    def check(self, tables: sqlite3.Connection, now: float) -> None:
        """Check what a transaction has made of the times: each is the next whole minute, and none is left out."""
        times = {row["at"] for row in tables.execute("select at from folkmoot_firing")}
        new, self.taken = times - self.taken, self.taken | times
        row: Mapping[str, float] | None = tables.execute("select next from folkmoot_schedule").fetchone()
        due, self.next = self.next, row["next"] if row else 0.0
        if not due or not self.next:
            require(not new, "I69", lambda: f"{new} without a schedule")
        elif self.next == due:
            require(not new, "I69", lambda: f"{new} begin before {due}")
        else:
            wanted = set[float]() if due < now - MISSED else {due}
            require(new == wanted and due <= now, "I69", lambda: f"at {now} {new} begin and not {wanted}")
            following = (now // MINUTE + 1) * MINUTE
            require(self.next == following, "I69", lambda: f"{self.next} follows {now}, and not {following}")
