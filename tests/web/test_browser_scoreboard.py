"""The scoreboards of evaluations in a real browser: listed, drawn under the bar in both themes, and no plot cut off."""

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.async_api import expect

from folkmoot.app.evaluation.folder import note_folder, prefix_of, save_result
from folkmoot.app.plan.settings import lock_place
from tests.app.evaluation.prepared import credits, result
from tests.web.browser import NARROW, WIDE, Scheme, Stage, Visit

pytestmark = pytest.mark.asyncio(loop_scope="session")

WINDOWS: tuple[tuple[int, Scheme], ...] = ((WIDE, "dark"), (NARROW, "light"))
BRIEF = "# Tea or coffee?\n\nTea is cheaper.\n"
BEHIND = "e => getComputedStyle(e).backgroundColor"


async def test_a_scoreboard_is_found_and_shown(stage: Stage, tmp_path: Path) -> None:
    folder = tmp_path / "seen"
    save_result(folder, result(credits(40, uniform=(9, 2), adaptive=(5, 2))))
    note_folder(lock_place(stage.site.workspace.store), folder)
    async with stage.visit(reduced_motion=True) as visit:
        page = await visit.go("/evaluations")
        card = page.locator(".cards li").filter(has_text=str(folder))
        for width, scheme in WINDOWS:
            await visit.fit(width, scheme)
            await expect(card).to_contain_text("40 of 40 questions answered")
            assert await visit.eye() == []
            await card.get_by_role("link").click()
            await is_shown_whole(visit, width, scheme)
            await page.get_by_role("link", name="All evaluations").click()
            await expect(card).to_be_visible()


async def is_shown_whole(visit: Visit, width: int, scheme: Scheme) -> None:
    """The board fits the window, also in the other theme, and is had as a file."""
    page = visit.page
    await expect(page.get_by_role("heading", level=1)).to_contain_text("Does the debate pay?")
    drawn = page.locator(".plot svg")
    assert await drawn.count() == 2
    await expect(drawn.first).to_be_visible()
    paper = {"light": "rgb(255, 255, 255)", "dark": "rgb(23, 28, 33)"}
    assert await page.locator(".scoreboard").evaluate(BEHIND) == paper[scheme]
    assert await page.evaluate("document.documentElement.scrollWidth") <= width
    assert await visit.eye() == []
    other: Scheme = "dark" if scheme == "light" else "light"
    await page.evaluate(f"document.documentElement.dataset.theme = '{other}'")
    assert await page.locator(".scoreboard").evaluate(BEHIND) == paper[other]
    await page.evaluate("delete document.documentElement.dataset.theme")
    async with page.expect_download() as download:
        await page.get_by_role("link", name="Download as one page").click()
    assert "Does the debate pay?" in (await (await download.value).path()).read_text("utf-8")


async def test_an_evaluation_is_one_row_that_unfolds(stage: Stage, tmp_path: Path) -> None:
    folder, store = tmp_path / "one-row", stage.site.workspace.store
    saved = result(credits(40, uniform=(9, 2), adaptive=(5, 2)))
    saved = replace(saved, plan=replace(saved.plan, name="one row"))
    save_result(folder, saved)
    note_folder(lock_place(store), folder)
    lines = await store.read(await stage.ended(BRIEF))
    for n in range(2):
        await store.append(f"{prefix_of('one row')}-{n:012x}", list(lines), after=0)
    async with stage.visit(reduced_motion=True) as visit:
        page = await visit.go("/")
        row = page.locator(".rows .group").filter(has_text="one row")
        for width, scheme in WINDOWS:
            await visit.fit(width, scheme)
            await expect(row).to_contain_text("40 of 40 questions answered")
            await expect(row.locator(".cost")).to_have_text("$0.800")
            assert await visit.eye() == []
        await row.get_by_role("button", name="Show its 2 debates").click()
        await expect(page.locator(".rows li")).to_have_count(2)
        await page.get_by_role("button", name="All debates").click()
        await row.get_by_role("link", name="one row").click()
        await expect(page.get_by_role("heading", level=1)).to_contain_text("Does the debate pay?")
