"""The queue of the workers: submit debates, look at them and cancel them; its tables are those of the records' database.

What is wanted is written to the database first, and Temporal is told then. Whoever only looks asks the database alone.
"""

from collections.abc import Awaitable, Callable
from dataclasses import astuple, fields
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeVar

from folkmoot.app.plan.settings import load_config
from folkmoot.app.plan.settings_tables import TemporalSettings
from folkmoot.app.run.dispatcher import USUAL_PRIORITY, Cancelled, Job, QueueError, QueueStatus, State
from folkmoot.core.brief import QUEUE_DELAY, QUEUE_PRIORITY
from folkmoot.core.errors import BriefError
from folkmoot.core.packages import missing_library
from folkmoot.record.postgres import PostgresStore
from folkmoot.record.postgres_connection import Connection
from folkmoot.record.store import SCHEMES, Store, other_format
from folkmoot.workers.wanted import Step, Wanted, begun, cancelled, submitted
from folkmoot.workers.worker_notes import note

if TYPE_CHECKING:
    from temporalio.runtime import Runtime

    from folkmoot.workers.connection import Temporal

Result = TypeVar("Result")

VERSION = 1
"""Of the tables."""

ALIVE = 20.0
"""Seconds for which a worker counts as alive after it was heard of; it is heard of three times in that time."""

# Beside the rows: who is alive, what providers allow, and which Temporal goes with this database.
TABLES = f"""
select pg_advisory_xact_lock(1836019573);
create table if not exists folkmoot_wanted (
    debate text primary key, owner text not null, state text not null, priority integer not null,
    tries integer not null, worker text not null, reason text not null, since float8 not null, begins float8 not null,
    stopping boolean not null, at_once boolean not null, again boolean not null, answers integer not null
);
create index if not exists folkmoot_wanted_state on folkmoot_wanted (state, since desc);
create table if not exists folkmoot_worker (worker text primary key, places integer not null, until timestamptz not null);
create table if not exists folkmoot_limit (
    provider text primary key, requests float8 not null default 0, tokens float8 not null default 0,
    at float8 not null default 0, calls text not null default '{{}}'
);
create table if not exists folkmoot_installation (
    one boolean primary key default true check (one), version integer not null default {VERSION},
    id text not null default left(md5(random()::text || clock_timestamp()), 8),
    namespace text not null default '', address text not null default '', swept timestamptz not null default '-infinity'
);
insert into folkmoot_installation default values on conflict do nothing;
"""

_NAMES = tuple([field.name for field in fields(Wanted)])
_SELECT = f"select {', '.join(_NAMES)} from folkmoot_wanted"
_INSERT = (
    f"insert into folkmoot_wanted ({', '.join(_NAMES)}) values ({', '.join(f'${n + 1}' for n in range(len(_NAMES)))})"
    f" on conflict (debate) do update set {', '.join(f'{name} = excluded.{name}' for name in _NAMES[1:])}"
)
_NOW = "select extract(epoch from clock_timestamp())::float8"
# The kind of an entry stands in the head of its line, before all words.
_ANSWERS = """
select count(*) from folkmoot_line where debate = $1 and position('"kind":"called"' in left(text, 200)) > 0
"""


class Queue:
    """Submits debates to workers; see ``app.run.dispatcher.Dispatcher``. What only workers need is in the second half.

    Args:
        store: the records, in whose database the queue is.
        settings: where Temporal is; None to read the user's settings when it is needed.
    """

    def __init__(self, store: PostgresStore, settings: TemporalSettings | None = None) -> None:
        self.store, self._settings = store, settings
        self._temporal: Temporal | None = None
        self._ready = False

    async def submit(self, debate: str, *, owner: str = "", priority: int = USUAL_PRIORITY, after: float = 0.0) -> Job:
        """See ``Dispatcher.submit``. Where Temporal is away, workers begin the debate when it is back."""
        first, last = QUEUE_PRIORITY
        if not first <= priority <= last:
            allowed = f"a whole number from {first} (first) to {last} (last)"
            raise BriefError(f"the priority must be {allowed}, not {priority}")
        if not QUEUE_DELAY.low <= after <= QUEUE_DELAY.high:
            raise BriefError("the delay of a debate must be from 0 seconds to one year")
        new = Wanted(debate=debate, owner=owner, priority=priority, state="queued")
        row, _ = await self.change(debate, partial(submitted, new=new, after=after))
        assert row is not None
        try:
            await (await self.connected()).start(row, after)
        except QueueError as error:
            noted = f"{debate} is noted, and a worker begins it once Temporal can be used"
            raise type(error)(f"{error}. {noted}") from error
        return row

    async def cancel(self, debate: str, *, now: bool = False) -> Cancelled:
        """See ``Dispatcher.cancel``."""
        known = await self.job(debate)
        if known is None or known.state not in ("queued", "running", "waiting"):
            return ""
        row, _ = await self.change(debate, partial(cancelled, at_once=now))
        if row is None or row.state not in ("running", "cancelled"):
            return ""  # it has ended in the meantime
        await (await self.connected()).cancel(debate)
        return "cancelled" if row.state == "cancelled" else "stopping"

    async def job(self, debate: str) -> Wanted | None:
        """See ``Dispatcher.job``."""
        return await self.transaction(partial(_find, debate=debate))

    async def jobs(self, *, state: State | None = None, owner: str | None = None, limit: int = 100) -> tuple[Job, ...]:
        """See ``Dispatcher.jobs``."""
        chosen = f"{_SELECT} where $1 in ('', state) and ($2::text is null or owner = $2)"
        question = f"{chosen} order by since desc, debate limit $3"
        rows = await self.transaction(lambda c: c.fetch(question, state or "", owner, limit))
        return tuple([Wanted(**row) for row in rows])

    async def forget(self, debate: str) -> bool:
        """See ``Dispatcher.forget``."""
        delete = "delete from folkmoot_wanted where debate = $1"
        if await self.transaction(lambda c: c.execute(delete, debate)) == "DELETE 0":
            return False
        await (await self.connected()).cancel(debate)
        return True

    async def status(self) -> QueueStatus:
        """See ``Dispatcher.status``."""

        async def count(c: Connection) -> QueueStatus:
            rows = await c.fetch("select state, count(*) n from folkmoot_wanted group by state")
            workers = await c.fetchrow(
                "select count(*) as workers, coalesce(sum(places), 0)::int as places from folkmoot_worker"
                " where until > clock_timestamp()"
            )
            oldest = await c.fetchval(
                f"select min(greatest(begins, since)) from folkmoot_wanted where state = 'queued' and begins <= ({_NOW})"
            )
            assert workers is not None
            return QueueStatus(**workers, oldest=oldest, counts={row["state"]: row["n"] for row in rows})

        return await self.transaction(count)

    # ---- for workers -------------------------------------------------------------------------------------------------

    async def transaction(self, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        """See ``PostgresStore.transaction``; the tables are there."""

        async def make_ready(c: Connection) -> None:
            if not await c.fetchval("select to_regclass('folkmoot_installation')"):
                await c.execute(TABLES)

        if not self._ready:
            await self.store.transaction(make_ready)
            self._ready = True
        return await self.store.transaction(work)

    async def connected(self, *, runtime: "Runtime | None" = None, move: bool = False) -> "Temporal":
        """The connection to Temporal, made when it is first needed; see ``Temporal.connect``.

        Raises:
            QueueError: Temporal cannot be reached or used, or the database goes with another one.
        """
        from folkmoot.workers.connection import Temporal  # here, since the SDK takes a moment and only few need it

        if self._temporal is None:
            temporal = Temporal(self._settings or load_config().temporal)
            await temporal.connect(runtime)
            await self._check(temporal, move=move)
            self._temporal = temporal
        return self._temporal

    async def _check(self, temporal: "Temporal", *, move: bool) -> None:
        """Refuse a Temporal that isn't this database's, because two of them would run each debate twice."""
        namespace = await temporal.namespace()

        async def compare(c: Connection) -> str:
            row = await c.fetchrow("select id, version, namespace, address from folkmoot_installation")
            assert row is not None
            if row["version"] != VERSION:
                reason = other_format("the version of its tables", row["version"], VERSION)
                raise QueueError(f"the queue cannot be used: {reason}")
            if row["namespace"] != namespace:
                # The same address with another id: its state was lost, and workers tell it again what is wanted.
                if row["namespace"] and row["address"] != temporal.place and not move:
                    raise QueueError(
                        f"this database goes with Temporal at {row['address']}, not at {temporal.place};"
                        " correct the address, or stop all workers and move it with: folkmoot worker reconcile"
                    )
                update = "update folkmoot_installation set namespace = $1, address = $2"
                await c.execute(update, namespace, temporal.place)
            return str(row["id"])

        temporal.installation = await self.transaction(compare)

    async def change(self, debate: str, step: Step) -> tuple[Wanted | None, float]:
        """Take a step with the row of a debate; the row afterwards, and the time."""
        return await self.transaction(partial(_change, debate=debate, step=step))

    async def begin(self, debate: str, worker: str) -> tuple[Wanted | None, float]:
        """Note that a worker begins a segment; see ``change``."""

        async def work(c: Connection) -> tuple[Wanted | None, float]:
            answers = await c.fetchval(_ANSWERS, debate)
            return await _change(c, debate, partial(begun, worker=worker, answers=answers))

        return await self.transaction(work)

    async def reconcile(self, *, move: bool = False) -> int:
        """See ``Dispatcher.reconcile``.

        Whoever ran such a debate may still be at it, so it begins when that worker's fence has closed.
        """
        temporal = await self.connected(move=move)
        await self._check(temporal, move=move)
        now = await self.transaction(lambda c: c.fetchval(_NOW))
        # Whoever has just submitted one is about to tell Temporal.
        due = "state in ('queued', 'running') and since < $1 - 5 or state = 'waiting' and begins between 1 and $1"
        question = f"{_SELECT} where {due} order by state desc, priority, since"  # those that have begun come first
        rows = [Wanted(**row) for row in await self.transaction(lambda c: c.fetch(question, now))]
        running, started = await temporal.running() if rows else set[str](), 0
        for row in rows:
            wait = max(temporal.settings.timeout, row.begins - now)
            if row.debate not in running and await temporal.start(row, wait, message=False):
                note("queued again", "queued again", debate=row.debate, state="queued")
                started += 1
        return started

    async def may_sweep(self, seconds: float) -> bool:
        """Whether to look for what is missed: no worker has for so many seconds."""
        due = "swept < clock_timestamp() - $1 * interval '1 s'"
        update = f"update folkmoot_installation set swept = clock_timestamp() where {due}"
        return await self.transaction(lambda c: c.execute(update, seconds)) != "UPDATE 0"

    async def stay(self, worker: str, places: int) -> None:
        """Note that a worker is alive."""
        alive = f"""
            insert into folkmoot_worker (worker, places, until)
            values ($1, $2, clock_timestamp() + {ALIVE} * interval '1 s')
            on conflict (worker) do update set places = excluded.places, until = excluded.until
        """
        await self.transaction(lambda c: c.execute(alive, worker, places))

    async def leave(self, worker: str) -> None:
        """Note that a worker has ended; forget those that were not heard of for a day."""
        delete = "delete from folkmoot_worker where worker = $1 or until < clock_timestamp() - interval '1 day'"
        await self.transaction(lambda c: c.execute(delete, worker))


async def _find(c: Connection, debate: str) -> Wanted | None:
    row = await c.fetchrow(f"{_SELECT} where debate = $1", debate)
    return Wanted(**row) if row else None


async def _change(c: Connection, debate: str, step: Step) -> tuple[Wanted | None, float]:
    # A lock of its own, since a row that is not there yet can't be locked.
    now = await c.fetchval(f"{_NOW} from pg_advisory_xact_lock(hashtextextended($1, 7))", debate)
    row = await _find(c, debate)
    after = step(row, now)
    if after is not None and after != row:
        await c.execute(_INSERT, *astuple(after))
    return after, now


def check_queue(address: str) -> None:
    """Refuse what needs a queue where there is none.

    Raises:
        BriefError: the store is a file, or the packages are missing.
    """
    if not address.startswith(SCHEMES):
        need = "a queue needs a store that many machines share: --store postgresql://user@host/database"
        raise BriefError(need, code="inconsistent")
    if not _is_installed():
        raise BriefError(missing_library("A queue of workers", "workers"), code="missing_extra")


def open_queue(store: Store) -> Queue | None:
    """The queue of a store that can have one; nothing is connected before it is used."""
    return Queue(store) if isinstance(store, PostgresStore) and _is_installed() else None


def _is_installed() -> bool:
    return all(find_spec(name) is not None for name in ("asyncpg", "temporalio"))
