"""Connections that ask for nothing, too slowly or too much; real sockets."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from starlette.types import Receive, Scope, Send

from folkmoot.app.serve import server_parts
from folkmoot.app.serve.server_parts import Listener, config_of, listen
from folkmoot.web.auth import session_cookie
from tests.web.web_kit import API, opened

HEAD = b"GET / HTTP/1.1\r\nHost: here\r\n"
UPGRADE = (
    b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
TIME = 0.3


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Refuses WebSockets; answers by a stream for three times as long as a head may take, or at once."""
    kind = "websocket.http.response" if scope["type"] == "websocket" else "http.response"
    await receive()
    await send({"type": f"{kind}.start", "status": 200 if scope["type"] == "http" else 403, "headers": []})
    if scope.get("query_string") == b"slow":
        for _ in range(3):
            await asyncio.sleep(TIME)
            await send({"type": "http.response.body", "body": b"on ", "more_body": True})
    await send({"type": f"{kind}.body", "body": b"over"})


@asynccontextmanager
async def served() -> AsyncGenerator[int]:
    listening, up = listen("127.0.0.1", 0), asyncio.Event()
    server = Listener(config_of(app, lifespan="off", log_level="error"), up.set)
    async with asyncio.TaskGroup() as group:
        group.create_task(server.serve(sockets=[listening]))
        await up.wait()
        yield listening.getsockname()[1]
        server.leave()
        server.stop_now()


async def exchange(port: int, *parts: bytes) -> bytes:
    """What comes back until the server closes the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for part in parts:
            writer.write(part)
            await asyncio.sleep(TIME / 3)
        async with asyncio.timeout(120):
            return await reader.read()
    finally:
        writer.close()


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_parts, "HEAD_SECONDS", TIME)


@pytest.mark.parametrize("parts", [(), (HEAD,), (HEAD, b"X: y\r\n"), (HEAD[:1], HEAD[1:2], HEAD[2:3])])
async def test_a_head_that_does_not_come_is_not_waited_for(parts: tuple[bytes, ...]) -> None:
    async with served() as port:
        assert await exchange(port, *parts) == b""


async def test_nor_is_that_of_a_second_request() -> None:
    async with served() as port:
        assert (await exchange(port, HEAD + b"\r\n", HEAD)).count(b"200 OK") == 1


async def test_an_answer_takes_its_time() -> None:
    async with served() as port:
        answer = await exchange(port, HEAD.replace(b"/ ", b"/?slow ") + b"Connection: close\r\n\r\n")
        assert answer.count(b"on ") == 3
        assert b"over" in answer


async def test_a_head_has_a_length() -> None:
    async with served() as port:
        assert b"400 Bad Request" in await exchange(port, HEAD + b"X: " + b"y" * 70_000)


async def test_too_many_are_sent_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_parts, "MOST", 2)
    async with served() as port:
        _, one = await asyncio.open_connection("127.0.0.1", port)
        one.write(HEAD.replace(b"/ ", b"/?slow ") + b"\r\n")
        await asyncio.sleep(TIME / 3)
        assert b"503" in await exchange(port, HEAD + b"Connection: close\r\n\r\n")
        one.close()


async def test_a_websocket_is_refused_without_a_word_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        async with served() as port:
            assert b"403 Forbidden" in await exchange(port, HEAD + UPGRADE)
    assert not caplog.records


@pytest.mark.parametrize("debate", ["held", "nowhere"])
async def test_a_viewer_who_left_at_once_is_no_slip(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, debate: str
) -> None:
    async with opened(tmp_path, real=True) as web:
        me = web.me
        ended_debate = await web.ended(me)
        host = web.base.removeprefix("http://")
        path = f"{API}/debates/{ended_debate if debate == 'held' else debate}/live"
        cookie = f"{session_cookie(web.base)}={me.cookies[session_cookie(web.base)]}"
        head = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: {web.base}\r\nCookie: {cookie}\r\n"
        with caplog.at_level(logging.WARNING):
            for _ in range(5):
                _, writer = await asyncio.open_connection(*host.split(":"))
                writer.write(head.encode() + UPGRADE)
                await writer.drain()
                writer.close()
            await asyncio.sleep(TIME)
    assert not caplog.records
