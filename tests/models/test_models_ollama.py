"""Ollama's own wire: windows that fit, servers old and new; and the official client, which checks our server."""

import json
from collections.abc import AsyncGenerator
from typing import Any, cast

import pytest
import pytest_asyncio

from folkmoot.core.ask import ToolCall
from folkmoot.core.brief import Settings
from folkmoot.core.errors import ModelError
from folkmoot.core.event import Called
from folkmoot.models.pool import Pool
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Wires
from tests.models.models_kit import HASTY, Notebook, Page, ask, canned


@pytest_asyncio.fixture
async def wires() -> AsyncGenerator[Wires, None]:
    async with Wires(script=lambda call: Plan(text=f"answer to {call.prompt[:20]}"), context=20_000).serve() as wires:
        yield wires


def window(wires: Wires) -> int:
    """The window of the last call."""
    return cast("dict[str, int]", wires.calls[-1].body["options"])["num_ctx"]


async def test_the_window_grows_in_steps_and_never_shrinks(wires: Wires) -> None:
    pool = Pool(env={"OLLAMA_HOST": wires.url}, retry=HASTY)
    model = pool.model("ollama:tiny")
    assert model.traits.context == 0
    windows: list[int] = []
    for length in (10, 20_000, 10, 40_000, 100_000):
        await model.complete(ask("x" * length, settings=Settings(max_tokens=100)), Notebook())
        windows.append(window(wires))
    assert windows == [4096, 8192, 8192, 16_384, 20_000]
    assert model.traits.context == 20_000
    await pool.close()


async def test_nothing_is_cut_in_silence(wires: Wires) -> None:
    pool = Pool(env={"OLLAMA_HOST": wires.url}, retry=HASTY)
    await pool.model("ollama:tiny").complete(ask(), Notebook())
    body = wires.calls[-1].body
    assert (body["truncate"], body["shift"], body["stream"]) == (False, False, True)
    assert body["options"] == {"num_predict": 2048, "num_ctx": 4096}
    assert body["keep_alive"] == "15m"
    await pool.close()


async def test_a_server_that_says_nothing_of_its_context() -> None:
    async with Wires(script=lambda call: Plan(text="yes"), context=0).serve() as wires:
        pool = Pool(env={"OLLAMA_HOST": wires.url}, retry=HASTY)
        model = pool.model("ollama:tiny")
        await model.complete(ask("x" * 200_000), Notebook())
        assert (window(wires), model.traits.context) == (65_536, 0)
        await pool.close()


END = {"model": "tiny", "message": {"content": ""}, "done": True}


async def ollama(body: bytes, status: int = 200) -> Called:
    """What comes of a body."""
    return await canned("ollama:tiny", Page(body, status))[0].complete(ask(), Notebook())


def lines(*events: object) -> bytes:
    """Events as lines."""
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def jsons(value: object) -> bytes:
    return json.dumps(value).encode()


@pytest.mark.parametrize(
    ("shown", "context"),
    [
        (Page(jsons({"model_info": {"a.context_length": 9, "b.context_length": 7}})), 9),
        (Page(jsons({"model_info": {"a.context_length": "9"}})), 0),
        (Page(jsons({"model_info": []})), 0),
        (Page(jsons(["?"])), 0),
        (Page(b"[" * 100_000), 0),
        (Page(jsons({"error": "no such model"}), 404), 0),
    ],
)
async def test_contexts(shown: Page, context: int) -> None:
    body = lines({"message": {"content": "yes"}}, END)
    model, _ = canned("ollama:tiny", lambda url: shown if url.endswith("/api/show") else Page(body))
    assert (await model.complete(ask(), Notebook())).text == "yes"
    assert model.traits.context == context


async def test_a_missing_model_comes_with_advice() -> None:
    with pytest.raises(ModelError, match=r"model 'tiny' not found \(to get it: ollama pull tiny\)") as caught:
        await ollama(jsons({"error": "model 'tiny' not found"}), 404)
    assert caught.value.kind == "not_found"


# ---- the official client reads our server, so that server and adapter are not merely of one mind ------------------


@pytest_asyncio.fixture
async def official(wires: Wires) -> AsyncGenerator[Any, None]:
    ollama_client = pytest.importorskip("ollama", reason="the official client of Ollama is not installed")
    client = ollama_client.AsyncClient(host=wires.url, trust_env=False)
    yield client
    await client.close()


async def test_the_official_client_understands_our_streams(official: Any) -> None:
    messages = [{"role": "user", "content": "hello"}]
    parts = [part async for part in await official.chat(model="tiny", messages=messages, stream=True)]
    assert "".join(part.message.content for part in parts) == "answer to hello"
    assert [part.done for part in parts] == [False] * (len(parts) - 1) + [True]
    last = parts[-1]
    assert (last.done_reason, last.prompt_eval_count, last.eval_count, last.model) == ("stop", 12, 5, "tiny")


async def test_the_official_client_understands_the_rest(official: Any) -> None:
    whole = await official.chat(model="tiny", messages=[{"role": "user", "content": "hello"}])
    assert (whole.message.content, whole.done) == ("answer to hello", True)
    assert [model.model for model in (await official.list()).models] == ["tiny:latest"]
    assert (await official.show("tiny")).modelinfo["tiny.context_length"] == 20_000


async def test_the_official_client_reads_our_tool_calls() -> None:
    ollama_client = pytest.importorskip("ollama", reason="the official client of Ollama is not installed")
    plan = Plan(tools=(ToolCall(id="a", name="search", arguments='{"q": "tea"}'),))
    async with Wires(script=lambda call: plan).serve() as wires:
        client = ollama_client.AsyncClient(host=wires.url, trust_env=False)
        messages = [{"role": "user", "content": "hello"}]
        parts = [part async for part in await client.chat(model="tiny", messages=messages, stream=True)]
        (call,) = [call for part in parts for call in part.message.tool_calls or ()]
        assert (call.function.name, call.function.arguments) == ("search", {"q": "tea"})
        assert "tools" in (await client.show("tiny")).capabilities
        await client.close()


async def test_the_official_client_sees_our_errors() -> None:
    ollama_client = pytest.importorskip("ollama", reason="the official client of Ollama is not installed")
    plan = Plan(status=404, error="model 'tiny' not found")
    async with Wires(script=lambda call: plan).serve() as wires:
        client = ollama_client.AsyncClient(host=wires.url, trust_env=False)
        with pytest.raises(ollama_client.ResponseError, match="not found") as caught:
            await client.chat(model="tiny", messages=[{"role": "user", "content": "hello"}])
        assert caught.value.status_code == 404
        await client.close()


async def test_our_requests_are_what_the_official_client_sends(wires: Wires, official: Any) -> None:
    options = {"temperature": 0.5, "num_predict": 2048, "num_ctx": 4096}
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}]
    await official.chat(model="tiny", messages=messages, options=options, keep_alive="15m")
    theirs = wires.calls[-1].body
    pool = Pool(env={"OLLAMA_HOST": wires.url}, retry=HASTY)
    await pool.model("ollama:tiny").complete(ask(settings=Settings(temperature=0.5)), Notebook())
    ours = wires.calls[-1].body
    for name in ("model", "messages", "options", "keep_alive"):
        assert ours[name] == theirs[name], name
    await pool.close()
