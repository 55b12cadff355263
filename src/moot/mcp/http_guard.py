"""Sessions over HTTP. This file owns how many each client may have open, so that none shuts out another.

The door over HTTP. This file owns who is let in: known hosts, no foreign pages, tokens, and no floods.

The SDK has one limit for all; it forgets a session that was idle for some time, and so does this file.

It is pure ASGI, before the SDK sees anything, so no route is without it.
"""

import json
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from hmac import compare_digest
from typing import cast

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.server.streamable_http_manager import DEFAULT_SESSION_IDLE_TIMEOUT
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from moot.app.run.access import mark_of
from moot.app.serve.admission import Admission
from moot.app.serve.server_parts import Buckets, same_page
from moot.mcp.clients import CLIENT, Client

MOST = 50
"""The most sessions of one client."""


class Sessions:
    """The SDK's application with a limit for each client; it stands behind the door.

    Args:
        app: the SDK's.
        clock: seconds that only go forward.
    """

    def __init__(self, app: ASGIApp, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._app, self._clock = app, clock
        self._used: defaultdict[str, dict[str, float]] = defaultdict(dict)  # by client and session: when last
        self._opening: defaultdict[str, dict[object, None]] = defaultdict(dict)  # by client: requests without a session
        self._busy: Counter[str] = Counter()  # requests in hand, by session

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse one session more."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers, client = Headers(scope=scope), cast("Client", scope[CLIENT]).admission.owner
        session = headers.get(MCP_SESSION_ID_HEADER, "")
        used = self._used[client]
        if not session and _has_sessions(headers) and self._count(client) >= MOST:
            told = f"{MOST} sessions of this token are open, as many as may be; close one, or come back later"
            await JSONResponse({"error": told}, 503, {"Retry-After": "30"})(scope, receive, send)
            return

        opening, key = self._opening[client], object()
        if not session:
            opening[key] = None

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = Headers(raw=message["headers"]).get(MCP_SESSION_ID_HEADER, "")
                if message["status"] == 404 or (scope["method"] == "DELETE" and message["status"] < 300):
                    used.pop(session, None)
                elif not session and given and message["status"] < 400:
                    used[given] = self._clock()
                    opening.pop(key, None)
            await send(message)

        self._busy[session] += 1
        try:
            await self._app(scope, receive, noting)
        finally:
            opening.pop(key, None)
            self._busy[session] -= 1
            if not self._busy[session]:
                del self._busy[session]
            if session in used:
                used[session] = self._clock()

    def _count(self, client: str) -> int:
        """The sessions that a client has, or is opening; those that were idle for too long are forgotten."""
        used, since = self._used[client], self._clock() - DEFAULT_SESSION_IDLE_TIMEOUT
        for session in [name for name, at in used.items() if at < since and not self._busy[name]]:
            del used[session]
        return len(used) + len(self._opening[client])


def _has_sessions(headers: Headers) -> bool:
    """Whether the protocol that is spoken has sessions; later ones have none."""
    version = headers.get(MCP_PROTOCOL_VERSION_HEADER)
    return version is None or version in HANDSHAKE_PROTOCOL_VERSIONS


class HttpGuard:
    """The application around the one that answers.

    Args:
        app: the one that answers.
        admission: of whoever is at the machine; each client gets one of its own.
        hosts: the values of the header ``Host`` that are answered, in small letters.
    """

    def __init__(self, app: ASGIApp, admission: Admission, hosts: frozenset[str]) -> None:
        self._app, self._hosts = app, hosts
        self._buckets = Buckets(admission.serving.requests)
        self._marks: Mapping[str, str] = admission.serving.tokens
        self._clients = {
            name: Client(
                admission=Admission(
                    runner=admission.runner, spending=admission.spending, serving=admission.serving, owner=name
                )
            )
            for name in self._marks
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let in, or refuse."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008, "reason": "there is no WebSocket here"})
            return
        headers = Headers(scope=scope)
        host, origin = headers.get("host", "").lower(), headers.get("origin")
        if host not in self._hosts:
            await _refuse(send, 403, f"this server is not called {host[:80]!r}")
            return
        if origin is not None and not same_page(origin, scope["scheme"], host):
            await _refuse(send, 403, "requests from other pages are refused")
            return
        name, client = self._name(headers), scope.get("client")
        if wait := self._buckets.take(name or f"at {client[0] if client else ''}"):
            await _refuse(send, 429, "too many requests; wait a little", wait)
        elif name is None:
            await _refuse(send, 401, "send a token of [serve.tokens] as Authorization: Bearer …")
        else:
            # The SDK ties sessions to this user: a session is good for the token that opened it alone.
            user = AuthenticatedUser(AccessToken(token="", client_id=name, scopes=[]))
            await self._app({**scope, "user": user, CLIENT: self._clients[name]}, receive, send)

    def _name(self, headers: Headers) -> str | None:
        """Whose token was sent; all are compared, each in constant time."""
        kind, _, secret = headers.get("authorization", "").partition(" ")
        mark = mark_of(secret.strip())
        found = [name for name, each in self._marks.items() if compare_digest(each, mark)]
        return found[0] if found and kind.lower() == "bearer" else None


async def _refuse(send: Send, status: int, sentence: str, wait: float = 0.0) -> None:
    body = json.dumps({"error": sentence}, ensure_ascii=False).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if wait:
        headers.append((b"retry-after", str(int(wait) + 1).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
