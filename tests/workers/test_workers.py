"""A worker in this process on a real database: how debates are held, and what parks them."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from folkmoot.app.run.people import answer
from folkmoot.app.run.record_reader import waiting
from folkmoot.core.brief import Limits
from folkmoot.core.errors import Unavailable
from folkmoot.workers.queue_database import Connection, Database
from tests.app.run.people_kit import filled
from tests.workers.workers_kit import Turned, house, until

pytestmark = pytest.mark.alone


async def test_what_is_submitted_is_held_to_its_end_and_owners_take_turns(database: str) -> None:
    async with house(database) as place:
        for n in range(3):
            await place.queue.submit(await place.lay(f"big{n}"), owner="big")
        await place.queue.submit(await place.lay("small"), owner="small")
        await place.queue.submit(await place.lay("late"), after=0.6, priority=10)
        await place.queue.submit(await place.lay("first"), owner="big", priority=1)
        async with place.working(most=1):
            await place.until("late", "done")
            job = await place.until("small", "done")
        started = [line.partition(":")[0] for line in place.said if line.endswith(": taken")]
    assert (job.tries, job.worker, job.reason) == (1, "", "")
    order = ["first", "big0", "small", "big1", "big2", "late"]
    assert started == order
    assert sorted(place.said) == sorted(f"{text}: {state}" for text in order for state in ("taken", "done"))


async def test_many_debates_run_beside_each_other(database: str) -> None:
    model = Turned(waits=True)
    async with house(database, model) as place:
        for n in range(20):
            await place.queue.submit(await place.lay(f"d{n}"))
        async with place.working(most=15) as worker:
            await until(lambda: len(worker.held) == 15)
            model.go.set()
            for n in range(20):
                await place.until(f"d{n}", "done")


async def test_a_person_holds_no_worker_and_the_answer_takes_it_on(database: str) -> None:
    async with house(database) as place:
        debate = await place.lay("person", person=True)
        await place.queue.submit(debate, owner="anna", priority=2)
        async with place.working() as worker:
            job = await place.until(debate, "waiting")
            assert "Eve" in job.reason
            assert worker.held == ()
            assert await place.tell("select worker from folkmoot_lease") == [("",)]
            answered = 0
            while (job := await place.until(debate, "waiting", "done")).state == "waiting":
                ask = (await waiting(place.workspace, debate))[0].ask
                assert ask
                words, fields = filled(ask)
                await answer(place.workspace, debate, words, fields=fields)
                answered += 1
    assert (job.owner, job.priority) == ("anna", 2)
    assert answered >= 1


async def test_what_a_limit_stops_is_parked_with_the_reason(database: str) -> None:
    async with house(database) as place:
        await place.queue.submit(await place.lay("short", limits=Limits(asks=1)))
        async with place.working():
            job = await place.until("short", "parked")
    assert "limit" in job.reason
    assert job.tries == 1


async def test_a_damaged_record_and_one_that_is_not_there_are_parked_at_once(database: str) -> None:
    async with house(database) as place:
        await place.workspace.store.append(await place.lay("broken"), ["nonsense"], after=1)
        await place.queue.submit("broken")
        await place.queue.submit("nobody")
        async with place.working():
            broken, nobody = await place.until("broken", "parked"), await place.until("nobody", "parked")
    assert "a line of the record is damaged" in broken.reason
    assert "there is no debate 'nobody'" in nobody.reason
    assert (broken.tries, nobody.tries) == (1, 1)


async def test_a_slip_of_ours_parks_the_debate_and_ends_no_other(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with house(database) as place:
        await place.queue.submit(await place.lay("slip"))
        await place.queue.submit(await place.lay("fine"), after=0.2)
        worker = place.worker()
        resume = place.workspace.resume

        async def slips(debate: str, **how: object) -> object:
            if debate == "slip":
                raise ValueError("a slip")
            return await resume(debate, **how)  # pyright: ignore[reportArgumentType]

        monkeypatch.setattr(place.workspace, "resume", slips)
        async with asyncio.TaskGroup() as group:
            group.create_task(worker.run())
            job = await place.until("slip", "parked")
            await place.until("fine", "done")
            worker.drain()
    assert job.reason == "internal error: ValueError: a slip"


async def test_where_nobody_can_be_reached_it_is_tried_again_and_parked_in_the_end(database: str) -> None:
    away = Unavailable("the provider is away", kind="connection")
    model = Turned(fails=lambda: away)
    async with house(database, model) as place:
        await place.queue.submit(await place.lay("away"))
        async with place.working():
            job = await place.until("away", "parked")
    assert job.tries == 5
    assert "given up after 5 tries: none of 2 participants could be reached" in job.reason


async def test_an_idle_worker_asks_the_database_only_for_its_signs_of_life(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 0
    do = Database.do

    async def counting(self: Database, work: Callable[[Connection], Awaitable[object]]) -> object:
        nonlocal count
        count += 1
        return await do(self, work)

    monkeypatch.setattr(Database, "do", counting)
    async with house(database) as place, place.working(lease=15.0):
        before = -1
        while count != before or not count:
            before = count
            await asyncio.sleep(0.5)
        await asyncio.sleep(1.0)
        assert count - before <= 3, "a beat, a look at leases and one at schedules, every five seconds"
        await place.queue.submit(await place.lay("now"))
        await place.until("now", "done", seconds=5.0)  # a notification wakes it: it looks by itself every ten seconds
