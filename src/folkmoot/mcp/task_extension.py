"""The MCP extension Tasks: a debate is a task for clients that say, in that request, that they know tasks.

The task's id is the debate's, and its state is the record's. So nothing is kept here: any server of the same records
can answer, also after a restart. All other clients wait for the tool as before.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Protocol, TypeAlias, cast

import pydantic
from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.extension import Extension, MethodBinding
from mcp.server.mcpserver.server import require_client_extension
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    InputRequiredResult,
    RequestParams,
    TextContent,
)

from folkmoot.app.run.people import REASON, allowed_values, answer, end_wait, takes_reason
from folkmoot.app.run.record_reader import OpenQuestion
from folkmoot.app.serve.settle import settle
from folkmoot.core.ask import Field, Value
from folkmoot.core.errors import FolkmootError
from folkmoot.core.text import clean, clip, counted, hide
from folkmoot.mcp.clients import Client
from folkmoot.mcp.summaries import Standing, memo_of, plain, standing

TASKS = "io.modelcontextprotocol/tasks"
"""The name of the extension."""

TOOL = "run_debate"
"""The tool that may become a task."""

BEGINS = "start_debate"
"""The tool that begins a debate without waiting."""

INLINE = frozenset({"result", "inputRequests"})
"""What only a poll returns."""

GRACE = 1.5
"""Seconds that the answers in progress have when a task is cancelled; then they are cancelled too."""

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

Context: TypeAlias = ServerRequestContext[Any, Any]


class ToolCaller(Protocol):
    """What the extension needs of the server."""

    async def call(self, context: Context, params: CallToolRequestParams) -> CallToolResult | InputRequiredResult:
        """Call a tool as a client does."""
        ...

    def client_of(self, request: object) -> Client:
        """The client that sends a request."""
        ...

    def arguments_of(self, name: str) -> Sequence[str] | None:
        """The names of a tool's arguments."""
        ...


class TaskParams(RequestParams):
    """Which task is meant."""

    task_id: str = pydantic.Field(alias="taskId", max_length=200)


class Response(RequestParams):
    """What a person says to a question: accept with fields, decline, or cancel."""

    action: str
    content: dict[str, Any] | None = None


class UpdateParams(TaskParams):
    """Answers to questions of a task."""

    input_responses: dict[str, Response] = pydantic.Field(alias="inputResponses")


def declares(context: Context) -> bool:
    """Whether the client says in this request that it knows tasks."""
    capabilities = context.session.client_capabilities
    return bool(capabilities and capabilities.extensions and TASKS in capabilities.extensions)


def can_ask(context: Context) -> bool:
    """Whether the client says in this request that it can put questions to people."""
    capabilities = context.session.client_capabilities
    return bool(capabilities and capabilities.elicitation)


class Tasks(Extension):
    """The extension.

    Args:
        server: begins debates, and knows which client calls.
    """

    identifier = TASKS

    def __init__(self, server: ToolCaller) -> None:
        self._server = server

    def methods(self) -> Sequence[MethodBinding]:
        """The methods of tasks."""
        return (
            MethodBinding("tasks/get", TaskParams, self._get),
            MethodBinding("tasks/update", UpdateParams, self._update),
            MethodBinding("tasks/cancel", TaskParams, self._cancel),
        )

    async def intercept_tool_call(
        self, params: CallToolRequestParams, ctx: Context, call_next: CallNext
    ) -> HandlerResult:
        """Begin a debate and return its task, where the client knows tasks."""
        if params.name != TOOL or not declares(ctx):
            return await call_next(ctx)
        if set(params.arguments or {}) - set(self._server.arguments_of(TOOL) or ()):
            return await call_next(ctx)  # which refuses them by the name of the tool that was called
        begun = await self._server.call(ctx, params.model_copy(update={"name": BEGINS}))
        if not isinstance(begun, CallToolResult) or begun.is_error or not begun.structured_content:
            return begun
        client, debate = self._server.client_of(ctx.request), str(begun.structured_content["id"])
        task = await _task_of(client, debate, asks=can_ask(ctx))
        # A task that is over at once still begins as one; the first poll has its result.
        return {"resultType": "task", **{key: task[key] for key in task if key not in INLINE}, "status": "working"}

    async def _get(self, ctx: Context, params: TaskParams) -> HandlerResult:
        client = await self._task_client(ctx, params.task_id)
        return {"resultType": "complete", **await _task_of(client, params.task_id, asks=can_ask(ctx))}

    async def _update(self, ctx: Context, params: UpdateParams) -> HandlerResult:
        client, debate = await self._task_client(ctx, params.task_id, own=True), params.task_id
        for question in (await standing(client, debate)).waits:
            response = params.input_responses.get(question.turn.key)
            if response is None or response.action != "accept":
                continue  # whoever declines is still waited for; nobody answers in their place
            words, fields = _read_content(question, response.content or {})
            try:
                await answer(
                    client.workspace, debate, words, who=question.turn.by, key=question.turn.key, fields=fields
                )
            except FolkmootError as error:
                raise _as_mcp_error(error) from error
        await client.admission.resume_answered(debate)
        return {"resultType": "complete"}

    async def _cancel(self, ctx: Context, params: TaskParams) -> HandlerResult:
        client, debate = await self._task_client(ctx, params.task_id, own=True), params.task_id
        await client.runner.pause(debate)
        if (await client.runner.running_state(debate)).by:
            await settle(client.runner, debate, GRACE, _ignore_progress)
        if (await client.runner.running_state(debate)).by:
            await client.runner.pause(debate, now=True)
            with suppress(TimeoutError, FolkmootError):
                async with asyncio.timeout(GRACE):
                    await client.runner.wait(debate)
        now = await standing(client, debate)
        if now.status == "waiting" and not now.runs and now.reason != CANCELLED:  # nothing runs that could record it
            await end_wait(client.workspace, debate, CANCELLED)
        return {"resultType": "complete"}

    async def _task_client(self, ctx: Context, debate: str, *, own: bool = False) -> Client:
        """The client, where it knows tasks and the debate exists for it.

        Raises:
            MCPError: it does not know tasks, or there is no such task for it.
        """
        require_client_extension(ctx, TASKS)
        client = self._server.client_of(ctx.request)
        try:
            await (client.check_own(debate) if own else client.check_seen(debate))
        except FolkmootError as error:
            raise _as_mcp_error(error) from error
        return client


async def _ignore_progress(done: float, total: float | None, activity: str) -> None:
    pass


def _as_mcp_error(error: FolkmootError) -> MCPError:
    return MCPError(code=INVALID_PARAMS, message=" ".join(hide(clean(str(error))).split()))


async def _task_of(client: Client, debate: str, *, asks: bool) -> dict[str, Any]:
    """The task that a debate is.

    Args:
        client: the client; the caller must have checked that it may see the debate.
        debate: its id, which is the task's.
        asks: whether the client can put questions to people.
    """
    now = await standing(client, debate)
    task = _head(client, debate, now)
    match now.status:  # each key of an inputRequest is used once in a debate, because an ask's is
        case "running" | "casting":
            return task | {"status": "working"}
        case "waiting" if now.reason == CANCELLED:
            return task | {"status": "cancelled"}
        case "waiting" if asks:
            return task | {
                "status": "input_required",
                "inputRequests": {wait.turn.key: _elicitation(wait) for wait in now.waits},
            }
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


def _read_content(question: OpenQuestion, content: Mapping[str, Any]) -> tuple[str, dict[str, Value] | None]:
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
