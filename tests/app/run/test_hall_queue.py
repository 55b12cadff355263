"""The hall over a queue: what a worker holds is begun, looked at, stopped and gone on with as what is held here."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from folkmoot.app.brief.reader import read_brief
from folkmoot.app.plan.settings import Config
from folkmoot.app.plan.settings_tables import Serving
from folkmoot.app.run import queue_runner
from folkmoot.app.run.access import noted_allowance
from folkmoot.app.run.dispatcher import QueueError
from folkmoot.app.run.people import answer, say
from folkmoot.app.run.prepare import LimitOverrides, Overrides, prepare
from folkmoot.app.run.queue_runner import QueueRunner
from folkmoot.app.run.record_reader import waiting
from folkmoot.app.run.runner import RunnerFull
from folkmoot.app.run.workspace import Workspace
from folkmoot.app.serve.admission import Admission, DebateRequest, id_for_key
from folkmoot.app.serve.spending import Spending
from folkmoot.core.brief import Limits
from folkmoot.core.errors import FolkmootError, RecordConflict
from folkmoot.core.event import Paused
from folkmoot.testing.store_checks import InMemoryStore
from tests.app.run.queue_kit import Worker, working
from tests.council.agents import own_place
from tests.web.web_kit import ADA, QUOTES, Slow, until

ROUNDS = f"---\nprotocol: round_robin\nrounds: 2\n---\n{QUOTES}"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)
    monkeypatch.setattr(queue_runner, "LOOK", 0.01)


@asynccontextmanager
async def hall_with(slow: Slow | None = None) -> AsyncGenerator[tuple[QueueRunner, Worker]]:
    """A hall, and a worker with another desk over the same records."""
    store = InMemoryStore()
    here, there = Workspace(store, config=Config()), Workspace(InMemoryStore(store.kept), config=Config())
    for workspace in (here, there) if slow else ():
        workspace.pool.add_agent("slow", slow)  # pyright: ignore[reportArgumentType]
    async with working(there) as worker, QueueRunner(here, worker, grace=0.05) as runner:
        yield runner, worker


def of(runner: QueueRunner, owner: str = "", most: float | None = None) -> Admission:
    return Admission(runner=runner, spending=Spending(runner, most), serving=Serving(), owner=owner)


def order(brief: str = QUOTES, model: str = "builtin:quotes", cast: str = "builtin", **caps: float) -> DebateRequest:
    overrides = Overrides(models=(model,), cast=cast, caps=LimitOverrides(**caps))  # pyright: ignore[reportArgumentType]
    return DebateRequest(brief=brief, overrides=overrides)


async def say_tea(workspace: Workspace, debate: str) -> None:
    (turn,) = await waiting(workspace, debate)
    form = turn.ask.form if turn.ask else None
    fields = {field.name: field.choices[0] for field in form.fields if field.choices} if form else {}
    await answer(workspace, debate, "" if fields else "Tea, I say.", key=turn.key, fields=fields or None)


async def test_a_debate_is_put_on_record_here_and_held_by_a_worker() -> None:
    slow = Slow()
    async with hall_with(slow) as (runner, worker):
        worker.open.clear()
        debate = await of(runner).begin(order(model="guest:slow"))
        assert await runner.workspace.count_entries(debate) == 1
        assert (await runner.running_state(debate)).by == "queue"
        assert await runner.where_debates_run() == {debate: "queue"}
        worker.open.set()
        await slow.asked.wait()
        assert (await runner.running_state(debate)).by == "w1"
        assert await runner.where_debates_run() == {debate: "w1"}
        assert runner.running == (), "this process holds nothing itself"
        assert await of(runner).resume(debate), "what runs is not begun twice"
        slow.go.set()
        assert (await runner.wait(debate)).status == "decided"
        assert (await runner.running_state(debate)).by == ""
        assert not await of(runner).resume(debate), "what is over is not held again"
        await runner.resume(debate)
        assert worker.found[debate].state == "done"


async def test_whoever_closes_the_hall_stops_nothing_that_a_worker_holds() -> None:
    slow = Slow()
    async with hall_with(slow) as (runner, worker):
        debate = await of(runner).begin(order(model="guest:slow"))
        await slow.asked.wait()
        await runner.close()
        slow.go.set()
        await until(lambda: worker.found[debate].state == "done")


async def test_what_is_queued_is_taken_out_and_what_runs_is_paused() -> None:
    slow = Slow()
    async with hall_with(slow) as (runner, worker):
        worker.open.clear()
        debate = await of(runner, "ann").begin(order(ROUNDS, "guest:slow"))
        assert await runner.pause(debate)
        assert (await runner.running_state(debate)).by == ""
        assert not await runner.pause(debate), "nobody holds it"
        worker.open.set()
        assert await of(runner, "ann").resume(debate)
        assert worker.found[debate].owner == "ann"
        await slow.asked.wait()
        assert await runner.pause(debate)
        slow.go.set()
        assert (await runner.wait(debate)).kind == "stopped"
        slow.asked.clear()
        slow.go.clear()
        await runner.resume(debate)
        await slow.asked.wait()
        assert await runner.pause(debate, now=True)
        assert (await runner.wait(debate)).kind == "stopped"


async def test_limits_that_are_set_later_reach_the_worker() -> None:
    async with hall_with() as (runner, worker):
        ann = of(runner, "ann")
        debate = await ann.begin(order(ROUNDS, asks=2))
        assert (await runner.wait(debate)).kind == "limit"
        assert (await runner.running_state(debate)).error, "the queue says why it gave it up"
        assert await noted_allowance(runner.workspace, debate) is None
        assert await ann.resume(debate, LimitOverrides(asks=200))
        assert (await runner.wait(debate)).status == "decided"
        limits = await noted_allowance(runner.workspace, debate)
        assert limits
        assert limits.asks == 200
        assert isinstance(limits, Limits)
        assert worker.found[debate].state == "done"


async def test_a_debate_that_waits_holds_nobody_and_goes_on_with_the_answer() -> None:
    async with hall_with() as (runner, worker):
        debate = await of(runner, "ann").begin(order(ADA))
        await until(lambda: worker.found[debate].state == "waiting")
        assert (await runner.running_state(debate)).by == ""
        assert (await runner.wait(debate)).kind == "waiting"
        for _ in range(20):
            if worker.found[debate].state == "done":
                break
            await say_tea(runner.workspace, debate)
            assert await of(runner).resume_answered(debate)
            await until(lambda: worker.found[debate].state in ("waiting", "done"))
        assert worker.found[debate].owner == "ann", "it goes on for its owner"
        assert (await runner.wait(debate)).status in ("decided", "tie", "no_decision")
        assert not await of(runner).resume_answered(debate)


async def test_an_answer_that_comes_as_the_worker_lets_go_is_not_overlooked() -> None:
    async with hall_with() as (runner, worker):
        debate = await of(runner).begin(order(ADA))
        await until(lambda: worker.found[debate].state == "waiting")
        (first,) = await waiting(runner.workspace, debate)
        worker._move(debate, "running")  # pyright: ignore[reportPrivateUsage] # it has not been told yet
        await say_tea(runner.workspace, debate)
        assert await of(runner).resume_answered(debate)
        assert worker._hands[debate].again, "it is held once more"  # pyright: ignore[reportPrivateUsage]
        worker._queue(debate, "", 5)  # pyright: ignore[reportPrivateUsage]
        await until(lambda: worker.found[debate].state == "waiting")
        assert first.key not in [turn.key for turn in await waiting(runner.workspace, debate)]


async def test_a_word_from_outside_is_heard_from_the_next_question_on() -> None:
    async with hall_with() as (runner, worker):
        debate = await of(runner).begin(order(ADA))
        await until(lambda: worker.found[debate].state == "waiting")
        await say(runner.workspace, debate, "Viewer", "Mind the kettle.")
        assert isinstance((await runner.workspace.entries(debate))[-1].event, Paused)
        await say_tea(runner.workspace, debate)
        assert await of(runner).resume_answered(debate)
        await until(lambda: worker.found[debate].state in ("waiting", "done"))
        texts = [getattr(entry.event, "text", "") for entry in await runner.workspace.entries(debate)]
        assert "Mind the kettle." in texts


async def test_participants_are_made_here_and_then_a_worker_holds_the_debate() -> None:
    slow = Slow("{}")
    async with hall_with(slow) as (runner, worker):
        worker.open.clear()
        debate = await of(runner).begin(order(model="guest:slow", cast=""))
        hold = await runner.running_state(debate)
        assert (hold.by, hold.generation[:5]) == ("here", "cast-")
        assert await of(runner).resume_answered(debate)
        assert debate not in worker.found
        slow.go.set()
        await until(lambda: worker.found.get(debate))
        await until(lambda: not runner.running)
        assert await runner.workspace.count_entries(debate) == 1
        worker.open.set()
        await runner.wait(debate)
        assert worker.found[debate].state == "done"


async def test_a_casting_that_is_stopped_is_no_debate() -> None:
    slow = Slow("{")
    async with hall_with(slow) as (runner, worker):
        debate = await of(runner).begin(order(model="guest:slow", cast=""))
        await slow.asked.wait()
        assert await runner.pause(debate, now=True)
        with pytest.raises(FolkmootError, match="while its participants were generated"):
            await runner.wait(debate)
        assert not worker.found


async def test_a_casting_that_pauses_is_not_submitted() -> None:
    slow = Slow()
    async with hall_with(slow) as (runner, worker):
        debate = await of(runner).begin(order(ROUNDS, "guest:slow", cast="", asks=1, total_seconds=0.05))
        with pytest.raises(FolkmootError):
            await runner.wait(debate)
        assert not worker.found


async def test_what_the_queue_has_given_up_says_why() -> None:
    async with hall_with() as (runner, worker):
        worker.open.clear()
        debate = await of(runner).begin(order())
        await runner.workspace.store.append(debate, ["damaged"], after=1)
        worker.open.set()
        await until(lambda: worker.found[debate].state == "parked")
        assert (
            "damaged" in str((await runner.running_state(debate)).error) or (await runner.running_state(debate)).error
        )
        with pytest.raises(FolkmootError):
            await runner.wait(debate)


async def test_a_parked_debate_without_a_pause_ends_with_its_reason() -> None:
    async with hall_with() as (runner, worker):
        worker.open.clear()
        debate = await of(runner).begin(order())
        worker._move(debate, "parked", "it was begun 5 times and never ended")  # pyright: ignore[reportPrivateUsage]
        with pytest.raises(FolkmootError, match="begun 5 times"):
            await runner.wait(debate)


async def test_a_queue_that_cannot_be_reached_loses_no_debate() -> None:
    async with hall_with() as (runner, worker):
        me, wanted = of(runner), order()
        await runner.check()
        worker.away = True
        with pytest.raises(QueueError, match="cannot be reached"):
            await runner.check()
        with pytest.raises(QueueError):
            await me.begin(wanted, "key")
        worker.away = False
        await runner.check()
        debate = id_for_key("", "key")
        assert debate not in worker.found
        worker.away = False
        assert await me.begin(wanted, "key") == debate, "the same key heals it"
        assert (await runner.wait(debate)).status == "decided"
        assert await me.begin(wanted, "key") == debate
        with pytest.raises(RecordConflict):
            await me.begin(order(ADA), "key")


async def test_an_answer_stands_where_the_queue_cannot_be_reached() -> None:
    async with hall_with() as (runner, worker):
        debate = await of(runner).begin(order(ADA))
        await until(lambda: worker.found[debate].state == "waiting")
        await say_tea(runner.workspace, debate)
        worker.away = True
        assert not await of(runner).resume_answered(debate)
        worker.away = False
        assert await of(runner).resume_answered(debate)


async def test_the_same_debate_begun_twice_at_once_is_one_job() -> None:
    async with hall_with() as (runner, worker):
        me, wanted = of(runner), order()
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(me.begin(wanted, "k")) for _ in range(4)]
        assert len({task.result() for task in tasks}) == len(worker.found) == 1


async def test_an_owner_has_so_many_debates_in_the_queue_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue_runner, "MOST_QUEUED", 2)
    async with hall_with() as (runner, worker):
        worker.open.clear()
        ids = [await of(runner, "ann").begin(order()) for _ in range(2)]
        assert runner.room == 2
        with pytest.raises(RunnerFull, match=r"limit of your running debates is reached \(2\)"):
            await of(runner, "ann").begin(order())
        await of(runner, "ben").begin(order())
        for _ in range(3):
            await of(runner).begin(order())
        assert await runner.pause(ids[0])
        await of(runner, "ann").begin(order())
        with pytest.raises(RunnerFull):
            await of(runner, "ann").resume(ids[0])


async def test_a_start_is_made_ready_as_for_a_hall_of_its_own() -> None:
    async with hall_with() as (runner, _):
        start = await prepare(runner.workspace, read_brief(QUOTES), Overrides(models=("builtin:quotes",)), Config())
        assert await runner.begin(start, "d") == "d"
        assert (await runner.wait("d")).status == "decided"
