"""Connections to a server of ours. This file owns how long each may take to ask something, and how much it may hold."""

import asyncio
from typing import TYPE_CHECKING, Literal

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from moot.app.serve.ending import GRACE

if TYPE_CHECKING:
    from starlette.types import ASGIApp
    from uvicorn._types import ASGISendEvent

HEAD_SECONDS = 10.0
"""Time for the head of a request to come in."""

IDLE_SECONDS = 10
"""Time between an answer and the next request of a connection."""

LONGEST_HEAD = 64 * 1024
"""Bytes of the head of a request."""

LONGEST_FRAME = 64 * 1024
"""Bytes of a message that somebody sends over a WebSocket."""

MOST = 2000
"""Connections at once; further requests are answered by 503."""


class Prompt(H11Protocol):
    """HTTP/1.1 where the head of a request has to come in time: uvicorn waits for one that has begun without end."""

    _waits: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Wait for the rest of a head that has begun."""
        super().data_received(data)
        if self.transport.get_protocol() is not self or (self.cycle and not self.cycle.response_complete):
            self._rest()
        elif self._waits is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing."""
        self._rest()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._waits = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _rest(self) -> None:
        if self._waits is not None:
            self._waits.cancel()
            self._waits = None


class Polite(WebSocketsSansIOProtocol):
    """WebSockets that may be refused by an answer: uvicorn logs an error after each of these."""

    async def send(self, message: "ASGISendEvent") -> None:
        """Send something; a refusal is the end of the handshake as well."""
        await super().send(message)
        self.handshake_complete = self.handshake_complete or self.close_sent


def config_of(app: "ASGIApp", *, lifespan: Literal["on", "off"], log_level: str) -> uvicorn.Config:
    """How an application is served, with limits on what a connection may take."""
    return uvicorn.Config(
        app,
        http=Prompt,
        ws=Polite,
        log_config=None,
        log_level=log_level,
        access_log=False,
        lifespan=lifespan,
        server_header=False,
        ws_max_size=LONGEST_FRAME,
        h11_max_incomplete_event_size=LONGEST_HEAD,
        limit_concurrency=MOST,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=GRACE,
    )
