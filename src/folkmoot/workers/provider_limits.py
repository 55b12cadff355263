"""Rate limits of providers across all workers: count calls and tokens in the database.

Requests and tokens fill a bucket that drains steadily: a tenth of a minute's limit fits into it, and nine tenths drain
in a minute, so that no minute exceeds the limit. A call reserves the most that it can use, and what it did not use is
given back. Each worker writes how many calls it has in progress, and they are dropped when it is silent. It writes the
number itself and no change of it: so what the database could not be told is put right by the next writing.

Calls of one worker wait in a line, and only the first of them asks the database. It asks again when the bucket has
drained far enough, or when another worker tells that a call has ended: nobody asks again and again.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from folkmoot.app.plan.settings_tables import Allowance
from folkmoot.app.run.dispatcher import QueueError
from folkmoot.core.errors import Unavailable
from folkmoot.workers.jobs import SLOTS, notify
from folkmoot.workers.queue_database import Connection, Database

Result = TypeVar("Result")

PART = 0.1
"""How much of a minute's limit can be sent at once."""

LEAST = 0.01
"""The least seconds between two questions of one call."""

_LEVEL = "greatest(0, spent - $3::float8 * extract(epoch from clock_timestamp() - began)::float8)"
_LOOK = f"select {_LEVEL} from folkmoot_limit where provider = $1 and kind = $2 for update"
_FILL = f"update folkmoot_limit set spent = {_LEVEL} + $4, began = clock_timestamp() where provider = $1 and kind = $2"
_RETURN = "update folkmoot_limit set spent = spent - $2 where provider = $1 and kind = 'tokens'"
_IN_FLIGHT = """
select coalesce(sum(slots) filter (where worker <> $2), 0)::int as slots,
    coalesce(extract(epoch from min(until) - clock_timestamp()), 0)::float8 as silent
from folkmoot_slice where provider = $1 and until > clock_timestamp() and slots > 0
"""
_ENTER = """
insert into folkmoot_slice values ($1, $2, $4, clock_timestamp() + $3 * interval '1 s')
on conflict (provider, worker) do update set slots = excluded.slots, until = excluded.until
"""
_LEAVE = "update folkmoot_slice set slots = $3 where provider = $1 and worker = $2"


@dataclass(slots=True, eq=False)
class Queueing:
    """The line of one worker before one provider.

    Attributes:
        turn: held by the call that asks the database.
        news: set when a call of any worker has ended.
        calls: how many calls of this worker are in progress.
        writing: held while that number is written, so that the last one stays.
        unsure: whether the database may hold another number.
    """

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    calls: int = 0
    writing: asyncio.Lock = field(default_factory=asyncio.Lock)
    unsure: bool = False


@dataclass(frozen=True, slots=True)
class Allowed:
    """The limits of one provider, counted for all workers; see ``models.transport.UsageMeter``.

    Attributes:
        database: the connections to the database.
        worker: whose calls in flight are counted here.
        provider: the provider's name, and behind a blank the mark of the key, where there is one.
        allowance: what it allows.
        lease: seconds after which the calls of a silent worker are forgotten.
        line: where the calls of this worker wait.
    """

    database: Database
    worker: str
    provider: str
    allowance: Allowance
    lease: float
    line: Queueing = field(default_factory=Queueing)

    @asynccontextmanager
    async def counted(self, tokens: int, seconds: float) -> AsyncGenerator[Callable[[int], None]]:
        """See ``UsageMeter.counted``."""
        used = tokens

        def settle(number: int) -> None:
            nonlocal used
            used = number

        try:
            async with asyncio.timeout(seconds), self.line.turn:
                await self._wait_for_slot(tokens, asyncio.get_running_loop().time() + seconds)
        except TimeoutError:
            raise self._refusal() from None
        self.line.calls += 1
        try:
            yield settle
        finally:
            self.line.calls -= 1
            self.line.unsure = True
            if self.allowance.in_flight or (self.allowance.tokens and used != tokens):
                await self._write(partial(self._give_back, tokens=tokens - used))
                self.line.news.set()

    async def put_right(self) -> None:
        """Write the number of calls in progress where the database may hold another one."""
        if self.line.unsure and self.allowance.in_flight:
            await self._write(partial(self._give_back, tokens=0))
            self.line.news.set()

    async def _wait_for_slot(self, tokens: int, end: float) -> None:
        """Ask until the call may be made."""
        loop = asyncio.get_running_loop()
        while True:
            self.line.news.clear()
            wait, news = await self._write(partial(self._take_slot, tokens=tokens)) or (0.0, False)
            if wait <= 0:
                return
            if not news and loop.time() + wait > end:
                raise self._refusal()
            if not news:
                await asyncio.sleep(wait + LEAST)
                continue
            with suppress(TimeoutError):
                async with asyncio.timeout(max(wait, LEAST)):
                    await self.line.news.wait()

    def _refusal(self) -> Unavailable:
        name = self.provider.partition(" ")[0]
        return Unavailable(f"the limits of {name} for all workers let nobody through in time", kind="rate", again=True)

    async def _write(self, work: Callable[[Connection], Awaitable[Result]]) -> Result | None:
        async with self.line.writing:
            self.line.unsure, calls = True, self.line.calls
            try:
                value = await self.database.do(work)
            except QueueError:
                # A call that nobody has counted is better than a debate that stands still; the record stops it anyway.
                return None
            # A call that ended meanwhile may have been interrupted before it could write that.
            self.line.unsure = self.line.calls != calls
            return value

    async def _take_slot(self, c: Connection, tokens: int) -> tuple[float, bool]:
        """Take a slot and room in the buckets, or nothing; the seconds to wait, and whether news may come before."""
        if self.allowance.in_flight:
            await c.execute("select pg_advisory_xact_lock(hashtext('folkmoot_slice ' || $1))", self.provider)
            row = await c.fetchrow(_IN_FLIGHT, self.provider, self.worker)
            assert row is not None
            if row["slots"] + self.line.calls >= self.allowance.in_flight:
                await c.execute(_LEAVE, self.provider, self.worker, self.line.calls)
                return max(row["silent"], LEAST), True
        buckets_asked = (("requests", self.allowance.requests, 1), ("tokens", self.allowance.tokens, tokens))
        buckets = [(kind, limit, number) for kind, limit, number in buckets_asked if limit]
        waits = [await self._wait_for(c, kind, limit, number) for kind, limit, number in buckets]
        if any(waits):
            if self.allowance.in_flight:
                await c.execute(_LEAVE, self.provider, self.worker, self.line.calls)
            return max(waits), False
        for kind, limit, number in buckets:
            await c.execute(_FILL, self.provider, kind, _rate(limit), number)
        if self.allowance.in_flight:
            await c.execute(_ENTER, self.provider, self.worker, self.lease, self.line.calls + 1)
        return 0.0, False

    async def _wait_for(self, c: Connection, kind: str, limit: int, number: int) -> float:
        """The seconds until so much fits into a bucket. What never fits waits until all has run out."""
        level = await c.fetchval(_LOOK, self.provider, kind, _rate(limit))
        if level is None:
            await c.execute(
                "insert into folkmoot_limit (provider, kind) values ($1, $2) on conflict do nothing",
                self.provider,
                kind,
            )
            level = await c.fetchval(_LOOK, self.provider, kind, _rate(limit))
        return max(0.0, (level + number - max(_size(limit), number)) / _rate(limit))

    async def _give_back(self, c: Connection, tokens: int) -> None:
        if self.allowance.tokens and tokens:
            await c.execute(_RETURN, self.provider, tokens)
        if self.allowance.in_flight:
            row = await c.fetchrow(_IN_FLIGHT, self.provider, self.worker)
            await c.execute(_LEAVE, self.provider, self.worker, self.line.calls)
            if row is not None and row["slots"] + self.line.calls + 1 >= self.allowance.in_flight:
                await notify(c, SLOTS, self.provider)


def _size(limit: int) -> float:
    return max(1.0, limit * PART)


def _rate(limit: int) -> float:
    """What drains in a second."""
    return (limit - _size(limit)) / 60 or 1 / 60
