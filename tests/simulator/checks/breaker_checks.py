"""Whether a model that is left out has failed again and again before."""

import re
from collections import defaultdict

from folkmoot.core.event import Attempted, Called, Erred, Event, Failed
from folkmoot.models.layers import BreakerSettings
from tests.simulator.fault_plan import Plan
from tests.simulator.invariants import require

ENOUGH = BreakerSettings().failure_threshold

TOGETHER = 1.0
"""Seconds within which nobody can say whether an answer came before a failure or behind it."""

_LEFT_OUT = re.compile(r"(\S+) has failed again and again")

CallId = tuple[str, str, str]
"""The debate, the key of its question and the name of the call."""


class BreakerChecks:
    """Counts the calls of each process to each model that have failed one after the other.

    Whatever has no answer counts as failed here, though the product counts only failures of transport. So a model that
    was left out for too little is told from one that was not only where its answers lie between its failures.

    Args:
        plan: the plan of the world; nothing is checked where failures may not be stored, or late.
    """

    def __init__(self, plan: Plan) -> None:
        frozen = any(fault.kind in ("freeze", "second") for fault in plan.processes)
        self._checks = not (plan.store or plan.store_delay or frozen)
        self._open: dict[CallId, tuple[int, str]] = {}  # calls without an answer, with their process and model
        self._failed: dict[tuple[int, str], dict[CallId, float]] = defaultdict(dict)
        self._answered: dict[tuple[int, str], float] = {}
        self._left_out: set[tuple[int, str]] = set()  # who has had enough failures

    def add(self, process: int, debate: str, event: Event, now: float) -> None:
        """Take in what a process has stored.

        Raises:
            Violation: a model is left out that has not failed so often.
        """
        if not self._checks:
            return
        match event:
            case Attempted():
                self._open[debate, event.key, event.call] = process, event.model
            case Called():
                self._answered[self._open.pop((debate, event.key, event.call))] = now
            case Erred():
                self._fail((debate, event.key, event.call), now)
            case Failed(kind="open"):
                self._check(process, event)
            case Failed():  # its time may have been over before its call came back
                for call in [call for call in self._open if call[:2] == (debate, event.key)]:
                    self._fail(call, now)
            case _:
                pass

    def _fail(self, call: CallId, now: float) -> None:
        model = self._open.pop(call)
        failed, last = self._failed[model], self._answered.get(model)
        if last is not None and last < now - TOGETHER:
            for other in [other for other, at in failed.items() if at < last - TOGETHER]:
                del failed[other]
        failed[call] = now
        if len(failed) >= ENOUGH:
            self._left_out.add(model)

    def _check(self, process: int, event: Failed) -> None:
        left_out = _LEFT_OUT.search(event.reason)
        if left_out is None or (process, left_out[1]) in self._left_out:
            return
        model = process, left_out[1]
        # The failures of its own batch may not be noted yet.
        most = len(self._failed[model]) + list(self._open.values()).count(model)
        require(most >= ENOUGH, "I104", lambda: f"{event.key}: {most} calls have failed; {event.reason}")
