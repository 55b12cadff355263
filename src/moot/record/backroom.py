"""An event loop in a thread of its own, for work that must not hang on the loop or the cancellation of a caller."""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


class Backroom:
    """The thread and its loop; they begin at once. The end of the program ends them as well.

    Args:
        name: of the thread.
    """

    def __init__(self, name: str) -> None:
        ready: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()
        self._thread = threading.Thread(target=asyncio.run, args=(_live(ready),), name=name, daemon=True)
        self._thread.start()
        self._loop, self._leave = ready.result()

    def begin(self, work: Coroutine[object, object, T]) -> Future[T]:
        """Have work done there; cancel the future to cancel the work."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def stop(self) -> None:
        """Cancel what is still being done, and wait until the thread has ended; only once."""
        self._loop.call_soon_threadsafe(self._leave.set)
        self._thread.join()


async def _live(ready: "Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]]") -> None:
    leave = asyncio.Event()
    ready.set_result((asyncio.get_running_loop(), leave))
    await leave.wait()
