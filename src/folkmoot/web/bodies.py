"""Bodies of requests: bounded in size and time, read only from whoever is known, and parsed once.

A parsed body travels in the scope of its request: routes take it from there and parse nothing again.
"""

import asyncio
import json
import math
import re
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope

from folkmoot.web.problems import Problem

BODY_SECONDS = 30.0
"""Seconds in which a body must arrive."""

LARGE = 256 * 1024
"""Bytes above which a body is parsed beside the event loop."""

MOST_MARKS = 2 * 1024 * 1024
"""The most commas and brackets of a large body. A parsed value takes up to thirty times its place in the body, and Python
parses without a pause. A brief of the greatest size has fewer, even if it were all commas."""

PARSED = "folkmoot.body"
"""The key of the parsed body in a request's scope."""

_HALVES = re.compile(rb"\\u[dD][89a-fA-F]")
"""How half a character may be written: UTF-8 itself has none."""


@dataclass(frozen=True, slots=True)
class BodyReader:
    """Reads the bodies of all requests of a server; of the large ones one is parsed at a time."""

    _large: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def read(self, scope: Scope, receive: Receive, limit: int) -> Receive:
        """Read and parse the body of a request, and return a ``receive`` that replays it.

        Raises:
            Problem: 413 where it is too large, 400 where it does not arrive or is not strict JSON.
        """
        body, more = bytearray(), True
        length = Headers(scope=scope).get("content-length", "")
        if length.isdecimal() and int(length[:20]) > limit:  # nothing of it has to be waited for
            raise _too_large(limit)
        try:
            async with asyncio.timeout(BODY_SECONDS):
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        break
                    body += message.get("body", b"")
                    more = message.get("more_body", False)
                    if len(body) > limit:
                        raise _too_large(limit)
        except TimeoutError:
            raise Problem(400, f"the body did not arrive within {BODY_SECONDS:g} seconds") from None
        whole, sent = bytes(body), False
        if whole:
            scope[PARSED] = await self._parsed(whole)

        async def replay() -> Message:
            nonlocal sent
            if sent:
                return await receive()
            sent = True
            return {"type": "http.request", "body": whole, "more_body": False}

        return replay

    async def _parsed(self, body: bytes) -> object:
        if len(body) <= LARGE:
            return parse_json(body)
        async with self._large:
            return await asyncio.to_thread(_parse_large, body)


def _too_large(limit: int) -> Problem:
    return Problem(413, f"the body is larger than the maximum of {limit:,} bytes")


def _parse_large(body: bytes) -> object:
    if sum(map(body.count, (b",", b"[", b"{"))) > MOST_MARKS:
        raise Problem(413, f"the body has more than {MOST_MARKS:,} commas and brackets; send fewer values at once")
    return parse_json(body)


def parse_json(body: bytes) -> object:
    """The value of a body, which no other parser could read in a different way.

    Raises:
        Problem: 400 where it is not JSON, has a key twice, or has an invalid number or text.
    """
    try:
        parsed: object = json.loads(
            body.decode(), object_pairs_hook=_unique_members, parse_constant=_refuse_constant, parse_float=_float
        )
        if _HALVES.search(body):
            json.dumps(parsed, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Problem(400, "a text in the body contains half a character (a lone surrogate)") from None
    except UnicodeDecodeError:
        raise Problem(400, "the body is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise Problem(400, f"the body is not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise Problem(400, "the body is nested too deeply") from None
    except ValueError:  # Python does not parse integers of more than 4,300 digits
        raise Problem(400, "a number in the body is too large") from None
    return parsed


def _unique_members(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    members: dict[str, object] = {}
    for name, value in pairs:
        if name in members:
            raise Problem(400, f"the body has the key {name[:60]!r} twice")
        members[name] = value
    return members


def _refuse_constant(name: str) -> object:
    raise Problem(400, f"{name} is not a number in JSON")


def _float(digits: str) -> float:
    if not math.isfinite(value := float(digits)):
        raise Problem(400, "a number in the body is too large")
    return value


class ParsedRequest(Request):
    """A request whose body the guard has parsed."""

    async def json(self) -> object:
        """The parsed body; None for an empty one."""
        return self.scope.get(PARSED)


class ParsedRoute(APIRoute):
    """A route whose requests are not parsed again."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[object, object, Response]]:
        """The handler of its requests."""
        answer = super().get_route_handler()

        async def handle(request: Request) -> Response:
            return await answer(ParsedRequest(request.scope, request.receive))

        return handle
