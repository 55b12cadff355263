"""Servers that send too much, that are not there, or that are something else; real sockets."""

import asyncio
import gzip
import ssl
import tracemalloc
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from folkmoot.core.errors import BriefError, ModelError
from folkmoot.models.layers import RetrySettings
from folkmoot.models.pool import Pool
from tests.models.models_kit import KEY, Notebook, ask, environment

ANSWERING = ["openai:gpt-4o", "ollama:tiny"]
"""One wire of events and one of lines: what is read of a body, and where from, is the same code for all."""
MEGABYTE = b"x" * 1_000_000
QUICK = RetrySettings(tries=3, wait=0.001, jitter=0.0)

Answer = Callable[[asyncio.StreamWriter], Awaitable[None]]


class Server:
    """A server that answers every request for an answer in one way, and counts them."""

    def __init__(self, answer: Answer) -> None:
        self.answer, self.asked, self.heads = answer, 0, list[bytes]()

    async def meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            if b"/api/show" in head:
                await whole(b"{}")(writer)
                return
            if not head.startswith(b"HEAD"):
                self.asked += 1
                self.heads.append(head.lower())
            await self.answer(writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError):
            pass
        finally:
            writer.transport.abort()


@asynccontextmanager
async def served(answer: Answer, tls: ssl.SSLContext | None = None) -> AsyncGenerator[tuple[Server, int]]:
    server = Server(answer)
    listening = await asyncio.start_server(server.meet, "127.0.0.1", 0, ssl=tls)
    async with listening:
        yield server, listening.sockets[0].getsockname()[1]


def whole(
    body: bytes | Callable[[], bytes], status: str = "200 OK", kind: str = "application/json", more: str = ""
) -> Answer:
    """One body, whole."""

    async def send(writer: asyncio.StreamWriter) -> None:
        content = body if isinstance(body, bytes) else body()
        length = len(content)
        head = f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n{more}"
        writer.write(head.encode() + b"\r\n" + content)
        await writer.drain()
        writer.write_eof() if writer.can_write_eof() else None
        await asyncio.sleep(0.01)

    return send


def endless(status: str, first: bytes, again: bytes, most: int = 300_000_000) -> Answer:
    """A body that goes on for 300 MB, where it is let."""

    async def send(writer: asyncio.StreamWriter) -> None:
        writer.write(f"HTTP/1.1 {status}\r\ncontent-type: text/event-stream\r\n\r\n".encode() + first)
        for _ in range(most // len(again)):
            writer.write(again)
            await writer.drain()

    return send


async def fails(name: str, url: str, seconds: float = 120.0) -> ModelError:
    """What asking a model comes to."""
    pool = Pool(env=environment(url), retry=QUICK)
    try:
        with pytest.raises(ModelError) as caught:
            await pool.model(name).complete(ask(seconds=seconds), Notebook())
    finally:
        await pool.close()
    assert KEY not in str(caught.value)
    return caught.value


@cache
def bomb() -> bytes:
    """100 MB of one line, as 100 kB."""
    return gzip.compress(b"data: " + b"x" * 100_000_000, 6)


HEARTBEATS = b": here\n\n" + b" " * 1000 + b"\n\n"
"""Comments of an event stream."""

NOTHINGS = b'{"message": {"content": ""}}' + b" " * 1000 + b"\n"
"""Lines of Ollama's that say nothing."""


@pytest.mark.parametrize("name", ANSWERING)
@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (endless("200 OK", b"data: ", MEGABYTE), "sent more than 8 MB in one"),
        (None, "sent more than 32 MB in one answer"),
        (whole(bomb, kind="text/event-stream", more="content-encoding: gzip\r\n"), "sent more than"),
    ],
    ids=["line", "answer", "gzip"],
)
async def test_an_answer_without_end_is_cut_off(name: str, answer: Answer | None, message: str) -> None:
    answer = answer or endless("200 OK", b"", (NOTHINGS if name == "ollama:tiny" else HEARTBEATS) * 1000)
    bomb()  # what it takes to make one is not counted
    async with served(answer) as (server, port):
        await fails(name, "http://127.0.0.1:9")  # loads the library, which takes memory of its own
        tracemalloc.start()
        error = await fails(name, f"http://127.0.0.1:{port}")
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert message in str(error)
        assert (server.asked, error.again) == (1, False)
        assert most < 100_000_000
        assert b"accept-encoding: identity\r\n" in server.heads[0]


@pytest.mark.parametrize("name", ANSWERING)
@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (endless("500 Oh", b"", MEGABYTE), "failed (500): xxx"),
        (whole(bomb, "500 Oh", more="content-encoding: gzip\r\n"), "failed (500)"),
    ],
    ids=["plain", "gzip"],
)
async def test_the_error_page_without_end_is_cut_off(name: str, answer: Answer, message: str) -> None:
    bomb()
    async with served(answer) as (_, port):
        await fails(name, "http://127.0.0.1:9")
        tracemalloc.start()
        error = await fails(name, f"http://127.0.0.1:{port}")
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert message in str(error)
        assert error.kind == "server"
        assert most < 100_000_000


@pytest.mark.parametrize("line", [b"data: ab\n", b"data: ab\r\n", b"data: ab\r"])
async def test_an_event_of_too_many_lines_is_cut_off(line: bytes) -> None:
    async with served(endless("200 OK", b"", line * 500)) as (server, port):
        error = await fails("groq:tiny", f"http://127.0.0.1:{port}")
        assert "sent more than" in str(error)
        assert server.asked == 1


def certificate(place: Path) -> ssl.SSLContext:
    """A context with a certificate that nobody has signed but itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name, now = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")]), datetime.now(UTC)
    certificate_ = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    (place / "key.pem").write_bytes(key.private_bytes(pem, form, serialization.NoEncryption()))
    (place / "cert.pem").write_bytes(certificate_.public_bytes(pem))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(place / "cert.pem", place / "key.pem")
    return context


@pytest.mark.parametrize("name", ANSWERING)
async def test_a_certificate_that_is_not_trusted_is_named_at_once(name: str, tmp_path: Path) -> None:
    async with served(whole(b"{}"), certificate(tmp_path)) as (server, port):
        error = await fails(name, f"https://127.0.0.1:{port}")
        assert "shows a certificate that is not trusted: self-signed certificate" in str(error)
        assert (error.kind, error.again, server.asked) == ("address", False, 0)


@pytest.mark.parametrize("name", ANSWERING)
async def test_http_to_a_port_of_tls_is_named(name: str, tmp_path: Path) -> None:
    async with served(whole(b"{}"), certificate(tmp_path)) as (_, port):
        assert "https?" in str(await fails(name, f"http://127.0.0.1:{port}"))


@pytest.mark.parametrize("name", ANSWERING)
@pytest.mark.parametrize("kind", ["text/html", "text/plain"])
async def test_http_to_a_port_of_tls_is_named_by_what_the_server_says(name: str, kind: str) -> None:
    words = b"Client sent an HTTP request to an HTTPS server.\n"
    async with served(whole(words, "400 Bad Request", kind)) as (server, port):
        error = await fails(name, f"http://127.0.0.1:{port}")
        assert str(error).endswith("speaks https, not http")
        assert (error.kind, server.asked) == ("address", 1)


async def test_a_server_of_tls_that_is_slow_is_not_called_one_of_http(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("folkmoot.models.transport.CONNECT_SECONDS", 0.2)
    async with served(whole(b"", "400 The plain HTTP request was sent to HTTPS port")) as (_, port):
        error = await fails("groq:tiny", f"https://127.0.0.1:{port}")
        assert (error.kind, error.again) == ("connection", True)
        assert "it took longer than" in str(error)


@pytest.mark.parametrize("name", ANSWERING)
async def test_a_web_page_is_no_provider(name: str) -> None:
    async with served(whole(b"<!doctype html><p>Welcome", kind="text/html; charset=utf-8")) as (server, port):
        error = await fails(name, f"http://127.0.0.1:{port}")
        assert "answers with a web page; is the address right?" in str(error)
        assert (error.kind, error.again, server.asked) == ("address", False, 1)


@pytest.mark.parametrize("key", ["sk-käy", "sk-one\nsk-two", "sk-\x07", "two words"])
def test_what_cannot_be_a_key_is_named_before_anything_is_sent(key: str) -> None:
    with pytest.raises(BriefError, match="OPENAI_API_KEY has characters that no key can have") as caught:
        Pool(env={"OPENAI_API_KEY": key}).model("openai:gpt-4o")
    assert key not in str(caught.value)


CHUNK = b'data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":true}\n\n'
START = b'event: message_start\ndata: {"type":"message_start","message":0.5}\n\n'


@pytest.mark.parametrize(("name", "body"), [("groq:tiny", CHUNK), ("anthropic:claude-haiku-4-5", START)])
async def test_json_of_another_shape_is_said_in_plain_words(name: str, body: bytes) -> None:
    async with served(whole(body, kind="text/event-stream")) as (_, port):
        error = await fails(name, f"http://127.0.0.1:{port}", 60.0)
    assert error.kind == "garbled"
    assert "its JSON has another shape than this interface has" in str(error)


@pytest.mark.parametrize("name", ANSWERING)
async def test_a_host_that_is_not_there_is_named(name: str) -> None:
    error = await fails(name, "https://no-such-host.invalid:8443")
    assert "no-such-host.invalid" in str(error)
    assert error.kind in ("address", "connection")


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
