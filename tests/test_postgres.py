"""Records in a PostgreSQL database keep what the Store port promises."""

import pytest

from moot.record.postgres import PostgresStore
from moot.record.store import Store
from moot.testing.stores import CHECKS, Check, OpenStore
from pg import Postgres


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
