"""Connection tests of gateways and chat programs: a few words, and room for a few tokens. They get an answer at once.

No debate is run for them and no model is called: a test that costs minutes and money would be repeated all day.
"""

from collections.abc import Mapping
from importlib import metadata

from fastapi.responses import JSONResponse, Response

from folkmoot.app.endpoint.chat_answer import ChatAnswer, DebateState
from folkmoot.app.endpoint.chat_request import RULES, ChatRequest
from folkmoot.app.endpoint.responses_answer import ResponseFrame, response_body, response_events
from folkmoot.app.endpoint.responses_request import ResponsesRequest
from folkmoot.core.transcript import Transcript
from folkmoot.web.model_api.held_answers import event, typed_event
from folkmoot.web.schemas import Data

MOST_TOKENS = 16
"""The room for an answer in which no decision fits that was worth a debate."""

MOST_LETTERS = 40
"""A message that is longer may be a question."""

WORDS = "Ready."

_FACTS: Mapping[str, object] = {
    "status": "ready",
    "notice": "a connection test: no debate was run, and no model called",
}

_NOTHING: Mapping[str, object] = {
    "prompt_tokens": 0,
    "completion_tokens": 0,
    "total_tokens": 0,
    "cost": 0.0,
    "estimated": False,
}


def is_ping(request: ChatRequest) -> bool:
    """Whether a request only tests the connection: ``hi`` with ``max_tokens: 1``."""
    said = [message for message in request.messages if message.role not in RULES]
    short = len(said) == 1 and len(said[0].text.strip()) <= MOST_LETTERS and not said[0].files
    plain = not (request.options or request.shape or request.turn)
    return short and plain and request.most_tokens is not None and request.most_tokens <= MOST_TOKENS


def pong(request: ChatRequest, at: int) -> Response:
    """The answer to a connection test."""
    head: Data = {
        "id": "chatcmpl-ping",
        "created": at,
        "model": request.model,
        "system_fingerprint": f"folkmoot-{metadata.version('folkmoot')}",
        "folkmoot": _FACTS,
    }
    message: Data = {"role": "assistant", "content": WORDS}
    rest: Data = {"index": 0, "finish_reason": "stop", "logprobs": None}
    if not request.stream:
        whole: Data = {"object": "chat.completion", "choices": [{**rest, "message": message}], "usage": _NOTHING}
        return JSONResponse({**head, **whole})
    chunk: Data = {**head, "object": "chat.completion.chunk"}
    last = event({**chunk, "choices": [], "usage": _NOTHING}) if request.usage_chunk else b""
    body = event({**chunk, "choices": [{**rest, "delta": message}]}) + last + b"data: [DONE]\n\n"
    return Response(body, media_type="text/event-stream")


def response_pong(wanted: ResponsesRequest, at: int) -> Response:
    """The answer to a connection test of the responses interface."""
    frame = ResponseFrame(debate="ping", model=wanted.chat.model, at=at, echo=wanted.echo, told=False)
    state = DebateState(debate=frame.debate, entries=(), transcript=Transcript(), runs=False)
    answer = ChatAnswer(status="decided", text=WORDS, finish="stop", facts=_FACTS)
    if not wanted.chat.stream:
        return JSONResponse(response_body(frame, state, answer, "completed"))
    events = enumerate(response_events(frame, state, answer))
    return Response(b"".join(typed_event(name, n, data) for n, (name, data) in events), media_type="text/event-stream")
