"""Tasks over HTTP: a debate is a task of the token that began it, and no other token's."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp import Client as Caller
from mcp import MCPError
from mcp.client.streamable_http import streamable_http_client

from tests.council.agents import own_place
from tests.mcp.mcp_kit import ANN, BEN, result
from tests.mcp.test_mcp_http import browser, served
from tests.mcp.test_mcp_tasks import ORDER, TaskClient, cancel, get

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")


@asynccontextmanager
async def knowing_tasks(address: str, token: str) -> AsyncGenerator[tuple[Caller, TaskClient]]:
    """A client with a token that declares the extension, and what it saw."""
    tasks = TaskClient()
    async with (
        browser(token) as client,
        Caller(streamable_http_client(address, http_client=client), extensions=(tasks,)) as caller,
    ):
        yield caller, tasks


async def test_a_task_over_http_is_unknown_to_another_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)
    async with (
        served(tmp_path) as address,
        knowing_tasks(address, ANN) as (ann, tasks),
        knowing_tasks(address, BEN) as (ben, _),
    ):
        assert ann.protocol_version == "2026-07-28"
        memo = result(await ann.call_tool("run_debate", ORDER))
        debate = str(memo["id"])
        assert (memo["status"], tasks.polls[-1]["taskId"]) == ("decided", debate)
        assert (await get(ann.session, debate))["status"] == "completed"
        for ask in (get, cancel):
            with pytest.raises(MCPError) as error:
                await ask(ben.session, debate)
            assert (error.value.code, "you have no debate" in str(error.value)) == (-32602, True)
