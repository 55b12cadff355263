"""What debates came to, for lists and for the state of one. This file owns how a record is summed up for the API."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from moot.app.plan.assignment import is_person
from moot.app.run.outcome import Listed
from moot.app.run.workspace import Desk
from moot.core.errors import RecordError
from moot.core.event import Entry, Paused
from moot.core.transcript import Transcript, fold

Data: TypeAlias = dict[str, object]

KEPT = 2000
"""So many debates' sums are remembered."""


@dataclass(slots=True)
class Sums:
    """What records came to, remembered by their length: a record only grows."""

    _known: OrderedDict[tuple[str, int], Data] = field(default_factory=OrderedDict[tuple[str, int], Data])

    async def of(self, desk: Desk, listed: Listed) -> Data:
        """A debate in a list: what stands in ``Listed``, its participants, decision, and what it used."""
        key = (listed.debate, listed.entries)
        if key not in self._known:
            self._known[key] = await _row(desk, listed)
            if len(self._known) > KEPT:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        return self._known[key]


async def _row(desk: Desk, listed: Listed) -> Data:
    row: Data = {
        "id": listed.debate,
        "topic": listed.topic,
        "protocol": listed.protocol,
        "status": listed.status,
        "reason": listed.reason,
        "at": listed.at,
        "entries": listed.entries,
        "forked": listed.forked,
    }
    try:
        entries = await desk.entries(listed.debate)
        transcript = fold(entries)
    except RecordError as error:
        unread: Data = {"participants": [], "decision": None, "tokens": 0, "cost": None, "seconds": 0.0}
        return {**row, **unread, "status": "damaged", "reason": str(error)}
    usage, decision = transcript.usage, transcript.decision
    told = decision and {
        "winner": decision.winner,
        "text": decision.text,
        "strength": decision.strength,
        "share": decision.share,
    }
    return {
        **row,
        "participants": names_of(transcript),
        "decision": told,
        "tokens": usage.input_tokens + usage.output_tokens,
        "cost": usage.cost,
        "seconds": entries[-1].at - entries[0].at,
        "waits_for": _waits_for(transcript),
    }


def _waits_for(transcript: Transcript) -> list[str]:
    """The people who have still to answer, each once."""
    people = {each.name for each in (transcript.brief.participants if transcript.brief else ()) if is_person(each)}
    asked = [turn.by for turn in transcript.all() if turn.ask and not transcript.answered(turn.key)]
    return [] if transcript.closed else [name for name in dict.fromkeys(asked) if name in people]


def names_of(transcript: Transcript) -> list[str]:
    """Who sits at the table."""
    people = transcript.brief.participants if transcript.brief else ()
    return [each.name for each in people if each.duty != "aide"]


def kind_of(entries: Sequence[Entry]) -> str:
    """Why a debate stands still; "" where it does not."""
    last = entries[-1].event if entries else None
    return (last.kind or "stopped") if isinstance(last, Paused) else ""
