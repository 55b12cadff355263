"""HTTP over aiohttp; importing it loads that library."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass
from weakref import finalize

import aiohttp
from aiohttp import hdrs
from yarl import URL

from folkmoot.models.http_port import Unreached

if TYPE_CHECKING:
    from ssl import SSLContext

READ_BYTES = 262_144
"""Bytes that may wait to be read before the server is held up."""

_SILENT = (hdrs.USER_AGENT, hdrs.ACCEPT_ENCODING, hdrs.ACCEPT)


class HttpClient:
    """Connections to one server; it belongs to one event loop once it is used.

    Args:
        url: the server's address.
        proxied: whether the environment may name a proxy for it.
        connect: seconds to reach it.
    """

    def __init__(self, url: str, *, proxied: bool, connect: float) -> None:
        self._connect = connect
        self._tls = _tls_context() if url.startswith("https:") else None
        self._proxy = _proxy_for(url) if proxied else None
        self._session: aiohttp.ClientSession | None = None

    @asynccontextmanager
    async def open(self, url: str, headers: Mapping[str, str], body: bytes | None) -> AsyncGenerator["_Answer"]:
        """Post a body; see ``HttpPort``."""
        session = self._session or self._open_session()
        try:
            response = await session.request(
                "GET" if body is None else "POST",
                URL(url, encoded=True),
                data=body,
                headers=headers,
                allow_redirects=False,
                proxy=self._proxy,
            )
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise _connection_error(error, self._proxy) from error
        try:
            yield _Answer(response)
        finally:
            # Where the end of the body has come this does nothing, and the connection is used again.
            response.close()

    async def close(self) -> None:
        """Give the connections back; the next request opens new ones."""
        if session := self._session:
            self._session = None
            await session.close()
            self._left.detach()

    def _open_session(self) -> aiohttp.ClientSession:
        session = self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ssl=self._tls or True),
            timeout=aiohttp.ClientTimeout(total=None, connect=self._connect),
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=_SILENT,
            read_bufsize=READ_BYTES,
        )
        # The library complains on the terminal of what was not closed, though a program may well end like that.
        self._left = finalize(self, _let_go, session, asyncio.get_running_loop())
        return session


def _let_go(session: aiohttp.ClientSession, loop: asyncio.AbstractEventLoop) -> None:
    """Close connections that nobody has closed, from whatever thread finds that out."""
    close = cast("aiohttp.TCPConnector", session.connector)._close  # pyright: ignore[reportPrivateUsage]
    session.detach()
    if loop.is_closed():
        close()
    else:
        loop.call_soon_threadsafe(close)


class _Answer:
    """An answer of aiohttp; see ``HttpAnswer``."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self.status, self.headers = response.status, response.headers
        self._response, self._content = response, response.content
        self._paused: asyncio.Transport | None = None

    async def read(self) -> bytes:
        """The bytes that have come; see ``HttpAnswer``."""
        if self._paused:
            self._paused.resume_reading()
            self._paused = None
        try:
            return await self._content.readany()
        except (aiohttp.ClientError, OSError) as error:
            # The library forgets what came before the connection broke.
            if data := self._content._read_nowait(-1):  # pyright: ignore[reportPrivateUsage]
                return data
            raise _connection_error(error) from error

    def pause(self) -> bool:
        """Take nothing from the server; see ``HttpAnswer``."""
        connection = self._response.connection
        if connection is None or connection.transport is None:
            return False
        self._paused = connection.transport
        self._paused.pause_reading()
        return True


def _connection_error(error: Exception, proxy: str | None = None) -> Unreached:
    via = f"the proxy {urlsplit(proxy).hostname}:{urlsplit(proxy).port}" if proxy else ""  # never its password
    if isinstance(error, aiohttp.ClientHttpProxyError):
        says = " ".join(filter(None, (str(error.status), error.message)))
        wants = "wants a log-in" if error.status == 407 else "refuses to connect to it"
        return Unreached(f"{via} {wants} ({says})", refused=error.status < 500)
    late = isinstance(error, asyncio.TimeoutError)
    # A server of TLS answers a plain request with an alert, which is no HTTP, or closes or resets the connection.
    closed = isinstance(error, _CLOSED) or isinstance(error.__cause__, ConnectionResetError)
    words = ""
    if isinstance(error, aiohttp.ClientConnectorError):
        words = "the server closed the connection while it was being made" if closed else error.strerror or ""
    words = f"{words or str(error) or type(error).__name__}{f' (through {via})' if via else ''}"
    return Unreached(words, late=late, closed=closed)


_CLOSED = (aiohttp.ServerDisconnectedError, aiohttp.ClientResponseError, ConnectionResetError)


def _tls_context() -> "SSLContext":
    from httpx2 import create_ssl_context  # it knows where each system keeps its certificates

    return create_ssl_context()


def _proxy_for(url: str) -> str | None:
    """The proxy that the environment names for an address."""
    parts, proxies = urlsplit(url), getproxies()
    if proxy_bypass(parts.hostname or ""):
        return None
    return proxies.get(parts.scheme, proxies.get("all"))
