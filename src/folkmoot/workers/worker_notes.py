"""What a worker tells of itself: notes in the log, and a server that goes away or comes back, once each."""

import logging
import time

from folkmoot.core.errors import FolkmootError
from folkmoot.core.text import counted

LOG = logging.getLogger("folkmoot.worker")
LIBRARY = logging.getLogger("temporalio")
"""Temporal's SDK logs there."""


def note(event: str, text: str, *, debate: str = "", state: str = "", level: int = logging.INFO) -> None:
    """Log what has happened to this worker.

    Args:
        event: its stable name, for programs.
        text: the same in words.
        debate: the debate that it is about; "" for none.
        state: what the debate is from now on; "" where that did not change.
        level: how much it matters.
    """
    LOG.log(level, "%s", text, extra={"event": event, "debate": debate, "state": state})


class Outage:
    """Says once that a server is away, and once that it is back.

    Args:
        server: which one.
    """

    def __init__(self, server: str) -> None:
        self._server, self._since = server, 0.0

    def begin(self, error: FolkmootError) -> None:
        """It did not answer."""
        if not self._since:
            self._since = time.monotonic()
            text = f"{self._server} is away: {error}; trying again until it is back"
            note("away", text, level=logging.WARNING)

    def end(self) -> None:
        """It has answered."""
        if self._since:
            note("back", f"{self._server} is back after {counted(round(time.monotonic() - self._since), 'second')}")
            self._since = 0.0
