"""The tables of the queue: their columns, and how a database is prepared for them.

``moot_job`` says what was submitted and its state, ``moot_lease`` which worker should run it. The engine's own tables
are beside them in the schema ``dbos``. All times are those of the database's clock.
"""

import time
from importlib.metadata import version

from dbos import DBOS, DBOSClient
from dbos._serialization import DBOSPortableJSONSerializer
from sqlalchemy import Connection, Engine, create_engine, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, ProgrammingError, SQLAlchemyError

from moot.app.run.dispatcher import QueueError

SCHEMA = "dbos"
"""Where the engine's own tables are."""

APPLICATION = "moot"
VERSION = "1"
"""The version that the engine is told. It never changes: what a workflow does is to resume a debate from its record."""

QUEUE = "moot"
SEGMENT = "moot.segment"
"""The queue and the workflow of debates."""

OURS = "queue of Moot 1"
MARK = f"{OURS}, dbos {version('dbos')}"
"""What the comment of ``moot_job`` says: whose it is and its version; all of it once the engine's tables are there."""

CONNECTIONS = 5
"""The most connections of one process to the tables of the queue."""

PATIENCE = 60.0
"""Seconds to wait for another process that makes the tables."""

_LOCK = 0x6D6F6F75
_TABLES = """
create table if not exists moot_job (
    debate text primary key,
    owner text not null default '',
    priority integer not null,
    rank bigint not null default 0,
    state text not null,
    segment integer not null default 0,
    tries integer not null default 0,
    answers integer not null default 0,
    again boolean not null default false,
    stop text not null default '',
    reason text not null default '',
    wake timestamptz,
    since timestamptz not null default clock_timestamp(),
    changed timestamptz not null default clock_timestamp()
);
create index if not exists moot_job_state on moot_job (state, since desc);
create table if not exists moot_lease (
    debate text primary key,
    worker text not null,
    epoch bigint not null,
    until timestamptz not null
);
create table if not exists moot_limit (
    provider text not null,
    kind text not null,
    spent double precision not null default 0,
    began timestamptz not null default clock_timestamp(),
    primary key (provider, kind)
);
create table if not exists moot_slice (
    provider text not null,
    worker text not null,
    slots integer not null,
    until timestamptz not null,
    primary key (provider, worker)
);
"""


def plain(address: str) -> str:
    """An address as the driver wants it."""
    return f"postgresql://{address.partition('://')[2]}"


def engine_of(address: str) -> Engine:
    """Connections to the database of that address; none is opened before it is needed.

    Raises:
        QueueError: it is no address of a PostgreSQL database.
    """
    try:
        url = make_url(plain(address)).set(drivername="postgresql+psycopg")
    except (ArgumentError, ValueError):
        raise QueueError("the store's address cannot be read; write postgresql://user@host/database") from None
    return create_engine(url, pool_size=CONNECTIONS, max_overflow=0, pool_pre_ping=True)


def client_of(engine: Engine) -> DBOSClient:
    """The engine's client over the same connections."""
    return DBOSClient(
        system_database_engine=engine,
        dbos_system_schema=SCHEMA,
        serializer=DBOSPortableJSONSerializer(),
        application_name=APPLICATION,
        lazy=True,
        retry_connection_errors=False,
    )


def make_ready(engine: Engine) -> None:
    """Make the tables where they are missing or old; several processes may do so at once.

    Where they are there nothing is made, so that who may only read and write can submit and work.

    Raises:
        QueueError: the database cannot be reached, nothing may be made there, or it holds tables of others.
    """
    try:
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            if _mark(connection) == MARK:
                return
            _lock(connection)
            try:
                if _mark(connection) != MARK:
                    _make(engine, connection)
            finally:
                connection.execute(text("select pg_advisory_unlock(:n)"), {"n": _LOCK})
    except SQLAlchemyError as error:
        raise unreachable(error) from None


def _make(engine: Engine, connection: Connection) -> None:
    with engine.begin() as once:
        for statement in filter(str.strip, _TABLES.split(";")):
            once.execute(text(statement))
        once.execute(text(f"comment on table moot_job is '{OURS}'"))
    # Under the lock, since the engine's own migrations are not meant to be made twice at once.
    DBOS.migrate(engine.url.render_as_string(hide_password=False), schema=SCHEMA)
    connection.execute(text(f"comment on table moot_job is '{MARK}'"))


def _mark(connection: Connection) -> str:
    """What the tables say of their version; "" where there are none.

    Raises:
        QueueError: there is such a table, and it is not ours.
    """
    there, mark = connection.execute(
        text("select to_regclass('moot_job') is not null, coalesce(obj_description(to_regclass('moot_job')), '')")
    ).one()
    if there and not mark.startswith(OURS):
        raise QueueError("the queue cannot be used: the database has a table moot_job that is not Moot's")
    return str(mark)


def _lock(connection: Connection) -> None:
    """Take the lock, asking again and again: the engine's migrations wait for every open look at the database.

    Whoever waited for the lock within the database would have one open, and both would wait for ever.
    """
    until = time.monotonic() + PATIENCE
    while not connection.execute(text("select pg_try_advisory_lock(:n)"), {"n": _LOCK}).scalar_one():
        if time.monotonic() > until:
            raise QueueError("another process has been making the tables of the queue for a minute; try again")
        time.sleep(0.05)


def is_ready(connection: Connection) -> bool:
    """Whether the tables are there, and may be looked at.

    Raises:
        QueueError: there is such a table, and it is not ours.
    """
    return _mark(connection).startswith(f"{OURS},")


def unreachable(error: Exception) -> QueueError:
    """What is said where the database does not answer, or refuses; it holds no address and no password."""
    lines = str(getattr(error, "orig", None) or error).strip().splitlines() or ["no answer"]
    what = "used" if isinstance(error, ProgrammingError) else "reached"
    return QueueError(f"the queue cannot be {what}: {lines[0].rpartition('FATAL:')[2].strip()[:200]}")
