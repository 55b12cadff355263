"""The API's own description (OpenAPI). This file owns what FastAPI does not say of it: problems, tokens, examples.

``examples.json`` holds for each operation one request and its answer, with long texts and lists cut.
"""

import json
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import cast

from fastapi import FastAPI

from moot.web.problems import MEDIA
from moot.web.schemas import Data

PROBLEM: Mapping[str, object] = {MEDIA: {"schema": {"$ref": "#/components/schemas/ProblemBody"}}}

EXAMPLES = "web/examples.json"

JSON = "application/json"


def describe(app: FastAPI) -> Data:
    """The description of the API: every error is a problem, and every route needs a token."""
    if app.openapi_schema is None:
        made = app.openapi()
        examples = cast("dict[str, Data]", json.loads(files("moot").joinpath(EXAMPLES).read_text("utf-8")))
        for methods in cast("dict[str, dict[str, Data]]", made["paths"]).values():
            for operation in methods.values():
                _show(operation, examples.get(str(operation["operationId"]), {}))
                for status, answer in cast("dict[str, Data]", operation["responses"]).items():
                    if int(status) >= 400:
                        answer["content"] = dict(PROBLEM)
        parts = cast("Data", made["components"])
        parts["securitySchemes"] = {
            "token": {"type": "http", "scheme": "bearer", "description": "A program's token, or that of a share link."},
            "session": {
                "type": "apiKey",
                "in": "cookie",
                "name": "moot_session_8323",
                "description": "Of the page; it ends with the port.",
            },
        }
        made["security"] = [{"token": []}, {"session": []}]
        schemas = cast("Data", parts["schemas"])
        for unused in ("HTTPValidationError", "ValidationError"):
            schemas.pop(unused, None)
    return cast("Data", app.openapi_schema)


def _show(operation: Data, example: Data) -> None:
    """Put the examples of an operation where they belong: parameters, the request's body, the answer in each form."""
    given = cast("Data", example.get("parameters", {}))
    for parameter in cast("list[Data]", operation.get("parameters", [])):
        if parameter["name"] in given:
            parameter["example"] = given[str(parameter["name"])]
    if body := cast("Data", operation.get("requestBody", {})):
        _put(cast("dict[str, Data]", body["content"]), {JSON: example.get("request")}.items())
    for status, answer in cast("dict[str, Data]", operation["responses"]).items():
        if int(status) < 400:
            told = {JSON: example.get("answer"), **cast("Data", example.get("answers", {}))}
            _put(cast("dict[str, Data]", answer["content"]), told.items())


def _put(content: Mapping[str, Data], examples: Iterable[tuple[str, object]]) -> None:
    for kind, example in examples:
        if example is not None and kind in content:
            content[kind]["example"] = example
