"""What happens in a council, as it happens. This file owns the names of these events; all but two stand in the record.

``step_start`` and ``step_end`` are the council's own. The others are entries of the record under the names that they
have in the source systems.
"""

from dataclasses import dataclass, field
from typing import Any

from moot.core.event import Closed, Entered, Entry, Failed, Opened, Paused, Replied, Ruled
from moot.core.transcript import Transcript, Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class CouncilEvent:
    """Something that happens in a council.

    Attributes:
        type: ``step_start``: ``task`` and ``kind``, the class of the step; ``step_end``: ``result``, or ``error`` in
            words. Of a debate on record: ``debate_start``: ``task``, ``agents``; ``round_start``: ``round``, from 1;
            ``agent_message``: ``agent``, ``act``, ``round``, ``text``; ``vote``: ``agent``, ``choice`` ("" where none
            was read), ``text``; ``agent_error``: ``agent``, ``act``, ``reason``; ``consensus``: ``winner``, ``rule``,
            ``how``, ``tally``; ``debate_pause`` and ``debate_end``: ``status``, ``reason``.
        step: which step of the council, from 0.
        data: what the type says.
        debate: the debate's id; "" for an event that stands in no record.
        seq: the number of the entry in the record; 0 for an event that stands in none.
    """

    type: str
    step: int
    data: dict[str, Any] = field(default_factory=dict[str, Any])
    debate: str = ""
    seq: int = 0


@dataclass(slots=True)
class Teller:
    """Tells of one debate of a council.

    Attributes:
        step: which step it is.
        debate: its id.
    """

    step: int
    debate: str
    _transcript: Transcript = field(default_factory=Transcript)

    def tell(self, entry: Entry) -> CouncilEvent | None:
        """The event that an entry is; None where it is none for a council."""
        self._transcript.apply(entry.event)
        match entry.event:
            case Opened(brief=brief):
                names = [each.name for each in brief.participants]
                return self._event(entry, "debate_start", task=brief.topic, agents=names)
            case Entered(path=path) if path.rpartition("/")[2].startswith("round-"):
                return self._event(entry, "round_start", round=int(path.rpartition("-")[2]))
            case Replied(key=key):
                return self._said(entry, self._transcript.get(key))
            case Failed(key=key, reason=reason):
                turn = self._transcript.get(key)
                return self._event(entry, "agent_error", agent=turn.by, act=turn.act, reason=reason)
            case Ruled(decision=decision):
                facts = {"rule": decision.rule, "how": decision.how, "tally": dict(decision.tally)}
                return self._event(entry, "consensus", winner=decision.winner, **facts)
            case Paused(reason=reason, kind=kind):
                return self._event(entry, "debate_pause", status=kind, reason=reason)
            case Closed(status=status, reason=reason):
                return self._event(entry, "debate_end", status=status, reason=reason)
            case _:
                return None

    def _said(self, entry: Entry, turn: Turn) -> CouncilEvent:
        if turn.act == "vote":
            choice = next(iter(turn.fields.values()), "")
            return self._event(entry, "vote", agent=turn.by, choice=choice, text=turn.text)
        return self._event(entry, "agent_message", agent=turn.by, act=turn.act, round=turn.round, text=turn.text)

    def _event(self, entry: Entry, type: str, **data: Any) -> CouncilEvent:
        return CouncilEvent(type=type, step=self.step, data=data, debate=self.debate, seq=entry.seq)
