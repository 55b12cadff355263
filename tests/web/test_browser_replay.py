"""A debate that is over, in a real browser: the slider, links into it, the map, comparison, reports as files."""

import re
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.web.browser import Slow, Stage, example

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def debate(stage: Stage) -> AsyncGenerator[str]:
    """The example of a panel, held by the built-in model."""
    yield await stage.once(example("build-or-buy"))


async def text_of(page: Page) -> list[str]:
    """What the page shows of the debate, as lines."""
    return (await page.locator(".debate").inner_text()).splitlines()


async def test_the_slider_goes_to_every_entry_and_back(stage: Stage, debate: str) -> None:
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}")
        slider, where = page.get_by_role("slider", name="Entry"), page.locator(".where")
        cards, decision = page.locator("article.turn"), page.get_by_role("region", name="Decision")
        await expect(decision).to_be_visible()
        entries = await stage.site.workspace.entries(debate)
        all_ = len(entries)
        asks = 0
        for entry in entries:
            asks += type(entry.event).__name__ == "Asked"
            await slider.fill(str(entry.seq))
            await expect(where).to_have_text(f"{entry.seq} / {all_}")
            await expect(cards).to_have_count(asks)
            ruled = entry.seq >= next(item.seq for item in entries if type(item.event).__name__ == "Ruled")
            await expect(decision).to_have_count(int(ruled))
        await page.get_by_role("button", name="Previous mark").click()
        await page.get_by_role("button", name="Previous mark").click()
        assert await slider.get_attribute("aria-valuetext") != f"entry {all_} of {all_}"
        await page.get_by_role("button", name="⇥ End").click()
        await expect(where).to_have_text(f"{all_} / {all_}")
        assert "at=" not in page.url


async def test_a_debate_is_played_again(stage: Stage, debate: str) -> None:
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}")
        await expect(page.get_by_role("region", name="Decision")).to_be_visible()
        await page.get_by_label("Speed").select_option("1×")
        await page.get_by_role("button", name="Replay the debate").click()
        await expect(page.get_by_role("region", name="Decision")).to_have_count(0)
        await expect(page.locator("article.turn")).not_to_have_count(0)
        await page.get_by_role("button", name="Pause the replay").click()
        assert re.search(r"at=\d+", page.url)
        await page.get_by_label("Speed").select_option("16×")
        await page.locator("body").press(" ")
        await expect(page.get_by_role("region", name="Decision")).to_be_visible()
        await expect(page.get_by_role("button", name="Replay the debate")).to_be_visible()
        assert "at=" not in page.url


async def test_a_link_into_a_debate_shows_the_same_elsewhere(stage: Stage, debate: str) -> None:
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}")
        await expect(page.get_by_role("region", name="Decision")).to_be_visible()
        await page.get_by_role("tab", name="Stances").click()
        await page.get_by_role("slider", name="Entry").fill("20")
        await page.wait_for_url(re.compile(r"[?&]at=20"))
        await expect(page.locator(".answerlist")).to_be_visible()
        await page.get_by_role("tabpanel").get_by_role("button").first.click()
        await page.wait_for_url(re.compile(r"/d/.+\?(?=.*at=20)(?=.*turn=T\d)(?=.*tab=talk)"))
        await page.get_by_role("tab", name="Stances").click()
        await page.wait_for_url(re.compile("tab=stances"))
        async with stage.visit() as other:
            second = await other.page.context.new_page()
            await second.goto(page.url)
            await expect(second.locator(".where")).to_have_text(await page.locator(".where").inner_text())
            await expect(second.locator("article.marked")).to_have_id(
                await page.locator("article.marked").get_attribute("id") or "none"
            )
            await expect(second.get_by_role("tab", name="Stances")).to_have_attribute("aria-selected", "true")
            await expect(second.locator(".answerlist")).to_be_visible()
            assert await text_of(second) == await text_of(page)


UNCOVERED = "([card, sheet]) => card.getBoundingClientRect().bottom <= sheet.getBoundingClientRect().top"


async def test_a_click_on_the_map_goes_to_the_turn(stage: Stage) -> None:
    debate = await stage.once(example("architecture-review"))
    async with stage.visit() as visit:
        for width in (1280, 390):
            await visit.fit(width)
            page = await visit.go(f"/d/{debate}?tab=map")
            claims = page.locator(".card, .claim .body")
            await expect(claims.first).to_be_visible()
            assert await claims.count() >= 3
            mark = re.findall(r"T\d+", await claims.last.inner_text())[0]
            await claims.last.click()
            if width > 900:  # on the board a claim shows its way first, and stays in sight above it
                chosen, sheet = page.locator(".card.chosen"), page.get_by_role("region", name="The chosen claim")
                await expect(sheet).to_be_visible()
                await page.wait_for_function(
                    UNCOVERED, arg=[await chosen.element_handle(), await sheet.element_handle()]
                )
                await page.get_by_role("button", name=f"Show {mark} in the transcript").click()
            card = page.locator(f"#{mark}")
            await expect(card).to_be_focused()
            await expect(card).to_be_in_viewport()
            await expect(card).to_have_class(re.compile("marked"))


async def test_forks_are_made_on_the_page_and_compared_from_where_they_part(stage: Stage, debate: str) -> None:
    other = Slow(lambda request: "ANSWER: build\nCONFIDENCE: 0.9\nARGUMENT: We know our own invoices best.")
    other.go()
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}?at=13")
        await expect(page.locator(".where")).to_contain_text("13 /")
        await page.get_by_text("More", exact=True).click()
        await page.get_by_role("button", name="Fork at entry 13").click()
        await page.wait_for_url(lambda url: debate not in url)
        await expect(page.get_by_text("Forked from")).to_be_visible()
        body = {"at": 13, "models": {"": stage.lend(other)}}
        answer = await visit.context.request.post(
            f"{visit.base}/api/v1/debates/{debate}/fork", data=body, headers={"X-Folkmoot": "1"}
        )
        forked = (await answer.json())["id"]
        await stage.site.runner.wait(forked)
        await visit.go("/compare")
        await page.get_by_label("This debate").select_option(debate)
        await page.get_by_label("With this one").select_option(forked)
        await page.get_by_role("button", name="Compare").click()
        await expect(page.get_by_text("including 4 answers.")).to_be_visible()
        two = page.get_by_role("region", name="The other debate")
        pairs = page.locator(".pair")
        await expect(pairs).to_have_count(4)
        assert await pairs.locator(".half:first-child header a").all_text_contents() == ["T5", "T6", "T7", "T8"]
        await expect(pairs.first.get_by_role("article").last).to_contain_text("We know our own invoices best.")
        await expect(pairs.first.get_by_role("article").first).not_to_contain_text("We know our own invoices best.")
        await expect(pairs.first.locator("mark").first).to_be_visible()
        await expect(page.get_by_text("4 turns identical: T1 to T4")).to_be_visible()
        await expect(two.get_by_role("heading")).to_contain_text("build")


async def test_the_report_opens_from_a_file_alive_and_asks_for_nothing(
    stage: Stage, debate: str, tmp_path: Path
) -> None:
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}")
        await page.get_by_text("Export", exact=True).click()
        async with page.expect_download() as waiting:
            await page.get_by_role("link", name="This page as one file, for offline use").click()
        file = tmp_path / "report.html"
        await (await waiting.value).save_as(file)
    assert file.stat().st_size < 250_000
    async with stage.visit(session=False) as visit:
        page, urls = visit.page, list[str]()
        page.on("request", lambda request: urls.append(request.url))
        await visit.context.set_offline(True)
        await page.goto(file.as_uri())
        await expect(page.get_by_role("region", name="Decision")).to_be_visible()
        await page.get_by_role("slider", name="Entry").fill("6")
        await expect(page.locator("article.turn")).to_have_count(3)
        await page.get_by_role("button", name="⇥ End").click()
        for tab in ("Votes", "Stances", "Details"):
            await page.get_by_role("tab", name=tab).click()
            await expect(page.get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")
        for view in ("Trace", "Cost", "Record"):
            await page.get_by_role("button", name=view, exact=True).click()
            await expect(page.get_by_role("button", name=view, exact=True)).to_have_attribute("aria-pressed", "true")
        assert (await page.pdf(format="A4")).startswith(b"%PDF-")
        assert urls == [file.as_uri()]


async def test_every_file_of_the_menu_export_is_there(stage: Stage, debate: str) -> None:
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}")
        await page.get_by_text("Export", exact=True).click()
        links = page.locator("a[download]")
        await expect(links.filter(has_text="Argument map (Argdown)")).to_be_visible()
        addresses = [await link.get_attribute("href") for link in await links.all()]
        answers = [await page.request.get(f"{stage.base}{address}") for address in addresses]
        assert [(address, answer.status) for address, answer in zip(addresses, answers, strict=True)] == [
            (address, 200) for address in addresses
        ]
        assert all([await answer.body() for answer in answers])


async def test_the_report_of_the_command_line_opens_and_prints(stage: Stage, debate: str, tmp_path: Path) -> None:
    async with stage.visit() as visit:
        answer = await visit.context.request.get(f"{visit.base}/api/v1/debates/{debate}/report.html")
        (tmp_path / "memo.html").write_bytes(await answer.body())
        urls = list[str]()
        visit.page.on("request", lambda request: urls.append(request.url))
        await visit.page.goto((tmp_path / "memo.html").as_uri())
        await expect(visit.page.get_by_role("heading", level=1)).to_contain_text("billing")
        assert (await visit.page.pdf()).startswith(b"%PDF-")
        assert len(urls) == 1
        assert await visit.eye() == []
