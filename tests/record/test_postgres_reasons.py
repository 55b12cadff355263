"""Why a database cannot be used, in words."""

import asyncpg

from folkmoot.record.postgres_connection import reason_of


def test_a_database_without_connections_left_says_so() -> None:
    assert reason_of(asyncpg.TooManyConnectionsError("x")) == "its server has no connection left"
