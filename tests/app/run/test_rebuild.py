"""Memory that is made anew, and memory that is not whole: nobody sees half of it, and what is missing is told."""

import sqlite3
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.app.export.learned import add_note, learn, learn_all
from folkmoot.app.plan.assignment import make_agents
from folkmoot.app.plan.learning import missing_lessons
from folkmoot.app.plan.settings import Config
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.event import Opened
from folkmoot.core.roles import HISTORY, HOW
from folkmoot.learn.memory_store import MemoryStore
from folkmoot.learn.tables import VERSION, Place
from folkmoot.record.sqlite import SqliteStore
from folkmoot.testing.store_checks import InMemoryStore
from tests.app.run.test_learning import Killed, everything, fill, keep, memory_rows, paper
from tests.learn.lessons_kit import TWO, Paper, taught
from tests.learn.test_retriever import ask_and_context
from tests.learn.test_weights import question
from tests.report.quoting import Ear


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
async def workspace(tmp_path: Path) -> AsyncGenerator[Workspace]:
    place = Workspace(Watched.open(tmp_path / "record.sqlite"), config=Config())
    await fill(place)
    await add_note(place, "d1", "resolve", "Ann's way")
    await learn_all(place)
    yield place
    await place.close()


async def rebuild_but(workspace: Workspace, before: str, happen: Callable[[], Awaitable[None]]) -> None:
    """Learn everything again; something happens before a debate is read."""
    assert isinstance(workspace.store, Watched)
    workspace.store.before = before
    workspace.store.happen = happen
    await learn_all(workspace, rebuild=True)


# ---- made anew -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("before", ["d0", "d2", "used"])
async def test_a_rebuild_that_is_broken_off_leaves_everything_as_it_was(workspace: Workspace, before: str) -> None:
    whole = await everything(workspace)

    async def die() -> None:
        raise Killed

    with pytest.raises(Killed):
        await rebuild_but(workspace, before, die)
    assert await everything(workspace) == whole
    assert await missing_lessons(workspace.store) == ""


async def test_whoever_looks_during_a_rebuild_sees_all_of_it(workspace: Workspace) -> None:
    whole, views = await everything(workspace), list[object]()

    async def look() -> None:
        views.append(await everything(workspace))

    for before in ("d0", "d3", "used"):
        await rebuild_but(workspace, before, look)
    assert views == [whole] * 3
    assert await everything(workspace) == whole


async def test_what_is_learned_during_a_rebuild_is_not_lost(workspace: Workspace) -> None:
    """A debate that ends behind the one that is read, and a note on one that was read."""

    async def go_on() -> None:
        await keep(workspace, "late", paper(topic="Trams?"), at=9500.0)
        await learn(workspace, "late")
        await add_note(workspace, "d0", "resolve", "Bob's way")
        await add_note(workspace, "d1", "forget")

    await rebuild_but(workspace, "used", go_on)
    assert await missing_lessons(workspace.store) == ""
    during = await everything(workspace)
    await learn_all(workspace, rebuild=True)
    assert await everything(workspace) == during
    debates = {row[1]: row[3] for row in memory_rows(workspace) if row[0] == "debate"}
    assert (debates["late"], debates["d0"], debates["d1"]) == (0, 1, 2)


async def test_what_can_no_longer_be_read_is_dropped_and_named_once(workspace: Workspace) -> None:
    assert workspace.memory_place
    with closing(sqlite3.connect(workspace.memory_place)) as other:
        other.execute("UPDATE folkmoot_line SET text = replace(text, 'Ann', 'Eve') WHERE debate = 'd2' AND seq = 2")
        other.commit()
    learned = await learn_all(workspace, rebuild=True)
    assert (learned.damaged, "d2" in learned.new) == (("d2",), False)
    assert await missing_lessons(workspace.store) == "1 closed debate is not learned; run folkmoot learn"


# ---- not whole -----------------------------------------------------------------------------------------------------


def older(path: Place) -> None:
    """What was learned by an older version of Folkmoot: it is dropped."""
    with closing(sqlite3.connect(path)) as other:
        other.execute("UPDATE memory_state SET value = ? WHERE name = 'version'", (VERSION - 1,))
        other.commit()


async def test_what_is_not_learned_is_counted(workspace: Workspace) -> None:
    assert workspace.memory_place
    assert await missing_lessons(workspace.store) == ""
    await add_note(workspace, "d3", "forget")
    assert await missing_lessons(workspace.store) == ""
    older(workspace.memory_place)
    assert await missing_lessons(workspace.store) == "5 closed debates are not learned; run folkmoot learn"
    await learn(workspace, "d0")  # a debate that ends does not hide the others
    assert await missing_lessons(workspace.store) == "4 closed debates are not learned; run folkmoot learn"
    await learn_all(workspace)
    assert await missing_lessons(workspace.store) == ""


async def test_what_teaches_nothing_is_not_counted(workspace: Workspace) -> None:
    casting = paper()
    assert isinstance(casting.events[0], Opened)
    casting.events[0] = replace(casting.events[0], name="casting")
    await keep(workspace, "cast-1", casting)
    await keep(workspace, "begun", Paper(TWO))
    await workspace.store.append("odd", ["{}"], after=0)
    assert await missing_lessons(workspace.store) == ""
    assert await missing_lessons(InMemoryStore()) == ""


async def test_a_debate_says_that_memory_is_not_whole(workspace: Workspace) -> None:
    """The librarian and the teller, as they are seated in a debate."""
    assert workspace.memory_place
    lacking = "3 closed debates are not learned; run folkmoot learn"
    ask, context = ask_and_context(topic="Should the depot buy electric buses? Line 1")
    weigh, weighing_scene = question()
    retriever = make_agents(context.brief, workspace.pool, store=workspace.store)["Librarian"]
    vote_weigher = make_agents(weighing_scene.brief, workspace.pool, store=workspace.store)["T"]
    whole = await retriever.answer(ask, context, Ear()), await vote_weigher.answer(weigh, weighing_scene, Ear())
    assert "not learned" not in "".join(reply.text for reply in whole)
    older(workspace.memory_place)
    for debate in ("d0", "d1"):
        await learn(workspace, debate)
    recalled = await retriever.answer(ask, context, Ear())
    assert recalled.fields[HISTORY]
    assert recalled.notes == (lacking,)
    assert recalled.text.endswith(lacking)
    reply = await vote_weigher.answer(weigh, weighing_scene, Ear())
    assert reply.notes == (lacking,)
    assert str(reply.fields[HOW]).endswith(f"; {lacking}")
    assert reply.text.startswith(f"Votes weigh {reply.fields[HOW]}.")


def test_a_shelf_takes_the_place_of_another_at_once(tmp_path: Path) -> None:
    path = tmp_path / "record.sqlite"
    with MemoryStore.open(path) as shelf, MemoryStore.open("") as anew:
        shelf.add("a", taught("Tea?"), head="h")
        shelf.add("b", taught("Tea?"), head="h", notes=2)
        shelf.add("c", None, head="h", notes=1)
        for debate, notes in (("b", 1), ("c", 1), ("d", 0)):
            lessons = taught("Trams?", issue="The price is missing", uses=("b",))
            anew.add(debate, lessons, head="h", notes=notes)
        assert shelf.replace(anew) == {"a", "b"}
        assert shelf.contents() == anew.contents() != []
        assert [memory.debate for memory in shelf.search("trams", "pattern")] == ["b", "c", "d"]
