"""Which files a run of some tests reads, and what coverage measures of it."""

import sys
from pathlib import Path

import pytest

from tests.conftest import pytest_ignore_collect
from tests.paths import ROOT


@pytest.mark.parametrize(
    ("selection", "ignored"), [("alone", True), ("not alone", None), ("alone or system", None), ("", None)]
)
def test_a_run_of_one_mark_reads_the_files_that_have_it(
    selection: str, ignored: bool | None, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(pytestconfig.option, "markexpr", selection)
    plain, marked = tmp_path / "test_plain.py", tmp_path / "test_marked.py"
    plain.write_text("def test_it():\n    pass\n", "utf-8")
    marked.write_text("@pytest.mark.alone\ndef test_it():\n    pass\n", "utf-8")
    assert pytest_ignore_collect(plain, pytestconfig) is ignored
    assert pytest_ignore_collect(marked, pytestconfig) is None
    assert pytest_ignore_collect(ROOT / "tests/workers/test_workers.py", pytestconfig) is None
    assert pytest_ignore_collect(tmp_path, pytestconfig) is None


@pytest.mark.no_cover
def test_what_is_not_measured_runs_without_a_tracer() -> None:
    assert sys.gettrace() is None
