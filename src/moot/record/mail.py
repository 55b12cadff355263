"""Interjections that come by letter. This file owns when a debate looks for them, and that each is taken once."""

from dataclasses import replace

from moot.core.event import Event, Interjected
from moot.core.text import clean
from moot.record.mailbox import Letters

EVERY = 0.25
"""The least seconds between two looks."""


class Mail:
    """What people say from elsewhere, on its way into the record.

    Args:
        letters: the letters to the debate; None where nobody can write any.

    Attributes:
        taken: the number of the newest letter that the record holds.
    """

    def __init__(self, letters: Letters | None) -> None:
        self._letters = letters
        self._next = 0.0
        self.taken = 0

    def apply(self, event: Event) -> None:
        """Take one event of the record in."""
        if isinstance(event, Interjected):
            self.taken = max(self.taken, event.letter)

    def due(self, now: float) -> bool:
        """Whether it is time for a look; ``now`` in seconds of the event loop."""
        return self._letters is not None and now >= self._next

    async def fetch(self, now: float) -> list[Interjected]:
        """The interjections that the record does not hold yet, in order.

        Raises:
            RecordError: the letters are damaged or cannot be read.
        """
        self._next = now + EVERY
        entries = await self._letters.read(self.taken) if self._letters else ()
        return [
            replace(entry.event, by=clean(entry.event.by), text=clean(entry.event.text), letter=entry.seq)
            for entry in entries
            if isinstance(entry.event, Interjected)
        ]
