"""Tools and further settings on the wires: what is offered, asked for and given back, in all three formats."""

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, cast

import pytest
import pytest_asyncio

from folkmoot.core.ask import ToolCall, ToolSpec
from folkmoot.core.brief import Settings
from folkmoot.core.errors import ModelError, Unreadable
from folkmoot.models.base import Message, Request
from folkmoot.models.names import parse
from folkmoot.models.pool import Pool
from folkmoot.models.prices import TOOLS_OVERHEAD, count_tokens, quote
from folkmoot.models.stream import MOST, AnswerStream
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Call, Wires
from tests.models.models_kit import HASTY, Notebook, Page, ask, canned, environment

MODELS = ["ollama:tiny", "openai:gpt-4o-mini", "groq:llama-3.3-70b-versatile", "anthropic:claude-haiku-4-5"]
SCHEMA: Mapping[str, object] = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
SEARCH = ToolSpec(name="search", help="Looks something up.", parameters=SCHEMA)
CALLS = (
    ToolCall(id="a1", name="search", arguments='{"q": "tea"}'),
    ToolCall(id="a2", name="search", arguments='{"q": "coffee"}'),
)
WANTS = Plan(text="Let me see.", tools=CALLS, usage=(40, 9, 0))
OPENED = (Message(role="system", text="Be brief."), Message(role="user", text="Tea or coffee?"))


@pytest_asyncio.fixture
async def wires() -> AsyncGenerator[Wires, None]:
    def play(call: Call) -> Plan:
        return Plan(text=f"So: {call.prompt}") if "cents" in call.prompt else WANTS

    async with Wires(script=play).serve() as wires:
        yield wires


@pytest_asyncio.fixture
async def pool(wires: Wires) -> AsyncGenerator[Pool, None]:
    pool = Pool(env=environment(wires.url, ("OPENAI", "ANTHROPIC", "GROQ", "OPENROUTER")), retry=HASTY)
    yield pool
    await pool.close()


def after(calls: Sequence[ToolCall]) -> tuple[Message, ...]:
    """The conversation once the tools have been used."""
    results = (Message(role="tool", text=f"{n} cents", answers=call.id) for n, call in enumerate(calls, 1))
    return (*OPENED, Message(role="assistant", text="Let me see.", calls=tuple(calls)), *results)


@pytest.mark.parametrize("name", MODELS)
async def test_a_tool_is_asked_for_and_its_result_given_back(wires: Wires, pool: Pool, name: str) -> None:
    model, notebook = pool.model(name), Notebook()
    first = await model.complete(Request(messages=OPENED, tools=(SEARCH,)), notebook)
    assert (first.text, first.finish) == ("Let me see.", "tools")
    assert [(call.name, json.loads(call.arguments)) for call in first.tools] == [
        ("search", {"q": "tea"}),
        ("search", {"q": "coffee"}),
    ]
    assert len({call.id for call in first.tools}) == 2
    assert (first.usage.input_tokens, first.usage.output_tokens) == (40, 9)
    assert "".join(notebook.deltas) == "Let me see."
    request = Request(messages=after(first.tools), tools=(SEARCH,), call="answer-2")
    second = await model.complete(request, Notebook())
    assert (second.finish, second.tools, second.call) == ("stop", (), "answer-2")
    assert second.text == ("So: 1 cents2 cents" if name.startswith("anthropic") else "So: 2 cents")


@pytest.mark.parametrize("name", MODELS)
async def test_what_tools_become_on_the_wire(wires: Wires, pool: Pool, name: str) -> None:
    await pool.model(name).complete(Request(messages=after(CALLS), tools=(SEARCH,)), Notebook())
    body = cast("dict[str, Any]", wires.calls[-1].body)
    messages = body["messages"]
    if name.startswith("anthropic"):
        tool = body["tools"][0]
        assert (tool["name"], tool["description"], tool["input_schema"]["required"]) == (
            "search", "Looks something up.", ["q"],
        )  # fmt: skip
        assert [part["type"] for part in messages[1]["content"]] == ["text", "tool_use", "tool_use"]
        assert messages[1]["content"][1]["input"] == {"q": "tea"}
        assert [(part["type"], part["tool_use_id"]) for part in messages[2]["content"]] == [
            ("tool_result", "a1"),
            ("tool_result", "a2"),
        ]
        return
    function = body["tools"][0]["function"]
    assert (function["name"], function["description"]) == ("search", "Looks something up.")
    assert function["parameters"]["properties"] == {"q": {"type": "string"}}
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "tool", "tool"]
    function_call = messages[2]["tool_calls"][0]["function"]
    if name.startswith("ollama"):
        assert function_call == {"name": "search", "arguments": {"q": "tea"}}
        assert [(message["tool_name"], message["content"]) for message in messages[3:]] == [
            ("search", "1 cents"),
            ("search", "2 cents"),
        ]
    else:
        assert json.loads(function_call["arguments"]) == {"q": "tea"}
        assert [message["tool_call_id"] for message in messages[3:]] == ["a1", "a2"]


@pytest.mark.parametrize("name", MODELS)
async def test_a_tool_that_was_not_offered_is_not_asked_for(pool: Pool, name: str) -> None:
    called = await pool.model(name).complete(Request(messages=OPENED), Notebook())
    assert (called.text, called.finish, called.tools) == ("Let me see.", "stop", ())


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("arguments", ["", "{}", "not json", '{"q": "half', "[1]"])
async def test_arguments_that_are_none_come_through_and_go_back(name: str, arguments: str) -> None:
    call = ToolCall(id="a1", name="search", arguments=arguments)
    async with Wires(script=lambda call_: Plan(tools=(call,))).serve() as wires:
        pool = Pool(env=environment(wires.url), retry=HASTY)
        model = pool.model(name)
        called = await model.complete(Request(messages=OPENED, tools=(SEARCH,)), Notebook())
        assert (called.text, called.finish, len(called.tools)) == ("", "tools", 1)
        assert called.tools[0].arguments.strip() in (arguments, arguments or "{}")
        await model.complete(Request(messages=after(called.tools), tools=(SEARCH,)), Notebook())
        await pool.close()


@pytest.mark.parametrize(
    ("calls", "wanted"),
    [
        ([{"function": {"name": "search"}}], ["{}"]),
        ([{"function": {"name": "search", "arguments": '{"q": 1}'}}], ['{"q": 1}']),
        ([{"function": "search"}, {"function": dict[str, str]()}, "x", 3], list[str]()),
        ("search", list[str]()),
        (None, list[str]()),
    ],
)
async def test_calls_of_no_known_shape(calls: object, wanted: list[str]) -> None:
    data = {"message": {"content": "yes", "tool_calls": calls}, "done": True}
    model, _ = canned("ollama:tiny", Page(json.dumps(data).encode()))
    called = await model.complete(Request(messages=OPENED, tools=(SEARCH,)), Notebook())
    assert [call.arguments for call in called.tools] == wanted
    assert [call.id for call in called.tools] == [f"call-{n + 1}" for n in range(len(wanted))]


async def test_an_ollama_model_that_takes_no_tools_is_not_asked(wires: Wires, pool: Pool) -> None:
    wires.tools = False
    model = pool.model("ollama:tiny")
    assert model.traits.tools
    with pytest.raises(ModelError, match="ollama:tiny does not support tools") as caught:
        await model.complete(Request(messages=OPENED, tools=(SEARCH,)), Notebook())
    assert (caught.value.kind, model.traits.tools, wires.calls) == ("request", False, [])
    assert (await model.complete(Request(messages=OPENED), Notebook())).text == "Let me see."


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, "registry.ollama.ai/library/gemma:2b does not support tools"),
        (404, "No endpoints found that support tool use."),
        (422, "this model does not support function calling"),
    ],
)
async def test_a_refusal_of_tools_is_one_clear_sentence(name: str, status: int, words: str) -> None:
    async with Wires(script=lambda call: Plan(status=status, error=words)).serve() as wires:
        pool = Pool(env=environment(wires.url), retry=HASTY)
        with pytest.raises(ModelError, match=f"{name} does not support tools: ") as caught:
            await pool.model(name).complete(Request(messages=OPENED, tools=(SEARCH,)), Notebook())
        assert (caught.value.kind, caught.value.again, len(wires.calls)) == ("request", False, 1)
        assert not pool.model(name).traits.tools
        with pytest.raises(ModelError, match=f"{name} does not support tools$"):
            await pool.model(name).complete(Request(messages=OPENED, tools=(SEARCH,)), Notebook())
        assert len(wires.calls) == 1
        await pool.close()


def test_tools_are_counted_and_reserved() -> None:
    plain, offered = Request(messages=OPENED), Request(messages=OPENED, tools=(SEARCH,))
    assert count_tokens(OPENED, (SEARCH,)) > count_tokens(OPENED) + TOOLS_OVERHEAD
    for name in MODELS:
        assert quote(parse(name), offered).tokens > quote(parse(name), plain).tokens + TOOLS_OVERHEAD
    long = ToolCall(id="a", name="search", arguments="x" * 400)
    spoken, asking = (Message(role="assistant", text="", calls=calls) for calls in ((), (long,)))
    assert count_tokens((asking,)) > count_tokens((spoken,)) + 100


def test_calls_without_end_are_cut_off() -> None:
    with pytest.raises(Unreadable, match="more than"):
        AnswerStream(parse("ollama:tiny"), Notebook()).want("search", "x" * (MOST + 1))


# ---- settings ---------------------------------------------------------------------------------------------------

ALL = Settings(top_k=40, min_p=0.05, repeat_penalty=1.1, stop=("END", "STOP"), num_ctx=6000, keep_alive="10m")


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("openai:gpt-4o-mini", {"stop": ["END", "STOP"]}),
        ("openrouter:x/y", {"stop": ["END", "STOP"], "top_k": 40, "min_p": 0.05, "repetition_penalty": 1.1}),
        ("anthropic:claude-haiku-4-5", {"stop_sequences": ["END", "STOP"], "top_k": 40}),
        ("anthropic:claude-haiku-5-5", {"stop_sequences": ["END", "STOP"]}),
    ],
)
async def test_settings_go_where_a_wire_takes_them(wires: Wires, pool: Pool, name: str, sent: dict[str, Any]) -> None:
    await pool.model(name).complete(ask(settings=ALL), Notebook())
    body = wires.calls[-1].body
    named = (
        "stop",
        "stop_sequences",
        "top_k",
        "min_p",
        "repeat_penalty",
        "repetition_penalty",
        "num_ctx",
        "keep_alive",
    )
    assert {name: body[name] for name in named if name in body} == sent
    drops = set(pool.model(name).drops)
    assert {"num_ctx", "keep_alive"} <= drops
    assert {"top_k", "min_p"} - drops == {"top_k", "min_p"} & set(sent)


@pytest.mark.parametrize(
    ("provider", "remaining"),
    [
        ("lmstudio", {"top_k", "repeat_penalty"}),
        ("llamacpp", {"top_k", "min_p", "repeat_penalty"}),
        ("vllm", {"top_k", "min_p", "repeat_penalty"}),
        ("together", {"top_k", "min_p", "repeat_penalty"}),
        ("compatible", set[str]()),
    ],
)
def test_what_is_ignored_is_known_beforehand(provider: str, remaining: set[str]) -> None:
    env = {"TOGETHER_API_KEY": "x", "FOLKMOOT_BASE_URL": "http://127.0.0.1:9/v1"}
    drops = set(Pool(env=env).model(f"{provider}:x").drops)
    assert {"top_k", "min_p", "repeat_penalty"} - drops == remaining


@pytest.mark.parametrize(("keep_alive", "sent"), [(None, "15m"), ("10m", "10m"), ("0", 0), ("-1", -1), ("300", 300)])
async def test_ollama_is_told_everything(wires: Wires, pool: Pool, keep_alive: str | None, sent: object) -> None:
    settings = Settings(top_k=40, min_p=0.05, repeat_penalty=1.1, stop=("END",), keep_alive=keep_alive)
    await pool.model("ollama:tiny").complete(ask(settings=settings), Notebook())
    body = wires.calls[-1].body
    assert body["options"] == {
        "top_k": 40, "min_p": 0.05, "repeat_penalty": 1.1, "stop": ["END"], "num_predict": 2048, "num_ctx": 4096,
    }  # fmt: skip
    assert body["keep_alive"] == sent


async def test_the_window_is_the_one_that_was_asked_for(wires: Wires, pool: Pool) -> None:
    model = pool.model("ollama:tiny")
    windows: list[tuple[object, int]] = []
    for num_ctx, length in ((2048, 10), (6000, 100_000), (100_000, 10), (None, 10)):
        await model.complete(ask("x" * length, settings=Settings(num_ctx=num_ctx)), Notebook())
        windows.append((cast("dict[str, int]", wires.calls[-1].body["options"])["num_ctx"], model.traits.context))
    assert windows == [(2048, 2048), (6000, 6000), (8192, 8192), (4096, 8192)]
