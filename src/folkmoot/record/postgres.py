"""Records in a PostgreSQL database: writing, reading, and notification of new lines.

All connections live in one thread with its own event loop. So a store can be opened anywhere and used from any loop,
and a cancelled caller does not cancel the appends of others. While one batch is written, new appends collect; one
statement then writes them all, in one transaction and one round trip, and notifies listeners (``NOTIFY``).
Many stores, processes and machines may use one database.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self, TypeAlias, TypeVar

from folkmoot.core.errors import RecordConflict, RecordError
from folkmoot.record import sql
from folkmoot.record.listing import ListQuery, Page
from folkmoot.record.postgres_connection import (
    Connection,
    Links,
    connect,
    explain,
    faults,
    no_library,
    read_place,
    refusal,
)
from folkmoot.record.store import Append, StreamInfo, check_lines, new_append, notify_callers, pending_at, wait_for
from folkmoot.record.summary_fold import Fold

if TYPE_CHECKING:
    import asyncpg

T = TypeVar("T")


class BackgroundLoop:
    """A thread with an event loop; it starts at once, and ends with the program.

    Args:
        name: of the thread.
    """

    def __init__(self, name: str) -> None:
        ready: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()
        self._thread = threading.Thread(target=asyncio.run, args=(_live(ready),), name=name, daemon=True)
        self._thread.start()
        self._loop, self._leave = ready.result()

    def begin(self, work: Coroutine[object, object, T]) -> Future[T]:
        """Run a coroutine there; cancel the future to cancel it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def stop(self) -> None:
        """Cancel the work in progress, and wait until the thread has ended; call it once."""
        self._loop.call_soon_threadsafe(self._leave.set)
        self._thread.join()


async def _live(ready: "Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]]") -> None:
    leave = asyncio.Event()
    ready.set_result((asyncio.get_running_loop(), leave))
    await leave.wait()


CHANNEL = "folkmoot_lines"
"""The channel: every append notifies it with the id of its debate."""

AGAIN = 0.5
"""Seconds until a lost connection is opened again."""

ALIVE = 30.0
"""Seconds without notifications after which the connection is checked."""


async def listen(address: str, notify: Callable[[str], None], *, channel: str = CHANNEL, alive: float = ALIVE) -> None:
    """Hand on every notification, until it is cancelled; "" where some may have been missed.

    Args:
        address: of the database.
        notify: takes the words of a notification; on the channel of lines the id of the debate that got some.
        channel: on which to listen.
        alive: see ``ALIVE``.
    """
    while True:
        with suppress(RecordError, *faults()):
            await _listen(address, notify, channel, alive)
        await asyncio.sleep(AGAIN)


async def _listen(address: str, notify: Callable[[str], None], channel: str, alive: float) -> None:
    """The same with one connection, until it is lost."""

    def on_notification(_link: object, _process: int, _channel: str, words: object) -> None:
        notify(str(words))

    link = await connect(address)
    try:
        lost = asyncio.Event()
        link.add_termination_listener(lambda _: lost.set())
        await link.add_listener(channel, on_notification)
        notify("")
        while not lost.is_set():
            try:
                async with asyncio.timeout(alive):
                    await lost.wait()
            except TimeoutError:
                await link.execute("SELECT 1")
    finally:
        link.terminate()


MOST = 2**62
"""A bigint greater than the number of any line."""

LONGEST_ID = 2000
"""The most bytes of a debate's id: an index of PostgreSQL and a notification take not much more."""

LARGEST = 2**27
"""The most characters of one append: what the server takes in one message."""

KNOWN_MOST = 500
"""The number of summaries that are kept in mind for the next append."""

BATCH = 2**22
"""The characters of a full batch; one append may be larger."""

_ARRAYS = ", ".join(f"${number}::{kind}[]" for number, kind in enumerate(sql.COLUMNS.values(), start=7))
# Keeps the summaries of the debates in ``head``, of which each row is one of the arrays.
KEEP = f"""
    INSERT INTO folkmoot_summary ({sql.NAMED})
    SELECT CASE WHEN head.seq = 1 THEN head.id ELSE coalesce(
        (SELECT id FROM folkmoot_line WHERE folkmoot_line.debate = head.debate AND folkmoot_line.seq = 1), head.id) END, new.*
    FROM unnest({_ARRAYS}) AS new ({", ".join(sql.COLUMNS)})
    JOIN head ON head.debate = new.debate
    ORDER BY new.debate COLLATE "C"
    {sql.CHANGE}
"""
# Lines are numbered without a gap and never taken away, so a debate ends at ``after`` where that line is there and the
# next is not. The first line of each run takes that next number: where another process is about to take it too, this
# waits and then does nothing. Only whoever has it goes on with the rest, which nobody else can want yet. The order of
# the first lines is the same in all processes, so that none waits for another in a circle.
APPEND = f"""
WITH head AS (
    INSERT INTO folkmoot_line (debate, seq, text)
    SELECT run.debate, run.after + 1, run.text
    FROM unnest($1::text[], $2::bigint[], $3::text[]) AS run (debate, after, text)
    WHERE run.after = 0 OR EXISTS (SELECT FROM folkmoot_line WHERE folkmoot_line.debate = run.debate AND seq = run.after)
    ORDER BY run.debate COLLATE "C"
    ON CONFLICT DO NOTHING RETURNING debate, id, seq
), rest AS (
    INSERT INTO folkmoot_line (debate, seq, text)
    SELECT more.debate, more.seq, more.text
    FROM unnest($4::text[], $5::bigint[], $6::text[]) AS more (debate, seq, text)
    WHERE more.debate IN (SELECT debate FROM head)
), told AS ({KEEP})
SELECT debate, pg_notify('{CHANNEL}', debate) FROM head
"""
LASTS = """
SELECT name, coalesce((SELECT max(seq) FROM folkmoot_line WHERE debate = name), 0) AS last FROM unnest($1::text[]) AS name
"""
KNOWN = "SELECT debate, entries, data FROM folkmoot_summary WHERE debate = ANY($1::text[])"
# Steps from one id to the next through the index, so the price grows with the debates, not with their lines.
DEBATES = """
WITH RECURSIVE name (debate) AS (
    (SELECT debate FROM folkmoot_line ORDER BY debate LIMIT 1)
    UNION ALL
    SELECT (SELECT line.debate FROM folkmoot_line AS line WHERE line.debate > name.debate ORDER BY 1 LIMIT 1)
    FROM name WHERE name.debate IS NOT NULL
)
SELECT name.debate, final.seq AS entries, opening.text AS first, final.text AS last
FROM name
JOIN folkmoot_line AS opening ON opening.debate = name.debate AND opening.seq = 1
CROSS JOIN LATERAL (
    SELECT seq, text FROM folkmoot_line WHERE folkmoot_line.debate = name.debate ORDER BY seq DESC LIMIT 1
) AS final
ORDER BY opening.id DESC
"""


REMOVE = """
WITH gone AS (DELETE FROM folkmoot_line WHERE debate = ANY($1::text[]))
DELETE FROM folkmoot_summary WHERE debate = ANY($1::text[])
"""

_Columns: TypeAlias = tuple[list[str], list[int], list[str]]


@dataclass(slots=True)
class _Run:
    """Appends to one debate, each of which continues the one before."""

    debate: str
    after: int
    appends: list[Append] = field(default_factory=list[Append])
    lines: list[str] = field(default_factory=list[str])

    def take(self, append: Append) -> bool:
        """Add an append if it continues this run."""
        if append.after != self.after + len(self.lines):
            return False
        self.appends.append(append)
        self.lines.extend(append.lines)
        return True


class PostgresStore:
    """A Store in a PostgreSQL database; usable from any event loop, also from several one after another.

    The first use connects to the server, so opening a store takes no time; errors of the address, the server or the
    database are raised then. A lost connection is opened again at the next use.

    Attributes:
        place: the address as people are shown it, without a password.
        address: the address as it was given; it can hold a password.
    """

    def __init__(self, address: str) -> None:
        self.place = read_place(address)
        self.address, self._links = address, Links(address)
        self._known: dict[str, str] = {}  # the summaries that were written last, for the next append
        self._lock = threading.Lock()
        self._begun = pending_at(address)
        self._room: BackgroundLoop | None = None
        self._waiting: list[Append] = []
        self._writing: Future[None] | None = None
        self._draining = False
        self._listeners: tuple[Callable[[str], None], ...] = ()
        self._closed = False

    @classmethod
    def open(cls, address: str) -> Self:
        """Open a database by its address, ``postgresql://…``; it need not be empty, only our tables are added.

        Raises:
            RecordError: that is no address, or a library is missing.
        """
        store = cls(address)
        try:
            import asyncpg  # noqa: F401 # pyright: ignore[reportUnusedImport]
        except ImportError as error:
            raise no_library(store.place) from error
        return store

    async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
        """See Store. The id has at most ``LONGEST_ID`` bytes, and one append at most ``LARGEST`` characters."""
        check_lines(debate, lines)
        if len(debate.encode()) > LONGEST_ID:
            raise RecordError(f"The id of a debate has at most {LONGEST_ID} bytes in {self.place}.")
        if sum(map(len, lines)) > LARGEST:
            raise RecordError(f"One append has at most {LARGEST} characters in {self.place}.")
        append = new_append(debate, lines, after)
        with self._lock:
            room = self._background()
            self._begun.add(append)
            self._waiting.append(append)
            if not self._draining:
                self._draining = True
                self._writing = room.begin(self._drain())
        refused = await append.outcome
        if refused is not None:
            raise refused

    async def read(self, debate: str, *, after: int = 0, limit: int | None = None) -> tuple[str, ...]:
        """See Store."""
        maximum = MOST if limit is None else max(0, min(limit, MOST))
        return tuple([row["text"] for row in await self._ask_of(debate, sql.LINES, max(0, min(after, MOST)), maximum)])

    async def count(self, debate: str) -> int:
        """See Listing."""
        rows = await self._ask_of(debate, sql.COUNT)
        return rows[0][0] if rows else 0

    async def last(self, debate: str) -> str | None:
        """See Listing."""
        rows = await self._ask_of(debate, sql.LAST)
        return rows[0]["text"] if rows else None

    async def names(self) -> tuple[str, ...]:
        """See Listing."""
        return tuple([row["debate"] for row in await self._ask(sql.NAMES)])

    async def page(self, query: ListQuery) -> Page:
        """See Listing."""
        counts, rows, values = sql.page_questions(query, "strpos")
        count = (await self._ask(counts, *values))[0]
        if query.after and not count["known"]:  # an unknown place is the beginning
            return replace(await self.page(replace(query, after="")), known=False)
        return sql.make_page(tuple(count), map(tuple, await self._ask(rows, *values)), known=True)

    async def remove(self, debates: Sequence[str]) -> None:
        """See Removing."""
        await self._ask(REMOVE, list(debates))

    async def debates(self) -> tuple[StreamInfo, ...]:
        """See Store."""
        return tuple([StreamInfo(**row) for row in await self._ask(DEBATES)])

    def tell(self, notify: Callable[[str], None]) -> None:
        """See Telling."""
        with self._lock:
            room = self._background()
            self._listeners += (notify,)
            if len(self._listeners) == 1:
                room.begin(listen(self.address, self._notify_listeners))

    async def transaction(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """Do something to other tables of the database, in one transaction.

        Args:
            work: is run in the thread of the connections, with one of them.

        Raises:
            RecordError: the server cannot be reached, or refuses this.
        """
        return await self._run_in_background(self._links.transaction(work))

    async def close(self) -> None:
        """See Store."""
        with self._lock:
            self._closed = True
            room, self._room = self._room, None
        if room is not None:
            await asyncio.to_thread(self._shut_background, room)

    # ---- in the caller's thread --------------------------------------------------------------------------------------

    def _background(self) -> BackgroundLoop:
        """The thread of the connections, started at the first use; call it only under the lock."""
        if self._closed:
            raise refusal(self.place, "it has been closed")
        if self._room is None:
            self._room = BackgroundLoop("folkmoot-postgres")
        return self._room

    async def _ask_of(self, debate: str, question: str, *values: object) -> "list[asyncpg.Record]":
        """The result of a query on one debate, after its pending appends have ended."""
        try:
            check_lines(debate, ())
        except RecordError:
            return []  # it cannot have been stored
        with self._lock:
            self._background()
        await wait_for(self._begun.of(debate))
        return await self._ask(question, debate, *values)

    async def _ask(self, question: str, *values: object) -> "list[asyncpg.Record]":
        return await self._run_in_background(self._links.fetch(question, *values))

    async def _run_in_background(self, work: Coroutine[object, object, T]) -> T:
        """Run work in the thread of the connections."""
        with self._lock:
            try:
                room = self._background()
            except RecordError:
                work.close()
                raise
            answer = room.begin(work)
        return await asyncio.wrap_future(answer)

    def _shut_background(self, room: BackgroundLoop) -> None:
        if self._writing is not None:
            self._writing.result()
        room.begin(self._links.close()).result()
        room.stop()

    # ---- in the thread of the links ----------------------------------------------------------------------------------

    def _notify_listeners(self, debate: str) -> None:
        for listener in self._listeners:
            listener(debate)

    async def _drain(self) -> None:
        """Write batch after batch, while appends wait."""
        while runs := self._gather():
            await self._write(runs)

    def _gather(self) -> list[_Run]:
        """Take the next batch out of what waits: of each debate what goes on without a break, in the order of calls."""
        runs: dict[str, _Run] = {}
        left: list[Append] = []
        stuck: dict[str, bool] = {}
        size = 0
        with self._lock:
            for append in self._waiting:
                run = runs.setdefault(append.debate, _Run(append.debate, append.after)) if size < BATCH else None
                if run is None or stuck.get(append.debate) or not run.take(append):
                    stuck[append.debate] = True
                    left.append(append)
                else:
                    size += sum(map(len, append.lines))
            self._waiting = left
            self._draining = bool(runs)
        return list(runs.values())

    async def _write(self, runs: list[_Run]) -> None:
        """Write a batch and notify its callers; an error of the server or the network concerns all of them."""
        try:
            lasts = await self._store_runs(runs)
        except Exception as error:  # noqa: BLE001 # callers wait for whatever comes of it
            fault = error if isinstance(error, RecordError) else explain(self.place, error)
            notify_callers([(append, fault) for run in runs for append in run.appends])
            return
        outcomes: list[tuple[Append, RecordError | None]] = []
        again: list[Append] = []
        for run in runs:
            last = lasts.get(run.debate)
            if last is None:
                outcomes += [(append, None) for append in run.appends]
            elif last != run.after:
                sentence = f"Debate {run.debate} has {last} entries in {self.place}, not {run.after}"
                outcomes.append((run.appends[0], RecordConflict(f"{sentence}: somebody else has written.")))
                again += run.appends[1:]  # which may stand where the first did not
            else:
                again += run.appends  # its last line has come in between
        notify_callers(outcomes)
        with self._lock:
            self._waiting[:0] = again

    async def _store_runs(self, runs: list[_Run]) -> dict[str, int]:
        """Store all runs that fit; the number of the last line of each debate whose run does not."""
        full = [run for run in runs if run.lines]
        rest = [(run.debate, n, line) for run in full for n, line in enumerate(run.lines[1:], run.after + 2)]
        heads = ([run.debate for run in full], [_number(run.after) for run in full], [run.lines[0] for run in full])
        more = ([row[0] for row in rest], [_number(row[1]) for row in rest], [row[2] for row in rest])
        stored = await self._insert(full, heads, more) if full else ()
        left = [run for run in runs if run.debate not in stored]
        rows = await self._links.fetch(LASTS, [run.debate for run in left]) if left else []
        lasts: dict[str, int] = {row["name"]: row["last"] for row in rows}
        return {run.debate: lasts[run.debate] for run in left if run.lines or lasts[run.debate] != run.after}

    async def _insert(self, runs: Sequence[_Run], heads: _Columns, more: _Columns) -> tuple[str, ...]:
        """Store runs with the summaries that they make; the debates whose run fitted."""
        folds = await self._grown(runs)
        columns = [list(column) for column in zip(*map(sql.row, folds.values()), strict=True)]
        stored = tuple([row["debate"] for row in await self._links.fetch(APPEND, *heads, *more, *columns)])
        self._known |= {debate: folds[debate].text for debate in stored}
        while len(self._known) > KNOWN_MOST:
            del self._known[next(iter(self._known))]
        return stored

    async def _grown(self, runs: Sequence[_Run]) -> dict[str, Fold]:
        """The summaries of debates with their new lines; what it is where a run doesn't fit is never stored."""
        folds: dict[str, Fold] = {}
        for run in runs:
            fold = Fold(run.debate, self._known.pop(run.debate, "") if run.after else "")
            if fold.entries == run.after and fold.head in run.lines[0]:
                folds[run.debate] = fold
        lacking = [run.debate for run in runs if run.debate not in folds]
        rows = await self._links.fetch(KNOWN, lacking) if lacking else []
        stored = {row["debate"]: row["data"] for row in rows}
        for run in runs:
            fold = folds.setdefault(run.debate, Fold(run.debate, stored.get(run.debate, "")))
            for line in run.lines:
                fold.add(line)
        return folds


def _number(after: int) -> int:
    """A place as a number for PostgreSQL; no line is at the ends of its numbers."""
    return max(-1, min(after, MOST))
