"""The MCP server over HTTP behind the guard that all servers share, with a limit of sessions for each client.

The SDK has one limit of sessions for all clients; here each client has its own, so that none blocks another. Both
forget a session that was idle for some time. The guard is pure ASGI and runs before the SDK, so it protects all routes.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
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

from folkmoot.app.serve.admission import Admission
from folkmoot.app.serve.request_guard import Refusal, RequestGuard, bearer, token_name
from folkmoot.mcp.clients import CLIENT, Client

MOST = 50
"""The maximum number of sessions of one client."""


class Sessions:
    """The SDK's application with a limit of sessions for each client; it runs behind the guard.

    Args:
        app: the SDK's application.
        clock: a monotonic clock in seconds.
    """

    def __init__(self, app: ASGIApp, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._app, self._clock = app, clock
        self._used: defaultdict[str, dict[str, float]] = defaultdict(
            dict
        )  # by client and session: the time of its last use
        self._opening: defaultdict[str, dict[object, None]] = defaultdict(dict)  # by client: requests without a session
        self._busy: Counter[str] = Counter()  # requests in progress, by session

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse another session."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers, client = Headers(scope=scope), cast("Client", scope[CLIENT]).admission.owner
        session = headers.get(MCP_SESSION_ID_HEADER, "")
        used = self._used[client]
        version = headers.get(MCP_PROTOCOL_VERSION_HEADER)
        has_sessions = version is None or version in HANDSHAKE_PROTOCOL_VERSIONS  # later versions have none
        if not session and has_sessions and self._count(client) >= MOST:
            sentence = f"this token has {MOST} open sessions, the maximum; close one, or try again later"
            await JSONResponse({"error": sentence}, 503, {"Retry-After": "30"})(scope, receive, send)
            return

        opening, key = self._opening[client], object()
        if not session:
            opening[key] = None

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                text = Headers(raw=message["headers"]).get(MCP_SESSION_ID_HEADER, "")
                if message["status"] == 404 or (scope["method"] == "DELETE" and message["status"] < 300):
                    used.pop(session, None)
                elif not session and text and message["status"] < 400:
                    used[text] = self._clock()
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
        """The number of sessions that a client has or is opening; idle ones are forgotten."""
        used, since = self._used[client], self._clock() - DEFAULT_SESSION_IDLE_TIMEOUT
        for session in [name for name, at in used.items() if at < since and not self._busy[name]]:
            del used[session]
        return len(used) + len(self._opening[client])


class HttpGuard:
    """The ASGI application that checks requests before another one answers them.

    Args:
        app: the application that answers.
        admission: the admission of the local owner; each client gets its own.
        hosts: the accepted values of the header ``Host``, in lower case.
    """

    def __init__(self, app: ASGIApp, admission: Admission, hosts: frozenset[str]) -> None:
        self._app, self._guard = app, RequestGuard(hosts, admission.serving.requests)
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
        """Accept or refuse a request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008, "reason": "WebSockets are not supported"})
            return
        headers, client = Headers(scope=scope), scope.get("client")
        if refusal := self._guard.check_page(headers, scheme=scope["scheme"]):
            await _refusal(refusal)(scope, receive, send)
            return
        name = token_name(self._marks, bearer(headers))
        if refusal := self._guard.check_rate(name or f"at {client[0] if client else ''}"):
            await _refusal(refusal)(scope, receive, send)
        elif name is None:
            refusal = Refusal(401, "send a token of [serve.tokens] as Authorization: Bearer …")
            await _refusal(refusal)(scope, receive, send)
        else:
            # The SDK binds a session to this user: only the token that opened it can use it.
            user = AuthenticatedUser(AccessToken(token="", client_id=name, scopes=[]))
            await self._app({**scope, "user": user, CLIENT: self._clients[name]}, receive, send)


def _refusal(refusal: Refusal) -> JSONResponse:
    headers = {"WWW-Authenticate": "Bearer"} if refusal.status == 401 else {}
    if refusal.wait:
        headers["Retry-After"] = str(refusal.wait)
    return JSONResponse({"error": refusal.sentence}, refusal.status, headers)
