"""Learning from a debate when it ends."""

from pathlib import Path

import pytest

from folkmoot.app.export.learned import learn, learned_items, search
from folkmoot.app.plan.learning import learn_at_end
from folkmoot.app.plan.settings import Config
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.errors import RecordError
from folkmoot.core.transcript import fold
from folkmoot.learn.sqlite_tables import SqliteTables
from folkmoot.phases.choices import Choices
from folkmoot.record.sqlite import SqliteFile
from folkmoot.record.store import Append
from folkmoot.testing.store_checks import InMemoryStore
from tests.app.run.test_learning import BUSES, keep, memory_rows, paper, workspace

__all__ = ["workspace"]


async def at_end(workspace: Workspace, config: Config) -> str:
    """Learn from the debate that has just ended."""
    record = (await workspace.outcome("d")).record
    assert record
    transcript = fold(record.entries)
    return await learn_at_end(workspace.store, "d", config, record.entries, record.head, transcript)


async def test_it_is_learned_at_the_end_unless_the_owner_forbids_it(workspace: Workspace) -> None:
    await keep(workspace, "d", paper())
    assert await at_end(workspace, Config(learn=False)) == ""
    assert memory_rows(workspace) == []
    assert await at_end(workspace, Config()) == ""
    assert len(await search(workspace, "electric buses")) == 1
    assert await learn(workspace, "d") is False, "it is the same as what is learned from the store"


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


async def test_a_memory_that_cannot_be_written_harms_no_debate(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise RecordError("it is damaged")

    monkeypatch.setattr(SqliteTables, "borrowing", refuse)
    assert await run_three(workspace) == "it is damaged"
    assert (await workspace.verify("d"))[0] > 0
