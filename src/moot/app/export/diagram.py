"""A plan as a picture. This file owns how a host that knows no phase comes by one."""

from moot.app.run.held import Plan
from moot.protocols import spec
from moot.report.flowchart import flowchart


def diagram(plan: Plan) -> str:
    """The phases of a plan as a Mermaid flowchart."""
    return flowchart(spec.dump(plan.protocol))
