"""Reports that are one file: the report to print, PDF, and the replay with everything in it."""

import json
import re
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfReader

from folkmoot.app.export import paper
from folkmoot.app.export.paper import SLOT, pdf, print_page, replay
from folkmoot.app.export.reports import ReadRecord, make_report, read_record
from folkmoot.app.run.api import debate
from folkmoot.app.run.workspace import Workspace
from folkmoot.app.serve.frames import html_page
from folkmoot.core.errors import BriefError
from folkmoot.core.event import Entry
from tests.analysis.courses import say, table
from tests.paths import EXAMPLES
from tests.report.memo_debates import tie

HOSTILE = "</script><img src=http://evil.example/x onerror=alert(1)> ![](http://evil.example/y) <!-- "


async def recorded(path: Path, brief: str) -> ReadRecord:
    came = await debate(EXAMPLES / brief, model="builtin:quotes", store=path, participants="builtin")
    workspace = Workspace.at(path)
    record = await read_record(workspace, came.debate)
    await workspace.close()
    return record


class Addresses(HTMLParser):
    """What a page would ask for by itself, and what in it could run."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.scripts: list[dict[str, str | None]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.asked += [str(values[name]) for name in ("src", "srcset", "data", "background") if name in values]
        self.asked += [str(values["href"]) for _ in "x" if tag in ("link", "use", "image") and "href" in values]
        if tag == "script":
            self.scripts.append(values)
        assert not [name for name in values if name.startswith("on")]


async def test_the_report_to_print_has_the_map_drawn(tmp_path: Path) -> None:
    record = await recorded(tmp_path / "m.db", "open-fight.md")
    page = print_page(record)
    assert page.count("<h1>") == 1
    assert '<ul class="map">' in page
    assert "\N{OBJECT REPLACEMENT CHARACTER}" not in page
    assert "mermaid" not in page
    looked = Addresses(page)
    assert not looked.asked
    assert not looked.scripts


async def test_a_pdf_has_the_words_of_the_report(tmp_path: Path) -> None:
    record = await recorded(tmp_path / "m.db", "build-or-buy.md")
    try:
        content = pdf(print_page(record))
    except BriefError:
        pytest.skip("PDF needs Pango from the system")
    pages = PdfReader(BytesIO(content)).pages
    words = " ".join(" ".join(page.extract_text() for page in pages).split())
    assert record.report.topic in words
    assert "How it was decided" in words


@pytest.mark.system
def test_a_word_that_is_wider_than_the_paper_is_broken() -> None:
    try:
        content = pdf(print_page(make_report(tie(topic="W" * 200), debate="wide", where="", last="{}")))
    except BriefError:
        pytest.skip("PDF needs Pango from the system")
    lines = [line for page in PdfReader(BytesIO(content)).pages[1:] for line in page.extract_text().split("\n")]
    title = [line for line in lines if "WWWW" in line]
    assert title
    assert all(len(line) < 60 for line in title), "it is as wide as the page"


def test_a_pdf_asks_for_nothing() -> None:
    with pytest.raises(ValueError, match="must not load"):
        paper._fetch_nothing("http://evil.example")  # pyright: ignore[reportPrivateUsage]


def entries() -> list[Entry]:
    return say(table(), "Ann", {"ANSWER": HOSTILE}, text=HOSTILE).entries


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation whose app was built: its page is a frame with a place for the data."""
    (tmp_path / "web/dist").mkdir(parents=True)
    page = tmp_path / paper.REPLAY
    page.write_text(f"<!doctype html><title>x</title>{SLOT}<script>1</script>", encoding="utf-8")

    def here(name: str) -> Path:
        return tmp_path

    monkeypatch.setattr(paper, "files", here)
    return page


@pytest.mark.usefixtures("built")
def test_the_replay_holds_the_frames_and_nothing_breaks_out_of_them() -> None:
    page = replay("d-1", entries(), {"spoken": 1})
    inlined = re.findall(r'id="frames">(.*?)</script>', page)
    assert len(inlined) == 1
    data = json.loads(inlined[0])
    assert [frame["seq"] for frame in data["frames"]] == [1, 2, 3]
    assert data["frames"][2]["turn"]["facts"] == [["Answer", HOSTILE]]
    assert data["spoken"] == 1
    looked = Addresses(page)
    assert len(looked.scripts) == 2
    assert not looked.asked


def test_an_installation_without_the_app_says_so(built: Path) -> None:
    built.unlink()
    with pytest.raises(BriefError, match="make app"):
        replay("d-1", entries())


def test_words_of_a_model_are_no_picture() -> None:
    fenced = "```mermaid\nA --> B\n```"
    sign = "\N{OBJECT REPLACEMENT CHARACTER}mermaid"
    text = html_page(f"{sign}\n\n    {sign}\n\n{fenced}", {"mermaid": "<svg></svg>"})
    assert text.count("<svg>") == 1
