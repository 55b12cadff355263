"""Programs without an event loop. This file owns how one waits for work that is asynchronous."""

import asyncio
from collections.abc import Coroutine
from typing import TypeVar

from moot.core.errors import MootError

T = TypeVar("T")


def block(work: Coroutine[object, object, T], instead: str) -> T:
    """Wait for a coroutine in a program without an event loop.

    Args:
        work: the coroutine.
        instead: what can be awaited where a loop is running, such as ``moot.debate``.

    Raises:
        MootError: an event loop is running; nothing was done.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    work.close()
    raise MootError(f"an event loop is running: await {instead}(…) there")
