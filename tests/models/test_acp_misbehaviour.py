"""Agents of the Agent Client Protocol that misbehave: bounded, denied, told in a sentence, and ended with all else."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from folkmoot.app.plan.settings_tables import read_programs
from folkmoot.core.errors import ModelError, Refused, Unavailable, Unreadable
from folkmoot.core.event import Called
from folkmoot.models.base import Message, Request
from folkmoot.models.layers import RetrySettings
from folkmoot.models.pool import Pool
from folkmoot.models.wires import acp_process
from tests.kits.raw_acp_agent import WORDS
from tests.kits.waiting import until
from tests.models.models_kit import Notebook
from tests.paths import TESTS

pytestmark = pytest.mark.system

AGENT = (sys.executable, "-I", "-S", str(TESTS / "kits" / "raw_acp_agent.py"))


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acp_process, "CANCEL_SECONDS", 0.2)


async def ask(*command: str, words: str = "Build or buy?", seconds: float = 300.0) -> Called:
    programs = read_programs({"mine": {"command": list(command), "mode": ""}}, "folkmoot.toml")
    pool = Pool(retry=RetrySettings(tries=1, gap=300.0))
    pool.programs = lambda: programs
    try:
        request = Request(messages=(Message(role="user", text=words),), seconds=seconds)
        return await pool.model("acp:mine").complete(request, Notebook())
    finally:
        await pool.close()


@pytest.mark.parametrize(
    ("manner", "noted"),
    [
        ("media", ["left out image in the answer", "left out resource_link in the answer", "left out something"]),
        ("files", ["denied fs/read_text_file /etc/passwd", "denied terminal/create touch", "denied something"]),
        ("asks-often", [*(f"denied rm {number}" for number in range(20)), "denied 10 more"]),
        *((manner, []) for manner in ("garbage", "odd-usage", "stays", "unended")),
    ],
)
async def test_an_answer_stands_beside_what_is_left_out_and_denied(
    manner: str, noted: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    called = await ask(*AGENT, manner, str(tmp_path / "log"))
    assert called.text.splitlines()[-1] == WORDS
    assert called.usage.estimated
    assert all(call.is_note for call in called.tools)
    tools = [f"{call.name} {call.arguments}" for call in called.tools]
    assert len(tools) == len(noted)
    assert all(map(str.startswith, tools, noted))
    if manner == "files":
        assert called.text.splitlines()[:-1] == ["Method not found", "Method not found", "cancelled"]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("manner", "words", "error"),
    [
        ("old", "acp:mine speaks version 99 of the Agent Client Protocol; Folkmoot speaks version 1", Refused),
        ("empty", "acp:mine speaks no version of the Agent Client Protocol; Folkmoot speaks version 1", Refused),
        ("no-session", "acp:mine opened no session", Unreadable),
        ("odd-error", "acp:mine refused the request: boom", Refused),
        ("dies", "acp:mine ended before it answered", Unavailable),
        ("asks", "acp:mine asked for more than 1,000 things", Unreadable),
        ("words", "acp:mine gave more than 1,000,000 characters", Unreadable),
        ("line", "acp:mine sent a line of more than 16 MiB", Unreadable),
        ("thoughts", "acp:mine sent more than 1 MiB for one answer", Unreadable),
    ],
)
async def test_what_an_agent_may_not_is_one_sentence(
    manner: str, words: str, error: type[ModelError], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    if manner == "thoughts":
        monkeypatch.setattr(acp_process, "MOST_BYTES", 2**20)
    with pytest.raises(error) as caught:
        await ask(*AGENT, manner, "-")
    assert str(caught.value) == words
    assert capfd.readouterr() == ("", "")


async def test_a_program_that_speaks_no_protocol_is_named_so() -> None:
    with pytest.raises(Unavailable, match=r"^acp:mine ended; what it printed is not the Agent Client Protocol$"):
        await ask("echo", "usage: agent")
    with pytest.raises(Unavailable, match=r"^acp:mine ended before it answered$"):
        await ask("true")


class Deaf:
    def notified(self, method: str, params: Mapping[str, object]) -> None: ...

    def requested(self, method: str, params: Mapping[str, object]) -> Mapping[str, object] | None: ...


async def test_nothing_more_is_asked_of_a_program_that_has_ended(tmp_path: Path) -> None:
    async with acp_process.running(("true",), str(tmp_path), ()) as process:
        agent = acp_process.RpcProcess("acp:mine", Deaf(), process)
        for _ in range(2):
            with pytest.raises(Unavailable, match=r"^acp:mine ended before it answered$"):
                await agent.request("initialize")


async def test_an_agent_that_reads_nothing_holds_nobody_up() -> None:
    with pytest.raises(Unavailable, match=r"^acp:mine did not finish: stopped after 1 s$"):
        await ask("sleep", "600", words="Q " * 500_000, seconds=1.0)


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="the system has no process groups")
@pytest.mark.parametrize("manner", ["child", "child-and-dies"])
async def test_what_an_agent_started_ends_with_it(manner: str, tmp_path: Path) -> None:
    log = tmp_path / "child"
    if manner == "child":
        assert (await ask(*AGENT, manner, str(log))).text == WORDS
    else:
        with pytest.raises(Unavailable, match=r"^acp:mine ended before it answered$"):
            await ask(*AGENT, manner, str(log))
    child = int(log.read_text("utf-8"))
    await until(lambda: not _is_running(child))


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text("utf-8")
    except (ProcessLookupError, FileNotFoundError):
        return False
