"""Read the body of OpenAI's responses interface: it becomes the body of a chat request, and what is told back of it."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, cast

from folkmoot.app.endpoint.chat_request import USED, ChatRequest, read_chat
from folkmoot.app.endpoint.endpoint_errors import EndpointError

AGAIN = "_again"
"""What the id of a message ends with that follows one that broke off."""

SAME = ("model", "stream", "metadata", "folkmoot")
"""What has the same name and meaning in a chat request."""

OWN = (
    "input",
    "instructions",
    "previous_response_id",
    "background",
    "max_output_tokens",
    "text",
    "tools",
    "tool_choice",
    "store",
)

REFUSED = ("conversation", "prompt")
"""What would change the meaning of an answer, and is not supported. All else is handed on, and named as not used."""

OWN_NAMES: Mapping[str, str] = {
    "messages": "input",
    "max_completion_tokens": "max_output_tokens",
    "response_format.json_schema": "text.format",
    "response_format": "text.format",
}
"""What parts of a chat request are called here."""

_MESSAGE = re.compile(r"messages\[(\d+)\]")

ECHOED = ("instructions", "max_output_tokens", "metadata", "previous_response_id", "text", "tools", "tool_choice")
"""What a response tells back of its request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponsesRequest:
    """A request of the responses interface.

    Attributes:
        chat: the request as a chat request.
        background: whether the caller does not wait.
        echo: what a response tells back of its request.
    """

    chat: ChatRequest
    background: bool
    echo: Mapping[str, object]


def previous_id(body: Mapping[str, object]) -> str:
    """The id of the response that this one goes on from; "" for none."""
    value = body.get("previous_response_id")
    if value is not None and not isinstance(value, str):
        raise EndpointError(400, "previous_response_id must be a text", param="previous_response_id")
    return value or ""


REFERENCE = "item_reference"

MOST_REFERENCES = 200
"""So many earlier responses may be referred to in one request."""


def references(body: Mapping[str, object]) -> Mapping[str, str]:
    """The debate of each item of an earlier response that the input only refers to, by the item's id.

    Raises:
        EndpointError: there are too many of them, or one has an id that no item has.
    """
    debates: dict[str, str] = {}
    for n, item in _referred(body):
        kind, _, rest = item.partition("_")
        debate = rest.rpartition("_")[0] if kind == "fc" else rest.removesuffix(AGAIN)
        if kind not in ("rs", "msg", "fc") or not debate:
            raise EndpointError(404, f"there is no item {item[:80]!r}", "not_found", param=f"input[{n}]")
        debates[item] = debate
    if len(set(debates.values())) > MOST_REFERENCES:
        problem = f"the input refers to more than {MOST_REFERENCES} responses; use previous_response_id"
        raise EndpointError(400, problem, "too_large", param="input")
    return debates


def with_items(body: Mapping[str, object], items: Mapping[str, Mapping[str, object]]) -> Mapping[str, object]:
    """The body with the items themselves in place of what refers to them.

    Raises:
        EndpointError: there is no such item.
    """
    named = dict(_referred(body))
    for n, item in named.items():
        if item not in items:
            raise EndpointError(404, f"there is no item {item[:80]!r}", "not_found", param=f"input[{n}]")
    input_items = cast("list[object]", body["input"]) if named else []
    return (
        {**body, "input": [items[named[n]] if n in named else item for n, item in enumerate(input_items)]}
        if named
        else body
    )


def _referred(body: Mapping[str, object]) -> Iterator[tuple[int, str]]:
    """The places of the input that only refer to an item, with its id; their type may be left out."""
    input_items = body.get("input")
    for n, item in enumerate(cast("list[object]", input_items) if isinstance(input_items, list) else []):
        table = cast("dict[str, object]", item) if isinstance(item, dict) else {}
        if table.get("type", REFERENCE) in (None, REFERENCE) and set(table) - {"type"} == {"id"}:
            yield n, str(table.get("id", ""))


def read_responses(body: Mapping[str, object], before: Sequence[Mapping[str, object]] = ()) -> ResponsesRequest:
    """Read the body of a request.

    Args:
        body: the body.
        before: the messages of the conversation that it goes on from.

    Raises:
        EndpointError: something in it cannot be used; its ``param`` says what.
    """
    for name in REFUSED:
        if body.get(name) is not None:
            raise EndpointError(400, f"{name} is not supported here", "unsupported_parameter", param=name)
    if body.get("store") is False:
        problem = "store cannot be false: a debate is on record; its owner may delete it"
        raise EndpointError(400, problem, "unsupported_value", param="store")
    background = body.get("background")
    if background is not None and not isinstance(background, bool):
        raise EndpointError(400, "background must be true or false", param="background")
    chat: dict[str, object] = {name: body[name] for name in SAME if body.get(name) is not None}
    more = {name: body[name] for name in body if name not in (*SAME, *OWN) and body[name] not in (None, [], {})}
    chat |= {name: more[name] for name in more if name not in USED}
    earlier: list[Placed] = [("previous_response_id", message) for message in before]
    placed = [*_rules(body.get("instructions")), *earlier, *_with_calls(_messages(body.get("input")))]
    if (token_limit := body.get("max_output_tokens")) is not None:
        chat["max_completion_tokens"] = token_limit
    if shape := _format(body.get("text")):
        chat["response_format"] = shape
    if tools := body.get("tools"):
        chat["tools"] = _tools(tools)
        chat["tool_choice"] = _choice(body.get("tool_choice", "auto"))
    others = [*(name for name in more if name in USED), *_unused_of_text(body)]  # such as max_tokens
    request = _read(chat, placed)
    return ResponsesRequest(
        chat=replace(request, ignored=(*request.ignored, *others)),
        background=bool(background),
        echo={name: body[name] for name in ECHOED if body.get(name) is not None},
    )


Placed: TypeAlias = tuple[str, Mapping[str, object]]
"""A chat message, and the part of the request that it comes from."""


def _rules(value: object) -> list[Placed]:
    """The instructions of a request as a message."""
    if value is not None and not isinstance(value, str):
        raise EndpointError(400, "instructions must be a text", param="instructions")
    return [("instructions", {"role": "developer", "content": value})] if value else []


def _read(chat: Mapping[str, object], placed: Sequence[Placed]) -> ChatRequest:
    """The chat request with those messages; an error in it names the part of this request."""
    try:
        return read_chat({**chat, "messages": [message for _, message in placed]})
    except EndpointError as error:
        raise _in_own_words(error, [place for place, _ in placed]) from error


def _in_own_words(error: EndpointError, places: Sequence[str]) -> EndpointError:
    """The error about a chat request, with the names that the parts have in a request for a response."""
    match = _MESSAGE.match(error.param)
    name = match[0] if match else next((name for name in OWN_NAMES if error.param.startswith(name)), "")
    own = places[int(match[1])] if match else OWN_NAMES.get(name, "")
    message, param = (
        f"{own}{text[len(name) :]}" if text.startswith(name) else text for text in (error.message, error.param)
    )
    return EndpointError(error.status, message, error.code, param=param)


def _unused_of_text(body: Mapping[str, object]) -> list[str]:
    """What stands in ``text`` beside the format, such as ``verbosity``."""
    table = cast("dict[str, object]", body.get("text") or {})
    return [f"text.{name}" for name in table if name != "format" and table[name] is not None]


def _with_calls(messages: Iterator[Placed]) -> list[Placed]:
    """The messages, with calls in the message of the assistant that they follow: they were made in one answer."""
    merged: list[Placed] = []
    for place, message in messages:
        calls = cast("list[object]", message.get("tool_calls", []))
        if calls and merged and merged[-1][1]["role"] == "assistant":
            earlier_place, earlier = merged[-1]
            calls = [*cast("list[object]", earlier.get("tool_calls", [])), *calls]
            merged[-1] = (earlier_place, {**earlier, "tool_calls": calls})
        else:
            merged.append((place, message))
    return merged


def _messages(value: object) -> Iterator[Placed]:
    """The items of the input as chat messages."""
    items = [{"role": "user", "content": value}] if isinstance(value, str) else value
    if not isinstance(items, list):
        raise EndpointError(400, "input must be a text or a list of items", "missing_topic", param="input")
    for n, item in enumerate(cast("list[object]", items)):
        table = cast("dict[str, object]", item) if isinstance(item, dict) else {}
        place = "input" if isinstance(value, str) else f"input[{n}]"
        match table.get("type", "message"):
            case "message":
                yield place, {"role": table.get("role"), "content": table.get("content")}
            case "function_call":
                function = {"name": table.get("name"), "arguments": table.get("arguments")}
                call = {"id": table.get("call_id"), "type": "function", "function": function}
                yield place, {"role": "assistant", "content": None, "tool_calls": [call]}
            case "function_call_output":
                output = table.get("output")
                text = cast("object", output) if isinstance(output, str | list) else json.dumps(output)
                yield place, {"role": "tool", "tool_call_id": table.get("call_id"), "content": text}
            case "reasoning":
                continue
            case other:
                problem = f"input[{n}] is of the type {str(other)[:60]!r}, which is not supported"
                raise EndpointError(400, problem, "unsupported_value", param=f"input[{n}]")


def _format(value: object) -> Mapping[str, object] | None:
    if value is not None and not isinstance(value, dict):
        raise EndpointError(400, "text must be an object with a format", param="text")
    inner = cast("dict[str, object]", value or {}).get("format")
    if inner is not None and not isinstance(inner, dict):
        raise EndpointError(400, "text.format must be an object with a type", param="text.format")
    shape = cast("dict[str, object]", inner or {})
    if shape.get("type") == "json_schema":
        return {"type": "json_schema", "json_schema": {name: shape[name] for name in shape if name != "type"}}
    return shape or None


def _tools(value: object) -> object:
    """The tools, which stand a level deeper in a chat request."""
    if not isinstance(value, list):
        return value
    return [_tool(item) for item in cast("list[object]", value)]


def _tool(item: object) -> object:
    table = cast("dict[str, object]", item) if isinstance(item, dict) else {}
    inner = {name: table[name] for name in ("name", "description", "parameters") if name in table}
    return {"type": table.get("type"), "function": inner}


def _choice(value: object) -> object:
    table = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    if table.get("type") != "function":
        return cast("object", value)
    return {"type": "function", "function": {"name": table.get("name")}}
