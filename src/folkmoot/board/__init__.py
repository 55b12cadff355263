"""Board meetings in Python: members with a character, a timekeeper and verdicts (public names).

A meeting runs in a workspace, so everything is on record.

>>> from folkmoot.board import BoardMeeting, BoardMember
>>> def okafor(prompt: str) -> str:
...     verdict = "<Verdict>HIRE</Verdict><VerdictReasoning>He leads well.</VerdictReasoning>"
...     return f"{verdict}<Withdrawn>true</Withdrawn><Content>Take Kim.</Content>"
>>> members = [BoardMember("Ms. Okafor", agent=okafor), BoardMember("Dr. Chen", agent=okafor)]
>>> BoardMeeting("Should we hire Kim?", members, documents={"file.md": "Kim has led three engineers."}).run().verdict
'HIRE'

Read in this order: ``board_meeting``, ``members``, ``meeting_results``.
"""

from folkmoot.app.program.program_agents import HumanAgent
from folkmoot.board.board_meeting import BoardMeeting
from folkmoot.board.meeting_results import (
    BoardMemberState,
    BoardResult,
    ResponseFields,
    generate_next_speaker,
    parse_response_fields,
)
from folkmoot.board.members import PRESETS, AgentType, BoardMember, Preset, TimeKeeper, VerdictType

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
