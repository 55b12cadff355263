"""People at the pages, in a real browser: forms, votes, deadlines, links that were shared, and no session."""

import re

import pytest
from playwright.async_api import Page, expect

from tests.web.browser import Slow, Stage
from tests.web.web_kit import until

pytestmark = pytest.mark.asyncio(loop_scope="session")

VOTE = """---
topic: Tea or coffee?
protocol: council
rounds: 1
---

Tea is calm. Coffee is quick.

## Ada (human)
role: Guest
{more}
## Ben
role: Host
"""


async def say(page: Page, words: str) -> None:
    """Answer in free words."""
    await page.get_by_label("In your words").fill(words)
    await page.get_by_role("button", name="Answer", exact=True).click()


async def test_a_person_speaks_and_votes(stage: Stage) -> None:
    debate = await stage.begin(VOTE.format(more=""))
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}")
        await expect(page.get_by_role("form", name="Your turn as Ada")).to_contain_text("proposal")
        assert await page.title() == "● Your turn, Ada"
        await expect(page.get_by_role("listitem").filter(has_text="Ada").first).to_contain_text("hasn't answered yet")
        await page.get_by_role("button", name="Answer", exact=True).click()  # nothing was written
        await expect(page.get_by_label("In your words")).to_be_focused()
        await say(page, "**Tea**, since it is calm.")
        card = page.get_by_role("article", name=re.compile("T1, Ada"))
        await expect(card.locator("strong").last).to_have_text("Tea")
        await expect(card.locator("footer")).to_contain_text("human")
        await expect(page.get_by_role("form", name="Your turn as Ada")).to_contain_text("revision")
        shown = page.get_by_role("form", name="Your turn as Ada").locator(".laid")
        await expect(shown.first).to_be_visible()  # it is to be read, so it is open
        answer = await page.get_by_label("In your words").bounding_box()
        reading = await shown.first.bounding_box()
        assert answer
        assert reading
        assert reading["x"] + reading["width"] <= answer["x"], "what is read stands beside what is written"
        await say(page, "Tea still.")
        await expect(page.get_by_role("form", name="Your turn as Ada")).to_contain_text("vote")
        await page.get_by_role("combobox", name=re.compile("I vote for")).select_option("Proposal A")
        await page.get_by_label("Why (optional)").fill("It lets people rest.")
        await page.get_by_role("button", name="Answer", exact=True).click()
        await expect(page.locator(".state").first).to_have_text(re.compile("decided|tie|no decision"))
        await expect(page.get_by_role("form", name="Your turn as Ada")).to_have_count(0)
        await page.get_by_role("tab", name="Votes").click()
        await expect(page.get_by_role("row").filter(has_text="It lets people rest.")).to_contain_text("Ada")
        assert await page.title() == "Tea or coffee? · Folkmoot"


async def test_a_person_abstains(stage: Stage) -> None:
    debate = await stage.begin(VOTE.format(more=""))
    async with stage.visit(width=390) as visit:
        page = await visit.go(f"/d/{debate}")
        for act in ("proposal", "revision"):
            await expect(page.get_by_role("form", name="Your turn as Ada")).to_contain_text(act)
            await say(page, "I do not know.")
        await page.get_by_role("combobox", name=re.compile("I vote for")).select_option("abstain")
        await page.get_by_role("button", name="Answer", exact=True).click()
        await expect(page.locator(".state").first).to_have_text("✓ decided")
        await page.get_by_role("tab", name="Votes").click()
        await expect(page.get_by_role("row").filter(has_text="abstained")).to_contain_text("Ada")


async def test_the_time_runs_down_on_the_form(stage: Stage) -> None:
    debate = await stage.begin(VOTE.format(more="deadline: 1h\n"))
    async with stage.visit() as visit:
        await visit.page.clock.install()
        page = await visit.go(f"/d/{debate}")
        timer = page.get_by_role("timer")
        await expect(timer).to_have_text(re.compile(r"59 min \d\d? s left|1 h left"))
        await page.clock.fast_forward("59:20")
        await expect(timer).to_have_text(re.compile(r"\d+ s left"))
        await expect(timer).to_have_class(re.compile("soon"))
        await page.clock.fast_forward("01:00")
        await expect(timer).to_have_text("time's up")


async def test_when_the_time_is_up_the_debate_goes_on_without(stage: Stage) -> None:
    debate = await stage.begin(VOTE.format(more="deadline: 1s\n"))
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}")
        await expect(page.locator(".state").first).to_have_text(re.compile("decided|no decision"))
        await expect(page.get_by_role("form", name="Your turn as Ada")).to_have_count(0)
        await expect(page.get_by_role("article", name=re.compile("T1, Ada"))).to_contain_text("No answer")


async def test_a_link_to_look_on_has_no_button_of_the_owner(stage: Stage) -> None:
    slow = Slow(lambda request: "ANSWER: Tea\nCONFIDENCE: 0.5\nARGUMENT: It is calm.")
    debate = await stage.begin("# Tea or coffee?\n\nTea is calm.\n", stage.lend(slow))
    async with stage.visit() as owner, stage.visit(session=False, expected_errors=["401", "404"]) as guest:
        page = await owner.go(f"/d/{debate}")
        await page.locator("summary", has_text="Share").click()
        await page.get_by_role("button", name="Make a link").click()
        link = await page.get_by_label("The link", exact=True).input_value()
        assert link.startswith(f"{stage.base}/d/{debate}?share=")
        await expect(page.locator(".more")).to_contain_text("It only opens on this machine.")
        await expect(page.get_by_text("Read, until")).to_be_visible()
        guest_page = guest.page
        await guest_page.goto(link)
        assert "share=" not in guest_page.url
        await expect(guest_page.locator(".state").first).to_have_text("● running")
        await expect(guest_page.get_by_text("is thinking").first).to_be_visible()
        for name in ("Stop", "Add a message", "Make a link", "Resume"):
            await expect(guest_page.get_by_role("button", name=name)).to_have_count(0)
        await expect(guest_page.get_by_text("More", exact=True)).to_have_count(0)
        await guest_page.get_by_role("tab", name="Details").click()
        await expect(guest_page.get_by_role("button", name="Ratings")).to_have_count(0)
        await guest_page.get_by_role("button", name="Record").click()
        await expect(guest_page.locator(".record .n").first).to_have_text("1")
        await stage.watched(debate)
        await page.get_by_role("button", name="Revoke").click()
        await expect(guest_page.get_by_text("Open the link that folkmoot serve printed")).to_be_visible()
        slow.go()


async def test_by_a_link_answers_are_sealed_until_the_last_is_in(stage: Stage) -> None:
    debate = await stage.begin(VOTE.format(more="") + "\n## Cy\nrole: Guest of honour\n")
    async with stage.visit() as owner, stage.visit(session=False) as guest:
        page = await owner.go(f"/d/{debate}")
        await page.locator("summary", has_text="Share").click()
        await page.get_by_role("button", name="Make a link").click()
        guest_page = guest.page
        await guest_page.goto(await page.get_by_label("The link", exact=True).input_value())
        await expect(page.locator("article", has_text="Hidden until all have answered; look")).to_have_count(2)
        cards = guest_page.locator("article.turn", has_text="Hidden until all have answered")
        await expect(cards).to_have_count(2)
        for name in ("Ben", "Cy"):
            person = guest_page.locator(".people li", has_text=name)
            await expect(person).to_contain_text("hidden until everyone has replied")
            await expect(person).not_to_have_class(re.compile("speaking"))
        await expect(guest_page.locator(".people li", has_text="Ada")).to_contain_text("hasn't answered yet")
        await expect(guest_page.locator(".status")).to_contain_text(
            "0 turns; answers are hidden until everyone has replied"
        )
        await expect(guest_page.locator(".caret")).to_have_count(0)
        await expect(guest_page.get_by_text("is thinking")).to_have_count(0)
        await say(page, "Tea, I should think.")
        await expect(guest_page.get_by_role("article", name="T2, Ben").locator(".said")).to_be_visible()
        await expect(guest_page.locator(".status")).to_contain_text(
            "3 turns; answers are hidden until everyone has replied"
        )
        stage.site.runner.stop(debate, now=True)


async def test_a_link_to_take_part_is_for_one_person(stage: Stage) -> None:
    debate = await stage.begin(VOTE.format(more=""))
    async with stage.visit() as owner, stage.visit(session=False) as guest:
        page = await owner.go(f"/d/{debate}")
        await page.locator("summary", has_text="Share").click()
        await page.get_by_label("People with the link may").select_option("join")
        await page.get_by_role("combobox", name="as", exact=True).select_option("Ada")
        await page.get_by_role("button", name="Make a link").click()
        await expect(page.get_by_label("The link", exact=True)).to_be_visible()
        await guest.page.goto(await page.get_by_label("The link", exact=True).input_value())
        await expect(guest.page.get_by_role("form", name="Your turn as Ada")).to_be_visible()
        await expect(guest.page.get_by_role("button", name="Stop")).to_have_count(0)
        await say(guest.page, "Tea, I should think.")
        await expect(page.get_by_role("article", name=re.compile("T1, Ada"))).to_contain_text("I should think")
        await page.get_by_role("button", name="Stop").click()
        await expect(guest.page.locator(".state").first).to_have_text("‖ waiting for Ada")
        await until(lambda: debate not in stage.site.runner.running)


async def test_without_a_session_a_page_says_where_the_door_is(stage: Stage) -> None:
    async with stage.visit(session=False, expected_errors=["401"]) as visit:
        for path in ("/", "/d/20200101-000000-aaaaaa", "/compare", "/memory", "/models"):
            page = await visit.go(path)
            await expect(page.get_by_role("heading", name="Open the link that folkmoot serve printed")).to_have_count(1)
            assert await visit.eye() == [], path
            await expect(page.get_by_role("button", name="Start the debate")).to_have_count(0)


async def test_the_printed_link_opens_the_door_once(stage: Stage) -> None:
    async with (
        stage.visit(session=False) as visit,
        stage.visit(session=False, expected_errors=["403", "favicon"]) as late,
    ):
        link = f"{stage.base}/?token={stage.site.auth.new_link()}"
        await visit.page.goto(link)
        assert "token" not in visit.page.url
        await expect(visit.page.get_by_role("heading", name="Debates")).to_be_visible()
        await late.page.goto(link)
        await expect(late.page.get_by_role("heading", name="This link is no longer valid")).to_be_visible()
        assert await late.eye() == []


TWO = """---
topic: Tea or coffee?
protocol: council
rounds: 1
---

## Ana (human)
role: Guest

## Ben (human)
role: Host

## Cy
role: Cook
"""


async def test_what_is_half_written_survives_a_reload_and_is_forgotten_once_sent(stage: Stage) -> None:
    debate = await stage.begin(VOTE.format(more=""))
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}")
        await page.get_by_label("In your words").fill("Tea, half writ")
        await page.reload()
        await expect(page.get_by_label("In your words")).to_have_value("Tea, half writ")
        await say(page, "Tea, written out.")
        await expect(page.get_by_role("article", name=re.compile("T1, Ada"))).to_contain_text("written out")
        assert await page.evaluate("Object.keys(localStorage).filter(key => key.startsWith('folkmoot-answer'))") == []
        stage.site.runner.stop(debate, now=True)


async def test_who_is_none_of_the_people_sees_no_form_as_their_own(stage: Stage) -> None:
    debate = await stage.begin(TWO)
    async with stage.visit() as visit:
        page = await visit.go(f"/d/{debate}")
        await expect(page.get_by_role("button", name="Answer for Ana")).to_be_visible()
        await expect(page.locator("form.ask")).to_have_count(0)
        assert await visit.eye() == []
        await page.get_by_role("button", name="Answer for Ben").click()
        await expect(page.get_by_role("form", name="Answer for Ben")).to_be_visible()
        await expect(page.locator("form.ask")).to_have_count(1)
        await page.reload()
        await expect(page.get_by_role("form", name="Answer for Ben")).to_be_visible()
        stage.site.runner.stop(debate, now=True)
