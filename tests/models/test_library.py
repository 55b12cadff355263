"""Models that PydanticAI reaches: what is sent, what comes back, and what becomes of errors."""

import json
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any, cast

import pytest
import pytest_asyncio
from pydantic_ai.exceptions import ModelHTTPError, UnexpectedModelBehavior, UserError
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from folkmoot.core.ask import ToolCall, ToolSpec
from folkmoot.core.brief import Settings
from folkmoot.core.errors import BriefError, ModelError
from folkmoot.models.base import Message, Request
from folkmoot.models.layers import ResilientModel
from folkmoot.models.names import parse
from folkmoot.models.pool import Pool
from folkmoot.models.transport import ProviderConnection
from folkmoot.models.wires.library import LibraryModel
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Call, Wires
from tests.models.models_kit import HASTY, KEY, Notebook, ask, build
from tests.models.test_refused_parts import REFUSALS, is_refused

NAME = "library:openai-chat:gpt-4o-mini"
TOOL = ToolSpec(name="look", help="Looks.", parameters={"type": "object", "properties": {"q": {"type": "string"}}})


class Bench:
    """A pool whose library talks to a server that plays plans."""

    def __init__(self, wires: Wires, pool: Pool, plans: list[Plan]) -> None:
        self.wires, self.pool, self.plans = wires, pool, plans

    async def fails(self, plan: Plan) -> ModelError:
        """What asking comes to."""
        self.plans[:] = [plan]
        with pytest.raises(ModelError) as caught:
            await self.pool.model(NAME).complete(ask(), Notebook())
        assert KEY not in str(caught.value)
        return caught.value


@pytest_asyncio.fixture
async def bench(monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Bench]:
    plans = [Plan(text="yes")]
    async with Wires(script=lambda call: plans[min(call.n, len(plans)) - 1]).serve() as wires:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", f"{wires.url}/v1")
        pool = Pool(env={}, retry=HASTY)
        yield Bench(wires, pool, plans)
        await pool.close()


async def test_an_answer_comes_through(bench: Bench) -> None:
    bench.plans[:] = [Plan(text="Grüße to all", thinking="hm", usage=(30, 5, 3), served="served-1")]
    notebook, model = Notebook(), bench.pool.model(NAME)
    settings = Settings(temperature=0.3, stop=("END",), seed=4, min_p=0.1)
    called = await model.complete(ask(settings=settings), notebook)
    assert (called.text, called.model, called.served, called.finish) == ("Grüße to all", NAME, "served-1", "stop")
    assert (called.usage.input_tokens, called.usage.output_tokens, called.usage.cached_tokens) == (30, 5, 3)
    assert called.usage.cost
    assert "".join(notebook.deltas) == called.text
    body = bench.wires.calls[0].body
    assert (body["temperature"], body["stop"], body["seed"]) == (0.3, ["END"], 4)
    assert "2048" in json.dumps(body)
    assert {"min_p", "num_ctx", "keep_alive"} <= set(model.drops)
    assert model.traits.tools
    assert model.quote(ask()).tokens > 2048


async def test_tools_are_asked_for_and_given_back(bench: Bench) -> None:
    call = ToolCall(id="a1", name="look", arguments='{"q": "tea"}')
    bench.plans[:] = [Plan(text="Let me see.", tools=(call,))]
    question = Message(role="user", text="Tea?")
    first = await bench.pool.model(NAME).complete(Request(messages=(question,), tools=(TOOL,)), Notebook())
    assert (first.finish, first.tools) == ("tools", (call,))
    after = (
        Message(role="system", text="Be brief."),
        question,
        Message(role="assistant", text="Let me see.", calls=first.tools),
        Message(role="tool", text="2 cents", answers="a1"),
        Message(role="assistant", text="So."),
    )
    await bench.pool.model(NAME).complete(Request(messages=after, tools=(TOOL,), call="more"), Notebook())
    messages = cast("list[dict[str, Any]]", bench.wires.calls[-1].body["messages"])
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "tool", "assistant"]


@pytest.mark.parametrize(
    ("plan", "kind", "tries"),
    [
        (Plan(status=429, headers={"retry-after-ms": "1"}), "rate", 3),
        (Plan(status=429, code="insufficient_quota"), "quota", 1),
        (Plan(status=500), "server", 3),
        (Plan(status=401, error=f"bad {KEY}"), "key", 1),
        (Plan(status=404), "not_found", 1),
        (Plan(status=400, error="maximum context length is 9"), "too_long", 1),
        (Plan(status=403, error="no such field"), "request", 1),
        (Plan(text="half of it", fault="garbage"), "garbled", 2),
        (Plan(text=""), "empty", 2),
        (Plan(finish="filter"), "refused", 1),
    ],
    ids=str,
)
async def test_faults(bench: Bench, plan: Plan, kind: str, tries: int) -> None:
    error = await bench.fails(plan)
    assert (error.kind, len(bench.wires.calls)) == (kind, tries)


async def test_a_stream_that_breaks_off(bench: Bench) -> None:
    assert (await bench.fails(Plan(text="half of it", fault="broken", code="unheard_of"))).kind == "server"


@pytest.mark.parametrize(
    ("plan", "finish"),
    [
        (Plan(text="yes", finish="length"), "length"),
        (Plan(text="y", fault="unmarked"), "unmarked"),
        (Plan(text="y", finish="network_error"), "network_error"),
    ],
)
async def test_an_end_is_told(bench: Bench, plan: Plan, finish: str) -> None:
    bench.plans[:] = [plan]
    assert (await bench.pool.model(NAME).complete(ask(), Notebook())).finish == finish


async def test_nobody_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    model = build(NAME, env={}, retry=HASTY)
    with pytest.raises(ModelError) as caught:
        await model.complete(ask(), Notebook())
    assert caught.value.kind == "connection"
    await model.close()


def test_a_name_without_a_provider_is_refused() -> None:
    with pytest.raises(BriefError, match="write library:PROVIDER:NAME"):
        build("library:gpt-4o", env={})


async def test_what_is_not_installed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "boto3", None)
    model = build("library:bedrock:amazon.nova-lite-v1:0", env={}, retry=HASTY)
    with pytest.raises(ModelError, match=r'pip install "pydantic-ai-slim.*" "pydantic-ai-slim\[bedrock\]"$') as caught:
        await model.complete(ask(), Notebook())
    assert caught.value.kind == "not_found"


async def test_what_the_library_misses_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    model = build(NAME, env={}, retry=HASTY)
    with pytest.raises(ModelError, match=rf"{NAME} cannot be used: .*OPENAI_API_KEY") as caught:
        await model.complete(ask(), Notebook())
    assert caught.value.kind == "not_found"


async def test_the_tries_of_a_client_are_off(bench: Bench) -> None:
    model = LibraryModel(parse(NAME), ProviderConnection(parse(NAME).provider, {}))
    assert cast("Any", model)._library.client.max_retries == 0
    assert model.name == NAME
    await model.close()


@pytest.mark.parametrize(
    ("error", "kind"),
    [(UserError("no images"), "request"), (UnexpectedModelBehavior("odd"), "garbled"), (AssertionError(), "garbled")],
    ids=str,
)
async def test_how_the_library_stumbles(error: Exception, kind: str) -> None:
    async def answer(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        yield "ye"
        raise error

    model = LibraryModel(parse(NAME), ProviderConnection(parse(NAME).provider, {}))
    vars(model)["_library"] = FunctionModel(stream_function=answer)
    with pytest.raises(ModelError) as caught:
        await model.complete(ask(), Notebook())
    assert caught.value.kind == kind
    await model.close()


SCHEMA = {"type": "object", "properties": {"A": {"type": "string"}}, "required": ["A"], "additionalProperties": False}


async def test_a_schema_goes_along(bench: Bench) -> None:
    bench.plans[:] = [Plan(text='{"A": "x"}')]
    request = Request(messages=(Message(role="user", text="Tea?"),), schema=json.dumps(SCHEMA))
    await bench.pool.model(NAME).complete(request, Notebook())
    sent: Any = bench.wires.calls[0].body
    assert sent["response_format"]["json_schema"]["schema"] == SCHEMA
    assert sent["response_format"]["json_schema"]["strict"] is True


@pytest.mark.parametrize("what", [what for what in REFUSALS if what not in ("stream", "cap of anthropic")])
async def test_a_part_that_is_refused_is_left_out_and_remembered(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    _, status, words, _ = REFUSALS[what]

    def play(call: Call) -> Plan:
        return Plan(status=status, error=words) if is_refused(what, call.body) else Plan(text="yes")

    async with Wires(script=play).serve() as wires:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", f"{wires.url}/v1")
        pool = Pool(env={}, retry=HASTY)
        for calls in (2, 3):
            request = ask(settings=Settings(temperature=0.3))
            called = await pool.model(NAME).complete(request, Notebook())
            assert (called.text, called.finish, len(wires.calls)) == ("yes", "stop", calls)
        await pool.close()


async def test_a_model_that_may_not_be_streamed_answers_as_a_whole() -> None:
    asked: list[str] = []

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        asked.append("stream")
        raise ModelHTTPError(400, "m", {"message": REFUSALS["stream"][2]})
        yield ""

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        asked.append("whole")
        return ModelResponse(parts=[TextPart("yes")], finish_reason="stop")

    adapter = LibraryModel(parse(NAME), ProviderConnection(parse(NAME).provider, {}))
    vars(adapter)["_library"] = FunctionModel(answer, stream_function=stream)
    model = ResilientModel(adapter, HASTY)
    for _ in range(2):
        assert (await model.complete(ask(), Notebook())).text == "yes"
    assert asked == ["stream", "whole", "whole"]
    await model.close()


async def test_a_schema_that_is_refused_is_left_out_and_remembered(bench: Bench) -> None:
    refused = Plan(status=400, error="'response_format' is not supported by this model")
    bench.plans[:] = [refused, Plan(text="yes")]
    request = Request(messages=(Message(role="user", text="Tea?"),), schema=json.dumps(SCHEMA))
    for calls in (2, 3):
        assert (await bench.pool.model(NAME).complete(request, Notebook())).text == "yes"
        assert ["response_format" in call.body for call in bench.wires.calls] == [True, False, False][:calls]


async def test_a_model_that_takes_no_schema_refuses_the_request() -> None:
    async def answer(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        yield "yes"

    model = LibraryModel(parse(NAME), ProviderConnection(parse(NAME).provider, {}))
    vars(model)["_library"] = FunctionModel(stream_function=answer, profile={"supports_json_schema_output": False})
    request = Request(messages=(Message(role="user", text="Tea?"),), schema=json.dumps(SCHEMA))
    with pytest.raises(ModelError) as caught:
        await model.complete(request, Notebook())
    assert caught.value.kind == "request"
    await model.close()
