"""Summaries in PostgreSQL: they are right whoever else has written to the database."""

from collections.abc import AsyncGenerator

import asyncpg
import pytest

from folkmoot.record import postgres_summaries
from folkmoot.record.listing import ListQuery, choose
from folkmoot.record.postgres import PostgresStore
from folkmoot.record.summary_fold import summarize
from tests.record.test_side_events import rows
from tests.record.test_summaries import NAMES, lines


async def agree(store: PostgresStore) -> None:
    """What is listed is what the lines say."""
    streams = [info.debate for info in await store.debates()]
    folds = [(name, summarize(name, await store.read(name))) for name in streams]
    for query in (ListQuery(), ListQuery(limit=3), ListQuery(status="decided"), ListQuery(owner="ann")):
        assert await store.page(query) == choose(folds, query)


async def run(database: str, *statements: str) -> None:
    link = await asyncpg.connect(database)
    for statement in statements:
        await link.execute(statement)
    await link.close()


@pytest.fixture
async def filled(database: str) -> AsyncGenerator[PostgresStore]:
    """A store with debates, and what stands beside some."""
    store = PostgresStore.open(database)
    for stream, seq, text in rows():
        await store.append(stream, [text], after=seq - 1)
    for name in NAMES:
        await store.append(name, lines(name)[:9], after=0)
    yield store
    await store.close()


async def test_what_another_program_appends_is_seen(filled: PostgresStore, database: str) -> None:
    await run(database, "INSERT INTO folkmoot_line (debate, seq, text) VALUES ('panel', 10, 'no line')")
    await agree(filled)
    await filled.append("panel", ["another"], after=10)
    await agree(filled)
    await run(database, "INSERT INTO folkmoot_line (debate, seq, text) VALUES ('new', 1, 'no line')")
    await filled.append("new", ["another"], after=1)
    await agree(filled)


async def test_what_is_kept_at_hand_is_not_used_for_another_record(filled: PostgresStore) -> None:
    """Another process has deleted the debate, and begun one of as many lines under its id."""
    other = PostgresStore.open(filled.address)
    await other.remove(["panel"])
    await other.append("panel", lines("arena")[:9], after=0)
    await filled.append("panel", lines("arena")[9:12], after=9)
    await agree(filled)
    await other.close()


async def test_little_is_kept_at_hand(filled: PostgresStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_summaries, "KEPT", 2)
    for n in range(9, 12):
        for name in NAMES:
            await filled.append(name, lines(name)[n : n + 1], after=n)
    await agree(filled)
