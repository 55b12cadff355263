"""The pages for everybody, in a real browser: axe-core in light and dark, wide and narrow; keys alone; no motion."""

import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from itertools import pairwise

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.web.browser import NARROW, WIDE, Slow, Stage, Visit, example

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEA = "ANSWER: Tea\nCONFIDENCE: 0.7\nARGUMENT: It is calm."
PERSON = (
    "---\nprotocol: council\nrounds: 1\n---\n# Tea or coffee?\n\nTea is calm.\n\n## Ada (human)\n\n## Ben\n\n## Cy\n"
)
TABS = {
    "votes": ".panel table",
    "stances": ".panel .chart",
    "trace": ".panel :is(.trace, .empty)",
    "brief": ".panel .brief",
    "analysis": ".panel .pane",
    "cost": ".panel .facts",
    "ratings": ".panel :is(table, .empty)",
    "record": ".record li",
    "people": ".people li",
    "talk": "article.turn",
}
"""The views, and what each shows."""
DETAILS = ("trace", "cost", "ratings", "record")
"""Those behind one tab."""


@dataclass(frozen=True, slots=True)
class Held:
    """Debates to look at: one that is over, one that runs, one that waits for a person, one that is stopped."""

    over: str
    runs: str
    waits: str
    slow: Slow


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def debates(stage: Stage) -> AsyncGenerator[Held]:
    slow = Slow(lambda request: TEA)
    over = await stage.once(example("architecture-review"))
    runs = await stage.begin("# Tea or coffee?\n\nTea is calm.\n", stage.lend(slow))
    waits = await stage.begin(PERSON)
    yield Held(over, runs, waits, slow)
    slow.go()
    await stage.site.runner.wait(runs)


async def look(visit: Visit, where: str, selector: str = "h1") -> None:
    """Nothing serious is found on the page that is open, in a wide and a narrow window, where it has this."""
    for width in (WIDE, NARROW):
        await visit.fit(width)
        await expect(visit.page.locator(selector).first).to_be_visible()
        await look_at(visit, f"{where}, {width} pixels wide")


SMALL = """() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary")].filter(e => {
  const label = e.labels && [...e.labels].find(l => l.contains(e)), box = (label || e).getBoundingClientRect();
  const aloud = e.closest(".aloud, .skip"), inText = getComputedStyle(e).display === "inline";
  return box.width && !aloud && !inText && (box.width < 23.9 || box.height < 23.9);
}).map(e => e.outerHTML.slice(0, 120))"""
"""What is to be pressed and is less than 24 pixels wide or high; a link within a text has the size of its line."""


async def look_at(visit: Visit, where: str) -> None:
    """Nothing serious is found on the page as it stands, light and dark, and it is not wider than the window."""
    violations = [*await visit.eye()]
    await visit.page.emulate_media(color_scheme="dark")
    violations += await visit.eye("color-contrast")  # nothing else can be otherwise
    await visit.page.emulate_media(color_scheme="light")
    problems = [(violation["id"], [node["html"] for node in violation["nodes"]][:3]) for violation in violations]
    assert not problems, f"{where}: {problems}"
    wide = await visit.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, f"{where} is {wide} pixels wider than the window"
    assert await visit.page.evaluate(SMALL) == [], f"{where}: too small for a finger"
    if await visit.page.locator(".debate").count():  # its panes scroll, the page does not
        high = await visit.page.evaluate("document.documentElement.scrollHeight - innerHeight")
        assert high <= 0, f"{where} is {high} pixels higher than the window"
        await expect(visit.page.get_by_role("tab", selected=True)).to_be_in_viewport(ratio=0.9)


async def look_at_tabs(visit: Visit) -> None:
    """The same for each tab of a debate, in each window that has it."""
    for width in (WIDE, NARROW):
        await visit.fit(width)
        for tab, selector in TABS.items():
            button = visit.page.locator(f"#tab-{tab}")
            if tab in DETAILS:
                await visit.page.locator("#tab-details").click()
                button = visit.page.get_by_role("button", name=tab.capitalize(), exact=True)
            if await button.is_visible():
                await button.click()
                await expect(visit.page.locator(selector).first).to_be_visible()
                await look_at(visit, f"{tab}, {width} pixels wide")


async def test_axe_finds_nothing_serious_in_light_and_dark_wide_and_narrow(stage: Stage, debates: Held) -> None:
    async with stage.visit(reduced_motion=True) as visit:  # no colour is on its way to another
        page = await visit.go("/")
        await look(visit, "home", ".rows li")
        await visit.go("/new")
        await page.get_by_text("Background, answers").click()
        await look(visit, "a new debate")
        for path, selector in (
            ("/ratings", "h1"),
            ("/models", ".cards"),
            (f"/compare?a={debates.over}&b={debates.runs}", ".twins"),
        ):
            await visit.go(path)
            await look(visit, path, selector)
        await visit.go(f"/d/{debates.over}?tab=map")
        await look(visit, "map", ".claim, .card")
        await look_at_tabs(visit)
        await page.locator("summary", has_text="Share").click()
        await look(visit, "the menu Share", "button:has-text('Make a link')")
        await page.get_by_text("More", exact=True).click()
        await look(visit, "the menu More", "button:has-text('Delete this debate')")
        await visit.go(f"/d/{debates.waits}")
        await look(visit, "a debate that runs and waits", "form[aria-label='Your turn as Ada']")


LEVELS = """() => [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter(e => e.offsetParent)
  .map(e => +e.tagName[1])"""
"""The levels of the headings that are seen, in the order in which they are read aloud."""


async def test_headings_begin_with_the_page_and_leave_no_level_out(stage: Stage, debates: Held) -> None:
    tabs = [f"/d/{debates.over}?tab={tab}" for tab in ("talk", "map", "votes", "stances", "trace", "brief", "analysis")]
    async with stage.visit() as visit:
        for path in ("/", "/new", "/models", "/memory", "/ratings", f"/d/{debates.waits}", *tabs):
            page = await visit.go(path)
            await expect(page.locator("h1").first).to_be_visible()
            await page.wait_for_load_state("networkidle")
            levels = await page.evaluate(LEVELS)
            assert levels[0] == 1, path
            assert all(after <= before + 1 for before, after in pairwise(levels)), f"{path}: {levels}"


async def tab_to(page: Page, name: str) -> None:
    """Press Tab until something is reached."""
    for _ in range(60):
        await page.keyboard.press("Tab")
        label = await page.evaluate(
            "(e => e.getAttribute('aria-label') || (e.labels && e.labels[0] || e).innerText)(document.activeElement)"
        )
        if name in (label or ""):
            return
    raise AssertionError(f"{name} is not reached by the key Tab")


async def test_with_the_keyboard_alone(stage: Stage) -> None:
    slow = Slow(lambda request: TEA)
    slow.go()
    async with stage.visit() as visit:
        page = await visit.go("/new")
        await expect(page.get_by_label("Model for everyone")).to_have_value(re.compile(".+"))
        await page.keyboard.press("Tab")
        await expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
        await page.keyboard.press("Enter")
        await tab_to(page, "What should they debate?")
        await page.keyboard.type("Tea or coffee, by keys?")
        await tab_to(page, "Model for everyone")
        await page.keyboard.press("Control+A")
        await page.keyboard.type(stage.lend(slow))
        await page.keyboard.press("Escape")
        await tab_to(page, "Start the debate")
        await page.keyboard.press("Enter")
        await expect(page.locator(".state").first).to_have_text("✓ decided")
        await tab_to(page, "Transcript")
        for name in ("Votes", "Stances"):
            await page.keyboard.press("ArrowRight")
            await expect(page.get_by_role("tab", name=name)).to_be_focused()
            await expect(page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")
        await tab_to(page, "Entry")
        await page.keyboard.press("Home")
        await expect(page.locator(".where")).to_have_text(re.compile("^1 /"))
        await page.keyboard.press("ArrowRight")
        await expect(page.locator(".where")).to_have_text(re.compile("^2 /"))
        await page.keyboard.press("End")
        await expect(page.get_by_role("button", name="⇥ End")).to_have_attribute("aria-pressed", "true")
        outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", "whoever uses keys sees where they are"


async def test_where_motion_is_unwanted_nothing_moves(stage: Stage, debates: Held) -> None:
    drawn = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    # Not by wait_for_function: it evaluates a text again and again, which the page forbids.
    moves = (
        "() => new Promise(done => { const look = () =>"
        " document.getAnimations().length > 0 ? done() : requestAnimationFrame(look); look(); })"
    )
    for reduced_motion in (False, True):
        async with stage.visit(reduced_motion=reduced_motion) as visit:
            page = await visit.go(f"/d/{debates.runs}")
            await expect(page.get_by_text("is thinking").first).to_be_visible()
            await page.evaluate(drawn)  # an animation begins when its page is drawn
            if reduced_motion:
                assert await page.evaluate("document.getAnimations().length") == 0
            else:
                await page.evaluate(moves)
