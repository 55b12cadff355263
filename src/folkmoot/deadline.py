"""Timeouts that do not count the time in which the process did not run.

A process that is stopped (Ctrl-Z, a debugger, a suspended machine) receives no answers meanwhile. If that time counted,
all calls in progress would fail when it continues, although their answers may have arrived.
"""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

STEP = 1.0
"""The most seconds between two checks of the clock, and so the most time that a stop can cost."""

LATE = 1.0
"""The seconds that a check can be late. A later one means that the process did not run."""


class Deadline:
    """Ends a block after some seconds, as ``asyncio.timeout`` does: with TimeoutError.

    It checks the clock in steps. A step that ends late does not count, because it is unknown how much of it has run.

    Args:
        seconds: the time for the block; None for no limit.
        silence: the time to the first sign of life (``live``); None for no limit.

    Attributes:
        silent: whether a sign of life that did not come is what ended the block.
    """

    def __init__(self, seconds: float | None, silence: float | None = None) -> None:
        self._left, self._quiet = seconds, silence
        self.silent = False
        self._timeout = asyncio.timeout(None)
        self._loop = asyncio.get_running_loop()
        self._since = 0.0
        self._timer: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> Self:
        await self._timeout.__aenter__()
        if self._left is not None or self._quiet is not None:
            self._since = self._loop.time()
            self._wait()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        if self._timer:
            self._timer.cancel()
        return await self._timeout.__aexit__(kind, error, trace)

    def expired(self) -> bool:
        """Whether the time was up before the block ended."""
        return self._timeout.expired()

    @property
    def left(self) -> float | None:
        """The seconds that the block still has; None where there is no limit."""
        if self._left is None or self._timer is None:
            return self._left
        return self._left - min(self._loop.time() - self._since, STEP)

    @property
    def begun(self) -> bool:
        """Whether there is a limit of time now."""
        return self._left is not None

    def restart(self, seconds: float) -> None:
        """Give the block ``seconds`` from now; does nothing if its time is up already."""
        if self.expired():
            return
        self._left, self._since = seconds, self._loop.time()
        if self._timer is None or self._timer.when() > self._since + seconds:
            self._wait()

    def live(self, gap: float) -> None:
        """Note a sign of life: the block ends if there is no other one within ``gap`` seconds."""
        if self.expired():
            return
        now = self._loop.time()
        self._since = now if self._timer is None else self._since
        self._quiet = gap + now - self._since  # counted from the last look, as the time for the block is
        if self._timer is None or self._timer.when() > now + gap:
            self._wait()

    @contextmanager
    def paused(self) -> Generator[None]:
        """A context in which the time does not run."""
        if self._left is None or self._timer is None or self.expired():
            yield
            return
        self._look()
        left = self._left
        self._timer.cancel()
        self._timer = None
        try:
            yield
        finally:
            self.restart(left)

    def _wait(self) -> None:
        """Check the clock again when the time is up, or after a step."""
        if self._timer:
            self._timer.cancel()
        step = STEP if self._left is None else min(STEP, self._left)
        step = step if self._quiet is None else min(step, self._quiet)
        self._timer = self._loop.call_at(self._since + max(0.0, step), self._look)

    def _look(self) -> None:
        assert self._timer is not None
        now = self._loop.time()
        spent = now - self._since if now - self._timer.when() <= LATE else 0.0
        self._since = now
        self._left = None if self._left is None else self._left - spent
        self._quiet = None if self._quiet is None else self._quiet - spent
        over = self._left is not None and self._left <= 0
        self.silent = not over and self._quiet is not None and self._quiet <= 0
        if over or self.silent:
            self._timeout.reschedule(now)
        else:
            self._wait()
