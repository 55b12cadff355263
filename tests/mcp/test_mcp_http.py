"""``folkmoot mcp --http`` on a real socket: who is let in, who sees what, what each token may spend."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client as Caller
from mcp.client.streamable_http import streamable_http_client

from folkmoot.app.plan.settings import Config
from folkmoot.app.plan.settings_tables import Serving
from folkmoot.app.serve.server_parts import hosts_of, listen
from folkmoot.core.errors import BriefError
from folkmoot.mcp import mcp_host
from tests.council.agents import own_place
from tests.mcp.mcp_kit import ANN, BEN, BUILTIN, QUOTES, SERVING, TABLE, refusal, result

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    own_place(tmp_path, monkeypatch)
    return tmp_path


@asynccontextmanager
async def served(folder: Path, serving: Serving = SERVING, address: str = "127.0.0.1") -> AsyncGenerator[str]:
    """The server in this process; its address."""
    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    wanted = mcp_host.HostSettings(store=folder / "folkmoot.sqlite", host=address, ready=ready.set_result)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(mcp_host.serve_http(wanted, replace(Config(), serve=serving)))
        try:
            yield await ready
        finally:
            os.kill(os.getpid(), signal.SIGTERM)
            await task


def browser(token: str = ANN, **headers: str) -> httpx2.AsyncClient:
    values = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream", **headers}
    return httpx2.AsyncClient(headers={name: value for name, value in values.items() if value}, timeout=120)


@asynccontextmanager
async def caller(address: str, token: str = ANN, mode: str = "auto") -> AsyncGenerator[Caller]:
    """The SDK's client with a token."""
    async with (
        browser(token) as client,
        Caller(streamable_http_client(address, http_client=client), mode=mode) as mcp_client,
    ):
        yield mcp_client


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_whole_debate_over_http(folder: Path, mode: str) -> None:
    numbers: list[float] = []

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        numbers.append(progress)

    async with served(folder) as address, caller(address, mode=mode) as ann, caller(address, BEN, mode) as ben:
        arguments = {"question": QUOTES, "models": list(BUILTIN)}
        memo = result(await ann.call_tool("run_debate", arguments, progress_callback=progress))
        assert memo["status"] == "decided"
        assert numbers[-1] == 9
        debate_id = {"id": memo["id"]}
        assert result(await ann.call_tool("get_decision", debate_id)) == memo
        assert "you have no debate" in refusal(await ben.call_tool("get_decision", debate_id))
        assert result(await ben.call_tool("list_debates", {}))["debates"] == []
        (report,) = (await ann.read_resource(str(memo["report"]))).contents
        assert "Tea or coffee?" in str(report)


LIST: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 403),
        ({"Host": "127.0.0.1"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1.evil.example"}, 403),
        ({"Origin": "http://["}, 403),
        ({"Origin": "SAME/"}, 403),
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer x"}, 401),
        ({"Authorization": "Bearer " + "c" * 43}, 401),
        ({"Authorization": f"Basic {ANN}"}, 401),
        ({"Authorization": f"Bearer {SERVING.tokens['ann']}"}, 401),
        ({"Origin": "SAME"}, 200),
    ],
)
async def test_nobody_else_is_let_in(folder: Path, headers: dict[str, str], status: int) -> None:
    async with served(folder) as address:
        values = {name: value.replace("SAME", address.removesuffix("/mcp")) for name, value in headers.items()}
        async with browser(**values) as client:
            hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
            body = {**LIST, "method": "initialize", "params": hello}
            for method in ("GET", "DELETE", "POST"):
                answer = await client.request(method, address, json=body)
                wanted = 400 if status == 200 and method != "POST" else status  # there is no session yet
                assert answer.status_code == wanted, answer.text
                if status != 200:
                    assert set(answer.json()) == {"error"}
                    assert ANN not in answer.text
            elsewhere = await client.get(address.replace("/mcp", "/other"))
            assert elsewhere.status_code == (404 if status == 200 else status)


async def test_a_session_is_good_for_its_token_alone(folder: Path) -> None:
    async with served(folder) as address, browser() as ann, browser(BEN) as ben:
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        opened = await ann.post(address, json={**LIST, "method": "initialize", "params": hello})
        session = {"Mcp-Session-Id": opened.headers["mcp-session-id"], "Mcp-Protocol-Version": "2025-06-18"}
        assert (await ben.post(address, json=LIST, headers=session)).status_code == 404
        assert (await ann.post(address, json=LIST, headers=session)).status_code == 200
        large = {**LIST, "params": {"cursor": "x" * mcp_host.MOST_REQUEST}}
        assert (await ann.post(address, json=large, headers=session)).status_code == 413


async def test_no_token_takes_the_sessions_of_another(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("folkmoot.mcp.http_guard.MOST", 2)
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    first = {**LIST, "method": "initialize", "params": hello}
    async with served(folder) as address, browser() as ann, browser(BEN) as ben:
        opened = [await ann.post(address, json=first) for _ in range(3)]
        assert [response.status_code for response in opened] == [200, 200, 503]
        assert "this token has 2 open sessions, the maximum" in opened[2].json()["error"]
        assert (await ben.post(address, json=first)).status_code == 200
        session = {"Mcp-Session-Id": opened[0].headers["mcp-session-id"], "Mcp-Protocol-Version": "2025-06-18"}
        assert (await ann.post(address, json=LIST, headers=session)).status_code == 200
        assert (await ann.delete(address, headers=session)).status_code == 200
        assert (await ann.post(address, json=LIST, headers=session)).status_code == 404
        assert (await ann.post(address, json=first)).status_code == 200


async def test_each_token_has_an_allowance_a_day(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    serving = replace(SERVING, daily=1.0, cost=0.8)
    async with served(folder, serving) as address, caller(address) as ann, caller(address, BEN) as ben:
        debate = {"question": TABLE, "models": ["openai:gpt-4o"]}
        over = {**debate, "max_cost": 0.9}
        assert "the owner of this machine allows at most 0.8" in refusal(await ann.call_tool("start_debate", over))
        result(await ann.call_tool("start_debate", {**debate, "max_cost": 0.7}))
        text = refusal(await ann.call_tool("start_debate", {**debate, "max_cost": 0.7}))
        assert "of today's $1.00 are used or reserved; this needs up to $0.70" in text
        result(await ben.call_tool("start_debate", {**debate, "max_cost": 0.7}))


async def test_who_asks_too_often_waits(folder: Path) -> None:
    serving = replace(SERVING, requests=3)
    async with served(folder, serving) as address, browser() as ann, browser(BEN) as ben, browser("x") as nobody:
        for client, status in ((ann, 400), (nobody, 401)):
            answers = [await client.get(address) for _ in range(4)]
            assert [answer.status_code for answer in answers] == [status] * 3 + [429]
            assert answers[-1].json() == {"error": "too many requests; try again later"}
            assert int(answers[-1].headers["retry-after"]) > 0
        assert (await ben.get(address)).status_code == 400, "each token has its own bucket"


async def test_a_websocket_is_refused(folder: Path) -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> dict[str, str]:
        return {"type": "websocket.connect"}

    from tests.mcp.mcp_kit import runner_in

    async with runner_in(folder) as runner:
        app = mcp_host.make_app(runner, SERVING, frozenset({"x"}))
        await app({"type": "websocket", "headers": []}, receive, send)
    assert [item["type"] for item in sent] == ["websocket.close"]


ADDRESSES: Sequence[tuple[str, Serving, str]] = [
    ("127.0.0.1", Serving(), "every client needs a token"),
    ("::1", Serving(), "every client needs a token"),
    ("0.0.0.0", Serving(), "can be reached from other machines; set a token"),
    ("example.org", Serving(), "can be reached from other machines; set a token"),
    ("0.0.0.0", SERVING, "means every address"),
    ("no-such-host.invalid", SERVING, "cannot listen at"),
]


@pytest.mark.parametrize(("address", "serving", "message"), ADDRESSES)
async def test_addresses_that_cannot_be(folder: Path, address: str, serving: Serving, message: str) -> None:
    wanted = mcp_host.HostSettings(store=folder / "folkmoot.sqlite", host=address)
    with pytest.raises(BriefError, match=message):
        await mcp_host.serve_http(wanted, replace(Config(), serve=serving))


async def test_all_addresses_under_a_known_name(folder: Path) -> None:
    serving = replace(SERVING, hosts=("Folkmoot.example.org",))
    async with served(folder, serving, "0.0.0.0") as address:
        here = address.replace("0.0.0.0", "127.0.0.1")
        async with browser(Host="folkmoot.example.org") as client:
            assert (await client.get(here)).status_code != 403
        async with caller(here) as ann:
            assert (await ann.list_tools()).tools


def test_names_of_this_machine() -> None:
    assert "[::1]:80" in hosts_of("localhost", 80, Serving())
    assert hosts_of("folkmoot.example.org", 80, SERVING) >= {"folkmoot.example.org:80", "localhost:80"}
    with listen("127.0.0.1", 0) as occupied:
        occupied.listen()
        with pytest.raises(BriefError, match="try --port 0"):
            listen("127.0.0.1", occupied.getsockname()[1])
