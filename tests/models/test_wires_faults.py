"""What the wires do over real connections: with limits, bodies that stay open, compression, refusals, proxies."""

import asyncio
import gc
import gzip
import json
import subprocess
import sys
import zlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import cast

import pytest

from folkmoot.core.brief import Settings
from folkmoot.core.errors import ModelError
from folkmoot.core.event import Called
from folkmoot.models import http_client
from folkmoot.models.http_port import Unreached
from folkmoot.models.layers import RetrySettings
from folkmoot.models.pool import Pool
from folkmoot.models.wires import base
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Wires
from tests.models.frames import CHAT, COUNTS, LOCAL, MESSAGES, PLAIN, SAID, SPOKEN, STOP, sse
from tests.models.models_kit import HASTY, Notebook, ask, build, environment

WHOLE = {"openai:gpt-4o": CHAT, "groq:tiny": CHAT, "anthropic:claude-haiku-5-5": MESSAGES, "ollama:tiny": LOCAL}
STREAM = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n"
PATIENT = RetrySettings(tries=1, gap=60.0)


class Line:
    """One connection of a server, with what was asked on it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, server: "Server") -> None:
        self.reader, self.writer, self.server = reader, writer, server

    def head(self, text: str = STREAM, more: str = "") -> None:
        self.writer.write(f"{text}{more}\r\n".encode())

    def chunk(self, data: bytes) -> None:
        self.writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    async def gone(self) -> None:
        """Wait until the other side has closed."""
        await self.reader.read()
        self.server.gone.set()


Answer = Callable[[Line], Awaitable[None]]


class Server:
    """A server that answers each request for words in one way; all else with an empty object."""

    def __init__(self, answer: Answer) -> None:
        self.answer, self.connections = answer, 0
        self.gone, self.left = asyncio.Event(), asyncio.Event()
        self.asked = list[tuple[str, dict[str, object]]]()

    async def meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                size = int(head.partition("content-length: ")[2].partition("\r")[0])
                body = json.loads(await reader.readexactly(size))
                if "/api/show" in head:
                    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")
                    continue
                self.asked.append((head, body))
                await self.answer(Line(reader, writer, self))
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.transport.abort()
            self.left.set()


@asynccontextmanager
async def served(answer: Answer) -> AsyncGenerator[tuple[Server, str]]:
    server = Server(answer)
    listening = await asyncio.start_server(server.meet, "127.0.0.1", 0)
    async with listening:
        yield server, f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"


async def answered(name: str, url: str, settings: Settings | None = None, recorder: Notebook | None = None) -> Called:
    """What one question to a server comes to."""
    model = build(name, env=environment(url), retry=PATIENT)
    try:
        return await model.complete(ask(seconds=60, settings=settings), recorder or Notebook())
    finally:
        await model.close()


@pytest.mark.parametrize("name", WHOLE)
async def test_an_answer_ends_with_its_last_event_though_the_body_stays_open(name: str) -> None:
    async def answer(line: Line) -> None:
        line.head()
        line.chunk(WHOLE[name]["plain"].body)
        await line.gone()

    async with served(answer) as (server, url):
        assert (await answered(name, url)).text == SAID.replace("\u2028", " ")
        await server.gone.wait()


async def test_an_answer_ends_with_the_mark_of_its_end_though_nothing_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "TAIL_SECONDS", 0.2)

    async def answer(line: Line) -> None:
        line.head()
        line.chunk(sse(*SPOKEN, STOP))
        await line.gone()

    async with served(answer) as (server, url):
        called = await answered("openai:gpt-4o", url)
        assert (called.finish, called.usage.estimated) == ("stop", True)
        await server.gone.wait()


async def test_counts_that_come_a_while_behind_the_end_are_booked() -> None:
    async def answer(line: Line) -> None:
        line.head()
        line.chunk(sse(*SPOKEN, STOP))
        await asyncio.sleep(0.2)
        line.chunk(sse(COUNTS, "[DONE]"))
        line.chunk(b"")

    async with served(answer) as (_, url):
        called = await answered("openai:gpt-4o", url)
        assert (called.usage.input_tokens, called.usage.output_tokens, called.usage.estimated) == (30, 7, False)


async def test_a_connection_that_breaks_behind_the_mark_of_the_end_costs_no_answer() -> None:
    async def answer(line: Line) -> None:
        line.head()
        line.chunk(sse(*SPOKEN, STOP, COUNTS))
        await line.writer.drain()
        line.writer.close()
        await line.writer.wait_closed()

    async with served(answer) as (_, url):
        called = await answered("openai:gpt-4o", url)
        assert (called.finish, called.usage.output_tokens) == ("stop", 7)


@pytest.mark.parametrize("name", WHOLE)
async def test_whoever_is_cancelled_closes_the_connection(name: str) -> None:
    begun = asyncio.Event()

    async def answer(line: Line) -> None:
        line.head()
        line.chunk(WHOLE[name]["plain"].body[:300])
        begun.set()
        await line.gone()

    async with served(answer) as (server, url):
        model = build(name, env=environment(url), retry=PATIENT)
        async with asyncio.TaskGroup() as group:
            task = group.create_task(model.complete(ask(seconds=60), Notebook()))
            await begun.wait()
            await asyncio.sleep(0.05)
            task.cancel()
        await server.gone.wait()
        await model.close()


@pytest.mark.parametrize("name", WHOLE)
async def test_connections_are_used_again(name: str) -> None:
    async def answer(line: Line) -> None:
        line.head()
        line.chunk(WHOLE[name]["plain"].body)
        line.chunk(b"")

    async with served(answer) as (server, url):
        model = build(name, env=environment(url), retry=PATIENT)
        for _ in range(3):
            await model.complete(ask(seconds=60), Notebook())
        assert (server.connections, len(server.asked)) == (1, 3)
        await model.close()
        await model.complete(ask(seconds=60), Notebook())
        assert server.connections == 2
        await model.close()


@pytest.mark.parametrize(
    ("packing", "pack"),
    [("gzip", gzip.compress), ("deflate", zlib.compress), ("identity", bytes), ("GZIP", gzip.compress)],
)
@pytest.mark.parametrize("name", WHOLE)
async def test_a_server_may_compress_all_the_same(name: str, packing: str, pack: Callable[[bytes], bytes]) -> None:
    async def answer(line: Line) -> None:
        line.head(more=f"content-encoding: {packing}\r\n")
        packed = pack(WHOLE[name]["plain"].body)
        for start in range(0, len(packed), 7):
            line.chunk(packed[start : start + 7])
        line.chunk(b"")

    async with served(answer) as (server, url):
        assert (await answered(name, url)).text == SAID.replace("\u2028", " ")
        assert "accept-encoding: identity\r\n" in server.asked[0][0]


async def test_a_slow_first_byte_is_no_fault() -> None:
    async def answer(line: Line) -> None:
        await asyncio.sleep(0.3)
        line.head()
        line.chunk(sse(*PLAIN))
        line.chunk(b"")

    async with served(answer) as (_, url):
        assert (await answered("openai:gpt-4o", url)).finish == "stop"


# ---- what a model refuses ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "first"), [("openai:o3", "max_completion_tokens"), ("groq:tiny", "max_tokens")])
async def test_the_cap_goes_by_its_other_name_where_one_is_refused(name: str, first: str) -> None:
    refused = [first]

    def play(body: dict[str, object]) -> Plan:
        named = next((field for field in refused if field in body), "")
        return Plan(status=400, error=f"Unsupported parameter: '{named}'") if named else Plan(text="yes")

    async with Wires(script=lambda call: play(cast("dict[str, object]", call.body))).serve() as wires:
        pool = Pool(env=environment(wires.url), retry=HASTY)
        await pool.model(name).complete(ask(), Notebook())
        caps = {"max_tokens", "max_completion_tokens"}
        assert [caps & set(call.body) for call in wires.calls] == [{first}, caps - {first}]
        refused[:] = caps
        with pytest.raises(ModelError) as caught:
            await pool.model(name).complete(ask(), Notebook())
        assert (caught.value.again, len(wires.calls)) == (False, 3)  # one of them is always sent
        await pool.close()


@pytest.mark.parametrize(
    "words", ["the model must stop", "no such model: see the seed catalogue", "'messages' is too short", "'model'"]
)
async def test_words_that_name_no_setting_leave_none_out_for_good(words: str) -> None:
    async with Wires(script=lambda call: Plan(status=400, error=words)).serve() as wires:
        pool = Pool(env=environment(wires.url), retry=HASTY)
        for _ in range(2):  # only the first time it is tried whether a part of the request is at fault
            with pytest.raises(ModelError) as caught:
                await pool.model("groq:tiny").complete(ask(settings=Settings(seed=1, stop=("x",))), Notebook())
            assert not caught.value.again
        assert len(wires.calls) <= 5
        assert wires.calls[0].body == wires.calls[-1].body
        await pool.close()


# ---- where requests go -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "proxy"),
    [
        ("http://far.example/v1", "http://proxy.example:1"),
        ("https://far.example/v1", "http://proxy.example:2"),
        ("http://near.example/v1", None),
    ],
)
def test_the_environment_may_name_a_proxy(url: str, proxy: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://proxy.example:1")
    monkeypatch.setenv("all_proxy", "http://proxy.example:2")
    monkeypatch.delenv("https_proxy", raising=False)
    monkeypatch.setenv("no_proxy", "near.example")
    client = http_client.HttpClient(url, proxied=True, connect=1.0)
    assert client._proxy == proxy  # pyright: ignore[reportPrivateUsage]
    alone = http_client.HttpClient(url, proxied=False, connect=1.0)
    assert alone._proxy is None  # pyright: ignore[reportPrivateUsage]


async def test_a_request_goes_through_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Wires().serve() as wires:
        for name in ("http_proxy", "HTTP_PROXY"):
            monkeypatch.setenv(name, wires.url)
        for name in ("no_proxy", "NO_PROXY"):
            monkeypatch.delenv(name, raising=False)
        with pytest.raises(ModelError, match=r"there is no http://far\.example/v1/chat/completions"):
            await answered("groq:tiny", "http://far.example")


LEAVE = """
import asyncio
from folkmoot.testing.wires import Wires
from tests.models.models_kit import Notebook, ask, build, environment

async def main():
    async with Wires().serve() as wires:
        global model
        model = build("groq:tiny", env=environment(wires.url))
        print((await model.complete(ask(), Notebook())).finish)

asyncio.run(main())
"""


@pytest.mark.system
def test_a_program_that_closes_nothing_ends_without_a_word() -> None:
    ran = subprocess.run([sys.executable, "-c", LEAVE], capture_output=True, text=True, timeout=120, check=True)
    assert (ran.stdout, ran.stderr) == ("stop\n", "")


async def test_a_session_of_a_loop_that_is_over_is_let_go() -> None:
    def use() -> http_client.HttpClient:
        async def begin() -> http_client.HttpClient:
            client = http_client.HttpClient("http://127.0.0.1:9", proxied=False, connect=1.0)
            with pytest.raises(Unreached):
                async with client.open("http://127.0.0.1:9/", {}, b""):
                    pass
            return client

        return asyncio.run(begin())

    client = await asyncio.to_thread(use)
    del client
    gc.collect()


async def test_what_nobody_holds_any_more_is_closed() -> None:
    async def answer(line: Line) -> None:
        line.head()
        line.chunk(sse(*PLAIN))
        line.chunk(b"")

    async with served(answer) as (server, url):
        model = build("groq:tiny", env=environment(url))
        await model.complete(ask(), Notebook())
        del model
        gc.collect()
        async with asyncio.timeout(60):
            await server.left.wait()
