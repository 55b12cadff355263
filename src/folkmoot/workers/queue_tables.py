"""The tables of the queue: their columns, and how a database is prepared for them.

``folkmoot_job`` says what was submitted, ``folkmoot_lease`` which worker may run it, ``folkmoot_worker`` who is alive,
``folkmoot_limit`` and ``folkmoot_slice`` what providers allow, ``folkmoot_schedule`` and ``folkmoot_firing`` what begins at set times.
All times are those of the database's clock.
"""

import re

from folkmoot.app.run.dispatcher import QueueError
from folkmoot.record.store import other_format
from folkmoot.workers.queue_database import Connection, Database

OURS = "queue of Folkmoot "
NUMBER = 2
"""The comment of ``folkmoot_job`` says whose table it is and its version; no other version is used."""

PATIENCE = 60.0
"""Seconds to wait for another process that makes the tables."""

_LOCK = 0x6D6F6F75
TABLES = """
create table folkmoot_job (
    debate text primary key,
    owner text not null default '',
    priority integer not null,
    rank bigint not null default 0,
    state text not null,
    tries integer not null default 0,
    answers integer not null default 0,
    again boolean not null default false,
    stop text not null default '',
    reason text not null default '',
    wake timestamptz,
    since timestamptz not null default clock_timestamp(),
    changed timestamptz not null default clock_timestamp(),
    ready timestamptz not null default clock_timestamp()
);
create index folkmoot_job_state on folkmoot_job (state, since desc);
create index folkmoot_job_next on folkmoot_job (priority, rank, changed, debate) where state = 'queued';
create table folkmoot_lease (
    debate text primary key,
    worker text not null,
    epoch bigint not null,
    until timestamptz not null
);
create table folkmoot_worker (
    worker text primary key,
    places integer not null,
    since timestamptz not null default clock_timestamp(),
    until timestamptz not null
);
create table folkmoot_limit (
    provider text not null,
    kind text not null,
    spent double precision not null default 0,
    began timestamptz not null default clock_timestamp(),
    primary key (provider, kind)
);
create table folkmoot_slice (
    provider text not null,
    worker text not null,
    slots integer not null,
    until timestamptz not null,
    primary key (provider, worker)
);
create table folkmoot_schedule (
    name text primary key,
    cron text not null,
    timezone text not null,
    brief text not null,
    next timestamptz not null
);
create table folkmoot_firing (
    name text not null,
    at timestamptz not null,
    brief text not null,
    worker text not null,
    primary key (name, at)
);
"""


async def make_ready(database: Database) -> None:
    """Make the tables where they are missing; several processes may do so at once.

    Where they are there nothing is made, so that who may only read and write can submit and work.

    Raises:
        QueueError: the database cannot be reached, nothing may be made there, or it holds tables of others.
    """
    if not await database.do(has_tables):
        await database.do(_make)


async def _make(c: Connection) -> None:
    import asyncpg

    await c.execute(f"set local lock_timeout = {round(PATIENCE * 1000)}")
    try:
        await c.execute("select pg_advisory_xact_lock($1)", _LOCK)
    except asyncpg.LockNotAvailableError:
        raise QueueError("another process has been making the tables of the queue for a minute; try again") from None
    if not await has_tables(c):  # nobody else has made them meanwhile
        await c.execute(TABLES)
        await c.execute(f"comment on table folkmoot_job is '{OURS}{NUMBER}'")


async def has_tables(c: Connection) -> bool:
    """Whether the tables are there.

    Raises:
        QueueError: there is such a table, and it is not ours, or it is of another version.
    """
    row = await c.fetchrow(  # from pg_class, for the reason that stands at STATE of the records' tables
        "select count(*) > 0 as there, coalesce(max(obj_description(oid, 'pg_class')), '') as mark"
        " from pg_class where oid = to_regclass('folkmoot_job')"
    )
    assert row is not None
    if not row["there"]:
        return False
    number = re.match(rf"{OURS}(\d+)", str(row["mark"]))
    if number is None:
        raise QueueError("the queue cannot be used: the database has a table folkmoot_job that is not Folkmoot's")
    if int(number[1]) != NUMBER:
        reason = other_format("the version of its tables", int(number[1]), NUMBER)
        raise QueueError(f"the queue cannot be used: {reason}")
    return True
