"""Pictures of a debate of a whole team on a phone: nothing of them is cut, and what goes on to the side says so."""

import re

import pytest
from playwright.async_api import expect

from tests.web.browser import NARROW, Stage, example
from tests.web.crowd import Crowd, brief

pytestmark = pytest.mark.asyncio(loop_scope="session")

HIDDEN = "place => place.scrollWidth - place.clientWidth"
CUT = """text => {
  const [own, all] = [text.getBoundingClientRect(), text.ownerSVGElement.getBoundingClientRect()];
  return Math.max(all.left - own.left, own.right - all.right);
}"""


async def test_pictures_fit_a_phone(stage: Stage) -> None:
    debate = await stage.once(brief(8, 20), Crowd())
    async with stage.visit(width=NARROW, reduced_motion=True) as visit:
        for tab, name in (("trace", "The time line"), ("cost", "The picture")):
            page = await visit.go(f"/d/{debate}?tab={tab}")
            picture = page.get_by_role("region", name=name, exact=True)
            await expect(picture.locator("svg")).to_be_visible()
            assert await picture.evaluate(HIDDEN) <= 0, f"{tab} is wider than a phone"
        page = await visit.go(f"/d/{debate}?tab=stances")
        await expect(page.get_by_role("list", name="Final answers")).to_contain_text("A trial of three months 5 of 8")
        short = await stage.once(example("build-or-buy"))
        page = await visit.go(f"/d/{short}?tab=stances")
        await expect(page.get_by_role("heading", name="Buy led throughout")).to_be_visible()
        picture = page.get_by_role("region", name="The picture", exact=True)
        assert await picture.evaluate(HIDDEN) <= 0, "two columns need no more than a phone"
        for label in await picture.locator("svg text").all():
            assert await label.evaluate(CUT) <= 0, await label.text_content()
        page = await visit.go(f"/d/{debate}")
        opening = page.locator(".shares text").first
        await expect(opening).to_have_text("opening")
        assert await opening.evaluate(CUT) <= 0, "the first word is cut"


async def test_an_analysis_names_turns_in_their_order_and_says_that_no_attack_is_left(stage: Stage) -> None:
    debate = await stage.once(brief(8, 20), Crowd())
    async with stage.visit(width=NARROW, reduced_motion=True) as visit:
        page = await visit.go(f"/d/{debate}?tab=analysis")
        await expect(page.get_by_role("heading", name="Unanswered attacks", exact=True)).to_be_visible()
        words = await page.locator(".grounds .small").first.inner_text()
        attacks = [int(mark[1:].rstrip(",")) for mark in words.partition("attacked in ")[2].split() if mark[0] == "T"]
        assert attacks == sorted(attacks)
        assert len(attacks) > 2


async def test_the_tables_of_a_report_break_no_number_on_a_phone(stage: Stage) -> None:
    debate = await stage.once(brief(), Crowd())
    async with stage.visit(width=NARROW) as visit:
        page = await visit.go(f"/api/v1/debates/{debate}/report.html")
        cells = page.locator("td, th").filter(has_text=re.compile(r"^(\$[\d.]+|Participant|Answers|Calls)$"))
        await expect(cells).to_have_count(11)
        lines = """cell => { const words = document.createRange(); words.selectNodeContents(cell);
          return new Set([...words.getClientRects()].map(each => Math.round(each.top))).size; }"""
        for cell in await cells.all():
            assert await cell.evaluate(lines) == 1, await cell.text_content()
        assert await page.evaluate("document.documentElement.scrollWidth") <= NARROW
