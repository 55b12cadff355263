"""A walk with the keyboard alone: from the list to a new debate, its views, a fork, a comparison, a link and a memo."""

import re

import pytest
from playwright.async_api import Page, expect

from tests.web.browser import Slow, Stage
from tests.web.web_kit import until

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEA = "ANSWER: Tea\nCONFIDENCE: 0.7\nARGUMENT: Tea is calm, and nobody was ever hurt by being calm."
FOCUS = """async () => {
  const e = document.activeElement, frame = () => new Promise(done => requestAnimationFrame(done));
  const rests = e === document.body || e.tabIndex < 0; // no stop of its own: where a page begins
  const shown = box => box.width > 0 && box.bottom > 0 && box.top < innerHeight;
  const seen = () => rests || shown(e.getBoundingClientRect());
  for (let n = 0; n < 600 && !seen(); n++) await frame(); // it is scrolled to, however busy the machine is
  const style = getComputedStyle(e);
  const label = e.getAttribute("aria-label") || (e.labels && e.labels[0] || e).innerText || e.textContent || "";
  return {
    label: e === document.body ? "" : label,
    marked: rests || style.outlineStyle !== "none" || style.boxShadow !== "none" || style.stroke !== "none",
    seen: seen(),
    box: JSON.stringify([e.getBoundingClientRect(), innerHeight, e.closest(".scroll")?.scrollTop]),
  };
}"""
"""Where the focus is: the words of the element, whether it is marked, and whether it is in sight."""

STOPS = """() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")]
  .filter(e => !e.disabled && e.tabIndex >= 0 && e.getClientRects().length)
  .map(e => e.getAttribute("aria-label") || (e.labels && e.labels[0] || e).innerText || e.textContent || "")"""
"""The words of all elements to which the key Tab leads."""


async def there(page: Page, name: str) -> bool:
    """Whether there is an element of that name to which the key Tab leads."""
    return any(re.search(name, label) for label in await page.evaluate(STOPS))


async def reach(page: Page, name: str) -> None:
    """Once there is an element of that name, press Tab up to it; each one on the way is marked and in sight."""
    await until(lambda: there(page, name))
    way: list[str] = []
    for _ in range(120):
        await page.keyboard.press("Tab")
        at = await page.evaluate(FOCUS)
        assert at["marked"], f"nobody sees that the focus is on {at['label']!r}"
        assert at["seen"], f"{at['label']!r} has the focus and is out of sight: {at['box']}"
        way.append(at["label"][:40])
        if re.search(name, at["label"]):
            return
    raise AssertionError(f"{name} is not reached by the key Tab: {way}")


async def press(page: Page, name: str) -> None:
    """Go to an element by Tab and press Enter."""
    await reach(page, name)
    await page.keyboard.press("Enter")


async def to_tab(page: Page, now: str, other: str) -> None:
    """Go from a view of the debate to another one by the arrow keys."""
    await reach(page, f"^{now}$")
    for _ in range(12):
        if await page.get_by_role("tab", name=other, exact=True).get_attribute("aria-selected") == "true":
            return
        await page.keyboard.press("ArrowRight")
    raise AssertionError(f"the arrow keys do not lead to {other}")


async def begun(page: Page, model: str) -> str:
    """Begin a debate from the list; its address."""
    await press(page, "New debate")
    await page.wait_for_url(re.compile("/new"))
    await expect(page.get_by_label("Model for everyone")).to_have_value(re.compile(".+"))
    await reach(page, "What should they debate?")
    await page.keyboard.type("Tea or coffee, on a walk by keys?")
    await reach(page, "Model for everyone")
    await page.keyboard.press("Control+A")
    await page.keyboard.type(model)
    await page.keyboard.press("Escape")
    await press(page, "Start the debate")
    await page.wait_for_url(re.compile("/d/"))
    return page.url


async def test_from_the_list_to_a_memo_with_the_keyboard_alone(stage: Stage) -> None:
    slow = Slow(lambda request: TEA)
    await stage.ended("---\ntopic: Is there a list?\n---\n\nThere is.\n")
    async with stage.visit() as visit:
        page = await visit.go("/")
        await expect(page.locator(".rows li").first).to_be_visible()
        first = await begun(page, stage.lend(slow))
        await reach(page, "Stop")
        slow.go()
        await expect(page.get_by_role("region", name="Decision").get_by_role("heading", level=2)).to_be_visible()
        await to_tab(page, "Transcript", "Votes")
        await to_tab(page, "Votes", "Details")
        await press(page, r"^\w+, T1")
        await expect(page.locator("#panel")).to_contain_text("Raw answer")
        await to_tab(page, "Details", "Transcript")
        await press(page, "Fork here")
        await expect(page.get_by_role("form", name="Fork at T1")).to_be_visible()
        await reach(page, "(?i)^argument")
        await page.keyboard.press("Control+A")
        await page.keyboard.type("Coffee was calm, too.")
        await press(page, "^Fork at T1")
        await page.wait_for_url(lambda url: not url.startswith(first.partition("?")[0]))
        await press(page, "^compare$")
        await expect(page.get_by_role("region", name="The other debate", exact=True)).to_be_visible()
        await press(page, "^Tea or coffee, on a walk")
        await page.wait_for_url(re.compile("/d/"))
        await press(page, "^Share")
        await press(page, "Make a link")
        await expect(page.get_by_label("The link", exact=True)).to_have_value(re.compile("^http"))
        await reach(page, "^Copy$")
        await page.keyboard.press("Escape")
        await expect(page.locator("summary", has_text="Share")).to_be_focused()
        await press(page, "^Export")
        await reach(page, "^Memo: ")
        async with page.expect_download() as waiting:
            await page.keyboard.press("Enter")
        assert (await waiting.value).suggested_filename.endswith(".memo.html")
