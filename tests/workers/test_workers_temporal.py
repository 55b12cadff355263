"""What only Temporal decides: whose turn it is, what it has forgotten, whether it is the right one, and its histories."""

import ast
import asyncio
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from temporalio import activity
from temporalio.client import WorkflowHistory
from temporalio.service import RPCStatusCode
from temporalio.worker import Replayer, UnsandboxedWorkflowRunner
from temporalio.worker import Worker as TemporalWorker

from folkmoot.app.run.dispatcher import QueueAway, QueueError
from folkmoot.workers import workflow
from folkmoot.workers.connection import check_version
from folkmoot.workers.workflow import DebateWorkflow
from tests.cli.commands import folkmoot, settle
from tests.paths import ROOT
from tests.workers.temporal_kit import SETTINGS, Refusing, running_temporal
from tests.workers.workers_kit import House, Turned, house

pytestmark = pytest.mark.alone

HISTORIES = Path(__file__).with_name("histories")
QUESTION = "Should we rent or own the mail server?"
EACH = 500 if os.environ.get("FOLKMOOT_CHAOS") == "long" else 20
"""Debates of each of two owners."""


# ---- turns -----------------------------------------------------------------------------------------------------------


async def test_two_owners_take_turns_and_the_urgent_goes_first(database: str, temporal: str) -> None:
    begun: list[str] = []

    @activity.defn(name="segment")
    async def segment(debate: str) -> tuple[str, float | None]:
        begun.append(debate)
        await asyncio.sleep(0.01)
        return "done", None

    async with house(database, temporal) as place:
        for owner in ("a", "b"):
            for n in range(EACH):
                await place.queue.submit(f"{owner}{n}", owner=owner)
        await place.queue.submit("urgent", owner="a", priority=1)
        link = await place.queue.connected()
        workflows = TemporalWorker(
            link.client,
            task_queue=link.task_queue,
            workflows=[DebateWorkflow],
            workflow_runner=UnsandboxedWorkflowRunner(),
            max_cached_workflows=0,
        )
        segments = TemporalWorker(
            link.client, task_queue=link.task_queue, activities=[segment], max_concurrent_activities=2
        )
        async with workflows:
            await asyncio.sleep(1 + EACH / 25)  # each has asked for its first segment by then
            async with segments:
                async with asyncio.timeout(300):
                    while len(begun) < 2 * EACH + 1:  # noqa: ASYNC110 - another thread
                        await asyncio.sleep(0.05)
    assert "urgent" in begun[:3]
    half = Counter(debate[0] for debate in begun[:EACH])
    assert abs(half["a"] - half["b"]) <= EACH / 4, begun[:EACH]


# ---- a Temporal that forgets, that is away, and another one ----------------------------------------------------------


async def test_what_temporal_has_forgotten_is_told_again_and_nothing_else(database: str) -> None:
    model = Turned()
    with running_temporal() as server:
        async with house(database, server.address, model) as place:
            async with place.working():
                await place.queue.submit(await place.lay("person", person=True))
                await place.until("person", "waiting")
            for debate in ("one", "two", "gone"):
                await place.queue.submit(await place.lay(debate))
            await place.queue.cancel("gone")
            await place.tell("update folkmoot_wanted set since = since - 60")
            await asyncio.to_thread(server.kill)
            server.forget()
            with pytest.raises(QueueAway, match="three is noted"):
                await place.queue.submit(await place.lay("three"))
            await place.tell("update folkmoot_wanted set since = since - 60")
            await asyncio.to_thread(server.start)
            async with place.working():
                assert await place.queue.reconcile() == 3
                assert await place.queue.reconcile() == 0
                for debate in ("one", "two", "three"):
                    await place.until(debate, "done")
            states = {job.debate: job.state for job in await place.queue.jobs()}
    assert (states["person"], states["gone"]) == ("waiting", "cancelled")


def test_a_database_goes_with_one_temporal_until_it_is_moved(database: str, temporal: str, tmp_path: Path) -> None:
    here = {"FOLKMOOT_STORE": database, "TEMPORAL_ADDRESS": temporal}
    assert folkmoot(tmp_path, "worker", "submit", QUESTION, "-m", "builtin:quotes", **here).exit_code == 0
    with running_temporal() as other:
        there = {**here, "TEMPORAL_ADDRESS": other.address}
        for words in (("worker",), ("worker", "submit", QUESTION, "-m", "builtin:quotes")):
            refused = folkmoot(tmp_path, *words, **there)
            assert refused.exit_code == 1
            assert f"goes with Temporal at {temporal}, not at {other.address}" in refused.output
        moved = folkmoot(tmp_path, "worker", "reconcile", **there)
        assert (moved.exit_code, "queued again" in moved.output) == (0, True)
        assert folkmoot(tmp_path, "worker", "submit", QUESTION, "-m", "builtin:quotes", **there).exit_code == 0


def test_what_cannot_be_used_is_one_sentence_and_nothing_is_lost(database: str, temporal: str, tmp_path: Path) -> None:
    here = {"FOLKMOOT_STORE": database, "TEMPORAL_ADDRESS": temporal}
    cases = [
        ({"TEMPORAL_ADDRESS": "127.0.0.1:9"}, "Temporal at 127.0.0.1:9 cannot be reached; start it"),
        ({"TEMPORAL_NAMESPACE": "nope"}, "Namespace nope is not found; create it with: temporal operator namespace"),
        ({"TEMPORAL_TLS": "true"}, f"Temporal at {temporal} cannot be reached"),
        ({"TEMPORAL_TLS_CLIENT_CERT_PATH": "/none"}, "settings of Temporal in the environment cannot be used"),
    ]
    for number, (env, text) in enumerate(cases, start=1):
        for words in (("worker",), ("worker", "submit", QUESTION, "-m", "builtin:quotes")):
            refused = folkmoot(tmp_path, *words, **here, **env) if "TEMPORAL_ADDRESS" not in env else None
            refused = refused or folkmoot(tmp_path, *words, **{**here, **env})
            assert (refused.exit_code, "Traceback" in refused.output) == (1, False), refused.output
            assert text in refused.output
        shown = folkmoot(tmp_path, "worker", "queue", **here).output
        assert f"debates: {number} queued" in shown, "each is noted"


@pytest.mark.parametrize("status", [RPCStatusCode.UNAUTHENTICATED, RPCStatusCode.PERMISSION_DENIED])
async def test_a_key_that_a_server_refuses_is_one_sentence(
    database: str, status: RPCStatusCode, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = await asyncio.get_running_loop().create_server(lambda: Refusing(status), "127.0.0.1", 0)
    address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    monkeypatch.setenv("TEMPORAL_API_KEY", "an old key")
    monkeypatch.setenv("TEMPORAL_TLS", "false")
    async with server, house(database, address) as place:
        with pytest.raises(QueueError, match=f"{address} refuses the key; set TEMPORAL_API_KEY"):
            await place.queue.connected()


async def test_a_search_attribute_that_is_missing_and_an_old_server_are_one_sentence(database: str) -> None:
    with running_temporal(SETTINGS[:-4]) as bare:
        async with house(database, bare.address) as place:
            await place.lay("lacking")
            with pytest.raises(QueueError, match="search-attribute create --name FolkmootOwner"):
                await place.queue.submit("lacking")
    check_version("1.29.0", "t")
    check_version("2.0.0-rc1", "t")
    for old in ("1.28.4", "0.9", ""):
        with pytest.raises(QueueError, match=r"needs 1\.29 or newer"):
            check_version(old, "t")


# ---- what is loaded, and what is replayed ----------------------------------------------------------------------------


def test_whoever_needs_no_temporal_does_not_load_it(database: str, tmp_path: Path) -> None:
    program = (
        "import sys; from folkmoot.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "assert 'temporalio' not in sys.modules, 'it was loaded'"
    )
    env = {**settle(tmp_path), "PYTHONPATH": ":".join(sys.path), "PATH": os.environ["PATH"]}
    for words in (
        ("run", QUESTION, "-m", "builtin:quotes", "--quiet", "--no-report"),
        ("--store", database, "run", QUESTION, "-m", "builtin:quotes", "--quiet", "--no-report"),
        ("--store", database, "worker", "queue"),
    ):
        done = subprocess.run([sys.executable, "-c", program, *words], env=env, cwd=tmp_path, capture_output=True)
        assert done.returncode == 0, done.stderr.decode()


def test_the_workflow_imports_nothing_of_ours() -> None:
    assert workflow.__file__
    tree = ast.parse(Path(workflow.__file__).read_text("utf-8"))
    names = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    names |= {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    assert {str(name).split(".")[0] for name in names} == {"asyncio", "contextlib", "datetime", "temporalio"}


async def kept_history(place: House, debate: str) -> WorkflowHistory:
    """The history of a debate; with RECORD_HISTORIES it is kept for later versions."""
    link = await place.queue.connected()
    history = await link.client.get_workflow_handle(link.workflow(debate)).fetch_history()
    if os.environ.get("RECORD_HISTORIES"):
        (HISTORIES / f"{debate}.json").write_text(history.to_json(), "utf-8")
    return history


async def replay(history: WorkflowHistory) -> None:
    await Replayer(workflows=[DebateWorkflow], workflow_runner=UnsandboxedWorkflowRunner()).replay_workflow(history)


async def test_what_workflows_have_done_they_do_again(database: str, temporal: str) -> None:
    model = Turned(waits=True)
    async with house(database, temporal, model) as place:
        async with place.working():
            await place.queue.submit(await place.lay("handed-on", rounds=2), owner="anna", priority=2)
            await model.asked.wait()
        async with place.working():
            model.go.set()
            await place.until("handed-on", "done")
            await place.queue.submit(await place.lay("answered", person=True), after=0.2)
            await place.until("answered", "waiting")
            await place.queue.submit("answered")
            await place.until("answered", "waiting")
            model.go.clear()
            model.asked.clear()
            await place.queue.submit(await place.lay("cancelled"))
            await model.asked.wait()
            await place.queue.cancel("cancelled", now=True)
            await place.until("cancelled", "cancelled")
            await asyncio.sleep(1)
            for debate in ("handed-on", "answered", "cancelled"):
                await replay(await kept_history(place, debate))


@pytest.mark.parametrize("name", [path.name for path in sorted(HISTORIES.glob("*.json"))])
async def test_recorded_histories_are_replayed(name: str) -> None:
    await replay(WorkflowHistory.from_json(name, (HISTORIES / name).read_text("utf-8")))


def test_the_guide_and_the_compose_file_start_temporal_as_the_tests_do() -> None:
    guide = (ROOT / "docs/how-to/run-on-many-machines.md").read_text("utf-8")
    compose = (ROOT / "deploy/many-machines/compose.yaml").read_text("utf-8")
    for value in SETTINGS[1::2]:
        assert value in guide
        assert value in compose
