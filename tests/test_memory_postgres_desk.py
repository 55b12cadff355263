"""Learning from records in PostgreSQL: the same as from a file, also after a kill, and by several processes."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commands import moot
from lessons_kit import TWO, Paper
from moot.app.export.learned import learn, learn_all, note, remembered, search
from moot.app.plan.assignment import recalling, weighing
from moot.app.plan.learning import lacks
from moot.app.plan.settings import Config
from moot.app.run.workspace import Workspace
from moot.core.brief import Brief, Participant
from moot.core.errors import RecordError
from moot.core.roles import HISTORY, HOW
from moot.record.postgres import PostgresStore
from quoting import Ear
from test_learning import BUSES, everything, fill, keep, kept, paper
from test_librarian import asked
from test_memory_postgres import linked
from test_weights import question


@pytest.fixture
async def desk(database: str) -> AsyncGenerator[Workspace]:
    made = Workspace(PostgresStore.open(database), config=Config(), clock=lambda: 5000.0)
    await fill(made)
    yield made
    await made.close()


async def told(desk: Workspace) -> None:
    """What the owner says of some debates, who has them learned in an order of his own."""
    for name in ("d3", "used", "d1", "d0", "d2"):
        await learn(desk, name)
    await note(desk, "d1", "resolve", "Ann's way")
    await note(desk, "d2", "domain", "transport")
    await note(desk, "d0", "forget")


# ---- the same as from a file ---------------------------------------------------------------------------------------


async def test_memory_is_the_same_as_that_in_a_file_and_made_again_the_same(desk: Workspace, tmp_path: Path) -> None:
    file = Workspace.at(tmp_path / "record.sqlite")
    file.config, file.clock = Config(), lambda: 5000.0
    await fill(file)
    for each in (desk, file):
        await told(each)
        assert await lacks(each.store) == ""
    whole = await everything(file)
    assert await everything(desk) == whole
    for query in ("electric buses", "Line 3", "trams", "zeppelin"):
        assert await search(desk, query) == await search(file, query)
    assert len((await learn_all(desk, rebuild=True)).new) == 5
    assert await everything(desk) == whole
    await file.close()


async def test_a_held_debate_is_learned_and_recalled(desk: Workspace) -> None:
    people = tuple(Participant(name=f"P{n}", seat="builtin:quotes") for n in range(3))
    plan = desk.plan(Brief(topic=BUSES, participants=people), protocol="arena", models=("builtin:quotes",))
    assert (await desk.hold(plan, "held")).unlearned == ""
    assert not await learn(desk, "held")
    assert len((await remembered(desk, "held", ["performance"]))["performance"]) == 3
    put, scene = asked(topic=BUSES)
    librarian = recalling(scene.brief, desk.store, desk.config, desk.clock)["Librarian"]
    recalled = await librarian.answer(put, scene, Ear())
    assert "held" in str(recalled.fields[HISTORY])
    assert recalled.notes == ("5 closed debates are not learned; run moot learn",)
    weigh, weighing_scene = question()
    weighed = await weighing(weighing_scene.brief, desk.store)["T"].answer(weigh, weighing_scene, Ear())
    assert "not learned" in str(weighed.fields[HOW])
    assert "postgresql" not in repr((librarian, weighing(weighing_scene.brief, desk.store)))


COMMANDS = (
    "learn",
    "learn one --domain law",
    "memory search electric buses",
    "memory search --patterns --json claim",
    "memory show one",
    "resolve one --answer Bob'sway",
    "ratings",
    "ratings --json",
    "calibration",
    "personas",
    "relations --json",
    "memory forget two",
    "memory show two",
    "learn --rebuild",
    "memory show one --json",
)


def test_the_commands_say_the_same(database: str, tmp_path: Path) -> None:
    async def write(desk: Workspace) -> None:
        await keep(desk, "one", paper())
        await keep(desk, "two", paper("Bob", topic="Trams?"), at=2000.0)
        await keep(desk, "unfinished", Paper(TWO))
        await desk.close()

    asyncio.run(write(Workspace.at(tmp_path / "moot.sqlite")))
    asyncio.run(write(Workspace(PostgresStore.open(database))))
    for words in COMMANDS:
        one = moot(tmp_path, *words.split(), "--store", database)
        other = moot(tmp_path, *words.split())
        assert (one.exit_code, one.stdout, one.stderr) == (0, other.stdout, other.stderr)
        assert one.stdout


# ---- a kill, and several processes ---------------------------------------------------------------------------------

WORKER = """
import asyncio, os, signal, sys
import psycopg
from moot.app.plan.settings import Config
from moot.app.run.workspace import Desk
from moot.app.export.learned import learn, learn_all
from moot.record.postgres import PostgresStore

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
    desk = Desk(PostgresStore.open(address), config=Config())
    psycopg.Connection.execute = counted(psycopg.Connection.execute)
    psycopg.Copy.write_row = counted(psycopg.Copy.write_row)
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
    return await asyncio.to_thread(subprocess.run, words, capture_output=True, check=False, timeout=60)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
async def test_a_rebuild_that_is_killed_leaves_what_was_there(desk: Workspace, database: str) -> None:
    await told(desk)
    before = await everything(desk)
    for steps in (1, 12, 40):
        ran = await run(command(database, steps))
        assert ran.returncode == -signal.SIGKILL, ran.stderr.decode()
        assert await everything(desk) == before
    assert await lacks(desk.store) == ""
    await learn_all(desk, rebuild=True)
    assert await everything(desk) == before


async def test_processes_that_learn_at_the_same_time_lose_nothing(desk: Workspace, database: str) -> None:
    for n in range(8):
        await keep(desk, f"more{n}", paper("Ann" if n % 3 else "Bob", topic=f"Trams {n}?"), at=20_000.0 + n)
    names = ["used", *(f"d{n}" for n in range(4)), *(f"more{n}" for n in range(8))]
    async with asyncio.TaskGroup() as group:  # two of them learn some of the same, the third makes everything anew
        parts = (command(database, 0, *part) for part in (names[:8], names[5:][::-1], ()))
        ran = [group.create_task(run(part)) for part in parts]
    assert [(each.result().returncode, each.result().stderr) for each in ran] == [(0, b"")] * 3
    assert await lacks(desk.store) == ""
    whole = await everything(desk)
    assert sorted(str(row[1]) for row in kept(desk) if row[0] == "debate") == sorted(names)
    await learn_all(desk, rebuild=True)
    assert await everything(desk) == whole


# ---- what goes wrong -----------------------------------------------------------------------------------------------


async def test_a_database_that_lets_nobody_write_damages_no_record(desk: Workspace, database: str) -> None:
    assert kept(desk) == []
    with linked(database) as link:
        link.execute("CREATE FUNCTION full_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no room'; END $$")
        link.execute("CREATE TRIGGER full_up BEFORE INSERT ON memory_use EXECUTE FUNCTION full_up()")
    with pytest.raises(RecordError, match=r"cannot be kept in or read from the database .*: no room\.$"):
        await learn_all(desk)
    assert kept(desk) == []
    assert len(await desk.entries("d0")) > 3
