"""What a worker logs: a line for a person, or JSON for programs, each with its time and level."""

import contextlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, TypeAlias

Level: TypeAlias = Literal["INFO", "WARNING", "ERROR"]

Happening: TypeAlias = Literal[
    "started",
    "taken",
    "ended",
    "lost",
    "queued again",
    "database away",
    "database back",
    "schedule",
    "draining",
    "stopped",
]
"""The stable name of what has happened, for programs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Something that has happened to a worker.

    Attributes:
        event: its stable name.
        text: the same in words.
        debate: the debate that it is about; "" for none.
        state: what the debate is from now on; "" where that did not change.
        level: how much it matters.
    """

    event: Happening
    text: str
    debate: str = ""
    state: str = ""
    level: Level = "INFO"

    @property
    def line(self) -> str:
        """The words, with the debate before them."""
        return f"{self.debate}: {self.text}" if self.debate else self.text


class WorkerLog:
    """Writes the notes of one worker.

    Args:
        write: takes a line.
        worker: the worker's name.
        as_json: whether lines are JSON.
        clock: seconds since 1970.
    """

    def __init__(
        self, write: Callable[[str], None], worker: str, *, as_json: bool, clock: Callable[[], float] = time.time
    ) -> None:
        self._write, self._worker, self._as_json, self._clock = write, worker, as_json, clock

    def take(self, note: Note) -> None:
        """Write a note."""
        with contextlib.suppress(OSError):  # the log is no longer read
            self._write(self._json(note) if self._as_json else self._text(note))

    def _json(self, note: Note) -> str:
        known = {"at": round(self._clock(), 3), "level": note.level, "event": note.event, "worker": self._worker}
        about = {"debate": note.debate, "state": note.state}
        return json.dumps(
            {**known, **{name: value for name, value in about.items() if value}, "text": note.text}, ensure_ascii=False
        )

    def _text(self, note: Note) -> str:
        at = datetime.fromtimestamp(self._clock(), UTC)
        return f"{at:%Y-%m-%dT%H:%M:%SZ} {note.level:7} {note.line}"
