"""What a worker tells of itself in the log."""

import logging

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
