"""The documentation site: its navigation holds every page once; it is read and searched from files, at any width."""

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import build_site
from tests.docs.test_docs import FENCE
from tests.kits.left_out import leave_out
from tests.paths import ROOT
from tests.web.browser import FLAGS, NARROW, WIDE, chromium

DOCS = ROOT / "docs"
INDEX = DOCS / "index.md"
KINDS = ["Tutorials", "How-to guides", "Reference", "Explanation", "Design, for contributors"]
ENTRY = re.compile(r"^(?:  )?- (.*)$", re.MULTILINE)
LINK = re.compile(r"\[[^\]]+\]\((?!https?:)([^)#\s]+\.md)\)")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
UNSEEN = re.compile(
    r"\bas documented\b|\bthe document(?:'s| says| names| asks)\b|\bin the document \||\bthe specification\b"
    r"|\bsource (?:document|project|system)s?\b",
    re.IGNORECASE,
)
"""What a page says that cites a document which a reader does not have."""


def navigation(index: str) -> dict[str, list[Path]]:
    """The pages of each kind, in their order: those in lists, each beneath its heading."""
    kinds: dict[str, list[Path]] = {}
    for section in index.split("\n## ")[1:]:
        title, _, body = section.partition("\n")
        links = (target for line in ENTRY.findall(body) for target in LINK.findall(line))
        if pages := [(DOCS / target).resolve() for target in links]:
            kinds[title] = pages
    return kinds


def unseen(text: str) -> list[str]:
    """What a page cites that a reader does not have: files of the repository that are not there, other documents."""
    bare = FENCE.sub("", text)
    named = re.findall(r"`((?:docs|examples|requirements|scripts|src|tests)/[\w/.-]+\.\w+)`", bare)
    return [*(name for name in named if not (ROOT / name).exists()), *UNSEEN.findall(bare)]


def test_the_navigation_holds_every_page_once() -> None:
    kinds = navigation(INDEX.read_text("utf-8"))
    assert list(kinds) == KINDS
    pages = [page for group in kinds.values() for page in group]
    assert sorted(pages) == sorted({*pages}), "a page stands twice"
    assert [page for page in pages if not page.is_file()] == []
    assert {*DOCS.rglob("*.md")} - {*pages, INDEX} == set()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_page_cites_what_readers_do_not_have(path: Path) -> None:
    assert unseen(path.read_text("utf-8")) == []


def test_what_readers_do_not_have_is_found() -> None:
    assert unseen("See `docs/no-such-page.md`.") == ["docs/no-such-page.md"]
    assert unseen("| state in the document | on record |") == ["in the document |"]
    assert unseen("The keys are as documented. It follows the specification.") == ["as documented", "the specification"]
    assert unseen("See `docs/index.md`; the document contains those words.\n```text\nas documented\n```\n") == []


def test_a_page_that_stands_twice_or_nowhere_is_seen() -> None:
    index = "# D\n\nWords [out](of.md).\n\n## A\n\n- [One](how-to/one.md): [two](two.md)\n  - [Three](three.md)\n"
    assert navigation(index) == {"A": [DOCS / "how-to/one.md", DOCS / "two.md", DOCS / "three.md"]}


# ---- the site itself -------------------------------------------------------------------------------------------------

SITE = ROOT / "build" / "site"
"""Where `make site` builds it; whoever runs all tests finds it there."""


@pytest.fixture
def sphinx() -> None:
    """Skip a test where what builds the site is not installed."""
    if not all(map(importlib.util.find_spec, ("furo", "mermaidx", "myst_parser"))):
        leave_out("NO SPHINX: what builds the site is not installed; install it with: make site")


@pytest.mark.system
@pytest.mark.usefixtures("sphinx")
async def test_the_site_is_built_and_read_and_searched_from_files() -> None:
    if not chromium():
        leave_out("NO BROWSER: the site is opened in Chromium; Debian: apt install chromium")
    command = [sys.executable, ROOT / "scripts/build_site.py"]
    ran = subprocess.run(command, capture_output=True, text=True)  # noqa: ASYNC221 - nothing else runs meanwhile
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == f"Open {SITE / 'index.html'}\n"
    shows_signatures_examples_diagrams_and_briefs(SITE)
    await is_read_and_searched(SITE)


def shows_signatures_examples_diagrams_and_briefs(site: Path) -> None:
    """Assert what pages of each kind show."""
    council = (site / "docs/reference/python/council.html").read_text("utf-8")
    assert 'id="folkmoot.council.Council"' in council
    assert ">error_strategy<" in council
    assert "Build it: we know our routes." in council
    assert "<svg" in (site / "docs/phases/2-rounds.html").read_text("utf-8")
    assert "Bull" in (site / "examples/investment.html").read_text("utf-8")


async def is_read_and_searched(site: Path) -> None:
    """Assert that a browser finds pages by their words, that all fit at two widths, and that no other host is asked."""
    from playwright.async_api import async_playwright, expect

    front = site / "index.html"  # It leads on to the first page at once.
    pages = sorted({*site.glob("**/*.html")} - {front})  # noqa: ASYNC240 - nothing else runs meanwhile
    assert len(pages) > 90
    foreign: list[str] = []
    errors: list[str] = []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        page = await browser.new_page()
        page.set_default_timeout(120_000)
        page.on("request", lambda request: None if is_own(request.url) else foreign.append(request.url))
        page.on("console", lambda line: errors.append(line.text) if line.type in ("error", "warning") else None)
        await page.goto(front.as_uri())
        await page.wait_for_url("**/docs/index.html")
        await expect(page.get_by_role("heading", level=1)).to_contain_text("Folkmoot")
        await page.get_by_placeholder("Search").first.fill("idempotency")
        await page.keyboard.press("Enter")
        await page.locator("#search-results").get_by_role("link", name="HTTP API", exact=True).click()
        await page.wait_for_url("**/docs/reference/http-api.html*")
        await page.get_by_role("link", name="POST /api/v1/debates/{debate}/fork").click()
        await page.wait_for_url("**#fork-debate")
        for path in pages:
            await page.goto(path.as_uri())
            for width in (WIDE, NARROW):
                await page.set_viewport_size({"width": width, "height": 800})
                over = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
                assert over <= 0, f"{path.name} is wider than {width} by {over}"
        await browser.close()
    assert (foreign, errors) == ([], [])


def is_own(url: str) -> bool:
    """Whether an address is a file or data."""
    return url.startswith(("file:", "data:"))


TWO = "# Two\n\n## There\n"


@pytest.mark.system
@pytest.mark.usefixtures("sphinx")
@pytest.mark.parametrize(
    ("link", "wrong"), [("two.md#there", ""), ("two.md#nowhere", "nowhere"), ("three.md", "three")]
)
def test_a_link_that_leads_nowhere_fails_the_build(
    link: str, wrong: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(ROOT / "scripts/site", tmp_path / "scripts/site")
    index = f"# D\n\n## A\n\n- [Two](two.md)\n- [Examples](../examples/README.md)\n\n[x]({link})\n"
    for name, text in {"docs/index.md": index, "docs/two.md": TWO, "examples/README.md": "# Examples\n"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    assert bool(build_site.build(tmp_path, tmp_path / "build/site")) == bool(wrong)
    assert wrong in capfd.readouterr().err
