"""The council: debate and other steps on one task, for Python programs (public names).

Each step runs as a debate in a workspace: calls in parallel, a record, resume, limits, streaming, and failures that
affect only the agent that failed.

>>> from folkmoot.council import AgentWrapper, Council, DebateStep
>>> def ada(prompt: str) -> str:
...     return "I vote for: Bo" if "I vote for" in prompt else "Build it: we know our routes."
>>> def bo(prompt: str) -> str:
...     return "I vote for: Bo" if "I vote for" in prompt else "Buy it: nobody here can mend it at night."
>>> step = DebateStep(agents=[AgentWrapper(ada, name="Ada"), AgentWrapper(bo, name="Bo")], rounds=1)
>>> result = Council(name="Purchase", steps=[step]).run("Should we build or buy the route planner?")
>>> result["winner"], result["votes"]
('Buy it: nobody here can mend it at night.', {'Ada': 0, 'Bo': 2})

Read in this order: ``session``, ``agent_wrapper``, ``steps``, ``step_results``, ``shared_steps``.
"""

from folkmoot.app.program.program_agents import HumanAgent
from folkmoot.council.agent_wrapper import AgentWrapper, Context, create_agent
from folkmoot.council.session import Council
from folkmoot.council.shared_steps import ParallelStep, SplitStep
from folkmoot.council.step_results import DebateStepData, SharedStepData, StepResult
from folkmoot.council.steps import CouncilEvent, DebateStep, Step

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
