"""Why a provider was not reached: the cause is looked for in the error, else asked of the server."""

import asyncio
import ssl
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import SplitResult, urlsplit

from moot.core.errors import ModelError
from moot.models.names import ModelName
from moot.models.provider_errors import misled, unreached
from moot.models.transport import CONNECT_SECONDS, Link

PROBE_SECONDS = 3.0
"""Seconds in which a server shows what it speaks."""

_CLOSED = ("disconnected without sending a response", "x15\\x03")
"""How the HTTP library tells that a connection was closed before any answer, or that a TLS alert came in its place."""


async def explain(name: ModelName, link: Link, error: Exception) -> ModelError:
    """The error for a request that got no response, or lost it.

    Args:
        name: the model that was asked.
        link: the way to its provider.
        error: what the library raised; its causes tell more than its words.
    """
    chain = list(_causes(error))
    if ours := next((each for each in chain if isinstance(each, ModelError)), None):
        return ours
    late = any(type(each).__name__ == "ConnectTimeout" for each in chain)
    words = " ".join(map(str, chain))
    tls = next((each for each in chain if isinstance(each, ssl.SSLError)), None)
    if found := await _wrong_address(urlsplit(link.url), tls, words, late=late):
        return misled(f"{name.provider.name} at {link.url} {found}")
    told = (str(each) for each in chain if type(each).__module__.startswith("httpx2") and str(each))
    why = f"it took longer than {CONNECT_SECONDS:g} s" if late else next(told, "") or str(error)
    return unreached(name, link.url, why, link.key)


async def _wrong_address(parts: SplitResult, tls: ssl.SSLError | None, words: str, *, late: bool) -> str:
    """What is wrong with the server at an address, or with the address; "" where it may just be away."""
    if isinstance(tls, ssl.SSLCertVerificationError):
        return f"shows a certificate that is not trusted: {tls.verify_message}"
    if parts.scheme == "http":
        # A server of TLS answers a plain request with an alert, or closes the connection at once.
        closed = any(mark in words for mark in _CLOSED)
        return "speaks https, not http" if closed and await _speaks_tls(parts) else ""
    if (tls or late) and await _speaks_http(parts):
        return "speaks http, not https"
    return f"and Moot do not agree on TLS: {tls.reason or tls}" if tls else ""


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error, its cause, and so on; not that a handshake was waiting for more."""
    for _ in range(20):
        if error is None:
            return
        if not isinstance(error, ssl.SSLWantReadError | ssl.SSLWantWriteError):
            yield error
        error = error.__cause__ or error.__context__


async def _speaks_http(parts: SplitResult) -> bool:
    """Whether the server answers a plain request; one of TLS is silent, sends an alert, or answers with status 400."""
    asked = f"HEAD / HTTP/1.1\r\nHost: {parts.netloc}\r\nConnection: close\r\n\r\n".encode()
    head = await _knock(parts, asked, None)
    return head.startswith(b"HTTP/") and not head.endswith(b"400")


async def _speaks_tls(parts: SplitResult) -> bool:
    """Whether the server shakes hands as those of TLS do, whoever it is."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return await _knock(parts, b"", context) == b"shaken"


async def _knock(parts: SplitResult, asked: bytes, context: ssl.SSLContext | None) -> bytes:
    """The first 12 bytes of a server's answer, or ``shaken`` where nothing was asked; nothing where it fails."""
    with suppress(OSError, TimeoutError, ValueError, asyncio.IncompleteReadError):
        async with asyncio.timeout(PROBE_SECONDS):
            port = parts.port or (443 if parts.scheme == "https" else 80)
            reader, writer = await asyncio.open_connection(parts.hostname, port, ssl=context)
            try:
                writer.write(asked)
                return await reader.readexactly(12) if asked else b"shaken"
            finally:
                writer.close()
    return b""
