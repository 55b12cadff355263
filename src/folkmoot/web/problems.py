"""Errors as problem details (RFC 9457): HTTP statuses, titles, codes and sentences."""

import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import cast

from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from folkmoot.app.brief.types import HEADER, LIMITS, find_key, get_key
from folkmoot.app.brief.values import check_value
from folkmoot.app.endpoint.endpoint_errors import EndpointError
from folkmoot.app.run.dispatcher import QueueError
from folkmoot.app.run.runner import RunnerFull
from folkmoot.core.errors import (
    BriefError,
    FolkmootError,
    LimitReached,
    ModelError,
    ProtocolError,
    RecordAway,
    RecordError,
)
from folkmoot.core.text import clean, hide

MEDIA = "application/problem+json"

CODES: Mapping[int, str] = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method",
    409: "conflict",
    413: "too_large",
    415: "media_type",
    422: "invalid",
    429: "too_many",
    500: "internal",
    503: "unavailable",
}
"""The default code of a problem, by its status."""

TITLES: Mapping[int, str] = {
    400: "Invalid request",
    401: "Authentication required",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    409: "Not possible in the current state",
    413: "Request too large",
    415: "The body must be JSON",
    422: "Invalid values in the request",
    429: "Too many requests",
    500: "Internal error",
    503: "Service not available",
}


_KIND = re.compile(r"constrained-\w+|[\w-]+\[.*\]?")
"""The names of alternatives that pydantic adds to the location of an error."""


_SETTINGS = (get_key(HEADER, "seed"), *LIMITS)
"""What a request can set that a brief can set, too."""


class ProblemBody(BaseModel):
    """An error (RFC 9457)."""

    type: str = Field(default="about:blank", examples=["about:blank"])
    title: str = Field(examples=["Not found"])
    status: int = Field(examples=[404])
    detail: str = Field(description="One sentence for people.", examples=["There is no debate 'depot-3f2a1c'."])
    code: str = Field(description="A stable name of the error.", examples=["not_found"])


class Problem(Exception):
    """An error that is answered with problem details.

    Args:
        status: the HTTP status.
        detail: one sentence for people.
        code: the stable name of the error; "" for the default of the status.
        headers: further headers of the answer.
    """

    def __init__(self, status: int, detail: str, code: str = "", headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail, self.code = status, detail, code or CODES.get(status, "error")
        self.headers = dict(headers or {})


MODEL_API = "/v1"
"""Where clients of OpenAI's interface come; errors have its shape there."""


def is_model_api(path: str) -> bool:
    """Whether a path is one of those."""
    return path == MODEL_API or path.startswith(f"{MODEL_API}/")


def answer(problem: Problem, path: str = "") -> JSONResponse:
    """The HTTP answer of a problem; in the shape that a path has."""
    status = problem.status
    if is_model_api(path):
        status = 400 if status == 422 else status  # which clients of OpenAI's interface know
        wait = int(problem.headers.get("Retry-After", "0"))
        code = "" if status in (401, 429) else problem.code
        error = EndpointError(status, problem.detail, code, retry=status == 429 or None, wait=wait)
        return error_answer(error, problem.headers)
    title = TITLES.get(status) or HTTPStatus(status).phrase
    body = ProblemBody(title=title, status=status, detail=hide(clean(problem.detail)), code=problem.code)
    return JSONResponse(body.model_dump(), status, problem.headers, media_type=MEDIA)


def error_answer(error: EndpointError, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """The HTTP answer of an error of the model endpoint."""
    error.message = hide(clean(error.message))
    return JSONResponse(error.body, error.status, {**(headers or {}), **error.headers})


def problem_of(error: FolkmootError) -> Problem:
    """The problem of an error of Folkmoot."""
    match error:
        case BriefError(code=code):
            return Problem(422, str(error), code)
        case ProtocolError():
            return Problem(422, str(error), "protocol")
        case RunnerFull():
            return Problem(429, str(error), "full", {"Retry-After": "30"})
        case LimitReached():
            return Problem(429, str(error), "limit")
        case QueueError():
            return Problem(503, str(error), "queue", {"Retry-After": "5"})
        case ModelError(kind=kind):
            return Problem(409, str(error), kind or "model")
        case RecordAway():
            return Problem(503, str(error), "record", {"Retry-After": "5"})
        case RecordError():
            return Problem(409, str(error), "record")
        case _:
            return Problem(409, str(error))


def invalid(errors: Sequence[object]) -> Problem:
    """The errors that pydantic found as one sentence; only the value of a setting is repeated."""
    problems: dict[str, list[str]] = {}
    for error in errors[:5]:
        fault = cast("Mapping[str, object]", error)
        parts = [str(part)[:60] for part in cast("Sequence[object]", fault.get("loc", ()))]
        location = ".".join(part for part in parts if not _KIND.fullmatch(part))
        wrong = _as_setting(location.removeprefix("body."), fault.get("input"))
        problems.setdefault("" if wrong else location, []).append(wrong or str(fault.get("msg", "is not valid")))
    text = "; ".join(
        f"{location}: {', or '.join(dict.fromkeys(texts))}" if location else "; ".join(dict.fromkeys(texts))
        for location, texts in problems.items()
    )
    return Problem(422, text or "the request is not valid")


def _as_setting(name: str, value: object) -> str:
    """What is wrong with the value of a setting of a brief, in the words of its reader; "" for any other field."""
    if find_key(_SETTINGS, name) is not None:
        try:
            check_value(_SETTINGS, name, value)
        except BriefError as error:
            return str(error)
    return ""


def problem_responses(*statuses: int) -> dict[int | str, dict[str, object]]:
    """The problems of a route, for its description."""
    return {status: {"description": TITLES[status], "model": ProblemBody} for status in statuses}


EVERYWHERE = problem_responses(400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 503)
"""The problems of every route of the API."""
