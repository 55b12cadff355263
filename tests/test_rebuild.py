"""Memory that is made anew, and memory that is not whole: nobody sees half of it, and what is missing is told."""

import sqlite3
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from lessons_kit import TWO, Paper, taught
from moot.app.export.learned import learn, learn_all, note
from moot.app.plan.assignment import recalling, weighing
from moot.app.plan.learning import lacks
from moot.app.plan.settings import Config
from moot.app.run.workspace import Workspace
from moot.core.event import Opened
from moot.core.roles import HISTORY, HOW
from moot.learn.memory_store import MemoryStore
from moot.learn.tables import VERSION, Place
from moot.record.sqlite import SqliteStore
from moot.testing.store_checks import InMemoryStore
from quoting import Ear
from test_learning import Killed, everything, fill, keep, kept, paper
from test_librarian import asked
from test_weights import question


class Watched(SqliteStore):
    """A store that does something before one of its debates is read."""

    before = ""
    happen: Callable[[], Awaitable[None]]

    async def read(self, debate: str, *, after: int = 0, limit: int | None = None) -> tuple[str, ...]:
        if debate == self.before:
            self.before = ""
            await self.happen()
        return await super().read(debate, after=after, limit=limit)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncGenerator[Workspace]:
    made = Workspace(Watched.open(tmp_path / "record.sqlite"), config=Config())
    await fill(made)
    await note(made, "d1", "resolve", "Ann's way")
    await learn_all(made)
    yield made
    await made.close()


async def rebuild_but(desk: Workspace, before: str, happen: Callable[[], Awaitable[None]]) -> None:
    """Learn everything again; something happens before a debate is read."""
    assert isinstance(desk.store, Watched)
    desk.store.before = before
    desk.store.happen = happen
    await learn_all(desk, rebuild=True)


# ---- made anew -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("before", ["d0", "d2", "used"])
async def test_a_rebuild_that_is_broken_off_leaves_everything_as_it_was(desk: Workspace, before: str) -> None:
    whole = await everything(desk)

    async def die() -> None:
        raise Killed

    with pytest.raises(Killed):
        await rebuild_but(desk, before, die)
    assert await everything(desk) == whole
    assert await lacks(desk.store) == ""


async def test_whoever_looks_during_a_rebuild_sees_all_of_it(desk: Workspace) -> None:
    whole, seen = await everything(desk), list[object]()

    async def look() -> None:
        seen.append(await everything(desk))

    for before in ("d0", "d3", "used"):
        await rebuild_but(desk, before, look)
    assert seen == [whole] * 3
    assert await everything(desk) == whole


async def test_what_is_learned_during_a_rebuild_is_not_lost(desk: Workspace) -> None:
    """A debate that ends behind the one that is read, and a note on one that was read."""

    async def go_on() -> None:
        await keep(desk, "late", paper(topic="Trams?"), at=9500.0)
        await learn(desk, "late")
        await note(desk, "d0", "resolve", "Bob's way")
        await note(desk, "d1", "forget")

    await rebuild_but(desk, "used", go_on)
    assert await lacks(desk.store) == ""
    during = await everything(desk)
    await learn_all(desk, rebuild=True)
    assert await everything(desk) == during
    debates = {row[1]: row[3] for row in kept(desk) if row[0] == "debate"}
    assert (debates["late"], debates["d0"], debates["d1"]) == (0, 1, 2)


async def test_what_can_no_longer_be_read_is_dropped_and_named_once(desk: Workspace) -> None:
    assert desk.shelf
    with closing(sqlite3.connect(desk.shelf)) as other:
        other.execute("UPDATE line SET text = replace(text, 'Ann', 'Eve') WHERE debate = 'd2' AND seq = 2")
        other.commit()
    found = await learn_all(desk, rebuild=True)
    assert (found.damaged, "d2" in found.new) == (("d2",), False)
    assert await lacks(desk.store) == "1 closed debate is not learned; run moot learn"


# ---- not whole -----------------------------------------------------------------------------------------------------


def older(path: Place) -> None:
    """What was learned by an older version of Moot: it is dropped."""
    with closing(sqlite3.connect(path)) as other:
        other.execute("UPDATE memory_state SET value = ? WHERE name = 'version'", (VERSION - 1,))
        other.commit()


async def test_what_is_not_learned_is_counted(desk: Workspace) -> None:
    assert desk.shelf
    assert await lacks(desk.store) == ""
    await note(desk, "d3", "forget")
    assert await lacks(desk.store) == ""
    older(desk.shelf)
    assert await lacks(desk.store) == "5 closed debates are not learned; run moot learn"
    await learn(desk, "d0")  # a debate that ends does not hide the others
    assert await lacks(desk.store) == "4 closed debates are not learned; run moot learn"
    await learn_all(desk)
    assert await lacks(desk.store) == ""


async def test_what_teaches_nothing_is_not_counted(desk: Workspace) -> None:
    casting = paper()
    assert isinstance(casting.events[0], Opened)
    casting.events[0] = replace(casting.events[0], name="casting")
    await keep(desk, "cast-1", casting)
    await keep(desk, "begun", Paper(TWO))
    await desk.store.append("odd", ["{}"], after=0)
    assert await lacks(desk.store) == ""
    assert await lacks(InMemoryStore()) == ""


async def test_a_debate_says_that_memory_is_not_whole(desk: Workspace) -> None:
    """The librarian and the teller, as they are seated in a debate."""
    assert desk.shelf
    lacking = "3 closed debates are not learned; run moot learn"
    put, scene = asked(topic="Should the depot buy electric buses? Line 1")
    weigh, weighing_scene = question()
    librarian = recalling(scene.brief, desk.store, desk.config, desk.clock)["Librarian"]
    teller = weighing(weighing_scene.brief, desk.store)["T"]
    whole = await librarian.answer(put, scene, Ear()), await teller.answer(weigh, weighing_scene, Ear())
    assert "not learned" not in "".join(each.text for each in whole)
    older(desk.shelf)
    for debate in ("d0", "d1"):
        await learn(desk, debate)
    recalled = await librarian.answer(put, scene, Ear())
    assert recalled.fields[HISTORY]
    assert recalled.notes == (lacking,)
    assert recalled.text.endswith(lacking)
    told = await teller.answer(weigh, weighing_scene, Ear())
    assert told.notes == (lacking,)
    assert str(told.fields[HOW]).endswith(f"; {lacking}")
    assert told.text.startswith(f"Votes weigh {told.fields[HOW]}.")


def test_a_shelf_takes_the_place_of_another_at_once(tmp_path: Path) -> None:
    path = tmp_path / "record.sqlite"
    with MemoryStore.open(path) as shelf, MemoryStore.open("") as anew:
        shelf.add("a", taught("Tea?"), head="h")
        shelf.add("b", taught("Tea?"), head="h", notes=2)
        shelf.add("c", None, head="h", notes=1)
        for debate, notes in (("b", 1), ("c", 1), ("d", 0)):
            made = taught("Trams?", issue="The price is missing", uses=("b",))
            anew.add(debate, made, head="h", notes=notes)
        assert shelf.replace(anew) == {"a", "b"}
        assert shelf.contents() == anew.contents() != []
        assert [each.debate for each in shelf.search("trams", "pattern")] == ["b", "c", "d"]
