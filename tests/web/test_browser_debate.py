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
from tests.web.crowd import Crowd, brief
from tests.web.web_kit import until

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEA = "ANSWER: Tea\nCONFIDENCE: 0.7\nARGUMENT: Tea is calm, and nobody was ever hurt by being calm."
OPTIONS = "---\ntopic: Tea or coffee?\noptions: [Tea, Coffee]\n---\n\nTea is calm. Coffee is quick.\n"


async def seqs(page: Page) -> list[int]:
    """The numbers of the entries that the page has, by its tab Record."""
    return [int(text) for text in await page.locator(".record .n").all_inner_texts()]


async def marks(page: Page) -> list[str]:
    """The turns on the page, in order."""
    return await page.locator("article.turn > header > b").all_text_contents()


def is_whole(numbers: Sequence[int]) -> bool:
    """No gap and no double."""
    return list(numbers) == list(range(1, len(numbers) + 1))


async def test_a_debate_is_begun_from_the_question_box_and_its_words_arrive(stage: Stage) -> None:
    slow = Slow(lambda request: TEA)
    name = stage.lend(slow)
    async with stage.visit() as visit:
        page = await visit.go("/new")
        await page.get_by_role("textbox", name="What should they debate?").fill("Tea or coffee, for the whole office?")
        await expect(page.get_by_label("Model for everyone")).to_have_value(re.compile(".+"))
        await page.get_by_label("Model for everyone").fill(name)
        await expect(page.locator(".check")).to_contain_text("3 participants")
        await page.get_by_role("button", name="Start the debate").click()
        await page.wait_for_url(re.compile("/d/"))
        await expect(page.get_by_role("heading", level=1)).to_have_text("Tea or coffee, for the whole office?")
        draft = page.locator("article.turn .draft").first
        await expect(page.get_by_text("is thinking")).to_have_count(3)
        people = page.get_by_role("region", name="Who takes part")
        await expect(people.get_by_text("thinking …")).to_have_count(3)
        await expect(people.get_by_text("is speaking")).to_have_count(0)
        now = page.get_by_role("region", name="The answers now")
        await expect(now).to_contain_text("If it ended now")
        await expect(now).to_contain_text("0 of 3")
        await stage.watched(page.url.rpartition("/")[2])
        slow.release(3)
        await expect(draft.locator("dd")).to_have_text(["Tea"])
        await expect(people.get_by_text("is speaking").first).to_be_visible()
        slow.release(9)
        await expect(draft.locator("dt")).to_have_text(["Answer", "Confidence"])
        await expect(draft.locator(".label")).to_have_text("Argument")
        await expect(draft).not_to_contain_text("ANSWER")
        await expect(page.locator(".state").first).to_have_text("● running")
        slow.go()
        await expect(page.get_by_role("region", name="Decision")).to_contain_text("Tea")
        await expect(page.locator(".state").first).to_have_text("✓ decided")
        await expect(page.locator("article.turn")).to_have_count(3)
        assert await page.title() == "Tea or coffee, for the whole office? · Folkmoot"
        await page.get_by_role("link", name="Folkmoot", exact=True).click()
        row = page.get_by_role("listitem").filter(has_text="for the whole office?")
        await expect(row).to_contain_text("unanimous")


async def test_a_decision_says_why_and_warns(stage: Stage) -> None:
    slow = Slow(lambda request: TEA)
    slow.go()
    debate = await stage.ended(OPTIONS, stage.lend(slow))
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}")
        card = page.get_by_role("region", name="Decision")
        await expect(card.get_by_role("heading", level=2)).to_have_text("Tea")
        await expect(card.get_by_role("heading", name=re.compile("^Why"))).to_be_visible()
        await expect(card.locator("blockquote")).to_contain_text("nobody was ever hurt by being calm")
        await expect(card.get_by_role("list", name="Warnings")).to_contain_text("agreement of copies is weak evidence")
        assert await visit.eye() == []


async def test_a_debate_that_is_over_is_read_once_and_its_end_is_laid_out_again_after_a_look_back(stage: Stage) -> None:
    debate = await stage.once(brief(), Crowd())
    async with stage.visit() as visit:
        lines: list[str] = []
        visit.page.on("websocket", lambda socket: lines.append(socket.url))
        page = await visit.go(f"/d/{debate}")
        await expect(page.locator("article.turn")).to_have_count(56)
        assert not lines, "nothing more comes of it, so no line is opened and nothing is read twice"
        slider = page.get_by_label("Entry")
        await slider.fill("60")
        await expect(page.locator("article.turn")).not_to_have_count(56)
        await page.get_by_role("button", name="End").click()
        await expect(page.locator("article.turn")).to_have_count(56)


async def test_the_first_page_asks_once_and_then_is_quiet(stage: Stage) -> None:
    await stage.once(brief(), Crowd())
    async with stage.visit() as visit:
        urls = list[str]()
        visit.page.on("request", lambda request: urls.append(request.url))
        page = await visit.go("/")
        await page.wait_for_load_state("networkidle")
        assert sum("/debates?" in url for url in urls) == 1
        async with page.expect_response(re.compile("q=nothing")):
            await page.get_by_role("searchbox", name="Search the debates").fill("nothing like it")
        await expect(page.get_by_text("No debate matches.")).to_be_visible()
        await page.wait_for_load_state("networkidle")
        assert sum("/debates?" in url for url in urls) == 2


async def test_from_folkmoot_serve_to_a_finished_debate(stage: Stage, tmp_path: Path) -> None:
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
    async with stage.visit(through_proxy=True, expected_errors=["ERR_", "WebSocket connection"]) as visit:
        page = await visit.go(f"/d/{debate}?tab=record")
        await stage.watched(debate)
        slow.release(3)
        draft = page.locator("article.turn .draft").first
        await expect(draft).to_have_text("AnswerTea")
        stage.proxy.refuses = True
        stage.proxy.break_connections()
        lost = page.get_by_text("Connection lost. The debate is safe.")
        await expect(lost).to_be_visible()
        await until(lambda: not any(group.debate == debate for group in stage.site.live.groups.values()))
        slow.release(3)  # these words are kept for a while, for who comes back
        await until(lambda: slow.said >= 6)
        await expect(draft).to_have_text(re.compile("Answer\\s*Tea …"))  # what was shown stays
        stage.proxy.refuses = False
        await expect(lost).to_have_count(0)
        await stage.watched(debate)
        slow.release(3)
        await expect(draft).to_have_text("AnswerTeaConfidence0.7")
        stage.proxy.break_connections()  # and again: this time it comes back at once
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


async def test_a_part_of_the_page_that_does_not_arrive_is_asked_for_again(stage: Stage) -> None:
    debate = await stage.ended(OPTIONS)
    async with stage.visit(expected_errors=["ERR_"]) as visit:
        await visit.page.clock.install()
        await visit.page.route("**/assets/RecordTab-*.js", lambda route: route.abort())
        page = await visit.go(f"/d/{debate}?tab=record")
        trouble = page.get_by_text(re.compile("part of the page couldn.t be loaded"))
        await expect(trouble).to_be_visible()
        await page.unroute("**/assets/RecordTab-*.js")
        await page.clock.fast_forward(5_000)
        await expect(page.locator(".record .n").first).to_be_visible()
        await expect(trouble).to_have_count(0)


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
        await expect(page.get_by_text("Resumed", exact=True)).to_have_count(1)
        await expect(page.locator(".state").first).to_have_text("✓ decided")
        assert await marks(page) == ["T1", "T2", "T3"]
        await expect(page.get_by_role("button", name="Resume")).to_have_count(0)


async def test_somebody_speaks_up_and_everybody_reads_it(stage: Stage) -> None:
    requests: list[str] = []

    def answer(request: object) -> str:
        requests.append(str(request))
        said = f"CLAIM: It is good.\n{TEA}"
        return said if len(requests) % 2 else said.replace("Tea", "Coffee")

    slow = Slow(answer)
    one_by_one = OPTIONS.replace("options:", "protocol: round_robin\nrounds: 1\noptions:")
    debate = await stage.begin(one_by_one, stage.lend(slow))
    async with stage.visit() as visit, stage.visit() as other:
        page, second = await visit.go(f"/d/{debate}"), await other.go(f"/d/{debate}")
        first = page.get_by_role("article", name=re.compile("^T1, "))
        slow.release(30)  # all three open at the same time
        await first.get_by_role("button", name="Reply").click()
        await page.get_by_label("Your name").fill("Olga")
        await page.get_by_label("Your reply to").fill("What about *water*?")
        await page.get_by_role("button", name="Send").click()
        noted = page.get_by_text("Sent. Everybody reads it before the next question.")
        await expect(noted).to_be_visible()
        slow.go()
        for reader_page in (page, second):
            card = reader_page.get_by_role("article", name=re.compile("Olga"))
            await expect(card.locator(".said em")).to_have_text("water")
            await expect(card).to_contain_text("replies")
            await card.get_by_role("button", name=re.compile("answers.*T1")).click()
            await expect(reader_page.locator("#T1")).to_be_focused()
        await expect(noted).to_have_count(0)
        await expect(page.locator(".state").first).to_have_text(re.compile("decided|tie"))
        assert "What about *water*?" in requests[-1]
        assert "in reply to" in requests[-1]
        assert "What about *water*?" not in requests[0]
