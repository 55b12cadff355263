"""The council: debate and other steps on one task, for Python programs (public names).

It translates the documented interface into debates in a workspace. It adds calls in parallel, the record, resume,
limits, streaming, and failures that affect only the agent that failed.

Read in this order: ``session``, ``agent_wrapper``, ``steps``, ``step_results``, ``shared_steps``.
"""

from moot.app.program.program_agents import HumanAgent
from moot.council.agent_wrapper import AgentWrapper, Context, create_agent
from moot.council.session import Council
from moot.council.shared_steps import ParallelStep, SplitStep
from moot.council.step_results import DebateStepData, SharedStepData, StepResult
from moot.council.steps import CouncilEvent, DebateStep, Step

__all__ = [
    "AgentWrapper",
    "Context",
    "Council",
    "CouncilEvent",
    "DebateStep",
    "DebateStepData",
    "HumanAgent",
    "ParallelStep",
    "SharedStepData",
    "SplitStep",
    "Step",
    "StepResult",
    "create_agent",
]
