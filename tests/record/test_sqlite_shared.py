"""One file, many stores in one process: they share its connections, so that nothing of it is lost or read too early."""

import asyncio
import json
import os
import sqlite3
import stat
import sys
import threading
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random

import pytest

from folkmoot.app.batch.batch_plan import Wanted, read_lines
from folkmoot.app.brief.files import read_bytes
from folkmoot.app.brief.reader import read_file
from folkmoot.app.plan.settings import Config
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.errors import BriefError, RecordError
from folkmoot.record import sqlite_schema
from folkmoot.record.sqlite import SqliteStore
from folkmoot.record.sqlite_schema import transaction


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "records.db"


@contextmanager
def write_locked(path: Path) -> Generator[None]:
    """Another program in the middle of a transaction."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


# ---- processes that come and go ------------------------------------------------------------------------------------

PROGRAM = """
import asyncio, json, sys
from pathlib import Path
from folkmoot.learn.memory_store import MemoryStore
from folkmoot.record import sqlite_schema
from folkmoot.record.sqlite import SqliteStore
from folkmoot.record.sqlite_schema import transaction

async def main(path):
    stores, stored = [], [0, 0, 0]
    for command in sys.stdin:
        match command.split():
            case ["open"]:
                stores.append(SqliteStore.open(path))
            case ["close"]:
                await stores.pop().close()
            case ["learn"]:
                MemoryStore.open(path).close()
            case ["append"]:
                for n, store in enumerate(stores):
                    await store.append(f"debate-{n}", (f"line {stored[n] + 1}",), after=stored[n])
                    stored[n] += 1
        print(json.dumps(stored), flush=True)

asyncio.run(main(Path(sys.argv[1])))
"""


async def come_and_go(path: Path) -> None:
    """This process opens the file, lists it and closes it: it is the last to close unless the other holds its locks."""
    store = SqliteStore.open(path)
    await store.debates()
    await store.close()


DROPS_LOCKS = """
import os
from folkmoot.record import sqlite_schema

def make(path):
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))

sqlite_schema.make_file = make
"""
"""The fault that once lost records: each store that is opened opens and closes the file by itself, too."""


async def work_beside_others(path: Path, program_text: str) -> list[int]:
    """A program works on a file while another process opens and closes it again and again; how much it has stored."""
    pipe = asyncio.subprocess.PIPE
    program = await asyncio.create_subprocess_exec(sys.executable, "-c", program_text, path, stdin=pipe, stdout=pipe)
    assert program.stdin
    assert program.stdout
    stored: list[int] = []
    try:
        for command in ("open", "append", "open", "append", "learn", "append", "open", "close", "append"):
            program.stdin.write(f"{command}\n".encode())
            stored = json.loads(await program.stdout.readline())
            await come_and_go(path)
            log = f"{path.name}-wal" in os.listdir(path.parent)
            assert log or not any(stored), f"the log was deleted under the program that writes it, after {command}"
    finally:
        program.kill()
        await program.wait()
    return stored


old_locks = pytest.mark.skipif(
    sqlite3.sqlite_version_info >= (3, 51), reason="SQLite keeps its locks since 3.51, whatever the program closes"
)


@old_locks
async def test_a_program_that_drops_its_own_locks_is_noticed(path: Path) -> None:
    with pytest.raises(AssertionError, match="the log was deleted under the program"):
        await work_beside_others(path, DROPS_LOCKS + PROGRAM)


@old_locks
async def test_a_program_that_has_lost_its_log_is_refused(path: Path) -> None:
    pipe = asyncio.subprocess.PIPE
    words = (sys.executable, "-c", DROPS_LOCKS + PROGRAM, path)
    program = await asyncio.create_subprocess_exec(*words, stdin=pipe, stdout=pipe, stderr=pipe)
    assert program.stdin
    assert program.stdout
    for command in ("open", "append", "open"):
        program.stdin.write(f"{command}\n".encode())
        await program.stdout.readline()
    await come_and_go(path)
    output, errors = await program.communicate(b"append\n")
    assert output == b"", "what was written into the deleted log was acknowledged"
    assert b"it or its log was moved, replaced or deleted while it was open" in errors


async def test_stores_of_one_process_keep_what_other_processes_could_take_away(path: Path) -> None:
    stored = await work_beside_others(path, PROGRAM)
    fresh = SqliteStore.open(path)
    for n, many in enumerate(stored):
        assert await fresh.read(f"debate-{n}") == tuple(f"line {m}" for m in range(1, many + 1))
    assert stored == [4, 3, 0]
    await fresh.close()


MANY = """
import asyncio, os, random, sys
from pathlib import Path
from folkmoot.learn.memory_store import MemoryStore
from folkmoot.record import sqlite_schema
from folkmoot.record.sqlite import SqliteStore
from folkmoot.record.sqlite_schema import transaction

path, name, chance = Path(sys.argv[1]), sys.argv[2], random.Random(sys.argv[2])

async def debate(stream):
    store, after = None, 0
    while True:
        store = store or await asyncio.to_thread(SqliteStore.open, path)
        match chance.choice(("append", "append", "append", "append", "read", "close", "learn")):
            case "append":
                new, filling = range(after + 1, after + chance.randint(2, 5)), "x" * chance.randint(1, 3000)
                lines = [f"{stream} {n} {filling}" for n in new]
                await store.append(stream, lines, after=after)
                after += len(lines)
                os.write(1, f"{stream} {after}\\n".encode())
            case "read":
                assert len(await store.read(stream)) == after
            case "close":
                await store.close()
                store = None
            case _:
                (await asyncio.to_thread(MemoryStore.open, path)).close()

async def main():
    async with asyncio.TaskGroup() as group:
        for n in range(3):
            group.create_task(debate(f"{name}-{n}"))

asyncio.run(main())
"""
"""Three debates in one process, each with a store of its own that is opened and closed again and again."""


@pytest.mark.system
async def test_processes_with_several_stores_that_are_killed_lose_nothing(path: Path) -> None:
    chance, outputs = Random(1), list[bytes]()
    for number in range(4):
        names = (f"{number}-a", f"{number}-b")
        words = [(sys.executable, "-c", MANY, path, name) for name in names]
        pipe = asyncio.subprocess.PIPE
        programs = [await asyncio.create_subprocess_exec(*line, stdout=pipe, stderr=pipe) for line in words]
        async with asyncio.TaskGroup() as group:
            results = [group.create_task(program.communicate()) for program in programs]
            for program in programs:
                await asyncio.sleep(0.4 + chance.random())
                program.kill()
        assert [result.result()[1] for result in results] == [b"", b""]
        outputs += [result.result()[0] for result in results]
    promised: dict[str, int] = {}
    for line in b"".join(output[: output.rfind(b"\n") + 1] for output in outputs).decode().splitlines():
        name, entries = line.split()
        promised[name] = int(entries)
    assert promised
    store = SqliteStore.open(path)
    await store.check()
    for name, entries in promised.items():
        lines = await store.read(name)
        assert len(lines) >= entries
        assert [line.split()[:2] for line in lines] == [[name, str(n)] for n in range(1, len(lines) + 1)]
    await store.close()


async def test_the_last_store_closes_the_file(path: Path) -> None:
    one, two = SqliteStore.open(path), SqliteStore.open(path)
    await one.append("a", ("1",), after=0)
    await one.close()
    await one.close()
    with pytest.raises(RecordError, match="it has been closed"):
        await one.read("a")
    await two.append("a", ("2",), after=1)
    assert await two.read("a") == ("1", "2")
    await two.close()
    assert [file.name for file in path.parent.iterdir()] == ["records.db"]


async def test_a_store_that_leaves_others_behind_waits_for_no_thread(path: Path) -> None:
    one, two = SqliteStore.open(path), SqliteStore.open(path)
    await two.append("a", ("1",), after=0)
    closing_one = one.close()
    with pytest.raises(StopIteration):
        closing_one.send(None)
    await two.append("a", ("2",), after=1)
    await two.close()
    assert [file.name for file in path.parent.iterdir()] == ["records.db"]


async def test_links_lead_to_the_same_file(path: Path) -> None:
    link = path.with_name("link.db")
    link.symlink_to(path)
    one, two = SqliteStore.open(link), SqliteStore.open(path)
    assert stat.S_IMODE(os.lstat(path).st_mode) == 0o600
    await one.append("a", ("1",), after=0)
    assert await two.read("a") == ("1",)
    await one.close()
    await two.close()


async def test_a_file_with_a_second_name_is_not_written(path: Path) -> None:
    store = SqliteStore.open(path)
    await store.append("a", ("1",), after=0)
    other = path.with_name("other.db")
    other.hardlink_to(path)
    for name in (other, path):
        with pytest.raises(RecordError, match=rf"{name.name} cannot be used: it has a second name \(a hard link\)"):
            SqliteStore.open(name)
    await store.append("a", ("2",), after=1)
    reader = SqliteStore.open(path, reading=True)
    assert await reader.read("a") == ("1", "2")
    await reader.close()
    await store.close()
    other.unlink()
    again = SqliteStore.open(path)
    assert await again.read("a") == ("1", "2")
    await again.close()


async def test_stores_that_open_and_close_at_once_share_one_file(path: Path) -> None:
    async def use(name: str) -> None:
        for n in range(5):
            store = await asyncio.to_thread(SqliteStore.open, path)
            await store.append(name, (f"{n}",), after=n)
            assert len(await store.read(name)) == n + 1
            await store.close()

    async with asyncio.TaskGroup() as group:
        for n in range(8):
            group.create_task(use(f"debate-{n}"))
    assert [file.name for file in path.parent.iterdir()] == ["records.db"]


FORK = """
import asyncio, os, sys
from folkmoot.core.errors import RecordError
from folkmoot.record import sqlite_schema
from folkmoot.record.sqlite import SqliteStore
from folkmoot.record.sqlite_schema import transaction

store = SqliteStore.open(sys.argv[1])
asyncio.run(store.append("a", ("1",), after=0))
if os.fork() == 0:
    for use in (lambda: SqliteStore.open(sys.argv[1]), lambda: asyncio.run(store.read("a"))):
        try:
            use()
        except RecordError as error:
            print(error, flush=True)
    asyncio.run(store.close())
    os._exit(0)
os.wait()
asyncio.run(store.append("a", ("2",), after=1))
print(asyncio.run(store.read("a")))
asyncio.run(store.close())
if os.fork() == 0:
    store = SqliteStore.open(sys.argv[1])
    asyncio.run(store.append("a", ("3",), after=2))
    print(asyncio.run(store.read("a")), flush=True)
    os._exit(0)
os.wait()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
async def test_a_fork_leaves_the_files_of_its_parent_alone(path: Path) -> None:
    pipe = asyncio.subprocess.PIPE
    program = await asyncio.create_subprocess_exec(sys.executable, "-c", FORK, str(path), stdout=pipe)
    output, _ = await program.communicate()
    forked = (
        f"The record {path} cannot be used: it was open when this process was forked; open it after the fork only, "
    )
    forked += "or start the process anew (spawn)."
    assert output.decode().splitlines() == [forked, forked, "('1', '2')", "('1', '2', '3')"]


async def test_a_store_of_the_process_before_a_fork_is_of_no_use(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SqliteStore.open(path)
    await store.append("a", ("1",), after=0)
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", lambda: -1)
        for use in (store.read("a"), store.append("a", ("2",), after=1)):
            with pytest.raises(RecordError, match=r"was open when this process was forked"):
                await use
        with pytest.raises(RecordError, match=r"was open when this process was forked"):
            SqliteStore.open(path)
        await store.close()
    assert await store.read("a") == ("1",)
    await store.close()
    with pytest.raises(RecordError, match="it has been closed"):
        await store.read("a")


async def test_a_second_store_that_only_reads_shares_the_file(path: Path) -> None:
    first, second = SqliteStore.open(path), SqliteStore.open(path, reading=True)
    await first.append("a", ("1",), after=0)
    assert await second.read("a") == ("1",)
    with pytest.raises(RecordError, match="may only be read"):
        await second.append("a", ("2",), after=1)
    await second.close()
    await first.append("a", ("2",), after=1)
    await first.close()


async def test_a_record_in_use_is_read_as_no_other_file(path: Path) -> None:
    store = SqliteStore.open(path)
    await store.append("a", ("1",), after=0)
    for end in ("", "-wal", "-shm"):
        beside = path.with_name(f"{path.name}{end}")
        with pytest.raises(BriefError, match="is a record that is in use"):
            read_bytes(beside.name, beside)
        with pytest.raises(BriefError, match="is a record that is in use"):
            read_file(beside)
        with pytest.raises(BriefError, match="is a record that is in use"):
            read_lines(beside, Wanted(), [])
    await store.close()
    assert read_bytes(path.name, path)


# ---- what was begun ------------------------------------------------------------------------------------------------


async def test_a_read_waits_behind_an_append_whose_caller_has_gone(path: Path) -> None:
    store, later = SqliteStore.open(path), SqliteStore.open(path)
    async with asyncio.TaskGroup() as group:
        with write_locked(path):
            leaving = group.create_task(store.append("a", ("1",), after=0))
            await asyncio.sleep(0)  # it has begun
            leaving.cancel()
            reading = [group.create_task(store.read("a")) for store in (store, later)]
            hurried = group.create_task(store.read("a"))
            assert await store.read("b") == ()
            hurried.cancel()
            await asyncio.sleep(0.01)
            assert not any(task.done() for task in reading)
    assert [task.result() for task in reading] == [("1",), ("1",)]
    await later.append("a", ("2",), after=1)
    await store.close()
    await later.close()


async def test_a_read_after_a_refused_append_goes_on(path: Path) -> None:
    store = SqliteStore.open(path, busy=0.05)

    async def write() -> None:
        with pytest.raises(RecordError, match="another program is using it"):
            await store.append("a", ("1",), after=0)

    with write_locked(path):
        async with asyncio.TaskGroup() as group:
            group.create_task(write())
            await asyncio.sleep(0)
            assert await store.read("a") == ()
    await store.close()


async def test_a_debate_that_was_stopped_while_it_was_written_is_resumed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("folkmoot.engine.driver.GRACE", 0.05)
    workspace, later = (Workspace(SqliteStore.open(path), config=Config(learn=False)) for _ in range(2))
    brief = Brief(topic="Tea?", participants=(Participant(name="Ann"), Participant(name="Bob")))
    plan = workspace.plan(brief, models=("builtin:quotes",))
    async with asyncio.TaskGroup() as group:
        with write_locked(path):
            stopped = group.create_task(workspace.run(plan, "d"))
            await asyncio.sleep(0.05)
            stopped.cancel()
            with pytest.raises(asyncio.CancelledError):
                await stopped
            resumed = group.create_task(later.resume("d"))
            await asyncio.sleep(0.05)
            assert not resumed.done()
    assert resumed.result().status == "no_decision"
    entries, _ = await later.verify("d")
    assert entries == len(await workspace.lines("d"))
    await workspace.close()
    await later.close()


# ---- a read without news --------------------------------------------------------------------------------------------


async def test_a_read_without_news_needs_no_thread(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SqliteStore.open(path)
    await store.append("depot", ("one", "two"), after=0)
    monkeypatch.setattr(store._file.reader, "submit", _refuse)  # pyright: ignore[reportPrivateUsage]
    assert await store.read("depot/letters") == ()
    assert await store.read("depot", after=2) == ()
    with pytest.raises(AssertionError, match="a thread"):
        await store.read("depot", after=1)
    await store.close()


async def test_a_read_waits_for_what_has_begun_though_nothing_is_stored_yet(path: Path) -> None:
    store = SqliteStore.open(path)
    async with asyncio.TaskGroup() as group:
        group.create_task(store.append("depot", ("one",), after=0))
        await asyncio.sleep(0)
        assert await store.read("depot") == ("one",)
    await store.close()


async def test_the_reader_answers_where_a_look_cannot(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SqliteStore.open(path)
    await store.append("depot", ("one",), after=0)
    monkeypatch.setattr(sqlite_schema, "HAS_MORE", "SELECT nothing")  # every look is an error now
    assert await store.read("depot") == ("one",)
    assert await store.read("depot", after=1) == ()
    await store.close()


async def test_a_look_needs_no_thread_while_the_writer_works(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SqliteStore.open(path)
    await store.append("depot", ("one", "two"), after=0)
    monkeypatch.setattr(store._file.reader, "submit", _refuse)  # pyright: ignore[reportPrivateUsage]
    works, done = threading.Event(), threading.Event()

    def work(connection: sqlite3.Connection) -> None:
        with transaction(connection):
            works.set()
            done.wait()

    async with asyncio.TaskGroup() as group:
        group.create_task(store.write(work))
        await asyncio.to_thread(works.wait)
        assert await store.read("depot", after=2) == ()
        assert await store.read("depot/letters") == ()
        done.set()
    await store.close()


@pytest.mark.parametrize("how", ["moved", "replaced"])
async def test_a_read_after_the_file_was_taken_away_reads_no_other(path: Path, how: str) -> None:
    store = SqliteStore.open(path)
    await store.append("depot", ("one",), after=0)
    os.rename(path, path.with_name("elsewhere.sqlite"))
    if how == "replaced":
        with closing(sqlite3.connect(path)) as other:
            other.execute("CREATE TABLE folkmoot_line (debate, seq, text)")
            other.execute("INSERT INTO folkmoot_line VALUES ('depot', 1, 'foreign')")
            other.commit()
    with pytest.raises(RecordError, match="moved, replaced or deleted while it was open"):
        await store.read("depot")
    await store.close()


def _refuse(*_: object) -> None:
    raise AssertionError("a thread was used")
