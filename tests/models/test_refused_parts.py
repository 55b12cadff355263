"""What a model refuses of a request is left out once, noted, and remembered."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.brief import Settings
from folkmoot.core.errors import ModelError, Refused
from folkmoot.models.base import Message, Request
from folkmoot.models.pool import Pool
from folkmoot.models.wires.refused_parts import (
    PartsOfWire,
    RefusedParts,
    is_strict,
    largest_below,
    room_for_answer,
    without_system,
)
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Call, Wires
from tests.models.models_kit import HASTY, Notebook, Page, ask, canned, environment

SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"minimum": {"type": "string", "maxLength": 9}, "SCORE": {"type": "number", "minimum": 0}},
        "required": ["minimum", "SCORE"],
        "additionalProperties": False,
    }
)


def last(wires: Wires) -> Any:
    """The body of the last request."""
    return wires.calls[-1].body


def roles(body: Mapping[str, Any]) -> list[str]:
    return [message["role"] for message in body["messages"]]


def schema_of(body: Mapping[str, Any]) -> Any:
    return body["response_format"]["json_schema"]["schema"]


def is_streamed(body: Mapping[str, Any]) -> bool:
    return bool(body.get("stream"))


REFUSALS: dict[str, tuple[str, int, str, str]] = {
    # what is refused: the model, the status and the words, and what the note says
    "system": ("groq:tiny", 400, "Developer instruction is not enabled for this model", "system"),
    "system by a template": ("groq:tiny", 500, "jinja: System role not supported", "system"),
    "system by its place": ("groq:tiny", 400, "'messages[0].role' does not support 'system'", "system"),
    "turns": ("groq:tiny", 400, "Conversation roles must alternate user/assistant/user/assistant/...", "system"),
    "stream": ("groq:tiny", 400, "Your organization must be verified to stream this model.", "stream"),
    "cap": (
        "groq:tiny",
        400,
        "max_tokens is too large: 2048. This model supports at most 1,024 tokens.",
        "1,024 tokens",
    ),
    "cap of openai": ("openai:gpt-4o", 400, "'max_completion_tokens' must be in [1, 1024].", "1,024 tokens"),
    "cap of anthropic": ("anthropic:claude-haiku-4-5", 400, "max_tokens: 2048 > 1024, the maximum", "1,024 tokens"),
    "temperature": ("groq:tiny", 400, "`temperature` is deprecated for this model.", "temperature"),
    "temperature of openai": (
        "openai:gpt-4o",
        400,
        "Unsupported value: 'temperature' does not support 0.3 with this model.",
        "temperature will be left out from now on",
    ),
    "temperature of anthropic": (
        "anthropic:claude-haiku-4-5",
        400,
        "property 'temperature' is unsupported",
        "temperature",
    ),
}


def is_refused(what: str, body: Mapping[str, Any]) -> bool:
    """Whether a request has what is refused."""
    match what.partition(" ")[0]:
        case "system" | "turns":
            return "system" in roles(body)
        case "stream":
            return is_streamed(body)
        case "cap":
            return (body.get("max_tokens") or body["max_completion_tokens"]) > 1024
        case _:
            return "temperature" in body


@pytest.mark.parametrize("what", REFUSALS)
async def test_a_part_that_is_refused_is_left_out_noted_and_remembered(what: str) -> None:
    name, status, words, note = REFUSALS[what]
    noted: list[str] = []

    class Noting(Notebook):
        async def call(self, name: str, quote: Any, send: Any) -> Any:
            try:
                return await super().call(name, quote, send)
            except ModelError as error:
                noted.append(str(error))
                raise

    def play(body: Mapping[str, Any]) -> Plan:
        return Plan(status=status, error=words) if is_refused(what, body) else Plan(text="yes")

    async with Wires(script=lambda call: play(call.body)).serve() as wires:
        pool = Pool(env=environment(wires.url), retry=HASTY)
        model, notebook = pool.model(name), Noting()
        request = ask("Tea?", settings=Settings(temperature=0.3))
        assert (await model.complete(request, notebook)).text == "yes"
        assert (len(wires.calls), len(noted)) == (2, 1)
        assert note in noted[0]
        await model.complete(request, notebook)
        assert (len(wires.calls), len(noted)) == (3, 1)
        assert ("temperature" in model.drops) == what.startswith("temperature")
        if what == "system":
            assert last(wires)["messages"][0] == {"role": "user", "content": "Be brief.\n\nTea?"}
        if what == "cap":
            assert model.quote(request).tokens < notebook.calls[0][1].tokens  # what is reserved shrinks with it
        await pool.close()


PARTS: Mapping[str, Callable[[Mapping[str, Any]], bool]] = {
    "a schema": lambda body: "response_format" in body,
    "system messages": lambda body: "system" in roles(body),
    "settings": lambda body: "temperature" in body,
    "a stream": is_streamed,
}


@pytest.mark.parametrize("part", PARTS)
@given(words=st.text(max_size=40), number=st.integers(0, 9))
async def test_a_part_is_found_by_trial_whatever_the_words(part: str, words: str, number: int) -> None:
    async with Wires(
        script=lambda call: (
            Plan(status=400, error=f"{words} (r{number}{len(wires.calls)})")
            if PARTS[part](call.body)
            else Plan(text="yes")
        )
    ).serve() as wires:
        pool = Pool(env=environment(wires.url), retry=HASTY)
        request = replace(ask(settings=Settings(temperature=0.3)), schema=SCHEMA)
        for _ in range(2):
            assert (await pool.model("groq:tiny").complete(request, Notebook())).text == "yes"
        assert len(wires.calls) <= 6
        others = [other for other in PARTS if other != part and PARTS[other](last(wires))]
        assert len(others) == 3  # only what was at fault is left out
        await pool.close()


async def test_those_who_are_asked_at_once_look_for_one_part_together() -> None:
    async with Wires(
        script=lambda call: Plan(status=400, error="Bad Request") if is_streamed(call.body) else Plan(text="yes")
    ).serve() as wires:
        pool = Pool(env=environment(wires.url), retry=HASTY)
        model = pool.model("groq:tiny")
        request = replace(ask(settings=Settings(temperature=0.3)), schema=SCHEMA)
        async with asyncio.TaskGroup() as group:
            answers = [group.create_task(model.complete(request, Notebook())) for _ in range(6)]
        assert {answer.result().text for answer in answers} == {"yes"}
        assert roles(last(wires)) == ["system", "user"]
        assert {"temperature", "response_format"} <= last(wires).keys()
        await pool.close()


async def test_a_model_may_refuse_more_parts_than_a_call_has_tries() -> None:
    def play(body: Mapping[str, Any]) -> Plan:
        for what in ("system", "stream", "cap", "temperature"):
            if is_refused(what, body):
                return Plan(status=REFUSALS[what][1], error=REFUSALS[what][2])
        return Plan(text="yes") if "seed" not in body else Plan(status=422, error="'seed' is not permitted")

    async with Wires(script=lambda call: play(call.body)).serve() as wires:
        pool = Pool(env=environment(wires.url), retry=HASTY)
        called = await pool.model("groq:tiny").complete(ask(settings=Settings(temperature=1, seed=3)), Notebook())
        assert (called.text, len(wires.calls)) == ("yes", 6)
        await pool.close()


async def test_a_field_that_is_blamed_is_left_out_though_the_words_speak_of_lengths() -> None:
    error = {"message": "too many stop sequences in the request: at most 4", "param": "stop"}
    model, port = canned("groq:tiny", Page(json.dumps({"error": error}).encode(), status=400))
    for again in (True, False):
        with pytest.raises(Refused) as caught:
            await model.complete(ask(settings=Settings(stop=("x",))), Notebook())
        assert caught.value.again == again
    assert ["stop" in body for body in port.sent] == [True, False]


async def test_what_is_refused_for_ever_is_not_asked_for_ever() -> None:
    numbers = iter(range(2000, 100, -1))

    def play(call: Call) -> Plan:
        return Plan(status=400, error=f"max_tokens must be below {next(numbers)}")

    async with Wires(script=play).serve() as wires:
        pool = Pool(env=environment(wires.url), retry=HASTY)
        with pytest.raises(Refused):
            await pool.model("groq:tiny").complete(ask(), Notebook())
        assert len(wires.calls) < 15
        await pool.close()


@pytest.mark.parametrize(
    ("words", "cap", "room"),
    [
        (
            "maximum context length is 4097 tokens. You requested 5000 tokens (952 in the prompt, 4048 to come)",
            4048,
            3145,
        ),
        ("'max_tokens' is too large: 2048. The context is 2048 tokens, 1000 of input (2048 > 2048 - 1000)", 2048, 1048),
        ("input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000", 20000, 10000),
        ("the context holds 2048 tokens, 2040 of input (2048 > 2048 - 2040)", 2048, 0),
        ("prompt is too long: 210000 tokens > 200000 maximum of the context", 2048, 0),
        ("the context is full", 2048, 0),
        ("max_tokens is too large: 2048, at most 1024", 2048, 0),
    ],
)
def test_what_a_window_leaves_for_an_answer(words: str, cap: int, room: int) -> None:
    assert room_for_answer(words, cap) == room


@pytest.mark.parametrize(
    ("words", "cap"),
    [
        ("at most 1024 completion tokens, whereas you provided 2048", 1024),
        ("gpt-4o-2024-08-06 supports at most 1024", 1024),
        ("the valid range of max_tokens is [1, 1,500]", 1500),
        ("at least 1", 0),
        ("no number", 0),
    ],
)
def test_the_cap_that_a_provider_names(words: str, cap: int) -> None:
    assert largest_below(words, 2048) == cap


def test_what_the_system_says_goes_into_the_first_message() -> None:
    system, user = Message(role="system", text="Be brief."), Message(role="user", text="Tea?")
    own = Message(role="assistant", text="Yes.")
    assert without_system((system, user, own)) == (Message(role="user", text="Be brief.\n\nTea?"), own)
    assert without_system((system, own)) == (Message(role="user", text="Be brief."), own)
    assert without_system((user,)) == (user,)


# ---- schemas ---------------------------------------------------------------------------------------------------------


async def complete(wires: Wires, name: str, schema: str = SCHEMA) -> str:
    pool = Pool(env=environment(wires.url), retry=HASTY)
    try:
        request = Request(messages=(Message(role="user", text="Tea?"),), schema=schema)
        return (await pool.model(name).complete(request, Notebook())).text
    finally:
        await pool.close()


async def test_a_keyword_that_is_refused_is_left_out_alone() -> None:
    words = "Invalid schema for response_format 'answer': 'minimum' is not permitted."

    def play(body: Mapping[str, Any]) -> Plan:
        return Plan(status=400, error=words) if "minimum" in schema_of(body)["properties"]["SCORE"] else Plan(text="{}")

    async with Wires(script=lambda call: play(call.body)).serve() as wires:
        await complete(wires, "openai:gpt-4o")
        sent = schema_of(last(wires))
        assert sent["properties"] == {"minimum": {"type": "string", "maxLength": 9}, "SCORE": {"type": "number"}}
        assert last(wires)["response_format"]["json_schema"]["strict"] is True


async def test_a_schema_that_is_refused_is_asked_for_less_strictly_and_then_not_blamed_on_the_next() -> None:
    words = "Invalid schema for response_format 'answer': it is odd."
    async with Wires(script=lambda call: Plan(status=400, error=words)).serve() as wires:
        with pytest.raises(Refused) as caught:
            await complete(wires, "openai:gpt-4o")
        assert (caught.value.kind, caught.value.again) == ("request", False)
        bodies: list[Any] = [call.body for call in wires.calls]
        assert ["strict" in body["response_format"]["json_schema"] for body in bodies] == [True, False]


async def test_a_model_that_takes_no_schema_is_asked_without_one() -> None:
    def play(body: Mapping[str, Any]) -> Plan:
        refused = "response_format" in body
        return Plan(status=400, error="This response_format type is unavailable now") if refused else Plan(text="{}")

    async with Wires(script=lambda call: play(call.body)).serve() as wires:
        assert await complete(wires, "groq:tiny") == "{}"
        assert len(wires.calls) == 2


async def test_anthropic_is_sent_no_bounds() -> None:
    async with Wires(script=lambda call: Plan(text="{}")).serve() as wires:
        await complete(wires, "anthropic:claude-haiku-5-5")
        sent = last(wires)["output_config"]["format"]["schema"]
        assert sent["properties"] == {"minimum": {"type": "string"}, "SCORE": {"type": "number"}}


OPEN = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        (json.loads(SCHEMA), True),
        (OPEN, False),
        ({**OPEN, "additionalProperties": False}, True),
        ({**OPEN, "additionalProperties": False, "required": list[str]()}, False),
        ({**OPEN, "additionalProperties": False, "properties": {"a": OPEN}}, False),
        ({**OPEN, "additionalProperties": False, "properties": {"a": {"type": "array", "items": OPEN}}}, False),
        ({**OPEN, "additionalProperties": False, "if": {}}, False),
        ({"type": "string"}, False),
        (True, False),
    ],
)
def test_a_schema_is_strict_where_all_is_closed(schema: Any, strict: bool) -> None:
    assert is_strict(schema) == strict


def test_names_of_properties_are_no_keywords() -> None:
    kept: Any = RefusedParts(PartsOfWire(), keywords=frozenset({"minimum", "SCORE"})).schema(SCHEMA)
    assert kept["properties"] == {"minimum": {"type": "string", "maxLength": 9}, "SCORE": {"type": "number"}}
