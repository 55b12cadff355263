"""Records in a SQLite file: commits are shared, conflicts stay alone, other programs and event loops are welcome."""

import asyncio
import os
import shutil
import sqlite3
import stat
import struct
import sys
import threading
import time
from collections.abc import Awaitable, Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from folkmoot.core.errors import RecordConflict, RecordError
from folkmoot.record.sqlite import SqliteStore
from folkmoot.record.sqlite_schema import APPLICATION, SCHEMA_VERSION, prepare
from tests.kits.waiting import until


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "records.db"


@contextmanager
def write_locked(path: Path) -> Generator[sqlite3.Connection, None, None]:
    """Another program in the middle of a transaction."""
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield other


def commits(path: Path) -> int:
    """How many commits stand in the write-ahead log (https://sqlite.org/fileformat2.html, section 4.1)."""
    log = Path(f"{path}-wal").read_bytes()
    (page,) = struct.unpack(">I", log[8:12])
    frames = range(32, len(log), 24 + page)
    return sum(struct.unpack(">I", log[at + 4 : at + 8]) != (0,) for at in frames)


async def outcome(doing: Awaitable[None]) -> RecordError | None:
    """What an append came to."""
    try:
        await doing
    except RecordError as error:
        return error
    return None


# ---- group commit --------------------------------------------------------------------------------------------------


async def test_appends_that_wait_share_one_commit(path: Path) -> None:
    store = SqliteStore.open(path)
    before = commits(path)
    async with asyncio.TaskGroup() as group:
        with write_locked(path):
            for n in range(200):
                group.create_task(store.append(f"debate-{n}", ("1", "2"), after=0))
            await asyncio.sleep(0)  # all of them have begun
            assert await store.debates() == ()
    assert 1 <= commits(path) - before <= 2
    assert len(await store.debates()) == 200
    await store.close()


async def test_two_hundred_debates_at_once_need_few_commits(path: Path) -> None:
    store = SqliteStore.open(path)
    before = commits(path)

    async def debate(name: str) -> None:
        for n in range(4):
            await store.append(name, (f"{name} {n}",), after=n)

    async with asyncio.TaskGroup() as group:
        for n in range(200):
            group.create_task(debate(f"debate-{n}"))
    assert commits(path) - before < 400
    for n in range(200):
        assert await store.read(f"debate-{n}") == tuple(f"debate-{n} {m}" for m in range(4))
    await store.close()


async def test_a_conflict_leaves_the_rest_of_its_batch_alone(path: Path) -> None:
    store = SqliteStore.open(path)
    await store.append("b", ("1",), after=0)
    before = commits(path)
    appends = [("a", "a1", 0), ("b", "x", 0), ("b", "2", 1), ("b", "y", 5), ("c", "c1", 0)]
    async with asyncio.TaskGroup() as group:
        with write_locked(path):
            doing = [
                group.create_task(outcome(store.append(debate, (line,), after=after)))
                for debate, line, after in appends
            ]
            await asyncio.sleep(0)  # all of them have begun
    refusals = [task.result() for task in doing]
    assert [isinstance(refusal, RecordConflict) for refusal in refusals] == [False, True, False, True, False]
    assert [str(refusal) for refusal in refusals if refusal] == [
        f"Debate b has 1 entries in {path}, not 0: somebody else has written.",
        f"Debate b has 2 entries in {path}, not 5: somebody else has written.",
    ]
    assert commits(path) - before <= 2
    assert [await store.read(debate) for debate in "abc"] == [("a1",), ("1", "2"), ("c1",)]
    await store.close()


# ---- callers that go away ------------------------------------------------------------------------------------------


async def test_a_cancelled_append_harms_nobody_and_may_be_stored(path: Path) -> None:
    store = SqliteStore.open(path)
    async with asyncio.TaskGroup() as group:
        with write_locked(path):
            group.create_task(store.append("c", ("1",), after=0))
            await until(lambda: store._file.begun.of("c") != () and not store._file._waiting)  # pyright: ignore[reportPrivateUsage]
            leaving = group.create_task(store.append("a", ("1",), after=0))
            staying = group.create_task(store.append("b", ("1",), after=0))
            await asyncio.sleep(0)
            leaving.cancel()
            await asyncio.sleep(0)
            assert leaving.cancelled()
    assert staying.done()
    assert await store.read("a") == ("1",)
    await store.close()


def test_one_store_serves_several_event_loops(path: Path) -> None:
    store = SqliteStore.open(path)
    for n in range(3):
        asyncio.run(store.append("a", (str(n),), after=n))
        assert asyncio.run(store.read("a", after=n)) == (str(n),)
    asyncio.run(store.close())
    asyncio.run(store.close())


def test_an_event_loop_that_is_gone_harms_nobody(path: Path) -> None:
    store = SqliteStore.open(path)

    async def leave() -> None:
        async with asyncio.timeout(0.01):
            await store.append("a", ("1",), after=0)

    with write_locked(path), pytest.raises(TimeoutError):
        asyncio.run(leave())
    asyncio.run(store.append("a", ("2",), after=1))
    assert asyncio.run(store.read("a")) == ("1", "2")
    asyncio.run(store.close())


async def test_closing_lets_appends_finish_first(path: Path) -> None:
    store = SqliteStore.open(path)
    async with asyncio.TaskGroup() as group:
        with write_locked(path):
            group.create_task(store.append("a", ("1",), after=0))
            await asyncio.sleep(0)
            group.create_task(store.close())
            await asyncio.sleep(0)
            with pytest.raises(RecordError, match=r"records\.db cannot be used: it has been closed\."):
                await store.append("a", ("2",), after=1)
    again = SqliteStore.open(path)
    assert await again.read("a") == ("1",)
    await again.close()


# ---- the file ------------------------------------------------------------------------------------------------------


async def test_the_file_belongs_to_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "new" / "deep" / "records.db"
    before = os.umask(0)
    try:
        store = SqliteStore.open(str(path))
    finally:
        os.umask(before)
    await store.append("a", ("1",), after=0)
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert modes == dict.fromkeys(("records.db", "records.db-wal", "records.db-shm"), 0o600)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    await store.close()
    assert [file.name for file in path.parent.iterdir()] == ["records.db"]


async def test_all_of_a_record_is_in_its_file_once_the_store_is_closed(path: Path) -> None:
    store = SqliteStore.open(path)
    await store.append("a", ("1",), after=0)
    assert await store.read("a", after=1) == ()  # asked without a thread, by a connection that only reads
    await store.close()
    assert [file.name for file in path.parent.iterdir()] == ["records.db"]
    copy = path.with_name("copy.db")
    shutil.copyfile(path, copy)
    again = SqliteStore.open(copy)
    assert await again.read("a") == ("1",)
    await again.close()


def test_commits_are_synced_and_the_file_says_what_it_is(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        prepare(path, connection, time.monotonic())
        pragmas = ("synchronous", "journal_mode", "application_id", "user_version")
        values = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in pragmas]
    assert values == [2, "wal", APPLICATION, SCHEMA_VERSION]


async def test_many_open_a_new_file_at_once(path: Path) -> None:
    async with asyncio.TaskGroup() as group:
        opening = [group.create_task(asyncio.to_thread(SqliteStore.open, path)) for _ in range(6)]
    stores = [task.result() for task in opening]
    won = 0
    for store in stores:
        try:
            await store.append("a", ("1",), after=0)
        except RecordConflict:
            continue
        won += 1
    assert won == 1
    for store in stores:
        await store.close()


def test_opening_waits_for_another_program_that_makes_the_file(path: Path) -> None:
    with write_locked(path) as other:
        letting_go = threading.Timer(0.05, other.execute, ("ROLLBACK",))
        letting_go.start()
        store = SqliteStore.open(path)
        letting_go.join()
    asyncio.run(store.append("a", ("1",), after=0))
    asyncio.run(store.close())


WRITER = """
import asyncio, sys
from folkmoot.record.sqlite import SqliteStore

async def main(path):
    store = SqliteStore.open(path)
    await store.append("a", ("from elsewhere",), after=1)
    await store.close()

asyncio.run(main(sys.argv[1]))
"""


async def test_another_process_makes_a_conflict(path: Path) -> None:
    store = SqliteStore.open(path)
    await store.append("a", ("1",), after=0)
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", WRITER, str(path))
    assert await process.wait() == 0
    with pytest.raises(RecordConflict, match="Debate a has 2 entries"):
        await store.append("a", ("2",), after=1)
    assert await store.read("a") == ("1", "from elsewhere")
    await store.close()
