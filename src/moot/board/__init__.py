"""Board meetings in Python: members with a character, a timekeeper and verdicts (public names).

The names are those of the document on board meetings. A meeting runs in a workspace, so everything is on record.

Read in this order: ``board_meeting``, ``members``, ``meeting_results``.
"""

from moot.app.program.program_agents import HumanAgent
from moot.board.board_meeting import BoardMeeting
from moot.board.meeting_results import (
    BoardMemberState,
    BoardResult,
    ResponseFields,
    generate_next_speaker,
    parse_response_fields,
)
from moot.board.members import PRESETS, AgentType, BoardMember, Preset, TimeKeeper, VerdictType

__all__ = [
    "PRESETS",
    "AgentType",
    "BoardMeeting",
    "BoardMember",
    "BoardMemberState",
    "BoardResult",
    "HumanAgent",
    "Preset",
    "ResponseFields",
    "TimeKeeper",
    "VerdictType",
    "generate_next_speaker",
    "parse_response_fields",
]
