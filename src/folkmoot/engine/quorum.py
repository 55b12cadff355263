"""Quorum with grace: when enough of those who were asked have answered, the others have some seconds left.

Only what debaters say is hurried: never a person, a moderator, a ballot or a ruling. Whoever is late is missing, and
the record says so. The replay of a record follows from that entry and from no clock.
"""

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass

from folkmoot.core.ask import Ask, Reply
from folkmoot.core.brief import Brief, Limits
from folkmoot.core.event import Failed
from folkmoot.core.roles import hurried


@dataclass(frozen=True, slots=True, kw_only=True)
class Quorum:
    """How many answers of a batch are waited for without a limit of their own.

    Attributes:
        least: so many answers are enough.
        grace: seconds that the others have from then on.
        asked: of how many.
    """

    least: int
    grace: float
    asked: int

    async def hurry(self, tasks: Sequence["asyncio.Task[object]"]) -> None:
        """Wait for the answers, and cancel those that come too late."""
        enough, over = asyncio.Event(), asyncio.Event()

        def look(_: object = None) -> None:
            if all(task.done() for task in tasks):
                over.set()
            if over.is_set() or sum(map(_has_answered, tasks)) >= self.least:
                enough.set()

        for task in tasks:
            task.add_done_callback(look)
        await enough.wait()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.grace):
                await over.wait()
        for task in tasks:
            task.cancel()  # of one that is done nothing comes

    def late(self, ask: Ask) -> Failed:
        """What is recorded of an answer that was too late."""
        reason = f"the debate continued after {self.least} of {self.asked} answers and {self.grace:g} s"
        return Failed(key=ask.key, kind="late", reason=reason)


def _has_answered(task: "asyncio.Task[object]") -> bool:
    return task.done() and not task.cancelled() and task.exception() is None and isinstance(task.result(), Reply)


def quorum_of(asks: Sequence[Ask], brief: Brief, limits: Limits) -> Quorum | None:
    """The quorum of a batch; None where everybody is waited for."""
    least, batch = limits.quorum, len(hurried(asks, brief))
    return None if least is None or least >= batch else Quorum(least=least, grace=limits.grace, asked=batch)
