"""How a debate stands, on its page: a server that was ended, people who are waited for, answers that are sealed."""

import asyncio
import re

import pytest
from playwright.async_api import Route, expect

from folkmoot.core.errors import ModelError, Refused, Unavailable
from folkmoot.testing.scripted import ScriptedModel
from tests.web.browser import Stage
from tests.web.test_browser_people import VOTE
from tests.web.web_kit import until

pytestmark = pytest.mark.asyncio(loop_scope="session")

BOTTOM = "each => each.getBoundingClientRect().bottom"
WHOLE = """each => {
  const width = each.offsetWidth;
  each.style.minWidth = "0";
  each.style.width = "max-content";
  return width >= each.offsetWidth;
}"""
"""Whether a choice is as wide as the longest of its options."""


async def test_a_debate_whose_server_ended_is_resumed_from_the_page(stage: Stage) -> None:
    whole = await stage.ended("# Tea or coffee?\n\nTea is calm. Coffee is quick.\n")
    lines = await stage.site.workspace.store.read(whole, limit=12)
    await stage.site.workspace.store.append("cut-off", lines, after=0)  # what a process leaves that was killed
    async with stage.visit() as visit:
        page = await visit.go("/d/cut-off")
        await expect(page.locator(".state").first).to_have_text("‖ interrupted")
        await expect(page.get_by_role("button", name="Stop")).to_have_count(0)
        for words in ("is speaking", "is thinking"):
            await expect(page.get_by_text(words)).to_have_count(0)
        await expect(page.locator(".people .speaking, .caret")).to_have_count(0)
        await page.get_by_role("button", name="Resume").click()
        await expect(page.locator(".state").first).to_have_text(re.compile("decided|tie|no decision"))


async def test_who_is_waited_for_is_said_and_answers_are_sealed(stage: Stage) -> None:
    debate = await stage.begin(VOTE.format(more=""))
    async with stage.visit(width=390) as visit:
        page = await visit.go(f"/d/{debate}")
        await expect(page.locator(".state").first).to_have_text("○ waiting for Ada")
        await expect(page.locator(".state").first).to_have_class("state waits")
        card = page.get_by_role("article", name=re.compile("T., Ben"))
        await expect(card).to_contain_text("Hidden until all have answered")
        button = page.get_by_role("button", name="Answer", exact=True)
        await expect(button).to_be_in_viewport(ratio=1)
        here = "each.getBoundingClientRect()"
        top = f"each => document.elementFromPoint({here}.x + 5, {here}.y + 5) === each"
        assert await button.evaluate(top), "nothing lies over the button"
        field, bar = page.get_by_label("In your words"), page.locator(".ask .bar")
        await field.fill("Tea,\nsince\nit\nis\ncalm.")
        assert await field.evaluate(BOTTOM) <= await bar.evaluate("each => each.getBoundingClientRect().top")
        await expect(page.get_by_role("button", name="Add a message")).to_be_in_viewport(ratio=1)
        await card.get_by_role("button", name="Hidden until all").click()
        await expect(card.locator(".said")).to_be_visible()
        await page.get_by_role("link", name="← Debates").click()
        row = page.get_by_role("listitem").filter(has=page.locator(f'a[href="/d/{debate}"]'))
        await expect(row.locator(".state")).to_have_text("○ waiting for Ada")
        await expect(row.locator(".outcome")).to_have_count(0)
        stage.site.runner.stop(debate, now=True)


async def test_a_tall_form_leaves_the_way_to_speak_up_in_sight(stage: Stage) -> None:
    debate = await stage.begin(VOTE.format(more="") + "\n".join(f"\n## P{n}\nrole: Guest" for n in range(3)))
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}")
        for act in ("proposal", "revision"):
            await expect(page.get_by_role("form", name="Your turn as Ada")).to_contain_text(act)
            await page.get_by_label("In your words").fill("Tea.")
            await page.get_by_role("button", name="Answer", exact=True).click()
        await expect(page.get_by_role("form", name="Your turn as Ada")).to_contain_text("vote")
        await page.locator(".laid").first.wait_for()
        assert await page.locator(".asks").evaluate("each => each.scrollHeight > each.clientHeight"), "the form is tall"
        for name in ("+ Add a message", "Answer"):
            await expect(page.get_by_role("button", name=name, exact=True)).to_be_in_viewport(ratio=1)
        stage.site.runner.stop(debate, now=True)


async def test_a_debate_paused_for_somebody_asks_for_the_answer_and_goes_on_with_it(stage: Stage) -> None:
    debate = await stage.begin(VOTE.format(more=""))
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}")
        await expect(page.get_by_role("form", name="Your turn as Ada")).to_be_visible()
        await page.get_by_role("button", name="Stop").click()
        await expect(page.locator(".banner")).to_have_text("Paused until Ada answers.")
        await until(lambda: debate not in stage.site.runner.running)
        await expect(page.get_by_role("button", name="Resume")).not_to_have_class(re.compile("main"))
        await expect(page.get_by_text("folkmoot answer")).to_have_count(0)
        await page.get_by_label("In your words").fill("Tea.")
        await page.get_by_role("button", name="Answer", exact=True).click()
        await expect(page.get_by_role("form", name="Your turn as Ada")).to_contain_text("revision")
        stage.site.runner.stop(debate, now=True)


async def test_nothing_is_cut_off_in_what_is_chosen(stage: Stage) -> None:
    debate = await stage.begin(VOTE.format(more=""))
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}")
        await page.locator("summary", has_text="Share").click()
        await page.get_by_label("People with the link may").select_option("join")
        choices = page.locator(".more .row select")
        await expect(choices).to_have_count(3)
        for n in range(3):
            assert await choices.nth(n).evaluate(WHOLE), await choices.nth(n).inner_text()
        page = await visit.go("/compare")
        option = page.locator(f'select[name=a] option[value="{debate}"]')
        await expect(option).to_have_text(re.compile(r"^\d+ \w+ \d{4}, \d\d:\d\d · Tea or coffee"))
        stage.site.runner.stop(debate, now=True)


async def test_without_background_the_plan_warns_and_nobodys_answer_is_offered(stage: Stage) -> None:
    debate = await stage.ended("# Trees or grass?\n")
    async with stage.visit() as visit:
        page = await visit.go("/new")
        await page.get_by_role("textbox", name="What should they debate?").fill("Trees or grass?")
        note = page.locator(".check .hint", has_text="background")
        await expect(note.first).to_be_visible()
        start = page.get_by_role("button", name="Start the debate")
        assert await note.last.evaluate(BOTTOM) <= await start.evaluate("each => each.getBoundingClientRect().top")
        await visit.go(f"/d/{debate}")
        await expect(page.get_by_role("region", name="Decision")).to_contain_text("abstained")
        await expect(page.get_by_text("Minority answer")).to_have_count(0)


async def test_a_page_that_is_not_there_is_told_by_the_app(stage: Stage) -> None:
    async with stage.visit(expected_errors=["404"]) as visit:
        page = await visit.go("/nowhere/at/all")
        await expect(page.get_by_role("heading", name="Page not found")).to_be_visible()


@pytest.mark.parametrize(
    ("error", "reason"),
    [(Refused("The form was refused"), "could be asked"), (Unavailable("No such host"), "could be reached")],
)
async def test_why_a_debate_is_paused_is_told_once(stage: Stage, error: ModelError, reason: str) -> None:
    debate = await stage.ended("# Tea or coffee?\n\nTea is calm.\n", stage.lend(ScriptedModel([error] * 99)))
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}")
        await expect(page.get_by_role("region", name="What to do next")).to_be_visible()
        await expect(page.get_by_text("Not answered yet").or_(page.get_by_text("No answer")).first).to_be_visible()
        await expect(page.get_by_text(reason)).to_have_count(1)
        await expect(page.locator(".caret")).to_have_count(0)  # nobody is about to say anything


async def test_before_anything_is_known_nothing_is_called_empty(stage: Stage) -> None:
    debate = await stage.once("# Tea or coffee?\n\nTea is calm.\n")
    go = asyncio.Event()

    async def late(route: Route) -> None:
        await go.wait()
        await route.continue_()

    async with stage.visit() as visit:
        await visit.context.route(re.compile("form=frames"), late)
        page = await visit.go(f"/d/{debate}")
        await expect(page.get_by_text("Loading …")).to_be_visible()
        await expect(page.locator(".dhead .state")).to_have_count(0)
        await expect(page.get_by_text("Nothing has been said yet")).to_have_count(0)
        go.set()
        await expect(page.locator(".dhead .state")).to_have_text(re.compile("decided|tie|no decision"))
        await expect(page.get_by_text("Loading …")).to_have_count(0)
