"""Logs from the command line: what a run saves beside its report, what ``folkmoot report --as`` writes, how turns read."""

import json
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from folkmoot.cli.commands.show import ENDINGS
from folkmoot.cli.display.render import ViewState, entry_lines
from tests.cli.commands import BRIEF, QUOTES, folkmoot
from tests.report.test_logs import tea


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one debate on record."""
    folder = tmp_path_factory.mktemp("logs")
    assert folkmoot(folder, "run", str(BRIEF), *QUOTES, "--no-report", "--quiet").exit_code == 0
    return folder


def saved(folder: Path) -> list[str]:
    """The endings of the files in a folder, without their common name."""
    names = sorted(path.name for path in folder.iterdir())
    common = min(names, key=len).partition(".")[0]
    return [name.removeprefix(common) for name in names]


def test_a_run_saves_the_log_that_its_brief_names_beside_the_report(tmp_path: Path) -> None:
    brief = tmp_path / "brief.md"
    brief.write_text("---\nlogging_mode: visual_tree\n---\n# Tea or coffee?\n\nTea is warm.\n", "utf-8")
    ran = folkmoot(tmp_path, "run", str(brief), *QUOTES, "-o", "out")
    assert saved(tmp_path / "out") == [".md", ".tree.json", ".tree.md"]
    assert ran.output.count(".tree.json") == 1
    again = folkmoot(tmp_path, "run", str(brief), *QUOTES, "-o", "other", "--log", "json_log")
    assert saved(tmp_path / "other") == [".log.json", ".md"]
    assert "log       other" in again.output
    folkmoot(tmp_path, "run", str(brief), *QUOTES, "-o", "none", "--no-report")
    assert not (tmp_path / "none").exists()
    folkmoot(tmp_path, "run", str(brief), *QUOTES, "-o", "alone", "--no-report", "--log", "summary_only")
    assert [path.name.partition(".")[2] for path in (tmp_path / "alone").iterdir()] == ["summary.md"]


def test_a_debate_that_stopped_saves_the_log_of_its_brief_when_it_has_ended(tmp_path: Path) -> None:
    brief = tmp_path / "brief.md"
    brief.write_text("---\nlogging_mode: json_log\n---\n# Tea or coffee?\n\nTea is warm.\n", "utf-8")
    folkmoot(tmp_path, "run", str(brief), *QUOTES, "-o", "out", "--max-questions", "2")
    assert not (tmp_path / "out").exists()
    folkmoot(tmp_path, "resume", "last", "-o", "out", "--max-questions", "500")
    assert saved(tmp_path / "out") == [".log.json", ".md"]


def test_who_asks_for_the_summary_gets_the_summary_alone(tmp_path: Path) -> None:
    brief = tmp_path / "brief.md"
    brief.write_text("---\nlogging_mode: summary_only\n---\n# Tea or coffee?\n\nTea is warm.\n", "utf-8")
    ran = folkmoot(tmp_path, "run", str(brief), *QUOTES, "-o", "out")
    assert [path.name.partition(".")[2] for path in (tmp_path / "out").iterdir()] == ["summary.md"]
    assert "report  " not in ran.output
    assert "summary.md" in ran.output
    folkmoot(tmp_path, "run", str(brief), *QUOTES, "-o", "whole", "--log", "full_markdown")
    assert [path.name.partition(".")[2] for path in (tmp_path / "whole").iterdir()] == ["md"]


def test_a_usual_run_saves_the_report_alone(tmp_path: Path) -> None:
    brief = tmp_path / "brief.md"
    brief.write_text("---\nlogging_mode: markdown\n---\n# Tea or coffee?\n\nTea is warm.\n", "utf-8")
    folkmoot(tmp_path, "run", str(brief), *QUOTES, "-o", "out")
    assert saved(tmp_path / "out") == [".md"]


def test_a_finished_debate_can_be_logged_by_resuming_it(place: Path) -> None:
    went = folkmoot(place, "resume", "last", "-o", "resumed", "--log", "verbose")
    assert went.exit_code == 0
    assert saved(place / "resumed") == [".md", ".verbose.md"]


@pytest.mark.parametrize(
    ("mode", "holds"),
    [
        ("full_markdown", "## Record"),
        ("summary_only", "## Final statements"),
        ("json_log", '"tokens_in"'),
        ("verbose", "## Appendix: every question of"),
        ("visual_tree", "# Argument map:"),
    ],
)
def test_a_report_as_any_log(place: Path, mode: str, holds: str) -> None:
    shown = folkmoot(place, "report", "last", "--format", mode)
    assert shown.exit_code == 0
    assert holds in shown.output


def test_the_argument_map_is_written_side_by_side(place: Path) -> None:
    file = place / "map.json"
    written = folkmoot(place, "report", "last", "--format", "visual_tree", "-o", str(file))
    assert written.output.split() == [str(file.with_suffix(text)) for text in (".md", ".json")]
    assert json.loads(file.read_text("utf-8"))["nodes"]
    assert file.with_suffix(".md").read_text("utf-8").startswith("# Argument map:")


def test_mistakes_are_one_sentence(place: Path) -> None:
    nothing = folkmoot(place, "report", "last", "--format", "verbos")
    assert nothing.exit_code == 2
    assert "there is no format 'verbos'" in nothing.output
    nowhere = folkmoot(place, "report", "last", "--format", "json_log", "-o", str(place / "missing" / "x.json"))
    assert nowhere.exit_code == 1
    assert "x.json cannot be written: No such file or directory" in nowhere.output


def test_a_log_that_cannot_be_saved_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", "utf-8")
    ran = folkmoot(tmp_path, "run", str(BRIEF), *QUOTES, "-o", "file/out", "--no-report", "--log", "verbose", "--plain")
    assert "the report was not saved" in ran.output


def test_turns_with_claims_read_well_in_the_terminal() -> None:
    console, stage = Console(width=80, file=StringIO()), ViewState()
    for entry in tea():
        view = stage.take(entry)
        for entry_line in entry_lines(stage, view):
            console.print(entry_line)
    assert isinstance(console.file, StringIO)
    text = console.file.getvalue()
    part = text.split("round 1")[1].split("closing statements")[0]
    lines = [line.rstrip() for line in part.splitlines()[1:] if line.strip()]
    assert lines[:4] == [
        "Ann For · argument · scripted",
        "  T3 answers T2 (Ben): rebuttal",
        "  Claim  So does tea.",
        "  It has the same stuff in it.",
    ]
    assert lines[4:7] == ["Ben Against · argument · scripted", "  T4 answers T3 (Ann): attack", "  Well now."]


def test_a_report_as_a_page_to_print_and_as_pdf(place: Path) -> None:
    memo = folkmoot(place, "report", "last", "--format", "memo")
    assert memo.output.startswith("<!doctype html>")
    nowhere = folkmoot(place, "report", "last", "--format", "pdf")
    assert (nowhere.exit_code, "name it with -o" in nowhere.output) == (2, True)
    assert "The format pdf needs a file" in nowhere.output
    result = folkmoot(place, "report", "last", "-o", str(place / "r.pdf"))
    if result.exit_code:
        assert "weasyprint" in result.output
    else:
        assert (place / "r.pdf").read_bytes().startswith(b"%PDF")


def test_the_ending_of_a_file_chooses_the_format_where_none_is_named(place: Path) -> None:
    beginnings = {"r.json": "{", "r.JSON": "{", "r.md": "# ", "r.txt": "# ", "r": "# ", "r.mmd": "flowchart"}
    for name, begins in beginnings.items():
        folkmoot(place, "report", "last", "-o", str(place / name))
        assert (place / name).read_text("utf-8").startswith(begins), name
    folkmoot(place, "report", "last", "--format", "md", "-o", str(place / "named.json"))
    assert (place / "named.json").read_text("utf-8").startswith("# ")
    assert (ENDINGS[".html"], ENDINGS[".pdf"]) == ("html", "pdf")
    unknown = folkmoot(place, "report", "last", "-o", str(place / "r.odt"))
    assert (unknown.exit_code, (place / "r.odt").exists()) == (2, False)
    assert "No format has files that end in .odt; name the format with --format." in unknown.stderr
    setting = folkmoot(place, "report", "last", "--set", "people")
    assert (setting.exit_code, setting.stderr) == (2, "folkmoot: --set: 'people' is not a setting; write KEY=VALUE\n")


def test_a_report_to_go_through_needs_the_app(place: Path) -> None:
    shown = folkmoot(place, "report", "last", "--format", "html")
    assert "make app" in shown.output if shown.exit_code else '"frames"' in shown.output
