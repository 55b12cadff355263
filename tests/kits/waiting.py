"""Waiting for a condition: however slow the machine is, what follows sees it met."""

import asyncio
from collections.abc import Awaitable, Callable

LONGEST = 120.0
"""Seconds after which a test gives up; no result depends on it."""


async def until(met: Callable[[], bool | Awaitable[bool]]) -> None:
    """Wait until a condition is met that sets no event, such as one of another thread or process."""
    async with asyncio.timeout(LONGEST):
        while True:
            result = met()
            if result if isinstance(result, bool) else await result:
                return
            await asyncio.sleep(0.001)
