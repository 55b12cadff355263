"""Words from outside under a key. This file owns that a key counts once, however often the same words are sent.

Everybody at the table reads such words in every question from then on, so twice the same costs twice. Which keys were
used stands in a stream of letters ``DEBATE/said`` beside the record, with the number of the letter that came of each.
"""

import asyncio
import json
from dataclasses import dataclass, field

from moot.app.run.access import conflict, mark_of
from moot.app.run.people import say
from moot.app.run.workspace import Desk
from moot.core.event import Interjected
from moot.record.mailbox import Letters


@dataclass(frozen=True, slots=True)
class Sayings:
    """What is said through one process: one after the other, so that a key is looked for before it is used."""

    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def say(self, desk: Desk, debate: str, by: str, words: str, key: str = "") -> int:
        """Speak up in a debate; see ``people.say``.

        Args:
            desk: the desk.
            debate: its id.
            by: who speaks.
            words: what is said.
            key: what the sender calls this message, beside who the sender is; "" where it is sent once.

        Returns:
            The number of the letter; of the first one, where the key was used before.

        Raises:
            BriefError: a name that cannot be, no words or too many.
            RecordConflict: the key was used before for other words.
            RecordError: there is no such debate, or it is over.
        """
        if not key:
            return await say(desk, debate, by, words)
        letters = Letters(desk.store, f"{debate}/said", clock=desk.clock)
        mark, asked = mark_of(key), mark_of(json.dumps([by, words]))
        async with self._turn:
            for entry in await letters.read():
                if isinstance(entry.event, Interjected) and entry.event.by == mark:
                    known, _, number = entry.event.text.partition(" ")
                    if known != asked:
                        raise conflict(debate)
                    return int(number)
            number = await say(desk, debate, by, words)
            await letters.post(Interjected(by=mark, text=f"{asked} {number}"))
            return number
