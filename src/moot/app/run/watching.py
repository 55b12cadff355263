"""Who is told what happens in the debates of a desk. This file owns what a watcher is, and that all are told."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from moot.core.event import Entry
from moot.record.codec import decode


class Watcher(Protocol):
    """Is told of every debate that is held; a fault of its own is its own to bear, no debate may feel it."""

    def take(self, debate: str, entries: Sequence[Entry]) -> None:
        """Take in what has just become durable."""
        ...

    def end(self, debate: str) -> None:
        """The debate is held no longer."""
        ...


@dataclass(slots=True)
class Watchers:
    """All watchers of a desk."""

    each: list[Watcher] = field(default_factory=list[Watcher])

    def take(self, debate: str, lines: Sequence[str]) -> None:
        """Tell what has just been stored."""
        entries = [decode(line) for line in lines] if self.each else []
        for watcher in self.each:
            watcher.take(debate, entries)

    def end(self, debate: str) -> None:
        """Tell that a debate is held no longer."""
        for watcher in self.each:
            watcher.end(debate)
