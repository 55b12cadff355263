"""Files on the pages, in a browser: pictures of a new debate, documents that have changed, findings of a review."""

import json
import re
import signal
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.async_api import expect

from folkmoot.app.run.outcome import opening
from tests.app.serve.serve_kit import running
from tests.cli.commands import QUOTES, folkmoot
from tests.kits.pictures import png
from tests.web.browser import Stage

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_pictures_go_along_with_a_new_debate(stage: Stage, tmp_path: Path) -> None:
    for name, data in (("chart.png", png(640, 480)), ("other.png", png()), ("words.png", b"no picture")):
        (tmp_path / name).write_bytes(data)
    async with stage.visit(expected_errors=["422"]) as visit:
        page = await visit.go("/new")
        chosen = page.get_by_label("Documents for all")
        await chosen.set_input_files([tmp_path / name for name in ("chart.png", "other.png", "words.png")])
        listed = page.locator(".files > p")
        await expect(listed).to_have_count(3)
        await expect(listed.first).to_contain_text("chart.png, 2 kB")
        await page.get_by_role("button", name="Remove other.png").click()
        assert await visit.eye() == []
        await page.get_by_role("button", name="Start the debate").click()
        await expect(page.get_by_role("alert")).to_contain_text("'words.png' is no picture and no PDF")
        await page.get_by_role("button", name="Remove words.png").click()
        await page.get_by_role("button", name="Start the debate").click()
        await page.wait_for_url(lambda url: "/d/" in url)
        debate = page.url.rpartition("/d/")[2]
        await stage.site.runner.wait(debate)
        brief = opening(debate, await stage.site.workspace.entries(debate)).brief
        assert [(source.name, source.file.width) for source in brief.background if source.file] == [("chart.png", 640)]
        await chosen_too_many(stage, tmp_path)


DROP = """([name, text]) => {
  const moved = new DataTransfer();
  moved.items.add(new File([text], name));
  window.dispatchEvent(new DragEvent("drop", { dataTransfer: moved, bubbles: true, cancelable: true }));
}"""
"""Drop a file on the page."""


async def test_documents_that_are_dropped_are_background_and_a_brief_can_be_undone(stage: Stage) -> None:
    async with stage.visit() as visit:
        page = await visit.go("/new")
        question = page.get_by_role("textbox", name="What should they debate?")
        await question.fill("Fix the boat?")
        for name, text in (("costs.csv", "part,euros\nhull,900\n"), ("boat.md", "# The boat\n\nIt leaks.\n")):
            await page.evaluate(DROP, [name, text])
        await expect(page.locator(".files > p")).to_have_count(2)
        await expect(question).to_have_value("Fix the boat?")
        await page.evaluate(DROP, ["brief.md", "---\nprotocol: single\n---\n# Another question?\n"])
        await page.get_by_role("button", name="Use it as the brief").click()
        await expect(question).to_have_value(re.compile("Another question"))
        await page.get_by_role("button", name="Undo").click()
        await expect(question).to_have_value("Fix the boat?")
        await expect(page.locator(".files > p")).to_have_count(2)
        await page.get_by_role("button", name="Start the debate").click()
        await page.wait_for_url(lambda url: "/d/" in url)
        debate = page.url.rpartition("/d/")[2]
        await stage.site.runner.wait(debate)
        brief = opening(debate, await stage.site.workspace.entries(debate)).brief
        assert {source.name: source.text for source in brief.background if source.name != "brief.md"} == {
            "costs.csv": "part,euros\nhull,900\n",
            "boat.md": "# The boat\n\nIt leaks.\n",
        }


async def chosen_too_many(stage: Stage, folder: Path) -> None:
    async with stage.visit() as visit:
        page = await visit.go("/new")
        files = [folder / f"{number}.png" for number in range(9)]
        for file in files:
            file.write_bytes(png())
        await page.get_by_label("Documents for all").set_input_files(files)
        await expect(page.get_by_role("alert")).to_contain_text("At most 8 documents can be sent.")
        await expect(page.locator(".files > p:not(.trouble)")).to_have_count(0)


@pytest.fixture
def decided(tmp_path: Path) -> list[str]:
    """The ids of a debate about a document that has changed since, and of a review."""
    (tmp_path / "move.md").write_text("---\nbackground: [plan.md]\n---\n# Move?\n\nThe lease ends in May.\n")
    (tmp_path / "plan.md").write_text("Lyon is near.\n")
    (tmp_path / "pager.py").write_text("def run(text):\n    return eval(text)\n")
    folkmoot(tmp_path, "run", "move.md", *QUOTES)
    folkmoot(tmp_path, "review", "pager.py", *QUOTES)
    (tmp_path / "plan.md").write_text("Lyon is far.\n")
    return [row["debate"] for row in reversed(json.loads(folkmoot(tmp_path, "list", "--json").stdout))]


async def test_a_changed_document_and_the_findings_of_a_review_stand_on_their_pages(
    stage: Stage, tmp_path: Path, decided: list[str]
) -> None:
    debate, review = decided
    settings = tmp_path / "config" / "folkmoot" / "folkmoot.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f"[serve]\ndocuments = '{tmp_path}'\n")
    with running(tmp_path) as server:
        async with stage.visit(session=False) as visit:
            visit.own |= {urlsplit(server.link).netloc}
            page, base = visit.page, server.link.partition("/?")[0]
            await page.goto(server.link)
            await page.goto(f"{base}/d/{debate}")
            banner = page.get_by_role("status").filter(has_text="This is about the documents as they were")
            await expect(banner).to_contain_text("changed since: plan.md")
            await page.goto(f"{base}/d/{review}")
            card = page.locator(".findings")
            await expect(card).to_contain_text("pager.py:2")
            await expect(card).to_contain_text("text is run as a program")
            assert await visit.eye() == []
        assert server.end(signal.SIGINT) == 0
