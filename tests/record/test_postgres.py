"""Records in a PostgreSQL database: the Store's promise, commits that are shared, writers that race."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager

import asyncpg
import pytest

from folkmoot.core.errors import RecordConflict, RecordError
from folkmoot.record.listing import ListQuery, choose
from folkmoot.record.postgres import BATCH, LONGEST_ID, PostgresStore
from folkmoot.record.store import Store
from folkmoot.record.summary_fold import summarize
from folkmoot.testing.store_checks import CHECKS, Check, OpenStore
from tests.paths import RECORDS
from tests.record.pg import Postgres, statement_waits

LARGEST = "folkmoot.record.postgres.LARGEST"


def over(server: Postgres) -> OpenStore:
    """Stores in databases of their own, by name."""
    addresses: dict[str, str] = {}

    async def open_store(name: str) -> Store:
        if name not in addresses:
            addresses[name] = server.make()
        return PostgresStore.open(addresses[name])

    return open_store


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
async def test_postgres_keeps_the_promise(check: Check, postgres: Postgres) -> None:
    await check(over(postgres))


@asynccontextmanager
async def writes_blocked(database: str) -> AsyncGenerator[None]:
    """Another program that lets nobody write, only read."""
    link = await asyncpg.connect(database)
    async with link.transaction():
        await link.execute("LOCK TABLE folkmoot_line IN EXCLUSIVE MODE")
        yield
    await link.close()


async def commits(database: str) -> int:
    """How many transactions wrote what is stored."""
    link = await asyncpg.connect(database)
    number = await link.fetchval("SELECT count(DISTINCT xmin::text) FROM folkmoot_line")
    await link.close()
    return int(number)


async def outcome(doing: Awaitable[None]) -> RecordError | None:
    """What an append came to."""
    try:
        await doing
    except RecordError as error:
        return error
    return None


# ---- group commit --------------------------------------------------------------------------------------------------


async def test_appends_that_wait_share_one_commit(database: str) -> None:
    store = PostgresStore.open(database)
    assert await store.debates() == ()
    async with asyncio.TaskGroup() as group, writes_blocked(database):
        for n in range(200):
            group.create_task(store.append(f"debate-{n}", ("1", "2"), after=0))
        await statement_waits(database)
        assert await store.debates() == ()
    assert 1 <= await commits(database) <= 3
    assert len(await store.debates()) == 200
    await store.close()


async def test_a_conflict_leaves_the_rest_of_its_batch_alone(database: str) -> None:
    store = PostgresStore.open(database)
    await store.append("b", ("1",), after=0)
    appends = [("a", "a1", 0), ("b", "x", 0), ("b", "2", 1), ("b", "y", 5), ("b", "3", 2), ("c", "c1", 0)]
    async with asyncio.TaskGroup() as group, writes_blocked(database):
        group.create_task(store.append("first", ("1",), after=0))
        await statement_waits(database)  # the writer has taken it; what comes now is the next batch
        doing = [group.create_task(outcome(store.append(name, (line,), after=n))) for name, line, n in appends]
        await asyncio.sleep(0)  # all of them have begun
    refusals = [task.result() for task in doing]
    assert [isinstance(refusal, RecordConflict) for refusal in refusals] == [False, True, False, True, False, False]
    assert [str(refusal) for refusal in refusals if refusal] == [
        f"Debate b has 1 entries in {store.place}, not 0: somebody else has written.",
        f"Debate b has 2 entries in {store.place}, not 5: somebody else has written.",
    ]
    assert [await store.read(debate) for debate in "abc"] == [("a1",), ("1", "2", "3"), ("c1",)]
    await store.close()


async def test_appends_of_no_lines_are_checked_and_store_nothing(database: str) -> None:
    store = PostgresStore.open(database)
    async with asyncio.TaskGroup() as group:
        appends = [("a", (), 0), ("a", ("1",), 0), ("a", (), 1), ("b", (), 0), ("b", (), 3), ("b", ("1",), 0)]
        doing = [group.create_task(outcome(store.append(name, lines, after=n))) for name, lines, n in appends]
    assert [type(task.result()).__name__ for task in doing] == ["NoneType"] * 4 + ["RecordConflict", "NoneType"]
    assert [await store.read(debate) for debate in "ab"] == [("1",), ("1",)]
    await store.close()


async def test_a_large_append_goes_alone_and_holds_the_order(database: str) -> None:
    store = PostgresStore.open(database)
    large = "x" * BATCH
    async with asyncio.TaskGroup() as group:
        for n in range(3):
            group.create_task(store.append("a", (large,), after=n))
        group.create_task(store.append("b", ("1",), after=0))
    assert await commits(database) >= 3
    assert [len(line) for line in await store.read("a")] == [BATCH] * 3
    await store.close()


# ---- writers that race ---------------------------------------------------------------------------------------------


async def test_writers_that_race_store_all_of_an_append_or_nothing(database: str) -> None:
    stores = [PostgresStore.open(database) for _ in range(3)]

    async def write(who: int, debate: str) -> None:
        store, done = stores[who], 0
        while done < 12:
            after = len(await store.read(debate))
            many = (who + done) % 3 + 1
            lines = [f"{who} {done} {n + 1}/{many}" for n in range(many)]
            if not isinstance(await outcome(store.append(debate, lines, after=after)), RecordConflict):
                done += 1

    async with asyncio.TaskGroup() as group:
        for who in range(3):
            for debate in "abcd":
                group.create_task(write(who, debate))
    for debate in "abcd":
        lines = iter(await stores[0].read(debate))
        whole: list[str] = []
        for line in lines:
            key, _, rest = line.rpartition(" ")
            assert rest.startswith("1/")
            assert [next(lines) for _ in range(int(rest[2:]) - 1)] == [
                f"{key} {n}/{rest[2:]}" for n in range(2, int(rest[2:]) + 1)
            ]
            whole.append(key)
        assert sorted(whole) == sorted(f"{who} {n}" for who in range(3) for n in range(12))
    for store in stores:
        await store.close()


async def test_whoever_waits_for_another_writer_is_refused_when_that_one_commits(database: str) -> None:
    store = PostgresStore.open(database)
    await store.append("a", ("1",), after=0)
    other = await asyncpg.connect(database)
    async with asyncio.TaskGroup() as group, other.transaction():
        await other.execute("INSERT INTO folkmoot_line (debate, seq, text) VALUES ('a', 2, 'theirs')")
        longer = group.create_task(outcome(store.append("a", ("x", "y", "z"), after=1)))
        beside = group.create_task(outcome(store.append("b", ("1",), after=0)))
        await statement_waits(database)
        assert not longer.done()
    assert isinstance(longer.result(), RecordConflict)
    assert beside.result() is None
    assert await store.read("a") == ("1", "theirs")
    await other.close()
    await store.close()


async def test_whoever_waits_for_another_writer_goes_on_when_that_one_gives_up(database: str) -> None:
    store = PostgresStore.open(database)
    await store.append("a", ("1",), after=0)
    other = await asyncpg.connect(database)
    theirs = other.transaction()
    await theirs.start()
    await other.execute("INSERT INTO folkmoot_line (debate, seq, text) VALUES ('a', 2, 'theirs')")
    async with asyncio.TaskGroup() as group:
        group.create_task(store.append("a", ("2", "3"), after=1))
        await statement_waits(database)
        await theirs.rollback()
    assert await store.read("a") == ("1", "2", "3")
    await other.close()
    await store.close()


async def test_a_line_that_comes_in_between_is_gone_on_from(database: str) -> None:
    store = PostgresStore.open(database)
    await store.append("a", ("1",), after=0)
    gate, other = await asyncpg.connect(database), await asyncpg.connect(database)
    async with asyncio.TaskGroup() as group, other.transaction():
        async with gate.transaction():
            await gate.execute("INSERT INTO folkmoot_line (debate, seq, text) VALUES ('gate', 1, 'theirs')")
            await other.execute(
                "INSERT INTO folkmoot_line (debate, seq, text) VALUES ('a', 2, '2'), ('b', 1, 'theirs')"
            )
            shut = group.create_task(outcome(store.append("gate", ("1",), after=0)))
            await statement_waits(database)
            waits = group.create_task(outcome(store.append("b", ("1",), after=0)))
            goes_on = group.create_task(outcome(store.append("a", ("3",), after=2)))
            await asyncio.sleep(0)
        await shut
        await statement_waits(database)  # the batch of a and b has begun: it waits for b, and cannot see line 2 of a
    assert [type(task.result()) for task in (shut, waits, goes_on)] == [RecordConflict, RecordConflict, type(None)]
    assert await store.read("a") == ("1", "2", "3")
    await gate.close()
    await other.close()
    await store.close()


WRITER = """
import asyncio, sys
from folkmoot.record.postgres import PostgresStore

async def main(address):
    store = PostgresStore.open(address)
    await store.append("a", ("from elsewhere",), after=1)
    await store.close()

asyncio.run(main(sys.argv[1]))
"""


async def test_another_process_makes_a_conflict(database: str) -> None:
    store = PostgresStore.open(database)
    await store.append("a", ("1",), after=0)
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", WRITER, database)
    assert await process.wait() == 0
    with pytest.raises(RecordConflict, match="Debate a has 2 entries"):
        await store.append("a", ("2",), after=1)
    assert await store.read("a") == ("1", "from elsewhere")
    await store.close()


# ---- what cannot be kept -------------------------------------------------------------------------------------------


async def test_what_is_too_long_is_refused_before_it_is_sent(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = PostgresStore.open(database)
    await store.append("ä" * (LONGEST_ID // 2), ("1",), after=0)
    with pytest.raises(RecordError, match="has at most 2000 bytes"):
        await store.append("ä" * (LONGEST_ID // 2) + "x", ("1",), after=0)
    monkeypatch.setattr(LARGEST, 10)
    with pytest.raises(RecordError, match="One append has at most 10 characters"):
        await store.append("a", ("123456", "78901"), after=0)
    assert len(await store.debates()) == 1
    assert await store.read("a\0b") == await store.read("\ud800") == ()
    await store.close()


# ---- callers that go away ------------------------------------------------------------------------------------------


async def test_a_cancelled_append_harms_nobody_and_may_be_stored(database: str) -> None:
    store = PostgresStore.open(database)
    assert await store.read("a") == ()
    async with asyncio.TaskGroup() as group, writes_blocked(database):
        first = group.create_task(store.append("c", ("1",), after=0))
        await statement_waits(database)
        leaving = group.create_task(store.append("a", ("1",), after=0))
        staying = group.create_task(store.append("b", ("1",), after=0))
        await asyncio.sleep(0)
        first.cancel()
        leaving.cancel()
        await asyncio.sleep(0)
        assert leaving.cancelled()
    assert staying.done()
    assert [await store.read(debate) for debate in "abc"] == [("1",)] * 3
    await store.close()


def test_one_store_serves_several_event_loops(database: str) -> None:
    store = PostgresStore.open(database)
    for n in range(3):
        asyncio.run(store.append("a", (str(n),), after=n))
        assert asyncio.run(store.read("a", after=n)) == (str(n),)
    asyncio.run(store.close())
    asyncio.run(store.close())


async def test_closing_lets_appends_finish_first(database: str) -> None:
    store = PostgresStore.open(database)
    assert await store.read("a") == ()
    async with asyncio.TaskGroup() as group, writes_blocked(database):
        group.create_task(store.append("a", ("1",), after=0))
        await statement_waits(database)
        group.create_task(store.close())
        await asyncio.sleep(0)
        with pytest.raises(RecordError, match=r"cannot be used: it has been closed\."):
            await store.append("a", ("2",), after=1)
    again = PostgresStore.open(database)
    assert await again.read("a") == ("1",)
    await again.close()


async def test_closing_does_not_wait_for_ever(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = PostgresStore.open(database)
    await store.append("a", ("1",), after=0)
    monkeypatch.setattr("folkmoot.record.postgres_connection.CLOSING", 0.05)
    other = await asyncpg.connect(database)
    async with asyncio.TaskGroup() as group, other.transaction():
        await other.execute("LOCK TABLE folkmoot_line")
        reading = group.create_task(outcome(_look(store)))
        await statement_waits(database)
        await store.close()
    assert "the connection to its server was lost" in str(reading.result())
    await other.close()


async def _look(store: Store) -> None:
    await store.debates()


async def test_what_is_kept_at_hand_of_a_debate_is_not_used_for_another_one_under_its_id(database: str) -> None:
    store, other = PostgresStore.open(database), PostgresStore.open(database)
    panel, arena = ((RECORDS / f"v2-{name}.jsonl").read_text("utf-8").splitlines() for name in ("panel", "arena"))
    await store.append("d", panel[:9], after=0)
    await other.remove(["d"])
    await other.append("d", arena[:9], after=0)
    await store.append("d", arena[9:12], after=9)
    assert await store.page(ListQuery()) == choose([("d", summarize("d", arena[:12]))], ListQuery())
    await store.close()
    await other.close()
