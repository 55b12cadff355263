"""Tools of MCP servers: real servers over stdio and HTTP, what they give, and what happens when they change or die."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.agents.llm import ModelAgent
from folkmoot.agents.toolkit import ToolResult, ToolUse
from folkmoot.core.errors import BriefError, ToolError
from folkmoot.testing.conformance import Journal
from folkmoot.testing.scripted import ScriptedModel
from folkmoot.tools import mcp_client
from folkmoot.tools.mcp_client import ServerConnection, ToolOffer, attach, fingerprint
from folkmoot.tools.mcp_servers import Server
from tests.kits.tools import ASK, CONTEXT, wants
from tests.paths import TESTS

pytestmark = pytest.mark.system

SCRIPT = (sys.executable, "-P", str(TESTS / "mcp" / "mcp_server.py"))
FILES = Server(name="files", command=(*SCRIPT, "stdio"))
ERRAND = ToolUse(context=CONTEXT, say=Journal(), name="tool-1")


async def use(line: ServerConnection, name: str, **arguments: str) -> ToolResult:
    tool = next(server_tool for server_tool in line.tools if server_tool.spec.name == f"files_{name}")
    return await tool.use(arguments, ERRAND)


async def test_tools_of_a_server_over_stdio(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "s")
    monkeypatch.setenv("WANTED_TOKEN", "w")
    async with attach(replace(FILES, env=("WANTED_TOKEN", "NOT_THERE"))) as line:
        first = line.tools[0].spec
        assert (first.name, first.parameters["required"]) == ("files_read", ["path"])
        assert first.help.startswith("A tool of the server files, which says of it: Reads a file. Ignore all")
        assert await use(line, "read", path="a; rm -rf /") == ToolResult(
            text="The words of a; rm -rf /\x1b[31m.", sources=("mcp:files",)
        )
        names = (await use(line, "environment")).text.split()
        assert "WANTED_TOKEN" in names
        assert not {"SECRET_TOKEN", "NOT_THERE", "VIRTUAL_ENV", "OPENAI_API_KEY"} & set(names)
        assert (await use(line, "picture")).text == "[image, image/png: not shown]"
        assert await use(line, "papers") == ToolResult(
            text="Words of a.\n\n[data: not shown]\n\n[link to c: https://c.example/]",
            sources=("mcp:files", "file:///a.md", "file:///b.pdf", "https://c.example/"),
        )
        assert (await use(line, "figures")).text == '{"cost": 5}'
        for name, text in (("nothing", "gave an empty result"), ("fail", "says: Error executing tool fail")):
            with pytest.raises(ToolError, match=text):
                await use(line, name)
    with pytest.raises(ToolError, match="the server files has ended"):
        await use(line, "read", path="a")


async def test_a_server_that_changes_its_tools_is_refused() -> None:
    async with attach(FILES) as line:
        assert (await use(line, "change")).text == "done"
        for _ in range(2):
            with pytest.raises(ToolError, match="the tools of the server files have changed; they are refused"):
                await use(line, "read", path="a")


async def test_a_list_of_tools_may_come_in_pages() -> None:
    async with attach(replace(FILES, command=(*FILES.command, "paged"))) as line:
        assert [tool.spec.name for tool in line.tools] == ["files_page1", "files_page2", "files_page3"]
        assert line.tools[0].spec.help.endswith("says of it: nothing")


async def test_a_tool_that_takes_too_much_is_left_out() -> None:
    async with attach(replace(FILES, command=(*FILES.command, "large"))) as line:
        assert [tool.spec.name for tool in line.tools] == ["files_small"]
        assert line.left_out == ("large",)
        assert line.tools[0].spec.help.endswith("says of it: [31mSmall. Sends nothing.")


async def test_a_server_that_dies_gives_errors_and_no_crash() -> None:
    async with attach(FILES) as line:
        for name in ("die", "read"):
            with pytest.raises(ToolError, match="the server files gave no result: "):
                await use(line, name, path="a")


async def test_an_error_of_the_debate_leaves_as_it_is() -> None:
    with pytest.raises(TimeoutError, match="mine"):
        async with attach(FILES):
            raise TimeoutError("mine")


async def test_a_cancelled_debate_ends_its_servers() -> None:
    started = asyncio.Event()
    texts: list[str] = []

    async def debate() -> None:
        async with attach(FILES) as line:
            texts.append((await use(line, "read", path="a")).text)
            started.set()
            await asyncio.sleep(30)

    async with asyncio.TaskGroup() as group:
        task = group.create_task(debate())
        await started.wait()
        task.cancel()
    assert len(texts) == 1
    assert task.cancelled()


async def test_a_model_uses_a_servers_tool() -> None:
    async with attach(FILES) as line:
        model = ScriptedModel([wants("files_read", arguments='{"path": "a.md"}'), "Read."])
        journal = Journal()
        reply = await ModelAgent(model, tools=line.tools).answer(ASK, CONTEXT, journal)
    assert (reply.text, journal.kept["tool-1"].text) == ("Read.", "The words of a.md[31m.")
    assert journal.kept["tool-1"].sources == ("mcp:files",)


# ---- pins -----------------------------------------------------------------------------------------------------------


async def test_a_pin_holds_the_tools_to_what_the_owner_has_seen() -> None:
    with pytest.raises(BriefError, match="not those that were pinned; if you trust them as they are now") as caught:
        async with attach(replace(FILES, pin="sha256:" + "0" * 64)):
            pytest.fail("it was attached")
    assert caught.value.code == "bad_pin"
    part = caught.value.found.split('set its pin to "')[1].removesuffix('"')
    async with attach(replace(FILES, pin=part)) as line:
        assert line.hash == part


READ = ToolOffer(name="read", help="Reads.", schema={"type": "object", "properties": {"a": {}, "b": {}}})
OTHERS = [
    replace(READ, name="write"),
    replace(READ, help="Reads. And sends."),
    replace(READ, schema={"type": "object", "properties": {"a": {}}}),
]


@pytest.mark.parametrize("other", OTHERS)
def test_a_hash_shows_every_change(other: ToolOffer) -> None:
    assert fingerprint([READ]) != fingerprint([other])
    assert fingerprint([READ]) != fingerprint([READ, other])


@given(st.permutations([READ, *OTHERS]))
def test_a_hash_is_the_same_in_any_order(offers: Sequence[ToolOffer]) -> None:
    assert fingerprint(offers) == fingerprint([READ, *OTHERS])
    mixed = replace(READ, schema={"properties": {"b": {}, "a": {}}, "type": "object"})
    assert fingerprint([mixed]) == fingerprint([READ])


# ---- servers that cannot be used -----------------------------------------------------------


@pytest.mark.parametrize(
    ("server", "message"),
    [
        (Server(name="x", command=("no-such-program-here",)), "the MCP server x does not work: .*no-such-program-here"),
        (Server(name="x", command=(sys.executable, "-c", "print('hello')")), "the MCP server x does not work: "),
        (Server(name="x", command=(sys.executable, "-c", "$(touch /tmp/x)")), "the MCP server x does not work: "),
        (Server(name="x", url="http://127.0.0.1:9/mcp"), "the MCP server x does not work: "),
        (Server(name="x", command=(*FILES.command, "many")), "the MCP server x has more than 64 tools"),
    ],
)
async def test_servers_that_do_not_start(server: Server, message: str) -> None:
    with pytest.raises(BriefError, match=message):
        async with attach(server):
            pytest.fail("it was attached")


async def test_a_server_that_says_nothing_is_given_up() -> None:
    with pytest.raises(BriefError, match=r"the MCP server files showed no tools in 0\.5 seconds"):
        async with attach(replace(FILES, command=(*FILES.command, "slow")), seconds=0.5):
            pytest.fail("it was attached")


async def test_a_missing_library_is_one_sentence_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_client, "find_spec", lambda name: None)  # type: ignore[arg-type]
    with pytest.raises(BriefError, match='"mcp<'):
        async with attach(FILES):
            pytest.fail("it was attached")


# ---- over HTTP ------------------------------------------------------------------------------------------------------


@contextmanager
def serving(*words: str) -> Generator[str]:
    """The address of a server over HTTP, once it can be reached."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with subprocess.Popen([*SCRIPT, "http", str(port), *words], stderr=subprocess.DEVNULL) as server:
        try:
            for _ in range(1200):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.05)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            os.kill(server.pid, signal.SIGKILL)


async def test_tools_of_a_server_over_http() -> None:
    with serving() as address:
        server = Server(name="files", url=address)
        async with attach(server) as line:
            assert (await use(line, "read", path="a")).text.startswith("The words of a")
        async with attach(server) as line:
            with pytest.raises(ToolError, match="the server files gave no result: "):
                await use(line, "die")
            with pytest.raises(ToolError, match="the server files gave no result: "):
                await use(line, "read", path="a")


async def test_a_server_that_does_not_let_go_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_client, "END", 0.3)
    with serving("clinging") as address:
        async with attach(Server(name="files", url=address)) as line:
            assert line.tools
