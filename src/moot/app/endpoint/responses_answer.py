"""A debate as a response of OpenAI's responses interface: the object, and the events of a stream, both from the record.

The events are a function of the record alone. So a stream can be taken up again at any of them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, cast

from moot.app.endpoint.chat_answer import ChatAnswer, DebateState
from moot.core.ask import ToolCall
from moot.core.event import Asked, Failed, Replied
from moot.core.labels import noun
from moot.core.text import shorten

PREFIX = "resp_"
"""What the ids of responses begin with; the debate's follows."""

IN_METADATA = ("debate", "report", "status", "strength", "share", "cost")
"""What of the field ``moot`` stands in the metadata of a response too."""

LONGEST_VALUE = 512
"""Characters that a value of metadata may have, by OpenAI's interface."""

ResponseStatus = Literal["queued", "in_progress", "completed", "incomplete", "failed", "cancelled"]
Data = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseFrame:
    """What stays the same of a response.

    Attributes:
        debate: its debate.
        model: the name of the model.
        at: when it was asked for, in seconds since 1970.
        background: whether nobody waits for it.
        echo: what it tells back of its request.
        told: whether it tells who has answered.
        facts: adds what is no part of the interface to the field ``moot``.
    """

    debate: str
    model: str
    at: int
    background: bool = False
    echo: Mapping[str, object] = field(default_factory=dict[str, object])
    told: bool = True
    facts: Mapping[str, object] = field(default_factory=dict[str, object])


def response_status(state: DebateState, answer: ChatAnswer) -> ResponseStatus:
    """How a response stands."""
    match answer.status:
        case "decided" | "tie" | "no_decision":
            return "completed"
        case "limit":
            return "incomplete"
        case "failed":
            return "cancelled" if state.outcome.kind == "stopped" else "failed"
        case "running" | "waiting":
            return "in_progress" if state.entries else "queued"
        case "paused":
            return "cancelled" if state.outcome.kind == "stopped" else "failed"


def is_over(status: ResponseStatus) -> bool:
    """Whether a response changes no more."""
    return status not in ("queued", "in_progress")


def response_body(frame: ResponseFrame, state: DebateState, answer: ChatAnswer, status: ResponseStatus) -> Data:
    """The response as it stands."""
    over = is_over(status)
    echo = frame.echo
    failed = {"code": "server_error", "message": answer.refusal or answer.text} if status == "failed" else None
    tokens = answer.usage
    usage = {
        "input_tokens": tokens.input_tokens,
        "input_tokens_details": {"cached_tokens": tokens.cached_tokens, "cache_write_tokens": 0},
        "output_tokens": tokens.output_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": tokens.input_tokens + tokens.output_tokens,
    }
    return {
        "id": f"{PREFIX}{frame.debate}",
        "object": "response",
        "created_at": frame.at,
        "status": status,
        "background": frame.background,
        "error": failed,
        "incomplete_details": {"reason": "max_output_tokens"} if status == "incomplete" else None,
        "instructions": echo.get("instructions"),
        "max_output_tokens": echo.get("max_output_tokens"),
        "metadata": _metadata(frame, answer),
        "model": frame.model,
        "output": [item for _, item in _items(frame, state, answer)] if over and not failed else [],
        "parallel_tool_calls": True,
        "previous_response_id": echo.get("previous_response_id"),
        "reasoning": {"effort": None, "summary": None},
        "store": True,
        "temperature": None,
        "text": echo.get("text", {"format": {"type": "text"}}),
        "tool_choice": echo.get("tool_choice", "auto"),
        "tools": echo.get("tools", []),
        "top_p": None,
        "truncation": "disabled",
        "usage": usage if over else None,
        "moot": {**answer.facts, **frame.facts},
    }


def _metadata(frame: ResponseFrame, answer: ChatAnswer) -> dict[str, str]:
    """The caller's own pairs, and what is known of the debate: clients that drop other fields keep these, as texts."""
    own = cast("Mapping[str, str]", frame.echo.get("metadata") or {})
    facts = {"debate": frame.debate, **frame.facts, **answer.facts}
    known = {f"moot_{name}": str(facts[name]) for name in IN_METADATA if facts.get(name) not in (None, "")}
    degraded = {"moot_degraded": shorten(" ".join(answer.degraded), LONGEST_VALUE)} if answer.degraded else {}
    return {**own, **known, **degraded}


def _items(frame: ResponseFrame, state: DebateState, answer: ChatAnswer) -> Iterator[tuple[str, Data]]:
    """The items of the output: who has answered, then the answer or calls of tools."""
    lines = list(progress(state)) if frame.told else []
    if lines:
        yield "reasoning", _reasoning(frame.debate, "".join(lines))
    if answer.text or answer.refusal:
        yield "message", _message(frame.debate, answer)
    for call in answer.calls:
        yield "call", _call(call)


def _reasoning(debate: str, text: str) -> Data:
    return {"id": f"rs_{debate}", "type": "reasoning", "summary": [{"type": "summary_text", "text": text}]}


def _part(answer: ChatAnswer) -> Data:
    if answer.refusal:
        return {"type": "refusal", "refusal": answer.refusal}
    return {"type": "output_text", "text": answer.text, "annotations": [], "logprobs": []}


def _message(debate: str, answer: ChatAnswer) -> Data:
    content = [_part(answer)]
    return {
        "id": f"msg_{debate}",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": content,
    }


def _call(call: ToolCall) -> Data:
    return {
        "id": f"fc_{call.id}",
        "type": "function_call",
        "status": "completed",
        "call_id": call.id,
        "name": call.name,
        "arguments": call.arguments,
    }


def progress(state: DebateState) -> Iterator[str]:
    """A line for each answer, in the order in which they came: who, and what it was."""
    asks = {entry.event.ask.key: entry.event.ask for entry in state.entries if isinstance(entry.event, Asked)}
    for entry in state.entries:
        if isinstance(entry.event, Replied | Failed) and (ask := asks.get(entry.event.key)):
            missing = " is missing" if isinstance(entry.event, Failed) else ""
            yield f"{ask.to}: {noun(ask.act)}{missing}\n"


def response_events(
    frame: ResponseFrame, state: DebateState, answer: ChatAnswer, *, ends: bool = False
) -> Iterator[tuple[str, Data]]:
    """All events of a stream up to now, each with its name; their places are their numbers.

    Args:
        frame: what stays the same.
        state: the debate as it stands.
        answer: the answer as it stands.
        ends: whether the stream ends here although the debate goes on.
    """
    begun = response_body(frame, state, ANSWER_OF_NOTHING, "queued" if frame.background else "in_progress")
    yield "response.created", {"response": begun}
    yield "response.in_progress", {"response": {**begun, "status": "in_progress"}}
    lines, status = list(progress(state)) if frame.told else [], response_status(state, answer)
    over = is_over(status) or ends
    reasoning = {"item_id": f"rs_{frame.debate}", "output_index": 0, "summary_index": 0}
    if lines:
        item: Data = {**_reasoning(frame.debate, ""), "summary": list[object]()}
        yield "response.output_item.added", {"output_index": 0, "item": item}
        yield "response.reasoning_summary_part.added", {**reasoning, "part": {"type": "summary_text", "text": ""}}
    for line in lines:
        yield "response.reasoning_summary_text.delta", {**reasoning, "delta": line}
    if not over:
        return
    if lines:
        text = "".join(lines)
        yield "response.reasoning_summary_text.done", {**reasoning, "text": text}
        yield "response.reasoning_summary_part.done", {**reasoning, "part": {"type": "summary_text", "text": text}}
        yield "response.output_item.done", {"output_index": 0, "item": _reasoning(frame.debate, text)}
    final: ResponseStatus = status if is_over(status) else "incomplete"
    if final != "failed":
        for n, (kind, item) in enumerate(_items(frame, state, answer)):
            yield from _item_events(kind, item, n, answer)
    # OpenAI's clients know no event for a response that was cancelled.
    name = f"response.{'incomplete' if final == 'cancelled' else final}"
    yield name, {"response": response_body(frame, state, answer, final)}


def _item_events(kind: str, item: Data, n: int, answer: ChatAnswer) -> Iterator[tuple[str, Data]]:
    index: Data = {"output_index": n}
    if kind == "reasoning":
        return
    if kind == "call":
        yield "response.output_item.added", {**index, "item": {**item, "arguments": "", "status": "in_progress"}}
        position = {**index, "item_id": item["id"]}
        yield "response.function_call_arguments.delta", {**position, "delta": item["arguments"]}
        yield (
            "response.function_call_arguments.done",
            {**position, "name": item["name"], "arguments": item["arguments"]},
        )
    else:
        yield "response.output_item.added", {**index, "item": {**item, "content": [], "status": "in_progress"}}
        position, part = {**index, "item_id": item["id"], "content_index": 0}, _part(answer)
        word = "refusal" if answer.refusal else "text"
        yield "response.content_part.added", {**position, "part": {**part, word: ""}}
        words = str(part[word])
        more: Data = {} if answer.refusal else {"logprobs": []}
        name = "refusal" if answer.refusal else "output_text"
        yield f"response.{name}.delta", {**position, "delta": words, **more}
        yield f"response.{name}.done", {**position, word: words, **more}
        yield "response.content_part.done", {**position, "part": part}
    yield "response.output_item.done", {**index, "item": item}


ANSWER_OF_NOTHING = ChatAnswer(status="running", text="", finish="stop")
"""The answer before there is any."""
