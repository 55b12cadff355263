"""The page of the memory in a real browser: what was learned is found, read whole, and forgotten after a question."""

import pytest
from playwright.async_api import expect

from folkmoot.app.export.learned import search
from tests.web.browser import NARROW, WIDE, Scheme, Stage

pytestmark = pytest.mark.asyncio(loop_scope="session")

BRIEF = "---\noptions: [{one}, {two}]\n---\n# {one} or {two}?\n\n{one} is calm.\n\n{two} is strong.\n"


@pytest.mark.parametrize(("width", "scheme", "one"), [(WIDE, "light", "Lighthouse"), (NARROW, "dark", "Windmill")])
async def test_what_was_learned_is_found_and_forgotten(stage: Stage, width: int, scheme: Scheme, one: str) -> None:
    debate = await stage.ended(BRIEF.format(one=one, two="Harbour"))
    async with stage.visit(width=width, scheme=scheme) as visit:
        page = await visit.go("/memory")
        item = page.locator(".learned > li").filter(has_text=f"{one} or Harbour?")
        await expect(item).to_contain_text("no language model took part")
        await item.get_by_role("button", name="Show everything learned").click()
        await expect(item.get_by_role("heading", name="Participants")).to_be_visible()
        await expect(item.locator(".all")).to_contain_text("protocol: panel")
        assert (await item.inner_text()).count(f"{one} or Harbour?") == 1
        assert await page.evaluate("document.documentElement.scrollWidth") <= width
        assert await visit.eye() == []
        await expect(page.get_by_role("link", name="Models", exact=True)).to_be_in_viewport(ratio=1)
        await page.get_by_label("Search the memory").fill("zeppelin")
        await expect(page.get_by_text("Nothing found.")).to_be_visible()
        await page.get_by_label("Search the memory").fill(one.lower())
        await item.get_by_role("button", name="Forget").click()
        await item.get_by_role("button", name="Cancel").click()
        assert [memory.debate for memory in await search(stage.site.workspace, one)] == [debate]
        await item.get_by_role("button", name="Forget").click()
        await item.get_by_role("button", name="Forget permanently").click()
        await expect(page.get_by_role("status")).to_contain_text("Its record is kept")
        await expect(item).to_have_count(0)
        assert await search(stage.site.workspace, one) == ()
        await page.get_by_label("What is searched").select_option("pattern")
        await expect(page.locator(".empty")).to_be_visible()
        await page.get_by_role("link", name="Ratings and calibration").click()
        await expect(page.get_by_role("heading", name="Calibration", level=2)).to_be_visible()
        await expect(page.get_by_role("heading", level=1)).to_have_count(1)
        await expect(page.get_by_role("link", name="Memory", exact=True)).to_have_attribute("aria-current", "page")
