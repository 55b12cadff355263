"""The guard before everything. This file owns what no request gets past: foreign hosts and pages, floods, large bodies.

It is pure ASGI, so that it sees WebSockets as well and never holds a stream up.
"""

import asyncio
import contextlib
import logging
from collections.abc import Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from moot.app.serve.buckets import Buckets
from moot.app.serve.server_parts import same_page
from moot.app.serve.slips import told
from moot.web.logs import route_of
from moot.web.problems import Problem, answer
from moot.web.strict import check_json
from moot.web.web_site import SITE, Site, find_pass, link_of

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
