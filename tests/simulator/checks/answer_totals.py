"""What an answer says that it has used and taken, summed once more over its calls."""

from collections.abc import Sequence

from folkmoot.core.ask import Ask, Reply
from folkmoot.core.event import Called
from tests.simulator.checks.record_facts import RecordFacts
from tests.simulator.invariants import require

NEAR = 1e-6
"""The most seconds by which two sums of times differ."""


def check_totals(record: RecordFacts, ask: Ask, reply: Reply) -> None:
    """Check that an answer of a model has used the sum of its calls, and taken no less than their time."""
    calls = list(record.called.get(ask.key, {}).values())
    if not calls or reply.asked == "human":
        return
    require(_tokens(calls) == _of(reply), "I106", lambda: f"{ask.key}: {_of(reply)}, and its calls {_tokens(calls)}")
    seconds = sum(call.seconds for call in calls)
    took = f"{ask.key} took {reply.seconds} s, and its calls {seconds} s"
    require(reply.seconds >= seconds - NEAR, "I106", took)


def check_seconds(called: Called, passed: float) -> None:
    """Check that a call has taken no more time than has passed since its question was put, and not less than none."""
    require(-NEAR <= called.seconds <= passed + NEAR, "I107", lambda: f"{called.key}: {called.seconds} s of {passed} s")


def _tokens(calls: Sequence[Called]) -> tuple[int, int]:
    return sum(call.usage.input_tokens for call in calls), sum(call.usage.output_tokens for call in calls)


def _of(reply: Reply) -> tuple[int, int]:
    return reply.usage.input_tokens, reply.usage.output_tokens
