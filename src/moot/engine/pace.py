"""The time of a debate. This file owns when it is up, and that it stands still while only people are waited for."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import TypeVar

from moot.core.ask import Ask

T = TypeVar("T")


class Pace:
    """How long a debate may still run.

    Args:
        seconds: the time it has from now on; None for any time.
        untimed: the names of those whose time does not count.
    """

    def __init__(self, seconds: float | None, untimed: frozenset[str]) -> None:
        self.ends = None if seconds is None else asyncio.get_running_loop().time() + seconds
        self._untimed = untimed

    async def aside(self, work: Awaitable[None]) -> None:
        """Wait for work whose time does not count."""
        since = asyncio.get_running_loop().time()
        await work
        if self.ends is not None:
            self.ends += asyncio.get_running_loop().time() - since

    async def all(self, asks: Sequence[Ask], answer: Callable[[Ask], Coroutine[object, object, T]]) -> list[T] | None:
        """What comes of all asks, in their order; None when the time is up before those that are timed have ended."""
        people = [ask for ask in asks if ask.to in self._untimed] if self._untimed else []
        if not people:
            return await self._in_time(asks, answer)
        async with asyncio.TaskGroup() as group:
            waits = [group.create_task(answer(ask)) for ask in people]
            timed = [ask for ask in asks if ask.to not in self._untimed]
            found = await self._in_time(timed, answer)
            if found is None:
                for wait in waits:
                    wait.cancel()
                return None
            since = asyncio.get_running_loop().time()
        if self.ends is not None:
            self.ends += asyncio.get_running_loop().time() - since
        came = {ask.key: outcome for ask, outcome in zip(timed, found, strict=True)}
        came |= {ask.key: wait.result() for ask, wait in zip(people, waits, strict=True)}
        return [came[ask.key] for ask in asks]

    async def _in_time(
        self, asks: Sequence[Ask], answer: Callable[[Ask], Coroutine[object, object, T]]
    ) -> list[T] | None:
        try:
            async with asyncio.timeout_at(self.ends), asyncio.TaskGroup() as group:
                tasks = [group.create_task(answer(ask)) for ask in asks]
        except TimeoutError:
            return None
        return [task.result() for task in tasks]
