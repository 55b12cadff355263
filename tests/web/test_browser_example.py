"""The first minute in a real browser: the example is started as it stands, or makes room for what somebody brings."""

import re

import pytest
from playwright.async_api import Locator, Page, expect

from tests.web.browser import Stage

pytestmark = pytest.mark.asyncio(loop_scope="session")

BRIEF = "---\ntopic: Tea or coffee?\noptions: [Tea, Coffee]\n---\n\nTea is calm. Coffee is quick.\n"
PASTE = """([box, text]) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  return box.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}"""
DROP = """([name, text]) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], name));
  return document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
}"""


def box(page: Page) -> Locator:
    return page.get_by_role("textbox", name="What should they debate?")


async def test_whoever_just_presses_start_sees_a_whole_debate(stage: Stage) -> None:
    async with stage.visit() as visit:
        page = await visit.go("/new")
        await expect(page.get_by_label("Model for everyone")).to_have_value("builtin:quotes")
        await expect(page.locator("#about-model")).to_have_text("built in: quotes the background, no language model")
        await expect(page.locator(".check")).to_contain_text("4 participants")
        await page.get_by_role("button", name="Start the debate").click()
        decision = page.get_by_role("region", name="Decision")
        await expect(decision).to_contain_text("A trial of three months")
        await expect(decision).to_contain_text("Fridays off")  # the dissent
        await expect(decision.get_by_role("list", name="Warnings")).to_contain_text(
            "no language model answers for anybody"
        )
        objection = decision.get_by_role("heading", name="Strongest objection").locator("+ p")
        await expect(objection).to_have_text(re.compile('^"[^"“]+" \\(brief, line \\d+\\)$'))
        await expect(page.locator("article.turn")).to_have_count(12)
        await expect(page.locator("article.turn .said").first).to_contain_text('"Fridays off would give everybody')
        await page.get_by_role("tab", name="Map").click()
        await expect(
            page.get_by_role("tabpanel").get_by_role("button", name=re.compile("Advocate, T.*attacks"))
        ).to_have_count(1)
        await page.get_by_role("tab", name="Votes").click()
        await expect(
            page.get_by_role("tabpanel").get_by_role("row", name=re.compile("Treasurer")).first
        ).to_be_visible()


async def test_typing_replaces_the_example_and_what_belongs_to_it(stage: Stage) -> None:
    async with stage.visit() as visit:
        page = await visit.go("/new")
        await expect(page.get_by_role("textbox", name="Role of Skeptic")).to_have_value(re.compile("five days"))
        await box(page).click()
        await page.keyboard.type("Tea or coffee?")
        assert await box(page).input_value() == "Tea or coffee?"
        await expect(page.get_by_role("button", name="Clear")).to_have_count(0)
        await expect(page.get_by_role("textbox", name="Role of Skeptic")).to_have_value("Looks for what can go wrong")
        await page.get_by_role("button", name="Edit as Markdown").click()
        assert "Friday" not in await box(page).input_value()


async def test_the_example_can_be_cleared_and_edited(stage: Stage) -> None:
    async with stage.visit() as visit:
        page = await visit.go("/new")
        await box(page).click()
        await box(page).press("End")
        await page.keyboard.type(" And pay?")
        assert await box(page).input_value() == "Should our team take Fridays off? And pay?"
        await page.get_by_role("button", name="Clear").click()
        await expect(box(page)).to_be_focused()
        assert await box(page).input_value() == ""
        await expect(page.get_by_role("button", name="Start the debate")).to_be_disabled()


async def test_a_brief_that_is_pasted_or_dropped_and_used_opens_the_editor(stage: Stage) -> None:
    async with stage.visit() as visit:
        page = await visit.go("/new")
        await box(page).evaluate("(box, text) => (" + PASTE + ")([box, text])", "Just a question?")
        await expect(page.get_by_role("button", name="Edit as Markdown")).to_be_visible()
        await box(page).evaluate("(box, text) => (" + PASTE + ")([box, text])", BRIEF)
        await expect(box(page)).to_have_value(BRIEF)
        await expect(box(page)).to_be_focused()
        await page.get_by_role("button", name="Back to the form").click()
        await page.evaluate(DROP, ["notes.docx", "PK\0\0"])
        await expect(page.get_by_role("alert")).to_contain_text("notes.docx")
        await page.evaluate(DROP, ["tea.md", BRIEF])
        await page.get_by_role("button", name="Use it as the brief").click()
        await expect(box(page)).to_have_value(BRIEF)
        await expect(page.locator(".check")).to_contain_text("3 participants")
        await page.get_by_role("button", name="Start the debate").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Tea or coffee?")


async def test_a_draft_of_ones_own_is_kept_and_is_no_example(stage: Stage) -> None:
    async with stage.visit() as visit:
        page = await visit.go("/new")
        await box(page).fill("Tea or coffee?")
        await page.get_by_text("Background, answers").click()
        await page.get_by_label("Background for everyone").fill("Tea is calm.")
        await page.get_by_role("button", name="+ a person").click()
        await page.reload()
        await expect(box(page)).to_have_value("Tea or coffee?")
        await expect(page.get_by_text("kept in this browser until you start it")).to_be_visible()
        await expect(page.get_by_text("An example")).to_have_count(0)
        await box(page).press("End")
        await page.keyboard.type(" And why?")
        await expect(page.locator(".check")).to_contain_text("The debate waits for each answer of Guest, a person")
        await page.get_by_role("button", name="Edit as Markdown").click()
        await expect(box(page)).to_have_value(re.compile("And why.*Tea is calm", re.DOTALL))


async def test_every_protocol_has_its_sentence(stage: Stage) -> None:
    async with stage.visit() as visit:
        page = await visit.go("/new")
        await page.get_by_text("Background, answers").click()
        await page.get_by_text("What each protocol does").click()
        sentences = page.locator(".fields dd")
        await expect(sentences.first).to_be_visible()
        texts = await sentences.all_inner_texts()
        assert len(texts) >= 13
        assert all(text.endswith(".") for text in texts)


async def test_a_debate_is_edited_and_run_again_in_the_form(stage: Stage) -> None:
    debate = await stage.begin(BRIEF + "\n## Ada\nrole: Guest\n\n## Ben\nrole: Host\n", patient=False)
    await stage.site.runner.wait(debate)
    async with stage.visit() as visit:
        page = await visit.go(f"/new?from={debate}")
        await expect(box(page)).to_have_value("Tea or coffee?")
        await expect(page.get_by_text("A copy of another debate's brief")).to_be_visible()
        await expect(page.get_by_role("textbox", name="Role of Ben")).to_have_value("Host")
        await expect(page.get_by_label("Model for everyone")).to_have_value("builtin:quotes")
        await page.get_by_text("Background, answers").click()
        await expect(page.get_by_label("Answers to choose from")).to_have_value("Tea\nCoffee")
        await expect(page.get_by_label("Protocol")).to_have_value("")  # the default has its place
        await expect(page.locator(".check")).to_contain_text("2 participants")
        await page.get_by_role("button", name="Start the debate").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Tea or coffee?")


async def test_the_heads_of_the_list_stand_above_their_columns(stage: Stage) -> None:
    await stage.once(BRIEF)
    async with stage.visit() as visit:
        page = await visit.go("/")
        await page.locator(".rows li").first.wait_for()
        for n, column in enumerate((".result", ".asked"), 1):
            head = await page.locator(f".heads :nth-child({n})").bounding_box()
            cell = await page.locator(f".rows {column}").first.bounding_box()
            assert head
            assert cell
            assert abs(head["x"] - cell["x"]) < 2
        await page.get_by_role("checkbox").first.check()
        await expect(page.get_by_text("1 selected")).to_be_visible()
