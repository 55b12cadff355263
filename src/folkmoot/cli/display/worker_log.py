"""How a worker's log is shown: a line for a person, or JSON for programs, each with its time and level."""

import json
import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

from folkmoot.core.text import clean, hide
from folkmoot.workers.worker_notes import LIBRARY, LOG


class WorkerLog(logging.Handler):
    """Writes the lines of one worker.

    Args:
        write: takes a line.
        worker: the worker's name.
        as_json: whether lines are JSON.
    """

    def __init__(self, write: Callable[[str], None], worker: str, *, as_json: bool) -> None:
        super().__init__()
        self._write, self._worker, self._as_json = write, worker, as_json

    def emit(self, record: logging.LogRecord) -> None:
        """See ``logging.Handler``."""
        debate, text = getattr(record, "debate", ""), " ".join(hide(clean(record.getMessage())).split())
        if self._as_json:
            about = {"debate": debate, "state": getattr(record, "state", "")}
            event = getattr(record, "event", record.name.partition(".")[0])
            known = {"at": round(record.created, 3), "level": record.levelname, "event": event, "worker": self._worker}
            known.update((name, value) for name, value in about.items() if value)
            line = json.dumps({**known, "text": text}, ensure_ascii=False)
        else:
            at = datetime.fromtimestamp(record.created, UTC)
            line = f"{at:%Y-%m-%dT%H:%M:%SZ} {record.levelname:7} {debate and f'{debate}: '}{text}"
        with suppress(OSError):  # the log is no longer read
            self._write(line)


@contextmanager
def logging_to(handler: logging.Handler) -> Generator[None]:
    """Send there what this worker and Temporal's SDK log, and nowhere else."""
    LOG.setLevel(logging.INFO)
    for logger in (LOG, LIBRARY):
        logger.addHandler(handler)
        logger.propagate = False
    try:
        yield
    finally:
        for logger in (LOG, LIBRARY):
            logger.removeHandler(handler)
            logger.propagate = True
