"""What is read from records is read once, off the loop, and a PDF is made by another process, with a limit in time."""

import asyncio
from pathlib import Path

import pytest

from moot.app.export.paper import print_pdf
from moot.app.run.api import debate
from moot.app.run.workspace import Workspace
from moot.core.errors import BriefError, RecordError
from moot.web.cache import MOST_PRINTS, MOST_RECORDS, Busy, ResultCache
from tests.council.agents import own_place
from tests.web.web_kit import API, events, opened

PAGE = b"<!doctype html><title>x</title><h1>Tea or coffee?</h1>"
LONG = b"<!doctype html><title>x</title>" + b"<p>Tea is calm. <b>Coffee</b> is quick.</p>" * 20_000


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


async def test_a_thing_is_made_once_for_a_record_of_one_length() -> None:
    kept, made = ResultCache(), list[int]()

    async def ask(count: int, what: str = "map") -> bytes:
        return await kept.made("d-1", what, count, lambda: made.append(count) or b"%d" % count)

    async with asyncio.TaskGroup() as group:
        asked = [group.create_task(ask(7)) for _ in range(5)]
    assert {each.result() for each in asked} == {b"7"}
    assert made == [7]
    assert await ask(8) == b"8", "the record has grown"
    assert await ask(8, "analysis") == b"8"
    assert made == [7, 8, 8]


async def test_what_is_kept_has_a_bound() -> None:
    kept, made = ResultCache(most_bytes=25), list[str]()

    async def ask(debate: str) -> None:
        await kept.made(debate, "map", 1, lambda: made.append(debate) or bytes(10))

    for each in ("a", "b", "a", "c", "a", "b"):
        await ask(each)
    assert made == ["a", "b", "c", "b"], "what was asked for least lately is forgotten first"
    assert len(await kept.made("big", "map", 1, lambda: bytes(100))) == 100, "what is not kept is given all the same"


async def test_records_are_read_once_and_read_on(tmp_path: Path) -> None:
    came = [
        await debate("# Tea or coffee?\n\nTea is calm.\n", model="builtin:quotes", store=tmp_path / "m.db")
        for _ in range(MOST_RECORDS + 1)
    ]
    workspace, kept = Workspace.at(tmp_path / "m.db"), ResultCache()
    try:
        with pytest.raises(RecordError, match="no debate"):
            await kept.entries(workspace, "nobody")
        first = await kept.entries(workspace, came[0].debate)
        assert first == await workspace.entries(came[0].debate)
        assert await kept.entries(workspace, came[0].debate) is first
        for each in came[1:]:
            await kept.entries(workspace, each.debate)
        assert await kept.entries(workspace, came[0].debate) is not first, "so many are kept"
        assert await kept.hears_all(came[0].debate, first, "")
        assert await kept.hears_all(came[0].debate, first, "")
    finally:
        await workspace.close()


# ---- PDF -------------------------------------------------------------------------------------------------------------


async def pdf_or_skip() -> bytes:
    try:
        return await print_pdf(PAGE, 60)
    except BriefError:
        pytest.skip("PDF needs Pango from the system")


@pytest.mark.system
async def test_another_process_makes_the_pdf_and_is_ended_where_it_takes_too_long() -> None:
    assert (await pdf_or_skip()).startswith(b"%PDF-")
    with pytest.raises(TimeoutError):
        await print_pdf(LONG, 0.3)
    with pytest.raises(BriefError, match="cannot be made") as caught:
        await print_pdf(b"\xff", 60)
    assert caught.value.code == "no_pdf"


@pytest.mark.system
async def test_a_pdf_that_takes_too_long_is_not_tried_again() -> None:
    await pdf_or_skip()
    kept = ResultCache(pdf_seconds=0.05)
    with pytest.raises(BriefError, match=r"longer than 0\.05 seconds"):
        await kept.pdf("d-1", 7, LONG)
    kept.pdf_seconds = 60
    with pytest.raises(BriefError, match="longer"):
        await kept.pdf("d-1", 7, PAGE)
    made = await kept.pdf("d-1", 8, PAGE)
    assert made.startswith(b"%PDF-")
    assert await kept.pdf("d-1", 8, b"") is made


@pytest.mark.system
async def test_pdfs_are_made_one_by_one_and_few_may_wait() -> None:
    await pdf_or_skip()
    kept = ResultCache()
    async with asyncio.TaskGroup() as group:
        asked = [group.create_task(kept.pdf("d-1", 7, PAGE)) for _ in range(MOST_PRINTS)]
        await asyncio.sleep(0)
        with pytest.raises(Busy):
            await kept.pdf("d-2", 7, PAGE)
    assert len({id(each.result()) for each in asked}) == 1, "those who want the same are given the same"
    assert (await kept.pdf("d-2", 7, PAGE)).startswith(b"%PDF-"), "there is room again"


@pytest.mark.system
async def test_a_link_is_told_that_a_pdf_takes_too_long_or_too_many_are_wanted(tmp_path: Path) -> None:
    await pdf_or_skip()
    async with opened(tmp_path) as web:
        held = await web.ended(web.ann)
        url = f"{API}/debates/{held}"
        fan = web.client(token=(await web.ann.post(f"{url}/shares", json={})).json()["token"])
        web.site.kept.pdf_seconds = 0.01
        slow = await fan.get(f"{url}/report.pdf")
        assert slow.status_code == 422
        assert "print the HTML report" in slow.json()["detail"]
        other = f"{API}/debates/{await web.ended(web.ann)}"
        link = web.client(token=(await web.ann.post(f"{other}/shares", json={})).json()["token"])
        web.site.kept.pdf_seconds = 60
        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(link.get(f"{other}/report.pdf")) for _ in range(MOST_PRINTS + 1)]
        found = [each.result() for each in asked]
        assert sorted(each.status_code for each in found) == [*[200] * MOST_PRINTS, 429]
        refused = next(each for each in found if each.status_code == 429)
        assert (refused.json()["code"], refused.headers["retry-after"]) == ("full", "30")


# ---- the raw record --------------------------------------------------------------------------------------------------


async def test_the_raw_record_is_given_as_it_is_stored(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        me = web.me
        held = await web.ended(me)
        url, stored = f"{API}/debates/{held}/entries", await web.site.workspace.lines(held)
        assert (await me.get(url)).text.splitlines() == list(stored)
        assert (await me.get(f"{url}?after=5")).text.splitlines() == list(stored[5:])
        assert (await me.get(f"{url}?after=9999")).text == ""
        streams = {"Accept": "text/event-stream"}
        raw = events((await me.get(f"{url}?after=3", headers=streams)).text)
        shown = events((await me.get(f"{url}?after=3&form=frames", headers=streams)).text)
        assert [each[:2] for each in raw] == [each[:2] for each in shown], "the same numbers and names"
        assert len(raw) == len(stored) - 3
