"""What happens in a council, as it happens. This file owns the names of these events; all but two stand in the record.

``step_start`` and ``step_end`` are the council's own. The others are entries of the record under their documented
names (``app.export.naming``).
"""

from dataclasses import dataclass, field
from typing import Any

from moot.core.event import Entry
from moot.report.names import Namer


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
    _namer: Namer = field(default_factory=Namer)

    def tell(self, entry: Entry) -> CouncilEvent | None:
        """The event that an entry is; None where it is none for a council."""
        named = self._namer.name(entry)
        if named is None:
            return None
        return CouncilEvent(type=named.type, step=self.step, data=dict(named.data), debate=self.debate, seq=named.seq)
