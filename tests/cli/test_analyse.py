"""``folkmoot show --analysis``: the page, the data, and the plots, which come out the same to the byte."""

import asyncio
import json
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.analysis.analysis import Analysis, analyse
from folkmoot.app.export.analyses import save_analysis, write_data
from folkmoot.app.export.plots import draw, draw_all
from folkmoot.app.run.workspace import Workspace
from folkmoot.arguments.beliefs import Beliefs
from folkmoot.core.errors import BriefError
from folkmoot.record.store import read
from folkmoot.report.metrics import Use
from tests.cli.commands import folkmoot
from tests.paths import RECORDS
from tests.report.reports import hiring

NAMES = ("arena", "council", "panel")
HIRING = analyse(hiring(), debate="hire")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a store of old records."""

    async def fill() -> None:
        workspace = Workspace.at(tmp_path / "folkmoot.sqlite")
        for name in NAMES:
            lines = (RECORDS / f"v2-{name}.jsonl").read_text("utf-8").splitlines()
            await workspace.store.append(name, lines, after=0)
        await workspace.close()

    asyncio.run(fill())
    return tmp_path


def old(name: str) -> Analysis:
    return analyse(read((RECORDS / f"v2-{name}.jsonl").read_text("utf-8").splitlines()), debate=name)


def test_the_page_on_the_screen(folder: Path) -> None:
    result = folkmoot(folder, "show", "--analysis", "arena")
    assert result.exit_code == 0, result.output
    assert "## Insights\n\n- Agreement rose from 67% to 100% between the first answers and round 1.\n" in result.output
    assert "# 2 debates" in folkmoot(folder, "show", "--analysis", "arena", "panel", "arena").output


def test_the_data(folder: Path) -> None:
    data = json.loads(folkmoot(folder, "show", "--analysis", *NAMES, "--json").stdout)
    assert [item["debate"] for item in data["debates"]] == list(NAMES)
    assert data["overview"]["debates"] == 3
    assert data["debates"][0]["agreement"]["stages"][-1]["tally"]["share"] == 1.0
    assert all(item["insights"] for item in data["debates"])
    assert json.loads(write_data([HIRING]))["debates"][0]["agreement"]["flips"][0]["causes"] == ["T4"]


def test_plots_beside_a_page_that_shows_them(folder: Path) -> None:
    result = folkmoot(folder, "show", "--analysis", "arena", "council", "--plots", "p")
    assert result.exit_code == 0, result.output
    page, *plots = result.output.split()
    text = (folder / page).read_text("utf-8")
    assert page == "p/analysis.md"
    assert [f"({Path(plot).name})" in text for plot in plots] == [True] * len(plots)
    assert {Path(plot).name for plot in plots} >= {"all-agreement.svg", "all-ties.svg"}
    data = folkmoot(folder, "show", "--analysis", "arena", "--plots", "q", "--json", "--png")
    assert json.loads(data.stdout)["overview"]["debates"] == 1
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in (folder / "q").glob("*.png"))
    assert list((folder / "q").glob("*.png"))


def test_the_same_analysis_gives_the_same_bytes() -> None:
    plots = draw(HIRING)
    assert [plot.name for plot in plots] == ["agreement", "strength", "ties", "tokens"]
    assert draw(HIRING) == plots
    assert draw_all([HIRING, old("arena")]) == draw_all([HIRING, old("arena")])
    for plot in plots:
        tree = ElementTree.fromstring(plot.content)
        assert tree.tag == "{http://www.w3.org/2000/svg}svg"
        assert b"<dc:date>" not in plot.content


def test_names_are_no_formulas_no_markup_and_may_lack_a_glyph() -> None:
    people = {"$\\frac": HIRING.use, "<b>&": HIRING.use, "会議 🏛 " + "x" * 99: HIRING.use}
    (*_, tokens) = draw(replace(HIRING, people=people))
    text = "".join(ElementTree.fromstring(tokens.content).itertext())
    assert "$\\frac" in text
    assert "<b>&" in text
    assert "x" * 40 not in text


def test_nothing_is_drawn_where_there_is_nothing_to_show() -> None:
    empty = replace(old("moderated"), ties=(), beliefs=Beliefs(), use=Use())
    assert draw(empty) == ()
    assert draw_all([empty]) == ()
    assert len(draw_all([HIRING])) == 2
    many = [replace(HIRING, debate=f"debate-{n}") for n in range(12)]
    assert b"debate-11" not in draw_all([*many, empty])[0].content


def test_plots_that_cannot_be_made_are_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BriefError, match="plots cannot be written"):
        save_analysis([HIRING], tmp_path / "file")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(BriefError, match='pip install "matplotlib'):
        save_analysis([HIRING], tmp_path / "p")
    assert not (tmp_path / "p").exists()


@pytest.mark.parametrize("words", [(), ("none",), ("arena", "none")])
def test_mistakes_are_one_sentence(folder: Path, words: tuple[str, ...]) -> None:
    result = folkmoot(folder, "show", "--analysis", *words)
    assert (result.exit_code in (1, 2), result.output.count("\n")) == (True, 1)


# ---- plots in the report ---------------------------------------------------------------------------------------------


def test_a_report_has_plots_as_its_last_chapter(folder: Path) -> None:
    result = folkmoot(folder, "report", "panel", "-o", "my report.md", "--plots")
    assert result.exit_code == 0, result.output
    page = (folder / "my report.md").read_text("utf-8")
    assert page.startswith(folkmoot(folder, "report", "panel").output.rstrip("\n"))
    names = [plot.name for plot in draw(old("panel"))]
    assert "agreement" in names
    assert page.partition("\n## Plots\n")[2].split() == [f"![{name}](my%20report-{name}.svg)" for name in names]
    assert result.output.splitlines() == ["my report.md", *(f"my report-{name}.svg" for name in names)]
    for plot in draw(old("panel")):
        assert (folder / f"my report-{plot.name}.svg").read_bytes() == plot.content


def test_a_report_of_a_debate_that_has_hardly_begun_says_that_there_is_nothing_to_draw(folder: Path) -> None:
    lines = (RECORDS / "v2-panel.jsonl").read_text("utf-8").splitlines()[:2]

    async def fill() -> None:
        workspace = Workspace.at(folder / "folkmoot.sqlite")
        await workspace.store.append("begun", lines, after=0)
        await workspace.close()

    asyncio.run(fill())
    assert folkmoot(folder, "report", "begun", "-o", "r.md", "--plots").output == "r.md\n"
    assert (folder / "r.md").read_text("utf-8").endswith("## Plots\n\nThere is nothing to draw.\n")


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--plots",), 2, "give -o FILE.md"),
        (("--plots", "-o", "-"), 2, "give -o FILE.md"),
        (("--plots", "-o", "r.json", "--format", "json"), 2, "give -o FILE.md"),
        (("--plots", "-o", "r.md", "--format", "verbose"), 2, "give -o FILE.md"),
        (("--plots", "-o", "none/r.md"), 2, "none/r.md: cannot be written: No such file"),
    ],
)
def test_plots_want_a_file(folder: Path, words: tuple[str, ...], code: int, message: str) -> None:
    result = folkmoot(folder, "report", "panel", *words)
    assert result.exit_code == code
    assert message in result.output
