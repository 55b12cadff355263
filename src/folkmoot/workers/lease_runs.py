"""Run one segment of a debate under a lease, and decide what becomes of the debate when the segment ends.

A segment resumes a debate from its record until it is over or waits for a person. An error becomes an ending;
``leases`` decides which worker continues.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from folkmoot.app.run.access import noted_allowance
from folkmoot.app.run.dispatcher import QueueError
from folkmoot.app.run.outcome import Outcome
from folkmoot.app.run.record_reader import read_open_asks
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.errors import (
    PASSING_ERRORS,
    BriefError,
    FolkmootError,
    ProtocolError,
    RecordConflict,
    RecordError,
    RecordMismatch,
)
from folkmoot.core.text import clean, hide
from folkmoot.engine.driver import StopRequest
from folkmoot.workers.jobs import Ending, Lease
from folkmoot.workers.leases import FencedStore
from folkmoot.workers.worker_log import Note

MOST = 8
"""The default number of debates in parallel."""

LEASE = 15.0
"""Seconds after which others take over what a silent worker holds."""

GRACE = 30.0
"""Seconds that the answers in progress have when a worker is asked to end."""

AWAY = 30.0
"""Seconds after which a debate goes on whose providers could not be reached; twice that the next time."""

POLL = 10.0
"""Seconds between two looks into the queue where nobody tells that there is work: a notification can be lost."""

AGAIN = 0.3
"""Seconds after which a database that was away is asked again."""

LOOKS = 3
"""How often a record must be unreadable, while the database answers, before it counts as damaged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerSettings:
    """How a worker works.

    Attributes:
        address: the store's.
        name: what it is called; no two workers are called the same.
        most: how many debates it runs in parallel.
        lease: seconds after which others take over what it holds.
        grace: seconds that the answers in progress have when it is asked to end.
        away: seconds after which a debate goes on whose providers could not be reached.
        poll: seconds between two looks into the queue where nobody tells that there is work.
        say: is called with what happens.
    """

    address: str
    name: str
    most: int = MOST
    lease: float = LEASE
    grace: float = GRACE
    away: float = AWAY
    poll: float = POLL
    say: Callable[[Note], None] = lambda note: None


@dataclass(slots=True, eq=False)
class LeasedDebate:
    """A debate that this worker holds.

    Attributes:
        lease: the right to it.
        stop: the request to pause it.
        why: why it is stopped: ``cancel``, ``drain``, ``lost``; "" where it is not.
        task: holds it.
    """

    lease: Lease
    stop: StopRequest = field(default_factory=StopRequest)
    why: str = ""
    task: "asyncio.Task[Ending] | None" = None

    def ask(self, why: str, *, now: bool) -> None:
        """Stop it, after the answers in progress or at once."""
        self.why = self.why or why
        self.stop.reason = self.stop.reason or ("stopped" if why == "cancel" else "handed on to another worker")
        if now and self.task:
            self.task.cancel()


class LeaseRuns:
    """Holds debates, one segment each.

    Args:
        workspace: where they are held.
        wanted: how the worker works.
        fence: behind which they are written.
        probe: asks the database for nothing; raises QueueError where it does not answer.
    """

    def __init__(
        self, workspace: Workspace, wanted: WorkerSettings, fence: FencedStore, probe: Callable[[], Awaitable[object]]
    ) -> None:
        self.workspace, self.wanted, self.fence, self._probe = workspace, wanted, fence, probe

    async def run(self, debate: str, leased: LeasedDebate) -> Ending:
        """Resume a debate; what goes wrong is an ending."""
        try:
            limits = await noted_allowance(self.workspace, debate)
            outcome = await self.workspace.resume(debate, limits=limits, stop=leased.stop)
            return await self._ending(outcome, leased)
        except RecordConflict:
            after = 0.0 if self.fence.lapsed(debate) else self.wanted.lease
            return Ending(state="queued", reason="another process writes its record", after=after)
        except (RecordMismatch, BriefError, ProtocolError) as error:
            return Ending(state="parked", reason=str(error))
        except RecordError as error:
            return await self._unreadable(debate, error)
        except FolkmootError as error:
            return Ending(state="parked", reason=str(error))
        except Exception as error:  # noqa: BLE001 # a slip in one debate must not end the others
            return Ending(state="parked", reason=hide(clean(f"internal error: {type(error).__name__}: {error}")))

    async def _ending(self, outcome: Outcome, leased: LeasedDebate) -> Ending:
        match outcome.status, outcome.kind:
            case "paused", "waiting":
                # An answer may have come, and a time may be up, since the debate has paused: nobody tells of it again.
                asks = await read_open_asks(self.workspace, outcome.debate)
                wake = asks.until_next(self.workspace.clock())
                return Ending(state="waiting", reason=outcome.reason, wake=wake, fresh=True)
            case "paused", "batch":
                wake = self.workspace.tray.pace.most
                return Ending(state="waiting", reason=outcome.reason, wake=wake, fresh=True)
            case "paused", "unavailable" if not _needs_a_person(outcome):
                wait = min(self.wanted.away * 2 ** (leased.lease.tries - 1), 3600.0)
                return Ending(state="queued", reason=outcome.reason, after=wait)
            case "paused", _ if leased.why == "cancel":
                return Ending(state="cancelled", reason="it was cancelled")
            case "paused", _ if leased.why:
                return handed_over()
            case "paused", _:
                return Ending(state="parked", reason=outcome.reason)
            case _:
                return Ending(state="done")

    async def _unreadable(self, debate: str, error: RecordError) -> Ending:
        """A record that cannot be read is parked; a store that was away for a moment is asked again."""
        looks = 0
        while looks < LOOKS and not self.fence.lapsed(debate):
            try:
                await self._probe()
                looks += 1
                await self.workspace.entries(debate)
            except RecordError as again:
                error = again
            except QueueError:
                pass
            else:
                return Ending(state="queued", reason=str(error), after=self.wanted.lease / 3)
            await asyncio.sleep(AGAIN)
        if looks < LOOKS:
            return Ending(state="queued", reason=str(error))
        return Ending(state="parked", reason=str(error))


def _needs_a_person(outcome: Outcome) -> bool:
    """Whether trying again would meet the same: a key that is refused, credit that is used up, a model that is gone."""
    paused = outcome.transcript.paused
    return paused is not None and paused.cause not in {"", *PASSING_ERRORS}


def handed_over() -> Ending:
    """The ending of a debate that another worker goes on with at once."""
    return Ending(state="queued", reason="", fresh=True)
