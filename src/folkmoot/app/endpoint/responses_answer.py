"""A debate as a response of OpenAI's responses interface: the object, and the events of a stream, both from the record.

The events are a function of the record alone. So a stream can be taken up again at any of them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, cast

from folkmoot.app.endpoint.chat_answer import ChatAnswer, DebateState
from folkmoot.core.ask import ToolCall
from folkmoot.core.event import Asked, Failed, Replied
from folkmoot.core.labels import noun
from folkmoot.core.roles import DELIVER
from folkmoot.core.text import shorten

PREFIX = "resp_"
"""What the ids of responses begin with; the debate's follows."""

IN_METADATA = ("debate", "report", "status", "strength", "share", "cost")
"""What of the field ``folkmoot`` stands in the metadata of a response too."""

LONGEST_VALUE = 512
"""Characters that a value of metadata may have, by OpenAI's interface."""

ResponseStatus = Literal["queued", "in_progress", "completed", "incomplete", "failed", "cancelled"]
Data = dict[str, object]
Event: TypeAlias = tuple[str, Data]
"""The name of an event of a stream, and what it holds."""


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
        spoken: whether a model answers the caller in its own words, which are sent piece by piece.
        facts: adds what is no part of the interface to the field ``folkmoot``.
    """

    debate: str
    model: str
    at: int
    background: bool = False
    echo: Mapping[str, object] = field(default_factory=dict[str, object])
    told: bool = True
    spoken: bool = False
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
        "output": [item for _, item in output_items(frame, state, answer)] if over and not failed else [],
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
        "folkmoot": {**answer.facts, **frame.facts},
    }


def _metadata(frame: ResponseFrame, answer: ChatAnswer) -> dict[str, str]:
    """The caller's own pairs, and what is known of the debate: clients that drop other fields keep these, as texts."""
    own = cast("Mapping[str, str]", frame.echo.get("metadata") or {})
    facts = {"debate": frame.debate, **frame.facts, **answer.facts}
    known = {f"folkmoot_{name}": str(facts[name]) for name in IN_METADATA if facts.get(name) not in (None, "")}
    degraded = {"folkmoot_degraded": shorten(" ".join(answer.degraded), LONGEST_VALUE)} if answer.degraded else {}
    return {**own, **known, **degraded}


def output_items(frame: ResponseFrame, state: DebateState, answer: ChatAnswer) -> Iterator[tuple[str, Data]]:
    """The items of the output: who has answered, then the answer or calls of tools."""
    lines = progress(frame, state)
    if lines:
        yield "reasoning", _reasoning(frame.debate, "".join(lines))
    if answer.text or answer.refusal:
        yield "message", message_item(frame.debate, answer)
    for n, call in enumerate(answer.calls, start=1):
        yield "call", _call(f"fc_{frame.debate}_{n}", call)


def _reasoning(debate: str, text: str) -> Data:
    return {"id": f"rs_{debate}", "type": "reasoning", "summary": [{"type": "summary_text", "text": text}]}


def text_part(text: str) -> Data:
    """Words as a part of a message."""
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def message_item(debate: str, answer: ChatAnswer) -> Data:
    """The answer as an item of the output."""
    refused: Data = {"type": "refusal", "refusal": answer.refusal}
    return {
        "id": f"msg_{debate}",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [refused if answer.refusal else text_part(answer.text)],
    }


def _call(id: str, call: ToolCall) -> Data:
    return {
        "id": id,
        "type": "function_call",
        "status": "completed",
        "call_id": call.id,
        "name": call.name,
        "arguments": call.arguments,
    }


def progress(frame: ResponseFrame, state: DebateState) -> list[str]:
    """A line for each answer, in the order in which they came: who, and what it was; none where nothing is told.

    The words of a model that answers the caller itself follow as the answer, so there is no line on them.
    """
    asks = {entry.event.ask.key: entry.event.ask for entry in state.entries if isinstance(entry.event, Asked)}
    replies = [entry.event for entry in state.entries if isinstance(entry.event, Replied | Failed)]
    known = [(event, asks[event.key]) for event in replies if frame.told and event.key in asks]
    return [
        f"{ask.to}: {noun(ask.act)}{' is missing' if isinstance(event, Failed) else ''}\n"
        for event, ask in known
        if not (frame.spoken and ask.act == DELIVER)
    ]


def response_events(
    frame: ResponseFrame, state: DebateState, answer: ChatAnswer, *, ends: bool = False
) -> Iterator[Event]:
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
    lines, status = progress(frame, state), response_status(state, answer)
    reasoning = {"item_id": f"rs_{frame.debate}", "output_index": 0, "summary_index": 0}
    if lines:
        item: Data = {**_reasoning(frame.debate, ""), "summary": list[object]()}
        yield "response.output_item.added", {"output_index": 0, "item": item}
        yield "response.reasoning_summary_part.added", {**reasoning, "part": {"type": "summary_text", "text": ""}}
    for line in lines:
        yield "response.reasoning_summary_text.delta", {**reasoning, "delta": line}
    if not (is_over(status) or ends):
        return
    yield from reasoning_end(frame, lines)
    final: ResponseStatus = status if is_over(status) else "incomplete"
    if final != "failed":
        for n, (kind, item) in enumerate(output_items(frame, state, answer)):
            yield from item_events(frame, kind, item, n)
    yield end_event(frame, state, answer, final)


def reasoning_end(frame: ResponseFrame, lines: Sequence[str]) -> Iterator[Event]:
    """The end of what is told about who has answered."""
    if lines:
        text, part = "".join(lines), {"type": "summary_text", "text": "".join(lines)}
        reasoning = {"item_id": f"rs_{frame.debate}", "output_index": 0, "summary_index": 0}
        yield "response.reasoning_summary_text.done", {**reasoning, "text": text}
        yield "response.reasoning_summary_part.done", {**reasoning, "part": part}
        yield "response.output_item.done", {"output_index": 0, "item": _reasoning(frame.debate, text)}


def end_event(frame: ResponseFrame, state: DebateState, answer: ChatAnswer, status: ResponseStatus) -> Event:
    """The last event. OpenAI's clients know none for a response that was cancelled."""
    name = f"response.{'incomplete' if status == 'cancelled' else status}"
    return name, {"response": response_body(frame, state, answer, status)}


def item_events(frame: ResponseFrame, kind: str, item: Data, n: int) -> Iterator[Event]:
    """The events of an item of the output, at its place; none of the reasoning, which was told before."""
    if kind == "call":
        position: Data = {"output_index": n, "item_id": item["id"]}
        arguments = item["arguments"]
        yield (
            "response.output_item.added",
            {"output_index": n, "item": {**item, "arguments": "", "status": "in_progress"}},
        )
        yield "response.function_call_arguments.delta", {**position, "delta": arguments}
        yield "response.function_call_arguments.done", {**position, "name": item["name"], "arguments": arguments}
        yield "response.output_item.done", {"output_index": n, "item": item}
    elif kind == "message":
        (part,) = cast("list[Data]", item["content"])
        yield from message_begin(item, part, n)
        for piece in pieces_of(_words(part)) if frame.spoken else [_words(part)]:
            yield words_event(item, part, n, "delta", piece)
        yield from message_end(item, part, n)


def message_begin(item: Data, part: Data, n: int) -> Iterator[Event]:
    """The events before the words of a message."""
    yield "response.output_item.added", {"output_index": n, "item": {**item, "content": [], "status": "in_progress"}}
    empty = {**part, "refusal" if part["type"] == "refusal" else "text": ""}
    yield "response.content_part.added", {**_place(item, n), "part": empty}


def words_event(item: Data, part: Data, n: int, name: str, words: str) -> Event:
    """A piece of the words of a message (``delta``), or all of them (``done``)."""
    kind, key = ("refusal", "refusal") if part["type"] == "refusal" else ("output_text", "text")
    more: Data = {} if part["type"] == "refusal" else {"logprobs": []}
    return f"response.{kind}.{name}", {**_place(item, n), key if name == "done" else name: words, **more}


def message_end(item: Data, part: Data, n: int) -> Iterator[Event]:
    """The events after the words of a message."""
    yield words_event(item, part, n, "done", _words(part))
    yield "response.content_part.done", {**_place(item, n), "part": part}
    yield "response.output_item.done", {"output_index": n, "item": item}


def _words(part: Data) -> str:
    return str(part["refusal"] if part["type"] == "refusal" else part["text"])


def _place(item: Data, n: int) -> Data:
    return {"output_index": n, "item_id": item["id"], "content_index": 0}


_PIECE = re.compile(r"\s*\S{1,16}|\s+")


def pieces_of(words: str) -> list[str]:
    """Words in the pieces in which they are sent, each at most a word long.

    More words behind them change the last piece alone. So a stream has the same pieces while the words come, and when
    it is made anew from the record.
    """
    return _PIECE.findall(words)


ANSWER_OF_NOTHING = ChatAnswer(status="running", text="", finish="stop")
"""The answer before there is any."""
