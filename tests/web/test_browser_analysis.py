"""The tab Analysis in a real browser: who changed whose mind, and what nobody rebutted or answered."""

import pytest
from playwright.async_api import expect

from tests.web.browser import Stage
from tests.web.crowd import Crowd, brief

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_table_says_whose_mind_each_changed(stage: Stage) -> None:
    debate = await stage.once(brief(), Crowd())
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}?tab=analysis")
        await expect(page.get_by_text("Eli changed the most minds: twice.")).to_be_visible()
        rows = page.locator(".panel table tbody tr")
        changed = {
            cells[0]: cells[-1] for cells in [await row.locator("td").all_inner_texts() for row in await rows.all()]
        }
        assert changed["Eli"] in ("Hana and Cy", "Cy and Hana")
        assert (changed["Dee"], changed["Bo"]) == ("Bo", "–"), "Dee changed Bo's mind, and not the other way round"


async def test_attacks_and_questions_are_counted_apart_and_alike_everywhere(stage: Stage) -> None:
    debate = await stage.once(brief(8, 4), Crowd())
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}?tab=analysis")
        for sentence in ("3 attacks were not rebutted.", "1 question was not answered."):
            await expect(page.get_by_text(sentence)).to_be_visible()
        for title in ("3 unanswered attacks", "1 unanswered question"):
            await expect(page.get_by_role("heading", name=title)).to_be_visible()
        await page.get_by_role("tab", name="Map").click()
        await expect(page.get_by_role("checkbox", name="Only unanswered attacks (3)")).to_be_visible()
        await expect(page.get_by_role("button", name="Unanswered.")).not_to_have_count(0)
        assert await visit.eye() == []
