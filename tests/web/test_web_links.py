"""Links and streams: two links are compared, each link is counted by itself, and no pass has streams without end."""

import asyncio
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
from websockets.exceptions import InvalidStatus

from folkmoot.web import auth
from folkmoot.web.auth import Authenticator, share_cookie
from tests.council.agents import own_place
from tests.web.test_web_live import frames_of, live_at
from tests.web.web_kit import ADA, API, HOST, SERVING, Web, opened, until


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


async def shared(web: Web, debate: str, **body: object) -> dict[str, str]:
    return (await web.ann.post(f"{API}/debates/{debate}/shares", json=body)).json()


async def test_whoever_has_two_links_compares_both_debates(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        debates = [await web.ended(web.ann) for _ in range(2)]
        bob = web.client()
        url = f"{API}/compare?a={debates[0]}&b={debates[1]}"
        for debate, status in zip(debates, (401, 200), strict=True):
            assert (await bob.get((await shared(web, debate))["link"])).status_code == 303
            assert (await bob.get(url)).status_code == status
        assert (await bob.get(f"{API}/info")).status_code == 401, "a link is for its debate alone"


@pytest.mark.parametrize("name", ["a" * 3000, "assets/" + "a/" * 200 + "a", "a%00b"])
async def test_a_name_that_no_file_has_is_not_found(tmp_path: Path, name: str) -> None:
    async with opened(tmp_path) as web:
        assert (await web.client().get(f"/{name}")).status_code == 404


async def test_each_link_is_counted_by_itself(tmp_path: Path) -> None:
    async with opened(tmp_path, serving=replace(SERVING, requests=6)) as web:
        debate = await web.begin(web.me)
        await web.site.runner.wait(debate)
        url = f"{API}/debates/{debate}"
        shares = [(await web.me.post(f"{url}/shares", json={})).json() for _ in range(2)]
        sent = web.client(token=shares[0]["token"])
        cookie = {"Cookie": f"{share_cookie(HOST, debate)}={shares[1]['token']}"}
        stranger = web.client(token="x" * 43)
        assert [(await sent.get(url)).status_code for _ in range(8)] == [200] * 7 + [429], "the first is the address's"
        by_cookie = [(await web.client().get(url, headers=cookie)).status_code for _ in range(8)]
        assert by_cookie == [200] * 7 + [429]
        nobody = [(await stranger.get(url)).status_code for _ in range(5)]
        assert nobody == [401] * 4 + [429], "whom nobody knows is counted by where it is"


def test_so_many_links_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auth, "MOST_LINKS", 2)
    known = Authenticator({})
    for link in ("a", "b", "c", "a"):
        known.meet(link)
    assert known.links == {"a", "b"}


async def test_a_pass_has_so_many_streams_and_sockets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auth, "MOST_STREAMS", 2)
    async with opened(tmp_path, real=True) as web:
        debate = await web.begin(web.ann, ADA)
        await web.asked(web.ann, debate)
        url = f"{API}/debates/{debate}/entries"
        link = (await shared(web, debate))["token"]
        counted = web.site.auth._open  # pyright: ignore[reportPrivateUsage]
        async with live_at(web, debate), web.ann.stream("GET", f"{url}?follow=true") as stream:
            assert stream.status_code == 200
            refused = await web.ann.get(url)
            assert (refused.status_code, refused.json()["code"]) == (429, "too_many")
            assert "Retry-After" in refused.headers
            with pytest.raises(InvalidStatus) as caught:
                async with live_at(web, debate):
                    pass
            assert caught.value.response.status_code == 429
            async with live_at(web, debate, token=link):
                assert sorted(counted.values()) == [1, 2], "another pass has streams of its own"
        await until(lambda: not counted)
        assert (await web.ann.get(url)).status_code == 200
        web.site.runner.stop(debate)


async def test_a_key_is_said_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        debate = await web.begin(web.ann, ADA)
        await web.asked(web.ann, debate)
        url, body = f"{API}/debates/{debate}/interjections", {"by": "Owner", "words": "Mind the kettle."}

        async def say(client: httpx2.AsyncClient, key: str, **more: str) -> httpx2.Response:
            headers = {"Idempotency-Key": key} if key else {}
            return await client.post(url, json={**body, **more}, headers=headers)

        async with asyncio.TaskGroup() as group:
            sent = [group.create_task(say(web.ann, "k")) for _ in range(4)]
        assert {(task.result().status_code, task.result().json()["number"]) for task in sent} == {(201, 1)}
        other = await say(web.ann, "k", words="Mind the cups.")
        assert (other.status_code, other.json()["code"]) == (409, "record")
        wrong = await say(web.ann, "w", words=" ")
        assert wrong.status_code == 422
        assert (await say(web.ann, "w")).json()["number"] == 2, "what was refused used no key"
        assert [(await say(web.ann, "")).json()["number"] for _ in range(2)] == [3, 4]
        fan = web.client(token=(await shared(web, debate, right="join"))["token"])
        assert (await say(fan, "k", by="Eve")).json()["number"] == 5, "a key is the sender's"
        assert (await say(fan, "k", by="Eve")).json()["number"] == 5
        assert (await say(web.me, "k")).json()["number"] == 6
        assert [row["id"] for row in (await web.me.get(f"{API}/debates")).json()["debates"]] == [debate]
        web.site.runner.stop(debate)


async def test_a_link_that_another_server_takes_back_ends_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auth, "LOOK_SECONDS", 0.0)
    async with opened(tmp_path, real=True) as web, opened(tmp_path) as other:
        debate = await web.begin(web.ann, ADA)
        await web.asked(web.ann, debate)
        link = await shared(web, debate)
        async with live_at(web, debate, token=link["token"]) as socket:
            await socket.recv()
            gone = await other.ann.delete(f"{API}/debates/{debate}/shares?id={link['id']}")
            assert gone.status_code == 200
            await frames_of(socket)
            assert socket.close_code == 1008
        refused = await other.ann.post(f"{API}/debates/{debate}/stop", json={})
        assert (refused.status_code, (await web.ann.get(f"{API}/debates/{debate}")).json()["runs"]) == (409, True)
        web.site.runner.stop(debate)


def test_links_are_read_again_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auth, "MOST_LINKS", 2)
    now = 0.0
    known = Authenticator({}, clock=lambda: now)
    assert [known.looks_again(debate) for debate in ("a", "a", "b", "c", "c")] == [True, False, True, True, False]
    now = 5.0
    assert known.looks_again("c")
