"""Debates that begin at set times, by schedules of a real Temporal."""

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.app.plan.settings import Config
from folkmoot.app.plan.settings_tables import Schedule
from folkmoot.core.errors import BriefError
from folkmoot.record.listing import names
from folkmoot.workers.connection import Temporal
from folkmoot.workers.schedules import put_schedules
from tests.workers.workers_kit import House, house

pytestmark = pytest.mark.alone

BRIEF = "---\nprotocol: round_robin\nrounds: 1\nmodel: builtin:quotes\n---\n# Tea or coffee?\n"


def schedule(folder: Path, name: str = "weekly", brief: str = BRIEF, **how: str) -> Schedule:
    """A schedule whose brief is there."""
    (folder / f"{name}.md").write_text(brief)
    usual = {"cron": "0 9 * * mon", "timezone": "Europe/Berlin", "owner": "anna"}
    return Schedule(name=name, brief=str(folder / f"{name}.md"), **{**usual, **how})


async def known(temporal: Temporal) -> set[str]:
    """The names of the schedules of this installation."""
    listed = await temporal.client.list_schedules()
    return {found.id.partition("/")[0] async for found in listed if found.id.endswith(temporal.installation)}


async def until_done(place: House, most: int) -> None:
    async with asyncio.timeout(120):
        while len(await place.queue.jobs(state="done")) < most:  # noqa: ASYNC110 - another thread
            await asyncio.sleep(0.05)


async def test_a_schedule_begins_each_debate_once_and_its_participants_are_made_first(
    database: str, temporal: str, tmp_path: Path
) -> None:
    own = schedule(tmp_path, brief=BRIEF.replace("builtin:quotes", "guest:model"))
    async with house(database, temporal) as place:
        place.workspace.config = Config(schedules=(own,))
        async with place.working():
            link = await place.queue.connected()
            handle = link.client.get_schedule_handle(link.workflow("weekly"))
            async with asyncio.timeout(60):
                while "weekly" not in await known(link):  # noqa: ASYNC110 - another process
                    await asyncio.sleep(0.1)
            await handle.trigger()
            await until_done(place, 1)
        (job,) = await place.queue.jobs()
        ids = sorted(await names(place.store))
        times = (await handle.describe()).info.next_action_times
    assert re.fullmatch(r"weekly-\d{8}-\d{6}", job.debate)
    assert job.owner == "anna"
    assert [text.partition("-")[0] for text in ids] == ["cast", "weekly"]
    assert {(time.hour, time.minute, time.weekday()) for time in times} <= {(7, 0, 0), (8, 0, 0)}, "nine in Berlin"


async def test_the_schedules_are_those_of_the_worker_that_came_last(
    database: str, temporal: str, tmp_path: Path
) -> None:
    async with house(database, temporal) as place:
        link = await place.queue.connected()
        await put_schedules(link, [schedule(tmp_path), schedule(tmp_path, "daily", cron="0 8 * * *")])
        await put_schedules(link, None)
        await put_schedules(link, [schedule(tmp_path, cron="30 9 * * tue")])
        handle = link.client.get_schedule_handle(link.workflow("weekly"))
        times = (await handle.describe()).info.next_action_times
        assert {time.weekday() for time in times} == {1}
        async with asyncio.timeout(60):
            while await known(link) != {"weekly"}:  # noqa: ASYNC110 - another process
                await asyncio.sleep(0.1)
        await put_schedules(link, [])


async def test_a_time_and_a_brief_that_cannot_be_are_refused(database: str, temporal: str, tmp_path: Path) -> None:
    async with house(database, temporal) as place:
        link = await place.queue.connected()
        good = schedule(tmp_path)
        wrong = [
            (replace(good, cron="0 9 31 2 *"), "schedules.weekly.cron cannot be '0 9 31 2"),
            (replace(good, cron="every monday"), "schedules.weekly.cron cannot be 'every monday'"),
            (replace(good, cron="99 9 * * mon"), "schedules.weekly.cron cannot be '99 9"),
            (replace(good, timezone="Europe/Nowhere"), "schedules.weekly cannot be used: 'No time zone found"),
            (replace(good, brief=str(tmp_path / "none.md")), "schedules.weekly cannot be used: .*No such file"),
        ]
        for bad, text in wrong:
            with pytest.raises(BriefError, match=text):
                await put_schedules(link, [bad])
