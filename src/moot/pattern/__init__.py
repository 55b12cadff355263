"""Patterns in a program of yours: a moderated debate and its companions. This file owns their public names.

They take the arguments and give the results that the moderated pattern's document prints; the desk holds them, so
everything is on record, answers of one round are asked at once, and one failure ends nothing.
"""

from moot.pattern.grouped_debate import GroupedDebatePattern, GroupedResult, GroupedState
from moot.pattern.map_reduce import MapReducePattern, MapReduceResult, MapReduceState
from moot.pattern.moderated_debate import DebatePattern, DebateResult, DebateState
from moot.pattern.pattern_base import Result
from moot.pattern.write_and_review import ReflectionPattern, ReflectionResult, ReflectionState

__all__ = [
    "DebatePattern",
    "DebateResult",
    "DebateState",
    "GroupedDebatePattern",
    "GroupedResult",
    "GroupedState",
    "MapReducePattern",
    "MapReduceResult",
    "MapReduceState",
    "ReflectionPattern",
    "ReflectionResult",
    "ReflectionState",
    "Result",
]
