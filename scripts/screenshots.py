"""Takes screenshots of every page of the web app, at two widths, light and dark: ``make screenshots``.

It runs debates with the built-in model, opens each page in the system's Chromium and writes ``build/screenshots/``. With
``--doors`` it writes only the three pictures of the front page of the documentation, into ``docs/pictures/``.
"""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from PIL import Image
from playwright.async_api import FloatRect, Page

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the kit of the tests in a browser is there

from folkmoot.app.brief.presets import Preset  # noqa: E402
from folkmoot.app.evaluation.folder import note_folder, save_result, stored_evaluations  # noqa: E402
from folkmoot.app.plan.settings import lock_place  # noqa: E402
from folkmoot.app.review.review_start import ReviewRequest, review_brief  # noqa: E402
from folkmoot.app.review.subject import artefact_of_files  # noqa: E402
from folkmoot.app.run.prepare import Overrides, prepare  # noqa: E402
from folkmoot.app.run.start import run_start  # noqa: E402
from folkmoot.reviews.diff_reader import files_of, read_diff  # noqa: E402
from tests.app.evaluation.prepared import credits, result  # noqa: E402
from tests.web.browser import NARROW, WIDE, Scheme, Slow, Stage, Visit, example, needed, staged  # noqa: E402
from tests.web.crowd import Crowd, brief  # noqa: E402
from tests.web.web_kit import until  # noqa: E402

OUT = ROOT / "build/screenshots"
PERSON = """---
topic: Where should the playground be built?
protocol: council
rounds: 1
---

The council has 40,000 euros and two places: the park by the river, and the yard of the old school.

## Ada (human)
role: Lives beside the park
deadline: 2d

## Ben
role: Pays for the upkeep

## Cy
role: Speaks for the children
"""
SAID = (
    "ANSWER: Build\nCONFIDENCE: 0.7\nARGUMENT: What is billed by usage is what we know best, and every month in which "
)
TABS = ("talk", "people", "map", "votes", "stances", "trace", "brief", "analysis", "cost", "ratings", "record")
LONG_TABS = ("talk", "map", "votes", "stances", "trace", "analysis", "cost")
"""What is looked at of a debate of 20 rounds."""

PAUSED = "---\nprotocol: panel\nlimits: {asks: 2}\n---\n# Which day is the market?\n\nThe square is free on Friday.\n"
PRESSED: Mapping[str, tuple[str, str]] = {
    "map-path": ("debate-map", ".card >> nth=6 >> visible=true"),
    "map-outline": ("debate-map", ".seg button >> text=Outline"),
    "map-both": ("debate-map", ".seg button >> text=Both"),
    "trace-call": ("debate-trace", ".call >> nth=9"),
    "fork-form": ("panel", "text=Fork here"),
    "receipt": ("debate-record", "text=Show the receipt"),
    "verified": ("debate-record", "text=Verify the record"),
    "memory-open": ("memory", "text=Show all that was learned"),
    "brief-open": ("person", "text=The brief: question"),
}
"""What a press shows: the page, and what is pressed."""

TALLEST = 3200
HIDDEN = """() => Math.max(0, ...[...document.querySelectorAll("*")]
  .filter(each => /auto|scroll/.test(getComputedStyle(each).overflowY) && each.clientHeight > 100)
  .map(each => each.scrollHeight - each.clientHeight))"""
"""How many pixels of a page are out of sight in a part that scrolls by itself."""


async def hold(stage: Stage) -> dict[str, str]:
    """The debates that are shown: their pages by name."""
    slow = Slow(lambda request: SAID)
    preset = Preset(name="demo", models=("builtin:quotes", "guest:nobody"))
    stage.site.runner.config = replace(stage.site.runner.config, presets={"demo": preset})
    over = await stage.ended(brief(), stage.lend(Crowd()))
    demo = await stage.ended(example("architecture-review"))
    panel = await stage.ended(example("build-or-buy"))
    waits = await stage.begin(PERSON)
    long = await stage.ended(brief(8, 20), stage.lend(Crowd()))
    paused = await stage.ended(PAUSED)
    runs = await stage.begin(example("build-or-buy"), stage.lend(slow))
    await until(lambda: stage.site.workspace.count_entries(waits))
    paths = {"home": "/", "new": "/new", "compare-choose": "/compare", "compare": f"/compare?a={over}&b={panel}"}
    paths |= {"demo": f"/d/{demo}", "report": f"/api/v1/debates/{over}/report.html"}
    paths |= {"ratings": "/ratings", "memory": "/memory", "evaluations": "/evaluations"}
    paths |= {"scoreboard": await scoreboard(stage), "memo": f"/api/v1/debates/{over}/report.memo", "models": "/models"}
    paths |= {"person": f"/d/{waits}", "running": f"/d/{runs}"}
    paths |= {f"debate-{tab}": f"/d/{over}?tab={tab}" for tab in TABS}
    paths |= {f"long-{tab}": f"/d/{long}?tab={tab}" for tab in LONG_TABS}
    return paths | {
        "paused": f"/d/{paused}",
        "nowhere": "/nowhere",
        "panel": f"/d/{panel}",
        "replay": f"/d/{over}?at=30&tab=map",
        "panel-stances": f"/d/{panel}?tab=stances",
    }


async def scoreboard(stage: Stage) -> str:
    """The page of an evaluation with made-up scores."""
    place = lock_place(stage.site.workspace.store)
    folder = Path(place).parent / "billing-eval"
    save_result(folder, result(credits(40, uniform=(9, 2), adaptive=(5, 2))))
    note_folder(place, folder)
    known = stored_evaluations(place, folder)
    return f"/evaluations?of={known[0].id}"


async def take(page: Page, path: Path) -> None:
    """A picture of the page as it stands, once nothing moves."""
    await page.wait_for_load_state("networkidle")
    await page.evaluate("document.fonts.ready")
    await page.wait_for_timeout(250)
    size = page.viewport_size or {"width": WIDE, "height": 800}
    hidden = min(await page.evaluate(HIDDEN), TALLEST)
    if hidden:
        await page.set_viewport_size({"width": size["width"], "height": size["height"] + hidden})
    await page.screenshot(path=path, full_page=True, animations="disabled")
    await page.set_viewport_size(size)
    print(path.relative_to(ROOT))


async def press(visit: Visit, pages: dict[str, str], file: Callable[[str], Path]) -> None:
    """Pictures of what a press shows."""
    for name, (under, selector) in PRESSED.items():
        page = await visit.go(pages[under])
        width = (page.viewport_size or {"width": WIDE})["width"]
        if width == WIDE or not name.startswith("map-"):  # a phone begins with the outline
            await page.locator(selector).first.click()
            await take(page, file(name))


async def picture(stage: Stage, pages: dict[str, str], width: int, scheme: Scheme) -> None:
    """Pictures of all pages in one width and scheme."""

    def file(name: str) -> Path:
        return OUT / f"{name}-{width}-{scheme}.png"

    async with stage.visit(width=width, scheme=scheme, reduced_motion=True, expected_errors=["401", "404"]) as visit:
        for name, path in pages.items():
            if width == WIDE and name == "debate-people":
                continue  # a tab of narrow windows
            await visit.go(path)
            await take(visit.page, file(name))
        await press(visit, pages, file)
        page = await visit.go("/models")
        await page.locator(".cards li").filter(has_text="demo").get_by_role("button", name="Test").click()
        await page.get_by_role("status").locator("p").first.wait_for()
        await take(page, file("models-tested"))
        page = await visit.go("/new")
        await page.get_by_role("textbox", name="What should they debate?").fill("Should we build, or buy?")
        await page.locator(".check .facts").wait_for()
        await page.get_by_text("Background, answers").click()
        await take(page, file("home-filled"))
        await visit.go(pages["panel"])
        for menu in ("Export", "Run again", "Share", "More"):
            await page.locator("summary", has_text=menu).click()
            await take(page, file(f"menu-{menu.lower()}".replace(" ", "-")))
        await page.locator("summary", has_text="Share").click()
        await page.get_by_role("button", name="Make a link").click()
        link = await page.get_by_label("The link", exact=True).input_value()
        await take(page, file("menu-share-link"))
    async with stage.visit(width=width, scheme=scheme, session=False, expected_errors=["401"]) as visit:
        await take(await visit.go("/"), file("door"))
        await take(await visit.go(link.removeprefix(stage.base)), file("guest"))


CHANGE = """\
diff --git a/src/pager.py b/src/pager.py
--- a/src/pager.py
+++ b/src/pager.py
@@ -1,2 +1,5 @@
-def first(names):
-    return names[0]
+def first(names=[]):
+    try:
+        return eval(names[0])
+    except:
+        pass
"""
DOORS: Mapping[str, str] = {"decide": "header", "review": ".findings", "measure": "header"}
"""Where each picture of the front page begins on its page."""
WIDTH, HEIGHT = 800, 500
"""The size of these pictures in pixels."""


async def doors() -> None:
    """The three pictures of the front page: a decision, a review, a measurement."""
    with tempfile.TemporaryDirectory() as folder:
        async with staged(Path(folder)) as stage:
            paths = {"decide": f"/d/{await stage.ended(example('build-or-buy'))}", "review": await reviewed(stage)}
            paths["measure"] = await scoreboard(stage)
            async with stage.visit(width=WIDTH, reduced_motion=True) as visit:
                for name, path in paths.items():
                    page = await visit.go(path)
                    await page.set_viewport_size({"width": WIDTH, "height": 3 * HEIGHT})
                    await page.wait_for_load_state("networkidle")
                    await page.wait_for_timeout(250)
                    file = ROOT / f"docs/pictures/{name}.png"
                    box = await page.locator(DOORS[name]).first.bounding_box()
                    assert box
                    clip = FloatRect(x=0, y=box["y"], width=WIDTH, height=HEIGHT)
                    await page.screenshot(path=file, clip=clip, animations="disabled")
                    # Few colours are enough for a page, and take a fraction of the bytes.
                    Image.open(file).convert("RGB").quantize(64, dither=Image.Dither.NONE).save(file, optimize=True)
                    print(f"{file.relative_to(ROOT)}: {file.stat().st_size:,} bytes")


async def reviewed(stage: Stage) -> str:
    """The page of a review of a change with faults."""
    workspace = stage.site.workspace
    request = ReviewRequest(artefact=artefact_of_files(files_of(read_diff(CHANGE)), {"kind": "diff"}))
    overrides = Overrides(models=("builtin:quotes",), protocol="findings")
    start = await prepare(workspace, review_brief(request), overrides)
    debate = workspace.new_id(start.plan)
    await run_start(workspace, start, debate)
    return f"/d/{debate}"


async def main() -> None:
    """Hold the debates and take all pictures."""
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        async with staged(Path(folder)) as stage:
            pages = await hold(stage)
            for width in (WIDE, NARROW):
                for scheme in ("light", "dark"):
                    await picture(stage, pages, width, scheme)
            for debate in stage.site.runner.running:
                stage.site.runner.stop(debate, now=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--doors", action="store_true", help="only the pictures of the front page of the documentation")
    only_doors = parser.parse_args().doors
    if why := needed():
        raise SystemExit(why)
    asyncio.run(doors() if only_doors else main())
