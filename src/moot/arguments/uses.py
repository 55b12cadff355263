"""Uses of tools, read from the record: who used which tool, with what arguments, and which sources came of it.

A use of a tool is a call on record with its sources; its arguments stand in the model's call before it. That a source
was found does not say that a turn relies on it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from moot.core.event import TOOL, Called, Entry
from moot.core.tool import ToolCall
from moot.core.transcript import Transcript

_FAULT = re.compile(r"The tool (?:was not used|gave no result)|There is no tool ")
"""How a result begins that is none. A use that found sources has a result, whatever its words are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """One use of a tool.

    Attributes:
        key: the ask during which it was used.
        mark: the mark of that turn: ``T3``.
        by: who used it.
        tool: its name.
        arguments: what it was given, as JSON text; "" where the record does not say.
        sources: where the result comes from.
        seconds: how long it took.
        fault: why there is no result; "" where there is one.
    """

    key: str
    mark: str
    by: str
    tool: str
    arguments: str = ""
    sources: tuple[str, ...] = ()
    seconds: float = 0.0
    fault: str = ""


def uses(entries: Iterable[Entry], transcript: Transcript) -> tuple[Used, ...]:
    """All uses of tools, turn by turn in the order of asking."""
    asked: dict[str, list[ToolCall]] = {}
    found: dict[str, list[Used]] = {}
    for entry in entries:
        event = entry.event
        if not isinstance(event, Called):
            continue
        if event.model.startswith(TOOL):
            found.setdefault(event.key, []).append(_used(event, asked.get(event.key, []), transcript))
        elif event.tools:
            asked[event.key] = list(event.tools)
    return tuple(use for turn in transcript.all() for use in found.get(turn.key, []))


def _used(event: Called, asked: list[ToolCall], transcript: Transcript) -> Used:
    """A use; tools are used in the order in which the model asked for them."""
    turn = transcript.get(event.key)
    failed = not event.sources and _FAULT.match(event.text)
    return Used(
        key=event.key,
        mark=turn.mark,
        by=turn.by,
        tool=event.model.removeprefix(TOOL),
        arguments=asked.pop(0).arguments if asked else "",
        sources=event.sources,
        seconds=event.seconds,
        fault=event.text if failed else "",
    )
