"""What is in reach: local servers wherever the environment says, keys by name, advice where there is nothing."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import pytest

from folkmoot.core.brief import QUOTES
from folkmoot.models.discover import find_models
from folkmoot.testing.wires import Wires
from tests.models.models_kit import KEY

NOWHERE = {f"{name}_BASE_URL": "http://127.0.0.1:9/v1" for name in ("LMSTUDIO", "LLAMACPP", "VLLM")} | {
    "OLLAMA_HOST": "127.0.0.1:9"
}
"""An environment in which no local server is in reach, whatever runs on this machine."""


async def test_nothing_in_reach() -> None:
    reach = await find_models(NOWHERE)
    assert reach.models == (QUOTES,)
    assert [(server.provider, server.up) for server in reach.servers] == [
        ("ollama", False), ("lmstudio", False), ("llamacpp", False), ("vllm", False),
    ]  # fmt: skip
    assert reach.keys == ()
    assert ("google", "GEMINI_API_KEY or GOOGLE_API_KEY") in reach.missing
    assert any("ollama pull" in line for line in reach.advice)
    assert any("OPENAI_API_KEY" in line for line in reach.advice)
    assert QUOTES in reach.advice[-1]


async def test_servers_are_found_where_the_environment_says() -> None:
    async with Wires(models=("llama3.2:latest", "qwen3:4b")).serve() as wires:
        env = NOWHERE | {"OLLAMA_HOST": wires.url, "FOLKMOOT_BASE_URL": f"{wires.url}/v1"}
        reach = await find_models(env, seconds=120)
    assert reach.models == (
        "ollama:llama3.2:latest", "ollama:qwen3:4b", "compatible:llama3.2:latest", "compatible:qwen3:4b", QUOTES,
    )  # fmt: skip
    assert reach.advice == ()


async def test_a_server_without_models_is_told_what_to_do() -> None:
    async with Wires(models=()).serve() as wires:
        reach = await find_models(NOWHERE | {"OLLAMA_HOST": wires.url}, seconds=120)
        assert reach.advice == (f"ollama runs at {wires.url} but has no model yet: ollama pull llama3.2.",)
        reach = await find_models(NOWHERE | {"VLLM_BASE_URL": f"{wires.url}/v1"}, seconds=120)
        assert reach.advice == (f"vllm runs at {wires.url}/v1 but has no model yet: load a model there.",)


async def test_keys_are_named_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    reach = await find_models(NOWHERE | {"GOOGLE_API_KEY": KEY, "OPENAI_API_KEY": KEY, "VLLM_API_KEY": KEY})
    assert reach.keys == (
        ("openai", "OPENAI_API_KEY"), ("google", "GOOGLE_API_KEY"), ("vllm", "VLLM_API_KEY"),
    )  # fmt: skip
    assert not {"openai", "google", "vllm"} & {name for name, _ in reach.missing}
    assert KEY not in repr(reach)
    assert reach.advice == ()
    for name, value in (NOWHERE | {"GROQ_API_KEY": KEY}).items():
        monkeypatch.setenv(name, value)
    assert ("groq", "GROQ_API_KEY") in (await find_models()).keys


async def test_an_address_that_cannot_be_used_is_not_looked_for() -> None:
    reach = await find_models(NOWHERE | {"OLLAMA_HOST": "ftp://x", "FOLKMOOT_BASE_URL": "nonsense"})
    assert (reach.servers[0].provider, reach.servers[0].url, reach.servers[0].up) == ("ollama", "", False)
    troubles = {server.provider: server.trouble for server in reach.servers if server.wrong}
    assert troubles.keys() == {"ollama", "compatible"}
    assert "FOLKMOOT_BASE_URL" in troubles["compatible"]


@asynccontextmanager
async def raw(answer: Callable[[bytes], bytes | None]) -> AsyncGenerator[str, None]:
    """A server that answers each request by a function of its head; None for silence."""

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        body = answer(await reader.readuntil(b"\r\n\r\n"))
        if body is None:
            await reader.read()
        else:
            writer.write(body)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(meet, "127.0.0.1", 0)
    async with server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"


def page(status: int, body: bytes) -> bytes:
    """A whole response."""
    return b"HTTP/1.1 %d X\r\ncontent-length: %d\r\n\r\n" % (status, len(body)) + body


@pytest.mark.parametrize(
    "body",
    [
        page(200, b"<html>some other program</html>"),
        page(200, b"[]"),
        page(200, b'{"models": 3}'),
        page(404, b'{"models": []}'),
        page(200, b"[" * 100_000),
        b"SSH-2.0-OpenSSH\r\n",
    ],
)
async def test_another_program_at_the_port_is_no_server_of_models(body: bytes) -> None:
    async with raw(lambda head: body) as host:
        reach = await find_models(NOWHERE | {"OLLAMA_HOST": host}, seconds=120)
    assert (reach.servers[0].up, reach.models) == (False, (QUOTES,))


async def test_entries_without_names_or_with_a_name_twice_are_left_out() -> None:
    listed = b'{"data": [{"id": "good"}, {"id": 3}, "bad", {}, null, {"id": " "}, {"id": "good"}]}'
    async with raw(lambda head: page(200, listed)) as host:
        reach = await find_models(NOWHERE | {"VLLM_BASE_URL": f"http://{host}/v1"}, seconds=120)
    assert reach.models == ("vllm:good", QUOTES)


async def test_a_model_that_is_named_by_its_path_has_the_name_of_its_file() -> None:
    listed = b'{"data": [{"id": "/home/ann/models/Tiny-1B.Q4_1.gguf", "owned_by": "llamacpp"}]}'
    async with raw(lambda head: page(200, listed)) as host:
        reach = await find_models(NOWHERE | {"LLAMACPP_BASE_URL": f"http://{host}/v1"}, seconds=120)
    assert reach.models == ("llamacpp:Tiny-1B.Q4_1", QUOTES)


async def test_silent_servers_are_waited_for_at_once() -> None:
    async with raw(lambda head: None) as host:
        reach = await find_models(dict.fromkeys(NOWHERE, f"http://{host}"), seconds=0.3)
    assert [server.up for server in reach.servers] == [False] * 4
    all_asked = asyncio.Barrier(4)

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await all_asked.wait()
        writer.close()

    async with await asyncio.start_server(meet, "127.0.0.1", 0) as server:
        host = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        await find_models(dict.fromkeys(NOWHERE, f"http://{host}"), seconds=3600)


async def test_a_key_goes_only_where_the_owner_said() -> None:
    heads: list[bytes] = []

    def note(head: bytes) -> bytes:
        heads.append(head)
        return page(200, b'{"data": []}')

    async with raw(note) as host:
        await find_models(NOWHERE | {"VLLM_BASE_URL": f"http://{host}/v1", "VLLM_API_KEY": KEY}, seconds=120)
        await find_models(NOWHERE | {"LMSTUDIO_BASE_URL": f"http://{host}/v1", "VLLM_API_KEY": KEY}, seconds=120)
    assert [KEY.encode() in head for head in heads] == [True, False]


async def test_a_key_that_is_none_is_not_sent() -> None:
    heads: list[bytes] = []

    def answer(head: bytes) -> bytes:
        heads.append(head)
        return page(200, b'{"data": [{"id": "good"}]}')

    async with raw(answer) as host:
        env = NOWHERE | {"FOLKMOOT_BASE_URL": f"http://{host}/v1", "FOLKMOOT_API_KEY": "two\nlines"}
        reach = await find_models(env, seconds=120)
    assert "compatible:good" in reach.models
    assert b"authorization" not in heads[0].lower()
