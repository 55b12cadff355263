"""Compiled templates are kept for the next process, and reports are written all the same where they can't be."""

from pathlib import Path

import pytest

from tests.kits.processes import run_module

BRIEF = "# Tea or coffee?\n\nTea is cheap.\n\n## Ann\nrole: drinks tea\n\n## Ben\nrole: drinks coffee\n"


@pytest.mark.parametrize("kept", [True, False])
def test_a_report_needs_no_place_for_compiled_templates(tmp_path: Path, kept: bool) -> None:
    cache = tmp_path / "cache"
    if not kept:
        cache.write_text("a file where the folder should be")
    (tmp_path / "tea.md").write_text(BRIEF)
    home = {
        "HOME": str(tmp_path),
        "XDG_CACHE_HOME": str(cache),
        "FOLKMOOT_STORE": str(tmp_path / "r.sqlite"),
        "PATH": "",
    }
    for _ in range(2):
        ended = run_module(["folkmoot", "run", "tea.md", "-m", "builtin:quotes", "--quiet"], tmp_path, home)
        assert ended.code == 0, ended.output
    (report, *_) = (tmp_path / "debates").glob("*.md")
    assert "Tea is cheap" in report.read_text("utf-8")
    assert cache.is_dir() == kept
    kinds = {file.name.partition("-")[0] for file in cache.rglob("*.cache")}
    assert kinds == ({"markdown"} if kept else set[str]())  # what escapes in another way never reads them
