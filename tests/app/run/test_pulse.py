"""What another process runs, told from its lock or from a record that grows: a command beside a server, one that was killed."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from folkmoot.app.brief.reader import read_brief
from folkmoot.app.plan.settings import Config
from folkmoot.app.run import liveness
from folkmoot.app.run.liveness import Liveness
from folkmoot.app.run.prepare import Overrides, prepare
from folkmoot.app.run.record_reader import waiting
from folkmoot.app.run.runner import Runner
from folkmoot.app.run.workspace import Workspace
from folkmoot.record import ledger
from folkmoot.testing.store_checks import InMemoryStore
from tests.council.agents import own_place
from tests.web.web_kit import ADA, API, QUOTES, Slow, opened, until

ROUNDS = f"---\nprotocol: round_robin\nrounds: 3\n---\n{QUOTES}"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


async def lines_of(brief: str = QUOTES) -> Sequence[str]:
    """The record of a debate that is over."""
    workspace = Workspace(InMemoryStore(), config=Config())
    async with Runner(workspace) as runner:
        start = await prepare(
            workspace, read_brief(brief), Overrides(models=("builtin:quotes",), cast="builtin"), Config()
        )
        await runner.begin(start, "d")
        await runner.wait("d")
    return await workspace.lines("d")


async def test_a_record_that_grows_is_held_until_it_stands_still_too_long() -> None:
    lines, store, now = await lines_of(), InMemoryStore(), [0.0]
    life_signs = Liveness(store, lambda: now[0])
    assert not await life_signs.is_alive("d"), "there is none"
    await store.append("d", lines[:3], after=0)
    assert not await life_signs.is_alive("d"), "whoever wrote it may have been killed"
    assert not await life_signs.is_alive("d")
    await store.append("d", lines[3:5], after=3)
    assert await life_signs.is_alive("d")
    now[0] = 124.9
    assert await life_signs.is_alive("d"), "an answer may take two minutes"
    now[0] = 125.1
    assert not await life_signs.is_alive("d")
    await store.append("d", lines[5:], after=5)
    assert not await life_signs.is_alive("d"), "it is over"
    life_signs.forget("d")
    assert not await life_signs.is_alive("d")


async def test_what_cannot_be_read_is_held_by_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    lines, store = await lines_of(), InMemoryStore()
    life_signs = Liveness(store)
    await store.append("d", ["damaged"], after=0)
    assert not await life_signs.is_alive("d")
    await store.append("letters", lines[1:2], after=0)
    assert not await life_signs.is_alive("letters")
    monkeypatch.setattr(liveness, "KEPT", 2)
    for name in ("a", "b", "c"):
        await store.append(name, lines[:2], after=0)
        assert not await life_signs.is_alive(name)
    await store.append("a", lines[2:3], after=2)
    await store.append("c", lines[2:3], after=2)
    assert not await life_signs.is_alive("a"), "it was forgotten"
    assert await life_signs.is_alive("c")


async def test_a_server_sees_what_a_process_beside_it_holds(tmp_path: Path) -> None:
    slow = Slow()
    async with opened(tmp_path) as web:
        there = Workspace.at(tmp_path / "folkmoot.sqlite")
        there.config = Config()
        there.pool.add_agent("slow", slow)
        async with Runner(there, grace=0.05) as other:
            overrides = Overrides(models=("guest:slow",), cast="builtin")
            brief = read_brief(ADA.replace("builtin:quotes", "guest:slow"))
            await other.begin(await prepare(there, brief, overrides, Config()), "d")
            await until(lambda: waiting(there, "d"))

            async def known() -> tuple[list[object], list[object]]:
                """What its page and its row in the list say."""
                page = (await web.me.get(f"{API}/debates/d")).json()
                (row,) = (await web.me.get(f"{API}/debates")).json()["debates"]
                return [page[name] for name in ("status", "runs", "holder")], [row["runs"], row["holder"]]

            assert await known() == (["open", True, "elsewhere"], [True, "elsewhere"]), "at the first look"
            assert (await web.me.post(f"{API}/debates/d/resume", json={})).json()["status"] == "open", (
                "nothing is run twice"
            )
            slow.go.set()
            other.stop("d")
            await other.wait("d")
            assert await known() == (["paused", False, ""], [False, ""])
        await there.close()


def no_lock_file(_: str) -> None:
    """What a system without such locks has."""


async def test_whether_another_machine_runs_a_debate_is_only_guessed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = await lines_of()
    async with opened(tmp_path) as web:
        await web.site.workspace.store.append("d", lines[:3], after=0)
        state = (await web.me.get(f"{API}/debates/d")).json()
        assert (state["runs"], state["silent"]) == (False, None), "a lock would show it"
        monkeypatch.setattr(ledger, "PLACES", {})
        monkeypatch.setattr(ledger, "open_file", no_lock_file)
        state = (await web.me.get(f"{API}/debates/d")).json()
        assert state["runs"] is False
        assert state["silent"] > 0
        await web.site.workspace.store.append("d", lines[3:5], after=3)
        state = (await web.me.get(f"{API}/debates/d")).json()
        assert (state["runs"], state["holder"], state["silent"]) == (True, "elsewhere", None)
