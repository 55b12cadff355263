"""A model name answers in a shape: JSON that fits a schema, or calls of the caller's own tools."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import openai
import pytest

from folkmoot.app.brief.presets import read_presets
from folkmoot.models.base import Request, Traits
from folkmoot.testing.scripted import ScriptedModel
from tests.council.agents import own_place
from tests.web.test_model_endpoint import PRESETS, QUESTION, client
from tests.web.web_kit import SERVING, WORDS, Web, opened


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


def words(request: Request) -> str:
    """What a model says: an answer, JSON where a schema is asked for, or what the topic asks it to say."""
    text = "\n".join(message.text for message in request.messages)
    if "JSON Schema" not in text:
        return WORDS if "FORM" in text or "ANSWER" in text else "Tea, with milk."
    if "BROKEN" in text:
        return '{"drink": 3}'
    if "urn:tool:" in text:
        called = {"name": "brew", "arguments": {"drink": "Tea"}}
        return '{"content": "It is brewed."}' if "brewed" in text else json.dumps({"tool_calls": [called]})
    return '{"drink": "Tea"}'


SHAPES = {
    "acts": {"models": ["guest:any"], "participants": "builtin", "rounds": 0, "answer": "acting"},
    "any": {"models": ["guest:any"], "participants": "builtin", "rounds": 0},
    "mute": {"models": ["guest:tea"], "participants": "builtin", "rounds": 0, "acting": "guest:away"},
    "split": PRESETS["split"],
}

SCHEMA = {"type": "object", "properties": {"drink": {"type": "string"}}, "required": ["drink"]}
FORMAT: Any = {"type": "json_schema", "json_schema": {"name": "drink", "schema": SCHEMA}}
TOOL: Any = {"type": "function", "function": {"name": "brew", "description": "brews", "parameters": SCHEMA}}
OTHER: Any = {"type": "function", "function": {"name": "pour"}}


@asynccontextmanager
async def serving(folder: Path, *, real: bool = False) -> AsyncGenerator[Web]:
    from tests.web.test_model_endpoint import Away

    milk = ScriptedModel(lambda request: WORDS.replace("Tea", "Milk"), name="guest:milk")
    tea = ScriptedModel(lambda request: WORDS, name="guest:tea")
    plain = ScriptedModel(words, name="guest:any", traits=Traits(tools=False))  # calls of tools are asked for in JSON
    models: dict[str, Any] = {"tea": tea, "milk": milk, "away": Away(), "any": plain}
    async with opened(folder, real=real, models=models, serving=SERVING) as web:
        web.site.runner.config = replace(web.site.runner.config, presets=read_presets(SHAPES, "folkmoot.toml"))
        web.site.workspace.config = web.site.runner.config
        web.site.endpoint.presets = web.site.runner.config.presets
        yield web


async def ask(web: Web, model: str = "any", **more: Any) -> dict[str, Any]:
    body = {"model": f"folkmoot/{model}", "messages": QUESTION, **more}
    response = await web.ann.post("/v1/chat/completions", json=body)
    assert response.status_code == 200, response.text
    return response.json()


def message(answer: dict[str, Any]) -> dict[str, Any]:
    return answer["choices"][0]["message"]


async def test_an_answer_fits_the_schema_of_its_caller_or_is_refused(tmp_path: Path) -> None:
    async with serving(tmp_path) as web:
        answer = await ask(web, response_format=FORMAT, max_tokens=1)
        loose = await ask(web, response_format={"type": "json_object"})
        topic = [{"role": "user", "content": "Tea or coffee? BROKEN"}]
        broken = await ask(web, response_format=FORMAT, messages=topic)
        split = await ask(web, "split", response_format=FORMAT, metadata={"folkmoot_options": "Tea|Milk"})
        mute = await ask(web, "mute", response_format=FORMAT)
        entries = await web.site.workspace.entries(broken["folkmoot"]["debate"])
    assert json.loads(message(answer)["content"]) == json.loads(message(loose)["content"]) == {"drink": "Tea"}
    assert message(answer)["refusal"] is None
    assert answer["folkmoot"]["ignored"] == ["max_tokens"]
    assert message(broken)["content"] is None
    assert "no answer in that shape: at $.drink 3 is not of type 'string'." in message(broken)["refusal"]
    assert sum(getattr(entry.event, "call", "") == "repair" for entry in entries) >= 1
    assert message(split)["refusal"].startswith("No decision: ")
    assert message(mute)["refusal"].endswith("no connection to away: reset.")


async def test_the_shape_of_a_caller_is_the_providers_own_structured_output(tmp_path: Path) -> None:
    def answer(request: Request) -> str:
        return '{"drink": "Tea"}' if request.schema else WORDS

    writer = ScriptedModel(answer, name="guest:any")
    async with opened(tmp_path, models={"any": writer}, serving=SERVING) as web:
        web.site.runner.config = replace(web.site.runner.config, presets=read_presets(SHAPES, "folkmoot.toml"))
        web.site.workspace.config = web.site.runner.config
        web.site.endpoint.presets = web.site.runner.config.presets
        got = await ask(web, response_format=FORMAT)
    assert json.loads(message(got)["content"]) == {"drink": "Tea"}
    (asked,) = [request for request in writer.history if request.schema]
    assert json.loads(asked.schema) == SCHEMA
    for words in ("Votes:", "unanimous", "Stated confidence"):
        assert words in asked.messages[-1].text


async def test_options_fill_a_shape_without_another_question(tmp_path: Path) -> None:
    enum = {"enum": ["Milk", "Tea"]}
    schema = {"type": "object", "properties": {"drink": enum}, "required": ["drink"]}
    options = {"folkmoot_options": "Tea|Milk"}
    async with serving(tmp_path) as web:
        wanted = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
        answer = await ask(web, response_format=wanted, metadata=options)
        bare = {"type": "json_schema", "json_schema": {"name": "x", "schema": enum}}
        plain = await ask(web, response_format=bare, metadata=options)
        entries = await web.site.workspace.entries(answer["folkmoot"]["debate"])
    assert (message(answer)["content"], message(plain)["content"]) == ('{"drink": "Tea"}', '"Tea"')
    assert not [entry for entry in entries if "deliver" in str(getattr(entry.event, "key", ""))]


async def test_a_forced_tool_is_a_shape_too(tmp_path: Path) -> None:
    async with serving(tmp_path, real=True) as web, client(web) as caller:
        create = caller.chat.completions.create
        named: Any = {"type": "function", "function": {"name": "brew"}}
        answer = await create(model="folkmoot/any", messages=QUESTION, tools=[TOOL, OTHER], tool_choice=named)
        stream = await create(
            model="folkmoot/any", messages=QUESTION, tools=[TOOL], tool_choice="required", stream=True
        )
        pieces: list[Any] = [chunk.choices[0] async for chunk in stream]
    (call,) = answer.choices[0].message.tool_calls or []
    assert call.type == "function"
    assert (call.function.name, call.function.arguments) == ("brew", '{"drink": "Tea"}')
    assert answer.choices[0].finish_reason == pieces[-1].finish_reason == "tool_calls"
    (streamed,) = [piece.delta.tool_calls[0] for piece in pieces if piece.delta.tool_calls]
    assert streamed.function.arguments == '{"drink": "Tea"}'


async def test_tools_are_used_where_one_model_acts(tmp_path: Path) -> None:
    async with serving(tmp_path) as web:
        free = await ask(web, "any", tools=[TOOL])
        answer = await ask(web, "acts", tools=[TOOL, OTHER])
        (call,) = message(answer)["tool_calls"]
        turn = {"role": "assistant", "content": None, "tool_calls": [call]}
        result = {"role": "tool", "tool_call_id": call["id"], "content": "brewed"}
        after = await ask(web, "acts", tools=[TOOL, OTHER], messages=[*QUESTION, turn, result])
        entries = await web.site.workspace.entries(after["folkmoot"]["debate"])
        plain = await ask(web, "acts")
        needed = await web.ann.post(
            "/v1/chat/completions",
            json={"model": "folkmoot/any", "messages": QUESTION, "tools": [TOOL, OTHER], "tool_choice": "required"},
        )
    assert message(free)["content"] == "Tea"
    assert free["folkmoot"]["ignored"] == ["tools"]
    assert message(answer)["content"] is None
    assert call["function"] == {"name": "brew", "arguments": '{"drink": "Tea"}'}
    assert message(after)["content"] == "It is brewed."
    assert [entry.event.ask.act for entry in entries if hasattr(entry.event, "ask")] == ["deliver"]  # type: ignore[union-attr]
    assert message(plain)["content"] == "Tea, with milk."
    assert needed.json()["error"]["param"] == "tools"


async def test_who_may_call_tools_and_writes_none_of_them_gets_the_decision_in_words(tmp_path: Path) -> None:
    async with serving(tmp_path) as web:
        broken = [{"role": "user", "content": "BROKEN: tea or coffee?"}]
        free = await ask(web, "acts", tools=[TOOL, OTHER], messages=broken)
        forced = await ask(web, "acts", tools=[TOOL, OTHER], tool_choice="required", messages=broken)
        call = {"id": "c1", "type": "function", "function": {"name": "brew", "arguments": "{}"}}
        turn = {"role": "assistant", "content": None, "tool_calls": [call]}
        result = {"role": "tool", "tool_call_id": "c1", "content": "BROKEN"}
        alone = await ask(web, "acts", tools=[TOOL, OTHER], messages=[*QUESTION, turn, result])
    words = "The final answer could not be written ("
    assert message(free)["content"].startswith(f"Tea\n\nFolkmoot: {words}")
    assert message(free)["refusal"] is None
    assert free["choices"][0]["finish_reason"] == "stop"
    assert message(alone)["content"] is None
    assert message(alone)["refusal"], "nobody debated, so there is no decision to fall back on"
    assert message(forced)["content"] is None
    assert message(forced)["refusal"].startswith("There is a decision, but no answer in that shape: ")


async def test_a_turn_that_nobody_could_write_is_an_error(tmp_path: Path) -> None:
    messages = [*QUESTION, {"role": "tool", "tool_call_id": "1", "content": "brewed"}]
    async with serving(tmp_path) as web:
        body = {"model": "folkmoot/mute", "messages": messages}
        response = await web.ann.post("/v1/chat/completions", json=body)
        acting = await ask(web, "mute")
    assert response.status_code == 503
    assert "no connection" in response.json()["error"]["message"]
    assert message(acting)["content"] == "Tea"


AWAY = {"$ref": "http://127.0.0.1:1/schema"}
LOST: Any = {"type": "object", "properties": {"a": {"items": {"$ref": "#/$defs/b"}}}, "definitions": {"b": {}}}
LOOP = {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"response_format": {"type": "grammar"}}, "response_format"),
    ({"response_format": {"type": "json_schema"}}, "response_format.json_schema.schema"),
    ({"response_format": {**FORMAT, "json_schema": {"schema": {"type": "x"}}}}, "response_format.json_schema.schema"),
    ({"response_format": {**FORMAT, "json_schema": {"schema": AWAY}}}, "response_format.json_schema.schema"),
    ({"response_format": {**FORMAT, "json_schema": {"schema": LOST}}}, "response_format.json_schema.schema"),
    ({"response_format": {**FORMAT, "json_schema": {"schema": {"$ref": "#"}}}}, "response_format.json_schema.schema"),
    ({"response_format": {**FORMAT, "json_schema": {"schema": LOOP}}}, "response_format.json_schema.schema"),
    ({"tools": [{"type": "function", "function": {"name": "f", "parameters": LOST}}]}, "tools[0].function.parameters"),
    ({"tools": [{"type": "function", "function": {"name": "f", "parameters": LOOP}}]}, "tools[0].function.parameters"),
    ({"tools": 3}, "tools"),
    ({"tools": [{"type": "web_search"}]}, "tools[0]"),
    ({"tools": [{"type": "function", "function": {"name": "a b"}}]}, "tools[0]"),
    ({"tools": [TOOL], "tool_choice": {"type": "function", "function": {"name": "x"}}}, "tool_choice"),
]


async def test_a_shape_that_cannot_be_is_refused_by_name(tmp_path: Path) -> None:
    async with serving(tmp_path) as web:
        for more, param in REFUSED:
            body = {"model": "folkmoot/any", "messages": QUESTION, **more}
            response = await web.ann.post("/v1/chat/completions", json=body)
            assert (response.status_code, response.json()["error"]["param"]) == (400, param)


async def test_typed_output_of_a_client(tmp_path: Path) -> None:
    import pydantic

    class Drink(pydantic.BaseModel):
        drink: str

    async with serving(tmp_path, real=True) as web, client(web) as caller:
        parsed = await caller.chat.completions.parse(model="folkmoot/any", messages=QUESTION, response_format=Drink)
        assert isinstance(caller, openai.AsyncOpenAI)
    assert parsed.choices[0].message.parsed == Drink(drink="Tea")
