"""Rights and doors: every route names its right, others' debates are not found, foreign pages are refused."""

import logging
from pathlib import Path

import pytest
from fastapi.routing import APIRoute, APIWebSocketRoute

from folkmoot.app.run import access
from folkmoot.app.run.access import hash_of
from folkmoot.web.app import routes
from folkmoot.web.auth import LINK_SECONDS, SESSION_SECONDS, Authenticator, session_cookie, share_cookie
from folkmoot.web.guard import HEADERS
from folkmoot.web.pages import allowed
from folkmoot.web.site import Needs, NeedsNothing, NeedsOwner
from tests.council.agents import own_place
from tests.web.web_kit import ADA, ANN, API, BEN, HOST, QUOTES, SERVING, Slow, opened


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


RIGHTS = {
    "GET /api/v1/openapi.json": "own",
    "POST /api/v1/debates": "own",
    "POST /api/v1/debates/delete": "own",
    "POST /api/v1/check": "own",
    "GET /api/v1/debates": "own",
    "GET /api/v1/debates/{debate}": "view",
    "DELETE /api/v1/debates/{debate}": "own",
    "PATCH /api/v1/debates/{debate}": "own",
    "GET /api/v1/debates/{debate}/brief": "view",
    "GET /api/v1/debates/{debate}/verify": "own",
    "POST /api/v1/debates/{debate}/again": "own",
    "POST /api/v1/debates/{debate}/stop": "own",
    "POST /api/v1/debates/{debate}/resume": "own",
    "POST /api/v1/debates/{debate}/fork": "own",
    "POST /api/v1/debates/{debate}/resolve": "own",
    "GET /api/v1/debates/{debate}/entries": "view",
    "WS /api/v1/debates/{debate}/live": "view",
    "GET /api/v1/debates/{debate}/asks": "join",
    "POST /api/v1/debates/{debate}/asks/answer": "join",
    "POST /api/v1/debates/{debate}/interjections": "join",
    "GET /api/v1/debates/{debate}/map": "view",
    "GET /api/v1/debates/{debate}/analysis": "view",
    "GET /api/v1/debates/{debate}/recount": "view",
    "GET /api/v1/debates/{debate}/report.{form}": "view",
    "GET /api/v1/debates/{debate}/receipt": "own",
    "GET /api/v1/debates/{debate}/prompt": "own",
    "POST /api/v1/debates/{debate}/shares": "own",
    "GET /api/v1/debates/{debate}/shares": "own",
    "DELETE /api/v1/debates/{debate}/shares": "own",
    "GET /api/v1/ratings": "own",
    "GET /api/v1/calibration": "own",
    "GET /api/v1/memory": "own",
    "GET /api/v1/debates/{debate}/memory": "own",
    "DELETE /api/v1/debates/{debate}/memory": "own",
    "GET /api/v1/evaluations": "own",
    "GET /api/v1/evaluations/{evaluation}": "own",
    "GET /api/v1/models": "own",
    "POST /api/v1/models/check": "own",
    "GET /api/v1/plugins": "own",
    "GET /api/v1/protocols": "own",
    "GET /api/v1/info": "own",
    "OPTIONS /v1/models": "none",
    "OPTIONS /v1/chat/completions": "none",
    "GET /v1/models": "own",
    "GET /v1/models/{model:path}": "own",
    "POST /v1/chat/completions": "own",
    "OPTIONS /v1/responses": "none",
    "OPTIONS /v1/responses/{response}": "none",
    "OPTIONS /v1/responses/{response}/cancel": "none",
    "POST /v1/responses": "own",
    "GET /v1/responses/{response}": "own",
    "POST /v1/responses/{response}/cancel": "own",
    "GET /healthz": "none",
    "GET /llms.txt": "none",
    "GET /readyz": "none",
    "GET /": "none",
    "GET /new": "none",
    "GET /compare": "none",
    "GET /evaluations": "none",
    "GET /memory": "none",
    "GET /ratings": "none",
    "GET /models": "none",
    "GET /d/{debate}": "none",
    "GET /{name:path}": "none",
}
"""All routes, each with its right; the one of two debates asks for both itself."""

BOTH = "GET /api/v1/compare"


def test_every_route_names_its_right() -> None:
    rights_by_name: dict[str, str] = {}
    for route in routes().routes:
        assert isinstance(route, APIRoute | APIWebSocketRoute), f"{route}: a second door"
        needs = [dependency.call for dependency in route.dependant.dependencies]
        rights = [need.right for need in needs if isinstance(need, Needs | NeedsOwner | NeedsNothing)]
        methods = sorted(route.methods or ()) if isinstance(route, APIRoute) else ["WS"]
        for method in methods:
            name = f"{method} {route.path}"
            assert len(rights) == (name != BOTH), name
            rights_by_name[name] = rights[0] if rights else "view"
    assert rights_by_name.pop(BOTH) == "view"
    assert rights_by_name == RIGHTS


BODIES: dict[str, object] = {
    "stop": {},
    "resume": {},
    "again": {},
    "fork": {"at": 1, "start": False},
    "resolve": {"answer": "Tea"},
    "asks/answer": {"words": "Tea"},
    "interjections": {"by": "Viewer", "words": "Hm."},
    "shares": {"right": "view"},
}


def requests_on(debate: str) -> list[tuple[str, str, object]]:
    """Method, address and body of a request at every route of a debate."""
    requests: list[tuple[str, str, object]] = []
    for name in RIGHTS:
        method, path = name.split()
        if "{debate}" not in path or method == "WS" or not path.startswith(API):
            continue
        url = path.replace("{debate}", debate).replace("{form}", "md")
        body = BODIES.get(path.partition("{debate}/")[2])
        url += "?key=x" if path.endswith("/prompt") else ""
        requests.append((method, f"{url}?id=x" if method == "DELETE" else url, body if method == "POST" else None))
    return requests


@pytest.mark.parametrize("running", [False, True])
async def test_the_debate_of_another_token_is_not_found_at_any_route(tmp_path: Path, running: bool) -> None:
    slow = Slow()
    async with opened(tmp_path, models={"slow": slow}) as web:
        ann, ben = web.ann, web.ben
        debate = await (web.begin(ann, models=["guest:slow"]) if running else web.ended(ann))
        before = await web.site.workspace.count_entries(debate)
        for method, url, body in requests_on(debate):
            response = await ben.request(method, url, json=body)
            assert response.status_code == 404, (method, url, response.text)
            nobody = await ben.request(method, url.replace(debate, "nobody-1"), json=body)
            assert nobody.json() == {**response.json(), "detail": nobody.json()["detail"]}, "no difference tells"
            assert (await web.client().request(method, url, json=body)).status_code == 401
        for stream in ("", "?follow=true"):
            headers = {"Accept": "text/event-stream"}
            assert (await ben.get(f"{API}/debates/{debate}/entries{stream}", headers=headers)).status_code == 404
        assert (await ben.get(f"{API}/compare?a={debate}&b={debate}")).status_code == 404
        assert (await ben.get(f"{API}/debates")).json()["debates"] == []
        assert (await web.me.get(f"{API}/debates/{debate}")).status_code == 200, "who is at the machine sees all"
        if not running:
            assert await web.site.workspace.count_entries(debate) == before
        web.site.runner.stop(debate, now=True)


@pytest.mark.parametrize("name", ["x%2Faccess", "x%2Fletters", "..", "%00", "a" * 300, "%ff", "a b"])
async def test_odd_names_of_debates_are_not_found(tmp_path: Path, name: str) -> None:
    async with opened(tmp_path) as web:
        assert (await web.me.get(f"{API}/debates/{name}/entries")).status_code == 404


# ---- links -----------------------------------------------------------------------------------------------------------


async def test_a_link_lets_view_and_no_more(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        ann = web.ann
        debate, other = await web.ended(ann), await web.ended(ann)
        share = (await ann.post(f"{API}/debates/{debate}/shares", json={"right": "view"})).json()
        bob = web.client(token=share["token"])
        for method, url, body in requests_on(debate):
            needed = RIGHTS[f"{method} {next(path for path in _paths(url, debate))}"]
            status = (await bob.request(method, url, json=body)).status_code
            assert (status == 403) == (needed != "view"), (method, url, status)
            assert (await bob.request(method, url.replace(debate, other), json=body)).status_code == 401
        state = (await bob.get(f"{API}/debates/{debate}")).json()
        assert state["right"] == "view"
        assert (await bob.get(f"{API}/debates/{debate}/entries?form=entries")).status_code == 403
        assert (await bob.get(f"{API}/debates")).status_code == 401
        stored = "".join(await web.site.workspace.store.read(f"{debate}/access/letters"))
        assert share["token"] not in stored
        assert hash_of(share["token"]) in stored
        rows = (await ann.get(f"{API}/debates/{debate}/shares")).json()["shares"]
        assert [row["id"] for row in rows] == [share["id"]]
        assert "token" not in rows[0]


def _paths(url: str, debate: str) -> list[str]:
    path = url.partition("?")[0].replace(debate, "{debate}").replace("report.md", "report.{form}")
    return [path]


async def test_links_end_and_are_taken_back(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        ann, now = web.ann, web.site.workspace.clock()
        debate = await web.ended(ann)
        url = f"{API}/debates/{debate}/shares"
        web.site.workspace.clock = lambda: now
        share = (await ann.post(url, json={"until": now + 60})).json()
        bob = web.client(token=share["token"])
        assert (await bob.get(f"{API}/debates/{debate}")).status_code == 200
        web.site.workspace.clock = lambda: now + 61
        assert (await bob.get(f"{API}/debates/{debate}")).status_code == 401
        share = (await ann.post(url, json={})).json()
        bob = web.client(token=share["token"])
        assert (await bob.get(f"{API}/debates/{debate}")).status_code == 200
        assert (await ann.delete(f"{url}?id={share['id']}")).json()["shares"][-1]["revoked"]
        assert (await bob.get(f"{API}/debates/{debate}")).status_code == 401
        assert (await ann.delete(f"{url}?id=nobody")).status_code == 404
        for body in (
            {"until": now + 400 * 86_400},
            {"right": "own"},
            {"who": "Ann"},
            {"right": "join", "who": "Ann"},
            {"until": 1.0},
        ):
            assert (await ann.post(url, json=body)).status_code == 422, body


async def test_a_debate_has_so_many_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "MOST_SHARES", 2)
    async with opened(tmp_path) as web:
        ann = web.ann
        url = f"{API}/debates/{await web.ended(ann)}/shares"
        shares = [(await ann.post(url, json={})).json() for _ in range(2)]
        assert (await ann.post(url, json={})).json()["code"] == "too_large"
        await ann.delete(f"{url}?id={shares[0]['id']}")
        assert (await ann.post(url, json={})).status_code == 201


async def test_a_link_becomes_a_cookie_for_its_debate_alone(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        debate = await web.ended(web.ann)
        share = (await web.ann.post(f"{API}/debates/{debate}/shares", json={})).json()
        bob = web.client()
        answer = await bob.get(share["link"])
        assert (answer.status_code, answer.headers["location"]) == (303, f"/d/{debate}")
        cookie = answer.headers["set-cookie"]
        assert cookie.startswith(share_cookie(HOST, debate))
        assert f"Path={API};" in cookie
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert (await bob.get(f"{API}/debates/{debate}")).json()["right"] == "view"
        assert (await bob.get(f"/d/{debate}?share=nonsense")).status_code == 403
        assert (await bob.get(f"/d/{debate}")).status_code == 200


# ---- sessions and tokens ---------------------------------------------------------------------------------------------


async def test_the_printed_link_is_good_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        link = web.site.auth.new_link()
        one, two = web.client(), web.client()
        answer = await one.get(f"/?token={link}")
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        assert "HttpOnly" in answer.headers["set-cookie"]
        assert "SameSite=strict" in answer.headers["set-cookie"]
        assert link not in answer.text
        assert (await one.get(f"{API}/info")).json()["machine"]
        assert (await two.get(f"/?token={link}")).status_code == 403
        assert (await two.get(f"{API}/info")).status_code == 401
        assert (await two.get(f"{API}/info", headers={"Authorization": f"Bearer {link}"})).status_code == 401


async def test_two_servers_on_one_machine_keep_their_cookies_apart(tmp_path: Path) -> None:
    names = [session_cookie(host) for host in ("127.0.0.1:1", "127.0.0.1:2", "[::1]:1", "folkmoot.lan", "[::1]")]
    assert names == [
        "folkmoot_session_1",
        "folkmoot_session_2",
        "folkmoot_session_1",
        "folkmoot_session",
        "folkmoot_session",
    ]
    assert share_cookie("127.0.0.1:1", "x") != share_cookie("127.0.0.1:2", "x")
    async with opened(tmp_path / "a", real=True) as one, opened(tmp_path / "b", real=True) as two:
        debate = await one.ended(one.ann)
        share = (await one.ann.post(f"{API}/debates/{debate}/shares", json={})).json()
        browser = one.client()  # which keeps cookies by host, not by port
        for web in (one, two):
            await browser.get(f"{web.base}/?token={web.site.auth.new_link()}")
        await browser.get(share["link"])
        assert len({cookie.name for cookie in browser.cookies.jar}) == 3
        for web in (one, two):
            assert (await browser.get(f"{web.base}{API}/info")).status_code == 200


def test_links_and_sessions_end() -> None:
    now = [0.0]
    passes = Authenticator({}, clock=lambda: now[0])
    assert passes.exchange("x") is None
    link = passes.new_link()
    now[0] += LINK_SECONDS + 1
    assert passes.exchange(link) is None
    session = passes.exchange(passes.new_link())
    assert session
    assert passes.of_session(session)
    assert passes.of_session("x") is None
    for _ in range(200):
        assert passes.exchange(passes.new_link())
    assert passes.of_session(session) is None, "only so many sessions are kept"
    last = passes.exchange(passes.new_link())
    now[0] += SESSION_SECONDS + 1
    assert last
    assert passes.of_session(last) is None


async def test_a_cookie_needs_the_header_of_our_page(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        me = web.client(session=True, **{"X-Folkmoot": "0"})
        debate = await web.begin(web.me, start=False)
        assert (await me.get(f"{API}/debates/{debate}")).status_code == 200
        for url in (f"{API}/debates", f"{API}/debates/{debate}/resume", f"{API}/check"):
            response = await me.post(url, json={"brief": QUOTES})
            assert (response.status_code, response.json()["code"]) == (403, "header")
        assert (await me.delete(f"{API}/debates/{debate}/shares?id=x")).status_code == 403


# ---- the guard -------------------------------------------------------------------------------------------------------

FOREIGN: list[dict[str, str]] = [
    {"Host": "evil.example"},
    {"Host": f"{HOST}.evil.example"},
    {"Host": "127.0.0.1"},
    {"Host": ""},
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Origin": f"http://{HOST}.evil.example"},
    {"Origin": f"http://{HOST}/page"},
    {"Origin": f"http://{HOST}/"},
    {"Origin": f"https://{HOST}"},
    {"Origin": "http://["},
    {"Origin": "http://a]b"},
    {"Origin": ""},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
]


@pytest.mark.parametrize("headers", FOREIGN)
async def test_foreign_hosts_and_pages_are_refused(tmp_path: Path, headers: dict[str, str]) -> None:
    async with opened(tmp_path) as web:
        me = web.me
        for method, url in (("GET", f"{API}/info"), ("POST", f"{API}/check")):
            response = await me.request(method, url, json={"brief": QUOTES}, headers=headers)
            assert response.status_code == 403, response.text
            assert response.json()["code"] in ("host", "origin")
        own = {"Origin": f"http://{HOST}", "Sec-Fetch-Site": "same-origin"}
        assert (await me.get(f"{API}/info", headers=own)).status_code == 200
        link = await me.get("/", headers={"Sec-Fetch-Site": "cross-site"})
        assert link.status_code == 200, "somebody may follow a link to the page"


async def test_bodies_have_a_kind_and_a_size(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        me = web.me
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
            response = await me.post(f"{API}/check", content=b"{}", headers={"Content-Type": kind})
            assert (response.status_code, response.json()["status"]) == (415, 415)
        large = await me.post(f"{API}/models/check", json={"model": "x" * 1_100_000})
        assert (large.status_code, large.json()["code"]) == (413, "too_large")


async def test_who_asks_too_often_waits(tmp_path: Path) -> None:
    from dataclasses import replace

    async with opened(tmp_path, serving=replace(SERVING, requests=3)) as web:
        ann = web.ann
        codes = [(await ann.get(f"{API}/info")).status_code for _ in range(4)]
        assert codes == [200, 200, 200, 429]
        assert (await web.ben.get(f"{API}/info")).status_code == 200, "each token has its own bucket"
        refused = await ann.get(f"{API}/info")
        assert int(refused.headers["retry-after"]) > 0


async def test_who_asks_too_often_leaves_the_probes_alone(tmp_path: Path) -> None:
    from dataclasses import replace

    async with opened(tmp_path, serving=replace(SERVING, requests=3)) as web:
        anybody = web.client()  # as behind a proxy: all of them and the probes have one address
        assert [(await anybody.get("/llms.txt")).status_code for _ in range(4)] == [200, 200, 200, 429]
        assert [(await anybody.get("/readyz")).status_code for _ in range(4)] == [200, 200, 200, 429]
        assert {(await anybody.get("/healthz")).status_code for _ in range(9)} == {200}
        assert (await anybody.post("/healthz", json={})).status_code == 429, "only a probe is let through"


async def test_every_answer_carries_the_headers(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        for url in (f"{API}/info", "/", "/healthz", "/nothing", f"{API}/nothing"):
            response = await web.me.get(url)
            assert HEADERS.items() <= dict(response.headers.items()).items() or all(
                response.headers[name] == value for name, value in HEADERS.items()
            )
            assert ("no-store" in response.headers.get("cache-control", "")) == url.startswith(API)
            assert "access-control-allow-origin" not in response.headers


async def test_other_methods_say_which_there_are(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        debate = await web.begin(web.me, start=False)
        response = await web.me.patch(f"{API}/debates/{debate}/shares", json={})
        assert (response.status_code, response.headers["allow"]) == (405, "DELETE, GET, POST")
        assert response.json()["code"] == "method"
        got = await web.me.get(f"{API}/check")
        assert (got.status_code, got.headers["allow"]) == (405, "POST")
        assert allowed(routes().routes, "/nothing") == []


async def test_a_slip_inside_shows_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789abcdef")
    async with opened(tmp_path) as web:

        async def broken(_: object) -> object:
            raise ZeroDivisionError(f"sk-canary-0123456789abcdef {ANN}")

        monkeypatch.setattr(web.site.workspace, "page", broken)
        with caplog.at_level(logging.INFO):
            response = await web.me.get(f"{API}/debates")
    assert (response.status_code, response.json()["code"]) == (500, "internal")
    for text in (response.text, caplog.text):
        assert "canary" not in text
        assert ANN not in text
        assert "Traceback" not in text
    assert "ZeroDivisionError" in caplog.text


async def test_no_secret_stands_in_any_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-canary-0123456789abcdef")
    async with opened(tmp_path) as web:
        me = web.me
        debate = await web.begin(me, ADA)
        await web.asked(me, debate)
        secrets = ("canary", ANN, BEN, str(me.cookies[session_cookie(HOST)]), hash_of(ANN))
        urls = [url for method, url, _ in requests_on(debate) if method == "GET"]
        for url in (*urls, f"{API}/info", f"{API}/models", f"{API}/openapi.json", f"{API}/debates"):
            text = (await me.get(url)).text
            assert not any(secret in text for secret in secrets), url


def test_a_session_survives_a_restart_and_only_its_hash_is_stored(tmp_path: Path) -> None:
    file = tmp_path / "folkmoot.sqlite.sessions"
    first = Authenticator({}, sessions=file)
    secret = first.exchange(first.new_link()) or ""
    assert secret not in file.read_text("utf-8")
    assert file.stat().st_mode & 0o077 == 0
    assert Authenticator({}, sessions=file).of_session(secret) is not None
    for text in ("{", "[]", '{"x": "y"}', f'{{"{hash_of(secret)}": 1}}'):
        file.write_text(text, "utf-8")
        assert Authenticator({}, sessions=file).of_session(secret) is None
    assert Authenticator({}, sessions=tmp_path / "none" / "x").exchange(first.new_link()) is None
    nowhere = Authenticator({}, sessions=tmp_path / "none" / "x")
    assert nowhere.of_session(nowhere.exchange(nowhere.new_link()) or ""), "a file that cannot be written ends nothing"
