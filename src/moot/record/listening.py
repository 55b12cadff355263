"""Who is told of new lines in a PostgreSQL database. This file owns the link that listens, and that it comes again."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from moot.core.errors import RecordError
from moot.record.postgres_connection import connect, faults

CHANNEL = "moot_lines"
"""Every append notifies it with the id of its debate."""

AGAIN = 0.5
"""Seconds until a lost link is made again."""

ALIVE = 30.0
"""Seconds without news after which the link is asked whether it still holds."""


async def listen(address: str, told: Callable[[str], None], *, alive: float = ALIVE) -> None:
    """Tell of every debate that gets lines, until it is cancelled; "" for any debate, where lines may have been missed.

    Args:
        address: of the database.
        told: takes the debate's id.
        alive: see ``ALIVE``.
    """
    while True:
        with suppress(RecordError, *faults()):
            await _listen(address, told, alive)
        await asyncio.sleep(AGAIN)


async def _listen(address: str, told: Callable[[str], None], alive: float) -> None:
    """The same by one link, until that is lost."""

    def hear(_link: object, _process: int, _channel: str, debate: object) -> None:
        told(str(debate))

    link = await connect(address)
    try:
        lost = asyncio.Event()
        link.add_termination_listener(lambda _: lost.set())
        await link.add_listener(CHANNEL, hear)
        told("")
        while not lost.is_set():
            try:
                async with asyncio.timeout(alive):
                    await lost.wait()
            except TimeoutError:
                await link.execute("SELECT 1")
    finally:
        link.terminate()
