"""The wires under streams that no honest server sends: whatever cannot be read is an error of ours."""

import json
from collections.abc import Mapping

import pytest

from folkmoot.core.errors import ModelError
from folkmoot.core.event import Called
from folkmoot.core.text import LONGEST_NAME
from tests.models.models_kit import KEY, Notebook, Page, ask, canned

OPENAI = ["openai:gpt-4o", "groq:some-model"]
CLAUDE = "anthropic:claude-haiku-5-5"


async def hear(name: str, body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> Called:
    """What comes of a body."""
    model, _ = canned(name, Page(body, status, {"content-type": "text/event-stream", **(headers or {})}))
    return await model.complete(ask(), Notebook())


@pytest.mark.parametrize("name", OPENAI)
@pytest.mark.parametrize(
    "data",
    [
        "[]",
        '"x"',
        "3",
        "null",
        "{}",
        '{"choices": "x"}',
        '{"choices": ["x"]}',
        '{"choices": [{}]}',
        '{"choices": [{"delta": 3}]}',
        '{"choices": [{"delta": {"content": 3}}]}',
        "[" * 5000,
    ],
)
async def test_openai_streams_of_no_known_shape(name: str, data: str) -> None:
    with pytest.raises(ModelError) as caught:
        await hear(name, f"data: {data}\n\ndata: [DONE]\n\n".encode())
    assert caught.value.kind in ("garbled", "empty")
    assert caught.value.again


@pytest.mark.parametrize(
    "event",
    [
        [],
        "x",
        None,
        {},
        {"type": "x"},
        {"type": "message_start"},
        {"type": "message_start", "message": "x"},
        {"type": "message_start", "message": {}},
        {"type": "content_block_start", "index": 0},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": 3}},
        {"type": "content_block_delta"},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
    ],
    ids=str,
)
async def test_anthropic_streams_of_no_known_shape(event: object) -> None:
    with pytest.raises(ModelError) as caught:
        await hear(CLAUDE, b"event: message_start\ndata: " + json.dumps(event).encode() + b"\n\n")
    assert caught.value.kind in ("garbled", "empty")
    assert caught.value.again


async def test_a_count_with_a_point_and_nothing_behind_it_is_a_count() -> None:
    called = await hear("openai:gpt-4o", answer_body(usage='{"prompt_tokens": 12.0, "completion_tokens": 5.0}'))
    assert (called.usage.input_tokens, called.usage.output_tokens, called.usage.estimated) == (12, 5, False)


@pytest.mark.parametrize(("model", "served"), [("5", ""), ("[]", ""), ("null", ""), ('"a\\u0000b"', "ab")])
async def test_a_model_that_is_no_name_ends_no_answer(model: str, served: str) -> None:
    called = await hear("openai:gpt-4o", answer_body(model=model))
    assert (called.text, called.served) == ("yes", served)


async def test_the_name_of_a_model_has_a_longest_length() -> None:
    called = await hear("openai:gpt-4o", answer_body(model=f'"{"x" * 500_000}"'))
    assert len(called.served) < LONGEST_NAME + 50
    assert called.served.endswith("[…cut: 499800 more characters]")


def answer_body(**more: str) -> bytes:
    """An answer, with further fields as JSON."""
    fields = "".join(f', "{name}": {value}' for name, value in more.items())
    return f'data: {{"choices": [{{"delta": {{"content": "yes"}}, "finish_reason": "stop"}}]{fields}}}\n\n'.encode()


@pytest.mark.parametrize("name", [*OPENAI, CLAUDE])
@pytest.mark.parametrize(
    ("status", "body", "headers", "kind"),
    [
        (200, b"", {}, "garbled"),
        (200, b"data: \xff\xfe\n\n", {}, "garbled"),
        (200, b"hello", {"content-type": "text/plain"}, "garbled"),
        (418, b"{}", {}, "request"),
        (500, b"", {}, "server"),
        (500, b"<html>", {"content-type": "text/html"}, "server"),
        (500, b"[1]", {"content-type": "application/json"}, "server"),
        (500, b'{"error": "plain words"}', {"content-type": "application/json"}, "server"),
    ],
)
async def test_bodies_of_no_known_shape(
    name: str, status: int, body: bytes, headers: dict[str, str], kind: str
) -> None:
    with pytest.raises(ModelError) as caught:
        await hear(name, body, status, headers)
    assert caught.value.kind == kind
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("name", [*OPENAI, CLAUDE])
@pytest.mark.parametrize(
    "body", [{"error": "no."}, {"error": {"message": "no."}}, {"message": "no."}, {"detail": "no."}], ids=str
)
async def test_the_words_of_an_error_are_found(name: str, body: dict[str, object]) -> None:
    with pytest.raises(ModelError, match=r"\(400\): no\.$"):
        await hear(name, json.dumps(body).encode(), 400, {"content-type": "application/json"})


@pytest.mark.parametrize("name", OPENAI)
async def test_a_tool_call_beside_the_words_is_left_out(name: str) -> None:
    call = {"index": 0, "id": "c", "function": {"name": "buy", "arguments": "{}"}}
    chunk = {"choices": [{"delta": {"content": "yes", "tool_calls": [call]}, "finish_reason": "tool_calls"}]}
    called = await hear(name, f"data: {json.dumps(chunk)}\n\n".encode())
    assert (called.text, called.finish) == ("yes", "stop")
