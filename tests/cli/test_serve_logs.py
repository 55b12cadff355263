"""What a server says of itself: every request and debate in lines for programs, and no secret in any of them."""

import json
import logging
import signal
from pathlib import Path
from typing import cast

import httpx2
import pytest
from starlette.types import Message, Receive, Scope, Send

from folkmoot.app.run.access import hash_of
from folkmoot.core.errors import RecordError
from folkmoot.core.event import Closed, Paused, Resumed
from folkmoot.web.app import make_app
from folkmoot.web.guard import Log, Logged
from folkmoot.web.site import SITE
from tests.analysis.courses import table
from tests.app.serve.serve_kit import Running, running
from tests.web.web_kit import API, QUOTES, opened

pytestmark = pytest.mark.system

CANARIES = {text: f"canary-{text}-7c1e" for text in ("token", "query", "body", "link", "path", "share", "cookie")}
TOKEN = CANARIES["token"] * 3


def lines(server: Running) -> list[dict[str, object]]:
    """What the server said, once it is over."""
    return [json.loads(line) for line in server.stderr.read().splitlines()]


def begin(client: httpx2.Client) -> str:
    body = {"brief": f"{QUOTES}\n{CANARIES['body']}\n", "models": ["builtin:quotes"], "participants": "builtin"}
    debate = str(client.post("/api/v1/debates", json=body).json()["id"])
    assert '"kind":"closed"' in client.get(f"/api/v1/debates/{debate}/entries?follow=true").text
    return debate


def test_json_lines_tell_requests_and_debates_and_no_secret(tmp_path: Path) -> None:
    settings = tmp_path / "config" / "folkmoot"
    settings.mkdir(parents=True)
    (settings / "folkmoot.toml").write_text(f'[serve.tokens]\nci = "sha256:{hash_of(TOKEN)}"\n', "utf-8")
    with running(tmp_path, "--log-json") as server:
        secret = server.link.partition("token=")[2]
        with server.client() as me:
            debate = begin(me)
            session = next(iter(me.cookies.jar)).value
            me.get("/api/v1/debates", params={"q": CANARIES["query"]})
            me.get(f"/api/v1/debates/{CANARIES['path']}")
            me.get(f"/{CANARIES['path']}")
            me.get(f"/d/{debate}", params={"share": CANARIES["share"]})
        base = server.link.partition("/?")[0]
        with httpx2.Client(base_url=base, headers={"Authorization": f"Bearer {TOKEN}"}) as program:
            begin(program)
            program.get(f"/?token={CANARIES['link']}")
        with httpx2.Client(base_url=base, headers={"Cookie": f"folkmoot_session={CANARIES['cookie']}"}) as stranger:
            assert stranger.get("/api/v1/info").status_code == 401
            assert stranger.get("/readyz").text == "ready\n"
        assert server.end(signal.SIGTERM) == 0
        rows = lines(server)
    text = json.dumps(rows)
    assert [word for word in (*CANARIES.values(), secret, cast("str", session), "Tea") if word in text] == []
    requests = [row for row in rows if row["event"] == "request"]
    assert all(set(request) == REQUEST for request in requests)
    logged = {(row["method"], row["path"], row["status"], row["pass"], row["debate"]) for row in requests}
    assert logged >= {
        ("GET", "/", 303, "", ""),
        ("POST", "/api/v1/debates", 201, "session", ""),
        ("POST", "/api/v1/debates", 201, "token:ci", ""),
        ("GET", "/api/v1/debates/{debate}/entries", 200, "session", debate),
        ("GET", "/api/v1/debates/{debate}", 404, "session", ""),
        ("GET", "/api/v1/info", 401, "", ""),
        ("GET", "/readyz", 200, "", ""),
    }
    mine = [(row["event"], row.get("status")) for row in rows if row.get("debate") == debate]
    assert mine[0] == ("debate begun", None)
    assert [row for row in mine if row[0] == "debate ended"] == [("debate ended", "decided")]


REQUEST = {"at", "event", "method", "path", "status", "seconds", "pass", "debate"}


def test_plain_lines_tell_debates(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        with server.client() as me:
            debate = begin(me)
        assert server.end(signal.SIGINT) == 0
        data = server.stderr.read().splitlines()
    assert data[:2] == [f"folkmoot: debate started: {debate}", f"folkmoot: debate ended: {debate}: decided"]


async def test_each_request_is_a_line_with_whose_pass_it_was(tmp_path: Path) -> None:
    texts: list[str] = []
    async with opened(tmp_path) as web:
        log = Log(texts.append, as_json=True, clock=lambda: 5.0)
        web.site.workspace.watchers.each.append(log)
        web.transport = httpx2.ASGITransport(app=Logged(make_app(web.site), log))
        debate = await web.ended(web.ann)
        link = (await web.ann.post(f"{API}/debates/{debate}/shares", json={"right": "view"})).json()["token"]
        assert (await web.client(token=link).get(f"{API}/debates/{debate}")).status_code == 200
        assert (await web.ben.get(f"{API}/debates/{debate}")).status_code == 404
        await web.me.get(f"/{CANARIES['path']}")
    items = [json.loads(line) for line in texts]
    mine = [
        (item["status"], item["pass"], item["debate"]) for item in items if item.get("path", "").endswith("{debate}")
    ]
    assert mine == [(200, "share", debate), (404, "token:ben", "")]
    assert items[-1]["path"] == "/{name:path}"
    assert link not in "".join(texts)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ("websocket.accept websocket.close", 101),
        ("websocket.close", 403),
        ("websocket.http.response.start", 429),
        ("", 0),
    ],
)
async def test_what_came_of_a_websocket_is_told(sent: str, status: int, tmp_path: Path) -> None:
    texts: list[str] = []

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        for kind in sent.split():
            await send({"type": kind, "status": status})

    async def nothing() -> Message:
        return {}

    async def drop(message: Message) -> None:
        pass

    async with opened(tmp_path) as web:
        scope: Scope = {"type": "websocket", "path": f"/{TOKEN}", "headers": [], SITE: web.site}
        await Logged(answer, Log(texts.append, as_json=True))(scope, nothing, drop)
    data = json.loads(texts[0])
    assert (data["method"], data["path"], data["status"]) == ("WEBSOCKET", "", status)


def test_what_debates_and_libraries_say_becomes_a_line() -> None:
    texts: list[str] = []
    log = Log(texts.append, as_json=False)
    diary = table().add(Paused(reason=TOKEN), Resumed(by=TOKEN), Paused(reason=TOKEN, kind="waiting"))
    log.take("d-1", diary.add(Closed(status="tie", reason=TOKEN)).entries)
    log.end("d-1")
    log.take_error("d-1", RecordError("The record cannot be used: the disk is full."))
    other = logging.LogRecord("other", logging.WARNING, "", 0, "asked for %s", (TOKEN,), None)
    ours = logging.LogRecord("folkmoot.web", logging.ERROR, "", 0, "%s: %s", ("/d/{debate}", "KeyError"), None)
    for log_record in (other, ours):
        log.handle(log_record)
    assert texts == [
        "debate started: d-1",
        "debate paused: d-1: stopped",
        "debate resumed: d-1",
        "debate paused: d-1: waiting",
        "debate ended: d-1: tie",
        "debate broken off: d-1: The record cannot be used: the disk is full.",
        "other: asked for %s",
        "folkmoot.web: /d/{debate}: KeyError",
    ]


def test_what_is_broken_is_told_plainly_and_a_reader_that_left_is_no_fault() -> None:
    texts: list[str] = []
    log = Log(texts.append, as_json=False)
    log.request({"type": "http", "method": "GET", "path": f"/{TOKEN}", "headers": []}, 404, 0.1)
    assert texts == []
    log.request({"type": "http", "method": "GET", "path": f"/{TOKEN}", "headers": []}, 500, 0.1)
    log.say("stopping")

    def gone(line: str) -> None:
        raise BrokenPipeError

    Log(gone, as_json=True).say("stopping")
    assert texts == ["GET unknown page: 500", "stopping"]
