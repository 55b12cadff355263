"""What is read from records is read once, off the loop, and a PDF is made by another process, with a limit in time."""

import asyncio
from pathlib import Path

import pytest

from folkmoot.app.export.paper import print_pdf
from folkmoot.app.run.api import debate
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.errors import BriefError, RecordError
from folkmoot.web.cache import MOST_PRINTS, MOST_RECORDS, Busy, ResultCache
from tests.council.agents import own_place
from tests.web.web_kit import API, events, opened

PAGE = b"<!doctype html><title>x</title><h1>Tea or coffee?</h1>"
LONG = b"<!doctype html><title>x</title>" + b"<p>Tea is calm. <b>Coffee</b> is quick.</p>" * 20_000


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


async def test_a_thing_is_made_once_for_a_record_of_one_length() -> None:
    cache, calls = ResultCache(), list[int]()

    async def ask(count: int, what: str = "map") -> bytes:
        return await cache.made("d-1", what, count, lambda: calls.append(count) or b"%d" % count)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(ask(7)) for _ in range(5)]
    assert {task.result() for task in tasks} == {b"7"}
    assert calls == [7]
    assert await ask(8) == b"8", "the record has grown"
    assert await ask(8, "analysis") == b"8"
    assert calls == [7, 8, 8]


async def test_what_is_kept_has_a_bound() -> None:
    cache, calls = ResultCache(most_bytes=25), list[str]()

    async def ask(debate: str) -> None:
        await cache.made(debate, "map", 1, lambda: calls.append(debate) or bytes(10))

    for name in ("a", "b", "a", "c", "a", "b"):
        await ask(name)
    assert calls == ["a", "b", "c", "b"], "what was asked for least lately is forgotten first"
    assert len(await cache.made("big", "map", 1, lambda: bytes(100))) == 100, "what is not kept is given all the same"


async def test_records_are_read_once_and_read_on(tmp_path: Path) -> None:
    came = [
        await debate("# Tea or coffee?\n\nTea is calm.\n", model="builtin:quotes", store=tmp_path / "m.db")
        for _ in range(MOST_RECORDS + 1)
    ]
    workspace, cache = Workspace.at(tmp_path / "m.db"), ResultCache()
    try:
        with pytest.raises(RecordError, match="no debate"):
            await cache.entries(workspace, "nobody")
        first = await cache.entries(workspace, came[0].debate)
        assert first == await workspace.entries(came[0].debate)
        assert await cache.entries(workspace, came[0].debate) is first
        for outcome in came[1:]:
            await cache.entries(workspace, outcome.debate)
        assert await cache.entries(workspace, came[0].debate) is not first, "so many are kept"
        assert await cache.may_read_all(came[0].debate, first, "")
        assert await cache.may_read_all(came[0].debate, first, "")
    finally:
        await workspace.close()


# ---- PDF -------------------------------------------------------------------------------------------------------------


async def pdf_or_skip() -> bytes:
    try:
        return await print_pdf(PAGE, 600)
    except BriefError:
        pytest.skip("PDF needs Pango from the system")


@pytest.mark.system
async def test_another_process_makes_the_pdf_and_is_ended_where_it_takes_too_long() -> None:
    assert (await pdf_or_skip()).startswith(b"%PDF-")
    with pytest.raises(TimeoutError):
        await print_pdf(LONG, 600, wall=0.3)
    with pytest.raises(TimeoutError):
        await print_pdf(LONG, 1, wall=600)  # by its own processor time, however busy the machine is
    with pytest.raises(BriefError, match="cannot be made") as caught:
        await print_pdf(b"\xff", 600)
    assert caught.value.code == "no_pdf"


@pytest.mark.system
async def test_a_pdf_that_takes_too_long_is_not_tried_again() -> None:
    await pdf_or_skip()
    cache = ResultCache(pdf_seconds=0.05)
    with pytest.raises(BriefError, match="takes too long on this server; print the HTML report"):
        await cache.pdf("d-1", 7, LONG)
    cache.pdf_seconds = 600
    with pytest.raises(BriefError, match="too long"):
        await cache.pdf("d-1", 7, PAGE)
    pdf = await cache.pdf("d-1", 8, PAGE)
    assert pdf.startswith(b"%PDF-")
    assert await cache.pdf("d-1", 8, b"") is pdf


@pytest.mark.system
async def test_pdfs_are_made_one_by_one_and_few_may_wait() -> None:
    await pdf_or_skip()
    cache = ResultCache()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(cache.pdf("d-1", 7, PAGE)) for _ in range(MOST_PRINTS)]
        await asyncio.sleep(0)
        with pytest.raises(Busy):
            await cache.pdf("d-2", 7, PAGE)
    assert len({id(task.result()) for task in tasks}) == 1, "those who want the same are given the same"
    assert (await cache.pdf("d-2", 7, PAGE)).startswith(b"%PDF-"), "there is room again"


@pytest.mark.system
async def test_a_link_is_told_that_a_pdf_takes_too_long_or_too_many_are_wanted(tmp_path: Path) -> None:
    await pdf_or_skip()
    async with opened(tmp_path) as web:
        debate = await web.ended(web.ann)
        url = f"{API}/debates/{debate}"
        fan = web.client(token=(await web.ann.post(f"{url}/shares", json={})).json()["token"])
        web.site.kept.pdf_seconds = 0.01
        slow = await fan.get(f"{url}/report.pdf")
        assert slow.status_code == 422
        assert "print the HTML report" in slow.json()["detail"]
        other = f"{API}/debates/{await web.ended(web.ann)}"
        link = web.client(token=(await web.ann.post(f"{other}/shares", json={})).json()["token"])
        web.site.kept.pdf_seconds = 600
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(link.get(f"{other}/report.pdf")) for _ in range(MOST_PRINTS + 1)]
        answers = [task.result() for task in tasks]
        assert sorted(answer.status_code for answer in answers) == [*[200] * MOST_PRINTS, 429]
        refused = next(answer for answer in answers if answer.status_code == 429)
        assert (refused.json()["code"], refused.headers["retry-after"]) == ("full", "30")


# ---- the raw record --------------------------------------------------------------------------------------------------


async def test_the_raw_record_is_given_as_it_is_stored(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        me = web.me
        debate = await web.ended(me)
        url, stored = f"{API}/debates/{debate}/entries", await web.site.workspace.lines(debate)
        assert (await me.get(url)).text.splitlines() == list(stored)
        assert (await me.get(f"{url}?after=5")).text.splitlines() == list(stored[5:])
        assert (await me.get(f"{url}?after=9999")).text == ""
        streams = {"Accept": "text/event-stream"}
        raw = events((await me.get(f"{url}?after=3", headers=streams)).text)
        shown = events((await me.get(f"{url}?after=3&form=frames", headers=streams)).text)
        assert [row[:2] for row in raw] == [row[:2] for row in shown], "the same numbers and names"
        assert len(raw) == len(stored) - 3
