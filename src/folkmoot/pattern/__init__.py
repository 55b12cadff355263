"""Patterns for Python programs: a moderated debate, grouped debate, map-reduce and reflection (public names).

They run in a workspace, so everything is on record, answers of one round are asked in parallel, and one failure does
not end the debate.

>>> from folkmoot.pattern import DebatePattern
>>> def answer(prompt: str) -> str:
...     if "You are Moderator" in prompt:
...         return "SUMMARY: Both are heard.\\nSTATUS: SETTLED\\nDECISION: Invest half."
...     return "Revenue has doubled twice."
>>> debaters = [{"name": "Bull", "role": "Optimist"}, {"name": "Bear", "role": "Risk analyst"}]
>>> result = DebatePattern(llm=answer, max_rounds=3).run(topic="Should we invest?", debaters=debaters)
>>> result["final_decision"]
'Invest half.'

Read in this order: ``pattern_base``, ``moderated_debate``, ``grouped_debate``, ``map_reduce``, ``write_and_review``.
"""

from folkmoot.pattern.grouped_debate import GroupedDebatePattern, GroupedResult, GroupedState
from folkmoot.pattern.map_reduce import MapReducePattern, MapReduceResult, MapReduceState
from folkmoot.pattern.moderated_debate import DebatePattern, DebateResult, DebateState
from folkmoot.pattern.pattern_base import Result
from folkmoot.pattern.write_and_review import ReflectionPattern, ReflectionResult, ReflectionState

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
