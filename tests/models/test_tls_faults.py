"""Servers of TLS that are spoken to wrongly: the cause is named after one try. Real sockets, real certificates."""

import asyncio
import socket
import ssl
import struct
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.models.test_models_hostile import ANSWERING, certificate, fails

HANDSHAKE = 0x16
"""The first byte of a client that speaks TLS."""


@contextmanager
def resetting(context: ssl.SSLContext) -> Generator[tuple[int, list[bytes]]]:
    """A server of TLS that resets the connection of whoever speaks anything else; the first bytes of all are kept."""
    begun: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    met(listening.accept()[0], context, begun)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listening.getsockname()[1], begun
        listening.shutdown(socket.SHUT_RDWR)
    thread.join(60)


def met(client: socket.socket, context: ssl.SSLContext, begun: list[bytes]) -> None:
    """Shake hands, or reset."""
    first = client.recv(1, socket.MSG_PEEK)
    begun.append(first)
    with suppress(OSError):
        if first == bytes([HANDSHAKE]):
            context.wrap_socket(client, server_side=True).close()
        else:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()


@pytest.mark.parametrize("name", ANSWERING)
async def test_http_to_a_port_of_tls_that_resets_is_named_after_one_try(name: str, tmp_path: Path) -> None:
    with resetting(certificate(tmp_path)) as (port, begun):
        error = await fails(name, f"http://127.0.0.1:{port}")
        assert str(error).endswith("speaks https, not http")
        assert (error.kind, error.again) == ("address", False)
        assert len([first for first in begun if first != bytes([HANDSHAKE])]) == 1


@contextmanager
def plain(*, answers: bool) -> Generator[tuple[int, list[bytes]]]:
    """A server of plain HTTP that resets the connection of whoever speaks TLS, or one that hangs up on everybody."""
    begun: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    client = listening.accept()[0]
                    with suppress(OSError):
                        begun.append(client.recv(1, socket.MSG_PEEK))
                        if not answers:
                            client.recv(65536)  # all is read, so that closing is no reset
                        elif begun[-1] == bytes([HANDSHAKE]):
                            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                        else:
                            client.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                    client.close()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listening.getsockname()[1], begun
        listening.shutdown(socket.SHUT_RDWR)
    thread.join(60)


@pytest.mark.parametrize("name", ANSWERING)
async def test_https_to_a_port_of_http_that_resets_is_named_after_one_try(name: str) -> None:
    with plain(answers=True) as (port, begun):
        error = await fails(name, f"https://127.0.0.1:{port}")
        assert str(error).endswith("speaks http, not https")
        assert (error.kind, error.again) == ("address", False)
        assert begun.count(bytes([HANDSHAKE])) == 1


@pytest.mark.parametrize("name", ANSWERING)
async def test_a_server_that_hangs_up_before_anything_was_said_is_told_in_words(name: str) -> None:
    with plain(answers=False) as (port, _):
        error = await fails(name, f"https://127.0.0.1:{port}")
    assert "the server closed the connection while it was being made" in str(error)
    assert "None" not in str(error)
    assert error.kind == "connection"


@pytest.mark.parametrize("name", ANSWERING)
async def test_the_certificate_of_another_host_is_named_after_one_try(name: str, tmp_path: Path) -> None:
    context = certificate(tmp_path)
    with resetting(context) as (port, begun), trusted(tmp_path):
        error = await fails(name, f"https://localhost:{port}")
        assert "shows a certificate that is not trusted" in str(error)
        assert (error.kind, error.again) == ("address", False)
        assert len(begun) == 1


@pytest.mark.parametrize("name", ANSWERING)
async def test_a_host_that_is_not_there_is_named(name: str) -> None:
    error = await fails(name, "https://no-such-host.invalid:8443")
    assert "no-such-host.invalid" in str(error)
    assert error.kind in ("address", "connection")


@contextmanager
def trusted(place: Path) -> Generator[None]:
    """The certificate of a test among those that are trusted."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(place / "cert.pem"))
        yield


@pytest.mark.parametrize("name", ANSWERING)
async def test_who_shook_hands_and_hangs_up_is_sent_nothing_in_plain_text(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
    with resetting(context) as (port, begun):
        error = await fails(name, f"https://127.0.0.1:{port}")
    assert error.kind == "connection"
    assert {*begun} == {bytes([HANDSHAKE])}


@pytest.mark.parametrize(
    ("answer", "words", "kind"),
    [
        (b"HTTP/1.1 407 Who are you?\r\n\r\n", "wants a log-in (407 Who are you?)", "address"),
        (b"HTTP/1.1 403 Blocked\r\n\r\n", "refuses to connect to it (403 Blocked)", "address"),
        (b"HTTP/1.1 503 Busy\r\n\r\n", "refuses to connect to it (503 Busy)", "connection"),
        (b"HTTP/1.1 200 OK\r\n\r\n<html>Log in</html>", "while it was being made (through the proxy", "connection"),
    ],
)
async def test_what_a_proxy_says_is_told_and_its_password_is_not(
    answer: bytes, words: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        for name in ("https_proxy", "HTTPS_PROXY"):
            monkeypatch.setenv(name, f"http://me:s3cret@127.0.0.1:{port}")
        for name in ("no_proxy", "NO_PROXY"):
            monkeypatch.delenv(name, raising=False)
        error = await fails("groq:tiny", "https://far.example")
    assert words in str(error)
    assert f"the proxy 127.0.0.1:{port}" in str(error)
    assert "s3cret" not in str(error)
    assert (error.kind, error.again) == (kind, kind == "connection")
