"""Live streams: server-sent events and the WebSocket over real sockets, without a gap and without a double."""

import contextlib
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from folkmoot.app.serve.frames import Frames
from folkmoot.app.serve.live import Live, Overrun, Viewer
from folkmoot.core.event import Attempted, Delta
from folkmoot.record import hub
from folkmoot.web import entry_routes as routes
from folkmoot.web.auth import session_cookie, share_cookie
from tests.council.agents import own_place
from tests.web.web_kit import ADA, ANN, API, BEN, Slow, Web, events, opened, until


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


@asynccontextmanager
async def live_at(
    web: Web, debate: str, after: object = 0, *, token: str = ANN, headers: Mapping[str, str] | None = None
) -> AsyncGenerator[ClientConnection]:
    url = f"{web.base.replace('http', 'ws')}{API}/debates/{debate}/live?after={after}"
    sent_headers = {"Authorization": f"Bearer {token}"} if token else {}
    sent_headers |= headers or {}
    async with connect(url, additional_headers=sent_headers, proxy=None, max_size=None) as socket:
        yield socket


async def frames_of(socket: ClientConnection) -> list[dict[str, object]]:
    frames: list[dict[str, object]] = []
    with contextlib.suppress(ConnectionClosed):
        async for text in socket:
            frames += json.loads(text)
    return frames


async def drain(viewer: Viewer) -> None:
    while await viewer.take() is not None:
        pass


# ---- server-sent events ----------------------------------------------------------------------------------------------


async def test_events_from_every_entry_on_have_no_gap_and_no_double(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        ann = web.ann
        debate = await web.ended(ann)
        lines = await web.site.workspace.lines(debate)
        url, headers = f"{API}/debates/{debate}/entries", {"Accept": "text/event-stream"}
        for after in range(len(lines) + 1):
            text = (await ann.get(url, headers={**headers, "Last-Event-ID": str(after)})).text
            assert [seq for seq, _, _ in events(text)] == list(range(after + 1, len(lines) + 1))
            assert [line[6:] for line in text.splitlines() if line.startswith("data: ")] == list(lines[after:])
        whole = (await ann.get(url, headers={"Accept": "text/event-stream"})).text
        names = [name for _, name, _ in events(whole)]
        assert names[0] == "debate_start"
        assert names[-1] == "debate_end"
        assert (await ann.get(url)).text == "".join(f"{line}\n" for line in lines)
        rows = [json.loads(line) for line in (await ann.get(f"{url}?form=frames&after=2")).text.splitlines()]
        assert rows == json.loads(json.dumps([*map(Frames().frame, await web.site.workspace.entries(debate))][2:]))
        assert (await ann.get(url, headers={**headers, "Last-Event-ID": "x"})).status_code == 422


@pytest.mark.parametrize("form", ["entries", "frames"])
async def test_a_follower_that_comes_back_misses_nothing_while_the_debate_runs(tmp_path: Path, form: str) -> None:
    slow = Slow()
    async with opened(tmp_path, models={"slow": slow}, real=True) as web:
        ann = web.ann
        debate = await web.begin(ann, models=["guest:slow"])
        await slow.asked.wait()
        url, numbers = f"{API}/debates/{debate}/entries?follow=true&form={form}", list[int]()
        for cut in (1, 2, 3):
            headers = {"Accept": "text/event-stream", "Last-Event-ID": str(len(numbers))}
            async with ann.stream("GET", url, headers=headers) as response:
                async for line in response.aiter_lines():
                    if line.startswith("id: "):
                        numbers.append(int(line[4:]))
                        if len(numbers) >= 2 * cut:
                            break
        slow.go.set()
        headers = {"Accept": "text/event-stream", "Last-Event-ID": str(len(numbers))}
        rest = (await ann.get(url, headers=headers)).text
        numbers += [seq for seq, _, _ in events(rest)]
        assert numbers == list(range(1, await web.site.workspace.count_entries(debate) + 1)), "it ends by itself"
        await until(lambda: not web.site.live.groups)


async def test_a_silent_stream_beats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "LOOK", 0.01)
    monkeypatch.setattr(routes, "HEARTBEAT", 0.03)
    async with opened(tmp_path, real=True) as web:
        ann = web.ann
        debate = await web.begin(ann, ADA)
        await web.asked(ann, debate)
        count, beats = await web.site.workspace.count_entries(debate), 0
        url = f"{API}/debates/{debate}/entries?follow=true&after={count}"
        async with ann.stream("GET", url, headers={"Accept": "text/event-stream"}) as response:
            async for line in response.aiter_lines():
                beats += line.startswith(":")
                if beats == 3:
                    break


async def test_a_stream_stays_open_over_a_pause(tmp_path: Path) -> None:
    async with opened(tmp_path, real=True) as web:
        ann = web.ann
        debate = await web.begin(ann, ADA)
        await web.asked(ann, debate)
        url = f"{API}/debates/{debate}/entries?follow=true"
        async with ann.stream("GET", url) as response:
            rows = response.aiter_lines()
            kinds: list[str] = []
            while "paused" not in kinds:
                kinds.append(json.loads(await anext(rows))["kind"])
                if kinds[-1] == "asked":
                    web.site.runner.stop(debate)
            await until(lambda: not web.site.runner.running)
            await ann.post(f"{API}/debates/{debate}/asks/answer", json={"words": "Tea, I say."})
            while kinds[-1] != "replied" or "resumed" not in kinds:
                kinds.append(json.loads(await anext(rows))["kind"])


# ---- WebSocket -------------------------------------------------------------------------------------------------------


async def test_a_viewer_is_sent_all_frames_and_pieces_between_them(tmp_path: Path) -> None:
    slow = Slow()
    async with opened(tmp_path, models={"slow": slow}, real=True) as web:
        debate = await web.begin(web.ann, models=["guest:slow"])
        await slow.asked.wait()
        async with live_at(web, debate) as socket:
            first = json.loads(await socket.recv())
            slow.go.set()
            all_frames = first + await frames_of(socket)
        assert socket.close_code == 1000
        numbered = [frame for frame in all_frames if "seq" in frame]
        assert numbered == json.loads(json.dumps([*map(Frames().frame, await web.site.workspace.entries(debate))]))
        pieces = [frame for frame in all_frames if frame["kind"] == "delta"]
        assert pieces
        assert {"kind", "key", "text"} == set(pieces[0]) - {"whole"}
        async with live_at(web, debate, 5) as socket:
            assert await frames_of(socket) == numbered[5:]


async def test_who_comes_late_gets_the_text_so_far(tmp_path: Path) -> None:
    slow = Slow()
    async with opened(tmp_path, models={"slow": slow}, real=True) as web:
        debate = await web.begin(web.ann, models=["guest:slow"])
        await slow.asked.wait()
        entries = await web.site.workspace.entries(debate)
        key = next(entry.event.key for entry in entries if isinstance(entry.event, Attempted))

        async def piece(socket: ClientConnection, words: str) -> dict[str, object]:
            while True:
                for frame in json.loads(await socket.recv()):
                    if frame["kind"] == "delta" and frame["text"].endswith(words):
                        return frame

        async with live_at(web, debate) as first:
            await first.recv()
            for words in ("Tea is", " calm"):
                web.site.workspace.hub.signal(debate, Delta(key=key, text=words))
                await piece(first, words)
            async with live_at(web, debate, len(entries)) as late:
                whole = {"kind": "delta", "key": key, "text": "It Tea is calm", "whole": True}
                assert await piece(late, "calm") == whole
                web.site.workspace.hub.signal(debate, Delta(key=key, text=", too"))
                assert "whole" not in await piece(late, ", too")
        slow.go.set()
        await web.site.runner.wait(debate)


async def test_what_a_viewer_sends_is_nothing_and_who_leaves_is_noticed(tmp_path: Path) -> None:
    async with opened(tmp_path, real=True) as web:
        debate = await web.begin(web.ann, ADA)
        await web.asked(web.ann, debate)
        async with live_at(web, debate) as socket:
            await socket.send("hello")
            await socket.recv()
            assert web.site.live.groups[debate, None].viewers == 1
            await socket.send(b"\x00 no text")
        await until(lambda: not web.site.live.groups)


async def test_foreign_pages_hosts_and_tokens_get_no_socket(tmp_path: Path) -> None:
    async with opened(tmp_path, real=True) as web:
        debate = await web.ended(web.ann)
        secret = web.site.auth.exchange(web.site.auth.new_link())
        cookie = {"Cookie": f"{session_cookie(web.base)}={secret}", "Origin": web.base}
        cases: list[tuple[str, dict[str, str], int]] = [
            (BEN, {}, 404),
            ("x", {}, 401),
            ("", {}, 401),
            (ANN, {"Origin": "http://evil.example"}, 403),
            (ANN, {"Origin": "null"}, 403),
            (ANN, {"Origin": f"{web.base}.evil.example"}, 403),
            (ANN, {"Origin": web.base.replace("http://", "http://evil")}, 403),
            ("", {"Cookie": cookie["Cookie"]}, 403),
            ("", {**cookie, "Origin": "http://evil.example"}, 403),
            ("", {**cookie, "Sec-Fetch-Site": "cross-site"}, 403),
        ]
        for token, headers, status in cases:
            with pytest.raises(InvalidStatus) as refused:
                async with live_at(web, debate, token=token, headers=headers):
                    pass
            assert refused.value.response.status_code == status, (token, headers)
            assert json.loads(refused.value.response.body)["status"] == status
        async with live_at(web, debate, token="", headers=cookie) as socket:
            assert await frames_of(socket)
        with pytest.raises(InvalidStatus) as refused:
            async with live_at(web, "nobody-1"):
                pass
        assert refused.value.response.status_code == 404
        with pytest.raises(InvalidStatus) as refused:
            async with live_at(web, debate, "many"):
                pass
        assert refused.value.response.status_code == 422


async def test_a_link_that_is_taken_back_closes_what_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "LOOK", 0.02)
    async with opened(tmp_path, real=True) as web:
        ann = web.ann
        debate = await web.begin(ann, ADA)
        await web.asked(ann, debate)
        url = f"{API}/debates/{debate}/shares"
        share = (await ann.post(url, json={"right": "view"})).json()
        cookie = {"Cookie": f"{share_cookie(web.base, debate)}={share['token']}", "Origin": web.base}
        reader = web.client(token=share["token"])
        async with live_at(web, debate, token="", headers=cookie) as socket:
            await socket.recv()
            entries = f"{API}/debates/{debate}/entries?follow=true"
            async with reader.stream("GET", entries) as stream:
                lines = stream.aiter_lines()
                await anext(lines)
                await ann.delete(f"{url}?id={share['id']}")
                await frames_of(socket)
                assert socket.close_code == 1008
                assert [line async for line in lines], "the stream ends"
        with pytest.raises(InvalidStatus) as refused:
            async with live_at(web, debate, token=share["token"]):
                pass
        assert refused.value.response.status_code == 401


async def test_the_end_of_the_server_lets_viewers_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "LOOK", 0.02)
    async with opened(tmp_path, real=True) as web:
        debate = await web.begin(web.ann, ADA)
        async with live_at(web, debate) as socket:
            await socket.recv()
            web.site.live.close()
            await frames_of(socket)
            assert socket.close_code == 1001


# ---- slow viewers ----------------------------------------------------------------------------------------------------


async def test_a_slow_viewer_is_told_to_come_back_and_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "PAGE", 2)
    slow = Slow()
    async with opened(tmp_path, models={"slow": slow}) as web:
        workspace = web.site.workspace
        workspace.hub = hub.Hub(workspace.store, most=5)
        debate = await web.begin(web.ann, models=["guest:slow"])
        await slow.asked.wait()
        with web.site.live.watching(debate) as group:
            first = Viewer(workspace.store, group, 0, beat=0.05)
            slow_viewer = Viewer(workspace.store, group, 0, beat=0.05, resync=True)
            read = Viewer(workspace.store, group, 0, beat=0.05)
            numbers = [item.seq for item in await slow_viewer.take() or () if item.seq]
            all_numbers = [item.seq for item in await read.take() or () if item.seq]
            slow.go.set()
            await web.site.runner.wait(debate)
            await drain(first)
            assert group.over
            with pytest.raises(Overrun) as error:
                await drain(slow_viewer)
            while (page := await read.take()) is not None:
                all_numbers += [item.seq for item in page if item.seq]
        entries = await workspace.count_entries(debate)
        assert all_numbers == list(range(1, entries + 1)), "who need not be told is read the past"
        assert int(str(error.value)) >= numbers[-1]


async def test_a_ring_forgets_by_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "MOST_BYTES", 20_000)
    async with opened(tmp_path) as web:
        debate = await web.ended(web.ann)
        with web.site.live.watching(debate) as group:
            for _ in range(2):  # the second one comes when the ring has dropped the beginning
                viewer = Viewer(web.site.workspace.store, group, 0, beat=0.05)
                numbers: list[int] = []
                while (page := await viewer.take()) is not None:
                    numbers += [item.seq for item in page]
                assert numbers == list(range(1, await web.site.workspace.count_entries(debate) + 1))
        assert group.place_after(0) is None


async def test_a_frame_is_made_once_for_all_viewers(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        debate, store = await web.ended(web.ann), web.site.workspace.store
        with web.site.live.watching(debate) as one, web.site.live.watching(debate) as two:
            assert one is two
            items = await Viewer(store, one, 0, beat=1).take() or []
            assert (await Viewer(store, two, 0, beat=1).take() or [])[0] is items[0]
            assert items[0].event("frames") is items[0].event("frames")
            assert items[0].event("entries") != items[0].event("frames")
            late = await Viewer(store, two, items[-1].seq - 1, beat=1).take() or []
            assert late[0] is items[-1], "who has the entries before it joins in the ring"


async def test_all_ways_to_follow_share_one_ring(tmp_path: Path) -> None:
    slow = Slow()
    async with opened(tmp_path, models={"slow": slow}) as web:
        workspace, debate = web.site.workspace, await web.begin(web.ann, models=["guest:slow"])
        await slow.asked.wait()
        with workspace.hub.following(debate) as follower, web.site.live.watching(debate, "") as group:
            await Viewer(workspace.store, group, 0, beat=1).take()
            views = [item.views for item in follower.ring.items(0)]
            assert views
            assert all(list(view) == [""] for view in views), "the page's view stands beside the line that all read"
            assert workspace.hub.viewers(debate) == 2
        slow.go.set()
        await web.site.runner.wait(debate)


async def test_a_damaged_record_ends_a_stream_and_nothing_else(tmp_path: Path) -> None:
    async with opened(tmp_path, real=True) as web:
        debate = await web.ended(web.ann)
        await web.site.workspace.store.append("bad", [(await web.site.workspace.lines(debate))[0], "{"], after=0)
        me = web.me
        cookie = {"Cookie": f"{session_cookie(web.base)}={me.cookies[session_cookie(web.base)]}", "Origin": web.base}
        async with live_at(web, "bad", token="", headers=cookie) as socket:
            with contextlib.suppress(ConnectionClosed):
                while True:
                    await socket.recv()
            assert socket.close_code == 1011
        assert (await me.get(f"{API}/debates/bad")).status_code == 409
        assert (await me.get(f"{API}/debates")).status_code == 200


async def test_nothing_is_left_when_nobody_watches(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        debate = await web.begin(web.ann, start=False)
        live = Live(web.site.workspace)
        with live.watching(debate) as group:
            with live.watching(debate) as same:
                assert same is group
            assert live.groups
            await group.advance()
            await group.advance()
            assert group.last == 1
        assert not live.groups
        assert not web.site.workspace.hub.viewers(debate)
