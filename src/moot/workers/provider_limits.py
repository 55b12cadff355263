"""Rate limits of providers across all workers: count calls and tokens in the database.

Requests and tokens fill a bucket that drains steadily: a tenth of a minute's limit fits into it, and nine tenths drain
in a minute, so that no minute exceeds the limit. A call reserves the most that it can use, and what it did not use is
given back. Calls in progress are counted for each worker, and dropped when a worker is silent.
"""

import asyncio
import random
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError

from moot.app.plan.settings import Allowance
from moot.core.errors import Unavailable

PART = 0.1
"""How much of a minute's limit can be sent at once."""

PAUSE = 0.1
"""Seconds after which whoever waits for a call in flight to end looks again, and up to so many more."""

_LEVEL = "greatest(0, spent - :rate * extract(epoch from clock_timestamp() - began)::float8)"


@dataclass(frozen=True, slots=True)
class Allowed:
    """The limits of one provider, counted for all workers; see ``models.transport.Meter``.

    Attributes:
        engine: the connections to the database.
        worker: whose calls in flight are counted here.
        provider: the provider's name, and behind a blank the mark of the key, where there is one.
        allowance: what it allows.
        lease: seconds after which the calls of a silent worker are forgotten.
    """

    engine: Engine
    worker: str
    provider: str
    allowance: Allowance
    lease: float

    @asynccontextmanager
    async def counted(self, tokens: int, seconds: float) -> AsyncGenerator[Callable[[int], None]]:
        """See ``Meter.counted``."""
        used = tokens

        def settle(number: int) -> None:
            nonlocal used
            used = number

        end = asyncio.get_running_loop().time() + seconds
        if most := self.allowance.in_flight:
            await self._wait(end, lambda c: self._enter(c, most))
        try:
            for kind, limit, number in (
                ("requests", self.allowance.requests, 1),
                ("tokens", self.allowance.tokens, tokens),
            ):
                if limit:
                    await self._wait(end, partial(self._fill, kind=kind, limit=limit, number=number))
            try:
                yield settle
            finally:
                if self.allowance.tokens and used != tokens:
                    await self._do(lambda c: self._return(c, tokens - used))
        finally:
            if self.allowance.in_flight:
                await self._do(self._leave)

    async def _wait(self, end: float, ask: Callable[[Connection], float]) -> None:
        """Ask until nothing is left to wait for."""
        loop = asyncio.get_running_loop()
        while (left := await self._do(ask)) > 0:
            if loop.time() + left > end:
                raise Unavailable(
                    f"the limits of {self.provider.partition(' ')[0]} for all workers let nobody through in time",
                    kind="rate",
                    again=True,
                )
            await asyncio.sleep(left + random.random() * PAUSE)

    async def _do(self, ask: Callable[[Connection], float]) -> float:
        def work() -> float:
            with self.engine.begin() as connection:
                return ask(connection)

        try:
            return await asyncio.to_thread(work)
        except SQLAlchemyError:
            # A call that nobody has counted is better than a debate that stands still; the record stops it anyway.
            return 0.0

    def _fill(self, c: Connection, kind: str, limit: int, number: int) -> float:
        """Put so much into a bucket; else the seconds until it fits. What never fits waits until all has run out."""
        most, rate = max(1.0, limit * PART), (limit - max(1.0, limit * PART)) / 60 or 1 / 60
        told = {"provider": self.provider, "kind": kind, "number": number, "most": max(most, number), "rate": rate}
        c.execute(text("insert into moot_limit values (:provider, :kind) on conflict do nothing"), told)
        level = c.execute(
            text(f"select {_LEVEL} from moot_limit where provider = :provider and kind = :kind for update"), told
        ).scalar_one()
        if level + number > told["most"]:
            return (level + number - max(most, number)) / rate
        set_ = f"update moot_limit set spent = {_LEVEL} + :number, began = clock_timestamp()"
        c.execute(text(f"{set_} where provider = :provider and kind = :kind"), told)
        return 0.0

    def _return(self, c: Connection, number: int) -> float:
        told = {"provider": self.provider, "number": number}
        asked = "update moot_limit set spent = spent - :number where provider = :provider and kind = 'tokens'"
        c.execute(text(asked), told)
        return 0.0

    def _enter(self, c: Connection, most: int) -> float:
        """Count one call in flight; else the seconds after which to look again."""
        told = {"provider": self.provider, "worker": self.worker, "s": self.lease}
        c.execute(text("select pg_advisory_xact_lock(hashtext('moot_slice ' || :provider))"), told)
        asked = (
            "select coalesce(sum(slots), 0) from moot_slice where provider = :provider and until > clock_timestamp()"
        )
        if c.execute(text(asked), told).scalar_one() >= most:
            return PAUSE
        c.execute(
            text(
                "insert into moot_slice as s values (:provider, :worker, 1, clock_timestamp() + :s * interval '1 s')"
                " on conflict (provider, worker) do update set slots = s.slots + 1, until = excluded.until"
            ),
            told,
        )
        return 0.0

    def _leave(self, c: Connection) -> float:
        told = {"provider": self.provider, "worker": self.worker}
        asked = "update moot_slice set slots = greatest(0, slots - 1) where provider = :provider and worker = :worker"
        c.execute(text(asked), told)
        return 0.0
