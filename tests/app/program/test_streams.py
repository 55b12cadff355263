"""Streams of work: whoever listens and whoever works do each other no harm."""

import asyncio
from contextlib import aclosing

import pytest

from folkmoot.app.program.program_calls import MOST, Tell, run_and_tell, stream
from folkmoot.app.run.outcome import Outcome
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.errors import FolkmootError
from folkmoot.core.event import Entry
from folkmoot.testing.store_checks import InMemoryStore


class Work:
    """Tells so many numbers, then fails or waits for ever or ends."""

    def __init__(self, numbers: int, *, error: Exception | None = None, waits: bool = False) -> None:
        self.numbers, self.error, self.waits = numbers, error, waits
        self.stopped = False

    async def __call__(self, tell: Tell[int]) -> None:
        try:
            for n in range(self.numbers):
                await tell(n)
            if self.waits:
                await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.stopped = True
            raise
        if self.error:
            raise self.error


async def test_all_that_is_told_comes_in_order_to_a_slow_listener() -> None:
    received: list[int] = []
    async for n in stream(Work(3 * MOST)):
        await asyncio.sleep(0)
        received.append(n)
    assert received == list(range(3 * MOST))


async def test_an_error_comes_behind_the_last_word_and_never_into_the_midst_of_the_listener() -> None:
    received: list[int] = []

    async def listen() -> None:
        async for n in stream(Work(2, error=FolkmootError("broken"))):
            await asyncio.sleep(0.01)  # the work has failed by now
            received.append(n)

    with pytest.raises(FolkmootError, match="broken"):
        await listen()
    assert received == [0, 1]


async def test_an_error_of_the_debate_comes_as_it_is() -> None:
    async def hear(entry: Entry) -> None:
        raise AssertionError(f"{entry} of a debate that never began")

    async def go() -> Outcome:
        await asyncio.sleep(0)
        raise FolkmootError("broken")

    with pytest.raises(FolkmootError, match="broken"):
        await run_and_tell(Workspace(InMemoryStore()), "d", hear, go)


@pytest.mark.parametrize("numbers", [1, 3 * MOST])
async def test_whoever_leaves_stops_the_work(numbers: int) -> None:
    work = Work(numbers, waits=True)
    async with aclosing(stream(work)) as items:
        async for _ in items:
            break
    assert work.stopped


@pytest.mark.parametrize("numbers", [1, 3 * MOST])
async def test_a_listener_that_is_cancelled_stops_the_work(numbers: int) -> None:
    work, received = Work(numbers, waits=True), asyncio.Event()

    async def listen() -> None:
        async for _ in stream(work):
            received.set()

    async with asyncio.TaskGroup() as group:
        listening = group.create_task(listen())
        await received.wait()
        await asyncio.sleep(0.01)
        listening.cancel()
    assert work.stopped


@pytest.mark.parametrize("waits", [True, False])
def test_a_loop_that_ends_stops_the_work(waits: bool) -> None:
    """The program holds on to the generator; nothing is left over, and no task is destroyed."""
    work = Work(1, waits=waits)
    items = stream(work)

    async def main() -> int:
        return await anext(items)

    assert asyncio.run(main()) == 0
    assert work.stopped is waits
