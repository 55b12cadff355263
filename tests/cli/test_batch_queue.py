"""A batch that workers hold: on record, submitted, followed from the record, and left to them when its owner goes."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.app.batch.batch_plan import make_batch
from folkmoot.app.batch.run_batch import BatchRun
from folkmoot.app.batch.summary import BatchOutcome
from folkmoot.app.plan.settings import Config
from folkmoot.cli.display.progress import Progress
from tests.app.batch.batch_kit import BRIEF, item
from tests.cli.commands import QUOTES, folkmoot
from tests.council.agents import own_place
from tests.workers.workers_kit import House, Turned, house

pytestmark = pytest.mark.alone

BATCH = make_batch([item(model="guest:model")], times=3)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


def work_of(place: House) -> BatchRun:
    return BatchRun(workspace=place.workspace, batch=BATCH, config=Config(), parallel=10, queue=place.queue)


async def test_workers_hold_it_and_a_second_run_only_reads(database: str, temporal: str) -> None:
    async with house(database, temporal) as place, place.working():
        work = work_of(place)
        outcomes: list[BatchOutcome] = []
        work.tell = outcomes.append
        await work.run()
        came = await work.outcomes()
        jobs = await place.queue.jobs()
        sent = len(place.model.history)
        again = work_of(place)
        assert (await again.estimate()).over == 3
        await again.run()
        assert await again.outcomes() == came
    assert {(job.debate, job.state) for job in jobs} == {(outcome.debate, "done") for outcome in came}
    assert {outcome.status for outcome in came} <= {"decided", "tie", "no_decision"}
    assert sorted(outcome.debate for outcome in outcomes) == sorted(outcome.debate for outcome in came)
    assert len(place.model.history) == sent
    assert f"{sum(outcome.calls for outcome in came)} calls" in Progress(work).line()


async def test_who_goes_leaves_it_to_the_workers(database: str, temporal: str) -> None:
    model = Turned(waits=True)
    async with house(database, temporal, model) as place, place.working():
        work = work_of(place)
        async with asyncio.TaskGroup() as group:
            group.create_task(work.run())
            await model.asked.wait()
            work.stop.reason = "interrupted"
        came = await work.outcomes()
        left = [outcome for outcome in came if outcome.status == "paused"]
        assert left
        assert {(outcome.kind, outcome.reason) for outcome in left} == {("stopped", "the workers continue with it")}
        model.go.set()
        for repeat in left:
            await place.until(repeat.debate, "done")
        again = work_of(place)
        await again.run()
        assert "paused" not in {outcome.status for outcome in await again.outcomes()}


async def test_what_the_workers_give_up_is_named_and_queued_again(database: str, temporal: str) -> None:
    async with house(database, temporal) as place, place.working():
        narrow = BRIEF.replace("rounds: 1", "rounds: 1\nlimits:\n  asks: 1")
        wide = replace(item(model="guest:model"), name="wide")
        first = replace(work_of(place), batch=make_batch([item(model="guest:model", brief=narrow)]))
        await first.run()
        (came,) = await first.outcomes()
        assert (came.status, came.kind, came.reason) == ("paused", "limit", "the limit of 1 question is reached")
        second = replace(work_of(place), batch=make_batch([wide]))
        await second.run()
        (went,) = await second.outcomes()
        assert went.debate == came.debate
        assert went.status in ("decided", "tie", "no_decision")


def test_a_queue_needs_a_store_that_is_shared(tmp_path: Path) -> None:
    (tmp_path / "north.md").write_text(BRIEF.replace("{mark}", ""), "utf-8")
    ran = folkmoot(tmp_path, "batch", "north.md", *QUOTES, "--queue")
    assert ran.exit_code == 2
    assert "a queue needs a store that many machines share" in ran.stderr


def test_a_dry_run_of_the_command_on_a_database(tmp_path: Path, database: str) -> None:
    (tmp_path / "north.md").write_text(BRIEF.replace("{mark}", ""), "utf-8")
    ran = folkmoot(tmp_path, "batch", "north.md", *QUOTES, "--queue", "--dry-run", "--store", database)
    assert ran.exit_code == 0, ran.output
    assert "1 debate of 1 brief" in ran.stdout
