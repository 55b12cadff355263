"""A worker in this process on a real database and a real Temporal: how debates are run, stopped and handed on."""

import asyncio

import pytest

from folkmoot.core.event import Asked, Closed, Paused, Resumed
from folkmoot.record.store import read
from tests.workers.workers_kit import House, Turned, house, until

pytestmark = pytest.mark.alone


async def events(place: House, debate: str) -> list[object]:
    return [entry.event for entry in read(await place.store.read(debate))]


async def test_what_is_stopped_while_it_runs_pauses_after_the_answers_in_progress(database: str, temporal: str) -> None:
    model = Turned(waits=True)
    async with house(database, temporal, model) as place, place.working():
        await place.queue.submit(await place.lay("soft", rounds=3))
        await model.asked.wait()
        assert (await place.until("soft", "running")).worker == "w1"
        assert await place.queue.cancel("soft") == "stopping"
        await asyncio.sleep(1)
        assert (await place.until("soft", "running")).stopping
        model.go.set()
        await place.until("soft", "cancelled")
        known = await events(place, "soft")
        assert known[-1] == Paused(reason="stopped", kind="stopped")
        assert sum(isinstance(event, Asked) for event in known) == 2, "only the questions that were put are answered"
        assert (await place.queue.submit("soft")).state == "queued"
        await place.until("soft", "done")


async def test_what_is_stopped_now_does_not_wait_for_answers_and_can_be_submitted_again(
    database: str, temporal: str
) -> None:
    model = Turned(waits=True)
    async with house(database, temporal, model) as place, place.working():
        await place.queue.submit(await place.lay("now"))
        await model.asked.wait()
        assert await place.queue.cancel("now", now=True) == "stopping"
        await place.queue.submit("now")  # before its worker has heard of it
        model.asked.clear()
        await model.asked.wait()
        assert model.history == []
        model.go.set()
        await place.until("now", "done")


async def test_a_drained_worker_hands_on_what_it_holds(database: str, temporal: str) -> None:
    model = Turned(waits=True)
    async with house(database, temporal, model) as place:
        async with place.working() as worker:
            await place.queue.submit(await place.lay("drained", rounds=3))
            await model.asked.wait()
            worker.drain()
            await asyncio.sleep(0.3)
            model.go.set()
        job = await place.until("drained", "queued")
        assert (job.tries, job.worker) == (0, "")
        assert isinstance((await events(place, "drained"))[-1], Paused)
        async with place.working():
            await place.until("drained", "done")
        known = await events(place, "drained")
        assert sum(isinstance(event, Resumed) for event in known) == 2, "it began on record, and was handed on once"
        assert isinstance(known[-1], Closed)


async def test_a_drain_is_bounded_where_no_answer_comes(database: str, temporal: str) -> None:
    model = Turned(waits=True)
    async with house(database, temporal, model) as place:
        async with place.working(grace=0.3) as worker:
            await place.queue.submit(await place.lay("mute"))
            await model.asked.wait()
            worker.drain()
        assert (await place.until("mute", "queued")).tries == 0


async def test_a_person_is_waited_for_without_a_worker(database: str, temporal: str) -> None:
    async with house(database, temporal) as place, place.working():
        await place.queue.submit(await place.lay("person", person=True))
        job = await place.until("person", "waiting")
        assert (job.worker, job.begins) == ("", 0.0)
        await until(lambda: any("person: waiting" in line for line in place.said))
        assert await place.queue.cancel("person") == "cancelled"
