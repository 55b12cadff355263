"""Agents of the Agent Client Protocol as models: what they may, how they end, and what the settings say of them."""

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from folkmoot.app.plan.settings_tables import read_programs
from folkmoot.core.errors import BriefError, ModelError, Refused, Unavailable
from folkmoot.core.event import Called
from folkmoot.models.base import Message, Request
from folkmoot.models.discover import find_models
from folkmoot.models.layers import RetrySettings
from folkmoot.models.names import PROVIDERS
from folkmoot.models.pool import Pool
from folkmoot.models.wires import acp_process
from folkmoot.models.wires.acp_programs import AcpProgram
from tests.kits.waiting import until
from tests.models.models_kit import Notebook
from tests.paths import TESTS

WORDS = "ANSWER: build\nCONFIDENCE: 0.7\nARGUMENT: It is ours."


class Desk:
    """A pool with one agent, and the file in which the agent writes down what it does."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "log.txt"

    def pool(self, manner: str, **settings: object) -> Pool:
        table = {
            "command": [sys.executable, "-P", str(TESTS / "kits" / "acp_agent.py"), manner, str(self.log), WORDS],
            "mode": "plan",
            **settings,
        }
        programs = read_programs({"mine": table}, "folkmoot.toml")
        pool = Pool(retry=RetrySettings(tries=1, gap=300.0))
        pool.programs = lambda: programs
        return pool

    async def ask(self, manner: str, name: str = "acp:mine", *, seconds: float = 300.0, **settings: object) -> Called:
        request = Request(
            messages=(
                Message(role="user", text="Build or buy?"),
                Message(role="assistant", text="Hm."),
                Message(role="user", text="Say it."),
            ),
            seconds=seconds,
        )
        pool = self.pool(manner, **settings)
        try:
            return await pool.model(name).complete(request, Notebook())
        finally:
            await pool.close()

    def lines(self) -> list[str]:
        return self.log.read_text("utf-8").splitlines()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    pytest.importorskip("acp")
    return Desk(tmp_path)


@pytest.mark.system
async def test_an_agent_answers_in_its_mode_and_gets_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "s3cret")
    called = await desk.ask("counts", "acp:mine/small")
    assert (called.text, called.finish, called.served) == (WORDS, "stop", "small")
    assert (called.usage.input_tokens, called.usage.output_tokens, called.usage.cost) == (20, 10, None)
    assert not called.usage.estimated
    assert not called.tools
    assert desk.lines() == ["files False False", "terminal False secret -", "folder []", "mode plan m=small"]
    flat = await desk.ask("plain", cost=0, env=["SECRET"], mode="")
    assert flat.usage.estimated
    assert flat.usage.cost == 0
    assert "terminal False secret s3cret" in desk.lines()
    assert desk.lines()[-1] == "mode"


@pytest.mark.parametrize(("manner", "outcome"), [("asks", "selected r"), ("asks-only", "cancelled")])
@pytest.mark.system
async def test_what_an_agent_asks_for_is_denied_and_on_record(desk: Desk, manner: str, outcome: str) -> None:
    called = await desk.ask(manner)
    assert called.text == WORDS
    assert [(call.name, call.arguments) for call in called.tools] == [
        ("denied", "rm -rf x"),
        ("denied", "fs/write_text_file /tmp/x"),
        ("wrote", "left-behind.txt"),
    ]
    assert f"permission {outcome}" in desk.lines()
    assert any(line.startswith("write Method not found") for line in desk.lines())


@pytest.mark.system
async def test_an_agent_whose_time_is_up_is_told_to_stop_before_it_is_ended(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acp_process, "CANCEL_SECONDS", 60.0)
    async with asyncio.TaskGroup() as group:
        asking = group.create_task(desk.ask("silent"))
        await until(lambda: desk.log.exists() and "mode plan" in desk.lines())
        asking.cancel()
    assert asking.cancelled()
    assert desk.lines()[-1] == "cancelled"


@pytest.mark.parametrize(
    ("manner", "kind", "words", "error"),
    [
        ("locked", "key", "acp:mine is not logged in; log in with the agent's own command", Unavailable),
        ("dies", "connection", "acp:mine ended before it answered", Unavailable),
        ("stops", "connection", "acp:mine broke off its answer", Unavailable),
        ("breaks", "request", "acp:mine refused the request: Internal error", Refused),
        ("refuses", "refused", "acp:mine withheld its answer", Refused),
    ],
)
@pytest.mark.system
async def test_how_an_agent_fails(desk: Desk, manner: str, kind: str, words: str, error: type[ModelError]) -> None:
    with pytest.raises(error) as caught:
        await desk.ask(manner)
    assert caught.value.kind == kind
    assert str(caught.value).startswith(words)


@pytest.mark.system
async def test_an_answer_that_is_cut_off_and_what_is_not_offered(desk: Desk, tmp_path: Path) -> None:
    assert (await desk.ask("long")).finish == "length"
    with pytest.raises(Refused, match="acp:mine has no mode 'read-only'; it offers write, plan"):
        await desk.ask("plain", mode="read-only")
    with pytest.raises(Refused, match="acp:mine/huge has no model 'huge'; it offers big, small"):
        await desk.ask("plain", "acp:mine/huge")
    plain = tmp_path / "plain"
    plain.write_text("not a program\n", encoding="utf-8")
    plain.chmod(0o755)
    with pytest.raises(Unavailable, match="acp:mine cannot be started: "):
        await desk.ask("plain", command=[str(plain)])


def test_the_usual_agents_need_no_settings_and_others_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    pool = Pool()
    with pytest.raises(BriefError, match="acp:codex needs the program codex-acp, which is not on the PATH"):
        pool.model("acp:codex")
    for name in ("claude-agent-acp", "codex-acp", "gemini"):
        (tmp_path / name).touch(mode=0o755)
    assert [pool.model(f"acp:{name}").name for name in ("claude", "codex", "gemini")] == [
        "acp:claude",
        "acp:codex",
        "acp:gemini",
    ]
    assert pool.model("acp:claude/other").name == "acp:claude/other"
    model = pool.model("acp:claude")
    assert (model.traits.tools, model.traits.system) == (False, False)
    assert "temperature" in model.drops
    assert model.quote(Request(messages=(Message(role="user", text="Hi"),))).cost is None
    assert PROVIDERS["acp"].needs_key is False
    with pytest.raises(BriefError, match="acp:mine is no agent that is known here; there are claude, codex, gemini"):
        pool.model("acp:mine")
    assert read_programs({"claude": {"parallel": 3}}, "folkmoot.toml")["claude"] == AcpProgram(
        command=("claude-agent-acp",), mode="plan", parallel=3
    )


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"My Agent": {"command": ["x"]}}, "needs a name of 1 to 32 small letters"),
        ({"mine": {}}, "acp.mine.command must be a list of texts"),
        ({"mine": {"command": "x y"}}, "acp.mine.command must be a list of texts"),
        ({"mine": {"command": ["x"], "shell": True}}, "has no setting 'shell'; there are command, mode"),
        ({"mine": {"command": ["x"], "mode": 1}}, "acp.mine.mode must be a text"),
        ({"mine": {"command": ["x"], "env": ["A=b"]}}, "acp.mine.env must be a list of names"),
        ({"mine": {"command": ["x"], "parallel": 0}}, "acp.mine.parallel must be a whole number from 1 to 20"),
        ({"mine": {"command": ["x"], "cost": 5}}, "acp.mine.cost must be 0"),
        ({"mine": 1}, "acp must be a table of tables"),
        ("x", "acp must be a table of tables"),
    ],
)
def test_settings_that_cannot_be_are_refused(table: Mapping[str, object] | str, words: str) -> None:
    with pytest.raises(BriefError) as caught:
        read_programs(table, "folkmoot.toml")
    assert words in str(caught.value)


async def test_agents_that_are_on_this_machine_are_found(tmp_path: Path) -> None:
    program = tmp_path / "gemini"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    reach = await find_models({"PATH": str(tmp_path)})
    assert reach.agents == ("acp:gemini",)
    assert not reach.advice
