"""Two debates side by side in a real browser: what came of each, who ended elsewhere, and the words for both."""

import pytest
from playwright.async_api import expect

from tests.web.browser import NARROW, WIDE, Scheme, Stage
from tests.web.crowd import Crowd, brief
from tests.web.test_browser_record import DAYS, Voice

pytestmark = pytest.mark.asyncio(loop_scope="session")

FORM = "ANSWER: {}\nCONFIDENCE: 0.6\nARGUMENT: It suits **my** customers:\n\n- of old\n- of today"


@pytest.mark.parametrize(("width", "scheme"), [(WIDE, "light"), (NARROW, "dark")])
async def test_each_arm_has_its_verdict_and_settings_have_words(stage: Stage, width: int, scheme: Scheme) -> None:
    by = (("Ada", "Monday"), ("Ben", "Tuesday"))
    tie = await stage.ended(DAYS, stage.lend(Voice("guest:tie", FORM, by=by)))
    won = await stage.ended(DAYS, stage.lend(Voice("guest:won", FORM, by=by[:1])))
    async with stage.visit(width=width, scheme=scheme) as visit:
        page = await visit.go(f"/compare?a={tie}&b={won}")
        one, other = (page.get_by_role("region", name=name, exact=True) for name in ("This debate", "The other debate"))
        await expect(one.get_by_role("heading")).to_have_text("Tie")
        await expect(one).to_contain_text("Monday, Tuesday and Friday have 1 each")
        await expect(other.get_by_role("heading")).to_contain_text("Friday")
        await expect(other).to_contain_text("decided by most votes")
        await expect(other).to_contain_text("2 of 3")
        await expect(page.locator(".elsewhere li")).to_have_text(["B Ben Tuesday → Friday"])
        await expect(page.locator(".pair").first).to_contain_text("It suits my customers:")
        for words in ("plurality", "round_robin", "**", "seat"):
            await expect(page.locator("main")).not_to_contain_text(words)
        assert await page.evaluate("document.documentElement.scrollWidth") <= width
        assert await visit.eye() == []


async def test_votes_are_counted_and_stages_named_alike_on_every_page(stage: Stage) -> None:
    debate = await stage.ended(brief(8, 2), stage.lend(Crowd()))
    async with stage.visit() as visit:
        page = await visit.go("/")
        row = page.locator(f'.rows a[href="/d/{debate}"]')
        await expect(row.locator(".share")).to_contain_text(" of 8, ")
        await expect(row.locator(".share")).not_to_contain_text("%")
        listed = [str(await disc.get_attribute("class")).split() for disc in await row.locator(".disc").all()]
        parts = [await part.get_attribute("class") for part in await row.locator(".share i i").all()]
        page = await visit.go(f"/d/{debate}?tab=stances")
        ticks = ["Opening", "Round 1", "Round 2", "Closing"]
        for tick in ticks:
            await expect(page.locator(".flow").get_by_text(tick, exact=True)).to_be_visible()
        page = await visit.go(f"/d/{debate}")
        benched = page.get_by_role("region", name="Who takes part").locator(".disc")
        await expect(benched).to_have_count(8)
        shown = [str(await disc.get_attribute("class")).split() for disc in await benched.all()]
        assert [names[:2] for names in listed] == [names[:2] for names in shown]
        assert all(names[1].startswith("ans-") for names in listed), "a disc has the colour of the answer it holds"
        assert parts == list(dict.fromkeys(parts))
        assert set(parts) == {names[1] for names in listed}, "the bar has a part for each answer"
        shares = page.locator(".shares text")
        await expect(shares).to_have_text(["opening", "1", "2", "closing"])
