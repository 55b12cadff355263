"""How a server of ours ends. This file owns what signals ask for: to stop after the answers in hand, then at once."""

import asyncio
import signal
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

import uvicorn

from moot.app.run.runner import Hall

GRACE = 5
"""Seconds that open requests have when a server is ended; the debates had theirs before."""


class Listener(uvicorn.Server):
    """uvicorn; what signals ask for is this file's business.

    Args:
        config: what is served, and how.
        up: told when it answers.
    """

    def __init__(self, config: uvicorn.Config, up: Callable[[], None]) -> None:
        super().__init__(config)
        self._up = up

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets)
        self._up()

    def leave(self) -> None:
        """End, when the open requests are answered or their grace is over."""
        self.should_exit = True

    def hurry(self) -> None:
        """End without waiting for open requests."""
        self.force_exit = True

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Capture none."""
        yield


@dataclass(slots=True, eq=False)
class Ending:
    """What somebody's signals ask for: first to stop after the answers in hand, then at once.

    Attributes:
        hall: where the debates are held.
        waits: told at the first signal, where answers are in hand.
        hurry: told at each further one.
        asked: set when the server shall end.
    """

    hall: Hall
    waits: Callable[[], None] = lambda: None
    hurry: Callable[[], None] = lambda: None
    asked: asyncio.Event = field(default_factory=asyncio.Event)

    def press(self) -> None:
        """Ctrl-C, or SIGTERM."""
        if not self.asked.is_set():
            self.asked.set()
            if self.hall.held:
                self.waits()
            return
        self.hurry()
        for debate in self.hall.held:
            self.hall.stop(debate, now=True)

    @contextmanager
    def listening(self) -> Generator[None]:
        """Signals come here; before and after they mean what they did."""
        loop = asyncio.get_running_loop()

        def call(*_: object) -> None:
            loop.call_soon_threadsafe(self.press)

        before = {each: signal.signal(each, call) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for each, old in before.items():
                signal.signal(each, old)
