"""The web app over the real queue: begun in the API, held by a worker elsewhere, answered, stopped, resumed."""

import asyncio
import json
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import cast

import pytest

from folkmoot.app.run import queue_runner
from tests.app.serve.serve_kit import PATIENCE, running, wait_for
from tests.cli.commands import folkmoot, settle
from tests.council.agents import own_place
from tests.record.pg import Postgres
from tests.web.web_kit import ADA, API, Web, opened, until
from tests.workers.workers_kit import Turned, house, queue_at

pytestmark = pytest.mark.alone


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)
    monkeypatch.setattr(queue_runner, "LOOK", 0.05)


SEATED = ADA.replace("builtin:quotes", "guest:model")


async def state(web: Web, debate: str) -> dict[str, object]:
    return (await web.ann.get(f"{API}/debates/{debate}")).json()


async def say(web: Web, debate: str) -> bool:
    """Answer the question that is open for a person."""
    (ask,) = await web.asked(web.ann, debate)
    forms = cast("list[dict[str, list[str]]]", ask["fields"])
    fields = {str(form_field["name"]): form_field["choices"][0] for form_field in forms if form_field["choices"]}
    body: dict[str, object] = {"key": ask["key"], "words": "" if fields else "Tea, I say."}
    body |= {"fields": fields} if fields else {}
    return bool((await web.ann.post(f"{API}/debates/{debate}/asks/answer", json=body)).json()["runs"])


async def test_a_debate_of_the_api_goes_through_the_real_queue_to_its_end(
    tmp_path: Path, database: str, temporal: str
) -> None:
    model, queue = Turned(waits=True), queue_at(database, temporal)
    rows: list[str] = []
    async with (
        house(database, temporal, model) as there,
        opened(tmp_path, store=database, queue=queue, models={"model": model}, real=True) as web,
    ):
        debate = await web.begin(web.ann, SEATED)
        assert (await state(web, debate))["holder"] == "queue"

        async def watch() -> None:
            async with web.ann.stream("GET", f"{API}/debates/{debate}/entries?follow=true") as response:
                rows.extend([line async for line in response.aiter_lines()])

        async with there.working(), asyncio.TaskGroup() as group:
            group.create_task(watch())
            await model.asked.wait()
            now = await state(web, debate)
            assert (now["status"], now["runs"], now["holder"]) == ("open", True, "w1")
            (row,) = (await web.ann.get(f"{API}/debates")).json()["debates"]
            assert row["holder"] == "w1"
            await web.ann.post(f"{API}/debates/{debate}/stop", json={"now": True})
            await there.until(debate, "cancelled")
            now = await state(web, debate)
            assert (now["status"], now["kind"], now["runs"], now["error"]) == ("paused", "stopped", False, "")
            model.go.set()
            assert (await web.ann.post(f"{API}/debates/{debate}/resume", json={})).json()["runs"]
            while (await there.until(debate, "waiting", "done")).state == "waiting":
                assert (await state(web, debate))["kind"] == "waiting"
                assert await say(web, debate)
                await until(lambda: there.queue.job(debate))
        kinds = [json.loads(line)["kind"] for line in rows]
        assert rows == list(await web.site.workspace.lines(debate)), "every entry, in order"
        assert kinds[-1] == "closed"
        assert await web.site.spending.used("ann") == 0.0
    await queue.store.close()


def test_serve_and_a_worker_in_processes_of_their_own(tmp_path: Path, database: str, temporal: str) -> None:
    body = {"brief": "# Tea or coffee?\n\nTea is calm. Coffee is quick.\n", "models": ["builtin:quotes"]}
    with (
        running(tmp_path, "--queue", "--store", database, TEMPORAL_ADDRESS=temporal) as server,
        server.client() as client,
    ):
        assert client.get("/readyz").text.splitlines()[:2] == ["ready", "workers: 0"]
        begun = client.post(f"{API}/debates", json=body).json()
        assert begun["runs"]
        now = client.get(f"{API}/debates/{begun['id']}")
        assert now.json().get("holder") == "queue", now.text
        worker = subprocess.Popen(
            [sys.executable, "-m", "folkmoot", "worker", "--store", database, "--name", "desk-two"],
            env={
                **settle(tmp_path),
                "PYTHONPATH": ":".join(sys.path),
                "PYTHONUNBUFFERED": "1",
                "TEMPORAL_ADDRESS": temporal,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            wait_for(lambda: client.get(f"{API}/debates/{begun['id']}").json()["status"] == "decided")
            text = client.get(f"{API}/debates/{begun['id']}/entries", headers={"Accept": "text/event-stream"}).text
            numbers = [int(number) for number in re.findall(r"^id: (\d+)$", text, re.MULTILINE)]
            assert numbers == list(range(1, len(numbers) + 1))
            assert len(numbers) > 5
            wait_for(lambda: not client.get(f"{API}/debates/{begun['id']}").json()["runs"])
        finally:
            worker.send_signal(signal.SIGTERM)
            output, _ = worker.communicate(timeout=PATIENCE)
        assert worker.returncode == 0, output
        assert "handed on or finished" in output
        assert server.end(signal.SIGTERM) == 0


def test_a_queue_needs_a_store_that_machines_share(tmp_path: Path) -> None:
    for command in ("serve", "mcp"):
        done = folkmoot(tmp_path, command, "--queue", "--store", str(tmp_path / "folkmoot.sqlite"))
        assert done.exit_code == 2
        assert "a queue needs a store that many machines share" in done.output


async def test_it_is_not_ready_while_the_database_is_away_and_is_again_when_it_is_back(
    tmp_path: Path, temporal: str
) -> None:
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    server = await asyncio.to_thread(Postgres, folder)
    try:
        database = server.make()
        queue = queue_at(database, temporal)
        async with opened(tmp_path, store=database, queue=queue) as web:

            async def ready() -> tuple[int, str]:
                answer = await web.client().get("/readyz")
                return answer.status_code, answer.text

            debate = await web.begin(web.ann)
            status, words = await ready()
            assert (status, words.splitlines()[0]) == (200, "ready")
            await asyncio.to_thread(server.close)
            assert await ready() == (503, "the store cannot be read\n")
            server = await asyncio.to_thread(Postgres, folder)
            status, words = await ready()
            assert (status, words.splitlines()[0]) == (200, "ready")
            assert (await web.ann.get(f"{API}/debates/{debate}")).json()["holder"] == "queue", "nothing is lost"
        await queue.store.close()
    finally:
        await asyncio.to_thread(server.close)
        shutil.rmtree(folder, ignore_errors=True)
