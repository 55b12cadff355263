"""Sessions over HTTP. This file owns how many each client may have open, so that none shuts out another.

The SDK has one limit for all; it forgets a session that was idle for some time, and so does this file.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import cast

from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.server.streamable_http_manager import DEFAULT_SESSION_IDLE_TIMEOUT
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
        headers, client = Headers(scope=scope), cast("Client", scope[CLIENT]).reception.owner
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
