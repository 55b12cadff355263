"""Appends that wait for a writer in another thread. This file owns how their callers are told what came of them."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

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
    """

    debate: str
    lines: tuple[str, ...]
    after: int
    loop: asyncio.AbstractEventLoop
    outcome: asyncio.Future[RecordError | None]


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


def _tell(pairs: list[tuple[Append, RecordError | None]]) -> None:
    for each, outcome in pairs:
        if not each.outcome.done():  # done: its caller was cancelled
            each.outcome.set_result(outcome)
