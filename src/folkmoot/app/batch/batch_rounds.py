"""Debates that wait for providers' batches: gather the calls of all, send them when all wait, resume who has answers.

A host runs its debates within ``BatchRounds``. When no debate can go on, the calls that were gathered are sent, so each
round of all debates is one batch for each model. A process that ends loses nothing: the batches go on at the providers,
and whoever resumes a debate finds their answers.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from folkmoot.app.run.outcome import Outcome
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import GUEST, HUMAN, QUOTES, Brief
from folkmoot.core.errors import BriefError
from folkmoot.core.event import Attempted, Called, Entry, Erred
from folkmoot.core.text import counted
from folkmoot.engine.driver import StopRequest
from folkmoot.models.names import PROVIDERS, parse

TICK = 0.5
"""The most seconds until a request to stop is noticed."""


LEAST = 0.01
"""The least seconds between two looks."""


def awaited_items(entries: Sequence[Entry]) -> frozenset[str]:
    """What the calls of a debate are called that a provider's batch has yet to answer."""
    awaited: dict[tuple[str, str], str] = {}
    for entry in entries:
        match entry.event:
            case Attempted(key=key, call=call, item=item):
                awaited[key, call] = item
            case Called(key=key, call=call) | Erred(key=key, call=call):
                awaited.pop((key, call), None)
            case _:
                pass
    return frozenset(filter(None, awaited.values()))


@dataclass(slots=True, kw_only=True)
class BatchRounds:
    """The debates of one host that wait for batches.

    Attributes:
        workspace: where they run.
        stop: set its reason to wait no more.
        wait: whether to wait for answers; else the calls are sent, and the debates stay paused.
        places: how many can be at work at the same time.
    """

    workspace: Workspace
    stop: StopRequest = field(default_factory=StopRequest)
    wait: bool = True
    places: asyncio.Semaphore = field(default_factory=asyncio.Semaphore)
    _working: int = 0
    _parked: dict[asyncio.Future[None], frozenset[str]] = field(
        default_factory=dict[asyncio.Future[None], frozenset[str]]
    )
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def waiting(self) -> int:
        """How many debates wait for batches now."""
        return len(self._parked)

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[None]:
        """Gather and send calls for the time of the context."""
        tray = self.workspace.tray
        tray.held = True
        try:
            async with asyncio.TaskGroup() as group:
                sending = group.create_task(self._keep())
                try:
                    yield
                finally:
                    sending.cancel()
            if not self.stop.reason:
                await tray.submit()
        finally:
            tray.held = False

    @asynccontextmanager
    async def working(self) -> AsyncGenerator[None]:
        """Take a place, and be counted as at work: whoever is may still put calls into the tray."""
        self._working += 1
        try:
            async with self.places:
                yield
        finally:
            self._working -= 1
            self._news.set()

    @asynccontextmanager
    async def resting(self) -> AsyncGenerator[None]:
        """Give the place back while somebody who is at work waits for others."""
        self._working -= 1
        self._news.set()
        self.places.release()
        try:
            yield
        finally:
            self._working += 1
            await self.places.acquire()

    async def finish(self, outcome: Outcome, resume: Callable[[], Awaitable[Outcome]]) -> Outcome:
        """Wait for batches and resume a debate, as often as it waits for one; called by somebody who is at work.

        Args:
            outcome: what came of it so far.
            resume: goes on with it.
        """
        while await self.settled(outcome):
            outcome = await resume()
        return outcome

    async def settled(self, outcome: Outcome) -> bool:
        """Wait for the batches that a debate waits for; whether it can go on now."""
        if outcome.status != "paused" or outcome.kind != "batch" or not self.wait or self.stop.reason:
            return False
        items = awaited_items(await self.workspace.entries(outcome.debate))
        settled = asyncio.get_running_loop().create_future()
        self._parked[settled] = items
        try:
            async with self.resting():
                await settled
        finally:
            del self._parked[settled]
        return not self.stop.reason

    async def _keep(self) -> None:
        """Send what was gathered when nobody is at work, and wake debates whose batches have ended."""
        tray = self.workspace.tray
        while True:
            self._news.clear()
            if self.stop.reason:
                self._wake(lambda items: True)
            elif self._parked and not self._working:
                await tray.submit()
                await tray.look_for(self._items())
                self._wake(lambda items: all(map(tray.settled, items)))
            await self._until(tray.next_look(self._items()))

    def _items(self) -> frozenset[str]:
        return frozenset(item for items in self._parked.values() for item in items)

    def _wake(self, ready: Callable[[frozenset[str]], bool]) -> None:
        for settled, items in tuple(self._parked.items()):
            if not settled.done() and ready(items):
                settled.set_result(None)

    async def _until(self, seconds: float) -> None:
        """Wait that long, or until something changes, or somebody wants to stop."""
        clock = asyncio.get_running_loop().time
        end = clock() + max(seconds, LEAST)
        while clock() < end and not self._news.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(min(TICK, end - clock())):
                    await self._news.wait()
            if self.stop.reason and self._parked:
                return


def split_models(brief: Brief) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The models of a brief whose calls can go into batches, and those that are always asked live."""
    seats = dict.fromkeys(
        participant.seat for participant in brief.participants if participant.seat and participant.duty != "aide"
    )
    models = [seat for seat in seats if seat not in (HUMAN, QUOTES) and not seat.startswith(GUEST)]
    batched = tuple(model for model in models if parse(model).provider.batches)
    return batched, tuple(model for model in models if model not in batched)


def batch_note(briefs: Iterable[Brief], rounds: int, *, or_live: bool = False) -> str:
    """Which models are asked in batches, and how long that can take, in a sentence.

    Raises:
        BriefError: none of them is.
    """
    batched: dict[str, None] = {}
    live: dict[str, None] = {}
    for brief in briefs:
        mine, others = split_models(brief)
        batched |= dict.fromkeys(mine)
        live |= dict.fromkeys(others)
    if not batched:
        raise BriefError(f"--batch needs a model of a provider that answers in batches: {' or '.join(WITH_BATCHES)}")
    others_live = f"; asked live: {', '.join(live)}" if live else ""
    late = " What a provider has no time for twice is asked live, at the full price." if or_live else ""
    return (
        f"Asked in batches at half the price: {', '.join(batched)}{others_live}. "
        f"There are up to {counted(rounds, 'round')}, and each can take 24 hours.{late}"
    )


WITH_BATCHES = tuple(provider.name for provider in PROVIDERS.values() if provider.batches)
"""The providers that answer in batches."""
