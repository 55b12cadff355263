"""How a debate stands, on its page: a server that was ended, people who are waited for, answers that are sealed."""

import re

import pytest
from playwright.async_api import expect

from browser import Stage
from test_browser_people import VOTE

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_debate_whose_server_ended_is_resumed_from_the_page(stage: Stage) -> None:
    whole = await stage.ended("# Tea or coffee?\n\nTea is calm. Coffee is quick.\n")
    lines = await stage.site.desk.store.read(whole, limit=12)
    await stage.site.desk.store.append("cut-off", lines, after=0)  # what a process leaves that was killed
    async with stage.visit() as visit:
        page = await visit.go("/d/cut-off")
        await expect(page.locator(".state").first).to_have_text("‖ stopped: the server ended")
        await expect(page.get_by_role("button", name="Stop")).to_have_count(0)
        await page.get_by_role("button", name="Resume").click()
        await expect(page.locator(".state").first).to_have_text(re.compile("decided|tie|no decision"))


async def test_who_is_waited_for_is_said_and_answers_are_sealed(stage: Stage) -> None:
    debate = await stage.begin(VOTE.format(more=""))
    async with stage.visit(width=390) as visit:
        page = await visit.go(f"/d/{debate}")
        await expect(page.locator(".state").first).to_have_text("● waiting for Ada")
        card = page.get_by_role("article", name=re.compile("T., Ben"))
        await expect(card).to_contain_text("Sealed")
        button = page.get_by_role("button", name="Answer", exact=True)
        await expect(button).to_be_in_viewport(ratio=1)
        here = "each.getBoundingClientRect()"
        top = f"each => document.elementFromPoint({here}.x + 5, {here}.y + 5) === each"
        assert await button.evaluate(top), "nothing lies over the button"
        await card.get_by_role("button", name="Sealed").click()
        await expect(card.locator(".said")).to_be_visible()
        page = await visit.go("/")
        row = page.get_by_role("listitem").filter(has=page.locator(f'a[href="/d/{debate}"]'))
        await expect(row.locator(".state")).to_have_text("● waiting for Ada")
        stage.site.hall.stop(debate, now=True)


async def test_a_page_that_is_not_there_is_told_by_the_app(stage: Stage) -> None:
    async with stage.visit(fine=["404"]) as visit:
        page = await visit.go("/nowhere/at/all")
        await expect(page.get_by_role("heading", name="There is no such page")).to_be_visible()
