"""Appends that wait for a writer in another thread, and how their callers and readers are told what came of them."""

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from weakref import WeakValueDictionary

from moot.core.errors import RecordError


@dataclass(frozen=True, slots=True, eq=False)
class Append:
    """One append.

    Attributes:
        debate: the debate's id.
        lines: what to store.
        after: the number of the debate's last line, as the caller knows it.
        loop: where the caller waits.
        outcome: what it waits for: None where the lines are stored.
        landed: done once it is stored or refused, whether or not its caller still waits; it cannot be cancelled.
    """

    debate: str
    lines: tuple[str, ...]
    after: int
    loop: asyncio.AbstractEventLoop
    outcome: asyncio.Future[RecordError | None]
    landed: Future[None] = field(default_factory=Future[None])


class Begun:
    """The appends that were begun and have not landed; for any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._appends: dict[str, list[Append]] = {}

    def add(self, append: Append) -> None:
        """An append is begun; it leaves by itself when it lands."""
        append.landed.set_running_or_notify_cancel()  # from now on nobody who waits can cancel it
        with self._lock:
            self._appends.setdefault(append.debate, []).append(append)
        append.landed.add_done_callback(partial(self._drop, append))

    def of(self, debate: str) -> tuple[Append, ...]:
        """Those of one debate."""
        with self._lock:
            return tuple(self._appends.get(debate, ()))

    def wait(self) -> None:
        """Block until all that are begun now have landed."""
        with self._lock:
            landing = [each.landed for appends in self._appends.values() for each in appends]
        wait(landing)

    def _drop(self, append: Append, landed: Future[None]) -> None:
        with self._lock:
            appends = self._appends[append.debate]
            appends.remove(append)
            if not appends:
                del self._appends[append.debate]


_LOCK = threading.Lock()  # house: state because it guards the next line
_BEGUN: WeakValueDictionary[str, Begun] = WeakValueDictionary()  # house: state because stores over one place share it


def begun_at(place: str) -> Begun:
    """What was begun at a place, through whichever store of this process; kept as long as one of them is there."""
    with _LOCK:
        found = _BEGUN.get(place)
        if found is None:
            found = _BEGUN[place] = Begun()
        return found


async def wait_for(appends: Sequence[Append]) -> None:
    """Wait until these have landed, whatever came of them."""
    for each in appends:
        await asyncio.wrap_future(each.landed)


def new_append(debate: str, lines: Sequence[str], after: int) -> Append:
    """An append of the coroutine that runs now."""
    loop = asyncio.get_running_loop()
    return Append(debate, tuple(lines), after, loop, loop.create_future())


def settle(outcomes: Sequence[tuple[Append, RecordError | None]]) -> None:
    """Tell all callers, from any thread: one wake-up for each event loop."""
    told: dict[asyncio.AbstractEventLoop, list[tuple[Append, RecordError | None]]] = {}
    for append, outcome in outcomes:
        told.setdefault(append.loop, []).append((append, outcome))
    for loop, pairs in told.items():
        with suppress(RuntimeError):  # the loop is closed, and its callers are gone with it
            loop.call_soon_threadsafe(_tell, pairs)
    for append, _ in outcomes:
        append.landed.set_result(None)


def _tell(pairs: list[tuple[Append, RecordError | None]]) -> None:
    for each, outcome in pairs:
        if not each.outcome.done():  # done: its caller was cancelled
            each.outcome.set_result(outcome)
