"""The door over HTTP. This file owns who is let in: known hosts, no foreign pages, tokens, and no floods.

It is pure ASGI, before the SDK sees anything, so no route is without it.
"""

import json
from collections.abc import Mapping
from hmac import compare_digest

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from moot.app.run.access import mark_of
from moot.app.serve.admission import Reception
from moot.app.serve.buckets import Buckets
from moot.app.serve.server_parts import same_page
from moot.mcp.clients import CLIENT, Client


class Door:
    """The application around the one that answers.

    Args:
        app: the one that answers.
        reception: of whoever is at the machine; each client gets one of its own.
        hosts: the values of the header ``Host`` that are answered, in small letters.
    """

    def __init__(self, app: ASGIApp, reception: Reception, hosts: frozenset[str]) -> None:
        self._app, self._hosts = app, hosts
        self._buckets = Buckets(reception.serving.requests)
        self._marks: Mapping[str, str] = reception.serving.tokens
        self._clients = {
            name: Client(
                reception=Reception(hall=reception.hall, till=reception.till, serving=reception.serving, owner=name)
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
