"""``folkmoot mcp`` over standard input and output: the real process with the SDK's client, and how it ends."""

import asyncio
import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp import Client as Caller
from mcp import StdioServerParameters, stdio_client

from folkmoot.app.plan.settings import Config
from folkmoot.mcp import mcp_host
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Call, Wires
from tests.cli.commands import folkmoot, served, settle, speak
from tests.kits.processes import run_module
from tests.mcp.mcp_kit import BUILTIN, QUOTES, TABLE, refusal, result

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals and pipes"),
]


def environment(folder: Path, **more: str) -> dict[str, str]:
    return {**settle(folder), **more}


def command(*words: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "folkmoot", "mcp", *words)


@asynccontextmanager
async def agent(folder: Path, *words: str, **more: str) -> AsyncGenerator[Caller]:
    """The SDK's client of a real process."""
    program, *arguments = command(*words)
    wanted = StdioServerParameters(command=program, args=arguments, env=environment(folder, **more), cwd=folder)
    async with Caller(stdio_client(wanted)) as caller:
        yield caller


ARGUED = TABLE.replace("Bob", "Skeptic")
"""Of these two the scripted model has one disagree, so that a second round follows."""


def slow(call: Call) -> Plan:
    """A model that takes its time."""
    plan = speak(call)
    return Plan(text=plan.text, usage=plan.usage, pause=0.05, piece=4)


async def test_a_whole_debate_over_a_real_process(tmp_path: Path) -> None:
    numbers: list[float] = []

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        numbers.append(progress)

    async with agent(tmp_path) as caller:
        assert len((await caller.list_tools()).tools) == 16
        arguments = {"question": QUOTES, "models": list(BUILTIN)}
        memo = result(await caller.call_tool("run_debate", arguments, progress_callback=progress))
        assert memo["status"] == "decided"
        assert numbers[-1] == 9
        assert "you have no debate" in refusal(await caller.call_tool("get_debate", {"id": "nobody"}))
        (report,) = (await caller.read_resource(str(memo["report"]))).contents
        assert "Tea or coffee?" in str(report)
    assert str(memo["id"]) in (await asyncio.to_thread(folkmoot, tmp_path, "list")).output


async def test_two_names_do_not_see_each_other(tmp_path: Path) -> None:
    async with agent(tmp_path) as caller:
        memo = result(await caller.call_tool("run_debate", {"question": QUOTES, "models": list(BUILTIN)}))
    debate_id = {"id": memo["id"]}
    async with agent(tmp_path) as caller:
        assert result(await caller.call_tool("get_decision", debate_id)) == memo
    async with agent(tmp_path, "--client", "other") as caller:
        assert "you have no debate" in refusal(await caller.call_tool("get_decision", debate_id))
    async with agent(tmp_path, "--client", "other", "--all") as caller:
        assert result(await caller.call_tool("get_decision", debate_id))["over"]


async def test_the_limits_of_the_command_line(tmp_path: Path) -> None:
    with served(slow) as wires:
        async with agent(tmp_path, "--parallel", "1", "--max-cost", "0", OLLAMA_HOST=wires.url) as caller:
            arguments = {"question": TABLE, "models": ["ollama:tiny"]}
            result(await caller.call_tool("start_debate", arguments))
            assert "running debates is reached" in refusal(await caller.call_tool("start_debate", arguments))
        sent = len(wires.calls)
        async with agent(tmp_path, "--max-cost", "0.001", OPENAI_API_KEY="x", OPENAI_BASE_URL=wires.url) as caller:
            arguments = {"question": TABLE, "models": ["openai:gpt-4o"]}
            assert "of this session's $0.00" in refusal(await caller.call_tool("run_debate", arguments))
            unknown = {"question": TABLE, "models": ["openai:no-such-model"]}
            assert "is unknown" in refusal(await caller.call_tool("run_debate", unknown))
        assert len(wires.calls) == sent


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, None])
async def test_a_debate_outlives_its_client(tmp_path: Path, how: signal.Signals | None) -> None:
    with served(slow) as wires:
        env = environment(tmp_path, OLLAMA_HOST=wires.url)
        process = await start(tmp_path, env)
        tell(process, 1, "initialize", **HELLO)
        await answer_to(process, 1)
        tell(process, 2, "tools/call", name="start_debate", arguments={"question": ARGUED, "models": ["ollama:tiny"]})
        begun = await answer_to(process, 2)
        debate = begun["result"]["structuredContent"]["id"]
        await asyncio.to_thread(wait_for_calls, wires)
        if how:
            process.send_signal(how)
        else:
            assert process.stdin
            process.stdin.close()
        async with asyncio.timeout(120):
            code = await process.wait()
        assert code == (-signal.SIGKILL if how is signal.SIGKILL else 0)
        listed = (await asyncio.to_thread(folkmoot, tmp_path, "list")).output
        assert debate[:20] in listed
        assert ("paused" in listed) is (how is not signal.SIGKILL)
        again = ("folkmoot", "resume", debate, "--quiet", "--no-report")
        assert (await asyncio.to_thread(run_module, again, tmp_path, env)).code == 0
    assert "decided" in (await asyncio.to_thread(folkmoot, tmp_path, "list")).output


def wait_for_calls(wires: Wires) -> None:
    ends = time.monotonic() + 120
    while not wires.calls:
        assert time.monotonic() < ends
        time.sleep(0.01)


HELLO: dict[str, object] = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


async def start(folder: Path, env: dict[str, str]) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(*command(), stdin=pipe, stdout=pipe, stderr=pipe, env=env, cwd=folder)


def tell(process: asyncio.subprocess.Process, number: int, method: str, **params: object) -> None:
    assert process.stdin
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    process.stdin.write(json.dumps(message).encode() + b"\n")


async def answer_to(process: asyncio.subprocess.Process, number: int) -> dict[str, dict[str, dict[str, str]]]:
    assert process.stdout
    while line := await process.stdout.readline():
        message = json.loads(line)
        if message.get("id") == number:
            return message
    raise AssertionError("the server has ended")


def test_nothing_but_the_protocol_is_on_standard_output(tmp_path: Path) -> None:
    messages: list[dict[str, object]] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "run_debate", "arguments": {}}},
        {"jsonrpc": "2.0", "id": 3, "method": "no/such/method"},
    ]
    text = "".join(f"{json.dumps(message)}\n" for message in messages) + "no json at all\n"
    real = [sys.executable, "-m", "folkmoot", "mcp"]
    ran = subprocess.run(
        real, input=text, capture_output=True, text=True, env=environment(tmp_path), cwd=tmp_path, timeout=120
    )
    assert ran.returncode == 0
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    assert all(line["jsonrpc"] == "2.0" for line in lines)
    assert 1 in [line.get("id") for line in lines]
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--client", "a b"), "a name must have 1 to 32 letters, digits, - and _"),
        (("--max-cost", "-1"), "--max-cost"),
        (("--http", "--port", "0"), "every client needs a token"),
        (("--http", "--host", "0.0.0.0"), "set a token in [serve.tokens]"),
    ],
)
def test_mistakes_of_the_command_line(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    ran = folkmoot(tmp_path, "mcp", *words)
    assert ran.exit_code == 2
    assert message in " ".join(ran.output.split())


def test_a_log_says_neither_words_nor_keys() -> None:
    error = KeyError("the words of somebody")
    kinds = (KeyError, error, None)
    record = logging.LogRecord("mcp", logging.ERROR, "", 1, "slip\x1b[31m sk-1234567890abcdefghijkl", (), kinds)
    line = mcp_host.Line("folkmoot: %(message)s").format(record)
    assert line.startswith("folkmoot: slip")
    assert line.endswith("(KeyError)"), "it was never raised, so there are no places"
    try:
        raise error
    except KeyError:
        assert f"(KeyError < {__name__}:" in mcp_host.Line().formatException(sys.exc_info())
    assert not any(text in line for text in ("words", "sk-1234", "\x1b", "\n"))


@pytest.mark.parametrize("words", [(), ("--http",)])
def test_without_the_sdk(tmp_path: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    ran = folkmoot(tmp_path, "mcp", *words)
    assert (ran.exit_code, len(ran.output.splitlines())) == (2, 1)
    assert '"mcp<' in ran.output


@asynccontextmanager
async def within(folder: Path, patch: pytest.MonkeyPatch) -> AsyncGenerator[tuple[int, int, asyncio.Task[None]]]:
    """The server in this process, with pipes for its standard streams: where to write, where to read."""
    (theirs, mine), (heard_, count) = os.pipe(), os.pipe()
    with os.fdopen(theirs) as stdin, os.fdopen(count, "w") as stdout:
        patch.setattr(sys, "stdin", stdin)
        patch.setattr(sys, "stdout", stdout)
        wanted = mcp_host.HostSettings(store=folder / "folkmoot.sqlite", max_cost=1.0)
        async with asyncio.TaskGroup() as group:
            yield mine, heard_, group.create_task(mcp_host.serve_stdio(wanted, Config()))
    os.close(heard_)


def written(number: int, method: str, **params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"


@pytest.mark.parametrize("end", ["input", "signal", "long line"])
async def test_a_session_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    monkeypatch.setattr("folkmoot.mcp.mcp_host.MOST_REQUEST", 10_000)
    for name, value in settle(tmp_path).items():
        monkeypatch.setenv(name, value)
    async with within(tmp_path, monkeypatch) as (mine, theirs, task):
        os.write(mine, written(1, "initialize", **HELLO))
        with os.fdopen(os.dup(theirs)) as answers:
            assert json.loads(await asyncio.to_thread(answers.readline))["result"]["serverInfo"]["name"] == "folkmoot"
            if end == "signal":
                os.kill(os.getpid(), signal.SIGTERM)
                os.kill(os.getpid(), signal.SIGINT)
            elif end == "long line":
                os.write(mine, b"x" * 30_000 + b"\n")
            else:
                os.close(mine)
            async with asyncio.timeout(120):
                await task
        if end != "input":
            os.close(mine)


async def test_a_line_without_an_end_is_told_in_one_sentence(tmp_path: Path) -> None:
    process = await start(tmp_path, environment(tmp_path))
    tell(process, 1, "initialize", **HELLO)
    await answer_to(process, 1)
    assert process.stdin
    assert process.stderr
    process.stdin.write(b"x" * 22_000_000 + b"\n")
    process.stdin.close()
    async with asyncio.timeout(120):
        stderr = await process.stderr.read()
        assert await process.wait() == 0
    assert stderr.decode().splitlines() == ["folkmoot: a message is longer than the maximum of 20,971,520 bytes"]
