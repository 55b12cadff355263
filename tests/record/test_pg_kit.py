"""The kit's own promise: a real server, and an empty database for each test."""

import asyncpg
import pytest


@pytest.mark.parametrize("time", [1, 2])
async def test_each_test_has_an_empty_database(database: str, time: int) -> None:
    link = await asyncpg.connect(database)
    assert await link.fetchval("select count(*) from pg_tables where schemaname = 'public'") == 0
    await link.execute("create table line (n int)")
    await link.close()
