"""When garbage is collected: never in the midst of a world, and seldom between many."""

import gc
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager
from itertools import count

COLLECT = 25
"""Worlds after which what they have left is collected."""


@contextmanager
def no_collection() -> Generator[None]:
    """No collection of garbage in the midst of a run: it would run what the dead have left."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        if enabled:
            gc.enable()


@contextmanager
def many_worlds() -> Generator[Callable[[], None]]:
    """Run many worlds; what is called before each of them collects now and then what the ones before have left.

    What was there before is not looked at: that takes longer than to collect what a few worlds have left.
    """
    freezes = not gc.get_freeze_count()
    if freezes:
        gc.collect()
        gc.freeze()
    numbers = count(1)

    def collect() -> None:
        if next(numbers) % COLLECT == 0:
            gc.collect()

    try:
        with no_collection():
            yield collect
    finally:
        if freezes:
            gc.unfreeze()


def take_apart(*parts: object) -> None:
    """Empty what is over and holds itself in a circle: then it goes at once, and waits for no collection."""
    for part in parts:
        vars(part).clear()
