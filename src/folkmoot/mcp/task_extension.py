"""The MCP extension Tasks: a debate is a task for clients that say, in that request, that they know tasks.

The task's id is the debate's, and its state is the record's. So nothing is kept here: any server of the same records
can answer, also after a restart. All other clients wait for the tool as before.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Protocol, TypeAlias

from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.extension import Extension, MethodBinding
from mcp.server.mcpserver.server import require_client_extension
from mcp_types import INVALID_PARAMS, CallToolRequestParams, CallToolResult, InputRequiredResult, RequestParams
from pydantic import Field

from folkmoot.app.run.people import answer, end_wait
from folkmoot.app.serve.settle import settle
from folkmoot.core.errors import FolkmootError
from folkmoot.core.text import clean, hide
from folkmoot.mcp.clients import Client
from folkmoot.mcp.summaries import standing
from folkmoot.mcp.task_results import CANCELLED, read_content, task_of

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

    task_id: str = Field(alias="taskId", max_length=200)


class Response(RequestParams):
    """What a person says to a question: accept with fields, decline, or cancel."""

    action: str
    content: dict[str, Any] | None = None


class UpdateParams(TaskParams):
    """Answers to questions of a task."""

    input_responses: dict[str, Response] = Field(alias="inputResponses")


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
        task = await task_of(client, debate, asks=can_ask(ctx))
        # A task that is over at once still begins as one; the first poll has its result.
        return {"resultType": "task", **{key: task[key] for key in task if key not in INLINE}, "status": "working"}

    async def _get(self, ctx: Context, params: TaskParams) -> HandlerResult:
        client = await self._task_client(ctx, params.task_id)
        return {"resultType": "complete", **await task_of(client, params.task_id, asks=can_ask(ctx))}

    async def _update(self, ctx: Context, params: UpdateParams) -> HandlerResult:
        client, debate = await self._task_client(ctx, params.task_id, own=True), params.task_id
        for question in (await standing(client, debate)).waits:
            response = params.input_responses.get(question.turn.key)
            if response is None or response.action != "accept":
                continue  # whoever declines is still waited for; nobody answers in their place
            words, fields = read_content(question, response.content or {})
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
