"""A server in a thread of its own, for commands that hold the event loop of the test."""

import asyncio
import threading
from collections.abc import Callable, Generator
from contextlib import AbstractAsyncContextManager, contextmanager

from tests.kits.waiting import LONGEST


@contextmanager
def in_thread(server: Callable[[], AbstractAsyncContextManager[object]]) -> Generator[None]:
    """Let a server serve for the time of the context."""
    ready = threading.Event()
    ends: list[Callable[[], None]] = []

    async def serve() -> None:
        over, loop = asyncio.Event(), asyncio.get_running_loop()
        ends.append(lambda: loop.call_soon_threadsafe(over.set) and None)
        async with server():
            ready.set()
            await over.wait()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    assert ready.wait(LONGEST)
    try:
        yield
    finally:
        ends[0]()
        thread.join(LONGEST)
