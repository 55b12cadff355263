"""Summaries in PostgreSQL: made once for an older database, and right whoever else has written to it."""

from collections.abc import AsyncGenerator

import asyncpg
import pytest

from folkmoot.record import postgres_summaries
from folkmoot.record.listing import ListQuery, choose
from folkmoot.record.postgres import PostgresStore
from folkmoot.record.summary_fold import FOLD, summarize
from tests.record.test_side_events import CORPUS, rows
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
    for stream, seq, text in rows(CORPUS[0]):
        await store.append(stream, [text], after=seq - 1)
    for name in NAMES:
        await store.append(name, lines(name)[:9], after=0)
    yield store
    await store.close()


async def test_a_database_of_the_version_before_gets_its_summaries(filled: PostgresStore, database: str) -> None:
    await run(database, "DROP TABLE folkmoot_summary", "UPDATE folkmoot_version SET version_num = '0001'")
    again = PostgresStore.open(database)
    await agree(again)
    await again.append("panel", lines("panel")[9:], after=9)
    await agree(again)
    await again.close()


async def test_summaries_of_an_older_fold_are_made_again(filled: PostgresStore, database: str) -> None:
    await run(database, "UPDATE folkmoot_summary SET fold = 0, status = 'won', data = '{}'")
    await agree(filled)
    link = await asyncpg.connect(database)
    assert await link.fetchval("SELECT count(*) FROM folkmoot_summary WHERE fold <> $1", FOLD) == 0
    await link.close()


async def test_summaries_of_a_newer_fold_are_not_trusted_and_stay(filled: PostgresStore, database: str) -> None:
    await run(database, "UPDATE folkmoot_summary SET fold = 99, data = '{}' WHERE debate = 'panel'")
    assert {item.debate for item in (await filled.page(ListQuery())).debates} >= {"panel"}
    panel = next(item for item in (await filled.page(ListQuery())).debates if item.debate == "panel")
    assert panel == summarize("panel", lines("panel")[:9]).summary("panel")
    await filled.append("panel", lines("panel")[9:], after=9)
    await agree(filled)


async def test_what_an_older_program_appends_is_seen(filled: PostgresStore, database: str) -> None:
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
