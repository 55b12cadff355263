"""Learning from a debate when it ends: in the turn of the writer that stores its last entry, or else afterwards."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from folkmoot.app.export.learned import learn, learned_items, search
from folkmoot.app.plan.learning import ReadRecord, learn_at_end, learn_while_stored, owner_messages
from folkmoot.app.plan.settings import Config
from folkmoot.app.run import workspace as workspace_module
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.errors import RecordError
from folkmoot.core.event import Noted
from folkmoot.learn.sqlite_tables import SqliteTables
from folkmoot.phases.choices import Choices
from folkmoot.record.sqlite import SqliteFile, SqliteStore
from folkmoot.record.store import Append, Store
from folkmoot.testing.store_checks import InMemoryStore
from tests.app.run.test_learning import BUSES, keep, memory_rows, paper, workspace

__all__ = ["workspace"]


async def at_end(workspace: Workspace, config: Config) -> str:
    """Learn from the debate that has just ended."""
    record = (await workspace.outcome("d")).record
    assert record
    whole = ReadRecord(entries=record.entries, head=record.head)
    return await learn_at_end(workspace.store, workspace.memory_place, "d", config, whole)


async def test_it_is_learned_at_the_end_unless_the_owner_forbids_it(workspace: Workspace) -> None:
    await keep(workspace, "d", paper())
    assert await at_end(workspace, Config(learn=False)) == ""
    assert memory_rows(workspace) == []
    assert await at_end(workspace, Config()) == ""
    assert len(await search(workspace, "electric buses")) == 1
    assert await learn(workspace, "d") is False, "it is the same as what is learned from the store"


async def test_a_memory_that_cannot_be_written_is_told_of(workspace: Workspace, tmp_path: Path) -> None:
    await keep(workspace, "d", paper())
    record = (await workspace.outcome("d")).record
    assert record
    whole = ReadRecord(entries=record.entries, head=record.head)
    message = await learn_at_end(workspace.store, tmp_path / "none" / "x", "d", Config(), whole)
    assert "none" in message


async def test_without_a_file_nothing_is_learned(tmp_path: Path) -> None:
    workspace = Workspace(InMemoryStore(), config=Config())
    await keep(workspace, "d", paper())
    assert workspace.memory_place is None
    assert await at_end(workspace, Config()) == ""
    with pytest.raises(RecordError, match="this store is neither"):
        await learn(workspace, "d")


async def test_a_held_debate_is_learned_in_no_time(workspace: Workspace) -> None:
    people = tuple(Participant(name=f"P{n}", seat="builtin:quotes") for n in range(5))
    brief = Brief(topic=BUSES, participants=people)
    plan = workspace.plan(brief, protocol="arena", choices=Choices(), models=("builtin:quotes",))
    assert (await workspace.run(plan, "held")).unlearned == ""
    assert not await learn(workspace, "held")
    values = await learned_items(workspace, "held", ["outcome", "performance", "relation", "position", "bout"])
    assert [len(items) for items in values.values()][:3] == [1, 5, 10]
    assert values["bout"] == []


async def run_three(workspace: Workspace) -> str:
    """Run a debate, and say why it could not be learned."""
    people = tuple(Participant(name=f"P{n}", seat="builtin:quotes") for n in range(3))
    plan = workspace.plan(Brief(topic=BUSES, participants=people), models=("builtin:quotes",))
    return (await workspace.run(plan, "d")).unlearned


def _unwanted(*_: object) -> None:
    raise AssertionError("it is learned already")


async def test_lessons_wait_behind_the_last_entry(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []
    handed_in = threading.Event()
    store, write = SqliteFile._write, SqliteStore.write  # pyright: ignore[reportPrivateUsage]

    def store_slowly(file: SqliteFile, batch: list[Append]) -> list[RecordError | None]:
        outcomes = store(file, batch)
        if '"closed"' in batch[-1].lines[-1] and handed_in.wait(10):
            steps.append("stored")
        return outcomes

    async def hand_in(store: SqliteStore, work: Callable[[sqlite3.Connection], object]) -> object:
        steps.append("lessons")
        handed_in.set()
        done = await write(store, work)
        steps.append("learned")
        return done

    monkeypatch.setattr(SqliteFile, "_write", store_slowly)
    monkeypatch.setattr(SqliteStore, "write", hand_in)
    monkeypatch.setattr(workspace_module, "learn_at_end", _unwanted)
    assert await run_three(workspace) == ""
    assert steps == ["lessons", "stored", "learned"]
    monkeypatch.undo()
    assert await learn(workspace, "d") is False, "it is the same as what is learned from the store"
    assert await search(workspace, "electric buses")


async def test_a_debate_whose_last_entry_is_not_stored_teaches_nothing(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = SqliteFile._write  # pyright: ignore[reportPrivateUsage]

    def fails(file: SqliteFile, batch: list[Append]) -> list[RecordError | None]:
        if any('"kind":"closed"' in line for append in batch for line in append.lines):
            return [RecordError("the disk is full") for _ in batch]
        return write(file, batch)

    monkeypatch.setattr(SqliteFile, "_write", fails)
    with pytest.raises(RecordError, match="the disk is full"):
        await run_three(workspace)
    monkeypatch.undo()
    assert memory_rows(workspace) == []
    assert (await workspace.resume("d")).unlearned == ""
    assert await search(workspace, "electric buses")


async def test_what_the_owner_says_meanwhile_is_learned_too(workspace: Workspace) -> None:
    await keep(workspace, "d", paper())
    record = (await workspace.outcome("d")).record
    assert record
    whole = ReadRecord(entries=record.entries, head=record.head)

    async def say() -> None:
        await owner_messages(workspace.store, "d").post(Noted(what="resolve", text="Ann's way"))

    place = workspace.memory_place
    assert await learn_while_stored(workspace.store, place, "d", Config(), whole, say) is None
    assert memory_rows(workspace) == []
    assert await learn_at_end(workspace.store, place, "d", Config(), whole) == ""
    assert await learn(workspace, "d") is False


async def test_where_it_cannot_be_learned_at_once_it_is_learned_afterwards(workspace: Workspace) -> None:
    await keep(workspace, "d", paper())
    record = (await workspace.outcome("d")).record
    assert record
    whole, place = ReadRecord(entries=record.entries, head=record.head), workspace.memory_place

    async def never() -> None:
        await asyncio.Event().wait()

    async def early(store: Store, config: Config, record: ReadRecord) -> str | None:
        return await learn_while_stored(store, place, "d", config, record, never)

    assert await early(InMemoryStore(), Config(), whole) is None
    assert await early(workspace.store, Config(learn=False), whole) is None
    unfinished = ReadRecord(entries=record.entries[:-1], head=record.head)
    assert await early(workspace.store, Config(), unfinished) == "", "there is nothing to learn"


async def test_a_memory_that_cannot_be_written_is_tried_once(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise RecordError("it is damaged")

    monkeypatch.setattr(SqliteTables, "borrowing", refuse)
    monkeypatch.setattr(workspace_module, "learn_at_end", _unwanted)
    assert await run_three(workspace) == "it is damaged"
    assert (await workspace.verify("d"))[0] > 0
