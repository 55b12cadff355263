"""Who comes late to a running debate reads all that was said so far: a first visit, a reload, a server begun again."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from folkmoot.web.auth import session_cookie
from tests.web.browser import WAIT, Slow, Stage
from tests.web.web_kit import opened, until

pytestmark = pytest.mark.asyncio(loop_scope="session")

TALK = """---
topic: Tea or coffee?
protocol: round_robin
strategy: plurality
rounds: 2
options: [Tea, Coffee]
---

Tea is calm. Coffee is quick.

## Ann
role: Drinks tea

## Ben
role: Drinks coffee
"""
CALM = "Tea is calm, and nobody was ever hurt by being calm."
SAID = f"ANSWER: Tea\nVOTE: Tea\nCONFIDENCE: 0.7\nTARGET: NONE\nRELATION: SUPPORT\nCLAIM: {CALM}\nARGUMENT: {CALM * 3}"
SIZE = 12
PIECES = -(-len(SAID) // SIZE)


def cards(page: Page) -> Locator:
    return page.locator("article.turn")


async def spoken(slow: Slow, pieces: int) -> None:
    """Let the model say so many pieces more, and wait until they are said."""
    goal = slow.said + pieces
    slow.release(pieces)
    await until(lambda: slow.said >= goal)


async def reads(page: Page, done: Sequence[str], begun: str) -> None:
    """What stands on the page: each finished turn whole, and of the open one all words from its beginning."""
    await expect(page.locator("article.turn .draft")).to_contain_text(begun)
    for n, words in enumerate(done):
        await expect(cards(page).nth(n)).to_contain_text(words)
    assert not await page.get_by_text("CLAIM:").count(), "labels are no words of the debate"


async def test_who_comes_late_reads_what_was_said_so_far_and_so_does_who_reloads(stage: Stage) -> None:
    slow = Slow(lambda request: SAID, size=SIZE)
    debate = await stage.begin(TALK, stage.lend(slow))
    await spoken(slow, 2 * PIECES + 14)  # both opening statements, and of the next turn the claim, while nobody looks
    async with stage.visit() as visit, stage.visit() as other:
        page = await visit.go(f"/d/{debate}")
        await reads(page, [CALM * 3] * 2, CALM)
        await spoken(slow, 8)
        begun = (CALM * 3)[: (14 + 8) * SIZE - SAID.index(CALM * 3)]
        await reads(page, [CALM * 3] * 2, begun)
        await page.reload()
        await reads(page, [CALM * 3] * 2, begun)
        await reads(await other.go(f"/d/{debate}"), [CALM * 3] * 2, begun)
        slow.go()
        for shown in (page, other.page):
            await expect(shown.locator(".state").first).to_have_text("✓ decided")
            await expect(cards(shown).nth(2)).to_contain_text(CALM * 3)


async def test_a_server_that_is_begun_again_shows_what_was_said_and_says_the_open_turn_once(
    stage: Stage, tmp_path: Path
) -> None:
    slow, again = Slow(lambda request: SAID, size=SIZE), Slow(lambda request: SAID, size=SIZE)
    async with await stage.browser.new_context() as context:
        context.set_default_timeout(WAIT)
        async with opened(tmp_path, models={"slow": slow}, real=True) as web:
            secret = web.site.auth.exchange(web.site.auth.new_link())
            assert secret
            name = session_cookie(web.base.partition("//")[2])
            await context.add_cookies([{"name": name, "value": secret, "url": web.base, "sameSite": "Strict"}])
            debate = await web.begin(web.me, TALK, models=["guest:slow"])
            await spoken(slow, 2 * PIECES + 22)
            page = await context.new_page()
            await page.goto(f"{web.base}/d/{debate}")
            await reads(page, [CALM * 3] * 2, CALM)
            port = int(web.base.rpartition(":")[2])
        await expect(page.get_by_text("Connection lost")).to_be_visible()
        for n in range(2):
            await expect(cards(page).nth(n)).to_contain_text(CALM * 3)
        async with opened(tmp_path, models={"slow": again}, real=True, port=port):
            await page.get_by_role("button", name="Resume").click()
            await spoken(again, 22)
            await reads(page, [CALM * 3] * 2, CALM)
            await page.reload()
            await reads(page, [CALM * 3] * 2, CALM)
            again.go()
            await expect(page.locator(".state").first).to_have_text("✓ decided")
            words = await cards(page).nth(2).text_content() or ""  # in sight or not
            assert words.count(CALM * 3) == 1, "what was said before is not said twice"
