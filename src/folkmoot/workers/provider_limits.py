"""Rate limits of providers across all workers: count calls and tokens in the database.

Requests and tokens fill a bucket that drains steadily: a tenth of a minute's limit fits into it, and nine tenths drain
in a minute, so that no minute exceeds the limit. A call reserves the most that it can use, and what it did not use is
given back. Each worker writes how many calls it has in progress, and they are dropped when it is silent. It writes the
number itself and no change of it: so what the database could not be told is put right by the next writing.

Calls of one worker wait in a line, and only the first of them asks the database: again when the bucket has drained far
enough, or twice a second for a call in progress to end.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from folkmoot.app.plan.settings_tables import Allowance
from folkmoot.core.errors import RecordError, Unavailable
from folkmoot.record.postgres import PostgresStore
from folkmoot.record.postgres_connection import Connection

Result = TypeVar("Result")

LOOK = 0.5
"""Seconds between two looks for a call in progress to end."""

PART = 0.1
"""How much of a minute's limit can be sent at once."""

LEAST = 0.01
"""The least seconds between two questions of one call."""

_LEVEL = "greatest(0, spent - $3::float8 * extract(epoch from clock_timestamp() - began)::float8)"
_LOOK = f"select {_LEVEL} from folkmoot_limit where provider = $1 and kind = $2 for update"
_BUCKET = "insert into folkmoot_limit (provider, kind) values ($1, $2) on conflict do nothing"
_FILL = f"update folkmoot_limit set spent = {_LEVEL} + $4, began = clock_timestamp() where provider = $1 and kind = $2"
_RETURN = "update folkmoot_limit set spent = spent - $2 where provider = $1 and kind = 'tokens'"
_IN_FLIGHT = """
select coalesce(sum(slots), 0)::int from folkmoot_slice
where provider = $1 and worker <> $2 and until > clock_timestamp()
"""
_ENTER = """
insert into folkmoot_slice values ($1, $2, $4, clock_timestamp() + $3 * interval '1 s')
on conflict (provider, worker) do update set slots = excluded.slots, until = excluded.until
"""
_LEAVE = "update folkmoot_slice set slots = $3 where provider = $1 and worker = $2"


@dataclass(slots=True, eq=False)
class Allowed:
    """The limits of one provider, counted for all workers; see ``models.transport.UsageMeter``.

    Attributes:
        store: in whose database they are counted.
        worker: whose calls in flight are counted here.
        provider: the provider's name, and behind a blank the mark of the key, where there is one.
        allowance: what it allows.
        lease: seconds after which the calls of a silent worker are forgotten.
        calls: how many calls of this worker are in progress.
        unsure: whether the database may hold another number.
    """

    store: PostgresStore
    worker: str
    provider: str
    allowance: Allowance
    lease: float
    calls: int = 0
    unsure: bool = False
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)  # of the call that asks the database
    _writing: asyncio.Lock = field(default_factory=asyncio.Lock)  # so that the last number that is written stays

    @asynccontextmanager
    async def counted(self, tokens: int, seconds: float) -> AsyncGenerator[Callable[[int], None]]:
        """See ``UsageMeter.counted``."""
        used = tokens

        def settle(number: int) -> None:
            nonlocal used
            used = number

        end = asyncio.get_running_loop().time() + seconds
        try:
            async with asyncio.timeout(seconds), self._turn:
                while wait := await self._write(partial(self._take_slot, tokens=tokens)):
                    if wait > LOOK and asyncio.get_running_loop().time() + wait > end:
                        raise TimeoutError
                    await asyncio.sleep(wait)
        except TimeoutError:
            name = self.provider.partition(" ")[0]
            reason = f"the limits of {name} for all workers let nobody through in time"
            raise Unavailable(reason, kind="rate", again=True) from None
        self.calls += 1
        try:
            yield settle
        finally:
            self.calls -= 1
            self.unsure = True
            if self.allowance.in_flight or (self.allowance.tokens and used != tokens):
                await self._write(partial(self._give_back, tokens=tokens - used))

    async def put_right(self) -> None:
        """Write the number of calls in progress where the database may hold another one."""
        if self.unsure and self.allowance.in_flight:
            await self._write(partial(self._give_back, tokens=0))

    async def _write(self, work: Callable[[Connection], Awaitable[Result]]) -> Result | None:
        async with self._writing:
            self.unsure, calls = True, self.calls
            try:
                value = await self.store.transaction(work)
            except RecordError:
                # A call that nobody has counted is better than a debate that stands still; the record stops it anyway.
                return None
            # A call that ended meanwhile may have been interrupted before it could write that.
            self.unsure = self.calls != calls
            return value

    async def _take_slot(self, c: Connection, tokens: int) -> float:
        """Take a slot and room in the buckets, or nothing; the seconds after which to ask again."""
        if self.allowance.in_flight:
            await c.execute("select pg_advisory_xact_lock(hashtext('folkmoot_slice ' || $1))", self.provider)
            others = await c.fetchval(_IN_FLIGHT, self.provider, self.worker)
            if others + self.calls >= self.allowance.in_flight:
                await c.execute(_LEAVE, self.provider, self.worker, self.calls)
                return LOOK
        buckets_asked = (("requests", self.allowance.requests, 1), ("tokens", self.allowance.tokens, tokens))
        buckets = [(kind, limit, number) for kind, limit, number in buckets_asked if limit]
        waits: list[float] = []  # what never fits into a bucket waits until all has run out
        for kind, limit, number in buckets:
            while (level := await c.fetchval(_LOOK, self.provider, kind, _rate(limit))) is None:
                await c.execute(_BUCKET, self.provider, kind)
            waits.append(max(0.0, (level + number - max(_size(limit), number)) / _rate(limit)))
        if any(waits):
            if self.allowance.in_flight:
                await c.execute(_LEAVE, self.provider, self.worker, self.calls)
            return max([*waits, LEAST])
        for kind, limit, number in buckets:
            await c.execute(_FILL, self.provider, kind, _rate(limit), number)
        if self.allowance.in_flight:
            await c.execute(_ENTER, self.provider, self.worker, self.lease, self.calls + 1)
        return 0.0

    async def _give_back(self, c: Connection, tokens: int) -> None:
        if self.allowance.tokens and tokens:
            await c.execute(_RETURN, self.provider, tokens)
        if self.allowance.in_flight:
            await c.execute(_LEAVE, self.provider, self.worker, self.calls)


def _size(limit: int) -> float:
    return max(1.0, limit * PART)


def _rate(limit: int) -> float:
    """What drains in a second."""
    return (limit - _size(limit)) / 60 or 1 / 60
