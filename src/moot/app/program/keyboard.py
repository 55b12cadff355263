"""The keyboard. This file owns how a line is typed while the debate goes on in the same process.

Of what is typed no more is taken than the line that somebody waits for: the rest may be an answer to another question.
"""

import asyncio
import os
import re
import select
import sys
from typing import TextIO

from moot.core.errors import BriefError

PASTE = 0.05
"""Seconds within which the next line of a pasted text is there; nobody types that fast."""

CUT = 4095
"""Bytes behind which a terminal of Linux cuts a line, in silence."""

_KEYS = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O[A-Z])")


class Keyboard:
    """Lines as somebody types them; the event loop is never held.

    Args:
        source: the file descriptor of a terminal; or of a pipe or a file that stands in its place.
    """

    def __init__(self, source: int) -> None:
        self._source = source
        self._terminal = os.isatty(source)
        self._typed = b""
        self._wait: asyncio.Future[None] | None = None
        self._left = False

    @classmethod
    def here(cls) -> "Keyboard | None":
        """The keyboard of this process; None where there is no terminal, or none that can be waited for."""
        keyboard = cls.behind(sys.stdin)
        return keyboard if keyboard and keyboard._terminal else None

    @classmethod
    def behind(cls, stream: TextIO | None) -> "Keyboard | None":
        """What a stream reads from, a terminal or not; None where that cannot be waited for."""
        if os.name != "posix" or stream is None:
            return None
        try:
            return cls(stream.fileno())
        except (OSError, ValueError):  # a stream of the program's own, or a closed one
            return None

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
        if self._terminal and len(line) >= CUT:
            raise BriefError(f"the terminal cuts a line behind {CUT:,} bytes; break it into shorter lines")
        return _KEYS.sub("", line.decode("utf-8", "replace"))

    async def pasted(self) -> bool:
        """Whether more is there already: then an empty line is a paragraph's end, not the text's."""
        return self._terminal and (b"\n" in self._typed or await self._ready(PASTE))

    def drop(self) -> None:
        """Forget what was typed before anybody was asked."""
        import termios  # here because Windows has none

        self._typed = b""
        if self._terminal:
            termios.tcflush(self._source, termios.TCIFLUSH)

    def leave(self) -> None:
        """Ask nobody any more: whoever waits for a line gets EOFError."""
        self._left = True
        if self._wait and not self._wait.done():
            self._wait.set_exception(EOFError())

    def _read(self) -> bytes:
        try:
            piece = os.read(self._source, 65_536 if self._terminal else 1)  # a terminal gives one line at a time
        except OSError:  # the terminal is gone
            piece = b""
        if piece or (self._typed and not self._terminal):
            return piece or b"\n"  # the last line of a file may lack its end
        self._typed = b""
        raise EOFError

    async def _ready(self, seconds: float | None) -> bool:
        """Wait until there is something to read; False where the time is up before."""
        if self._left:
            raise EOFError
        if not self._terminal and select.select([self._source], [], [], 0)[0]:
            await asyncio.sleep(0)  # what is there already, such as a file, cannot be waited for
            return True
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
