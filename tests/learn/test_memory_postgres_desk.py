"""Learning from records in PostgreSQL: the same as from a file, also after a kill, and by several processes."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from folkmoot.app.export.learned import add_note, learn, learn_all, learned_items, search
from folkmoot.app.plan.assignment import make_agents
from folkmoot.app.plan.learning import missing_lessons
from folkmoot.app.plan.settings import Config
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.errors import RecordError
from folkmoot.core.roles import HISTORY, HOW
from folkmoot.record.postgres import PostgresStore
from tests.app.run.test_learning import BUSES, everything, fill, keep, memory_rows, paper
from tests.cli.commands import folkmoot
from tests.learn.lessons_kit import TWO, Paper
from tests.learn.test_memory_postgres import linked
from tests.learn.test_retriever import ask_and_context
from tests.learn.test_weights import question
from tests.report.quoting import Ear


@pytest.fixture
async def workspace(database: str) -> AsyncGenerator[Workspace]:
    place = Workspace(PostgresStore.open(database), config=Config(), clock=lambda: 5000.0)
    await fill(place)
    yield place
    await place.close()


async def add_notes(workspace: Workspace) -> None:
    """What the owner says of some debates, who has them learned in an order of his own."""
    for name in ("d3", "used", "d1", "d0", "d2"):
        await learn(workspace, name)
    await add_note(workspace, "d1", "resolve", "Ann's way")
    await add_note(workspace, "d2", "domain", "transport")
    await add_note(workspace, "d0", "forget")


# ---- the same as from a file ---------------------------------------------------------------------------------------


async def test_memory_is_the_same_as_that_in_a_file_and_made_again_the_same(
    workspace: Workspace, tmp_path: Path
) -> None:
    file = Workspace.at(tmp_path / "record.sqlite")
    file.config, file.clock = Config(), lambda: 5000.0
    await fill(file)
    for place in (workspace, file):
        await add_notes(place)
        assert await missing_lessons(place.store) == ""
    whole = await everything(file)
    assert await everything(workspace) == whole
    for query in ("electric buses", "Line 3", "trams", "zeppelin"):
        assert await search(workspace, query) == await search(file, query)
    assert len((await learn_all(workspace, rebuild=True)).new) == 5
    assert await everything(workspace) == whole
    await file.close()


async def test_a_held_debate_is_learned_and_recalled(workspace: Workspace) -> None:
    people = tuple(Participant(name=f"P{n}", seat="builtin:quotes") for n in range(3))
    plan = workspace.plan(Brief(topic=BUSES, participants=people), protocol="arena", models=("builtin:quotes",))
    assert (await workspace.run(plan, "held")).unlearned == ""
    assert not await learn(workspace, "held")
    assert len((await learned_items(workspace, "held", ["performance"]))["performance"]) == 3
    ask, context = ask_and_context(topic=BUSES)
    retriever = make_agents(context.brief, workspace.pool, store=workspace.store)["Librarian"]
    recalled = await retriever.answer(ask, context, Ear())
    assert "held" in str(recalled.fields[HISTORY])
    assert recalled.notes == ("5 closed debates are not learned; run folkmoot learn",)
    weigh, weighing_scene = question()
    weighed = await make_agents(weighing_scene.brief, workspace.pool, store=workspace.store)["T"].answer(
        weigh, weighing_scene, Ear()
    )
    assert "not learned" in str(weighed.fields[HOW])
    assert "postgresql" not in repr(retriever)


COMMANDS = (
    "learn",
    "learn from one --domain law",
    "learn search electric buses",
    "learn search --patterns --json claim",
    "learn show one",
    "learn resolve one --answer Bob'sway",
    "standings ratings",
    "standings ratings --json",
    "standings calibration",
    "standings personas",
    "standings relations --json",
    "learn forget two",
    "learn show two",
    "learn --rebuild",
    "learn show one --json",
)


def test_the_commands_say_the_same(database: str, tmp_path: Path) -> None:
    async def write(workspace: Workspace) -> None:
        await keep(workspace, "one", paper())
        await keep(workspace, "two", paper("Bob", topic="Trams?"), at=2000.0)
        await keep(workspace, "unfinished", Paper(TWO))
        await workspace.close()

    asyncio.run(write(Workspace.at(tmp_path / "folkmoot.sqlite")))
    asyncio.run(write(Workspace(PostgresStore.open(database))))
    for words in COMMANDS:
        result = folkmoot(tmp_path, *words.split(), "--store", database)
        other = folkmoot(tmp_path, *words.split())
        assert (result.exit_code, result.stdout, result.stderr) == (0, other.stdout, other.stderr)
        assert result.stdout


# ---- a kill, and several processes ---------------------------------------------------------------------------------

WORKER = """
import asyncio, os, signal, sys
import asyncpg
from folkmoot.app.plan.settings import Config
from folkmoot.app.run.workspace import Workspace
from folkmoot.app.export.learned import learn, learn_all
from folkmoot.record.postgres import PostgresStore

address, steps, names = sys.argv[1], int(sys.argv[2]), sys.argv[3:]

def counted(method):
    def call(*given, **named):
        global steps
        steps -= 1
        if steps == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return method(*given, **named)
    return call

async def main():
    desk = Workspace(PostgresStore.open(address), config=Config())
    for name in ("execute", "fetch", "copy_records_to_table"):
        setattr(asyncpg.Connection, name, counted(getattr(asyncpg.Connection, name)))
    for name in names:
        await learn(desk, name)
    if not names:
        await learn_all(desk, rebuild=True)
    await desk.close()

asyncio.run(main())
"""


def command(database: str, steps: int, *names: str) -> list[str]:
    """A process that learns these debates, or everything again, and is killed at that step; at 0 at none."""
    return [sys.executable, "-c", WORKER, database, str(steps), *names]


async def run(words: list[str]) -> "subprocess.CompletedProcess[bytes]":
    return await asyncio.to_thread(subprocess.run, words, capture_output=True, check=False, timeout=120)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
async def test_a_rebuild_that_is_killed_leaves_what_was_there(workspace: Workspace, database: str) -> None:
    await add_notes(workspace)
    before = await everything(workspace)
    for steps in (1, 9, 16, 22):
        ran = await run(command(database, steps))
        assert ran.returncode == -signal.SIGKILL, ran.stderr.decode()
        assert await everything(workspace) == before
    assert await missing_lessons(workspace.store) == ""
    await learn_all(workspace, rebuild=True)
    assert await everything(workspace) == before


async def test_processes_that_learn_at_the_same_time_lose_nothing(workspace: Workspace, database: str) -> None:
    for n in range(8):
        await keep(workspace, f"more{n}", paper("Ann" if n % 3 else "Bob", topic=f"Trams {n}?"), at=20_000.0 + n)
    names = ["used", *(f"d{n}" for n in range(4)), *(f"more{n}" for n in range(8))]
    async with asyncio.TaskGroup() as group:  # two of them learn some of the same, the third makes everything anew
        parts = (command(database, 0, *part) for part in (names[:8], names[5:][::-1], ()))
        ran = [group.create_task(run(part)) for part in parts]
    assert [(task.result().returncode, task.result().stderr) for task in ran] == [(0, b"")] * 3
    assert await missing_lessons(workspace.store) == ""
    whole = await everything(workspace)
    assert sorted(str(row[1]) for row in memory_rows(workspace) if row[0] == "debate") == sorted(names)
    await learn_all(workspace, rebuild=True)
    assert await everything(workspace) == whole


# ---- what goes wrong -----------------------------------------------------------------------------------------------


async def test_a_database_that_lets_nobody_write_damages_no_record(workspace: Workspace, database: str) -> None:
    assert memory_rows(workspace) == []
    with linked(database) as link:
        link.execute("CREATE FUNCTION full_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no room'; END $$")
        link.execute("CREATE TRIGGER full_up BEFORE INSERT ON memory_item EXECUTE FUNCTION full_up()")
    with pytest.raises(RecordError, match="cannot be used: no room"):
        await learn_all(workspace)
    assert memory_rows(workspace) == []
    assert len(await workspace.entries("d0")) > 3
