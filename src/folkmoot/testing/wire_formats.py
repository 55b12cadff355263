"""The wire formats of Ollama, OpenAI and Anthropic as bytes, for tests."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Literal, TypeAlias, cast

import msgspec

from folkmoot.core.ask import ToolCall

Fault: TypeAlias = Literal["", "silence", "stall", "cut", "reset", "unmarked", "html", "garbage", "drip", "broken"]
Body: TypeAlias = Mapping[str, object]

HTML = b"<!doctype html><title>Just a moment</title><p>Checking your browser"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is answered to one call, and what goes wrong.

    Attributes:
        text: the answer's words.
        thinking: what the model thinks before, in the wire's own field for it.
        tools: the tools that the model asks for, behind its words.
        status: the HTTP status.
        headers: further headers of an error.
        error: the message of an error.
        code: the error's stable name, as providers give it.
        fault: what goes wrong on the way: ``silence`` (nothing comes), ``stall`` (nothing more comes), ``cut`` (the
            connection ends in the middle), ``reset``, ``unmarked`` (a proper end without an end marker), ``html``,
            ``garbage`` (no JSON), ``drip`` (heartbeats for ever), ``broken`` (an error as the last event).
        finish: why the answer stops: ``stop``, ``length``, ``filter``; any other mark goes out as it is.
        usage: tokens in, out, and read from the cache; None to leave them out.
        served: the model that says it answered; "" for the one that was asked.
        piece: characters of text in one event.
        slice: bytes in one packet; 0 for whole events.
        pause: seconds after each event.
        delay: seconds before the first byte.
        hold: nothing comes after the first event until this is set; None to hold nothing back.
    """

    text: str = ""
    thinking: str = ""
    tools: tuple[ToolCall, ...] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    error: str = "something went wrong"
    code: str = ""
    fault: Fault = ""
    finish: str = "stop"
    usage: tuple[int, int, int] | None = (12, 5, 0)
    served: str = ""
    piece: int = 8
    slice: int = 0
    pause: float = 0.0
    delay: float = 0.0
    hold: Event | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One wire.

    Attributes:
        kind: the content type of a stream.
        heartbeat: what keeps a connection open without saying anything.
        garbage: an event that cannot be read.
        frames: the events of an answer, and the bytes that end it.
        error: the body of an error.
        broken: an error as an event of a stream.
        whole: the body of an answer that is not streamed; None where only streams are spoken.
    """

    kind: str
    heartbeat: bytes
    garbage: bytes
    frames: Callable[[Plan, Body], tuple[list[bytes], bytes]]
    error: Callable[[Plan], bytes]
    broken: Callable[[bytes], bytes]
    whole: Callable[[Plan, Body], bytes] | None = None


def last_prompt(body: Body) -> str:
    """The text of the last message, which Anthropic's wire may send in parts, one of them a tool's result."""
    return _words(cast("Sequence[Mapping[str, object]]", body["messages"])[-1]["content"])


def _words(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = cast("Sequence[Mapping[str, object]]", content)
    return "".join(_words(part.get("text", part.get("content", ""))) for part in parts)


def page(path: str, models: Sequence[str], context: int, *, tools: bool = True) -> tuple[int, object]:
    """Status and body of everything that is no answer: lists of models, a model's particulars, the version."""
    match path:
        case "/api/tags":
            return 200, {"models": [{"name": name, "model": name, "size": 1} for name in models]}
        case "/api/show":
            info = {"tiny.context_length": context, "general.architecture": "tiny"} if context else {}
            able = ["completion", "tools"] if tools else ["completion"]
            return 200, {"model_info": info, "details": {"family": "tiny"}, "capabilities": able}
        case "/api/version":
            return 200, {"version": "0.12.9"}
        case "/v1/models":
            return 200, {"object": "list", "data": [{"id": name, "object": "model"} for name in models]}
        case _:
            return 404, {"error": f"there is no {path}"}


def cut(text: str, size: int) -> list[str]:
    """The text in pieces of that many characters."""
    return [text[start : start + size] for start in range(0, len(text), size)]


# ---- Ollama -----------------------------------------------------------------------------------------------------


def _ollama_frames(plan: Plan, body: Body) -> tuple[list[bytes], bytes]:
    head = {"model": plan.served or body["model"], "created_at": "2026-01-01T00:00:00Z"}

    def event(message: Mapping[str, object], **more: object) -> bytes:
        return _json({**head, "message": {"role": "assistant", **message}, "done": False, **more}) + b"\n"

    thoughts = [event({"content": "", "thinking": piece}) for piece in cut(plan.thinking, plan.piece)]
    words = [event({"content": piece}) for piece in cut(plan.text, plan.piece)]
    calls = [
        {"function": {"name": tool_call.name, "arguments": _object(tool_call.arguments)}} for tool_call in plan.tools
    ]
    wanted = [event({"content": "", "tool_calls": calls})] if calls else []
    reason = "stop" if plan.finish == "filter" else plan.finish
    return [*thoughts, *words, *wanted], event({"content": ""}, done=True, done_reason=reason, **_ollama_usage(plan))


def _object(arguments: str) -> object:
    """Arguments as this wire sends them, an object; what is no JSON is sent as it is."""
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


def _ollama_usage(plan: Plan) -> dict[str, int]:
    return {"prompt_eval_count": plan.usage[0], "eval_count": plan.usage[1]} if plan.usage else {}


def _ollama_whole(plan: Plan, body: Body) -> bytes:
    message = {"role": "assistant", "content": plan.text}
    answer = {"model": plan.served or body["model"], "message": message, "done": True, "done_reason": "stop"}
    return _json({**answer, **_ollama_usage(plan)})


# ---- OpenAI -----------------------------------------------------------------------------------------------------


def _openai_frames(plan: Plan, body: Body) -> tuple[list[bytes], bytes]:
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": plan.served or body["model"]}

    def event(delta: Mapping[str, object], finish: str | None = None) -> bytes:
        return _sse({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    thoughts = [event({"reasoning_content": piece}) for piece in cut(plan.thinking, plan.piece)]
    words = [event({"content": piece}) for piece in cut(plan.text, plan.piece)]
    wanted = [
        event({"tool_calls": [{"index": n, **part}]})
        for n, tool_call in enumerate(plan.tools)
        for part in _openai_call(tool_call, plan.piece)
    ]
    finish = "tool_calls" if plan.tools else {"filter": "content_filter"}.get(plan.finish, plan.finish)
    usage = _sse({**head, "choices": [], "usage": _openai_usage(plan)}) if plan.usage else b""
    return [event({"role": "assistant"}), *thoughts, *words, *wanted], event({}, finish) + usage + b"data: [DONE]\n\n"


def _openai_call(call: ToolCall, size: int) -> list[dict[str, object]]:
    """The pieces of one tool call: who is called, then its arguments bit by bit."""
    first: dict[str, object] = {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": ""}}
    return [first, *({"function": {"arguments": piece}} for piece in cut(call.arguments, size))]


def _openai_usage(plan: Plan) -> dict[str, object]:
    input_tokens, output_tokens, cached = plan.usage or (0, 0, 0)
    details = {"cached_tokens": cached}
    return {
        "prompt_tokens": input_tokens,
        "completion_tokens": output_tokens,
        "total_tokens": input_tokens + output_tokens,
        "prompt_tokens_details": details,
    }


def _openai_error(plan: Plan) -> bytes:
    return _json({"error": {"message": plan.error, "type": plan.code or None, "code": plan.code or None}})


# ---- Anthropic --------------------------------------------------------------------------------------------------


def _anthropic_frames(plan: Plan, body: Body) -> tuple[list[bytes], bytes]:
    input_tokens, output_tokens, cached = plan.usage or (0, 0, 0)
    usage = {"input_tokens": input_tokens - cached, "output_tokens": 1, "cache_read_input_tokens": cached}
    head = {"id": "m1", "type": "message", "role": "assistant", "model": plan.served or body["model"]}
    empty: tuple[str, ...] = ()
    message = {**head, "content": empty, "stop_reason": None, "stop_sequence": None, "usage": usage}
    frames = [_event("message_start", message=message)]
    blocks = [(plan.thinking, "thinking", "thinking_delta"), (plan.text, "text", "text_delta")]
    blocks = [block for block in blocks if block[0]]
    for n, (text, kind, delta) in enumerate(blocks):
        signed = {"signature": ""} if kind == "thinking" else {}
        frames.append(_event("content_block_start", index=n, content_block={"type": kind, kind: "", **signed}))
        deltas = ({"type": delta, kind: piece} for piece in cut(text, plan.piece))
        frames.extend(_event("content_block_delta", index=n, delta=delta) for delta in deltas)
        frames.append(_event("content_block_stop", index=n))
    for n, call in enumerate(plan.tools, start=len(blocks)):
        frames.extend(_anthropic_call(n, call, plan.piece))
    whole = "tool_use" if plan.tools else "end_turn"
    reason = {"length": "max_tokens", "filter": "refusal", "stop": whole}.get(plan.finish, plan.finish)
    stop = _event(
        "message_delta", delta={"stop_reason": reason, "stop_sequence": None}, usage={"output_tokens": output_tokens}
    )
    return frames, stop + _event("message_stop")


def _anthropic_call(n: int, call: ToolCall, size: int) -> list[bytes]:
    """The events of one tool call, its arguments bit by bit."""
    block = {"type": "tool_use", "id": call.id, "name": call.name, "input": dict[str, object]()}
    deltas = ({"type": "input_json_delta", "partial_json": piece} for piece in cut(call.arguments, size))
    return [
        _event("content_block_start", index=n, content_block=block),
        *(_event("content_block_delta", index=n, delta=delta) for delta in deltas),
        _event("content_block_stop", index=n),
    ]


def _event(kind: str, **fields: object) -> bytes:
    return f"event: {kind}\n".encode() + _sse({"type": kind, **fields})


def _anthropic_error(plan: Plan) -> bytes:
    error = {"type": plan.code or "api_error", "message": plan.error}
    return _json({"type": "error", "error": error})


def _sse(data: object) -> bytes:
    return b"data: " + _json(data) + b"\n\n"


def _json(data: object) -> bytes:
    """JSON in UTF-8, as servers send it; escapes only where a text holds half a character."""
    try:
        return msgspec.json.encode(data)
    except UnicodeEncodeError:
        return json.dumps(data).encode()


_OPENAI = Dialect(
    kind="text/event-stream",
    heartbeat=b": still here\n\n",
    garbage=b"data: {not json}\n\n",
    frames=_openai_frames,
    error=_openai_error,
    broken=lambda error: b"data: " + error + b"\n\n",
)
DIALECTS: Mapping[str, Dialect] = {
    "/api/chat": Dialect(
        kind="application/x-ndjson",
        heartbeat=b"\n",
        garbage=b"{not json}\n",
        frames=_ollama_frames,
        error=lambda plan: _json({"error": plan.error}),
        broken=lambda error: error + b"\n",
        whole=_ollama_whole,
    ),
    "/v1/chat/completions": _OPENAI,
    "/chat/completions": _OPENAI,
    "/v1/messages": Dialect(
        kind="text/event-stream",
        heartbeat=b'event: ping\ndata: {"type": "ping"}\n\n',
        garbage=b"event: content_block_delta\ndata: {not json}\n\n",
        frames=_anthropic_frames,
        error=_anthropic_error,
        broken=lambda error: b"event: error\ndata: " + error + b"\n\n",
    ),
}
"""The wires by path."""
