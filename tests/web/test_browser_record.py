"""Pages with much in them, in a real browser: the record, the pictures of 20 rounds, ratings, a tie."""

import asyncio
import re

import pytest
from playwright.async_api import expect

from folkmoot.core.agent import Quote, Recorder
from folkmoot.core.ask import Usage
from folkmoot.core.event import Called
from folkmoot.models.base import Request, Traits
from tests.web.browser import NARROW, WIDE, Scheme, Stage, Visit, example
from tests.web.crowd import MOVES, Crowd, brief

pytestmark = pytest.mark.asyncio(loop_scope="session")

DAYS = """---
topic: Which day is the market?
protocol: panel
options: [Monday, Tuesday, Friday]
---

The square is free on Monday, Tuesday and Friday.

## Ada
role: Sells bread

## Ben
role: Sells fruit

## Cy
role: Sells flowers
"""
SUPPLIER = """---
topic: Will supplier {n} deliver on time?
protocol: panel
options: [Yes, No]
---

The supplier was late twice last year.

## Ann
role: Buyer
model: {one}

## Bob
role: Buyer
model: {other}
"""


class Voice:
    """A model that gives the same answer for each participant every time."""

    traits, drops = Traits(), tuple[str, ...]()

    def __init__(self, name: str, form: str, *, by: tuple[tuple[str, str], ...] = ()) -> None:
        self.name, self._form, self._by = name, form, by

    def quote(self, request: Request) -> Quote:
        """A few tokens, free."""
        return Quote(model=self.name, tokens=200)

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """Answer at once."""
        names = re.findall(r"^You are (\w+)", "\n".join(message.text for message in request.messages), re.MULTILINE)
        text = self._form.format(dict(self._by).get(names[-1], "Friday"))
        usage = Usage(input_tokens=900_000, output_tokens=20)
        return Called(key="", call=request.call, text=text, model=self.name, served=self.name, usage=usage)

    async def close(self) -> None:
        """Nothing to give back."""


class Halting(Crowd):
    """The team, of whom one is silent from a turn on, until it may speak."""

    name = "guest:halting"

    def __init__(self, turns: int) -> None:
        super().__init__()
        self._left, self.go = turns, asyncio.Event()

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """Answer at once, as long as there are turns left."""
        self._left -= 1
        if self._left < 0:
            await self.go.wait()
        return await super().complete(request, recorder)


async def test_the_record_says_in_words_what_happened_and_is_searched(stage: Stage) -> None:
    debate = await stage.once(brief(), Crowd())
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}?tab=record")
        lines = page.locator(".record summary")
        await expect(lines).to_have_count(50)
        await expect(lines.nth(0)).to_contain_text("The debate begins")
        await expect(lines.nth(3)).to_have_text("4 Ada is asked: opening statement (T1)")
        for kind in ("opened", "attempted", "replied", "agent_message", "round_start"):
            await expect(page.locator(".record").get_by_text(kind)).to_have_count(0)
        await lines.nth(3).click()
        await expect(page.locator(".record pre")).to_contain_text('"kind": "asked"')
        await page.get_by_role("button", name="After").click()
        await expect(lines.first).to_contain_text("51")
        await page.get_by_role("searchbox", name="Search the record").fill("hana has answered")
        await expect(lines).to_have_count(7)
        await expect(page.get_by_text("1 to 7 of 7 matches")).to_be_visible()
        assert await visit.eye() == []


async def test_the_pictures_of_20_rounds_show_who_moved(stage: Stage) -> None:
    debate = await stage.ended(brief(8, 20), stage.lend(Crowd()))
    async with stage.visit(reduced_motion=True) as visit:
        await visit.go(f"/d/{debate}?tab=stances")
        await shows_who_moved(visit, WIDE, "light")
        await shows_who_moved(visit, NARROW, "dark")


async def shows_who_moved(visit: Visit, width: int, scheme: Scheme) -> None:
    page = visit.page
    await visit.fit(width, scheme)
    await expect(page.locator(".flow .dot")).to_have_count(5)
    seats = await page.locator(".flow .seat").evaluate_all("all => all.map(each => +each.getAttribute('width'))")
    columns = await page.locator(".flow .seat").evaluate_all(
        "all => [...new Set(all.map(each => +each.getAttribute('x')))].sort((one, other) => one - other)"
    )
    assert len(columns) == 22
    assert columns[1] - columns[0] > 1.8 * seats[0], "between two rounds there is room for the bands"
    letters = await page.locator(".flow .in").first.evaluate("each => each.getBoundingClientRect().height")
    assert letters > 9, "the words are not drawn smaller than those of the page"
    await expect(page.locator(".flow .dot title")).to_have_count(5)
    await expect(page.locator(".flow .at")).to_have_count(0)  # the names of turns would lie on those of people
    await expect(page.get_by_role("heading", name="Who changed their mind, and why")).to_be_visible()
    await expect(page.locator("#panel .moves li")).to_have_count(5)
    await expect(page.locator(".ticks .gave")).to_have_count(176)
    await expect(page.locator(".ticks .gave.changed")).to_have_count(5)
    assert await page.evaluate("document.documentElement.scrollWidth") <= width
    assert await visit.eye() == []


async def test_the_tables_of_20_rounds_fit_a_window(stage: Stage) -> None:
    debate = await stage.once(brief(8, 20), Crowd())
    async with stage.visit() as visit:
        for tab in ("stances", "cost"):
            page = await visit.go(f"/d/{debate}?tab={tab}")
            place = page.locator(".panel .scrollx").filter(has=page.locator("table"))
            await expect(place.locator("th").filter(has_text=re.compile("^20$"))).to_be_visible()
            assert await place.evaluate("each => each.scrollWidth - each.clientWidth") <= 0, tab


async def test_of_many_changes_the_newest_are_shown_first(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MOVES, "Dee", "020202")
    debate = await stage.ended(brief(), stage.lend(Crowd()))
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}?tab=stances")
        moves = page.locator("#panel .moves li")
        await expect(moves).to_have_count(6)
        newest = await moves.last.inner_text()
        await page.get_by_role("button", name=re.compile(r"Show \d+ earlier changes")).click()
        await expect(moves).to_have_count(10)
        assert await moves.last.inner_text() == newest


async def test_the_names_of_the_lanes_stay_in_sight_where_the_map_scrolls(stage: Stage) -> None:
    debate = await stage.once(brief(), Crowd())
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}?tab=map")
        for _ in range(4):
            await page.get_by_role("button", name="Larger").click()
        board = page.get_by_role("region", name="The board")
        await board.evaluate("each => each.scrollTo(each.scrollWidth, 0)")
        assert await board.evaluate("each => each.scrollLeft") > 200
        await expect(page.locator(".lane .name").first).to_be_in_viewport(ratio=0.5)
        await expect(
            page.locator(".board .head").get_by_role("button", name=re.compile(r"^Round 2 \d+ claims?$"))
        ).to_have_count(1)


async def test_the_map_counts_the_same_attacks_everywhere(stage: Stage) -> None:
    debate = await stage.once(brief(), Crowd())
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}?tab=map")
        check = await page.locator(".mapbar .only").inner_text()
        of_lanes = [
            int(number)
            for text in await page.locator(".lane .name small").all_inner_texts()
            for number in re.findall(r"(\d+) attack", text)
        ]
        assert sum(of_lanes) == int(re.findall(r"\((\d+)\)", check)[0]) > 0


async def test_who_opens_a_debate_that_runs_sees_its_newest_words(stage: Stage) -> None:
    halting = Halting(30)
    debate = await stage.begin(brief(), stage.lend(halting))
    async with stage.visit() as visit:
        for width in (WIDE, NARROW):
            await visit.fit(width)
            page = await visit.go(f"/d/{debate}")
            await stage.watched(debate)
            newest = page.get_by_role("article", name=re.compile("T31,"))
            await expect(newest).to_contain_text("is thinking")
            await expect(newest).to_be_in_viewport()
            await expect(page.locator(".moved").first).to_have_text(re.compile("^[A-C] → [A-C] changed their answer$"))
            link = page.get_by_role("article", name=re.compile("T25,")).locator(".link").first
            await expect(link).to_have_text(re.compile(r"\w+ Bo: “.+” T17"))
        halting.go.set()
        await stage.site.runner.wait(debate)


async def test_who_lost_is_named_once_and_with_the_reason_that_was_given(stage: Stage) -> None:
    plain, reasoned = await stage.once(brief(), Crowd()), await stage.once(example("architecture-review"))
    async with stage.visit() as visit:
        card = (await visit.go(f"/d/{plain}")).get_by_role("region", name="Decision")
        await expect(card.get_by_text("Minority answer: Four days (Dee and Fay)")).to_be_visible()
        await expect(card.get_by_text("Dissent:")).to_have_count(0)
        card = (await visit.go(f"/d/{reasoned}")).get_by_role("region", name="Decision")
        await expect(card.get_by_text("Dissent: Security for audit log with outbox: It quotes")).to_be_visible()


async def test_a_tie_shows_its_answers_side_by_side(stage: Stage) -> None:
    choices = (("Ada", "Monday"), ("Ben", "Tuesday"))
    tie = Voice("guest:tie", "ANSWER: {}\nCONFIDENCE: 0.6\nARGUMENT: It suits my customers.", by=choices)
    debate = await stage.ended(DAYS, stage.lend(tie))
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}")
        card = page.get_by_role("region", name="Decision")
        await expect(card.get_by_role("heading", level=2)).to_have_text("Tie")
        sides = card.get_by_role("list", name="The answers given").get_by_role("listitem")
        await expect(sides).to_have_count(3)
        tops = await sides.evaluate_all("all => all.slice(0, 2).map(each => each.getBoundingClientRect().top)")
        assert tops[0] == tops[1]
        await expect(card.locator(".how")).to_have_text("Monday, Tuesday and Friday have 1 each")
        await expect(page.locator(".status")).to_contain_text("5.4 M tokens")
        assert await visit.eye() == []


async def test_where_no_vote_could_be_read_the_card_says_whose_and_shows_the_words(stage: Stage) -> None:
    debate = await stage.ended(DAYS, stage.lend(Voice("guest:mumble", "The weather is fine.")))
    async with stage.visit(width=NARROW, scheme="dark") as visit:
        page = await visit.go(f"/d/{debate}")
        card = page.get_by_role("region", name="Decision")
        await expect(card.get_by_role("heading", level=2)).to_have_text("No decision")
        lost = card.locator(".uncounted li")
        await expect(lost).to_have_count(3)
        await expect(lost.first).to_contain_text("not readable")
        remark = "not readable"
        await expect(page.get_by_role("article", name=re.compile("T4,"))).to_contain_text(remark)
        await lost.first.get_by_role("button").click()
        await expect(page.get_by_role("article", name=re.compile("T4, Ada"))).to_be_in_viewport()
        assert await visit.eye() == []


async def test_a_pause_at_a_limit_is_told_once_with_one_main_action(stage: Stage) -> None:
    debate = await stage.ended(DAYS.replace("protocol: panel", "protocol: panel\nlimits: {asks: 2}"))
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}")
        head = page.locator(".dhead")
        await expect(head.get_by_text("the limit of 2 questions is reached")).to_have_count(1)
        await expect(head.locator("button.main")).to_have_text(["Resume with twice that limit"])


async def test_ratings_and_calibration_have_pictures_that_can_be_read(stage: Stage) -> None:
    answer = "ANSWER: {}\nCONFIDENCE: 0.8\nARGUMENT: The background says so."
    one = stage.lend(Voice("guest:sure", answer, by=(("Ann", "Yes"),)))
    other = stage.lend(Voice("guest:doubt", answer, by=(("Bob", "No"),)))
    async with stage.visit(reduced_motion=True) as visit:
        for n, width in enumerate((WIDE, NARROW)):
            await visit.fit(width)
            debate = await stage.ended(SUPPLIER.format(n=n, one=one, other=other), one)
            page = await visit.go(f"/d/{debate}")
            await page.get_by_text("More", exact=True).click()
            await page.get_by_label("The right answer").fill("Yes")
            await page.get_by_role("button", name="Save").click()
            await expect(page.get_by_role("status").filter(has_text="Saved")).to_be_visible()
        await visit.go("/ratings")
        await can_be_read(visit, NARROW, "light")
        await can_be_read(visit, WIDE, "dark")


async def can_be_read(visit: Visit, width: int, scheme: Scheme) -> None:
    page = visit.page
    await visit.fit(width, scheme)
    picture = page.locator(".interval").last
    await expect(picture).to_have_attribute("aria-label", re.compile(r"guest:sure: 80% sure, 100% right"))
    ticks = await page.locator(".interval").first.locator("text:not(.name)").all_text_contents()
    assert ticks
    assert all(int(tick) % 10 == 0 for tick in ticks), f"an axis has round numbers: {ticks}"
    for one in await page.locator(".interval").all():
        assert await one.evaluate("each => each.getBoundingClientRect().right <= innerWidth"), (
            "it fits without scrolling"
        )
    small = await picture.locator("text").first.evaluate("each => each.getBoundingClientRect().height")
    assert small > 9
    assert await page.evaluate("document.documentElement.scrollWidth") <= width
    assert await visit.eye() == []
