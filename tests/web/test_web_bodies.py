"""Bodies: read only from whoever is known, within bounds, parsed once; and which pages of others may send them."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.types import Message

from folkmoot.app.plan.settings_tables import read_serving
from folkmoot.app.serve import server_parts
from folkmoot.core.errors import BriefError
from folkmoot.web import bodies
from folkmoot.web.app import make_app
from folkmoot.web.auth import session_cookie, share_cookie
from folkmoot.web.bodies import LARGE, MOST_MARKS, parse_json
from folkmoot.web.guard import MOST_OF_A_LINK
from folkmoot.web.problems import Problem
from tests.web.web_kit import ADA, ANN, API, JSON, SERVING, Web, opened

LISTS = b"[" + b"[]," * 7_000_000 + b"0]"
"""21 MB that would take seconds and most of a gigabyte to parse."""


async def connect(web: Web) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, _, port = web.base.removeprefix("http://").partition(":")
    return await asyncio.open_connection(host, int(port))


def head(web: Web, path: str, *more: str) -> bytes:
    lines = [f"POST {path} HTTP/1.1", f"Host: {web.base.removeprefix('http://')}", "Content-Type: application/json"]
    return "\r\n".join([*lines, *more, "", ""]).encode()


async def answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """The status and the body of the next answer of a connection."""
    lines = (await reader.readuntil(b"\r\n\r\n")).decode().lower().split("\r\n")
    length = next(int(line.partition(":")[2]) for line in lines if line.startswith("content-length:"))
    return int(lines[0].split()[1]), await reader.readexactly(length)


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/responses", f"{API}/debates"])
async def test_whoever_is_unknown_is_answered_before_the_body_has_come(tmp_path: Path, path: str) -> None:
    async with opened(tmp_path, real=True) as web, asyncio.timeout(120):
        lines = [await connect(web) for _ in range(3)]
        for _, writer in lines:
            writer.write(head(web, path, f"Content-Length: {len(LISTS)}", "Origin: " + web.base) + LISTS[: 2**20])
        # Most of each body is still here, so nothing of it can have been parsed.
        assert [(await answer(reader))[0] for reader, _ in lines] == [401] * 3
        assert (await web.client().get("/healthz")).status_code == 200
        reader, writer = lines[0]
        writer.write(LISTS[2**20 :])
        writer.write(head(web, path, "Content-Length: 2") + b"{}")  # the connection is as good as before
        assert (await answer(reader))[0] == 401
        for _, writer in lines:
            writer.close()


async def test_a_body_without_end_is_not_listened_to_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_parts, "HEAD_SECONDS", 0.3)
    async with opened(tmp_path, real=True) as web, asyncio.timeout(120):
        reader, writer = await connect(web)
        writer.write(head(web, "/v1/chat/completions", "Transfer-Encoding: chunked"))
        assert (await answer(reader))[0] == 401

        async def send_on() -> None:
            while True:
                writer.write(b"1000\r\n" + b" " * 4096 + b"\r\n")
                await writer.drain()
                await asyncio.sleep(0.01)

        with pytest.raises(ConnectionError):
            await send_on()
        writer.close()


def credentials(debate: str) -> Mapping[str, Mapping[str, str]]:
    """What somebody unknown may send along."""
    host = "127.0.0.1:8323"
    return {
        "nothing": {},
        "no known token": {"authorization": f"Bearer {'c' * 43}"},
        "no known session": {"cookie": f"{session_cookie(host)}={'c' * 43}"},
        "no known link": {"cookie": f"{share_cookie(host, debate)}={'c' * 43}"},
        "a foreign page": {"origin": "https://evil.example", "sec-fetch-site": "cross-site"},
    }


@pytest.mark.parametrize("credential", credentials(""))
@pytest.mark.parametrize(
    "path", ["/v1/chat/completions", "/v1/responses", "debates", "check", "D/fork", "D/asks/answer"]
)
async def test_nothing_is_read_from_whoever_is_unknown(tmp_path: Path, path: str, credential: str) -> None:
    async with opened(tmp_path) as web:
        debate, statuses = await web.begin(web.ann, start=False), list[int]()
        headers = {"host": "127.0.0.1:8323", "content-type": "application/json", **credentials(debate)[credential]}

        async def receive() -> Message:
            raise AssertionError("the body is read")

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        scope = {
            "type": "http",
            "method": "POST",
            "scheme": "http",
            "path": path if path.startswith("/") else f"{API}/{path.replace('D/', f'debates/{debate}/')}",
            "query_string": b"",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "client": ("127.0.0.1", 1),
        }
        await make_app(web.site)(scope, receive, send)
        assert statuses == [403 if credential == "a foreign page" and not path.startswith("/") else 401]


async def test_a_link_to_join_may_send_little(tmp_path: Path) -> None:
    async with opened(tmp_path, real=True) as web:
        debate = await web.begin(web.ann, ADA)
        made = await web.ann.post(f"{API}/debates/{debate}/shares", json={"right": "join", "who": "Ada"})
        guest, path = web.client(token=made.json()["token"]), f"{API}/debates/{debate}/interjections"
        sent = json.dumps({"by": "Ada", "words": "Mind the kettle."}).encode()
        assert (await guest.post(path, content=sent.ljust(MOST_OF_A_LINK), headers=JSON)).status_code == 201

        async def pieces() -> object:
            for _ in range(MOST_OF_A_LINK // 1024 + 1):
                yield b" " * 1024

        for content in (sent.ljust(MOST_OF_A_LINK + 1), pieces()):  # with its length, and without
            response = await guest.post(path, content=content, headers=JSON)  # pyright: ignore[reportArgumentType]
            assert (response.status_code, response.json()["code"]) == (413, "too_large")


async def test_a_large_body_of_whoever_is_known_is_taken(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        body = {"brief": "# Tea?\n\n" + "Tea is calm. " * (LARGE // 13), "models": ["builtin:quotes"]}
        assert len(json.dumps(body)) > LARGE
        response = await web.ann.post(f"{API}/check", json={**body, "participants": "builtin"})
        assert response.status_code == 200, response.text
        twice = await web.ann.post(f"{API}/check", content=b'{"a": 1, "a": 2}'.ljust(LARGE + 1), headers=JSON)
        assert twice.status_code == 400


async def test_but_not_one_of_more_values_than_can_be_meant(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        content = b"[" + b"0," * MOST_MARKS + b"0]"
        response = await web.ann.post("/v1/chat/completions", content=content, headers=JSON)
        assert response.status_code == 413
        assert (await web.ann.get("/v1/models")).status_code == 200


async def test_a_body_that_does_not_come_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "BODY_SECONDS", 0.2)
    async with opened(tmp_path, real=True) as web, asyncio.timeout(120):
        for framing in ("Content-Length: 100", "Transfer-Encoding: chunked"):
            reader, writer = await connect(web)
            writer.write(head(web, f"{API}/check", framing, f"Authorization: Bearer {ANN}"))
            assert (await answer(reader))[0] == 400
            writer.close()


@pytest.mark.parametrize("method", ["patch", "delete"])
async def test_every_body_is_read_strictly(tmp_path: Path, method: str) -> None:
    async with opened(tmp_path) as web:
        debate = await web.begin(web.ann, start=False)
        content = b'{"name": "one", "name": "two"}'
        response = await web.ann.request(method, f"{API}/debates/{debate}", content=content, headers=JSON)
        assert (response.status_code, response.json()["code"]) == (400, "bad_request")
        assert (await web.ann.get(f"{API}/debates/{debate}")).json()["name"] == ""


@pytest.mark.parametrize(
    "text", ['"\\ud83c\\udf75"', '"\\\\ud83c"', '"\\u00e9"', '"é"', '{"\\ud83c\\udf75": [1, 2.5, null]}']
)
def test_whole_characters_are_read_as_they_are(text: str) -> None:
    assert parse_json(text.encode()) == json.loads(text)


@pytest.mark.parametrize(
    "text", ['"\\ud83c"', '"\\uDF75"', '{"\\ud83c": 1}', '["\\ud83c", "\\udf75"]', '"\\\\\\ud83c"']
)
def test_half_a_character_is_refused_wherever_it_stands(text: str) -> None:
    with pytest.raises(Problem, match="half a character"):
        parse_json(text.encode())


FAR = "https://chat.example.org"
ASKED = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}


@pytest.mark.parametrize(
    ("origins", "origin", "allowed"),
    [
        ((), FAR, None),
        ((), "null", None),
        ((FAR,), FAR, FAR),
        ((FAR, "app://obsidian.md"), "app://obsidian.md", "app://obsidian.md"),
        ((FAR,), "https://evil.example", None),
        ((FAR,), f"{FAR}.evil.example", None),
        ((FAR,), "null", None),
        (("*",), FAR, "*"),
    ],
)
async def test_pages_of_others_may_ask_where_the_owner_says_so(
    tmp_path: Path, origins: tuple[str, ...], origin: str, allowed: str | None
) -> None:
    async with opened(tmp_path, serving=replace(SERVING, origins=origins)) as web:
        page = web.client(token=ANN, Origin=origin)
        page.headers["Sec-Fetch-Site"] = "cross-site"
        preflight = await web.client(Origin=origin).options("/v1/chat/completions", headers=ASKED)
        responses = [preflight, await page.get("/v1/models"), await web.client(Origin=origin).get("/v1/models")]
        assert [response.status_code for response in responses] == [204, 200, 401]
        for response in responses:
            assert response.headers.get("access-control-allow-origin") == allowed
            assert ("origin" in response.headers.get("vary", "").lower()) == bool(origins)
        assert ("access-control-allow-headers" in preflight.headers) == bool(allowed)
        outside = await page.get(f"{API}/debates")
        assert outside.status_code == 403
        assert "access-control-allow-origin" not in outside.headers


@pytest.mark.parametrize(
    "value", ["https://a.example/path", "a.example", ["https://a.example", 7], "https://*.example", ""]
)
def test_an_origin_is_an_address_without_a_path(value: object) -> None:
    with pytest.raises(BriefError, match="origins"):
        read_serving({"origins": value}, "folkmoot.toml")


def test_origins_are_read_in_small_letters_and_as_one_or_a_list() -> None:
    assert read_serving({"origins": "https://Chat.Example.org:8443"}, "").origins == ("https://chat.example.org:8443",)
    assert read_serving({"origins": ["app://obsidian.md", "http://[::1]:5173"]}, "").origins == (
        "app://obsidian.md",
        "http://[::1]:5173",
    )
    assert read_serving({}, "").origins == ()
