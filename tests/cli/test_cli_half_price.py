"""``folkmoot batch --batch`` at the terminal: killed at the worst moments, gone on with, listed, cancelled."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from folkmoot.testing.small_web import Answer, Visit, Web
from tests.app.batch.batch_kit import BRIEF
from tests.kits.batch_servers import PLACE, BatchServers
from tests.kits.processes import run_module

MODELS = ("-m", "openai:gpt-5.4-mini", "-m", "anthropic:claude-haiku-5-5")


class Terminal:
    """Runs commands against the servers, and kills one at the first request that a test names."""

    def __init__(self, servers: BatchServers, folder: Path) -> None:
        self.servers, self.folder = servers, folder
        self.url = ""
        self.kill: Callable[[Visit], bool] = lambda visit: False
        self._pid = 0

    def script(self, visit: Visit) -> Answer:
        answer = self.servers.script(visit)
        if self._pid and self.kill(visit):
            os.kill(self._pid, signal.SIGKILL)
        return answer

    async def run(self, *words: str) -> tuple[int, str]:
        env = {name: value for name, value in os.environ.items() if not name.startswith("FOLKMOOT_")}
        env |= {
            "HOME": str(self.folder),
            "OPENAI_API_KEY": "k-openai",
            "OPENAI_BASE_URL": f"{self.url}/v1",
            "ANTHROPIC_API_KEY": "k-anthropic",
            "ANTHROPIC_BASE_URL": self.url,
            "FOLKMOOT_BATCH_LOOK": "0.1",
        }
        command = ("folkmoot", "--store", "r.sqlite", *words)
        ended = await asyncio.to_thread(run_module, command, self.folder, env, self._begun)
        self._pid = 0
        return ended

    def _begun(self, pid: int) -> None:
        self._pid = pid


@asynccontextmanager
async def terminal(servers: BatchServers, folder: Path) -> AsyncGenerator[Terminal]:
    (folder / "brief.md").write_text(BRIEF.replace("{mark}", ""), encoding="utf-8")
    there = Terminal(servers, folder)
    async with Web(there.script).serve() as web:
        there.url = web.url
        yield there


def moments() -> list[Callable[[Visit], bool]]:
    """The requests at which the command is killed, in turn: the server has done what it was asked."""
    return [
        lambda visit: visit.path == "/v1/files",
        lambda visit: visit.path == "/v1/batches" and visit.method == "POST",
        lambda visit: visit.path == "/v1/messages/batches" and visit.method == "POST",
        lambda visit: visit.path.startswith("/v1/batches/") and visit.method == "GET",
        lambda visit: visit.path.endswith("/content"),
        lambda visit: visit.path.endswith(f"/{PLACE}"),
    ]


@pytest.mark.system
async def test_killed_at_every_step_nothing_is_sent_or_paid_twice(tmp_path: Path) -> None:
    async with terminal(BatchServers(auto=True), tmp_path) as there:
        command = ("batch", "brief.md", *MODELS, "--repeat", "3", "--name", "shop", "--batch")
        for moment in moments()[1:]:
            there.kill = moment
            code, output = await there.run(*command)
            assert code == -signal.SIGKILL, output
        there.kill = lambda visit: False
        code, output = await there.run(*command)
        assert code == 0, output
        assert "build 3" in output
        assert len(there.servers.items) == len(set(there.servers.items)) == 6
        assert len(there.servers.batches) == 2
        code, output = await there.run("batch", "--jobs")
        assert [line.split()[-1] for line in output.splitlines()] == ["ended", "ended"]
        assert (await there.run("batch", "--cancel", "nothing"))[0] == 2


@pytest.mark.system
async def test_who_does_not_wait_sees_the_batches_and_cancels_them(tmp_path: Path) -> None:
    async with terminal(BatchServers(), tmp_path) as there:
        command = ("batch", "brief.md", *MODELS, "--batch", "--no-wait", "--name", "shop")
        code, output = await there.run(*command)
        assert code == 6, output
        assert "Asked in batches at half the price" in output
        assert "see them with folkmoot batch --jobs" in output
        code, output = await there.run("list")
        assert "waits for a batch · since 20" in output
        assert (await there.run("resume", "last", "--no-report"))[0] == 6
        code, output = await there.run("batch", "--cancel", "all")
        assert output.count("cancelled. What is answered already goes on record") == 2
        there.servers.auto = True
        code, output = await there.run(*command)
        assert code == 6, output
        assert len(there.servers.batches) == 4
        code, output = await there.run("resume", "last", "--no-report")
        assert code == 0, output
        code, output = await there.run("batch", "brief.md", "--batch", "--queue")
        assert code == 2
        assert "--batch and --queue cannot be given together" in output


@pytest.mark.system
@pytest.mark.parametrize(
    "command", [("batch", "brief.md"), ("review", "notes.py"), ("eval", "places.csv", "--yes", "--force")]
)
async def test_what_no_batch_had_time_for_is_asked_live_only_where_the_user_says_so(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "notes.py").write_text("total = 1\n")
    (tmp_path / "places.csv").write_text("input,target\nWhere?,here\n")
    async with terminal(BatchServers(auto=True, fate=lambda batch, item: "expired"), tmp_path) as there:
        await there.run(*command, *MODELS, "--batch")
        assert there.servers.items
        assert not there.servers.live
        again = ("review", "--again", "last") if command[0] == "review" else (*command, *MODELS)
        _, output = await there.run(*again, "--batch", "--or-live")
        assert there.servers.live, output
