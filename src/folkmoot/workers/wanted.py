"""What is wanted of each debate: a row in PostgreSQL, written before Temporal is told.

``submitted``, ``cancelled``, ``begun`` and ``ended`` are pure: each says what becomes of a row at a time. ``change`` applies
one of them to the locked row, so that a submission and a worker never undo each other. Temporal only brings a debate to a
worker: the row says whether it is to run, and a Temporal that has lost its state is told again from the rows. Times are in
seconds since 1970, by the database's clock.
"""

from collections.abc import Callable
from dataclasses import astuple, dataclass, fields, replace
from functools import partial
from typing import TypeAlias

from folkmoot.app.run.dispatcher import Job, QueueStatus, State
from folkmoot.record.postgres_connection import Connection

TRIES = 5
"""How often a debate is begun, one time after the other, without another answer on record; then it is parked."""

VERSION = 1
"""Of the tables."""

ALIVE = 20.0
"""Seconds for which a worker counts as alive after it was heard of; it is heard of three times in that time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted(Job):
    """A row.

    Attributes:
        at_once: whether it is to be stopped without waiting for answers.
        again: whether it was submitted while it was running.
        answers: how many were on record when its last segment began.
    """

    at_once: bool = False
    again: bool = False
    answers: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a segment ended.

    Attributes:
        state: what the debate is from now on.
        reason: why, in one sentence.
        pause: seconds until its next segment; None for no other.
        fresh: whether its tries do not count.
    """

    state: State
    reason: str = ""
    pause: float | None = None
    fresh: bool = False


Step: TypeAlias = Callable[[Wanted | None, float], Wanted | None]
"""What becomes of a row at a time; None for a debate that has none."""


def submitted(row: Wanted | None, now: float, *, new: Wanted, after: float = 0.0) -> Wanted:
    """It is submitted as ``new``; see ``Dispatcher.submit``."""
    if row and row.state == "running":
        return replace(row, again=True)  # it may be about to end; then it runs once more, and overlooks no message
    return row if row and row.state == "queued" else replace(new, since=now, begins=now + after)


def cancelled(row: Wanted | None, now: float, *, at_once: bool) -> Wanted | None:
    """It is cancelled; see ``Dispatcher.cancel``."""
    match row:
        case Wanted(state="queued" | "waiting"):
            return _put(row, "cancelled", "it was cancelled")
        case Wanted(state="running"):
            return replace(row, stopping=True, at_once=at_once, again=False)
        case _:
            return row


def begun(row: Wanted | None, now: float, *, worker: str, answers: int) -> Wanted | None:
    """A worker begins a segment; it may where the debate is ``running`` afterwards."""
    if row is None or row.state not in ("queued", "running", "waiting"):
        return row
    if row.stopping:  # whoever should have stopped it is gone
        return _put(row, "queued" if row.again else "cancelled", "it was cancelled", begins=now)
    tries = 1 if answers > row.answers else row.tries + 1
    if tries > TRIES:
        reason = row.reason or "the workers that ran it broke off"
        return _put(row, "parked", f"given up after {TRIES} tries: {reason}")
    return replace(_put(row, "running", row.reason), worker=worker, tries=tries, answers=answers)


def ended(row: Wanted | None, now: float, *, worker: str, ending: Ending) -> Wanted | None:
    """A segment of that worker has ended; nothing changes where the debate is another's by now."""
    if row is None or row.state != "running" or row.worker != worker:
        return row
    row = replace(row, tries=0 if ending.fresh else row.tries)
    if row.again and ending.state in ("waiting", "cancelled"):
        return _put(row, "queued", begins=now)
    if row.stopping and not row.again and ending.state in ("queued", "waiting"):
        return _put(row, "cancelled", "it was cancelled")
    return _put(row, ending.state, ending.reason, begins=0.0 if ending.pause is None else now + ending.pause)


def _put(row: Wanted, state: State, reason: str = "", begins: float = 0.0) -> Wanted:
    row = replace(row, state=state, reason=reason, begins=begins, worker="")
    return replace(row, stopping=False, at_once=False, again=False)


def pause_of(row: Wanted, now: float) -> float | None:
    """Seconds until the next segment of a debate; None for no other."""
    return max(0.0, row.begins - now) if row.state in ("queued", "waiting") and row.begins else None


# ---- the tables ------------------------------------------------------------------------------------------------------

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
    provider text not null, kind text not null, spent float8 not null default 0,
    began timestamptz not null default clock_timestamp(), primary key (provider, kind)
);
create table if not exists folkmoot_slice (
    provider text not null, worker text not null, slots integer not null, until timestamptz not null,
    primary key (provider, worker)
);
create table if not exists folkmoot_installation (
    one boolean primary key default true check (one), version integer not null default {VERSION},
    id text not null default left(md5(random()::text || clock_timestamp()), 8),
    namespace text not null default '', address text not null default '', swept timestamptz not null default '-infinity'
);
insert into folkmoot_installation default values on conflict do nothing;
"""
"""Beside the rows: who is alive, what providers allow, and which Temporal goes with this database."""

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


async def make_ready(c: Connection) -> None:
    """Make the tables where they are missing; several processes may do so at once."""
    if not await c.fetchval("select to_regclass('folkmoot_installation')"):
        await c.execute(TABLES)


async def change(c: Connection, debate: str, step: Step) -> tuple[Wanted | None, float]:
    """Take a step with the row of a debate, in the transaction of the caller; the row afterwards, and the time."""
    # A lock of its own, since a row that is not there yet can't be locked.
    now = await c.fetchval(f"{_NOW} from pg_advisory_xact_lock(hashtextextended($1, 7))", debate)
    row = await find(c, debate)
    after = step(row, now)
    if after is not None and after != row:
        await c.execute(_INSERT, *astuple(after))
    return after, now


async def begin(c: Connection, debate: str, worker: str) -> tuple[Wanted | None, float]:
    """Note that a worker begins a segment; see ``change``."""
    answers = await c.fetchval(_ANSWERS, debate)
    return await change(c, debate, partial(begun, worker=worker, answers=answers))


async def find(c: Connection, debate: str) -> Wanted | None:
    """The row of a debate."""
    row = await c.fetchrow(f"{_SELECT} where debate = $1", debate)
    return Wanted(**row) if row else None


async def select(c: Connection, state: State | None, owner: str | None, limit: int) -> tuple[Wanted, ...]:
    """See ``Dispatcher.jobs``."""
    chosen = f"{_SELECT} where $1 in ('', state) and ($2::text is null or owner = $2)"
    rows = await c.fetch(f"{chosen} order by since desc, debate limit $3", state or "", owner, limit)
    return tuple([Wanted(**row) for row in rows])


async def missed(c: Connection) -> tuple[tuple[Wanted, float], ...]:
    """The debates that should have a workflow, those that have begun first, and the seconds until each may go on."""
    now = await c.fetchval(_NOW)
    # Whoever has just submitted one is about to tell Temporal.
    due = "state in ('queued', 'running') and since < $1 - 5 or state = 'waiting' and begins between 1 and $1"
    rows = [Wanted(**row) for row in await c.fetch(f"{_SELECT} where {due} order by state desc, priority, since", now)]
    return tuple([(row, max(0.0, row.begins - now)) for row in rows])


async def status(c: Connection) -> QueueStatus:
    """See ``Dispatcher.status``."""
    rows = await c.fetch("select state, count(*) n from folkmoot_wanted group by state")
    workers = await c.fetchrow(
        "select count(*) as workers, coalesce(sum(places), 0)::int as places from folkmoot_worker"
        " where until > clock_timestamp()"
    )
    oldest = await c.fetchval(
        "select min(greatest(begins, since)) from folkmoot_wanted"
        " where state = 'queued' and begins <= extract(epoch from clock_timestamp())"
    )
    assert workers is not None
    return QueueStatus(**workers, oldest=oldest, counts={row["state"]: row["n"] for row in rows})


async def may_sweep(c: Connection, seconds: float) -> bool:
    """Whether to look for what is missed: no worker has for so many seconds."""
    due = "swept < clock_timestamp() - $1 * interval '1 s'"
    return (
        await c.execute(f"update folkmoot_installation set swept = clock_timestamp() where {due}", seconds)
        != "UPDATE 0"
    )


async def stay(c: Connection, worker: str, places: int) -> None:
    """Note that a worker is alive, and so are its calls in progress."""
    until = "clock_timestamp() + $2 * interval '1 s'"
    await c.execute(
        f"insert into folkmoot_worker (worker, places, until) values ($1, $3, {until})"
        " on conflict (worker) do update set places = excluded.places, until = excluded.until",
        worker,
        ALIVE,
        places,
    )
    await c.execute(f"update folkmoot_slice set until = {until} where worker = $1", worker, ALIVE)


async def leave(c: Connection, worker: str) -> None:
    """Note that a worker has ended; forget those that were not heard of for a day."""
    for table in ("folkmoot_worker", "folkmoot_slice"):
        gone = "worker = $1 or until < clock_timestamp() - interval '1 day'"
        await c.execute(f"delete from {table} where {gone}", worker)
