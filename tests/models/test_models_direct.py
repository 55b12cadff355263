"""The wires under streams that no honest server sends: whatever cannot be read is an error of ours."""

import pytest

from folkmoot.core.errors import ModelError
from folkmoot.core.event import Called
from folkmoot.core.text import LONGEST_NAME
from tests.models.models_kit import KEY, Notebook, Page, ask, canned

OPENAI, CLAUDE = "openai:gpt-4o", "anthropic:claude-haiku-5-5"


async def hear(name: str, body: bytes, status: int = 200) -> Called:
    """What comes of a body."""
    return await canned(name, Page(body, status, {"content-type": "text/event-stream"}))[0].complete(ask(), Notebook())


NO_SHAPE = (
    *((OPENAI, data) for data in ("[]", '"x"', "3", "null", "{}", '{"choices": "x"}', '{"choices": ["x"]}')),
    *((OPENAI, f'{{"choices": [{choice}]}}') for choice in ("{}", '{"delta": 3}', '{"delta": {"content": 3}}')),
    *((CLAUDE, data) for data in ("[]", '"x"', "null", "{}", '{"type": "x"}', '{"type": "content_block_delta"}')),
    *((CLAUDE, f'{{"type": "message_start"{more}}}') for more in ("", ', "message": "x"', ', "message": {}')),
    (CLAUDE, '{"type": "content_block_start", "index": 0}'),
    (CLAUDE, '{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": 3}}'),
    (CLAUDE, '{"type": "message_delta", "delta": {"stop_reason": "end_turn"}}'),
)


@pytest.mark.parametrize(("name", "data"), NO_SHAPE)
async def test_a_stream_of_no_known_shape_is_tried_again(name: str, data: str) -> None:
    with pytest.raises(ModelError) as caught:
        await hear(name, f"data: {data}\n\ndata: [DONE]\n\n".encode())
    assert caught.value.kind in ("garbled", "empty")
    assert caught.value.again


@pytest.mark.parametrize("name", [OPENAI, CLAUDE])
@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (200, b"data: \xff\xfe\n\n", "garbled"),
        (200, b"hello", "garbled"),
        (418, b"{}", "request"),
        (500, b"<html>", "server"),
        (500, b"[1]", "server"),
        (500, b'{"error": "plain words"}', "server"),
    ],
)
async def test_bodies_of_no_known_shape(name: str, status: int, body: bytes, kind: str) -> None:
    with pytest.raises(ModelError) as caught:
        await hear(name, body, status)
    assert caught.value.kind == kind
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(("model", "served"), [("5", ""), ("[]", ""), ("null", ""), ('"a\\u0000b"', "ab")])
async def test_a_model_that_is_no_name_ends_no_answer(model: str, served: str) -> None:
    called = await hear(OPENAI, answer_body(model=model))
    assert (called.text, called.served) == ("yes", served)


async def test_the_name_of_a_model_has_a_longest_length() -> None:
    called = await hear(OPENAI, answer_body(model=f'"{"x" * 500_000}"'))
    assert len(called.served) < LONGEST_NAME + 50
    assert called.served.endswith("[…cut: 499800 more characters]")


def answer_body(**more: str) -> bytes:
    """An answer, with further fields as JSON."""
    fields = "".join(f', "{name}": {value}' for name, value in more.items())
    return f'data: {{"choices": [{{"delta": {{"content": "yes"}}, "finish_reason": "stop"}}]{fields}}}\n\n'.encode()
