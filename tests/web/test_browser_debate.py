"""A debate in a real browser: begun from the page, watched word by word, lost and found, stopped and gone on with."""

import re
import signal
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Page, expect

from tests.app.serve.serve_kit import running
from tests.web.browser import Slow, Stage
from tests.web.web_kit import until

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEA = "ANSWER: Tea\nCONFIDENCE: 0.7\nARGUMENT: Tea is calm, and nobody was ever hurt by being calm."
OPTIONS = "---\ntopic: Tea or coffee?\noptions: [Tea, Coffee]\n---\n\nTea is calm. Coffee is quick.\n"


async def seqs(page: Page) -> list[int]:
    """The numbers of the entries that the page has, by its tab Record."""
    return [int(each) for each in await page.locator(".record .n").all_inner_texts()]


async def marks(page: Page) -> list[str]:
    """The turns on the page, in order."""
    return await page.locator("article.turn > header > b").all_inner_texts()


def is_whole(found: Sequence[int]) -> bool:
    """No gap and no double."""
    return list(found) == list(range(1, len(found) + 1))


async def test_a_debate_is_begun_from_the_question_box_and_its_words_arrive(stage: Stage) -> None:
    slow = Slow(lambda request: TEA)
    name = stage.lend(slow)
    async with stage.visit() as visit:
        page = await visit.go("/")
        await page.get_by_role("textbox", name="What should they debate?").fill("Tea or coffee, for the whole office?")
        await expect(page.get_by_label("Model of all")).to_have_value(re.compile(".+"))
        await page.get_by_label("Model of all").fill(name)
        await expect(page.locator(".check")).to_contain_text("3 participants")
        await page.get_by_role("button", name="Start the debate").click()
        await page.wait_for_url(re.compile("/d/"))
        await expect(page.get_by_role("heading", level=1)).to_have_text("Tea or coffee, for the whole office?")
        draft = page.locator("article.turn .draft").first
        await expect(page.get_by_text("is thinking")).to_have_count(3)
        await stage.watched(page.url.rpartition("/")[2])
        slow.let(3)
        await expect(draft).to_have_text(TEA[:12])
        slow.let(3)
        await expect(draft).to_have_text(TEA[:24])
        await expect(page.locator(".state").first).to_have_text("● running")
        slow.go()
        await expect(page.get_by_role("region", name="Decision")).to_contain_text("Tea")
        await expect(page.locator(".state").first).to_have_text("✓ decided")
        await expect(page.locator("article.turn")).to_have_count(3)
        assert await page.title() == "Tea or coffee, for the whole office? · Moot"
        await page.get_by_role("link", name="Moot", exact=True).click()
        row = page.get_by_role("listitem").filter(has_text="for the whole office?")
        await expect(row).to_contain_text("unanimous")


async def test_the_first_page_asks_once_and_then_is_quiet(stage: Stage) -> None:
    async with stage.visit() as visit:
        asked = list[str]()
        visit.page.on("request", lambda request: asked.append(request.url))
        page = await visit.go("/")
        await page.wait_for_load_state("networkidle")
        assert sum("/debates?" in url for url in asked) == 1
        async with page.expect_response(re.compile("q=nothing")):
            await page.get_by_role("searchbox", name="Search the debates").fill("nothing like it")
        await expect(page.get_by_text("No debate is like that.")).to_be_visible()
        await page.wait_for_load_state("networkidle")
        assert sum("/debates?" in url for url in asked) == 2


async def test_from_moot_serve_to_a_finished_debate(stage: Stage, tmp_path: Path) -> None:
    with running(tmp_path) as server:
        async with stage.visit(session=False) as visit:
            visit.own |= {urlsplit(server.link).netloc}
            page = visit.page
            await page.goto(server.link)
            await page.get_by_role("textbox", name="What should they debate?").fill("Tea or coffee?")
            await expect(page.locator(".check")).to_contain_text("3 participants")
            await page.get_by_role("button", name="Start the debate").click()
            await expect(page.locator(".state").first).to_have_text(re.compile("decided|no decision|tie"))
            await expect(page.get_by_role("region", name="Decision")).to_be_visible()
        assert server.end(signal.SIGINT) == 0


async def test_a_line_that_is_lost_comes_back_without_a_gap_or_a_double(stage: Stage) -> None:
    slow = Slow(lambda request: TEA)
    debate = await stage.begin(OPTIONS, stage.lend(slow))
    async with stage.visit(cable=True, fine=["ERR_", "WebSocket connection"]) as visit:
        page = await visit.go(f"/d/{debate}?tab=record")
        await stage.watched(debate)
        slow.let(3)
        draft = page.locator("article.turn .draft").first
        await expect(draft).to_have_text(TEA[:12])
        stage.cable.cut = True
        stage.cable.pull()
        lost = page.get_by_text("The connection is lost; nothing of the debate is.")
        await expect(lost).to_be_visible()
        slow.let(3)  # these words are spoken while nobody hears them
        await until(lambda: slow.said >= 6)
        await expect(draft).to_have_text("… ")
        stage.cable.cut = False
        await expect(lost).to_have_count(0)
        await stage.watched(debate)
        slow.let(3)
        await expect(draft).to_have_text(f"… {TEA[24:36]}")
        stage.cable.pull()  # and again: this time it comes back at once
        slow.go()
        await stage.site.runner.wait(debate)
        await expect(page.locator(".state").first).to_have_text("✓ decided")
        await expect(lost).to_have_count(0)
        stored = len(await stage.site.workspace.entries(debate))
        await expect(page.locator(".where")).to_have_text(f"{stored} / {stored}")
        assert await marks(page) == ["T1", "T2", "T3"]
        assert await page.locator("article.turn .draft").count() == 0
        await expect(page.locator(".record .n")).to_have_count(stored)
        assert is_whole(await seqs(page))


async def test_a_debate_is_stopped_and_gone_on_with(stage: Stage) -> None:
    slow = Slow(lambda request: TEA)
    debate = await stage.begin(OPTIONS, stage.lend(slow))
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}")
        await expect(page.get_by_text("is thinking")).to_have_count(3)
        await page.get_by_role("button", name="Stop").click()
        await page.get_by_role("button", name="Stop at once").click()
        await expect(page.locator(".state").first).to_have_text("‖ paused")
        await expect(page.get_by_text("Paused:").first).to_be_visible()
        slow.go()
        await page.get_by_role("button", name="Resume").click()
        await expect(page.get_by_text("Taken up again")).to_have_count(1)
        await expect(page.locator(".state").first).to_have_text("✓ decided")
        assert await marks(page) == ["T1", "T2", "T3"]
        await expect(page.get_by_role("button", name="Resume")).to_have_count(0)


async def test_somebody_speaks_up_and_everybody_reads_it(stage: Stage) -> None:
    heard: list[str] = []

    def answer(request: object) -> str:
        heard.append(str(request))
        return TEA if len(heard) % 2 else TEA.replace("Tea", "Coffee")

    slow = Slow(answer)
    debate = await stage.begin(OPTIONS, stage.lend(slow))
    async with stage.visit() as visit, stage.visit() as other:
        page, second = await visit.go(f"/d/{debate}"), await other.go(f"/d/{debate}")
        await page.get_by_role("button", name="Add a message").click()
        await page.get_by_label("Your name").fill("Olga")
        await page.get_by_label("Everybody reads it").fill("What about *water*?")
        await page.get_by_role("button", name="Send").click()
        noted = page.get_by_text("Sent. Everybody reads it before the next question.")
        await expect(noted).to_be_visible()
        slow.go()
        for each in (page, second):
            card = each.get_by_role("article", name=re.compile("Olga"))
            await expect(card.locator(".said em")).to_have_text("water")
            await expect(card).to_contain_text("speaks up")
        await expect(noted).to_have_count(0)
        await expect(page.locator(".state").first).to_have_text(re.compile("decided|tie"))
        assert "What about *water*?" in heard[-1]
        assert "What about *water*?" not in heard[0]
