"""The queue of a simulated world: the real statements of ``workers``, run by SQLite in memory on the world's clock.

A transaction happens at one moment, as a whole or not at all. Between its request and that moment, and again before its
answer, time passes, in which a process can be killed or frozen. What several transactions of PostgreSQL do at the same
moment is not simulated; a model says what must hold there (``tests/workers/leases.pml``).
"""

import asyncio
import json
import re
import sqlite3
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping, Sequence
from contextvars import Context, copy_context
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TypeVar, cast

from folkmoot.app.run.dispatcher import QueueAway, QueueError
from folkmoot.core.errors import FolkmootError
from folkmoot.workers.leases import TRIES
from folkmoot.workers.queue_database import Connection, Database
from folkmoot.workers.queue_tables import NUMBER, OURS, TABLES
from tests.simulator.checks.queue_checks import ScheduleTimes, check_end, check_taking
from tests.simulator.fault_plan import QueueFault
from tests.simulator.invariants import Violation, require
from tests.simulator.world import EPOCH, SCHEDULE, World

T = TypeVar("T")

ADDRESS = "postgresql://simulated/folkmoot"

BRIEF = "---\nprotocol: round_robin\nrounds: 1\nmodel: builtin:quotes\n---\n# Tea or coffee?\n"
"""What the schedule has debated, by participants that need no provider."""

WORDS: Sequence[tuple[str, str]] = (
    (r"::(float8|text\[\]|text|int)", ""),
    (r"\* interval '1 s'", ""),
    (r"interval '1 day'", "86400"),
    (r"extract\(epoch from ", "("),
    (r"to_timestamp\(", "("),
    (r"greatest\(", "max("),
    (r"= any\(\$(\d)\)", r"in (select value from json_each($\1))"),
    (r"<> all\(\$(\d)\)", r"not in (select value from json_each($\1))"),
    (r"position\((.+?) in (left\(.+?\))\)", r"instr(\2, \1)"),
    (r"left\(text, (\d+)\)", r"substr(text, 1, \1)"),
    (r" for update( of j)?( skip locked)?", ""),
    (r"clock_timestamp\(\)", "(clock_timestamp())"),
    (r"\$(\d)", r"?\1"),
)
"""What PostgreSQL says in another way than SQLite, in our statements."""

CHANGES: Mapping[str, Sequence[str]] = {
    "": ("new", "queued"),
    "queued": ("running", "parked", "cancelled"),
    "running": ("queued", "waiting", "done", "parked", "cancelled"),
    "waiting": ("queued", "cancelled"),
    "done": ("queued",),
    "parked": ("queued",),
    "cancelled": ("queued",),
}
"""How the state of a job may change in one transaction."""


@lru_cache(maxsize=256)
def in_sqlite(statement: str) -> str:
    """A statement of ours as SQLite reads it."""
    for pattern, words in WORDS:
        if pattern != r"since timestamptz" or "folkmoot_job (" in statement:
            statement = re.sub(pattern, words, statement, count=1 if pattern == r"since timestamptz" else 0)
    return statement


class _Connected:
    """What the statements see of a connection of asyncpg."""

    def __init__(self, tables: sqlite3.Connection) -> None:
        self._tables = tables

    async def fetch(self, statement: str, *values: object) -> list[sqlite3.Row]:
        plain = [json.dumps(value) if isinstance(value, list) else value for value in values]
        if "folkmoot_schedule" not in statement and "folkmoot_firing" not in statement:
            return self._tables.execute(in_sqlite(statement), cast("Any", plain)).fetchall()
        plain = [value.timestamp() if isinstance(value, datetime) else value for value in plain]
        rows = self._tables.execute(in_sqlite(statement), cast("Any", plain)).fetchall()
        return cast("list[sqlite3.Row]", [with_times(row) for row in rows])

    async def fetchrow(self, statement: str, *values: object) -> Mapping[str, object] | sqlite3.Row | None:
        if "to_regclass" in statement:
            return {"there": True, "mark": f"{OURS}{NUMBER}"}
        rows = await self.fetch(statement, *values)
        return rows[0] if rows else None

    async def fetchval(self, statement: str, *values: object) -> Any:
        rows = await self.fetch(statement, *values)
        return next(iter(dict(rows[0]).values())) if rows else None

    async def execute(self, statement: str, *values: object) -> None:
        await self.fetch(statement, *values)


def with_times(row: sqlite3.Row) -> dict[str, object]:
    """A row of a schedule as PostgreSQL gives it: its times are no numbers."""
    return {
        name: datetime.fromtimestamp(row[name], UTC) if name in ("at", "next", "now") else row[name]
        for name in row.keys()  # noqa: SIM118 - a row has its values as items
    }


class SimulatedQueue:
    """The tables of the queue, and who listens to it.

    Args:
        world: whose queue it is.

    Attributes:
        away_until: the time at which the database is back.
        pending: how many transactions have been asked for and not happened yet.
        withdrawn: when their owner has withdrawn debates, and not submitted them again.
        withdrawals: the debates that their owner has ever begun to withdraw.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.away_until, self.pending = -1.0, 0
        self.withdrawn: dict[str, float] = {}
        self.withdrawals: set[str] = set()
        self._tables = sqlite3.connect(":memory:", isolation_level=None)
        self._tables.row_factory = sqlite3.Row
        self._operations = 0
        self._faults = {fault.number: fault for fault in world.plan.queue}
        self._listeners: dict[int, tuple[Callable[[str], None], Context]] = {}
        self._notices: list[str] = []
        self._jobs: dict[str, sqlite3.Row] = {}
        self._times = ScheduleTimes()
        self._answers: Counter[str] = Counter()  # by debate, when it was last taken
        self._tables.create_function("clock_timestamp", 0, self.now)
        self._tables.create_function("pg_notify", 2, self._notify)
        self._tables.create_function("pg_advisory_xact_lock", 1, _no_rows)
        self._tables.create_function("hashtext", 1, _no_rows)
        for statement in (*TABLES.split(";\n"), "create table folkmoot_line (debate text, text text)"):
            self._tables.execute(in_sqlite(statement + ";"))

    def _notify(self, channel: str, words: str) -> None:
        self._notices.append(words)

    def now(self) -> float:
        """The clock of the database."""
        return EPOCH + self.world.loop.time()

    def fault(self) -> QueueFault | None:
        """What is wrong with the next transaction."""
        self._operations += 1
        fault = None if self.world.calm else self._faults.get(self._operations)
        if fault is not None:
            self.world.miscounted = True
            self.world.note(f"the queue's transaction {self._operations}: {fault.kind}")
        if fault is not None and fault.kind == "away":
            self.away_until = self.world.loop.time() + fault.seconds
            self.world.loop.call_later(fault.seconds, self._tell_all, "")
        return fault

    def is_away(self) -> bool:
        """Whether the database gives no answer."""
        return self.world.loop.time() < self.away_until

    def is_quiet(self) -> bool:
        """Whether it answers, nothing that it was asked is on its way, and no job is to be run or runs."""
        busy = any(state in ("queued", "running") for state in self.states().values())
        return not (self.pending or busy or self.is_away())

    def add_lines(self, debate: str, lines: Sequence[str]) -> None:
        """Keep stored lines, for the queue counts answers in them."""
        self._tables.executemany("insert into folkmoot_line values (?, ?)", [(debate, line) for line in lines])

    def run(self, work: Callable[[Connection], Awaitable[T]], process: int) -> T:
        """Do a transaction, as a whole or not at all, and check what it has changed."""
        changes = self._tables.total_changes
        self._tables.execute("begin")
        try:
            value = _at_once(work(cast("Connection", _Connected(self._tables))))
        except BaseException:
            self._tables.execute("rollback")
            self._notices.clear()
            raise
        self._tables.execute("commit")
        if self._tables.total_changes != changes:
            self._check(process)
        notices, self._notices = self._notices, []
        for words in notices:
            self._tell_all(words)
        return value

    def listen(self, process: int, notify: Callable[[str], None]) -> None:
        """Tell a process of every notification, from now on."""
        self._listeners[process] = notify, copy_context()
        self._tell_all("")

    def end_listening(self, process: int) -> None:
        """Tell it no more."""
        self._listeners.pop(process, None)

    def _tell_all(self, words: str) -> None:
        if not self.is_away():
            for notify, context in self._listeners.values():
                self.world.loop.call_later(self.world.delay(0.01), notify, words, context=context)

    # ---- what must hold ----------------------------------------------------------------------------------------------

    def holder(self, debate: str) -> str:
        """Who holds the lease on a debate now; "" for nobody."""
        row = self._jobs.get(debate)
        return str(row["worker"] or "") if row and (row["until"] or 0.0) > self.now() else ""

    def left(self) -> list[tuple[object, ...]]:
        """Leases, workers and calls in flight that are still noted."""
        queries = (
            "select debate, worker from folkmoot_lease where until > clock_timestamp()",
            "select worker from folkmoot_worker where until > clock_timestamp()",
            "select worker, slots from folkmoot_slice where slots > 0 and until > clock_timestamp()",
        )
        return [tuple(row) for query in queries for row in self._tables.execute(query)]

    def slots(self, workers: Collection[str]) -> list[tuple[object, ...]]:
        """Calls that are counted as being in flight, of some workers."""
        rows = self._tables.execute("select worker, provider, slots from folkmoot_slice where slots > 0")
        return [tuple(row) for row in rows if row["worker"] in workers]

    # ---- a schedule --------------------------------------------------------------------------------------------------

    def begin_schedule(self, seconds: float) -> None:
        """Have a debate begin each minute, for some seconds; the first one may be due since long."""
        brief = {"text": BRIEF, "name": "brief.md", "folder": "/", "owner": ""}
        self._times.next = (EPOCH // 60 + 1) * 60 - self.world.plan.missed
        row = (SCHEDULE, "* * * * *", "UTC", json.dumps(brief), self._times.next)
        self._tables.execute("insert into folkmoot_schedule values (?, ?, ?, ?, ?)", row)
        self.world.loop.call_later(seconds, self._tables.execute, "delete from folkmoot_schedule")

    @property
    def scheduled(self) -> bool:
        """Whether debates may still begin by the schedule."""
        query = "select (select count(*) from folkmoot_schedule) + (select count(*) from folkmoot_firing)"
        return self.world.plan.scheduled and bool(self._tables.execute(query).fetchone()[0])

    def check_schedule(self) -> None:
        """Check that each time that was taken has one debate."""
        begun = sorted(debate for debate in self.world.records if debate.startswith(f"{SCHEDULE}-"))
        times = (datetime.fromtimestamp(time, UTC) for time in sorted(self._times.taken))
        wanted = [f"{SCHEDULE}-{time:%Y%m%d-%H%M%S}" for time in times]
        require(begun == wanted, "I69", lambda: f"{begun} and not {wanted}")
        require(
            all(debate in self._jobs for debate in begun), "I69", f"{begun}, of which {sorted(self._jobs)} are queued"
        )

    def states(self) -> dict[str, str]:
        """The state of each job."""
        return {debate: row["state"] for debate, row in self._jobs.items()}

    def _check(self, process: int) -> None:
        if self.world.plan.scheduled:
            self._times.check(self._tables, self.now())
        query = "select j.*, l.worker, l.epoch, l.until from folkmoot_job j left join folkmoot_lease l using (debate)"
        rows = {row["debate"]: row for row in self._tables.execute(query)}
        require(rows.keys() >= self._jobs.keys(), "I60", lambda: f"{self._jobs.keys() - rows.keys()} is gone")
        for debate, row in rows.items():
            before = self._jobs.get(debate)
            self._check_job(process, before, row)
            if row["epoch"] is not None:
                self._check_lease(process, before, row)
        self._jobs = rows

    def _check_job(self, process: int, before: sqlite3.Row | None, row: sqlite3.Row) -> None:
        old, state, debate = before["state"] if before else "", row["state"], row["debate"]
        require(row["tries"] <= TRIES, "I66", lambda: f"{debate}: {row['tries']} tries")
        self._check_tries(process, before, row)
        if old == state:
            return
        self.world.note(f"the queue: {debate} is {state} {row['reason']}".rstrip())
        require(state in CHANGES[old], "I60", lambda: f"{debate}: {old} becomes {state}")
        require(
            old not in ("done", "parked", "cancelled") or process == 0,
            "I60",
            lambda: f"{debate}: {old} becomes {state}",
        )
        record = self.world.records[debate]
        require(state != "done" or record.closed is not None, "I64", debate)
        require(state != "cancelled" or debate in self.withdrawals, "I110", lambda: f"{debate}: {row['reason']}")
        require(state != "parked" or "internal error" not in row["reason"], "I54", row["reason"])
        require(state != "parked" or "Mismatch" not in row["reason"], "I27", row["reason"])
        if state == "parked" and old == "queued":
            require(before is not None and before["tries"] == TRIES, "I66", lambda: f"{debate}: {row['reason']}")
        if old == "running" and before is not None:
            check_end(before, row, record, self.now())
            free = before["until"] is None or before["until"] <= self.now()
            require(
                free or before["worker"] == name_of(process), "I62", lambda: f"{debate}: {state} by {name_of(process)}"
            )

    def _check_tries(self, process: int, before: sqlite3.Row | None, row: sqlite3.Row) -> None:
        """Each taking counts as a try, and only an answer, the owner or an orderly end begins the count anew."""
        debate, tries = row["debate"], row["tries"]
        was = before["tries"] if before is not None else 0
        if before is not None and (row["epoch"] or 0) != (before["epoch"] or 0):
            answers = self.world.records[debate].calls
            wanted = 1 if answers > self._answers[debate] else was + 1
            require(tries == wanted, "I66", lambda: f"{debate}: taken for the {wanted}. time, {tries} counted")
            self._answers[debate] = answers
        elif tries != was:
            assert before is not None
            in_order = row["state"] in ("waiting", "cancelled") or not row["reason"] or before["again"]
            ended = before["state"] == "running" and in_order
            require(tries == 0 and (process == 0 or ended), "I66", lambda: f"{debate}: {was} tries become {tries}")

    def _check_lease(self, process: int, before: sqlite3.Row | None, row: sqlite3.Row) -> None:
        debate, now, who = row["debate"], self.now(), name_of(process)
        epoch = (before["epoch"] if before else None) or 0
        until = (before["until"] if before else None) or 0.0
        if row["epoch"] != epoch:
            if before is not None:
                check_taking(before, now)
            require(debate not in self.withdrawn, "I92", lambda: f"{who} takes {debate}")
            require(
                row["epoch"] == epoch + 1 and until <= now,
                "I61",
                lambda: f"{debate}: taken {until - now:.1f} s too early",
            )
            require(
                row["state"] == "running" and row["worker"] == who, "I61", lambda: f"{debate}: {row['state']} of {who}"
            )
            other = number_of(str(before["worker"])) if before and before["worker"] else 0
            loop = self.world.loop
            lives = other != 0 and not loop.is_dead(other)
            runs = lives and not self.world.miscounted and bool(loop.tasks_of(other))
            require(not runs, "I68", lambda: f"{debate}: worker {other} runs, and {who} takes it")
            self.world.shared = self.world.shared or lives
            self.world.taken[debate] += 1
            self.world.leases[process, debate] += 1
        elif row["until"] != until and before is not None:
            by_holder = before["worker"] == who
            require(by_holder, "I62", lambda: f"{debate}: the lease of {before['worker']} is changed by {who}")
            renewed = row["until"] > until and row["worker"]
            require(not renewed or until > now, "I61", lambda: f"{debate}: a lease that has run out is renewed")


class SimulatedDatabase(Database):
    """The queue as one process is connected to it.

    Args:
        queue: the tables.
        process: whose connections they are.
    """

    def __init__(self, queue: SimulatedQueue, process: int) -> None:
        super().__init__(ADDRESS)
        self._queue, self._process = queue, process
        self._tasks: list[asyncio.Task[None]] = []

    async def do(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """See ``Database.do``."""
        queue, world, loop = self._queue, self._queue.world, self._queue.world.loop
        fault = queue.fault()
        queue.pending += 1
        outcome: asyncio.Future[T] = loop.create_future()

        def land() -> None:
            queue.pending -= 1
            if outcome.done():
                return  # it was cancelled, and is taken back
            try:
                if queue.is_away():
                    raise QueueAway("the queue cannot be reached: simulated")
                value = queue.run(work, self._process)
                if fault is not None and fault.kind == "unsure":
                    raise QueueAway("the queue cannot be reached: the connection was lost")
            except Violation as violation:
                world.fail(violation)
            except (FolkmootError, sqlite3.Error) as error:
                loop.call_later(answered, _fail, outcome, error)
            else:
                loop.call_later(answered, _answer, outcome, value)

        slow, late = (fault.seconds if fault is not None and fault.kind == kind else 0.0 for kind in ("slow", "late"))
        answered = world.delay(0.02) + late
        # What has left a process happens, even if the process is stopped meanwhile.
        context = Context() if world.random.random() < 0.5 else copy_context()
        loop.call_later(world.delay(0.02) + slow, land, context=context)
        return await outcome

    def listen(self, notify: Callable[[str], None]) -> None:
        """See ``Database.listen``."""
        self._queue.listen(self._process, notify)

    def keep(self, work: Coroutine[object, object, None]) -> None:
        """See ``Database.keep``."""
        self._tasks.append(self._queue.world.loop.start(self._process, work))

    async def close(self) -> None:
        """See ``Database.close``."""
        self._queue.end_listening(self._process)
        for task in self._tasks:
            task.cancel()
        loop = self._queue.world.loop
        while any(not task.done() for task in self._tasks) and not loop.is_dead(self._process):  # noqa: ASYNC110
            await asyncio.sleep(0.001)


def _no_rows(_: object) -> int:
    return 0


def name_of(process: int) -> str:
    """What the worker of a process is called."""
    return f"worker-{process}"


def number_of(worker: str) -> int:
    """The process of a worker."""
    return int(worker.rpartition("-")[2])


def _at_once(work: Awaitable[T]) -> T:
    """What a coroutine returns that waits for nothing."""
    coroutine = cast("Coroutine[object, None, T]", work)
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return cast("T", stop.value)
    coroutine.close()
    raise QueueError("a transaction waits for something else")


def _answer(outcome: "asyncio.Future[T]", value: T) -> None:
    if not outcome.done():
        outcome.set_result(value)


def _fail(outcome: "asyncio.Future[Any]", error: Exception) -> None:
    if not outcome.done():
        outcome.set_exception(error)
