"""A database that goes and comes back, as the web app's streams and the API show it."""

import asyncio
import json
import signal
from collections.abc import Generator
from pathlib import Path
from typing import cast

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from folkmoot.app.serve import live
from tests.council.agents import own_place
from tests.record.pg import Postgres, running
from tests.web.web_kit import ANN, API, Web, opened, until
from tests.workers.workers_kit import Turned, house, queue_at

pytestmark = pytest.mark.alone


BRIEF = "# Tea or coffee?\n\n## Ann\nrole: Guest\n\nYou like tea.\n\n## Bob\nrole: Host\n\nYou like coffee.\n"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)
    monkeypatch.setattr(live, "AWAY", 0.1)


@pytest.fixture(scope="module")
def own_server() -> Generator[Postgres]:
    """A server that may be stopped."""
    with running() as server:
        yield server


def stop(server: Postgres) -> None:
    """Stop it at once; whoever is connected is cut off."""
    postmaster = server.server.get_postmaster_info().process
    assert postmaster
    postmaster.send_signal(signal.SIGINT)
    postmaster.wait(120)


async def socket_seqs(web: Web, debate: str) -> list[int]:
    """The numbers of all frames that a WebSocket brings until it is closed."""
    url = f"{web.base.replace('http', 'ws')}{API}/debates/{debate}/live"
    seqs: list[int] = []
    async with connect(url, additional_headers={"Authorization": f"Bearer {ANN}"}, proxy=None) as socket:
        async for text in socket:
            message = json.loads(text)
            assert isinstance(message, list), message
            frames = cast("list[dict[str, int | str]]", message)
            seqs += [int(frame["seq"]) for frame in frames if frame["kind"] != "delta"]
        assert socket.close_code == 1000
    return seqs


async def event_seqs(web: Web, debate: str) -> list[int]:
    """The numbers of all server-sent events until the stream ends."""
    url, headers = f"{API}/debates/{debate}/entries?follow=true", {"Accept": "text/event-stream"}
    async with web.ann.stream("GET", url, headers=headers) as response:
        return [int(line[4:]) async for line in response.aiter_lines() if line.startswith("id: ")]


async def refusals(web: Web, debate: str) -> None:
    """While the database is away every answer says so, and when to ask again."""
    for path in (f"{API}/debates/{debate}", f"{API}/debates", f"{API}/debates/{debate}/entries"):
        answer = await web.ann.get(path)
        assert (answer.status_code, answer.headers.get("Retry-After")) == (503, "5"), path
        assert answer.json()["code"] == "record"
    ready = await web.client().get("/readyz")
    assert (ready.status_code, ready.headers["Retry-After"]) == (503, "5")
    with pytest.raises(InvalidStatus) as refused:
        await socket_seqs(web, debate)
    assert refused.value.response.status_code == 503


async def test_streams_go_on_by_themselves_without_a_gap_when_the_database_is_back(
    tmp_path: Path, own_server: Postgres, temporal: str
) -> None:
    address, model = own_server.make(), Turned(waits=True)
    queue = queue_at(address, temporal)
    async with (
        house(address, temporal, model) as there,
        opened(tmp_path, store=address, queue=queue, models={"model": model}, real=True) as web,
    ):
        debate = await web.begin(web.ann, BRIEF, models=["guest:model"])
        async with there.working(), asyncio.TaskGroup() as group:
            await model.asked.wait()
            streams = [group.create_task(socket_seqs(web, debate)), group.create_task(event_seqs(web, debate))]
            await until(lambda: len(web.site.live.groups) == 1)
            await asyncio.sleep(0.5)
            await asyncio.to_thread(stop, own_server)
            try:
                await refusals(web, debate)
                await asyncio.sleep(1.0)
                assert not any(stream.done() for stream in streams)
            finally:
                await asyncio.to_thread(own_server.server.ensure_postgres_running)
            model.go.set()
            await there.until(debate, "done")
            count = await there.workspace.count_entries(debate)
            async with asyncio.timeout(120):
                for stream in streams:
                    assert await stream == list(range(1, count + 1))
    await queue.store.close()
