"""Real `folkmoot worker` processes on a real database and a real model server: killed, frozen, asked to end."""

import asyncio
import hashlib
import os
import re
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from folkmoot.app.run.fork import chain_lines
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.event import Called, Entry
from folkmoot.learn.memory_store import MemoryStore
from folkmoot.protocols.known import Choices
from folkmoot.record.postgres import PostgresStore
from folkmoot.record.store import read
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Call, Wires
from folkmoot.workers.job_queue import Queue
from tests.cli.commands import settle
from tests.workers.workers_kit import until

pytestmark = pytest.mark.alone

NAMES = ("Ann", "Bob", "Cy")
MARK = re.compile(r"mark ([0-9a-f]{16})")


def mark_of(call: Call) -> str:
    return hashlib.sha256(call.prompt.encode()).hexdigest()[:16]


def reply(call: Call) -> Plan:
    """Words that carry a mark of the prompt, after a moment."""
    mark = mark_of(call)
    text = f"ANSWER: answer {mark[0]}\nCONFIDENCE: 0.5\nARGUMENT: It is so, mark {mark}."
    if "I vote for" in call.prompt:
        text = f"Because of mark {mark}.\nI vote for: Proposal A"
    return Plan(text=text, delay=0.15)


@dataclass(slots=True, kw_only=True)
class Place:
    """A database, its queue, and what workers need to know."""

    address: str
    workspace: Workspace
    queue: Queue
    server: Wires
    env: dict[str, str]

    async def submit(self, debate: str) -> None:
        brief = Brief(topic="Tea?", participants=tuple(Participant(name=name, seat="ollama:tiny") for name in NAMES))
        plan = self.workspace.plan(brief, protocol="panel", choices=Choices(rounds=2))
        await self.workspace.store.append(
            debate, chain_lines([Entry(seq=1, at=1.0, event=plan.opened(), prev="")]), after=0
        )
        await self.queue.submit(debate)

    async def work(self, name: str) -> Process:
        words = ("-m", "folkmoot", "worker", "--name", name, "--lease", "2", "--grace", "10", "--store", self.address)
        return await asyncio.create_subprocess_exec(sys.executable, *words, env=self.env, stdout=PIPE, stderr=PIPE)

    async def holder(self, debate: str) -> str:
        job = await self.queue.job(debate)
        return job.worker if job else ""

    async def held(self, debate: str, calls: int) -> None:
        """Wait until a worker has made so many calls for it."""
        await until(lambda: len(self.server.calls) >= calls)
        assert await self.holder(debate)

    async def done(self, debate: str) -> None:
        async with asyncio.timeout(120):
            while (job := await self.queue.job(debate)) is None or job.state != "done":  # noqa: ASYNC110 - another process
                await asyncio.sleep(0.05)

    async def entries(self, debate: str) -> tuple[Entry, ...]:
        return read(await self.workspace.store.read(debate))


@asynccontextmanager
async def place(address: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Place]:
    async with Wires(script=reply).serve() as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        workspace, queue = Workspace(PostgresStore.open(address)), Queue(address)
        env = {**os.environ, **settle(folder), "OLLAMA_HOST": server.url}
        try:
            yield Place(address=address, workspace=workspace, queue=queue, server=server, env=env)
        finally:
            await queue.close()
            await workspace.close()


async def end(process: Process) -> tuple[str, str]:
    """Ask a process to end, and read what it has said."""
    if process.returncode is None:
        process.terminate()
    out, err = await asyncio.wait_for(process.communicate(), 120)
    return out.decode(), err.decode()


async def finished(test_place: Place, debate: str) -> set[str]:
    """The marks of the calls whose answers are on record."""
    texts = [entry.event.text for entry in await test_place.entries(debate) if isinstance(entry.event, Called)]
    return {mark for text in texts for mark in MARK.findall(text)}


async def test_a_killed_worker_s_debate_goes_on_and_nothing_on_record_is_paid_twice(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with place(database, tmp_path, monkeypatch) as test_place:
        await test_place.submit("killed")
        first = await test_place.work("first")
        await test_place.held("killed", 4)
        second = await test_place.work("second")
        os.kill(first.pid, signal.SIGKILL)
        await first.communicate()
        paid, calls_before = await finished(test_place, "killed"), len(test_place.server.calls)
        assert paid
        await test_place.done("killed")
        out, err = await end(second)
        assert not paid & {mark_of(call) for call in test_place.server.calls[calls_before:]}
        await test_place.workspace.verify("killed")
        assert second.returncode == 0
        assert out == ""
        parts = [line.split(" INFO    ")[-1] for line in err.splitlines()]
        at = parts.index("killed: queued again")
        assert parts[at + 1] == "killed: taken", "with more answers on record it counts as a first try"
        assert err.rstrip().endswith("back in the queue or finished")


async def test_a_frozen_worker_finds_its_lease_lost_and_writes_nothing_when_it_wakes(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with place(database, tmp_path, monkeypatch) as test_place:
        await test_place.submit("frozen")
        first = await test_place.work("first")
        await test_place.held("frozen", 2)
        os.kill(first.pid, signal.SIGSTOP)
        second = await test_place.work("second")
        await test_place.done("frozen")
        before = await test_place.entries("frozen")
        os.kill(first.pid, signal.SIGCONT)
        assert first.stderr
        while "frozen: " not in (line := (await first.stderr.readline()).decode()) or "taken" in line:
            assert line
        assert "WARNING frozen: interrupted, because its lease has run out; it is done by now" in line
        for worker_process in (first, second):
            await end(worker_process)
        assert (first.returncode, second.returncode) == (0, 0)
        assert await test_place.entries("frozen") == before
        await test_place.workspace.verify("frozen")


async def test_a_worker_that_is_asked_to_end_hands_its_debate_on_at_once(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with place(database, tmp_path, monkeypatch) as test_place:
        await test_place.submit("handed")
        first = await test_place.work("first")
        await test_place.held("handed", 2)
        out, err = await end(first)
        assert (first.returncode, out) == (0, "")
        assert "takes no new debates" in err
        assert "handed: queued" in err
        job = await test_place.queue.job("handed")
        assert job
        assert (job.state, job.worker) == ("queued", "")
        second = await test_place.work("second")
        await test_place.done("handed")
        await end(second)
        await test_place.workspace.verify("handed")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
async def test_a_worker_that_has_run_and_learned_debates_takes_less_than_70_mb(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with place(database, tmp_path, monkeypatch) as test_place:
        worker = await test_place.work("worker")
        for n in range(3):
            await test_place.submit(f"d{n}")
        for n in range(3):
            await test_place.done(f"d{n}")
        rollup = await asyncio.to_thread(Path(f"/proc/{worker.pid}/smaps_rollup").read_text, "ascii")
        await end(worker)
        sizes = dict(line.split(maxsplit=1) for line in rollup.splitlines()[1:])
        assert int(sizes["Rss:"].removesuffix(" kB")) < 70_000
        with MemoryStore.open(database) as memory:
            assert set(memory.learned()) == {"d0", "d1", "d2"}
