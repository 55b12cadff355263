"""The council: the documented debate step for programs. This file owns which names are public.

A face of Moot: it translates the interface of the source system into debates at the desk. What it adds: calls in
parallel, the record, resume, limits, streaming, and failures that stay with the one who failed.
"""

from moot.app.program.program_agents import HumanAgent
from moot.council.agent_wrapper import AgentWrapper, Context, create_agent
from moot.council.session import Council
from moot.council.shared_steps import ParallelStep, SplitStep
from moot.council.step_results import StepResult
from moot.council.steps import CouncilEvent, DebateStep, Step

__all__ = [
    "AgentWrapper",
    "Context",
    "Council",
    "CouncilEvent",
    "DebateStep",
    "HumanAgent",
    "ParallelStep",
    "SplitStep",
    "Step",
    "StepResult",
    "create_agent",
]
