"""The list of debates in a real browser: a debate whose document has changed since is called stale."""

import re

import pytest
from playwright.async_api import expect

import folkmoot
from tests.web.browser import NARROW, WIDE, Stage
from tests.web.test_browser_eyes import look_at

pytestmark = pytest.mark.asyncio(loop_scope="session")

BRIEF = "---\nbackground:\n  - lease.md\n---\n# Move to Lyon?\n\nThe lease ends in May.\n"


async def test_the_list_calls_a_debate_stale_while_its_document_is_another(stage: Stage) -> None:
    lease = stage.documents / "lease.md"
    lease.write_text("Lyon is near.\n")
    stage.documents.joinpath("move.md").write_text(BRIEF)
    store, brief = stage.site.workspace.store, stage.documents / "move.md"
    debate = (await folkmoot.debate(brief, model="builtin:quotes", participants="builtin", store=store)).debate
    async with stage.visit(reduced_motion=True) as visit:
        page = visit.page
        row = page.get_by_role("link").and_(page.locator(f"[href='/d/{debate}']"))
        for words, is_stale in (("near", False), ("far", True), ("near", False), ("far", True)):
            lease.write_text(f"Lyon is {words}.\n")
            await visit.go("/")
            await expect(row).to_contain_text("decided")
            await expect(row.get_by_text("stale", exact=True)).to_have_count(int(is_stale))
        await expect(row).to_have_accessible_name(re.compile(r"decided · stale \(a document has changed since\)"))
        for width in (WIDE, NARROW):
            await visit.fit(width)
            await row.scroll_into_view_if_needed()
            await expect(row.get_by_text("stale", exact=True)).to_be_in_viewport()
            await look_at(visit, f"the list, {width} pixels wide")
        await row.click()
        await expect(page.get_by_text("This is about the documents as they were")).to_be_visible()
