"""Why an answer ended: what providers call it, and what it means here.

Only a mark that is known to mean a whole answer makes one. Providers and gateways have dozens of others, and no list of
them is complete; so an unknown mark stays on record by its own name, and the answer counts as cut off.
"""

import re

from folkmoot.core.text import named

WHOLE = frozenset(
    {
        *("stop", "end_turn", "stop_sequence", "eos", "eos_token", "stop_token", "complete", "completed"),
        *("tool_calls", "tool_call", "tool_use", "function_call"),
    }
)
"""The marks that mean: all of it has come."""

_FULL = frozenset(
    {
        *("length", "max_tokens", "max_output_tokens", "max_turn_requests", "model_length", "pause_turn"),
        *("model_context_window_exceeded", "continuation"),
    }
)
"""The marks that mean: there was no room for the rest."""

_WITHHELD = frozenset(
    {
        *("content_filter", "content_filtered", "refusal", "safety", "sensitive", "guardrail_intervened", "recitation"),
        *("blocklist", "prohibited_content", "spii", "model_armor"),
    }
)
"""The marks that mean: the rest is withheld."""

_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def finish_of(mark: object) -> str:
    """Why an answer ended: ``stop``, ``length``, ``filter``; an unknown mark by its name; "" for none at all."""
    if not mark:
        return ""
    text = _HUMP.sub("_", mark).lower().replace("-", "_").strip() if isinstance(mark, str) else "unknown"
    if text in WHOLE:
        return "stop"
    return "length" if text in _FULL else "filter" if text in _WITHHELD else named(text) or "unknown"
