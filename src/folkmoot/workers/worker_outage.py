"""What a worker says of a database that goes and comes back: once each, and what that meant for a debate."""

from collections.abc import Callable

from folkmoot.app.run.dispatcher import QueueAway
from folkmoot.core.text import counted
from folkmoot.workers.leases import Lost
from folkmoot.workers.worker_log import Note


class Outage:
    """Keeps when the database was away.

    Args:
        say: is called when the database goes and when it comes back.
        lease: seconds after which a lease has run out.
        clock: seconds that never run backwards.
    """

    def __init__(self, say: Callable[[Note], None], lease: float, clock: Callable[[], float]) -> None:
        self._say, self._lease, self._clock = say, lease, clock
        self._since: float | None = None
        self._back: float | None = None

    def begin(self, error: QueueAway) -> None:
        """The database did not answer."""
        if self._since is None:
            self._since = self._clock()
            text = f"the database is away: {error}; trying again until it is back"
            self._say(Note(event="database away", text=text, level="WARNING"))

    def end(self) -> bool:
        """The database has answered; whether it was away before."""
        if self._since is None:
            return False
        now = self._clock()
        self._say(
            Note(
                event="database back", text=f"the database is back after {counted(round(now - self._since), 'second')}"
            )
        )
        self._since, self._back = None, now
        return True

    def explain(self, lost: Lost) -> str:
        """Why a debate no longer belongs to this worker."""
        recent = self._back is not None and self._clock() - self._back <= self._lease
        away = self._since is not None or recent
        cause = "the database was away for longer than its lease" if away else "its lease has run out"
        return f"interrupted, because {cause}; {_current_holder(lost)}"


def _current_holder(lost: Lost) -> str:
    if lost.worker:
        return f"worker {lost.worker} runs it now"
    match lost.state:
        case "" | "running":
            return "it will be queued again"
        case "queued":
            return "it is queued again"
        case state:
            return f"it is {state} by now"
