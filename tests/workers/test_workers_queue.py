"""The queue and its leases on a real database, without a worker: what each change of a job comes to."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from functools import partial

import pytest

from folkmoot.app.plan.settings import open_store
from folkmoot.app.run.dispatcher import Job, QueueAway, QueueError, QueueStatus, State
from folkmoot.core.errors import BriefError
from folkmoot.core.event import Called, Entry, Interjected
from folkmoot.record.store import encode
from folkmoot.workers import leases, queue_tables
from folkmoot.workers.job_queue import Queue, check_queue, find_queue, open_queue
from folkmoot.workers.jobs import Ending, Lease
from folkmoot.workers.leases import TRIES, HeartbeatResult, HeartbeatSender, Lost
from folkmoot.workers.queue_database import Connection, Database
from folkmoot.workers.queue_tables import has_tables, make_ready


@dataclass(frozen=True, slots=True)
class Held:
    """The leases of a database, as a worker uses them."""

    database: Database

    async def take(self, worker: str = "w1", most: int = 100, seconds: float = 30.0) -> dict[str, Lease]:
        grant = await self.database.do(
            partial(leases.take, taker=leases.Taker(worker=worker, most=most, seconds=seconds))
        )
        return {lease.debate: lease for lease in grant.leases}

    async def end(self, lease: Lease, ending: Ending) -> State | Lost:
        return await self.database.do(partial(leases.end, lease=lease, ending=ending))

    async def beat(self, worker: str, debates: list[str], seconds: float) -> HeartbeatResult:
        who = HeartbeatSender(worker=worker, places=8, seconds=seconds)
        return await self.database.do(partial(leases.beat, sender=who, debates=debates))

    async def watch(self) -> list[str]:
        return await self.database.do(leases.watch)

    async def tell(self, statement: str, *values: object) -> None:
        async def ask(c: Connection) -> None:
            await c.execute(statement, *values)

        await self.database.do(ask)


@pytest.fixture
async def queue_leases(database: str) -> AsyncGenerator[Held]:
    store = open_store(database)
    assert not await store.read("nobody")  # which makes the tables of records
    await store.close()
    connections = Database(database)
    await make_ready(connections)
    yield Held(connections)
    await connections.close()


@pytest.fixture
async def queue(database: str) -> AsyncGenerator[Queue]:
    queue = Queue(database)
    yield queue
    await queue.close()


async def take_lease(debate_run: Held, debate: str = "a", worker: str = "w1", seconds: float = 30.0) -> Lease:
    """Take what is there; the lease of that debate."""
    return (await debate_run.take(worker, seconds=seconds))[debate]


async def job_of(queue: Queue, debate: str = "a") -> Job:
    job = await queue.job(debate)
    assert job
    return job


async def test_before_anything_was_submitted_the_queue_is_empty_and_has_no_tables(queue: Queue) -> None:
    assert await queue.jobs() == ()
    assert await queue.job("a") is None
    assert not await queue.cancel("a")
    assert await queue.status() == QueueStatus()


async def test_submitting_twice_is_one_job_that_is_taken_once(queue_leases: Held, queue: Queue) -> None:
    first = await queue.submit("a", owner="anna", priority=3)
    assert (first.state, first.owner, first.priority, first.tries) == ("queued", "anna", 3, 0)
    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(queue.submit("a", owner="bert"))
    assert await queue.jobs() == (first,)
    async with asyncio.TaskGroup() as group:
        looks = [group.create_task(queue_leases.take(f"w{n}")) for n in range(4)]
    assert sorted(len(look.result()) for look in looks) == [0, 0, 0, 1]


async def test_owners_take_turns_and_a_better_priority_goes_first(queue_leases: Held, queue: Queue) -> None:
    for n in range(4):
        await queue.submit(f"big{n}", owner="big")
    for n in range(2):
        await queue.submit(f"small{n}", owner="small")
    await queue.submit("late", owner="big", priority=1)
    order = [name for _ in range(7) for name in await queue_leases.take(most=1)]
    assert order == ["late", "big0", "small0", "big1", "small1", "big2", "big3"]


async def test_who_comes_later_is_level_with_those_in_front_not_before_them(queue_leases: Held, queue: Queue) -> None:
    for n in range(3):
        await queue.submit(f"big{n}", owner="big")
    assert [*await queue_leases.take(most=1)] == ["big0"]
    await queue.submit("small0", owner="small")
    await queue.submit("small1", owner="small")
    assert [*await queue_leases.take()] == ["big1", "small0", "big2", "small1"]


async def test_what_is_cancelled_in_the_queue_is_taken_out_and_can_be_submitted_again(
    queue_leases: Held, queue: Queue
) -> None:
    await queue.submit("a")
    assert await queue.cancel("a") == "cancelled"
    assert await queue.cancel("a") == ""
    assert await queue_leases.take() == {}
    assert (await queue.submit("a")).state == "queued"
    await take_lease(queue_leases)


async def test_what_is_put_off_is_not_taken_before_its_time_and_says_when_it_begins(
    queue_leases: Held, queue: Queue
) -> None:
    job = await queue.submit("a", after=60.0)
    assert 59 < job.begins - job.since < 61
    looked = await queue_leases.database.do(partial(leases.take, taker=leases.Taker(worker="w1", most=1, seconds=30.0)))
    assert looked.leases == ()
    assert looked.later is not None
    assert 55 < looked.later <= 60
    await queue_leases.tell("update folkmoot_job set ready = clock_timestamp()")
    await take_lease(queue_leases)
    assert (await job_of(queue)).begins == 0.0


async def test_a_debate_has_one_holder_until_its_lease_has_run_out(queue_leases: Held, queue: Queue) -> None:
    await queue.submit("a")
    first = await take_lease(queue_leases)
    assert await queue_leases.take("w2") == {}
    assert await queue_leases.beat("w1", ["a", "b"], 30.0) == {"a": (1, "")}
    assert await queue_leases.beat("w2", ["a"], 30.0) == {}
    await queue_leases.tell("update folkmoot_lease set until = clock_timestamp()")
    assert await queue_leases.beat("w1", ["a"], 30.0) == {}, "a lease that has run out is not renewed"
    assert await queue_leases.watch() == ["a"]
    job = await job_of(queue)
    assert (job.state, job.worker, job.tries) == ("queued", "", 1)
    assert await queue_leases.end(first, Ending(state="parked")) == Lost(state="queued"), (
        "nobody has it, and not this one"
    )
    second = await take_lease(queue_leases, worker="w2")
    assert (second.epoch, second.tries) == (2, 2)
    assert await queue_leases.end(first, Ending(state="parked")) == Lost(worker="w2", state="running"), (
        "it belongs to another by now"
    )
    assert await queue_leases.end(second, Ending(state="done")) == "done"
    assert await queue_leases.end(second, Ending(state="done")) == Lost(state="done")


async def test_a_queued_debate_whose_lease_still_holds_waits_for_its_end(queue_leases: Held, queue: Queue) -> None:
    await queue.submit("a")
    await take_lease(queue_leases)
    await queue_leases.tell("update folkmoot_job set state = 'queued'")
    assert await queue_leases.take("w2") == {}
    assert await queue_leases.take("w2") == {}, "it has been put off"
    await queue_leases.tell("update folkmoot_lease set until = clock_timestamp()")
    await queue_leases.tell("update folkmoot_job set ready = clock_timestamp()")
    assert (await take_lease(queue_leases, worker="w2")).epoch == 2


async def test_what_no_worker_brings_to_an_end_is_parked(queue_leases: Held, queue: Queue) -> None:
    await queue.submit("a")
    for n in range(1, TRIES + 1):
        await take_lease(queue_leases, worker=f"w{n}", seconds=0.0)
        assert await queue_leases.watch() == ["a"]
    assert await queue_leases.take() == {}
    job = await job_of(queue)
    assert (job.state, job.tries) == ("parked", TRIES)
    assert job.reason == "given up after 5 tries: the workers that held it broke off"
    assert (await queue.submit("a")).tries == 0


async def test_a_debate_that_is_put_back_too_often_is_parked_when_it_is_taken_again(
    queue_leases: Held, queue: Queue
) -> None:
    await queue.submit("a")
    for _ in range(TRIES):
        assert (
            await queue_leases.end(await take_lease(queue_leases), Ending(state="queued", reason="nobody answered"))
            == "queued"
        )
    assert await queue_leases.take() == {}
    job = await job_of(queue)
    assert (job.state, job.reason) == ("parked", "given up after 5 tries: nobody answered")


async def test_a_submission_while_it_is_held_is_not_lost_when_it_is_about_to_wait(
    queue_leases: Held, queue: Queue
) -> None:
    await queue.submit("a")
    lease = await take_lease(queue_leases)
    assert (await queue.submit("a")).state == "running"
    assert await queue_leases.end(lease, Ending(state="waiting")) == "queued"
    assert await queue_leases.end(await take_lease(queue_leases), Ending(state="waiting", reason="Eve")) == "waiting"
    assert (await queue.jobs(state="waiting"))[0].reason == "Eve"
    assert await queue.jobs(state="parked") == ()
    assert await queue.cancel("a") == "cancelled"


async def test_stopping_what_is_held_is_told_to_its_holder_and_is_not_called_cancelled(
    queue_leases: Held, queue: Queue
) -> None:
    await queue.submit("a")
    lease = await take_lease(queue_leases)
    assert not (await job_of(queue)).stopping
    assert await queue.cancel("a") == "stopping"
    job = await job_of(queue)
    assert (job.state, job.stopping) == ("running", True)
    assert await queue_leases.beat("w1", ["a"], 30.0) == {"a": (1, "soft")}
    assert await queue.cancel("a", now=True) == "stopping"
    assert await queue_leases.beat("w1", ["a"], 30.0) == {"a": (1, "now")}
    assert await queue_leases.end(lease, Ending(state="waiting")) == "cancelled"
    job = await job_of(queue)
    assert (job.state, job.stopping) == ("cancelled", False)


async def test_who_waits_too_long_is_queued_again(queue_leases: Held, queue: Queue) -> None:
    for debate in ("late", "fine", "patient"):
        await queue.submit(debate)
    leases_ = await queue_leases.take(most=2)
    assert [*leases_] == ["late", "fine"]
    await queue_leases.end(leases_["late"], Ending(state="waiting", wake=0.0, fresh=True))
    await queue_leases.end(leases_["fine"], Ending(state="waiting"))
    assert await queue_leases.watch() == ["late"]
    assert await queue_leases.watch() == []


async def test_a_queue_says_how_many_workers_are_alive_and_since_when_debates_wait(
    queue_leases: Held, queue: Queue
) -> None:
    before = await queue.submit("a", owner="anna")
    await queue.submit("b", owner="bert")
    await queue.submit("c", after=60.0)
    status = await queue.status()
    assert status == QueueStatus(counts={"queued": 3}, oldest=pytest.approx(before.since, abs=0.5))  # pyright: ignore[reportArgumentType]
    await queue_leases.beat("w1", [], 30.0)
    await queue_leases.beat("w2", [], 30.0)
    await queue_leases.beat("silent", [], 0.0)
    await queue_leases.take(most=1)
    status = await queue.status()
    assert (status.workers, status.places) == (2, 16)
    assert status.counts == {"queued": 2, "running": 1}
    assert status.oldest is not None
    assert status.oldest > before.since
    await queue_leases.database.do(partial(leases.leave, worker="w2"))
    assert (await queue.status()).workers == 1
    assert [job.debate for job in await queue.jobs(owner="bert")] == ["b"]
    assert [job.debate for job in await queue.jobs(owner="")] == ["c"]


async def test_what_cannot_be_is_refused_in_one_sentence(queue: Queue) -> None:
    with pytest.raises(BriefError, match=r"from 1 \(first\) to 10 \(last\), not 0"):
        await queue.submit("a", priority=0)
    with pytest.raises(BriefError, match="from 0 seconds to one year"):
        await queue.submit("a", after=-1.0)
    with pytest.raises(BriefError, match="a queue needs a store that many machines share"):
        check_queue("folkmoot.sqlite")
    with pytest.raises(QueueError, match="cannot be read"):
        Queue("postgresql://[host/x")
    other = Queue("postgresql://host:port:5/x")
    with pytest.raises(QueueError, match="cannot be read"):
        await other.jobs()
    await other.close()
    assert find_queue("folkmoot.sqlite") is None


async def test_a_database_that_is_away_is_one_sentence_without_its_password() -> None:
    queue = Queue("postgresql://me:secret@127.0.0.1:9/x")
    for coroutine in (queue.job("a"), queue.submit("a")):
        with pytest.raises(QueueAway, match="the queue cannot be reached: its server cannot be reached") as caught:
            await coroutine
        assert "secret" not in str(caught.value)
        assert "\n" not in str(caught.value)
    await queue.close()
    with pytest.raises(QueueError, match="it has been closed"):
        await queue.job("a")


async def test_a_queue_is_connected_when_it_is_first_used(database: str) -> None:
    await open_queue(database).close()
    queue = open_queue(database)
    assert await queue.job("a") is None
    assert (await queue.submit("a", after=60.0)).state == "queued"
    assert [job.debate for job in await queue.jobs()] == ["a"]
    assert await queue.cancel("a", now=True) == "cancelled"
    await queue.close()


def test_where_the_packages_are_missing_one_sentence_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("folkmoot.workers.job_queue.find_spec", dict[str, object]().get)
    with pytest.raises(BriefError, match=r'pip install .*"croniter'):
        check_queue("postgresql://x/y")
    assert find_queue("postgresql://x/y") is None


async def test_many_processes_make_the_tables_of_a_new_database_at_once(database: str) -> None:
    many = [Database(database) for _ in range(4)]
    async with asyncio.TaskGroup() as group:
        for queue_database in many:
            group.create_task(make_ready(queue_database))
    for queue_database in many:
        assert await queue_database.do(has_tables)
        await queue_database.close()


async def test_nobody_waits_for_ever_for_who_makes_the_tables(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue_tables, "PATIENCE", 0.2)
    queue_database, other = Database(database), Database(database)

    async def hold(c: Connection) -> None:
        await c.execute("select pg_advisory_xact_lock($1)", queue_tables._LOCK)  # pyright: ignore[reportPrivateUsage]
        with pytest.raises(QueueError, match="another process has been making"):
            await make_ready(other)

    await queue_database.do(hold)
    for opened in (queue_database, other):
        await opened.close()


@pytest.mark.parametrize("version", [1, 3])
async def test_the_tables_of_another_version_are_left_alone(queue_leases: Held, queue: Queue, version: int) -> None:
    await queue_leases.tell(f"comment on table folkmoot_job is 'queue of Folkmoot {version}'")
    for doing in (queue.submit("a"), queue.jobs()):
        with pytest.raises(QueueError, match=f"the version of its tables is {version}"):
            await doing


async def test_a_debate_that_comes_on_is_not_given_up(queue_leases: Held, queue: Queue) -> None:
    await queue.submit("a")
    for n in range(1, TRIES + 1):
        await take_lease(queue_leases, worker=f"w{n}", seconds=0.0)
        assert await queue_leases.watch() == ["a"]
    called = Entry(seq=1, at=1.0, event=Called(key="/a#1", call="answer", text="Yes."), prev="0" * 64)
    insert = "insert into folkmoot_line (debate, seq, text) values ('a', $1, $2)"
    await queue_leases.tell(insert, 1, encode(called))
    assert (await take_lease(queue_leases, seconds=0.0)).tries == 1
    quoted = replace(called, seq=2, event=Interjected(by="Eve", text=f'"kind":"called" {encode(called)}'))
    await queue_leases.tell(insert, 2, encode(quoted))
    assert await queue_leases.watch() == ["a"]
    assert (await take_lease(queue_leases)).tries == 2, "words are no answer of a model"


async def test_a_debate_that_was_to_be_stopped_is_not_taken_up_again(queue_leases: Held, queue: Queue) -> None:
    await queue.submit("a")
    await take_lease(queue_leases, seconds=0.0)
    assert await queue.cancel("a")
    assert await queue_leases.watch() == []
    job = await job_of(queue)
    assert (job.state, job.reason) == ("cancelled", "it was cancelled")


async def test_a_debate_that_was_submitted_again_after_its_withdrawal_outlives_its_worker(
    queue_leases: Held, queue: Queue
) -> None:
    await queue.submit("a")
    await take_lease(queue_leases, seconds=0.0)
    assert await queue.cancel("a")
    await queue.submit("a")
    assert await queue_leases.watch() == ["a"]
    assert (await job_of(queue)).state == "queued"
    assert (await take_lease(queue_leases)).stop == ""


async def test_a_table_of_another_program_is_left_alone(database: str, queue: Queue) -> None:
    other = Database(database)
    await Held(other).tell("create table folkmoot_job (id int)")
    await other.close()
    for doing in (queue.submit("a"), queue.jobs(), queue.job("a")):
        with pytest.raises(QueueError, match="folkmoot_job that is not Folkmoot's"):
            await doing


async def test_who_may_only_read_and_write_submits_once_the_tables_are_there(queue_leases: Held, database: str) -> None:
    name = f"clerk_{database.rpartition('folkmoot_')[2].partition('?')[0]}"
    for statement in (
        f"create role {name} login",
        "revoke create on schema public from public",
        f"grant usage on schema public to {name}",
        f"grant select, insert, update, delete on all tables in schema public to {name}",
    ):
        await queue_leases.tell(statement)
    queue = Queue(database.replace("postgres:@", f"{name}:@").replace("postgres@", f"{name}@"))
    assert (await queue.submit("a")).state == "queued"
    assert [job.debate for job in await queue.jobs()] == ["a"]
    await queue.close()
    empty = Queue(database.replace("postgres:@", f"{name}:@").replace("/folkmoot_", "/none_"))
    with pytest.raises(QueueError, match="cannot be reached: its server has no such database"):
        await empty.jobs()
    await empty.close()
