"""The guard before all routes: host and origin checks, rate limits, who may send a body, and the server's log.

The log names a request by its route, never by its address, which may contain tokens or search words. No secret and
nothing that was said gets into it. The guard is pure ASGI, so it also sees WebSockets and never delays a stream.
"""

import contextlib
import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from folkmoot.app.serve.admission import MOST_REQUEST
from folkmoot.app.serve.request_guard import Refusal, RequestGuard, bearer, headers_for_pages
from folkmoot.app.serve.server_parts import error_trace
from folkmoot.app.serve.view_model import milestone
from folkmoot.core.errors import FolkmootError
from folkmoot.core.event import Entry
from folkmoot.web.bodies import BodyReader
from folkmoot.web.problems import Problem, answer, is_model_api, problem_of
from folkmoot.web.site import SITE, ServerState, authenticate, find_identity, link_of, unknown

STARTS = frozenset({"http.response.start", "websocket.http.response.start"})
SWITCHED = 101
FORBIDDEN = 403
BROKEN = 500


class Log(logging.Handler):
    """Writes the server's log. It also handles the logs of libraries, and watches the debates of a workspace.

    Args:
        write: takes a line, or a sentence for a person.
        as_json: whether lines are JSON, for programs; else only debates and errors are logged.
        clock: seconds since 1970.
    """

    def __init__(self, write: Callable[[str], None], *, as_json: bool, clock: Callable[[], float] = time.time) -> None:
        super().__init__(logging.WARNING)
        self._write, self._as_json, self._clock = write, as_json, clock

    def say(self, sentence: str) -> None:
        """Log a sentence of this server."""
        self._tell(sentence, event="said", text=sentence)

    def emit(self, record: logging.LogRecord) -> None:
        """Log a record of a library; of other libraries without its arguments."""
        text = record.getMessage() if record.name.startswith("folkmoot.") else str(record.msg)
        self._tell(f"{record.name}: {text}", event="noted", level=record.levelname, logger=record.name, text=text)

    def request(self, scope: Scope, status: int, seconds: float) -> None:
        """Log a finished request."""
        method, path = scope.get("method", "WEBSOCKET"), route_of(scope)
        if self._as_json:
            facts = {"method": method, "path": path, "status": status, "seconds": round(seconds, 4)}
            self._tell(
                "", event="request", **facts, **{"pass": _sender(scope, status), "debate": _debate(scope, status)}
            )
        elif status >= BROKEN:
            self._tell(f"{method} {path or 'unknown page'}: {status}")

    def take(self, debate: str, entries: Sequence[Entry]) -> None:
        """Log the start, resumption, pause and end of a debate."""
        for entry in entries:
            if known := milestone(entry.event):
                change, status = known
                sentence = f"debate {change}: {debate}{f': {status}' if status else ''}"
                facts = {"debate": debate, **({"status": status} if status else {})}
                self._tell(sentence, event="debate begun" if change == "started" else f"debate {change}", **facts)

    def take_error(self, debate: str, error: FolkmootError) -> None:
        """Log the error that ended the run of a debate; its record may not tell."""
        self._tell(f"debate broken off: {debate}: {error}", event="debate broken off", debate=debate, text=str(error))

    def end(self, debate: str) -> None:
        """Nothing is logged here: the entries have been."""

    def _tell(self, sentence: str, **known: object) -> None:
        with contextlib.suppress(OSError):  # the log is no longer read
            self._write(json.dumps({"at": round(self._clock(), 3), **known}) if self._as_json else sentence)


class Logged:
    """The application with a log line for each finished request.

    Args:
        app: the application behind its guard.
        log: takes the lines.
    """

    def __init__(self, app: ASGIApp, log: Log) -> None:
        self._app, self._log = app, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer and log."""
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
    """The template of the route of a request; "" where there is none."""
    return cast("str", getattr(scope.get("route"), "path", ""))


def _sender(scope: Scope, status: int) -> str:
    """Who sent a request: a session, a program by its name, or a share link; "" for somebody unknown."""
    if holder := find_identity(HTTPConnection(scope)):
        return "session" if holder.machine else f"token:{holder.owner}"
    return "share" if _let_in(status) and route_of(scope).startswith("/api/") else ""


def _debate(scope: Scope, status: int) -> str:
    """The debate of a request; "" where the request was refused."""
    return str(scope.get("path_params", {}).get("debate", "")) if _let_in(status) else ""


def _let_in(status: int) -> bool:
    return 0 < status < 400


MOST_BYTES = 1024 * 1024
"""The most bytes of a request's body."""

MOST_OF_A_LINK = 64 * 1024
"""The same for the holder of a share link, whom its owner may not know."""

API = "/api/"
WITH_FILES = ("/api/v1/debates", "/api/v1/check")
ALIVE = "/healthz"
"""The probe of whether the process lives, which is always answered."""

READY = "/readyz"
"""The probe of whether debates can run, which is counted apart."""

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; style-src 'self'; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""The headers of every answer."""


class Guard:
    """The ASGI application that checks requests before another one answers them."""

    def __init__(self, app: ASGIApp, site: ServerState) -> None:
        self._app, self._site = app, site
        self._guard = RequestGuard(site.hosts, site.serving.requests)
        self._bodies = BodyReader()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or refuse a request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        started = gone = False
        scope[SITE] = self._site

        async def safely(message: Message) -> None:
            nonlocal started, gone
            started = True
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                self._with_headers(scope, message)
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
        except FolkmootError as error:  # the records cannot be read
            await _refuse(problem_of(error), scope, receive, safely)
        except Exception as error:  # noqa: BLE001 # every error must become an answer
            if gone:  # the client has disconnected; that is not an error
                return
            logging.getLogger("folkmoot.web").error("%s: %s", route_of(scope), error_trace(error))
            if not started:
                await _refuse(Problem(500, "an internal error; the records are not affected"), scope, receive, safely)
            elif scope["type"] == "websocket":
                with contextlib.suppress(RuntimeError):  # it is closed already
                    await send({"type": "websocket.close", "code": 1011, "reason": "internal"})

    def _check(self, scope: Scope) -> None:
        """Refuse what is not allowed.

        Raises:
            Problem: 403 for another host or page, 415 for another kind of body, 429 for too many requests.
        """
        headers, live = Headers(scope=scope), scope["type"] == "websocket"
        page, programs = (
            not live and scope["method"] in SAFE and not scope["path"].startswith(API),
            _is_model_api(scope),
        )
        check = self._guard.check_page(headers, scheme=scope["scheme"], live=live, page=page, tokens_only=programs)
        _pass(check)
        connection = HTTPConnection(scope)
        holder = self._site.auth.of_token(bearer(headers)) if programs else find_identity(connection)
        client = scope.get("client")
        client_mark = holder.mark if holder else link_of(connection) or (client[0] if client else "")
        if not page or scope["path"] != ALIVE:
            # Behind one proxy many share an address, and none of them may use up what a probe needs.
            _pass(self._guard.check_rate(f"{client_mark} {READY}" if scope["path"] == READY else client_mark))
        if scope["type"] == "http" and scope["method"] == "POST":
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            empty = headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers
            if kind != "application/json" and not (programs and empty):  # cookies do not count there
                raise Problem(415, "send the body as application/json")

    async def _with_body(self, scope: Scope, receive: Receive) -> Receive:
        """Read the body of a request from somebody who is known, and return a ``receive`` that replays it.

        A body that is not read is thrown away by the server as it comes; see ``TimedHttp`` for how long.

        Raises:
            Problem: 401 where nobody knows the client; see ``BodyReader.read``.
        """
        if scope["type"] != "http" or scope["method"] in SAFE or not (_is_model_api(scope) or _is_api(scope)):
            return receive  # no page takes a body
        holder = await authenticate(HTTPConnection(scope))
        if holder is None:
            raise unknown(scope["path"])
        known = MOST_REQUEST if _takes_files(scope) else MOST_BYTES
        return await self._bodies.read(scope, receive, MOST_OF_A_LINK if holder.share else known)

    def _with_headers(self, scope: Scope, message: Message) -> None:
        headers = MutableHeaders(scope=message)
        for name, value in HEADERS.items():
            headers.setdefault(name, value)
        if _is_api(scope) or _is_model_api(scope):
            headers["Cache-Control"] = "no-store"
        if _is_model_api(scope):
            sent, asks = Headers(scope=scope), scope["method"] == "OPTIONS"
            headers.update(headers_for_pages(sent, self._site.serving.origins, asks=asks))
        if "server" in headers:
            del headers["server"]


def _is_api(scope: Scope) -> bool:
    return scope["path"].startswith(API)


def _is_model_api(scope: Scope) -> bool:
    return scope["type"] == "http" and is_model_api(scope["path"])


def _takes_files(scope: Scope) -> bool:
    """Whether the body may hold pictures and PDFs: a debate to start or to check, or a request to a model."""
    return _is_model_api(scope) or (scope["method"] == "POST" and scope["path"] in WITH_FILES)


def _pass(refusal: Refusal | None) -> None:
    """Go on, unless the guard refuses the request.

    Raises:
        Problem: it does.
    """
    if refusal:
        headers = {"Retry-After": str(refusal.wait)} if refusal.wait else {}
        raise Problem(refusal.status, refusal.sentence, refusal.code, headers=headers)


async def _refuse(problem: Problem, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with a problem; close a WebSocket that cannot receive one."""
    if scope["type"] == "http" or "websocket.http.response" in scope.get("extensions", {}):
        await answer(problem, scope["path"])(scope, receive, send)
    else:
        await send({"type": "websocket.close", "code": 1008, "reason": problem.code})
