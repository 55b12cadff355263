"""A board in a program of yours: members with a character, a timekeeper, verdicts. This file owns its public names.

The names are those of the document on board meetings. A meeting is held by the desk, so everything is on record.
"""

from moot.board.meeting import BoardMeeting
from moot.board.people import AgentType, BoardMember, TimeKeeper
from moot.board.presets import PRESETS, Preset
from moot.board.reading import ResponseFields, generate_next_speaker, parse_response_fields
from moot.board.results import BoardMemberState, BoardResult
from moot.desk.sitting import HumanAgent

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
    "generate_next_speaker",
    "parse_response_fields",
]
