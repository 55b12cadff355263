"""The web app and the API over a queue: another desk over the same database holds the debates, and nothing is lost."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import pytest

from folkmoot.app.plan.settings import Config
from folkmoot.app.run import queue_runner
from folkmoot.app.run.queue_runner import QueueRunner
from folkmoot.app.run.workspace import Workspace
from folkmoot.models.base import Model
from folkmoot.web import pages
from tests.app.run.queue_kit import Worker, working
from tests.council.agents import own_place
from tests.mcp.mcp_kit import place as client_at
from tests.web.web_kit import ADA, ANN, API, QUOTES, Slow, Web, config, events, opened, until


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)
    monkeypatch.setattr(queue_runner, "LOOK", 0.02)


@asynccontextmanager
async def served(
    folder: Path, database: str, *, models: Mapping[str, Model] | None = None, real: bool = False
) -> AsyncGenerator[tuple[Web, Worker]]:
    """A server whose debates a worker holds, with a desk and connections of its own."""
    there = Workspace.at(database)
    there.config = config()
    for name, model in (models or {}).items():
        there.pool.add_agent(name, model)
    try:
        async with (
            working(there) as worker,
            opened(folder, store=database, queue=worker, models=models, real=real) as web,
        ):
            yield web, worker
    finally:
        await there.close()


async def state(web: Web, debate: str) -> dict[str, object]:
    return (await web.ann.get(f"{API}/debates/{debate}")).json()


async def test_a_viewer_gets_every_entry_of_a_worker_in_order(tmp_path: Path, database: str) -> None:
    slow = Slow()
    async with served(tmp_path, database, models={"slow": slow}, real=True) as (web, worker):
        worker.open.clear()
        debate = await web.begin(web.ann, models=["guest:slow"])
        now = await state(web, debate)
        assert (now["status"], now["runs"], now["holder"], now["entries"]) == ("open", True, "queue", 1)
        numbers: list[int] = []
        headers = {"Accept": "text/event-stream"}
        async with web.ann.stream("GET", f"{API}/debates/{debate}/entries?follow=true", headers=headers) as response:
            async for line in response.aiter_lines():
                if line.startswith("id: "):
                    numbers.append(int(line[4:]))
                    worker.open.set()
                if slow.asked.is_set() and not slow.go.is_set():
                    now = await state(web, debate)
                    assert (now["status"], now["runs"], now["holder"]) == ("open", True, "w1")
                    (row,) = (await web.ann.get(f"{API}/debates")).json()["debates"]
                    assert (row["runs"], row["holder"]) == (True, "w1")
                    assert (await web.ann.get(f"{API}/info")).json()["held"] == 1
                    slow.go.set()
        assert numbers == list(range(1, await web.site.workspace.count_entries(debate) + 1)), "it ended by itself"
        await until(lambda: worker.found[debate].state == "done")
        now = await state(web, debate)
        assert (now["status"], now["runs"], now["holder"]) == ("decided", False, "")


async def test_a_person_answers_over_the_api_and_a_worker_goes_on(tmp_path: Path, database: str) -> None:
    async with served(tmp_path, database, real=True) as (web, worker):
        debate = await web.begin(web.ann, ADA)
        rows: list[str] = []

        async def watch() -> None:
            async with web.ann.stream("GET", f"{API}/debates/{debate}/entries?follow=true") as response:
                rows.extend([line async for line in response.aiter_lines()])

        async with asyncio.TaskGroup() as group:
            group.create_task(watch())
            await until(lambda: worker.found[debate].state == "waiting")
            now = await state(web, debate)
            assert (now["status"], now["kind"], now["runs"]) == ("paused", "waiting", False)
            answer = await web.ann.post(
                f"{API}/debates/{debate}/interjections", json={"by": "Eve", "words": "The kettle!"}
            )
            assert answer.status_code == 201
            while worker.found[debate].state != "done":
                (ask,) = await web.asked(web.ann, debate)
                forms = cast("list[dict[str, list[str]]]", ask["fields"])
                fields = {
                    str(form_field["name"]): form_field["choices"][0] for form_field in forms if form_field["choices"]
                }
                body: dict[str, object] = {"key": ask["key"], "words": "" if fields else "Tea, I say."}
                body |= {"fields": fields} if fields else {}
                response = await web.ann.post(f"{API}/debates/{debate}/asks/answer", json=body)
                assert response.json()["runs"], response.text
                await until(lambda: worker.found[debate].state in ("waiting", "done"))
        kinds = [json.loads(line)["kind"] for line in rows]
        assert rows == list(await web.site.workspace.lines(debate))
        assert "interjected" in kinds
        assert kinds.count("resumed") == kinds.count("paused") + 1, "it was put on record here, and taken up there"
        assert kinds[-1] == "closed"


async def test_stop_and_resume_reach_the_worker(tmp_path: Path, database: str) -> None:
    slow = Slow()
    async with served(tmp_path, database, models={"slow": slow}) as (web, worker):
        debate = await web.begin(web.ann, models=["guest:slow"])
        await slow.asked.wait()
        now = (await web.ann.post(f"{API}/debates/{debate}/resume", json={})).json()
        assert now["runs"], "what runs goes on"
        await web.ann.post(f"{API}/debates/{debate}/stop", json={"now": True})
        await until(lambda: worker.found[debate].state == "cancelled")
        now = await state(web, debate)
        assert (now["status"], now["kind"], now["runs"]) == ("paused", "stopped", False)
        slow.go.set()
        response = await web.ann.post(f"{API}/debates/{debate}/resume", json={"limits": {"asks": 300}})
        assert response.json()["runs"]
        await until(lambda: worker.found[debate].state == "done")
        assert (await web.ben.get(f"{API}/debates/{debate}")).status_code == 404
        fork = await web.ann.post(f"{API}/debates/{debate}/fork", json={"at": 2, "models": {"": "builtin:quotes"}})
        assert fork.json()["runs"]
        await until(lambda: worker.found[str(fork.json()["id"])].state == "done")


async def test_a_limit_is_told_once_and_lifted(tmp_path: Path, database: str) -> None:
    async with served(tmp_path, database) as (web, worker):
        debate = await web.begin(web.ann, limits={"asks": 2})
        await until(lambda: worker.found[debate].state == "parked")
        now = await state(web, debate)
        assert (now["status"], now["kind"], now["error"]) == ("paused", "limit", "")
        assert "2 questions" in str(now["reason"])
        await web.ann.post(f"{API}/debates/{debate}/resume", json={"limits": {"asks": 300}})
        await until(lambda: worker.found[debate].state == "done")


async def test_a_queue_that_cannot_be_reached_is_said_and_comes_back(
    tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with served(tmp_path, database) as (web, worker):
        ready = await web.client().get("/readyz")
        assert (ready.status_code, ready.text.splitlines()[:2]) == (200, ["ready", "workers: 1"])
        worker.away = True
        ready = await web.client().get("/readyz")
        assert (ready.status_code, ready.text) == (503, "the queue cannot be reached\n")
        body = {"brief": QUOTES, "models": ["builtin:quotes"], "participants": "builtin"}
        refused = await web.ann.post(f"{API}/debates", json=body, headers={"Idempotency-Key": "k"})
        assert (refused.status_code, refused.json()["code"]) == (503, "queue")
        assert refused.headers["Retry-After"] == "5"
        worker.away = False
        assert (await web.client().get("/readyz")).status_code == 200
        begun = await web.ann.post(f"{API}/debates", json=body, headers={"Idempotency-Key": "k"})
        assert begun.status_code == 201
        await until(lambda: worker.found[begun.json()["id"]].state == "done")
        monkeypatch.setattr(pages, "PATIENCE", 0.0)
        ready = await web.client().get("/readyz")
        assert ready.status_code == 503
        assert ready.text == "the store or the queue did not answer within 0 seconds\n"


async def test_an_agent_has_its_debates_held_by_a_worker(tmp_path: Path, database: str) -> None:
    slow = Slow()
    here, there = Workspace.at(database), Workspace.at(database)
    for workspace in (here, there):
        workspace.config = Config()
        workspace.pool.add_agent("slow", slow)
    async with working(there) as worker, QueueRunner(here, worker) as runner, client_at(runner) as place:
        seated = ADA.replace("human", "guest:slow").replace("builtin:quotes", "guest:slow")
        debate = await place.begin(seated)
        await slow.asked.wait()
        assert (await place.call("get_debate", id=debate))["runs"]
        rows = cast("list[dict[str, object]]", (await place.call("list_debates"))["debates"])
        assert [(row["id"], row["status"]) for row in rows] == [(debate, "running")]
        slow.go.set()
        assert (await place.call("wait_for_debate", id=debate))["status"] == "decided"
        waits = await place.begin(ADA)
        state = await place.call("wait_for_debate", id=waits)
        assert state["status"] == "waiting"
        answered = await place.call("answer_question", id=waits, words="Tea, I say.")
        assert answered["runs"]
        slow.go.clear()
        slow.asked.clear()
        runs = await place.begin(seated)
        await slow.asked.wait()
        assert (await place.call("stop_debate", id=runs, now=True))["status"] == "paused"
    for workspace in (here, there):
        await workspace.close()


async def test_no_page_is_needed_to_hear_of_the_end(tmp_path: Path, database: str) -> None:
    async with served(tmp_path, database) as (web, worker):
        debate = await web.begin(web.client(token=ANN))
        await until(lambda: worker.found[debate].state == "done")
        text = (await web.ann.get(f"{API}/debates/{debate}/entries", headers={"Accept": "text/event-stream"})).text
        assert [seq for seq, _, _ in events(text)] == list(range(1, await web.site.workspace.count_entries(debate) + 1))
