"""The pages of the HTTP API, out of its OpenAPI description: requests with fields and a command each, and values."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias
from urllib.parse import quote

from doc_pages import page, table

Data: TypeAlias = Mapping[str, Any]

GROUPS: Mapping[str, str] = {
    "debates": "Debates",
    "entries": "Entries of the record",
    "people": "People",
    "reports": "Reports and analyses",
    "shares": "Links for others",
    "library": "What the server has",
}
"""The tags of requests, and the headings under which they stand."""

BEGIN = """\
`folkmoot serve` answers these requests. [Call the API](../how-to/call-the-api.md) shows a whole debate step by step.
[The OpenAPI description](openapi.json) is the same for programs.

Send a token as `Authorization: Bearer …`. Bodies are JSON. The commands below need `FOLKMOOT`, the address of the server,
`TOKEN`, a token, and `ID`, the id of a debate:

```console no-run
$ export FOLKMOOT=http://127.0.0.1:8323 TOKEN=… ID=…
```"""

ERRORS = """\
An error is a problem detail (RFC 9457): `status`, `title`, `detail`, one sentence for people, and `code`, which never
changes. Each request can be answered with any of these, as far as it applies."""

VALUES = """\
The values within the [requests and answers of the HTTP API](http-api.md), in the order of their names. A field without
a default is always there."""

METHODS = ("get", "post", "put", "patch", "delete")
CODE = re.compile(r"``([^`]+)``")


def requests_page(api: Data) -> str:
    """Every request: what it does, its fields, a command, its answer."""
    requests = list(_requests(api))
    if odd := {tag for _, _, request in requests for tag in request["tags"]} ^ {*GROUPS}:
        raise ValueError(f"GROUPS and the tags of the API differ by {', '.join(sorted(odd))}")
    rows = [
        (f"[`{method.upper()} {path}`](#{_anchor(_title(request))})", _first(request["description"]))
        for method, path, request in requests
    ]
    parts = [
        part
        for tag, title in GROUPS.items()
        for part in (f"## {title}", *(_request(api, *row) for row in requests if tag in row[2]["tags"]))
    ]
    return page("HTTP API", BEGIN, table(("request", "what it does"), rows), *parts, "## Errors", ERRORS, _errors(api))


def values_page(api: Data) -> str:
    """Every value within requests and answers."""
    schemas: Data = api["components"]["schemas"]
    parts = (_value(api, name, schemas[name]) for name in sorted(schemas, key=lambda name: _short(name).lower()))
    return page("Values of the HTTP API", VALUES, *filter(None, parts))


def _requests(api: Data) -> Iterator[tuple[str, str, Data]]:
    for path, methods in api["paths"].items():
        for method in METHODS:
            if method in methods:
                yield method, path, methods[method]


def _request(api: Data, method: str, path: str, request: Data) -> str:
    parts = [f"### {_title(request)}", f"`{method.upper()} {path}`", _code(request["description"])]
    if parameters := request.get("parameters"):
        rows = [(f"`{one['name']}`", one["in"], *_row(one["schema"], bool(one["required"]))) for one in parameters]
        parts += [table(("parameter", "in", "type", "default", "meaning"), rows)]
    body: Data = request.get("requestBody", {}).get("content", {}).get("application/json", {})
    if body:
        parts += ["The body:", _fields(api, _named(api, body["schema"]))]
    parts += [f"```sh example\n{_command(method, path, request, body)}\n```", *_answers(request)]
    return "\n\n".join(parts)


def _answers(request: Data) -> Iterator[str]:
    for status, answer in request["responses"].items():
        if status.startswith("2"):
            kinds = [
                f"`{kind.partition(';')[0]}`" + (f", {words}" if (words := _type(content.get("schema", {}))) else "")
                for kind, content in answer.get("content", {}).items()
            ]
            yield f"Answer {status}: {_code(answer['description']).rstrip('.')}. {'; '.join(kinds)}"
            content: Data = answer.get("content", {}).get("application/json", {})
            if "example" in content:
                text = json.dumps(content["example"], ensure_ascii=False, indent=2)
                yield f"```json no-run\n{_cut(text)}\n```"


def _cut(text: str, most: int = 24) -> str:
    lines = text.splitlines()
    return "\n".join(lines if len(lines) <= most else [*lines[:most], "…"])


def _command(method: str, path: str, request: Data, body: Data) -> str:
    """One command of curl, with the example values of the description."""
    query: list[str] = []
    words = ["-H", '"Authorization: Bearer $TOKEN"']
    for one in request.get("parameters", ()):
        if one["name"] != "debate" and (value := one.get("example")) is not None:
            if one["in"] == "path":
                path = path.replace(f"{{{one['name']}}}", str(value))
            elif one["in"] == "query":
                value = "$ID" if one["name"] in ("a", "b") else quote(str(value), safe="/")
                query.append(f"{one['name']}={value}")
            else:
                words += ["-H", f'"{one["name"]}: {value}"']
    address = f"$FOLKMOOT{path.replace('{debate}', '$ID')}{'?' if query else ''}{'&'.join(query)}"
    if body:
        words += ["-H", '"Content-Type: application/json"', "-d", shlex.quote(_json(body["example"]))]
    verb = "" if method == ("post" if body else "get") else f"-X {method.upper()} "
    return " \\\n  ".join([f'curl -sS --fail-with-body {verb}"{address}"', *_pairs(words)])


def _pairs(words: Sequence[str]) -> Iterator[str]:
    for n in range(0, len(words), 2):
        yield f"{words[n]} {words[n + 1]}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _errors(api: Data) -> str:
    answers = {
        status: answer["description"]
        for _, _, request in _requests(api)
        for status, answer in request["responses"].items()
        if status >= "4"
    }
    return table(("status", "meaning"), sorted(answers.items()))


# ---- values ----------------------------------------------------------------------------------------------------------


def _value(api: Data, name: str, schema: Data) -> str:
    if not schema.get("properties"):
        return ""
    words = _words(schema)
    return "\n\n".join(filter(None, (f"## {_short(name)}", words, _fields(api, schema))))


def _fields(api: Data, schema: Data) -> str:
    if not schema.get("properties"):
        return f"{_type(schema)}."
    required = schema.get("required", ())
    rows = [(f"`{name}`", *_row(field, name in required)) for name, field in schema["properties"].items()]
    used = [n for n in range(4) if any(row[n] for row in rows)]
    return table([("field", "type", "default", "meaning")[n] for n in used], [[row[n] for n in used] for row in rows])


def _row(schema: Data, required: bool) -> tuple[str, str, str]:
    """Type, default and meaning of a field."""
    default = "" if required else f"`{_json(schema.get('default'))}`"
    return _type(schema), default, _code(schema.get("description", "")).replace("\n", " ")


def _type(schema: Data) -> str:
    """A type in words, with links to the values of the other page."""
    if reference := schema.get("$ref"):
        name = _short(reference.rpartition("/")[2])
        return "any JSON" if name == "JsonValue" else f"[{name}](http-values.md#{name.lower()})"
    if choices := schema.get("anyOf"):
        return " or ".join(dict.fromkeys(map(_type, choices)))
    if words := schema.get("enum"):
        return "one of " + ", ".join(f'`"{word}"`' for word in words)
    kinds: str | list[str] = schema.get("type", "")
    kind = kinds if isinstance(kinds, str) else " or ".join(kinds)
    if kind == "array":
        return f"list of {_type(schema.get('items', {})) or 'values'}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), Mapping):
        return f"table of {_type(schema['additionalProperties']) or 'values'}"
    bounds = [f"{schema[name]:,.12g}" for name in ("minimum", "maximum") if name in schema]
    return kind + (f", {' to '.join(bounds)}" if len(bounds) == 2 else "")


def _named(api: Data, schema: Data) -> Data:
    """The schema of a body behind its name, also where the body may be left out."""
    schema = next((one for one in schema.get("anyOf", ()) if "$ref" in one), schema)
    return api["components"]["schemas"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema


def _short(name: str) -> str:
    """``folkmoot__core__roles__Standing`` is Standing of roles: two values have that name."""
    module, _, last = name.rpartition("__")
    return f"{last}-{module.rpartition('__')[2]}" if module else last


def _words(schema: Data) -> str:
    whole = schema.get("description", "").partition("\nAttributes:\n")[0]
    return _code("\n".join(line.strip() for line in whole.strip().splitlines()))


def _title(request: Data) -> str:
    return str(request["summary"]).capitalize()


def _first(text: str) -> str:
    return _code(text.partition("\n\n")[0].replace("\n", " "))


def _code(text: str) -> str:
    return CODE.sub(r"`\1`", text)


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")
