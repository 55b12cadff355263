"""Work that tells what happens, as it happens. This file owns that listeners never harm the work, nor it them."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import aclosing
from typing import TypeAlias, TypeVar

from moot.app.run.outcome import Outcome
from moot.app.run.workspace import Desk
from moot.core.event import Entry

MOST = 100
"""The most items that wait for a listener; then the telling waits, never a debate."""

T = TypeVar("T")
Tell: TypeAlias = Callable[[T], Awaitable[None]]


async def stream(work: Callable[[Tell[T]], Coroutine[object, object, None]]) -> AsyncGenerator[T, None]:
    """Do a piece of work and give what it tells, as it comes.

    Whoever leaves before the end stops the work, at the latest when the generator is collected or the event loop ends:
    all that the work has opened is its own, so nothing else must be closed then.

    Args:
        work: takes a function that it tells things; what it raises comes behind the last of them.
    """
    items: asyncio.Queue[T | None] = asyncio.Queue(MOST)

    async def do() -> Exception | None:
        # As a value: an error of the task itself would cancel the listener, in the midst of whatever it does.
        error: Exception | None = None
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(work(items.put))
        except ExceptionGroup as errors:
            error = errors.exceptions[0]
        await items.put(None)
        return error

    async with asyncio.TaskGroup() as group:
        doing = group.create_task(do())
        try:
            while (item := await items.get()) is not None:
                yield item
        except GeneratorExit:
            doing.cancel()
            return
    if error := doing.result():
        raise error


async def told(desk: Desk, debate: str, tell: Tell[Entry], go: Callable[[], Awaitable[Outcome]]) -> Outcome:
    """What comes of a debate; each entry of its record is told as it comes.

    Args:
        desk: where it is held.
        debate: its id.
        tell: told of each entry.
        go: holds the debate, or takes it up.
    """

    async def follow() -> None:
        async with aclosing(desk.follow(debate)) as items:
            async for item in items:
                if isinstance(item, Entry):
                    await tell(item)

    try:
        async with asyncio.TaskGroup() as group:
            following = group.create_task(follow())
            outcome = await go()
            await following
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return outcome
