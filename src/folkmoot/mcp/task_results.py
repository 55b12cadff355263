"""Debates as tasks of the MCP extension Tasks: what a poll is told, and a person's question as an elicitation."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast

from mcp_types import CallToolResult, TextContent

from folkmoot.app.run.people import REASON, allowed_values, takes_reason
from folkmoot.app.run.record_reader import OpenQuestion
from folkmoot.core.ask import Field, Value
from folkmoot.core.text import clip, counted
from folkmoot.mcp.clients import Client
from folkmoot.mcp.summaries import Standing, memo_of, plain, standing

CANCELLED = "cancelled by its client"
"""The reason on record why a debate that waited for people was paused."""

POLL_MS = 2000
"""How often a client should ask, in milliseconds."""

WORDS = "words"
"""The one field of a question that is answered in words."""

MOST_MESSAGE = 4000
"""The most characters of a question that is put to a person."""

TYPES: Mapping[str, str] = {"number": "number", "flag": "boolean"}
"""The types of fields of an elicitation; all others are text."""


async def task_of(client: Client, debate: str, *, asks: bool) -> dict[str, Any]:
    """The task that a debate is.

    Args:
        client: the client; the caller must have checked that it may see the debate.
        debate: its id, which is the task's.
        asks: whether the client can put questions to people.
    """
    now = await standing(client, debate)
    task = _head(client, debate, now)
    match now.status:
        case "running" | "casting":
            return task | {"status": "working"}
        case "waiting" if now.reason == CANCELLED:
            return task | {"status": "cancelled"}
        case "waiting" if asks:
            return task | {"status": "input_required", "inputRequests": _requests(now)}
        case "paused" if now.outcome.kind == "stopped":
            return task | {"status": "cancelled"}
        case _:
            return task | {
                "status": "completed",
                "result": await _result(client, debate, failed=now.status == "failed"),
            }


def _head(client: Client, debate: str, now: Standing) -> dict[str, Any]:
    """What every task has."""
    times = [entry.at for entry in now.entries] or [client.workspace.clock()]
    sums = now.outcome.sums
    done = f"{sums.done} of {counted(sums.asked, 'question')} answered" if sums.asked else ""
    return {
        "taskId": debate,
        "createdAt": _iso_time(times[0]),
        "lastUpdatedAt": _iso_time(times[-1]),
        "ttlMs": None,
        "pollIntervalMs": POLL_MS,
        "statusMessage": "; ".join(filter(None, (now.status, done, now.reason))),
    }


def _iso_time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


async def _result(client: Client, debate: str, *, failed: bool) -> dict[str, Any]:
    """The result of the tool, as it would have been without a task."""
    memo = await memo_of(client, debate)
    data = memo.model_dump(mode="json")
    result = CallToolResult(
        content=[TextContent(type="text", text=memo.model_dump_json(indent=2))],
        structured_content=data,
        is_error=failed,
    )
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)


# ---- people --------------------------------------------------------------------------------------------------------


def _requests(now: Standing) -> dict[str, Any]:
    """The questions that people have not answered; the key of each ask is used once in a debate."""
    return {question.turn.key: _elicitation(question) for question in now.waits}


def _elicitation(question: OpenQuestion) -> dict[str, Any]:
    ask = question.turn.ask
    assert ask is not None
    fields = ask.form.fields if ask.form else ()
    properties = {field.name: _property(field) for field in fields} or {WORDS: {"type": "string"}}
    if fields and takes_reason(ask.form):
        properties[WORDS] = {"type": "string", "title": "Why", "description": REASON}
    required = [field.name for field in fields if field.required] if fields else [WORDS]
    schema = {"type": "object", "properties": properties, "required": required}
    message = plain(f"{question.turn.by}, {clip(ask.task, MOST_MESSAGE)}")
    return {
        "method": "elicitation/create",
        "params": {"mode": "form", "message": message, "requestedSchema": schema},
    }


def _property(field: Field) -> dict[str, Any]:
    """A field of a form as a flat value; a list is a text with an item on each line."""
    described = {"title": field.name, "description": allowed_values(field)}
    if field.kind == "choice":
        return {"type": "string", "enum": [*field.choices, *(["abstain"] if field.abstain else [])], **described}
    if field.kind == "list":
        described["description"] = f"one on each line; {described['description']}"
    return {"type": TYPES.get(field.kind, "string"), **described}


def read_content(question: OpenQuestion, content: Mapping[str, Any]) -> tuple[str, dict[str, Value] | None]:
    """The words and the fields of a person's answer to an elicitation."""
    ask = question.turn.ask
    assert ask is not None
    if ask.form is None or not ask.form.fields:
        return str(content.get(WORDS, "")), None
    lists = {field.name for field in ask.form.fields if field.kind == "list"}
    values = {name: value for name, value in content.items() if value is not None}
    words = str(values.pop(WORDS, "")) if takes_reason(ask.form) else ""
    return words, {name: _lines(value) if name in lists else cast(Value, value) for name, value in values.items()}


def _lines(value: object) -> tuple[str, ...]:
    lines = cast("list[object]", value) if isinstance(value, list) else str(value).split("\n")
    return tuple(str(line) for line in lines if str(line).strip())
