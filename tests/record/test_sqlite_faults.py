"""Records in a SQLite file when things go wrong: kills, full disks, missing rights, foreign and damaged files."""

import asyncio
import os
import random
import resource
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pytest

from folkmoot.core.errors import RecordConflict, RecordError
from folkmoot.record.listing import check
from folkmoot.record.sqlite import SqliteStore, explain
from folkmoot.record.sqlite_faults import is_same
from folkmoot.record.sqlite_schema import APPLICATION, SCHEMA_VERSION
from tests.kits.thoroughness import some


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "records.db"


# ---- kills (F31, F34) ----------------------------------------------------------------------------------------------

WRITER = """
import asyncio, sys
from folkmoot.record.sqlite import SqliteStore

async def debate(store, name):
    for after in range(0, 100_000, 3):
        lines = [f"{name} {seq} " + "é" * 700 + "." for seq in range(after + 1, after + 4)]
        await store.append(name, lines, after=after)
        print(name, after + 3, flush=True)

async def main(path):
    store = SqliteStore.open(path)
    async with asyncio.TaskGroup() as group:
        for n in range(8):
            group.create_task(debate(store, f"debate-{n}"))

asyncio.run(main(sys.argv[1]))
"""


@pytest.mark.parametrize("seed", some(range(6), 3))
async def test_a_kill_loses_nothing_that_was_promised(seed: int, path: Path) -> None:
    chance = random.Random(seed)
    writer = await asyncio.create_subprocess_exec(
        sys.executable, "-c", WRITER, str(path), stdout=asyncio.subprocess.PIPE
    )
    assert writer.stdout
    promised: dict[str, int] = {}
    for left in range(chance.randrange(1, 300), -1, -1):
        if left == 0:
            await asyncio.sleep(chance.random() * 0.01)
            writer.kill()
        if not (line := await writer.stdout.readline()).endswith(b"\n"):
            break  # killed before it has said any more; the last may be half a line
        name, entries = line.decode().split()
        promised[name] = int(entries)
    for report in (await writer.stdout.read()).decode().split("\n")[:-1]:  # the last may be half a line
        name, entries = report.split()
        promised[name] = int(entries)
    assert await writer.wait() == -9

    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    store = SqliteStore.open(path)
    stored = {info.debate: info.entries for info in await store.debates()}
    assert {name: min(stored.get(name, 0), entries) for name, entries in promised.items()} == promised
    for name, entries in stored.items():
        assert entries % 3 == 0
        wanted = tuple(f"{name} {seq} " + "é" * 700 + "." for seq in range(1, entries + 1))
        assert await store.read(name) == wanted
        await store.append(name, ("goes on",), after=entries)
    await store.close()


# ---- full disks (F46) ----------------------------------------------------------------------------------------------


@contextmanager
def no_space_beyond(size: int) -> Generator[None, None, None]:
    """No file of this process can grow beyond so many bytes (Python ignores SIGXFSZ, so writing fails with EFBIG)."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("size", [100_000, 103_500, 131_072])
async def test_a_full_disk_refuses_and_goes_on_once_there_is_space(size: int, path: Path) -> None:
    store = SqliteStore.open(path)
    promised: list[str] = []

    async def fill() -> None:
        while True:
            lines = ("x" * 5000,) * 3
            await store.append("a", lines, after=len(promised))
            promised.extend(lines)

    with no_space_beyond(size):
        with pytest.raises(RecordError, match=r"records\.db cannot be used: the disk ") as refused:
            await fill()
        assert not isinstance(refused.value, RecordConflict)
        assert await store.read("a") == tuple(promised)
    stored = len(promised)
    assert stored > 0
    await store.append("a", ("there is space again",), after=stored)
    await store.close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("SELECT count(*) FROM folkmoot_line").fetchone() == (stored + 1,)


def test_a_new_file_on_a_full_disk(path: Path) -> None:
    with no_space_beyond(100), pytest.raises(RecordError, match=r"records\.db cannot be used: the disk "):
        SqliteStore.open(path)
    asyncio.run(SqliteStore.open(path).close())


def test_a_full_database_is_called_a_full_disk(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA max_page_count = 4")
        connection.execute("CREATE TABLE big (text)")
        with pytest.raises(sqlite3.OperationalError) as full:
            connection.execute("INSERT INTO big VALUES (?)", ("x" * 100_000,))
    assert str(explain(path, full.value)) == f"The record {path} cannot be used: the disk is full."


def test_no_memory_is_said_in_words(path: Path) -> None:
    assert str(explain(path, MemoryError())) == f"The record {path} cannot be used: not enough memory."


# ---- a file that is moved or deleted while it is open --------------------------------------------------------------


def moved(path: Path) -> None:
    path.rename(path.with_name("elsewhere.db"))


def put_back(path: Path) -> None:
    path.with_name("elsewhere.db").rename(path)


def deleted(path: Path) -> None:
    path.unlink()


def replaced(path: Path) -> None:
    copy = path.with_name("copy.db")
    shutil.copy(path, copy)
    copy.replace(path)


def log_deleted(path: Path) -> None:
    path.with_name("records.db-wal").unlink()


def folder_moved(path: Path) -> None:
    path.parent.rename(path.parent.with_name("elsewhere"))


@pytest.mark.parametrize("act", [moved, deleted, replaced, log_deleted, folder_moved])
async def test_what_would_be_lost_with_its_file_is_not_acknowledged(
    act: Callable[[Path], None], tmp_path: Path
) -> None:
    path = tmp_path / "folder" / "records.db"
    store = SqliteStore.open(path)
    await store.append("a", ("1",), after=0)
    act(path)
    with pytest.raises(RecordError, match=r"cannot be used: it or its log was moved, replaced or deleted while it was"):
        await store.append("a", ("2",), after=1)
    await store.close()


async def test_a_file_that_is_put_back_is_written_again(path: Path) -> None:
    store = SqliteStore.open(path)
    await store.append("a", ("1",), after=0)
    moved(path)
    with pytest.raises(RecordError, match="was moved, replaced or deleted"):
        await store.append("a", ("2",), after=1)
    put_back(path)
    after = len(await store.read("a"))
    await store.append("a", ("3",), after=after)
    await store.close()
    again = SqliteStore.open(path)
    assert (await again.read("a"))[:: after or 1] == ("1", "3")
    await again.close()


# ---- locks and rights (F47, F50) -----------------------------------------------------------------------------------


async def test_a_file_that_another_program_holds(path: Path) -> None:
    store = SqliteStore.open(path, busy=0.05)
    await store.append("a", ("1",), after=0)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(RecordError, match="another program is using it and did not let go in time"):
            await store.append("a", ("2",), after=1)
        with pytest.raises(RecordError, match="another program is using it and did not let go in time"):
            await store.remove(["a"])
        assert await store.read("a") == ("1",)
    await store.append("a", ("2",), after=1)
    await store.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(RecordError, match="another program is using it"):
            SqliteStore.open(path, busy=0.05)


def test_a_new_file_that_another_program_holds(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(RecordError, match="another program is using it"):
            SqliteStore.open(path, busy=0.05)


@contextmanager
def no_special_rights() -> Generator[Path, None, None]:
    """A folder that everybody can reach, for a user who is not root."""
    user = os.geteuid()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        if user == 0:
            os.chown(folder, 65534, -1)
            os.seteuid(65534)
        try:
            yield folder
        finally:
            folder.chmod(0o755)
            os.seteuid(user)


READ_ONLY = r"records\.db cannot be used: it may only be read, not written\."


async def left_behind(folder: Path) -> Path:
    """The files of a process that was killed: what it wrote stands in the log beside the record."""
    store, path = SqliteStore.open(folder / "alive.db"), folder / "records.db"
    await store.append("a", ("1", "2"), after=0)
    for end in ("", "-wal", "-shm"):
        shutil.copy(f"{store.path}{end}", f"{path}{end}")  # nobody else uses it, so it may lose its locks
    await store.close()
    return path


@pytest.mark.parametrize("log", [True, False], ids=["with a log", "without a log"])
@pytest.mark.parametrize("rights", [0o444, 0o644], ids=["a read-only file", "a file"])
@pytest.mark.parametrize("folder_rights", [0o555, 0o755], ids=["in a read-only folder", "in a folder"])
async def test_what_may_only_be_read_can_be_read(log: bool, rights: int, folder_rights: int) -> None:
    with no_special_rights() as folder:
        path = await left_behind(folder)
        if not log:
            await SqliteStore.open(path).close()
        path.chmod(rights)
        folder.chmod(folder_rights)
        if (rights, folder_rights) != (0o644, 0o755) and not (log and rights == 0o644):
            with pytest.raises(RecordError, match=READ_ONLY):
                SqliteStore.open(path)
        store = SqliteStore.open(path, reading=True)
        assert await store.read("a", after=1) == ("2",)
        assert [info.entries for info in await store.debates()] == [2]
        with pytest.raises(RecordError, match=READ_ONLY):
            await store.append("a", ("3",), after=2)
        await store.close()


async def test_a_log_that_cannot_be_read_is_not_passed_over() -> None:
    with no_special_rights() as folder:
        path = await left_behind(folder)
        os.unlink(f"{path}-shm")
        folder.chmod(0o555)
        with pytest.raises(RecordError, match=r"records\.db cannot be used: "):
            SqliteStore.open(path, reading=True)


async def test_what_is_read_without_locks_must_not_change() -> None:
    with no_special_rights() as folder:
        path = folder / "records.db"
        store = SqliteStore.open(path)
        await store.append("a", ("1",), after=0)
        await store.close()
        folder.chmod(0o555)
        reader = SqliteStore.open(path, reading=True)
        assert await reader.read("a") == ("1",)
        folder.chmod(0o755)
        writer = SqliteStore.open(path)
        await writer.append("a", ("2",), after=1)
        with pytest.raises(RecordError, match="another program has written it meanwhile; try again"):
            await reader.read("a")
        await writer.close()
        await reader.close()


def test_a_folder_that_cannot_be_written() -> None:
    with no_special_rights() as folder:
        folder.chmod(0o555)
        for path in (folder / "new.db", folder / "deep" / "new.db"):
            with pytest.raises(RecordError, match=r"new\.db cannot be used: Permission denied\."):
                SqliteStore.open(path)


def test_to_read_makes_no_file(path: Path) -> None:
    with pytest.raises(RecordError, match=r"records\.db cannot be used: No such file or directory\."):
        SqliteStore.open(path, reading=True)
    assert not path.exists()
    path.touch()
    with pytest.raises(RecordError, match=r"records\.db cannot be used: there is no record in it\."):
        SqliteStore.open(path, reading=True)
    assert path.stat().st_size == 0


# ---- what is no record ---------------------------------------------------------------------------------------------


def garbage(path: Path) -> None:
    path.write_bytes(random.Random(1).randbytes(9000))


def folder(path: Path) -> None:
    path.mkdir()


def foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks (url)")


def foreign_and_empty(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 1")


def of_version(version: int, path: Path) -> None:
    asyncio.run(SqliteStore.open(path).close())
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (garbage, "it is not a database."),
        (folder, "Is a directory."),
        (foreign, "it is a database of another program."),
        (foreign_and_empty, "it is a database of another program."),
        (partial(of_version, SCHEMA_VERSION - 1), f"its format is {SCHEMA_VERSION - 1}"),
        (partial(of_version, SCHEMA_VERSION + 1), f"its format is {SCHEMA_VERSION + 1}"),
    ],
)
def test_a_file_that_is_no_record_is_left_as_it_is(make: Callable[[Path], None], message: str, path: Path) -> None:
    make(path)
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(RecordError) as refused:
        SqliteStore.open(path)
    assert str(refused.value).startswith(f"The record {path} cannot be used: {message}")
    assert (path.read_bytes() if path.is_file() else b"") == before


def test_a_folder_whose_name_is_taken_by_a_file(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(RecordError, match=r"records\.db cannot be used: "):
        SqliteStore.open(tmp_path / "taken" / "records.db")


async def fill(path: Path) -> None:
    store = SqliteStore.open(path)
    await store.append("a", STORED, after=0)
    await store.close()


STORED = tuple(f"{n} " + "x" * 500 for n in range(200))


async def what_is_read(path: Path, *, reading: bool) -> tuple[str, ...] | str:
    """The lines of a debate, or why they cannot be read."""
    try:
        store = SqliteStore.open(path, reading=reading)
    except RecordError as error:
        return str(error)
    try:
        return await store.read("a")
    except RecordError as error:
        return str(error)
    finally:
        await store.close()


@pytest.mark.parametrize("reading", [True, False])
def test_a_damaged_file_is_reported_and_never_read_wrongly(path: Path, reading: bool) -> None:
    asyncio.run(fill(path))
    whole, damaged = path.read_bytes(), f"The record {path} cannot be used: it is damaged."
    for page in range(1, len(whole) // 4096):
        path.write_bytes(whole[: page * 4096] + b"\xff" * 4096 + whole[(page + 1) * 4096 :])
        result = asyncio.run(what_is_read(path, reading=reading))
        if b"x" * 500 in whole[page * 4096 : (page + 1) * 4096]:
            assert result == damaged
        else:  # a page of the table of lines or of its index; or one of the summaries, which only lists read
            assert result in (damaged, STORED)


async def what_a_check_says(path: Path) -> str:
    """Why a store is not whole; "" where it is."""
    store = SqliteStore.open(path, reading=True)
    try:
        assert await store.read("a") == STORED
        await check(store)
    except RecordError as error:
        return str(error)
    finally:
        await store.close()
    return ""


def test_a_check_finds_damage_that_no_record_shows(path: Path) -> None:
    asyncio.run(fill(path))
    assert asyncio.run(what_a_check_says(path)) == ""
    with closing(sqlite3.connect(path)) as connection:
        root = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'folkmoot_summary_began'"
        ).fetchone()[0]
    whole = path.read_bytes()
    path.write_bytes(whole[: (root - 1) * 4096] + b"\xff" * 4096 + whole[root * 4096 :])
    problem = asyncio.run(what_a_check_says(path))
    assert problem.startswith(f"The record {path} cannot be used: it is damaged (")
    assert "database main" not in problem
    assert "\n" not in problem


async def test_a_stored_text_that_is_no_utf8_is_read_as_another_one(path: Path) -> None:
    await fill(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE folkmoot_line SET text = CAST(x'ff41' AS TEXT) WHERE seq = 7")
    store = SqliteStore.open(path)
    assert (await store.read("a"))[6] == "\ufffdA"
    await store.close()


def test_words_that_cannot_be_decoded_are_damage(path: Path) -> None:
    error = UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")
    assert str(explain(path, error)) == f"The record {path} cannot be used: it is damaged."


def test_a_damaged_schema_is_called_damaged(path: Path) -> None:
    asyncio.run(fill(path))
    whole = path.read_bytes()
    at = whole.index(b"CREATE TABLE folkmoot_line")
    path.write_bytes(whole[:at] + b"\xff\xfe" * 8 + whole[at + 16 :])
    for reading in (True, False):
        with pytest.raises(RecordError, match=r"records\.db cannot be used: it is damaged\."):
            SqliteStore.open(path, reading=reading)


async def test_a_fault_in_the_middle_of_a_batch_stores_nothing_of_it(path: Path) -> None:
    store = SqliteStore.open(path)
    await store.append("a", ("1",), after=0)
    with closing(sqlite3.connect(path)) as other:
        other.execute(
            "CREATE TRIGGER t BEFORE INSERT ON folkmoot_line WHEN NEW.text = 'no' BEGIN SELECT raise(ABORT, 'no'); END"
        )
    with pytest.raises(RecordError, match=r"records\.db cannot be used: no\."):
        await store.append("a", ("2", "no"), after=1)
    await store.append("a", ("2",), after=1)
    assert await store.read("a") == ("1", "2")
    await store.close()


def test_an_empty_file_becomes_a_record(path: Path) -> None:
    path.write_bytes(b"")
    asyncio.run(SqliteStore.open(path).close())
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION,)


def test_a_file_that_is_not_there_is_the_same_as_no_other(tmp_path: Path) -> None:
    there, away = tmp_path / "there", tmp_path / "away"
    there.touch()
    assert is_same(there, str(there))
    assert not is_same(there, str(away))
