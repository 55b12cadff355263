"""What workers share: the limits of providers, and what may be set."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from moot.app.plan.settings import Allowance, Schedule, read_limits, read_schedules
from moot.core.errors import BriefError, Unavailable
from moot.workers.provider_limits import Allowed
from moot.workers.queue_tables import engine_of, make_ready

pytestmark = pytest.mark.alone


async def test_calls_in_flight_are_counted_over_all_workers_and_forgotten_with_a_silent_one(database: str) -> None:
    engine = engine_of(database)
    make_ready(engine)
    one = Allowed(engine, "w1", "openai", Allowance(in_flight=2), 30.0)
    other, silent = replace(one, worker="w2"), replace(one, worker="w3", lease=0.2)
    async with one.counted(10, 1.0), other.counted(10, 1.0):
        with pytest.raises(Unavailable, match="the limits of openai for all workers let nobody through in time"):
            async with other.counted(10, 0.05):
                pass
    async with one.counted(10, 1.0), silent.counted(10, 1.0), other.counted(10, 5.0):
        pass  # The third has waited until the silent one was forgotten.
    with engine.begin() as connection:
        assert connection.execute(text("select sum(slots) from moot_slice")).scalar_one() == 0
    engine.dispose()


async def test_requests_over_all_workers_never_exceed_the_limit_of_a_minute(database: str) -> None:
    engine = engine_of(database)
    make_ready(engine)
    workers = [Allowed(engine, f"w{n}", "openai", Allowance(requests=600), 30.0) for n in range(3)]
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
    engine.dispose()


async def test_tokens_are_reserved_before_a_call_and_what_was_not_used_is_given_back(database: str) -> None:
    engine = engine_of(database)
    make_ready(engine)
    gate = Allowed(engine, "w1", "openai", Allowance(tokens=1000), 30.0)
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
    engine.dispose()


async def test_where_the_database_is_away_nothing_is_counted_and_nobody_waits() -> None:
    engine = engine_of("postgresql://me@127.0.0.1:9/x")
    async with Allowed(engine, "w1", "openai", Allowance(requests=1), 1.0).counted(1, 0.1) as settle:
        settle(1)
    engine.dispose()


def test_settings_of_workers_are_read_and_what_cannot_be_is_refused() -> None:
    read = read_limits({"openai": {"requests": 500, "tokens": 200_000, "in_flight": 50}}, "moot.toml")
    assert read == {"openai": Allowance(requests=500, tokens=200_000, in_flight=50)}
    path = Path("/etc/moot.toml")
    times = {"brief": "weekly.md", "cron": "0 9 * * mon", "timezone": "Europe/Berlin"}
    assert read_schedules({"weekly": times}, path) == (
        Schedule(name="weekly", brief="/etc/weekly.md", cron="0 9 * * mon", timezone="Europe/Berlin"),
    )
    limits: list[tuple[object, str]] = [
        (5, "limits must be a table of tables"),
        ({"openai": 5}, r"limits must be a table of tables: \[limits.openai\]"),
        ({"nobody": {}}, "limits.nobody is no provider"),
        ({"openai": {"calls": 5}}, "limits.openai has no setting 'calls'"),
        ({"openai": {"tokens": 0}}, "limits.openai.tokens must be a whole number from 1"),
        ({"openai": {"tokens": True}}, "limits.openai.tokens must be a whole number from 1"),
    ]
    for wrong, found in limits:
        with pytest.raises(BriefError, match=found):
            read_limits(wrong, "moot.toml")
    schedules: list[tuple[object, str]] = [
        ({"Weekly!": {}}, "needs a name of 1 to 32 small letters"),
        ({"weekly": {"brief": "a.md"}}, "schedules.weekly needs brief"),
        ({"weekly": {"brief": "a.md", "cron": 5}}, "schedules.weekly needs brief"),
        ({"weekly": {"day": "mon"}}, "schedules.weekly has no setting 'day'"),
    ]
    for wrong, found in schedules:
        with pytest.raises(BriefError, match=found):
            read_schedules(wrong, path)
