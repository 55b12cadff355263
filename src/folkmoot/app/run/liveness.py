"""Tell from its record whether another process runs a debate, and whether a debate only waits for people.

A record that grows is written by some process, which must write again within the time for one answer. So the first look
says nothing, and a record that does not grow shows no process: one that was killed writes nothing.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from folkmoot.app.run.record_reader import waiting
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import is_person
from folkmoot.core.errors import RecordError
from folkmoot.core.event import Closed, Opened, Paused, Replied
from folkmoot.core.transcript import Transcript, Turn, fold
from folkmoot.record.mailbox import Mailbox
from folkmoot.record.store import Store, decode

KEPT = 1000
"""So many debates are remembered."""

GRACE = 5.0
"""Seconds beyond the time for one answer."""


@dataclass(slots=True)
class _Beat:
    """The last known state of a record.

    Attributes:
        entries: how many there were at the last look.
        within: seconds within which it grows while somebody holds it.
        until: until when it counts as held, by the clock; None where it was not seen to grow.
    """

    entries: int
    within: float
    until: float | None = None


class Liveness:
    """Watches records that this process does not write.

    Args:
        store: where they are.
        clock: seconds that never run backwards.
    """

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self._store, self._clock = store, clock
        self._seen: OrderedDict[str, _Beat] = OrderedDict()

    def forget(self, debate: str) -> None:
        """Forget a debate, because this process writes it now."""
        self._seen.pop(debate, None)

    async def is_alive(self, debate: str) -> bool:
        """Whether a record has grown lately, so that another process may still run the debate."""
        try:
            beat = await self._look(debate)
        except RecordError:  # whoever reads the record meets the same, and says so
            return False
        return beat is not None and beat.until is not None and self._clock() < beat.until

    async def _look(self, debate: str) -> _Beat | None:
        beat = self._seen.get(debate)
        new = await self._store.read(debate, after=beat.entries if beat else 0)
        if beat is None:
            first = decode(new[0]).event if new else None
            if not isinstance(first, Opened):
                return None
            beat = self._seen[debate] = _Beat(entries=0, within=first.brief.limits.turn_seconds + GRACE)
            if len(self._seen) > KEPT:
                self._seen.popitem(last=False)
        elif new:
            stands = isinstance(decode(new[-1]).event, Closed | Paused)
            beat.until = None if stands else self._clock() + beat.within
        beat.entries += len(new)
        return beat


QUIET = 2.0
"""Seconds after which an answer by message that is still unread shows that nobody runs the debate: the process that
runs it looks for messages several times in that time."""

LOOKS = 10
"""How often the record is looked at in that time."""


async def waits_only(workspace: Workspace, debate: str) -> bool:
    """Whether a running debate only waits for people."""
    try:
        asks = _unanswered(fold(await workspace.entries(debate)))
        return bool(asks) and len(await waiting(workspace, debate)) == len(asks)
    except RecordError:  # it is not on record yet, or whoever holds it meets the same
        return False


async def waited_for_people(workspace: Workspace, debate: str) -> bool:
    """Whether a debate that does not run here was paused because a person had to answer.

    It was paused then, or its process ended without a message, so that nobody reads an answer.

    Raises:
        RecordError: there is no such debate, or its record or messages are damaged.
    """
    transcript = fold(await workspace.entries(debate))
    if transcript.closed:
        return False
    if transcript.paused:
        return transcript.paused.kind == "waiting"
    asks = _unanswered(transcript)
    messages = await Mailbox(workspace.store, debate, clock=workspace.clock).read()
    written = {entry.event.key for entry in messages if isinstance(entry.event, Replied)}
    if not _are_for_people(transcript, asks) or not any(turn.key in written for turn in asks):
        return False
    return not await _record_grows(workspace, debate)


async def _record_grows(workspace: Workspace, debate: str) -> bool:
    """Whether a record grows that another process may write."""
    last = await workspace.count_entries(debate)
    for _ in range(LOOKS):
        await asyncio.sleep(QUIET / LOOKS)
        if await workspace.store.read(debate, after=last, limit=1):
            return True
    return False


def _unanswered(transcript: Transcript) -> list[Turn]:
    return [turn for turn in transcript.all() if turn.ask and not transcript.answered(turn.key)]


def _are_for_people(transcript: Transcript, asks: list[Turn]) -> bool:
    brief = transcript.brief
    return brief is not None and all(is_person(brief.participant(turn.by)) for turn in asks)
