"""Rate limits of providers across all workers: count calls and tokens in the database.

Requests and tokens fill a bucket that drains steadily: a tenth of a minute's limit fits into it, and nine tenths drain
in a minute, so that no minute exceeds the limit. A call reserves the most that it can use, and what it did not use is
given back. Each worker writes how many calls it has in progress, and they are dropped when it is silent. It writes the
number itself and no change of it: so what the database could not be told is put right by the next writing.

Calls of one worker wait in a line, and only the first of them asks the database: again when the bucket has drained far
enough, or twice a second for a call in progress to end.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

from folkmoot.app.plan.settings_tables import Allowance
from folkmoot.core.errors import RecordError, Unavailable
from folkmoot.record.postgres_connection import Connection
from folkmoot.workers.job_queue import Queue

LOOK = 0.5
"""Seconds between two looks for a call in progress to end."""

PART = 0.1
"""How much of a minute's limit can be sent at once."""

LEAST = 0.01
"""The least seconds between two questions of one call."""

_ADD = "insert into folkmoot_limit (provider) values ($1) on conflict do nothing"
_LOCK = """
select requests, tokens, calls, extract(epoch from clock_timestamp())::float8 as now, at
from folkmoot_limit where provider = $1 for update
"""
_WRITE = "update folkmoot_limit set requests = $2, tokens = $3, calls = $4, at = $5 where provider = $1"


@dataclass(slots=True, eq=False)
class Allowed:
    """The limits of one provider, counted for all workers; see ``models.transport.UsageMeter``.

    Attributes:
        queue: in whose database they are counted.
        worker: whose calls in flight are counted here.
        provider: the provider's name, and behind a blank the mark of the key, where there is one.
        allowance: what it allows.
        lease: seconds after which the calls of a silent worker are forgotten.
        calls: how many calls of this worker are in progress.
        written: how many the database has of it; None where that is not sure.
    """

    queue: Queue
    worker: str
    provider: str
    allowance: Allowance
    lease: float
    calls: int = 0
    written: int | None = 0
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
                while wait := await self._write(tokens, asks=True):
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
            self.written = None  # this may be interrupted before it is told
            if self.allowance.in_flight or (self.allowance.tokens and used != tokens):
                await self._write(used - tokens)

    async def stay(self) -> None:
        """Say that the calls in progress are, and put right what the database could not be told."""
        if self.allowance.in_flight and self.written != 0:
            await self._write(0)

    async def _write(self, tokens: int, *, asks: bool = False) -> float:
        async with self._writing:
            self.written = None
            try:
                wait, self.written = await self.queue.transaction(partial(self._count, tokens=tokens, asks=asks))
            except RecordError:
                # A call that nobody has counted is better than a debate that stands still; the record stops it anyway.
                return 0.0
            return wait

    async def _count(self, c: Connection, tokens: int, *, asks: bool) -> tuple[float, int]:
        """Write the number of calls in progress, and fill the buckets.

        Args:
            c: the connection.
            tokens: how many to add.
            asks: whether a call asks for a place; if there is none, nothing is added.

        Returns:
            The seconds after which to ask again, 0 if there was room, and the number of calls.
        """
        while (row := await c.fetchrow(_LOCK, self.provider)) is None:
            await c.execute(_ADD, self.provider)
        now, most = row["now"], self.allowance.in_flight
        calls = {worker: known for worker, known in json.loads(row["calls"]).items() if known[1] > now}
        others = sum(number for worker, (number, _) in calls.items() if worker != self.worker)
        waits = [LOOK] if asks and most and others + self.calls >= most else []
        levels = {"requests": row["requests"], "tokens": row["tokens"]}
        for kind, limit, added in (
            ("requests", self.allowance.requests, int(asks)),
            ("tokens", self.allowance.tokens, tokens),
        ):
            if limit:
                size = max(1.0, limit * PART)
                drains = (limit - size) / 60 or 1 / 60  # in a second
                levels[kind] = max(0.0, levels[kind] - drains * (now - row["at"])) + added
                # What never fits into a bucket waits until all has run out.
                if asks and (over := levels[kind] - max(size, added)) > 0:
                    waits.append(max(LEAST, over / drains))
        number = self.calls + int(asks)
        if waits:
            number, levels, now = self.calls, row, row["at"]
        calls[self.worker] = [number, row["now"] + self.lease]
        await c.execute(_WRITE, self.provider, levels["requests"], levels["tokens"], json.dumps(calls), now)
        return max(waits, default=0.0), number
