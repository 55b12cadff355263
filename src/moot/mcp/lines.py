"""Standard input, line by line. This file owns that a server can end while nobody writes to it.

The SDK reads in a thread that nothing can interrupt; here the thread is let go, and what it reads comes by the loop.
"""

import asyncio
import contextlib
import logging
import os
import sys
import threading
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager

LONGEST = 8 * 1024 * 1024
"""Bytes of a message; a longer one ends the connection."""


@contextmanager
def standard_input() -> Generator[int]:
    """Standard input for us alone: whatever is started meanwhile finds an empty one.

    Yields:
        The descriptor that is read from.
    """
    own = os.dup(sys.stdin.fileno())
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
    try:
        yield own
    finally:
        os.dup2(own, sys.stdin.fileno())  # ``own`` stays open: the thread may still read from it


class Lines:
    """The lines that come from a descriptor.

    Args:
        descriptor: what is read from, in a thread of its own.
    """

    def __init__(self, descriptor: int) -> None:
        self._reader = asyncio.StreamReader(limit=LONGEST)
        self._over = False
        loop = asyncio.get_running_loop()

        def read() -> None:
            with contextlib.suppress(RuntimeError, OSError):  # the loop has ended before the input has
                while data := os.read(descriptor, 65536):
                    loop.call_soon_threadsafe(self._feed, data)
                loop.call_soon_threadsafe(self.end)

        threading.Thread(target=read, name="moot-stdin", daemon=True).start()

    def _feed(self, data: bytes) -> None:
        if not self._over:  # else it is thrown away, so that whoever writes is not held up
            self._reader.feed_data(data)

    def end(self) -> None:
        """Give no further line."""
        self._over = True
        self._reader.feed_eof()

    async def __aiter__(self) -> AsyncIterator[str]:
        try:
            while line := await self._reader.readline():
                yield line.decode("utf-8", "replace")
        except ValueError:
            logging.getLogger("moot.mcp").error("a message is longer than %s bytes, the most allowed", f"{LONGEST:,}")
            self.end()
