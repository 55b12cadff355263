"""Measures the page of a long debate in Chromium, against limits: 504 turns of 8 people, all on record.

1. The first turn is on the screen less than 1 s after the page was asked for, server and main thread together.
2. No task of the page takes more than 200 ms.
3. A step of the slider takes less than 50 ms of the main thread.

All times are of the processor, which equals the time on the wall where the machine is idle; that is printed too. Run it
with ``make bench`` or ``python benchmarks/pages.py [--rounds 63]``; it exits with 1 if a limit is exceeded, and with 0
and a word where there is no browser.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any, cast

from playwright.async_api import CDPSession, Page

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the kit of the tests in a browser is there

from folkmoot.app.brief.reader import read_brief  # noqa: E402
from folkmoot.app.run.workspace import Plan  # noqa: E402
from folkmoot.core.brief import Limits, Participant  # noqa: E402
from folkmoot.phases.base import Rounds  # noqa: E402
from folkmoot.phases.speak import Everyone, speech  # noqa: E402
from tests.web import crowd  # noqa: E402
from tests.web.browser import Stage, needed, staged  # noqa: E402

PEOPLE = 8
MOST_FIRST, MOST_TASK, MOST_STEP = 1000.0, 200.0, 50.0
"""Milliseconds to the first turn, of one task, and of the main thread for a step of the slider."""

STEPS, TIMES, SETTLED = 40, 5, 1500
"""Steps of the slider; how often the page is opened; milliseconds in which it loads what it shows late."""

TRACED: Sequence[str] = ("toplevel", "devtools.timeline")

WATCH = """
new MutationObserver((_, observer) => {
  if (!document.querySelector("article.turn")) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => { window.first = performance.now(); }));
}).observe(document, { childList: true, subtree: true });
"""
"""Notes when the first turn of a page is painted."""

STEP = """(each, at) => new Promise(done => {
  each.value = at;
  each.dispatchEvent(new Event("input", { bubbles: true }));
  requestAnimationFrame(() => setTimeout(done));
})"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What was measured, in milliseconds.

    Attributes:
        first: to the first turn, of each visit: of server and page, and on the wall.
        steps: the main thread's time for each step of the slider.
        tasks: the longest task while the page loads, and while the slider moves.
    """

    first: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    steps: list[float] = field(default_factory=list[float])
    tasks: list[float] = field(default_factory=list[float])


async def hold(stage: Stage, rounds: int) -> str:
    """Hold a debate of so many rounds in which everybody speaks; its id."""
    workspace = stage.site.workspace
    name = stage.lend(crowd.Crowd())
    brief = read_brief(crowd.brief(PEOPLE)).brief
    people = tuple(Participant(name=person.name, role=person.role, seat=name) for person in brief.participants)
    everyone = Everyone(act="argue", task="Round {round}: you have the floor.", form=speech(crowd.OPTIONS))
    long = Limits(asks=PEOPLE * rounds)
    plan = Plan(
        brief=replace(brief, participants=people, limits=long),
        name="long",
        protocol=Rounds(each=everyone, most=rounds),
    )
    await workspace.run(plan, "long")
    return "long"


async def cpu(session: CDPSession) -> float:
    """Milliseconds that the main thread has worked."""
    answer = cast("dict[str, list[dict[str, Any]]]", await send(session, "Performance.getMetrics"))
    return 1000 * next(metric["value"] for metric in answer["metrics"] if metric["name"] == "TaskDuration")


async def send(session: CDPSession, method: str, **values: object) -> object:
    """Ask Chromium's debugger for something."""
    return cast("object", await session.send(method, values))  # pyright: ignore[reportUnknownMemberType]


def longest(trace: bytes) -> float:
    """Milliseconds of the processor that the longest task of a page's main thread took."""
    events: list[dict[str, Any]] = json.loads(trace)["traceEvents"]
    main_threads = {
        (event["pid"], event["tid"]) for event in events if event.get("args", {}).get("name") == "CrRendererMain"
    }
    times = [
        event.get("tdur", 0)
        for event in events
        if event["name"].endswith("RunTask") and (event["pid"], event["tid"]) in main_threads
    ]
    return max(times, default=0) / 1000


async def slide(page: Page, session: CDPSession) -> list[float]:
    """Move the slider to and fro; the time of each step."""
    slider = await page.get_by_label("Entry").element_handle()
    last = int(await slider.get_attribute("max") or 1)
    steps: list[float] = []
    for n in range(STEPS):
        before = await cpu(session)
        await slider.evaluate(STEP, str(last * (n * 7 % STEPS + 1) // STEPS))
        steps.append(await cpu(session) - before)
    return steps


async def visited(stage: Stage, debate: str, figures: Figures) -> None:
    """Open the page, and note when its first turn is there; the last time, move its slider."""
    async with stage.visit() as visit:
        await visit.context.add_init_script(WATCH)
        session = await visit.context.new_cdp_session(visit.page)
        await send(session, "Performance.enable", timeDomain="threadTicks")
        before = time.process_time()
        page = await visit.go(f"/d/{debate}")
        await page.locator("article.turn").first.wait_for()
        used = (time.process_time() - before) * 1000 + await cpu(session)
        await page.wait_for_load_state("networkidle")
        await page.wait_for_timeout(SETTLED)
        figures.first.append((used, float(await page.evaluate("window.first"))))
        if len(figures.first) == TIMES:
            figures.steps.extend(await slide(page, session))


async def traced(stage: Stage, debate: str, figures: Figures) -> None:
    """Open the page and move its slider again, and note the longest task of each."""
    async with stage.visit() as visit:
        session = await visit.context.new_cdp_session(visit.page)
        await send(session, "Performance.enable", timeDomain="threadTicks")
        await stage.browser.start_tracing(page=visit.page, categories=[*TRACED])
        page = await visit.go(f"/d/{debate}")
        await page.locator("article.turn").first.wait_for()
        await page.wait_for_load_state("networkidle")
        await page.wait_for_timeout(SETTLED)
        figures.tasks.append(longest(await stage.browser.stop_tracing()))
        await slide(page, session)  # what the debugger itself has to load is loaded now
        await stage.browser.start_tracing(page=page, categories=[*TRACED])
        await slide(page, session)
        figures.tasks.append(longest(await stage.browser.stop_tracing()))


def print_figure(what: str, value: float, limit: float) -> bool:
    """Print a line; whether its limit holds."""
    print(f"  {what:<52} {value:8.0f} {limit:8.0f}")
    return value < limit


async def main(rounds: int) -> int:
    """Measure; 1 where a limit is exceeded."""
    if why := needed():
        print(f"not measured: {why}")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        async with staged(Path(folder)) as stage:
            debate, figures = await hold(stage, rounds), Figures()
            for _ in range(TIMES):
                await visited(stage, debate, figures)
            await traced(stage, debate, figures)
    print(f"{PEOPLE * rounds} turns; milliseconds{'':34} measured    limit")
    within_limits = [
        print_figure(
            "to the first turn on the screen, in the middle", median(used for used, _ in figures.first), MOST_FIRST
        ),
        print_figure("the longest task while it loads", figures.tasks[0], MOST_TASK),
        print_figure("a step of the slider, main thread, in the middle", median(figures.steps), MOST_STEP),
        print_figure("the longest task while the slider moves", figures.tasks[1], MOST_TASK),
    ]
    print(f"  the slowest step of the slider: {max(figures.steps):.0f}")
    print(f"  to the first turn on the wall, in the middle: {median(wall for _, wall in figures.first):.0f}")
    return 0 if all(within_limits) else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measures the page of a long debate in Chromium.")
    parser.add_argument("--rounds", type=int, default=63)
    sys.exit(asyncio.run(main(parser.parse_args().rounds)))
