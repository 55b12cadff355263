"""Connections as clients may have them: half closed, cut off, slow, and many at once."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.council.agents import own_place
from tests.web.test_model_endpoint import QUESTION, place_of
from tests.web.web_kit import ANN, Web, until

FACES: dict[str, dict[str, Any]] = {
    "chat/completions": {"model": "folkmoot/slow", "messages": QUESTION},
    "responses": {"model": "folkmoot/slow", "input": "Tea or coffee?"},
}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


def head_of(web: Web, path: str, length: int, retry: int = 0) -> bytes:
    """The head of a request with a body of that length."""
    host = web.base.removeprefix("http://")
    lines = [f"POST /v1/{path} HTTP/1.1", f"Host: {host}", f"Authorization: Bearer {ANN}", f"Content-Length: {length}"]
    lines += ["Content-Type: application/json", f"X-Stainless-Retry-Count: {retry}"]
    return "\r\n".join([*lines, "", ""]).encode()


async def connect(web: Web) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, _, port = web.base.removeprefix("http://").partition(":")
    return await asyncio.open_connection(host, int(port))


async def debates(web: Web) -> list[str]:
    return [row["id"] for row in (await web.ann.get("/api/v1/debates")).json()["debates"]]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("path", FACES)
async def test_who_closes_its_sending_side_counts_as_gone_and_is_not_paid_twice(
    tmp_path: Path, path: str, stream: bool
) -> None:
    sent = json.dumps({**FACES[path], "stream": stream}).encode()
    async with place_of(tmp_path, beat=60) as (web, slow):
        reader, writer = await connect(web)
        writer.write(head_of(web, path, len(sent)) + sent)
        await slow.asked.wait()
        writer.write_eof()
        async with asyncio.timeout(20):
            left = await reader.read()
        writer.close()
        slow.go.set()
        (debate,) = await debates(web)
        await web.site.runner.wait(debate)
        again = await web.ann.post(
            f"/v1/{path}",
            content=sent,
            headers={"Content-Type": "application/json", "X-Stainless-Retry-Count": "1"},
        )
        assert await debates(web) == [debate], "the answer is paid once"
    assert b"Tea" not in left
    assert again.headers["x-folkmoot-joined"] == "1"
    assert "Tea" in again.text


@pytest.mark.parametrize("path", FACES)
async def test_a_body_that_is_cut_off_begins_nothing(tmp_path: Path, path: str) -> None:
    async with place_of(tmp_path, beat=60) as (web, _):
        reader, writer = await connect(web)
        writer.write(head_of(web, path, 500) + b'{"model": "folkmoot/fast"}')
        writer.write_eof()
        async with asyncio.timeout(20):
            await reader.read()
        writer.close()
        assert await debates(web) == []


@pytest.mark.parametrize("path", FACES)
async def test_a_retry_goes_to_the_debate_whose_client_has_no_answer(tmp_path: Path, path: str) -> None:
    sent = json.dumps(FACES[path]).encode()
    async with place_of(tmp_path, beat=60) as (web, slow):
        _, writer = await connect(web)
        writer.write(head_of(web, path, len(sent)) + sent)
        (first,) = await until(lambda: debates(web))
        writer.close()
        slow.go.set()
        await web.site.runner.wait(first)
        headers = {"Content-Type": "application/json"}
        other = await web.ann.post(f"/v1/{path}", content=sent, headers=headers)
        again = await web.ann.post(f"/v1/{path}", content=sent, headers={**headers, "X-Stainless-Retry-Count": "1"})
    assert other.headers["x-folkmoot-debate"] != first
    assert again.headers["x-folkmoot-debate"] == first
