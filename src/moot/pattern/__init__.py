"""Patterns in a program of yours: a moderated debate and its companions. This file owns their public names.

They take the arguments and give the results that the moderated pattern's document prints; the desk holds them, so
everything is on record, answers of one round are asked at once, and one failure ends nothing.
"""

from moot.pattern.debate import DebatePattern, DebateResult, DebateState
from moot.pattern.face import Result
from moot.pattern.grouped import GroupedDebatePattern, GroupedResult, GroupedState
from moot.pattern.mapreduce import MapReducePattern, MapReduceResult, MapReduceState
from moot.pattern.reflection import ReflectionPattern, ReflectionResult, ReflectionState

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
