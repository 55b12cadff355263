"""Verify and receipt in a real browser: of a sound record, of one that was edited, and of a debate that is deleted."""

import json
import re
import sqlite3
from contextlib import closing

import pytest
from playwright.async_api import expect

from tests.web.browser import NARROW, WIDE, Scheme, Stage

pytestmark = pytest.mark.asyncio(loop_scope="session")

DAYS = "---\ntopic: Which day is the market?\nprotocol: panel\noptions: [Monday, Friday]\n---\n\nFriday is free.\n"
VIEWS: tuple[tuple[int, Scheme], ...] = ((WIDE, "light"), (NARROW, "dark"))


def edit(stage: Stage, debate: str) -> int:
    """Change a word of a recorded answer; the number of its entry."""
    with closing(sqlite3.connect(str(stage.site.workspace.place))) as file, file:
        lines = file.execute("SELECT seq, text FROM folkmoot_line WHERE debate = ? ORDER BY seq", (debate,)).fetchall()
        seq, text = next((seq, text) for seq, text in lines if json.loads(text)["kind"] == "replied")
        changed = text.replace("Friday", "Monday") if "Friday" in text else text.replace("Monday", "Friday")
        assert changed != text
        file.execute("UPDATE folkmoot_line SET text = ? WHERE debate = ? AND seq = ?", (changed, debate, seq))
    return seq


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
async def test_a_sound_record_is_verified_and_its_receipt_is_shown(stage: Stage, width: int, scheme: Scheme) -> None:
    debate = await stage.ended(DAYS)
    async with stage.visit(width=width, scheme=scheme) as visit:
        page = await visit.go(f"/d/{debate}?tab=record")
        proofs = page.get_by_role("region", name="Verify and receipt")
        verify = await proofs.get_by_role("button", name="Verify the record").bounding_box()
        assert verify
        assert verify["width"] < 200, "a button is as wide as its words"
        await proofs.get_by_role("button", name="Verify the record").click()
        await expect(proofs).to_contain_text("✓ The record is intact.")
        head = (await stage.site.workspace.verify(debate))[1]
        await expect(proofs).to_contain_text(f"folkmoot verify {debate} --head {head}")
        await proofs.get_by_role("button", name="Show the receipt").click()
        await expect(proofs.get_by_role("definition").nth(1)).to_have_text("most votes")
        await expect(proofs).to_contain_text(f"folkmoot report --receipt {debate} --key decisions.key")
        await expect(proofs).not_to_contain_text("plurality")
        async with page.expect_download() as waiting:
            await proofs.get_by_role("link", name="Download it").click()
        assert (await waiting.value).suggested_filename == f"{debate}-receipt.md"
        assert await page.evaluate("document.documentElement.scrollWidth") <= width
        assert await visit.eye() == []


async def test_a_record_that_is_edited_while_somebody_looks_is_found_and_says_what_to_do(stage: Stage) -> None:
    debate = await stage.ended(DAYS)
    async with stage.visit(expected_errors=["409"]) as visit:
        page = await visit.go(f"/d/{debate}?tab=record")
        proofs = page.get_by_role("region", name="Verify and receipt")
        await expect(proofs).to_be_visible()
        seq = edit(stage, debate)
        await proofs.get_by_role("button", name="Verify the record").click()
        alert = proofs.get_by_role("alert")
        await expect(alert).to_contain_text("The record was changed or damaged.")
        await expect(alert).to_contain_text(f"Entry {seq} has been changed")
        await expect(alert).to_contain_text(f"folkmoot verify {debate} --store COPY")
        assert await visit.eye() == []


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
async def test_a_debate_that_cannot_be_read_says_why_and_what_to_do(stage: Stage, width: int, scheme: Scheme) -> None:
    edited, deleted = await stage.ended(DAYS), await stage.ended(DAYS)
    seq = edit(stage, edited)
    async with stage.visit(width=width, scheme=scheme, expected_errors=["404", "409"]) as visit:
        page = await visit.go(f"/d/{edited}")
        await expect(page.get_by_role("heading", name="The record of this debate is damaged")).to_be_visible()
        await expect(page.get_by_role("alert")).to_contain_text(f"Entry {seq} has been changed")
        await expect(page.get_by_text(f"folkmoot verify {edited}", exact=True)).to_be_visible()
        assert await visit.eye() == []
        await visit.context.request.delete(f"{visit.base}/api/v1/debates/{deleted}", headers={"X-Folkmoot": "1"})
        page = await visit.go(f"/d/{deleted}")
        await expect(page.get_by_role("heading", name="Debate not found")).to_be_visible()
        await page.get_by_role("link", name="All debates").click()
        await expect(page).to_have_url(re.compile("/$"))
        assert await page.evaluate("document.documentElement.scrollWidth") <= width
