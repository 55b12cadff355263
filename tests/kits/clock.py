"""Time that no other program can change: limits on the processor's time, and a loop that waits for nothing."""

import asyncio
import re
import selectors
import sys
import time
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from functools import wraps
from math import inf
from typing import ParamSpec

P = ParamSpec("P")

TRACED = 5
"""How much longer a block may take while coverage traces it."""

ROOM = 5
"""How much longer a block may take than it should: what these limits are for takes a hundred times as long."""

USUAL = 0.008
"""The seconds of the processor that the yardstick takes on an idle machine of 2024."""

_WORD = re.compile(r"(\w+)\s(\d+)")


@contextmanager
def within(seconds: float) -> Generator[None]:
    """The block takes at most so many seconds of the processor, and more where the machine is slower just now.

    A block that takes longer is measured against a yardstick, so a slow or busy machine fails no test.
    """
    began = time.process_time()
    yield
    took = time.process_time() - began
    if took >= seconds:
        slower = max(1.0, _yardstick() / USUAL)
        assert took < ROOM * slower * seconds * (TRACED if sys.gettrace() else 1), (
            f"{took:.2f} s, {slower:.1f} x slower"
        )


def _yardstick() -> float:
    began = time.process_time()
    for number in range(20_000):
        _WORD.match(f"word {number}")
    return time.process_time() - began


FACTOR = 4
"""How much more is done for the longer time."""

MOST_GROWTH = 6
"""How much longer that may take: where the time grows with the square, it takes 16 times as long."""

FLOOR = 0.005
"""Seconds of the processor: in less, the longer one is quick enough however the time grows."""

TRIES = 6

ALIKE = 12
"""By how much two sizes differ: what does the same to pairs, or to three in a row, does the same in each."""


def growth(work: Callable[[int], object], size: int, *, again: bool = True) -> float:
    """How much longer work of four times the size takes; 0 where that is too short a time to judge.

    Other programs only make it longer, so the shortest of several times counts. No size is tried twice, because some
    readers remember what they have read. What seems to grow too fast is tried ``again`` with more: a processor's caches
    are full once, and what isn't linear grows on.
    """
    short = long = inf
    for n in range(size, size + TRIES * ALIKE, ALIKE):
        long = min(long, _seconds(work, FACTOR * n))
        if long < FLOOR:
            return 0
        short = min(short, _seconds(work, n), _seconds(work, n + TRIES * ALIKE))
        if long <= MOST_GROWTH * short:
            return long / short
    return growth(work, (FACTOR + 1) * size, again=False) if again else long / short  # no size of those above


def _seconds(work: Callable[[int], object], size: int) -> float:
    began = time.thread_time()
    work(size)
    return time.thread_time() - began


class JumpingLoop(asyncio.SelectorEventLoop):
    """An event loop whose time goes on only where nothing is left to do: then it jumps to the next timer.

    So a wait costs nothing and no result depends on the machine. It is for code that waits for no other thread,
    process or connection: those would be late.
    """

    def __init__(self) -> None:
        super().__init__(_Jumps(self))
        self.now = 0.0

    def time(self) -> float:
        return self.now


class _Jumps(selectors.DefaultSelector):
    def __init__(self, loop: JumpingLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(None if timeout is None else 0)
        if not ready and timeout:
            self._loop.now += timeout
        return ready


def jumping(test: Callable[P, Coroutine[None, None, None]]) -> Callable[P, None]:
    """Run an asynchronous test in such a loop."""

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        with asyncio.Runner(loop_factory=JumpingLoop) as runner:
            runner.run(test(*args, **kwargs))

    return run
