"""What an owner does with a debate on its page, in a real browser: fork a turn, run again, edit and run, delete."""

import re

import pytest
from playwright.async_api import expect

from tests.web.browser import NARROW, Stage

pytestmark = pytest.mark.asyncio(loop_scope="session")

OPTIONS = (
    "---\ntopic: Tea or coffee, at last?\noptions: [Tea, Coffee]\nprotocol: panel\nrounds: 1\nlimits: {asks: 2}\n"
    "---\n\nTea is calm. Coffee is quick.\n\n"
    "## Ada\nrole: Host\n\nYou like tea.\n\n## Ben\nrole: Guest\n\nYou like coffee.\n"
)


async def test_a_turn_is_forked_with_its_form_filled_in(stage: Stage) -> None:
    debate = await stage.ended(OPTIONS)
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}")
        await page.get_by_role("article", name=re.compile("T1, Ada")).get_by_role("button", name="Fork here").click()
        form = page.get_by_role("form", name="Fork at T1")
        await expect(form.get_by_label("Argument", exact=True)).to_have_value(re.compile("."))
        await form.get_by_label("answer").select_option("Coffee")
        await form.get_by_label("argument").fill("I was wrong about tea.")
        await form.get_by_role("button", name="Fork at T1").click()
        await page.wait_for_url(lambda url: debate not in url)
        await expect(page.get_by_role("article", name=re.compile("T1, Ada"))).to_contain_text("I was wrong about tea.")
        await expect(page.get_by_role("heading", level=1)).to_contain_text("fork of")
        await page.get_by_role("link", name="compare", exact=True).click()
        await expect(page.get_by_role("heading", name="Compare")).to_be_visible()
        assert await visit.eye() == []


async def test_a_debate_is_renamed_on_its_page_and_in_the_list(stage: Stage) -> None:
    debate = await stage.ended(OPTIONS)
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}")
        await page.get_by_text("More", exact=True).click()
        field = page.get_by_label("Name", exact=True)
        await expect(field).to_have_value("Tea or coffee, at last?")
        await field.fill("Breakfast, the second try")
        await page.get_by_role("button", name="Rename").click()
        await expect(page.get_by_role("heading", level=1)).to_contain_text("Breakfast, the second try")
        await expect(page.get_by_role("status").filter(has_text="Renamed")).to_be_visible()
        assert await visit.eye() == []
        await visit.go("/")
        await page.get_by_role("searchbox", name="Search the debates").fill("second try")
        row = page.locator(f'.rows a[href="/d/{debate}"]')
        await expect(row.locator("strong")).to_have_text("Breakfast, the second try")
        await expect(row.locator("strong")).to_have_attribute("title", "Tea or coffee, at last?")


async def test_the_list_is_filtered_and_several_are_deleted(stage: Stage) -> None:
    for _ in range(2):
        await stage.ended(OPTIONS.replace("Tea or coffee, at last?", "To be deleted?"))
    async with stage.visit() as visit:
        page = await visit.go("/")
        await page.get_by_role("searchbox", name="Search the debates").fill("To be deleted?")
        await page.get_by_label("Protocol").select_option("panel")
        await page.get_by_label("Model").fill("quotes")
        await page.get_by_label("Time").select_option("Last 24 hours")
        rows = page.locator(".rows li")
        await expect(rows).to_have_count(2)
        await rows.first.get_by_role("checkbox").check()
        await page.get_by_role("button", name="Select all").click()
        await expect(page.get_by_role("link", name="Compare the two")).to_be_visible()
        await page.get_by_role("button", name="Delete …").click()
        assert await visit.eye() == []
        await page.get_by_role("button", name="Delete permanently").click()
        await expect(page.get_by_text("2 debates deleted")).to_be_visible()
        await expect(rows).to_have_count(0)


async def test_a_debate_says_what_to_do_next_is_run_again_and_deleted(stage: Stage) -> None:
    debate = await stage.ended(OPTIONS.replace("asks: 2", "asks: 1"))
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}?tab=brief")
        await expect(page.locator(".brief")).to_contain_text("Tea is calm. Coffee is quick.")
        steps = page.get_by_role("region", name="What to do next")
        await steps.get_by_text("As a command").click()
        await expect(steps).to_contain_text(f"folkmoot resume {debate} --max-questions 2")
        assert await visit.eye() == []
        await steps.get_by_role("button", name="Resume with twice that limit").click()
        await expect(page.locator(".state").first).to_have_text(re.compile("decided|tie|no decision"))
        await page.get_by_text("Run again", exact=True).click()
        await page.get_by_role("button", name="Run it again as it is").click()
        await page.wait_for_url(lambda url: debate not in url)
        again = page.url.rpartition("/")[2]
        await stage.site.runner.wait(again)
        await page.get_by_text("Run again", exact=True).click()
        await page.get_by_role("link", name="Edit a copy and run it").click()
        await expect(page.locator("textarea.markdown")).to_have_value(re.compile("Tea or coffee, at last"))
        await expect(page.get_by_role("button", name="Back to the form")).to_have_count(0)  # there is none
        await visit.go(f"/d/{again}")
        await page.get_by_text("More", exact=True).click()
        await page.get_by_role("button", name="Delete this debate").click()
        await page.get_by_role("button", name="Delete permanently").click()
        await expect(page.get_by_role("heading", name="Debates")).to_be_visible()
        assert not await stage.site.workspace.store.read(again, limit=1)


async def test_what_can_be_done_with_a_paused_debate_stands_in_one_row_on_a_phone(stage: Stage) -> None:
    debate = await stage.ended(OPTIONS.replace("asks: 2", "asks: 1"))
    async with stage.visit(width=NARROW) as visit:
        page = await visit.go(f"/d/{debate}")
        resume, more = page.get_by_role("button", name="▶ Resume"), page.get_by_text("More", exact=True)
        boxes = [await place.bounding_box() for place in (resume, more)]
        assert boxes[0]
        assert boxes[1]
        assert boxes[0]["y"] == boxes[1]["y"]
        assert boxes[1]["x"] + boxes[1]["width"] < NARROW


async def test_a_citation_leads_to_its_line_of_the_brief_and_back(stage: Stage) -> None:
    debate = await stage.ended(
        "---\nrounds: 1\n---\n# Tea?\n\nNobody is here.\n\nTea is calm and good for all of us.\n"
    )
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}")
        link = page.locator(".turn .said a").filter(has_text=", line 8").first
        where = re.search(r"line (\d+)", str(await link.text_content()))
        await link.click()
        await expect(page.get_by_role("tab", name="Brief")).to_have_attribute("aria-selected", "true")
        cited = page.locator(".brief .cited")
        await expect(cited).to_have_text("Tea is calm and good for all of us.")
        await expect(cited).to_be_focused()
        await expect(cited).to_be_in_viewport()
        assert where
        assert await cited.get_attribute("data-line") == where[1]
        await expect(page.locator(".brief .settings")).to_contain_text("at most 1 round")
        assert await visit.eye() == []
        await page.go_back()
        await expect(link).to_be_visible()
        await page.get_by_role("tab", name="Brief").click()
        await expect(page.locator(".brief .matter")).to_be_visible()
        await expect(cited).to_have_count(0)
