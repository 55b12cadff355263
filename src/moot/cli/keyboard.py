"""The keyboard. This file owns how a line is typed at the terminal while the debate goes on in the same process."""

import asyncio
import os
import re
import sys

from moot.core.errors import BriefError

PASTE = 0.05
"""Seconds within which the next line of a pasted text is there; nobody types that fast."""

CUT = 4095
"""Bytes behind which a terminal of Linux cuts a line, in silence."""

_KEYS = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O[A-Z])")


class Keyboard:
    """Lines as somebody types them; the event loop is never held.

    Args:
        source: the terminal's file descriptor.
    """

    def __init__(self, source: int) -> None:
        self._source = source
        self._typed = b""
        self._wait: asyncio.Future[None] | None = None
        self._left = False

    @classmethod
    def here(cls) -> "Keyboard | None":
        """The keyboard of this process; None where there is no terminal, or none that can be waited for."""
        if os.name != "posix" or not sys.stdin or not sys.stdin.isatty():
            return None
        return cls(sys.stdin.fileno())

    async def line(self) -> str:
        """The next line, without what arrow keys and their kin leave in it.

        Raises:
            EOFError: Ctrl-D, the terminal is gone, or ``leave`` was called.
            BriefError: the terminal has cut the line.
        """
        while b"\n" not in self._typed:
            await self._ready(None)
            self._typed += self._read()
        line, _, self._typed = self._typed.partition(b"\n")
        if len(line) >= CUT:
            raise BriefError(f"the terminal cuts a line behind {CUT:,} bytes; break it into shorter lines")
        return _KEYS.sub("", line.decode("utf-8", "replace"))

    async def pasted(self) -> bool:
        """Whether more is there already: then an empty line is a paragraph's end, not the text's."""
        return b"\n" in self._typed or await self._ready(PASTE)

    def drop(self) -> None:
        """Forget what was typed before anybody was asked."""
        import termios  # here because Windows has none

        self._typed = b""
        termios.tcflush(self._source, termios.TCIFLUSH)

    def leave(self) -> None:
        """Ask nobody any more: whoever waits for a line gets EOFError."""
        self._left = True
        if self._wait and not self._wait.done():
            self._wait.set_exception(EOFError())

    def _read(self) -> bytes:
        try:
            piece = os.read(self._source, 65_536)
        except OSError:  # the terminal is gone
            piece = b""
        if not piece:
            self._typed = b""
            raise EOFError
        return piece

    async def _ready(self, seconds: float | None) -> bool:
        """Wait until there is something to read; False where the time is up before."""
        if self._left:
            raise EOFError
        loop = asyncio.get_running_loop()
        self._wait = wait = loop.create_future()
        loop.add_reader(self._source, lambda: wait.done() or wait.set_result(None))
        try:
            async with asyncio.timeout(seconds):
                await wait
            return True
        except TimeoutError:
            return False
        finally:
            loop.remove_reader(self._source)
            self._wait = None
