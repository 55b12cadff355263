"""A worker in this process on a real database: how debates are stopped, given back and lost to another."""

import asyncio

import pytest

from folkmoot.core.errors import RecordConflict
from folkmoot.core.event import Asked, Closed, Paused, Resumed
from folkmoot.record.store import read
from folkmoot.workers.leases import FencedStore
from tests.workers.workers_kit import LEASE, House, Turned, house, until

pytestmark = pytest.mark.alone


async def ending(house: House, debate: str) -> object:
    return read(await house.workspace.store.read(debate))[-1].event


async def test_what_is_stopped_while_it_is_held_pauses_after_the_answers_in_hand(database: str) -> None:
    model = Turned(waits=True)
    async with house(database, model) as place:
        await place.queue.submit(await place.lay("soft", rounds=3))
        async with place.working():
            await model.asked.wait()
            assert await place.queue.cancel("soft")
            await asyncio.sleep(0.2)
            assert (await place.until("soft", "running")).worker == "w1"
            model.go.set()
            await place.until("soft", "cancelled")
        events = [entry.event for entry in read(await place.workspace.store.read("soft"))]
    assert events[-1] == Paused(reason="stopped", kind="stopped")
    assert sum(isinstance(event, Asked) for event in events) == 2, "only the questions that were put are answered"


async def test_what_is_stopped_now_does_not_wait_for_answers(database: str) -> None:
    model = Turned(waits=True)
    async with house(database, model) as place:
        await place.queue.submit(await place.lay("now"))
        async with place.working():
            await model.asked.wait()
            assert await place.queue.cancel("now", now=True)
            await place.until("now", "cancelled")
            assert model.history == []
            model.go.set()
            assert (await place.queue.submit("now")).state == "queued"
            await place.until("now", "done")


async def test_a_drained_worker_gives_back_what_it_holds_and_another_goes_on(database: str) -> None:
    model = Turned(waits=True)
    async with house(database, model) as place:
        await place.queue.submit(await place.lay("drained", rounds=3))
        async with place.working(grace=5.0) as worker:
            await model.asked.wait()
            worker.drain()
            await asyncio.sleep(0.1)
            model.go.set()
        job = await place.until("drained", "queued")
        assert (job.tries, job.worker) == (0, "")
        assert isinstance(await ending(place, "drained"), Paused)
        async with place.working():
            await place.until("drained", "done")
        events = [entry.event for entry in read(await place.workspace.store.read("drained"))]
    assert sum(isinstance(event, Resumed) for event in events) == 2, "it began on record, and was handed on once"
    assert isinstance(events[-1], Closed)


async def test_a_drain_is_bounded_where_no_answer_comes(database: str) -> None:
    model = Turned(waits=True)
    async with house(database, model) as place:
        await place.queue.submit(await place.lay("mute"))
        async with place.working(grace=0.3) as worker:
            await model.asked.wait()
            worker.drain()
        assert (await place.until("mute", "queued")).tries == 0


async def test_a_worker_that_has_lost_its_lease_stops_and_writes_nothing(database: str) -> None:
    model = Turned(waits=True)
    async with house(database, model) as place:
        await place.queue.submit(await place.lay("lost"))
        async with place.working():
            await model.asked.wait()
            before = await place.workspace.store.read("lost")
            await place.tell(
                "update folkmoot_lease set worker = 'w2', epoch = epoch + 1, until = now() + interval '1 hour'"
            )
            text = "lost: interrupted, because its lease has run out; worker w2 runs it now"
            await until(lambda: text in place.said)
            assert await place.workspace.store.read("lost") == before
            job = await place.until("lost", "running")
    assert job.worker == "w2"


async def test_a_writer_beside_the_worker_wins_once_and_the_debate_goes_on(database: str) -> None:
    model = Turned(waits=True)
    async with house(database, model) as place:
        await place.queue.submit(await place.lay("two", rounds=2))
        async with place.working():
            await model.asked.wait()
            # Somebody resumes it by hand meanwhile, over the same record and without a lease.
            async with house(database) as other:
                await other.workspace.resume("two")
            model.go.set()
            job = await place.until("two", "done")
        entries = read(await place.workspace.store.read("two"))
    assert job.tries == 1, "with another answer on record the tries begin anew"
    assert isinstance(entries[-1].event, Closed)
    assert "two: queued: another process writes its record" in place.said


async def test_the_fence_lets_nothing_through_behind_the_end_of_a_lease(database: str) -> None:
    now = 100.0
    async with house(database) as place:
        fence = FencedStore(place.workspace.store, lambda: now)
        lines = await place.workspace.store.read(await place.lay("a"))
        with pytest.raises(RecordConflict, match="another worker may have it now"):
            await fence.append("b", lines, after=0)
        fence.open("b", now + LEASE)
        fence.extend(["a", "b"], now + LEASE)
        await fence.append("b", lines, after=0)
        assert await fence.read("b") == lines
        assert {debate.debate for debate in await fence.debates()} == {"a", "b"}
        assert fence.held == ("b",)
        now += LEASE
        assert fence.lapsed("b")
        with pytest.raises(RecordConflict):
            await fence.append("b", lines, after=1)
        fence.shut("b")
        await fence.close()
        assert fence.held == ()
