"""The shape that a caller wants an answer in: JSON that fits a schema, or calls of the caller's own tools.

Whatever the shape is, one helper writes it from the decision, and it is checked against a JSON Schema. A tool that the
caller forces is a schema too: that of its arguments. Where tools are free to use, the schema allows words or calls.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from folkmoot.app.endpoint.caller_schema import MOST_SCHEMA, SchemaError, schema_text
from folkmoot.app.endpoint.endpoint_errors import EndpointError
from folkmoot.core.ask import ToolCall

MOST_TOOLS = 128
MOST_OF_TOOLS = 1024 * 1024
"""The most characters of the schemas of all tools together."""

MOST_CALLS = 32
"""The most calls of one answer."""

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerShape:
    """The shape of an answer.

    Attributes:
        kind: ``json``: JSON; ``call``: one call of one tool; ``tools``: words, or calls of tools.
        schema: what it has to fit, as text.
        tool: with ``call``, the tool's name.
        told: what whoever writes it is told about the tools.
        forced: with ``tools``, whether a tool has to be called.
    """

    kind: Literal["json", "call", "tools"]
    schema: str
    tool: str = ""
    told: str = ""
    forced: bool = False


def read_shape(body: Mapping[str, object]) -> tuple[AnswerShape | None, list[str]]:
    """The shape that the body of a chat request wants, and the names of fields that are not used for it.

    Raises:
        EndpointError: a shape that cannot be.
    """
    tools, choice = _tools(body.get("tools")), body.get("tool_choice", "auto")
    unused = [name for name in ("tools", "tool_choice") if body.get(name) and body.get("tool_choice") != "none"]
    if wanted := _format(body.get("response_format")):
        return wanted, unused
    if not tools or choice in ("none", None):
        return None, unused
    name = _required_tool(choice, tools)
    if name or (choice == "required" and len(tools) == 1):
        tool = tools[name or next(iter(tools))]
        return AnswerShape(kind="call", schema=tool.parameters, tool=tool.name, told=_tools_in_words([tool])), []
    shape = AnswerShape(
        kind="tools",
        schema=_choice_schema(tuple(tools.values()), forced=choice == "required"),
        told=_tools_in_words(tuple(tools.values())),
        forced=choice == "required",
    )
    return shape, []


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tool:
    """A tool of the caller: its name, what it is for, and the schema of its arguments."""

    name: str
    help: str
    parameters: str


def _format(value: object) -> AnswerShape | None:
    if value is None:
        return None
    table = cast("dict[str, object]", value) if isinstance(value, dict) else {"type": repr(value)}
    match table.get("type", "text"):
        case "text":
            return None
        case "json_object":
            return AnswerShape(kind="json", schema='{"type": "object"}')
        case "json_schema":
            inner = table.get("json_schema")
            schema = cast("dict[str, object]", inner).get("schema", {}) if isinstance(inner, dict) else None
            return AnswerShape(kind="json", schema=_check_schema(schema, "response_format.json_schema.schema"))
        case other:
            problem = f"response_format {str(other)[:60]!r} is not supported; there are text, json_object, json_schema"
            raise EndpointError(400, problem, "unsupported_value", param="response_format")


def _tools(value: object) -> dict[str, _Tool]:
    """The tools of a request, by name."""
    if value is None:
        return {}
    items = cast("list[object]", value) if isinstance(value, list) else None
    if items is None or len(items) > MOST_TOOLS:
        raise EndpointError(400, f"tools must be a list of at most {MOST_TOOLS} tools", param="tools")
    tools: dict[str, _Tool] = {}
    for n, item in enumerate(items):
        parameter = f"tools[{n}]"
        table = cast("dict[str, object]", item) if isinstance(item, dict) else {}
        if table.get("type") != "function":
            problem = f"{parameter} is of the type {str(table.get('type'))[:60]!r}; only functions are supported"
            raise EndpointError(400, problem, "unsupported_value", param=parameter)
        inner = table.get("function")
        function = cast("dict[str, object]", inner) if isinstance(inner, dict) else {}
        name = function.get("name")
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise EndpointError(
                400, f"{parameter}.function.name must be 1 to 64 letters, digits and _.-", param=parameter
            )
        parameters = _check_schema(function.get("parameters") or {"type": "object"}, f"{parameter}.function.parameters")
        tools[name] = _Tool(name=name, help=str(function.get("description") or "")[:1000], parameters=parameters)
    return tools


def _check_schema(schema: object, place: str, most: int = MOST_SCHEMA) -> str:
    if not isinstance(schema, dict):
        raise EndpointError(400, f"{place} must be a JSON Schema", param=place)
    try:
        return schema_text(cast("dict[str, object]", schema), most)
    except SchemaError as error:
        raise EndpointError(400, f"{place}: {error}", param=place) from error


def _required_tool(choice: object, tools: Mapping[str, _Tool]) -> str:
    """The tool that has to be called; "" where it is left open."""
    if choice in ("auto", "required"):
        return ""
    table = cast("dict[str, object]", choice) if isinstance(choice, dict) else {}
    inner = table.get("function")
    name = cast("dict[str, object]", inner).get("name") if isinstance(inner, dict) else None
    if table.get("type") != "function" or name not in tools:
        problem = "tool_choice must be none, auto, required or one of the functions of tools"
        raise EndpointError(400, problem, "unsupported_value", param="tool_choice")
    return str(name)


def _tools_in_words(tools: Sequence[_Tool]) -> str:
    rows = [f"- {tool.name}: {' '.join(tool.help.split())}" if tool.help else f"- {tool.name}" for tool in tools]
    return "\n".join(["Tools of whoever has asked, which only they can use:", *rows])


def _choice_schema(tools: Sequence[_Tool], *, forced: bool) -> str:
    """The schema of words or calls; each tool's own schema keeps its inner references."""
    calls = [
        _object(
            name={"const": tool.name, "description": tool.help},
            arguments={"$id": f"urn:tool:{tool.name}", **json.loads(tool.parameters)},
        )
        for tool in tools
    ]
    listed = {"type": "array", "minItems": 1, "maxItems": MOST_CALLS, "items": {"anyOf": calls}}
    words = [] if forced else [_object(content={"type": "string"})]
    called = _object(tool_calls=listed)
    called["properties"] = {"content": {"type": "string"}, "tool_calls": listed}  # words may stand beside the calls
    return _check_schema({"anyOf": [*words, called]}, "tools", MOST_OF_TOOLS)


def _object(**properties: object) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def fills(shape: AnswerShape | None, options: Sequence[str], choice: str) -> str | None:
    """The answer as JSON where the shape holds just one of the options, which needs nobody who writes it.

    Args:
        shape: the shape.
        options: the closed set of answers.
        choice: one of them.
    """
    if shape is None or shape.kind == "tools" or not options:
        return None
    schema: dict[str, object] = json.loads(shape.schema)
    properties = schema.get("properties")
    inner = cast("dict[str, object]", properties) if isinstance(properties, dict) else {}
    key, part = next(iter(inner.items())) if len(inner) == 1 else ("", schema)
    allowed = cast("dict[str, object]", part).get("enum") if isinstance(part, dict) else None
    if not isinstance(allowed, list) or sorted(map(str, cast("list[object]", allowed))) != sorted(options):
        return None
    return json.dumps({key: choice} if key else choice, ensure_ascii=False)


def calls_in(shape: AnswerShape, value: str, debate: str) -> tuple[str, tuple[ToolCall, ...]]:
    """The words and the calls of an answer that fits its shape."""
    if shape.kind == "json":
        return value, ()
    if shape.kind == "call":
        return "", (_call(debate, 1, shape.tool, value),)
    table: dict[str, object] = json.loads(value)
    items = cast("list[dict[str, object]]", table.get("tool_calls", []))
    calls = [
        _call(debate, n, str(item["name"]), json.dumps(item["arguments"], ensure_ascii=False))
        for n, item in enumerate(items, start=1)
    ]
    return str(table.get("content", "")), tuple(calls)


def _call(debate: str, n: int, name: str, arguments: str) -> ToolCall:
    mark = hashlib.sha256(f"{debate} {n}".encode()).hexdigest()[:24]
    return ToolCall(id=f"call_{mark}", name=name, arguments=arguments)
