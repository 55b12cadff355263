"""Stores that a program opens itself: they stay open, and one in memory leaves nothing on the disk."""

from pathlib import Path

import pytest

import folkmoot
from folkmoot.app.plan.settings import StorePlace
from folkmoot.board import BoardMeeting, BoardMember
from folkmoot.council import AgentWrapper, Council, DebateStep
from folkmoot.pattern import DebatePattern
from folkmoot.record.sqlite import SqliteStore
from tests.cli.commands import settle

DEBATERS = [{"name": name, "role": "Speaks", "system_prompt": ""} for name in ("Ada", "Ben")]


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in settle(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)


async def votes(prompt: str) -> str:
    return "I vote for: Ada" if "I vote for" in prompt else "It saves two hours."


async def settles(prompt: str) -> str:
    return "SUMMARY: It pays.\nSTATUS: SETTLED\nDECISION: Build it." if "STATUS" in prompt else "It saves two hours."


async def hires(prompt: str) -> str:
    return "<Message><Verdict>HIRE</Verdict><VerdictReasoning>So.</VerdictReasoning><Content>Good.</Content></Message>"


def files(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))


def step(store: StorePlace | None, limits: folkmoot.Limits | None = None) -> DebateStep:
    agents = [AgentWrapper(votes, name=name) for name in ("Ada", "Ben")]
    return DebateStep(agents, rounds=0, store=store, limits=limits)


async def test_councils_patterns_and_boards_share_a_store_in_memory_and_leave_no_file(tmp_path: Path) -> None:
    store, before = folkmoot.InMemoryStore(), files(tmp_path)
    result = await step(store).execute("Build a depot?")
    assert result["winner"] == "It saves two hours."
    await Council(steps=[step(None)], store=store).execute("Build a depot?")
    decided = await DebatePattern(llm=settles, max_rounds=1, store=store).arun("Build a depot?", DEBATERS)
    assert decided["final_decision"] == "Build it."
    members = [BoardMember(name, agent=hires) for name in ("Ada", "Ben")]
    board = BoardMeeting("Hire her?", members, rounds=1, store=store)
    assert (await board.hold()).verdict == "HIRE"
    listed = await folkmoot.alist(store=store)
    assert sorted(row.protocol for row in listed) == ["board", "debate_step", "debate_step", "moderated"]
    assert all(not name.endswith("/letters") for name in store.kept)
    assert files(tmp_path) == before


async def test_a_debate_in_memory_is_resumed_as_long_as_its_store_is_there() -> None:
    store = folkmoot.InMemoryStore()
    with pytest.raises(folkmoot.LimitReached) as error:
        await step(store, folkmoot.Limits(asks=2)).execute("Build a depot?")
    (paused,) = await folkmoot.alist(store=store)
    assert paused.debate in str(error.value)
    assert (await step(store).resume(paused.debate, limits=folkmoot.Limits(asks=9)))["winner"] == "It saves two hours."
    with pytest.raises(folkmoot.RecordError, match="no debate"):
        await step(folkmoot.InMemoryStore()).resume(paused.debate)
    await store.remove([paused.debate])
    assert not await folkmoot.alist(store=store)


async def test_a_store_that_is_lent_is_not_closed(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "record.sqlite")
    for _ in range(2):
        await step(store).execute("Build a depot?")
    assert len(await folkmoot.alist(store=store)) == 2
    await store.close()
    with pytest.raises(folkmoot.RecordError, match="closed"):
        await step(store).execute("Build a depot?")
    assert len(await folkmoot.alist(store=tmp_path / "record.sqlite")) == 2
