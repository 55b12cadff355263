"""What all workers of a world may send in a minute."""

from tests.simulator.fault_plan import Plan

MINUTE = 60.0

ON_ITS_WAY = 2.0
"""Seconds that a request takes at most from its permission until it leaves, where nothing else fails."""


class MinuteLimits:
    """Counts what leaves, where no fault holds up a request that was permitted before.

    Args:
        plan: the plan of the world, with its limits.
    """

    def __init__(self, plan: Plan) -> None:
        counted = not (plan.models or plan.store or plan.processes or plan.queue)
        self._requests, self._tokens = (plan.requests, plan.tokens) if counted else (0, 0)
        self._sends: list[tuple[float, int]] = []

    def exceed(self, now: float, tokens: int) -> str:
        """Count one more request, with the tokens of its answer; what is too much in the minute before, "" for nothing.

        The tokens of that request itself do not count: one that needs more than a whole limit is let through alone.
        """
        if not (self._requests or self._tokens):
            return ""
        recent = [number for at, number in self._sends if at > now - MINUTE + ON_ITS_WAY]
        self._sends.append((now, tokens))
        if self._requests and len(recent) >= self._requests:
            return f"{len(recent) + 1} requests in a minute, {self._requests} allowed"
        spent = sum(recent)
        return f"{spent} tokens in a minute, {self._tokens} allowed" if self._tokens and spent > self._tokens else ""
