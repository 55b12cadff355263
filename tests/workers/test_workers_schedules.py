"""Debates that begin at set times, once over all workers, on a real database."""

import asyncio
import re
from functools import partial
from pathlib import Path

import pytest

from folkmoot.app.plan.settings import Config, load_config, user_file
from folkmoot.app.plan.settings_tables import Schedule
from folkmoot.app.run.dispatcher import QueueError
from folkmoot.core.errors import BriefError
from folkmoot.record.listing import names
from folkmoot.workers.queue_database import Connection
from folkmoot.workers.queue_tables import make_ready
from folkmoot.workers.schedules import due, put_schedules, submit_once
from tests.workers.workers_kit import House, house

pytestmark = pytest.mark.alone

BRIEF = "---\nprotocol: round_robin\nrounds: 1\nmodel: builtin:quotes\n---\n# Tea or coffee?\n"


def schedule(folder: Path, name: str = "weekly", brief: str = BRIEF, cron: str = "0 9 * * mon") -> Schedule:
    """A schedule whose brief is there."""
    (folder / f"{name}.md").write_text(brief)
    return Schedule(name=name, brief=str(folder / f"{name}.md"), cron=cron, owner="anna")


async def fire_now(place: House, name: str = "weekly") -> None:
    """Have a schedule fire once, now."""
    await place.tell("update folkmoot_schedule set next = clock_timestamp() where name = $1", name)


async def until_works(place: House) -> None:
    """Wait until the worker has noted a heartbeat: it has stored its schedules by then."""
    async with asyncio.timeout(120):
        while not (await place.queue.status()).workers:  # noqa: ASYNC110 - another thread
            await asyncio.sleep(0.02)


async def until_done(place: House, most: int) -> None:
    """Wait until so many debates are over."""
    async with asyncio.timeout(120):
        while len(await place.queue.jobs(state="done")) < most:  # noqa: ASYNC110 - another thread
            await asyncio.sleep(0.05)


async def test_a_schedule_begins_each_debate_once(database: str, tmp_path: Path) -> None:
    async with house(database) as place:
        place.workspace.config = Config(schedules=(schedule(tmp_path),))
        async with place.working():
            await until_works(place)
            await place.tell("update folkmoot_schedule set cron = '* * * * * *', next = clock_timestamp()")
            await until_done(place, 2)
        begun = [line for line in place.said if "by the schedule weekly" in line]
        jobs = await place.queue.jobs()
    assert len(begun) == len(set(begun)) >= 2
    assert all(re.fullmatch(r"weekly-\d{8}-\d{6}", job.debate) and job.owner == "anna" for job in jobs)


async def test_the_participants_of_a_schedules_debate_are_made_first(database: str, tmp_path: Path) -> None:
    async with house(database) as place:
        place.workspace.config = Config(
            schedules=(schedule(tmp_path, brief=BRIEF.replace("builtin:quotes", "guest:model")),)
        )
        async with place.working():
            await until_works(place)
            await fire_now(place)
            await until_done(place, 1)
        ids = sorted(await names(place.workspace.store))
    assert [text.partition("-")[0] for text in ids] == ["cast", "weekly"]


async def test_a_firing_goes_on_when_the_database_comes_back(database: str, tmp_path: Path) -> None:
    async with house(database) as place:
        place.workspace.config = Config(schedules=(schedule(tmp_path),))
        async with place.working():
            await until_works(place)
            await place.tell("alter table folkmoot_job rename to away")
            await fire_now(place)
            async with asyncio.timeout(120):
                while not await names(place.workspace.store):  # noqa: ASYNC110 - another thread
                    await asyncio.sleep(0.05)
            await asyncio.sleep(0.3)
            await place.tell("alter table away rename to folkmoot_job")
            await until_done(place, 1)
        assert len(await place.queue.jobs()) == 1


async def test_a_firing_whose_worker_died_is_begun_by_another(database: str, tmp_path: Path) -> None:
    async with house(database) as place:
        place.workspace.config = Config(schedules=(schedule(tmp_path),))
        async with place.working():
            await until_works(place)
        await place.tell(
            "insert into folkmoot_firing select name, clock_timestamp(), brief, 'dead' from folkmoot_schedule"
        )
        await place.tell("insert into folkmoot_worker values ('dead', 8, now(), clock_timestamp() + interval '2 s')")
        async with place.working(lease=0.6):
            await asyncio.sleep(1.2)
            assert not await place.queue.jobs()  # The dead one has been heard of lately.
            await until_done(place, 1)
        assert await place.tell("select * from folkmoot_firing") == []


async def test_a_firing_of_which_its_worker_never_heard_is_begun_at_its_next_look(
    database: str, tmp_path: Path
) -> None:
    """The transaction that took it was done, and its answer was lost."""
    async with house(database) as place:
        place.workspace.config = Config(schedules=(schedule(tmp_path),))
        async with place.working(lease=0.6):
            await until_works(place)
            await place.tell(
                "insert into folkmoot_firing select name, clock_timestamp(), brief, 'w1' from folkmoot_schedule"
            )
            await until_done(place, 1)
        assert await place.tell("select * from folkmoot_firing") == []


async def test_a_firing_is_forgotten_with_the_queueing_of_its_debate_or_not_at_all(
    database: str, tmp_path: Path
) -> None:
    async with house(database) as place:
        do = place.queue.database.do
        await make_ready(place.queue.database)
        await do(partial(put_schedules, schedules=(schedule(tmp_path),)))
        await place.tell("update folkmoot_schedule set next = clock_timestamp()")
        [fired], _ = await do(partial(due, worker="w1", begun=()))
        assert (await do(partial(due, worker="w1", begun=(fired,))))[0] == []
        assert (await do(partial(due, worker="w1", begun=())))[0] == [fired]

        async def breaks_off(c: Connection) -> None:
            await submit_once(c, "weekly-1", fired)
            raise QueueError("broken off")

        with pytest.raises(QueueError):
            await do(breaks_off)
        assert len(await place.tell("select * from folkmoot_firing")) == 1
        assert not await place.queue.jobs()
        first = await do(partial(submit_once, debate="weekly-1", scheduled_run=fired))
        assert await do(partial(submit_once, debate="weekly-1", scheduled_run=fired)) == first
        assert (first.state, first.owner) == ("queued", "anna")
        assert await place.tell("select * from folkmoot_firing") == []


async def test_a_time_at_which_no_worker_ran_is_skipped_once_it_is_long_past(database: str, tmp_path: Path) -> None:
    async with house(database) as place:
        place.workspace.config = Config(schedules=(schedule(tmp_path, "late"), schedule(tmp_path, "missed")))
        async with place.working():
            await until_works(place)
        past = "update folkmoot_schedule set next = clock_timestamp() - $2 * interval '1 s' where name = $1"
        await place.tell(past, "late", 300.0)
        await place.tell(past, "missed", 900.0)
        async with place.working():
            await until_done(place, 1)
        [job] = await place.queue.jobs()
        ahead = await place.tell("select bool_and(next > clock_timestamp()) from folkmoot_schedule")
    assert job.debate.startswith("late-")
    assert ahead == [(True,)]


async def test_a_schedule_that_stays_the_same_keeps_its_next_time(database: str, tmp_path: Path) -> None:
    async with house(database) as place:
        await make_ready(place.queue.database)
        values: list[object] = []
        for cron in ("0 9 * * mon", "0 9 * * mon", "0 9 * * tue"):
            wanted = (schedule(tmp_path, cron=cron),)
            await place.queue.database.do(partial(put_schedules, schedules=wanted))
            values += await place.tell("select next from folkmoot_schedule")
            await place.tell("update folkmoot_schedule set next = next + interval '1 hour'")
            values += await place.tell("select next from folkmoot_schedule")
    assert values[1] == values[2] != values[0]
    assert values[4] != values[3]


async def test_the_worker_that_was_started_last_says_which_schedules_there_are(database: str, tmp_path: Path) -> None:
    a, b = schedule(tmp_path, "a"), schedule(tmp_path, "b")
    rows: list[tuple[tuple[Schedule, ...] | None, list[str]]] = [((a, b), ["a", "b"]), ((b,), ["b"]), (None, ["b"])]
    async with house(database) as place:
        await make_ready(place.queue.database)
        for schedules, left in [*rows, ((), [])]:
            await place.queue.database.do(partial(put_schedules, schedules=schedules))
            assert [name for (name,) in await place.tell("select name from folkmoot_schedule order by 1")] == left


def test_an_empty_table_of_schedules_is_not_the_same_as_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    user_file().parent.mkdir()
    user_file().write_text('model = "ollama:a"\n')
    assert load_config(tmp_path).schedules is None
    user_file().write_text("[schedules]\n")
    assert load_config(tmp_path).schedules == ()


async def test_a_schedule_that_cannot_be_is_refused_before_any_work(database: str, tmp_path: Path) -> None:
    async with house(database) as place:
        for wrong, text in (
            (schedule(tmp_path, cron="often"), "schedules.weekly.cron cannot be 'often'; write five fields"),
            (schedule(tmp_path, cron="9 9 9 9 often"), "schedules.weekly.cron cannot be '9 9 9 9 often'; write five"),
            (schedule(tmp_path, cron="* * * * * *"), "cron cannot be '[* ]+'; write five fields"),
            (schedule(tmp_path, cron="0 9 31 2 *"), "cron cannot be '0 9 31 2 .': there is no such day"),
            (Schedule(name="a", brief=str(tmp_path / "none.md"), cron="0 9 * * mon"), "schedules.a cannot be used"),
            (schedule(tmp_path, brief="---\nrounds: 1\n---\n"), "schedules.weekly cannot be used: weekly.md"),
        ):
            place.workspace.config = Config(schedules=(wrong,))
            with pytest.raises(BriefError, match=text):
                await place.worker().run()
