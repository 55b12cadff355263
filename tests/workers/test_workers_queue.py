"""The queue and its leases on a real database, without a worker: what each change of a job comes to."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from sqlalchemy import text

from moot.app.plan.stores import open_store
from moot.app.run.dispatcher import QueueError
from moot.core.errors import BriefError
from moot.core.event import Called, Entry, Interjected
from moot.record.codec import encode
from moot.workers import queue_tables
from moot.workers.job_queue import Late, Queue, check_queue, find_queue, open_queue
from moot.workers.jobs import Ending, Lease
from moot.workers.leases import TRIES, Leases
from moot.workers.queue_tables import client_of, engine_of, is_ready, make_ready


async def keep_nothing(database: str) -> None:
    """Make the tables of records."""
    store = open_store(database)
    assert not await store.read("nobody")
    await store.close()


@pytest.fixture
def leases(database: str) -> Iterator[Leases]:
    asyncio.run(keep_nothing(database))
    engine = engine_of(database)
    make_ready(engine)
    yield Leases(engine, client_of(engine))
    engine.dispose()


@pytest.fixture
async def queue(database: str) -> "Queue":
    return Queue(database)


def workflows(leases: Leases) -> list[tuple[str, str]]:
    """The segments in the order in which the engine takes them."""
    asked = "select workflow_uuid, status from dbos.workflow_status order by priority, created_at, workflow_uuid"
    with leases.engine.begin() as connection:
        return [(row[0], row[1]) for row in connection.execute(text(asked))]


def taken(leases: Leases, debate: str = "a", segment: int = 1, worker: str = "w1", seconds: float = 30.0) -> Lease:
    found = leases.claim(debate, segment, worker, seconds)
    assert found
    return found


async def test_before_anything_was_submitted_the_queue_is_empty_and_has_no_tables(database: str) -> None:
    queue = Queue(database)
    assert await queue.jobs() == ()
    assert await queue.job("a") is None
    assert not await queue.cancel("a")
    await queue.close()


async def test_submitting_twice_is_one_job_and_one_segment(leases: Leases, queue: Queue) -> None:
    first = await queue.submit("a", owner="anna", priority=3)
    assert (first.state, first.owner, first.priority, first.tries) == ("queued", "anna", 3, 0)
    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(queue.submit("a", owner="bert"))
    assert await queue.jobs() == (first,)
    assert workflows(leases) == [("a@1", "ENQUEUED")]
    await queue.close()


async def test_owners_take_turns_and_a_better_priority_goes_first(leases: Leases, queue: Queue) -> None:
    for n in range(4):
        await queue.submit(f"big{n}", owner="big")
    for n in range(2):
        await queue.submit(f"small{n}", owner="small")
    await queue.submit("late", owner="big", priority=1)
    order = ["late", "big0", "small0", "big1", "small1", "big2", "big3"]
    assert [name for name, _ in workflows(leases)] == [f"{each}@1" for each in order]
    await queue.close()


async def test_who_comes_later_is_level_with_those_in_front_not_before_them(leases: Leases, queue: Queue) -> None:
    for n in range(3):
        await queue.submit(f"big{n}", owner="big")
    assert leases.claim("big0", 1, "w1", 30.0)
    await queue.submit("small0", owner="small")
    await queue.submit("small1", owner="small")
    assert [name for name, _ in workflows(leases)][1:] == ["big1@1", "small0@1", "big2@1", "small1@1"]
    await queue.close()


async def test_what_is_cancelled_in_the_queue_is_taken_out_and_can_be_submitted_again(
    leases: Leases, queue: Queue
) -> None:
    await queue.submit("a")
    assert await queue.cancel("a")
    assert not await queue.cancel("a")
    assert leases.claim("a", 1, "w1", 30.0) is None
    assert (await queue.submit("a")).state == "queued"
    assert workflows(leases) == [("a@1", "CANCELLED"), ("a@2", "ENQUEUED")]
    assert leases.claim("a", 1, "w1", 30.0) is None
    taken(leases, segment=2)
    await queue.close()


async def test_a_debate_has_one_holder_until_its_lease_has_run_out(leases: Leases, queue: Queue) -> None:
    await queue.submit("a")
    first = taken(leases, seconds=0.3)
    assert leases.claim("a", 1, "w2", 30.0) is None
    assert leases.beat("w1", ["a", "b"], 0.3) == {"a": (1, "")}
    assert leases.beat("w2", ["a"], 0.3) == {}
    await asyncio.sleep(0.4)
    assert leases.beat("w1", ["a"], 30.0) == {}, "a lease that has run out is not renewed"
    assert leases.watch(0.3) == ["a"]
    job = await queue.job("a")
    assert job
    assert (job.state, job.worker, job.tries) == ("queued", "", 1)
    second = taken(leases, segment=2, worker="w2")
    assert (second.epoch, second.tries) == (2, 2)
    assert leases.end(first, Ending(state="parked")) is None, "it belongs to another by now"
    assert leases.end(second, Ending(state="done")) == "done"
    assert leases.end(second, Ending(state="done")) is None
    await queue.close()


async def test_what_no_worker_brings_to_an_end_is_parked(leases: Leases, queue: Queue) -> None:
    await queue.submit("a")
    for n in range(1, TRIES + 1):
        taken(leases, segment=n, worker=f"w{n}", seconds=0.0)
        assert leases.watch(5.0) == ["a"]
    assert leases.claim("a", TRIES + 1, "w1", 30.0) is None
    job = await queue.job("a")
    assert job
    assert (job.state, job.tries) == ("parked", TRIES)
    assert job.reason == "given up after 5 tries: the workers that held it broke off"
    assert (await queue.submit("a")).tries == 0
    await queue.close()


async def test_a_debate_that_is_put_back_too_often_is_parked_when_it_is_taken_again(
    leases: Leases, queue: Queue
) -> None:
    await queue.submit("a")
    for n in range(1, TRIES + 1):
        assert leases.end(taken(leases, segment=n), Ending(state="queued", reason="nobody answered")) == "queued"
    assert leases.claim("a", TRIES + 1, "w1", 30.0) is None
    job = await queue.job("a")
    assert job
    assert (job.state, job.reason) == ("parked", "given up after 5 tries: nobody answered")
    await queue.close()


async def test_a_submission_while_it_is_held_is_not_lost_when_it_is_about_to_wait(leases: Leases, queue: Queue) -> None:
    await queue.submit("a")
    lease = taken(leases)
    assert (await queue.submit("a")).state == "running"
    assert leases.end(lease, Ending(state="waiting")) == "queued"
    assert leases.end(taken(leases, segment=2), Ending(state="waiting", reason="Eve")) == "waiting"
    assert (await queue.jobs(state="waiting"))[0].reason == "Eve"
    assert await queue.jobs(state="parked") == ()
    assert await queue.cancel("a")
    await queue.close()


async def test_stopping_what_is_held_is_told_to_its_holder(leases: Leases, queue: Queue) -> None:
    await queue.submit("a")
    lease = taken(leases)
    assert await queue.cancel("a")
    assert leases.beat("w1", ["a"], 30.0) == {"a": (1, "soft")}
    assert await queue.cancel("a", now=True)
    assert leases.beat("w1", ["a"], 30.0) == {"a": (1, "now")}
    assert leases.end(lease, Ending(state="waiting")) == "cancelled"
    await queue.close()


async def test_who_waits_too_long_and_what_the_engine_has_lost_is_queued_again(leases: Leases, queue: Queue) -> None:
    for debate in ("late", "lost", "fine", "patient"):
        await queue.submit(debate)
    leases.end(taken(leases, "late"), Ending(state="waiting", wake=1.0, fresh=True))
    leases.end(taken(leases, "patient"), Ending(state="waiting"))
    with leases.engine.begin() as connection:
        connection.execute(text("delete from dbos.workflow_status where workflow_uuid = 'lost@1'"))
    assert leases.watch(30.0) == ["late"], "what was queued just now may be on its way"
    await asyncio.sleep(0.05)
    assert leases.watch(0.02) == ["lost"]
    assert leases.watch(0.02) == []
    await queue.close()


async def test_what_cannot_be_is_refused_in_one_sentence(database: str) -> None:
    queue = Queue(database)
    with pytest.raises(BriefError, match="from 1, first, to 10, last, not 0"):
        await queue.submit("a", priority=0)
    with pytest.raises(BriefError, match="from 0 seconds to a year"):
        await queue.submit("a", after=-1.0)
    with pytest.raises(BriefError, match="a queue needs a store that many machines share"):
        check_queue("moot.sqlite")
    with pytest.raises(QueueError, match="cannot be read"):
        engine_of("postgresql://host:port:5/x")
    assert find_queue("moot.sqlite") is None
    await queue.close()


async def test_a_database_that_is_away_is_one_sentence_without_its_password() -> None:
    queue = Queue("postgresql://me:secret@127.0.0.1:9/x")
    for asked in (queue.job("a"), queue.submit("a")):
        with pytest.raises(QueueError, match="the queue cannot be reached: ") as told:
            await asked
        assert "secret" not in str(told.value)
        assert "\n" not in str(told.value)
    await queue.close()


async def test_a_queue_is_loaded_when_it_is_first_used(database: str) -> None:
    queue = open_queue(database)
    await queue.close()
    assert isinstance(queue, Late)
    assert await queue.job("a") is None
    assert (await queue.submit("a", after=60.0)).state == "queued"
    assert [job.debate for job in await queue.jobs()] == ["a"]
    assert await queue.cancel("a", now=True)
    await queue.close()


def test_where_the_packages_are_missing_one_sentence_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("moot.workers.job_queue.find_spec", dict[str, object]().get)
    with pytest.raises(BriefError, match=r'pip install "moot\[workers\]"'):
        check_queue("postgresql://x/y")
    assert find_queue("postgresql://x/y") is None


def test_many_processes_make_the_tables_of_a_new_database_at_once(database: str) -> None:
    engines = [engine_of(database) for _ in range(4)]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(make_ready, engines))
    for engine in engines:
        with engine.begin() as connection:
            assert is_ready(connection)
            assert connection.execute(text("select to_regclass('dbos.workflow_status') is not null")).scalar_one()
        engine.dispose()


def test_nobody_waits_for_ever_for_who_makes_the_tables(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue_tables, "PATIENCE", 0.2)
    one, other = engine_of(database), engine_of(database)
    with one.connect() as holder:
        holder.execute(text("select pg_advisory_lock(:n)"), {"n": queue_tables._LOCK})  # pyright: ignore[reportPrivateUsage]
        with pytest.raises(QueueError, match="another process has been making"):
            make_ready(other)
    for engine in (one, other):
        engine.dispose()


async def test_a_debate_that_comes_on_is_not_given_up(leases: Leases, queue: Queue) -> None:
    await queue.submit("a")
    for n in range(1, TRIES + 1):
        taken(leases, segment=n, worker=f"w{n}", seconds=0.0)
        assert leases.watch(5.0) == ["a"]
    called = Entry(seq=1, at=1.0, event=Called(key="/a#1", call="answer", text="Yes."), prev="0" * 64)
    with leases.engine.begin() as connection:
        insert = "insert into moot_line (debate, seq, text) values ('a', :n, :line)"
        connection.execute(text(insert), {"n": 1, "line": encode(called)})
    assert taken(leases, segment=TRIES + 1, seconds=0.0).tries == 1
    quoted = replace(called, seq=2, event=Interjected(by="Eve", text=f'"kind":"called" {encode(called)}'))
    with leases.engine.begin() as connection:
        connection.execute(text(insert), {"n": 2, "line": encode(quoted)})
    assert leases.watch(5.0) == ["a"]
    assert taken(leases, segment=TRIES + 2).tries == 2, "words are no answer of a model"
    await queue.close()


async def test_a_debate_that_was_to_be_stopped_is_not_taken_up_again(leases: Leases, queue: Queue) -> None:
    await queue.submit("a")
    taken(leases, seconds=0.0)
    assert await queue.cancel("a")
    assert leases.watch(5.0) == []
    job = await queue.job("a")
    assert job
    assert (job.state, job.reason) == ("cancelled", "it was cancelled")
    await queue.close()


async def test_a_table_of_another_program_is_left_alone(database: str) -> None:
    engine = engine_of(database)
    with engine.begin() as connection:
        connection.execute(text("create table moot_job (id int)"))
    queue = Queue(database)
    for doing in (queue.submit("a"), queue.jobs(), queue.job("a")):
        with pytest.raises(QueueError, match="moot_job that is not Moot's"):
            await doing
    await queue.close()
    engine.dispose()


async def test_who_may_only_read_and_write_submits_once_the_tables_are_there(leases: Leases, database: str) -> None:
    with leases.engine.begin() as connection:
        name = f"clerk_{database.rpartition('moot_')[2].partition('?')[0]}"
        connection.execute(text(f"create role {name} login"))
        for schema in ("public", "dbos"):
            connection.execute(text(f"revoke create on schema {schema} from public"))
            connection.execute(text(f"grant usage on schema {schema} to {name}"))
            connection.execute(text(f"grant select, insert, update, delete on all tables in schema {schema} to {name}"))
            connection.execute(text(f"grant usage on all sequences in schema {schema} to {name}"))
    queue = Queue(database.replace("postgres:@", f"{name}:@").replace("postgres@", f"{name}@"))
    assert (await queue.submit("a")).state == "queued"
    assert [job.debate for job in await queue.jobs()] == ["a"]
    await queue.close()
    empty = Queue(database.replace("postgres:@", f"{name}:@").replace("/moot_", "/none_"))
    with pytest.raises(QueueError, match="cannot be reached"):
        await empty.jobs()
