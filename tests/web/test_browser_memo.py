"""The memo in a real browser: one printed page in its widest font, nothing cut off, no sideways overflow."""

from collections.abc import AsyncGenerator
from io import BytesIO
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import expect
from pypdf import PdfReader

from folkmoot.app.export.paper import memo
from folkmoot.app.export.reports import make_report
from tests.report import memo_debates as debates
from tests.web.browser import NARROW, WIDE, Stage, Visit, example

pytestmark = pytest.mark.asyncio(loop_scope="session")

MADE = {
    "small": debates.small,
    "large": debates.large,
    "tie": debates.tie,
    "failed": debates.failed,
    "latin": lambda: debates.at_limits(debates.LATIN),
    "chinese": lambda: debates.at_limits(debates.CJK),
    "one word": lambda: debates.at_limits(debates.ENDLESS),
}
WIDEST = "<style>.memo, .memo * { font-family: 'DejaVu Sans' !important }</style>"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def visit(stage: Stage) -> AsyncGenerator[Visit]:
    """A window for all memos, one after the other."""
    async with stage.visit() as opened:
        yield opened


@pytest.mark.parametrize("name", MADE)
async def test_the_memo_prints_as_one_page_in_the_widest_font(visit: Visit, name: str, tmp_path: Path) -> None:
    record = make_report(MADE[name](), debate=f"{name.replace(' ', '-')}-3f2a1c", where="", last="{}")
    file = tmp_path / "memo.html"
    file.write_text(memo(record).replace("</head>", f"{WIDEST}</head>"), encoding="utf-8")
    page = visit.page
    await page.goto(file.as_uri())
    for size in ("A4", "Letter"):
        printed = PdfReader(BytesIO(await page.pdf(format=size))).pages
        assert len(printed) == 1, size
        assert "Decision memo" in printed[0].extract_text()
    for width in (WIDE, NARROW):
        await page.set_viewport_size({"width": width, "height": 844})
        assert await page.evaluate("document.documentElement.scrollWidth") <= width
        assert await visit.eye() == []


@pytest.mark.parametrize("name", ["board-medical", "build-or-buy"])
async def test_a_report_with_tables_is_as_wide_as_a_phone(stage: Stage, name: str) -> None:
    debate = await stage.ended(example(name))
    async with stage.visit(width=NARROW) as visit:
        page = await visit.go(f"/api/v1/debates/{debate}/report.html")
        await expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert await page.evaluate("document.documentElement.scrollWidth") <= NARROW
