"""Which files a run of some tests reads."""

from pathlib import Path

import pytest

from tests.conftest import pytest_ignore_collect
from tests.paths import ROOT


@pytest.mark.parametrize(
    ("selection", "marks", "ignored"),
    [
        ("alone", ("alone",), True),
        ("not alone", (), None),
        ("alone or system", (), None),
        ("", (), None),
    ],
)
def test_a_run_of_some_marks_reads_the_files_that_have_one(  # house: wide because pytest gives fixtures so
    selection: str,
    marks: tuple[str, ...],
    ignored: bool | None,
    pytestconfig: pytest.Config,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(pytestconfig.option, "markexpr", selection)
    plain, marked = tmp_path / "test_plain.py", tmp_path / "test_marked.py"
    plain.write_text("def test_it():\n    pass\n", "utf-8")
    assert pytest_ignore_collect(plain, pytestconfig) is ignored
    for mark in marks:
        marked.write_text(f"@pytest.mark.{mark}\ndef test_it():\n    pass\n", "utf-8")
        assert pytest_ignore_collect(marked, pytestconfig) is None
    assert pytest_ignore_collect(ROOT / "tests/workers/test_workers.py", pytestconfig) is None
    assert pytest_ignore_collect(ROOT / "tests/record/test_postgres.py", pytestconfig) is (
        True if marks == ("alone",) else None
    )
    assert pytest_ignore_collect(tmp_path, pytestconfig) is None
