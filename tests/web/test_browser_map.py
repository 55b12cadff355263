"""The argument map by keys alone: each claim is reached, in sight and uncovered; zoom, fit, folding, path, outline."""

import re

import pytest
from playwright.async_api import Page, expect

from tests.web.browser import NARROW, Stage
from tests.web.crowd import Crowd, brief
from tests.web.test_browser_keys import FOCUS, press, reach

pytestmark = pytest.mark.asyncio(loop_scope="session")

COVERED = """() => {
  const box = document.activeElement.getBoundingClientRect();
  const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
  return !document.activeElement.contains(top);
}"""
"""Whether something else lies over the middle of what has the focus."""

MARK = "() => document.activeElement.dataset.mark || ''"
CARD = r"^\w\w?\n\w+, T\d+"
"""How the words of a claim on the board begin."""


async def walked(page: Page, key: str) -> str:
    """Press a key; the claim that has the focus then, marked and in sight."""
    await page.keyboard.press(key)
    at = await page.evaluate(FOCUS)
    assert at["marked"]
    assert at["seen"], at["box"]
    mark = str(await page.evaluate(MARK))
    assert not await page.evaluate(COVERED), f"{mark} is covered"
    return mark


async def test_the_board_is_walked_by_keys(stage: Stage) -> None:
    debate = await stage.ended(brief(), stage.lend(Crowd()))
    async with stage.visit(reduced_motion=True) as visit:
        page = await visit.go(f"/d/{debate}?tab=map")
        cards = page.locator(".board [data-mark]")
        await expect(cards.first).to_be_visible()
        marks = [str(await card.get_attribute("data-mark")) for card in await cards.all()]
        await press(page, "^Smaller$")
        await expect(page.get_by_role("button", name="83%")).to_be_visible()
        await press(page, "^83%$")
        await press(page, "^Fit$")
        await press(page, r"^\d+%$") if await page.get_by_role("button", name="100%").count() == 0 else None
        await reach(page, CARD)
        assert [await walked(page, "ArrowDown") for _ in marks[1:]] == marks[1:]
        assert await walked(page, "ArrowDown") == marks[-1]  # there is no other
        assert await walked(page, "Home") == marks[0]
        right = await walked(page, "ArrowRight")
        assert right != marks[0]
        await walked(page, "ArrowLeft")
        chosen = await walked(page, "End")
        await page.keyboard.press("Enter")
        path = page.get_by_role("region", name="The chosen claim")
        await expect(path).to_be_visible()
        assert not await page.evaluate(COVERED)
        await page.keyboard.press("Escape")
        await expect(path).to_have_count(0)
        assert await page.evaluate(MARK) == chosen
        await page.keyboard.press("Enter")
        await press(page, "^Close the claim$")
        assert await page.evaluate(MARK) == chosen


async def test_columns_and_lanes_are_folded_by_keys(stage: Stage) -> None:
    debate = await stage.ended(brief(), stage.lend(Crowd()))
    async with stage.visit(reduced_motion=True) as visit:
        page = await visit.go(f"/d/{debate}?tab=map")
        cards = page.locator(".board [data-mark]")
        await expect(cards.first).to_be_visible()
        whole = await cards.count()
        await press(page, "^Opening")
        await expect(cards).not_to_have_count(whole)
        await page.keyboard.press("Enter")
        await expect(cards).to_have_count(whole)
        await press(page, r"^C A trial of three months\s+\d+ claims")
        await expect(cards).not_to_have_count(whole)
        await page.keyboard.press("Enter")
        await expect(cards).to_have_count(whole)
        await reach(page, r"^!?\s*Only unanswered attacks")
        await page.keyboard.press("Space")
        await expect(cards).not_to_have_count(whole)
        await page.keyboard.press("Space")


async def test_the_outline_is_walked_and_folded_by_keys(stage: Stage) -> None:
    debate = await stage.ended(brief(), stage.lend(Crowd()))
    async with stage.visit(reduced_motion=True) as visit:
        page = await visit.go(f"/d/{debate}?tab=map")
        for width in (None, NARROW):
            if width:
                await visit.fit(width)
            outline = page.get_by_role("list", name="Argument map")
            await press(page, "^Outline$") if not width else None
            rows = outline.get_by_role("listitem")
            many = await rows.count()
            if width:
                await outline.locator(".body").first.focus()
            else:
                await reach(page, r"^\S (claims|supports|attacks|rebuts|asks about) · ")
            await page.keyboard.press("ArrowLeft")
            await expect(rows).not_to_have_count(many)
            await page.keyboard.press("ArrowRight")
            await expect(rows).to_have_count(many)
            first = (await page.evaluate(FOCUS))["label"]
            await walked(page, "ArrowDown")
            assert (await page.evaluate(FOCUS))["label"] != first
            await walked(page, "ArrowUp")
            assert (await page.evaluate(FOCUS))["label"] == first
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("tab", name="Transcript")).to_have_attribute("aria-selected", "true")
        assert re.match(r"T\d+", str(await page.evaluate("document.activeElement.id")))
