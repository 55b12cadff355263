"""Debates as MCP tasks, with the official client: for clients that declare it, in each request, and for no others."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from mcp import Client as Caller
from mcp import ClientSession, MCPError
from mcp.client.context import ClientRequestContext
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim, advertise
from mcp_types import CallToolResult, ElicitRequestParams, ElicitResult, Request, RequestParams, Result
from pydantic import ConfigDict, Field

from folkmoot.app.serve.admission import Admission
from folkmoot.app.serve.spending import Spending
from folkmoot.mcp.clients import Client
from folkmoot.mcp.task_extension import TASKS
from tests.council.agents import own_place
from tests.mcp.mcp_kit import BUILTIN, PEOPLE, QUOTES, SERVING, TABLE, Slow, result, runner_in, server_of


class TaskParams(RequestParams):
    task_id: str = Field(alias="taskId")


class UpdateParams(TaskParams):
    input_responses: dict[str, Any] = Field(alias="inputResponses")


class GetTask(Request[TaskParams, Literal["tasks/get"]]):
    method: Literal["tasks/get"] = "tasks/get"
    name_param = "taskId"


class CancelTask(Request[TaskParams, Literal["tasks/cancel"]]):
    method: Literal["tasks/cancel"] = "tasks/cancel"
    name_param = "taskId"


class UpdateTask(Request[UpdateParams, Literal["tasks/update"]]):
    method: Literal["tasks/update"] = "tasks/update"
    name_param = "taskId"


class Created(Result):
    model_config = ConfigDict(extra="allow")
    result_type: Literal["task"] = Field(default="task", alias="resultType")
    task_id: str = Field(alias="taskId")
    status: str


class TaskClient(ClientExtension):
    """A client of tasks: polls until the task is over, and hands over what it was told."""

    identifier = TASKS

    def __init__(self) -> None:
        self.polls: list[dict[str, Any]] = []
        self.answers = False
        self.started: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def claims(self) -> Sequence[ResultClaim[Any]]:
        return [ResultClaim(result_type="task", model=Created, resolve=self.resolve)]

    async def resolve(self, created: Created, context: ClaimContext) -> CallToolResult:
        if not self.started.done():
            self.started.set_result(created.task_id)
        while True:
            task = await get(context.session, created.task_id)
            self.polls.append(task)
            if task["status"] == "completed":
                return CallToolResult.model_validate(task["result"])
            if task["status"] == "cancelled":
                return CallToolResult(content=[], structured_content={"status": "cancelled"})
            if task["status"] == "input_required" and self.answers:
                answers = {key: filled_in(request) for key, request in task["inputRequests"].items()}
                params = UpdateParams(taskId=created.task_id, inputResponses=answers)
                await send(context.session, UpdateTask(params=params))
            await asyncio.sleep(0)


def filled_in(request: dict[str, Any]) -> dict[str, Any]:
    """What a person answers to an elicitation: something for each field."""
    fields: dict[str, dict[str, Any]] = request["params"]["requestedSchema"]["properties"]
    some = {"number": 0.5, "boolean": True, "string": "Tea"}
    content = {name: field.get("enum", [some[field["type"]]])[0] for name, field in fields.items()}
    if fields.get("words", {}).get("title") == "Why":
        content["words"] = "It is calm."
    return {"action": "accept", "content": content}


class Answer(Result):
    """What is answered, whatever it is."""

    model_config = ConfigDict(extra="allow")


async def send(session: ClientSession, request: Request[Any, Any]) -> dict[str, Any]:
    """The answer to a request, as plain data."""
    answer = await session.send_request(request, Answer)
    return answer.model_dump(mode="json", by_alias=True)


async def get(session: ClientSession, debate: str) -> dict[str, Any]:
    return await send(session, GetTask(params=TaskParams(taskId=debate)))


async def cancel(session: ClientSession, debate: str) -> dict[str, Any]:
    return await send(session, CancelTask(params=TaskParams(taskId=debate)))


async def until(session: ClientSession, debate: str, status: str) -> dict[str, Any]:
    """The task once it has that status."""
    while True:
        task = await get(session, debate)
        if task["status"] == status:
            return task


async def ignored(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
    return ElicitResult(action="cancel")


@asynccontextmanager
async def calling(
    folder: Path, *extensions: ClientExtension, slow: Slow | None = None, mode: str = "auto", **more: Any
) -> AsyncGenerator[Caller]:
    async with runner_in(folder, models={"slow": slow} if slow else None) as runner:
        admission = Admission(runner=runner, spending=Spending(runner, None), serving=SERVING, owner="agent@stdio")
        async with Caller(server_of(Client(admission=admission)), extensions=extensions, mode=mode, **more) as caller:
            yield caller


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    own_place(tmp_path, monkeypatch)
    return tmp_path


ORDER = {"question": QUOTES, "models": list(BUILTIN)}


async def test_a_debate_is_a_task_only_for_a_client_that_knows_tasks(folder: Path) -> None:
    client = TaskClient()
    async with calling(folder, client) as caller:
        assert caller.protocol_version == "2026-07-28"
        memo = result(await caller.call_tool("run_debate", ORDER))
        last = client.polls[-1]
        assert (memo["status"], last["taskId"], last["ttlMs"]) == ("decided", memo["id"], None)
        assert last["statusMessage"].startswith("decided; 9 of 9 questions answered")
        assert last["resultType"] == "complete"
        assert last["createdAt"] <= last["lastUpdatedAt"]
        assert "takes" in str((await caller.call_tool("run_debate", {"words": "x"})).content)
    for mode in ("auto", "legacy"):
        async with calling(folder, mode=mode) as caller:
            again = result(await caller.call_tool("run_debate", ORDER))
            assert {**again, "id": "", "report": ""} == {**memo, "id": "", "report": ""}
            with pytest.raises(MCPError) as error:
                await get(caller.session, str(again["id"]))
            assert error.value.code == -32021


async def test_a_task_is_cancelled_and_unknown_ones_are_refused(folder: Path) -> None:
    client, slow = TaskClient(), Slow()
    async with calling(folder, client, slow=slow) as caller, asyncio.TaskGroup() as group:
        call = group.create_task(caller.call_tool("run_debate", {"question": TABLE, "models": ["guest:slow"]}))
        debate = await client.started
        await slow.asked.wait()
        task = await get(caller.session, debate)
        assert task["status"] == "working"
        assert (await cancel(caller.session, debate))["resultType"] == "complete"
        assert (await call).structured_content == {"status": "cancelled"}
        for name in ("nothing-123abc", "../x", ""):
            with pytest.raises(MCPError) as error:
                await get(caller.session, name)
            assert (error.value.code, "you have no debate" in str(error.value)) == (-32602, True)


async def test_the_question_of_a_person_is_an_elicitation(folder: Path) -> None:
    client = TaskClient()
    client.answers = True
    async with calling(folder, client, elicitation_callback=ignored) as caller:
        memo = result(await caller.call_tool("run_debate", {**ORDER, "question": PEOPLE}))
        assert memo["over"], memo
        waiting = [task for task in client.polls if task["status"] == "input_required"]
        request = next(iter(waiting[0]["inputRequests"].values()))
        assert request["method"] == "elicitation/create"
        assert request["params"]["message"].startswith("Ada, ")
        assert request["params"]["requestedSchema"]["properties"].keys() >= {"ANSWER", "CONFIDENCE"}
        (report,) = (await caller.read_resource(memo["report"])).contents
        assert "It is calm." in str(report), "a ballot has room for a reason"
    async with calling(folder, TaskClient()) as caller:  # a client that can ask nobody is told who has to answer
        memo = result(await caller.call_tool("run_debate", {**ORDER, "question": PEOPLE}))
        assert (memo["status"], memo["waits_for"][0]["name"]) == ("waiting", "Ada")


async def test_whoever_declines_is_still_waited_for(folder: Path) -> None:
    client = TaskClient()
    async with calling(folder, client, elicitation_callback=ignored) as caller, asyncio.TaskGroup() as group:
        call = group.create_task(caller.call_tool("run_debate", {**ORDER, "question": PEOPLE}))
        debate = await client.started
        task = await until(caller.session, debate, "input_required")
        (key,) = task["inputRequests"]
        for response in ({"action": "decline"}, {"action": "accept", "content": None}):
            params = UpdateParams(taskId=debate, inputResponses={key: response, "nothing": response})
            if response["action"] == "decline":
                await send(caller.session, UpdateTask(params=params))
            else:
                with pytest.raises(MCPError) as error:
                    await send(caller.session, UpdateTask(params=params))
                assert error.value.code == -32602
        assert list((await get(caller.session, debate))["inputRequests"]) == [key]
        call.cancel()


async def test_a_task_that_waits_for_a_person_is_cancelled_and_stays_so(folder: Path) -> None:
    client = TaskClient()
    async with calling(folder, client, elicitation_callback=ignored) as caller, asyncio.TaskGroup() as group:
        call = group.create_task(caller.call_tool("run_debate", {**ORDER, "question": PEOPLE}))
        debate = await client.started
        task = await until(caller.session, debate, "input_required")
        (key,) = task["inputRequests"]
        for _ in range(2):  # to cancel twice changes nothing
            assert (await cancel(caller.session, debate))["resultType"] == "complete"
            assert (await get(caller.session, debate))["statusMessage"].endswith("; cancelled by its client")
        assert (await call).structured_content == {"status": "cancelled"}
        accepted = {"action": "accept", "content": {"ANSWER": "B", "ARGUMENT": "It is warm."}}
        await send(caller.session, UpdateTask(params=UpdateParams(taskId=debate, inputResponses={key: accepted})))
        assert (await get(caller.session, debate))["status"] == "cancelled"


async def test_a_debate_that_cannot_begin_is_no_task(folder: Path) -> None:
    async with calling(folder, advertise(TASKS)) as caller:
        answered = await caller.call_tool("run_debate", {"question": "# Tea?\n", "protocol": "nothing"})
        assert answered.is_error


@pytest.mark.parametrize("wrong", ["budget", "key"])  # start_debate has a key, run_debate has none
async def test_a_wrong_argument_is_told_of_the_tool_that_was_called(folder: Path, wrong: str) -> None:
    sentences: list[str] = []
    for extensions in ([advertise(TASKS)], []):
        async with calling(folder, *extensions) as caller:
            answered = await caller.call_tool("run_debate", {"question": "# Tea?\n", wrong: "1"})
            assert answered.is_error
            sentences.append(answered.content[0].text)  # type: ignore[union-attr]
    assert sentences[0] == sentences[1]
    assert f"run_debate has no argument '{wrong}'; it takes question, models, protocol" in sentences[0]
