"""What is wanted of each debate: a row in PostgreSQL, written before Temporal is told.

``submitted``, ``cancelled``, ``begun`` and ``ended`` are pure: each says what becomes of a row at a time. ``Queue.change``
applies one of them to the locked row, so that a submission and a worker never undo each other. Temporal only brings a debate
to a worker: the row says whether it is to run, and a Temporal that has lost its state is told again from the rows. Times are
in seconds since 1970, by the database's clock.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from folkmoot.app.run.dispatcher import Job, State

TRIES = 5
"""How often a debate is begun, one time after the other, without another answer on record; then it is parked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted(Job):
    """A row.

    Attributes:
        at_once: whether it is to be stopped without waiting for answers.
        again: whether it was submitted while it was running.
        answers: how many were on record when its last segment began.
    """

    at_once: bool = False
    again: bool = False
    answers: int = 0


Step: TypeAlias = Callable[[Wanted | None, float], Wanted | None]
"""What becomes of a row at a time; None for a debate that has none."""


def submitted(row: Wanted | None, now: float, *, new: Wanted, after: float = 0.0) -> Wanted:
    """It is submitted as ``new``; see ``Dispatcher.submit``."""
    if row and row.state == "running":
        return replace(row, again=True)  # it may be about to end; then it runs once more, and overlooks no message
    return row if row and row.state == "queued" else replace(new, since=now, begins=now + after)


def cancelled(row: Wanted | None, now: float, *, at_once: bool) -> Wanted | None:
    """It is cancelled; see ``Dispatcher.cancel``."""
    match row:
        case Wanted(state="queued" | "waiting"):
            return _put(row, "cancelled", "it was cancelled")
        case Wanted(state="running"):
            return replace(row, stopping=True, at_once=at_once, again=False)
        case _:
            return row


def begun(row: Wanted | None, now: float, *, worker: str, answers: int) -> Wanted | None:
    """A worker begins a segment; it may where the debate is ``running`` afterwards."""
    if row is None or row.state not in ("queued", "running", "waiting"):
        return row
    if row.stopping:  # whoever should have stopped it is gone
        return _put(row, "queued" if row.again else "cancelled", "it was cancelled", begins=now)
    tries = 1 if answers > row.answers else row.tries + 1
    if tries > TRIES:
        reason = row.reason or "the workers that ran it broke off"
        return _put(row, "parked", f"given up after {TRIES} tries: {reason}")
    return replace(_put(row, "running", row.reason), worker=worker, tries=tries, answers=answers)


def ended(
    row: Wanted | None, now: float, *, worker: str, state: State, reason: str = "", pause: float | None = None
) -> Wanted | None:
    """A segment of that worker has ended; nothing changes where the debate is another's by now.

    Args:
        row: what was wanted.
        now: the time.
        worker: whose segment it was.
        state: what the debate is from now on.
        reason: why, in one sentence.
        pause: seconds until its next segment; None for no other.
    """
    if row is None or row.state != "running" or row.worker != worker:
        return row
    if state == "waiting" or pause == 0.0:  # for a person, or handed on: no try has failed
        row = replace(row, tries=0)
    if row.again and state in ("waiting", "cancelled"):
        return _put(row, "queued", begins=now)
    if row.stopping and not row.again and state in ("queued", "waiting"):
        return _put(row, "cancelled", "it was cancelled")
    return _put(row, state, reason, begins=0.0 if pause is None else now + pause)


def _put(row: Wanted, state: State, reason: str = "", begins: float = 0.0) -> Wanted:
    row = replace(row, state=state, reason=reason, begins=begins, worker="")
    return replace(row, stopping=False, at_once=False, again=False)


def pause_of(row: Wanted, now: float) -> float | None:
    """Seconds until the next segment of a debate; None for no other."""
    return max(0.0, row.begins - now) if row.state in ("queued", "waiting") and row.begins else None
