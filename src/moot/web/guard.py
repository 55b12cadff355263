"""JSON of requests, strictly. This file owns that a body says each thing once, and nothing that JSON cannot say.

What a server says of itself, a line for each event. This file owns that no secret, and nothing said, gets into it.
The guard before everything. This file owns what no request gets past: foreign hosts and pages, floods, large bodies.

A request is named by its route, never by its address: there stand tokens, and words that somebody looks for.

It is pure ASGI, so that it sees WebSockets as well and never holds a stream up.
"""

import asyncio
import contextlib
import json
import logging
import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from moot.app.serve.server_parts import Buckets, same_page, told
from moot.core.event import Closed, Entry, Opened, Paused, Resumed
from moot.web.problems import Problem, answer
from moot.web.site import SITE, Site, find_pass, link_of


def check_json(body: bytes) -> None:
    """Refuse a body that readers could take in different ways.

    Raises:
        Problem: 400 where it is no JSON, names a key twice, or holds a number or a text that cannot be.
    """
    try:
        found = json.loads(body.decode(), object_pairs_hook=_once, parse_constant=_never, parse_float=_float)
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Problem(400, "a text in the body holds half of a character (a lone surrogate)") from None
    except UnicodeDecodeError:
        raise Problem(400, "the body is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise Problem(400, f"the body is not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise Problem(400, "the body is nested too deeply") from None
    except ValueError:  # Python reads no whole number of more than 4,300 digits
        raise Problem(400, "a number in the body is too large") from None


def _once(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in pairs:
        if name in found:
            raise Problem(400, f"the body names {name[:60]!r} twice")
        found[name] = value
    return found


def _never(name: str) -> object:
    raise Problem(400, f"{name} is no number of JSON")


def _float(digits: str) -> float:
    if not math.isfinite(value := float(digits)):
        raise Problem(400, "a number in the body is too large")
    return value


STARTS = frozenset({"http.response.start", "websocket.http.response.start"})
SWITCHED = 101
FORBIDDEN = 403
BROKEN = 500


class Log(logging.Handler):
    """Writes lines; it also takes what libraries log, and watches the debates of a desk.

    Args:
        write: takes a line, or a sentence for a person.
        as_json: whether lines are JSON, for programs. Else only debates and what is broken are told.
        clock: seconds since 1970.
    """

    def __init__(self, write: Callable[[str], None], *, as_json: bool, clock: Callable[[], float] = time.time) -> None:
        super().__init__(logging.WARNING)
        self._write, self._as_json, self._clock = write, as_json, clock

    def say(self, sentence: str) -> None:
        """Tell a sentence of our own."""
        self._tell(sentence, event="said", text=sentence)

    def emit(self, record: logging.LogRecord) -> None:
        """Take in what a library logs; of those that are not ours without what it fills in."""
        text = record.getMessage() if record.name.startswith("moot.") else str(record.msg)
        self._tell(f"{record.name}: {text}", event="noted", level=record.levelname, logger=record.name, text=text)

    def request(self, scope: Scope, status: int, seconds: float) -> None:
        """A request is done."""
        method, path = scope.get("method", "WEBSOCKET"), route_of(scope)
        if self._as_json:
            told = {"method": method, "path": path, "status": status, "seconds": round(seconds, 4)}
            self._tell("", event="request", **told, **{"pass": _who(scope, status), "debate": _debate(scope, status)})
        elif status >= BROKEN:
            self._tell(f"{method} {path or 'an unknown page'}: {status}")

    def take(self, debate: str, entries: Sequence[Entry]) -> None:
        """Tell where a debate begins and ends."""
        for entry in entries:
            match entry.event:
                case Opened():
                    self._tell(f"debate begun: {debate}", event="debate begun", debate=debate)
                case Resumed():
                    self._tell(f"debate taken up again: {debate}", event="debate resumed", debate=debate)
                case Closed(status=status):
                    self._tell(f"debate ended: {debate}: {status}", event="debate ended", debate=debate, status=status)
                case Paused(kind=kind):
                    why = kind or "stopped"
                    self._tell(f"debate paused: {debate}: {why}", event="debate paused", debate=debate, status=why)
                case _:
                    pass

    def end(self, debate: str) -> None:
        """Nothing is told: the entries have."""

    def _tell(self, sentence: str, **known: object) -> None:
        with contextlib.suppress(OSError):  # nobody reads it any more
            self._write(json.dumps({"at": round(self._clock(), 3), **known}) if self._as_json else sentence)


class Logged:
    """The application with a line for each request that is done.

    Args:
        app: the application behind its guard.
        log: takes the lines.
    """

    def __init__(self, app: ASGIApp, log: Log) -> None:
        self._app, self._log = app, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, and tell."""
        begun, status = time.perf_counter(), 0

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] in STARTS:
                status = message["status"]
            elif message["type"] == "websocket.accept":
                status = SWITCHED
            elif message["type"] == "websocket.close" and not status:
                status = FORBIDDEN
            await send(message)

        try:
            await self._app(scope, receive, noting)
        finally:
            self._log.request(scope, status, time.perf_counter() - begun)


def route_of(scope: Scope) -> str:
    """The template of the route that a request came to; "" where there is none."""
    return cast("str", getattr(scope.get("route"), "path", ""))


def _who(scope: Scope, status: int) -> str:
    """Whose pass it is: that of a session, a program's by its name, or a link's; "" for nobody that is known."""
    if holder := find_pass(HTTPConnection(scope)):
        return "session" if holder.machine else f"token:{holder.owner}"
    return "share" if _let_in(status) and route_of(scope).startswith("/api/") else ""


def _debate(scope: Scope, status: int) -> str:
    """The debate that it is about; "" where that is only what somebody has typed."""
    return str(scope.get("path_params", {}).get("debate", "")) if _let_in(status) else ""


def _let_in(status: int) -> bool:
    return 0 < status < 400


MOST_BYTES = 1024 * 1024
"""The greatest body of a request."""

BODY_SECONDS = 30.0
"""Time for a body to come in."""

API = "/api/"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
OWN_PAGE = frozenset({"same-origin", "none"})

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; style-src 'self'; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""What every answer carries."""


class Guard:
    """The ASGI application around the one that answers."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app, self._site = app, site
        self._buckets = Buckets(site.serving.requests)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        started = gone = False
        scope[SITE] = self._site

        async def safely(message: Message) -> None:
            nonlocal started, gone
            started = True
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                self._dress(scope, message)
            try:
                await send(message)
            except OSError:
                gone = True
                raise

        try:
            self._check(scope)
            await self._app(scope, await self._with_body(scope, receive), safely)
        except Problem as problem:
            await _refuse(problem, scope, receive, safely)
        except Exception as error:  # noqa: BLE001 # house: broad because it is the door of this host
            if gone:  # there is nobody to tell, and nothing went wrong here
                return
            logging.getLogger("moot.web").error("%s: %s", route_of(scope), told(error))
            if not started:
                await _refuse(Problem(500, "an internal error; what is on record stays"), scope, receive, safely)
            elif scope["type"] == "websocket":
                with contextlib.suppress(RuntimeError):  # it is closed already
                    await send({"type": "websocket.close", "code": 1011, "reason": "internal"})

    def _check(self, scope: Scope) -> None:
        """Refuse what must not come in.

        Raises:
            Problem: 403 for another host or page, 415 for another kind of body, 429 for too many requests.
        """
        headers = Headers(scope=scope)
        host = headers.get("host", "").lower()
        if host not in self._site.hosts:
            raise Problem(403, f"this server is not called {host[:80]!r}", "host")
        self._check_origin(scope, headers, host)
        connection = HTTPConnection(scope)
        holder = find_pass(connection)
        client = scope.get("client")
        who = holder.mark if holder else link_of(connection) or (client[0] if client else "")
        if wait := self._buckets.take(who):
            raise Problem(429, "too many requests; wait a little", headers={"Retry-After": str(int(wait) + 1)})
        if scope["type"] == "http" and scope["method"] == "POST":
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/json":
                raise Problem(415, "send the body as application/json")

    def _check_origin(self, scope: Scope, headers: Headers, host: str) -> None:
        """Refuse what another page makes a browser send."""
        origin = headers.get("origin")
        if origin is not None and not same_page(origin, scope["scheme"], host):
            raise Problem(403, "requests from other pages are refused", "origin")
        live = scope["type"] == "websocket"
        if live and origin is None and "cookie" in headers:
            raise Problem(403, "with a cookie, a WebSocket needs an Origin", "origin")
        page = not live and scope["method"] in SAFE and not scope["path"].startswith(API)
        if not page and headers.get("sec-fetch-site", "none") not in OWN_PAGE:
            raise Problem(403, "requests from other pages are refused", "origin")

    async def _with_body(self, scope: Scope, receive: Receive) -> Receive:
        """The same with the body read, which has a limit in size and in time.

        Raises:
            Problem: 413 where it is too large, 400 where it does not come, or is no JSON that says each thing once.
        """
        if scope["type"] != "http" or scope["method"] in SAFE:
            return receive
        body, more = bytearray(), True
        try:
            async with asyncio.timeout(BODY_SECONDS):
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        break
                    body += message.get("body", b"")
                    more = message.get("more_body", False)
                    if len(body) > MOST_BYTES:
                        raise Problem(413, f"the body is larger than {MOST_BYTES:,} bytes, the most allowed")
        except TimeoutError:
            raise Problem(400, f"the body did not come within {BODY_SECONDS:g} seconds") from None
        if body and scope["method"] == "POST":
            check_json(bytes(body))
        given = False

        async def replay() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": bytes(body), "more_body": False}

        return replay

    def _dress(self, scope: Scope, message: Message) -> None:
        headers = MutableHeaders(scope=message)
        for name, value in HEADERS.items():
            headers.setdefault(name, value)
        if scope["path"].startswith(API):
            headers["Cache-Control"] = "no-store"
        if "server" in headers:
            del headers["server"]


async def _refuse(problem: Problem, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with a problem; a WebSocket that cannot be told is closed."""
    if scope["type"] == "http" or "websocket.http.response" in scope.get("extensions", {}):
        await answer(problem)(scope, receive, send)
    else:
        await send({"type": "websocket.close", "code": 1008, "reason": problem.code})
