"""What workers share: the limits of providers, and what may be set."""

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.app.plan.settings_tables import Allowance, read_limits, read_schedules
from folkmoot.core.errors import BriefError, Unavailable
from folkmoot.record.postgres import PostgresStore
from folkmoot.workers.job_queue import Queue
from folkmoot.workers.provider_limits import Allowed

pytestmark = pytest.mark.alone


@pytest.fixture
async def connections(database: str) -> AsyncGenerator[Queue]:
    store = PostgresStore.open(database)
    yield Queue(store)
    await store.close()


async def in_flight(queue: Queue) -> int:
    """How many calls are in progress, as the database has it."""
    calls = await queue.transaction(lambda c: c.fetchval("select calls from folkmoot_limit"))
    return sum(number for number, _ in json.loads(calls).values())


async def test_calls_in_flight_are_counted_over_all_workers_and_forgotten_with_a_silent_one(
    connections: Queue,
) -> None:
    allowed = Allowed(connections, "w1", "openai", Allowance(in_flight=2), 30.0)
    other = Allowed(connections, "w2", "openai", Allowance(in_flight=2), 30.0)
    silent = Allowed(connections, "w3", "openai", Allowance(in_flight=2), 0.2)
    async with allowed.counted(10, 1.0), other.counted(10, 1.0):
        with pytest.raises(Unavailable, match="the limits of openai for all workers let nobody through in time"):
            async with other.counted(10, 0.05):
                pass
    async with allowed.counted(10, 1.0), silent.counted(10, 1.0), other.counted(10, 5.0):
        pass  # The third has waited until the silent one was forgotten.
    assert await in_flight(connections) == 0


async def test_calls_of_one_worker_go_in_the_order_in_which_they_came(connections: Queue) -> None:
    first = Allowed(connections, "w1", "openai", Allowance(in_flight=1), 30.0)
    second = Allowed(connections, "w2", "openai", Allowance(in_flight=1), 30.0)
    through: list[int] = []

    async def call(n: int) -> None:
        async with second.counted(10, 60.0):
            through.append(n)

    async with asyncio.TaskGroup() as group, first.counted(10, 1.0):
        for n in range(4):
            group.create_task(call(n))
        await asyncio.sleep(0.7)
        assert through == []
    assert through == [0, 1, 2, 3]


async def test_requests_over_all_workers_never_exceed_the_limit_of_a_minute(connections: Queue) -> None:
    workers = [Allowed(connections, f"w{n}", "openai", Allowance(requests=600), 30.0) for n in range(3)]
    loop = asyncio.get_running_loop()
    began = loop.time()
    let: list[float] = []

    async def call(n: int) -> None:
        async with workers[n % 3].counted(1, 30.0):
            let.append(loop.time() - began)

    async with asyncio.TaskGroup() as group:
        for n in range(66):
            group.create_task(call(n))
    # Sixty fit into the bucket at once, nine run out of it each second.
    assert max(let) >= 6 / 9 - 0.05
    assert all(len([at for at in let if at <= second]) <= 60 + 9 * second + 1 for second in let)


async def test_tokens_are_reserved_before_a_call_and_what_was_not_used_is_given_back(
    connections: Queue,
) -> None:
    gate = Allowed(connections, "w1", "openai", Allowance(tokens=1000), 30.0)
    async with gate.counted(90, 1.0) as settle:
        with pytest.raises(Unavailable):
            async with gate.counted(90, 0.5):
                pass
        settle(5)
    async with gate.counted(90, 1.0):
        pass
    with pytest.raises(Unavailable):
        async with gate.counted(5000, 0.5):
            pass


async def test_a_call_that_finds_no_room_takes_no_slot(connections: Queue) -> None:
    gate = Allowed(connections, "w1", "openai", Allowance(in_flight=5, tokens=1000), 30.0)
    async with gate.counted(90, 1.0):
        with pytest.raises(Unavailable):
            async with gate.counted(90, 0.5):
                pass
        assert await in_flight(connections) == 1


async def test_a_slot_that_could_not_be_given_back_while_the_database_was_away_is_free_afterwards(
    connections: Queue, database: str
) -> None:
    gone = PostgresStore.open(database)
    first = Allowed(Queue(gone), "w1", "openai", Allowance(in_flight=1), 600.0)
    async with first.counted(10, 1.0):
        await gone.close()
    # Its calls are counted by the other connections from now on.
    back = replace(first, queue=connections)
    second = Allowed(connections, "w2", "openai", Allowance(in_flight=1), 600.0)
    with pytest.raises(Unavailable):
        async with second.counted(10, 0.1):
            pass
    await back.stay()
    async with second.counted(10, 1.0):
        pass


async def test_where_the_database_is_away_nothing_is_counted_and_nobody_waits() -> None:
    away = PostgresStore.open("postgresql://me@127.0.0.1:9/x")
    async with Allowed(Queue(away), "w1", "openai", Allowance(requests=1), 1.0).counted(1, 5.0) as settle:
        settle(1)
    await away.close()


@pytest.mark.parametrize(
    "wrong", [5, {"openai": 5}, {"nobody": {}}, {"openai": {"calls": 5}}, {"openai": {"tokens": 0}}]
)
def test_limits_that_cannot_be_are_refused(wrong: object) -> None:
    with pytest.raises(BriefError, match="limits"):
        read_limits(wrong, "folkmoot.toml")


@pytest.mark.parametrize("wrong", [{"Weekly!": {}}, {"weekly": {"brief": "a.md"}}, {"weekly": {"day": "mon"}}])
def test_schedules_that_cannot_be_are_refused(wrong: object) -> None:
    with pytest.raises(BriefError):
        read_schedules(wrong, Path("/etc/folkmoot.toml"))
